"""Summaries of a game, for after its screen was left."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tablier.games import title_of
from tablier.messages import Over, Update
from tablier.printable import printable
from tablier.screens.phrases import LOGGED, WINNER
from tablier.screens.scores import Score, scoreboard
from tablier.screens.turning import heading, turn_text, turning_points
from tablier.texts import Text, counted, render

if TYPE_CHECKING:
    from tablier.screens.replay import Played


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


def final_text(update: Update, over: Over, log: LogName, played: Played | None = None) -> str:
    """Return the result of a finished game, its turning points if it was replayed, and where its log is."""
    standings = results(update)
    width = max(len(name) for name, _, _ in standings)
    lines = [f"  {name:{width}}  {score:>4}{f'  {WINNER}' if won else ''}" for name, score, won in standings]
    args = {"title": title_of(update.rules)}
    one = "{title} is over after {count} move. Final scores:"
    many = "{title} is over after {count} moves. Final scores:"
    logged = {"path": log.path, "game": update.game, "option": log.option}
    see = "'tablier log show {game}{option}' shows it, 'tablier log export {game}{option}' writes its record."
    return "\n".join(
        [
            str(counted(update.ply, one, many, **args)),
            *lines,
            *_unrevealed(over.unrevealed),
            *(f"{printable(render(text))}." for text in over.remarks),
            *turning_lines(played),
            str(LOGGED.of(**logged)),
            str(Text(see, logged)),
        ]
    )


def turning_lines(played: Played | None) -> list[str]:
    """Return the turning points of a game under a heading, nothing where there are none."""
    turns = turning_points(played.course) if played is not None else []
    if played is None or not turns:
        return []
    return [str(heading(played.counts)), *(f"  {printable(str(turn_text(turn, played.names)))}" for turn in turns)]


def _unrevealed(count: int) -> list[str]:
    one, more = "The table did not reveal {count} roll.", "The table did not reveal {count} rolls."
    return [str(counted(count, one, more))] if count else []


def results(update: Update) -> list[Score]:
    """Return the scoreboard of a game that is over."""
    return scoreboard([printable(player.name) for player in update.seats], update.over)


__all__ = ["LogName", "final_text", "kept_text", "results", "turning_lines"]
