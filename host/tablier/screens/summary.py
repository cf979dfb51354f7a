"""What is said of a game when its screen has been left."""

from __future__ import annotations

from tablier.games import game_class
from tablier.games.core import Json, seat_name
from tablier.printable import printable


def final_text(update: Json, log: str) -> str:
    """Return the result of a game that is over, to be kept. ``log`` is how the path of the log is shown to people."""
    names, over = [printable(seat["name"]) for seat in update["seats"]], update["over"]
    width = max(map(len, names))
    lines = [
        f"  {name:{width}}  {over['scores'][seat_name(seat)]:>4}{'  wins' if seat in over['winners'] else ''}"
        for seat, name in enumerate(names, 1)
    ]
    return "\n".join(
        [
            f"{game_class(update['rules']).title} is over after {update['ply']} moves. Final scores:",
            *lines,
            f"Logged in {log}; its head is {over['head']}",
            "See it with 'tablier log show', write its record with 'tablier log export'.",
        ]
    )


def scores_text(update: Json) -> str:
    """Return the scores of a game that is over, in one line."""
    scores, winners = update["over"]["scores"], update["over"]["winners"]
    parts = [
        f"{printable(seat['name'])} {scores[seat_name(number)]:g}{' (wins)' if number in winners else ''}"
        for number, seat in enumerate(update["seats"], 1)
    ]
    return ", ".join(parts)


__all__ = ["final_text", "scores_text"]
