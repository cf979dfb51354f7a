"""Sum up a game when its screen has been left."""

from __future__ import annotations

from typing import NamedTuple

from tablier.games import game_class
from tablier.games.core import Json, seat_name
from tablier.printable import printable


class LogName(NamedTuple):
    """A log as people are told of it."""

    path: str
    option: str = ""
    """The option by which a command finds it, as `` --log PATH``; empty if it finds it anyway."""


def kept_text(log: LogName) -> str:
    """Return where an interrupted game is kept."""
    return f"The game is kept in {log.path}; 'tablier resume{log.option}' resumes it."


def final_text(update: Json, log: LogName) -> str:
    """Return the result of a game that is over, and where its log is."""
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
            f"Logged in {log.path}; its head is {over['head']}",
            f"See it with 'tablier log show{log.option}', write its record with 'tablier log export{log.option}'.",
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


__all__ = ["LogName", "final_text", "kept_text", "scores_text"]
