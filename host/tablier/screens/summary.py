"""Sum up a game when its screen has been left."""

from __future__ import annotations

from typing import NamedTuple

from tablier.games import game_class
from tablier.games.core import seat_name
from tablier.printable import number_text, printable
from tablier.texts import Json, counted


class LogName(NamedTuple):
    """A log as people are told of it."""

    path: str
    option: str = ""
    """The option by which a command finds it, as `` --log PATH``; empty if it finds it anyway."""


def kept_text(log: LogName, game: int | None) -> str:
    """Return where an interrupted game is kept; ``None``: it had not begun."""
    if game is None:
        return "No game was begun."
    return f"The game is kept in {log.path}; 'tablier resume {game}{log.option}' resumes it."


def final_text(update: Json, log: LogName) -> str:
    """Return the result of a game that is over, and where its log is."""
    results = _results(update)
    width = max(len(name) for name, _, _ in results)
    moves = counted(update["ply"], "{count} move", "{count} moves")
    lines = [f"  {name:{width}}  {score:>4}{'  wins' if wins else ''}" for name, score, wins in results]
    return "\n".join(
        [
            f"{game_class(update['rules']).title} is over after {moves}. Final scores:",
            *lines,
            *_unrevealed(update["over"].get("unrevealed", 0)),
            f"Logged in {log.path}; its head is {update['over']['head']}",
            f"See it with 'tablier log show{log.option}', write its record with 'tablier log export{log.option}'.",
        ]
    )


def _unrevealed(count: int) -> list[str]:
    one, more = "The table did not reveal {count} roll.", "The table did not reveal {count} rolls."
    return [str(counted(count, one, more))] if count else []


def scores_text(update: Json) -> str:
    """Return the scores of a game that is over, in one line."""
    return ", ".join(f"{name} {score}{' (wins)' if wins else ''}" for name, score, wins in _results(update))


def _results(update: Json) -> list[tuple[str, str, bool]]:
    """Return each player's name and score, and whether this one has won."""
    over = update["over"]
    return [
        (printable(player["name"]), number_text(over["scores"][seat_name(seat)]), seat in over["winners"])
        for seat, player in enumerate(update["seats"], 1)
    ]


__all__ = ["LogName", "final_text", "kept_text", "scores_text"]
