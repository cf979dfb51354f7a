"""Summaries of a game, for after its screen was left."""

from __future__ import annotations

from typing import NamedTuple

from tablier.games import game_class
from tablier.games.core import seat_name
from tablier.printable import number_text, printable
from tablier.texts import Json, Text, counted


class LogName(NamedTuple):
    """The names of a log for people."""

    path: str
    option: str = ""
    """The option by which a command finds it, as `` --log PATH``; empty if it finds it anyway."""


def kept_text(log: LogName, game: int | None) -> str:
    """Return the line about an interrupted game; ``game`` is ``None`` if none had begun."""
    if game is None:
        return str(Text("No game was begun."))
    args = {"path": log.path, "game": game, "option": log.option}
    return str(Text("The game is kept in {path}; 'tablier resume {game}{option}' resumes it.", args))


def final_text(update: Json, log: LogName) -> str:
    """Return the result of a finished game, and where its log is."""
    standings = results(update)
    width = max(len(name) for name, _, _ in standings)
    wins = Text("wins")
    lines = [f"  {name:{width}}  {score:>4}{f'  {wins}' if won else ''}" for name, score, won in standings]
    args = {"title": game_class(update["rules"]).title}
    one = "{title} is over after {count} move. Final scores:"
    many = "{title} is over after {count} moves. Final scores:"
    logged = {"path": log.path, "head": update["over"]["head"], "option": log.option}
    more = "See it with 'tablier log show{option}', write its record with 'tablier log export{option}'."
    return "\n".join(
        [
            str(counted(update["ply"], one, many, **args)),
            *lines,
            *_unrevealed(update["over"].get("unrevealed", 0)),
            str(Text("Logged in {path}; its head is {head}", logged)),
            str(Text(more, logged)),
        ]
    )


def _unrevealed(count: int) -> list[str]:
    one, more = "The table did not reveal {count} roll.", "The table did not reveal {count} rolls."
    return [str(counted(count, one, more))] if count else []


def results(update: Json) -> list[tuple[str, str, bool]]:
    """Return each player's name and score, and whether this one has won."""
    over = update["over"]
    return [
        (printable(player["name"]), number_text(over["scores"][seat_name(seat)]), seat in over["winners"])
        for seat, player in enumerate(update["seats"], 1)
    ]


__all__ = ["LogName", "final_text", "kept_text", "results"]
