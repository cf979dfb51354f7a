"""A game of a log, replayed to look back at it: its positions, its story, its points.

What is read is what everybody may see: of a game that runs, what a spectator has seen. One that has ended has no
secrets any more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tablier.games import words_of
from tablier.games.core import Move, Position, Rules
from tablier.games.core.parts import PartError
from tablier.judge import redaction
from tablier.log.fold import GameInfo
from tablier.log.store import Log
from tablier.printable import ascii_only, printable
from tablier.record import Record, RecordError
from tablier.screens.names import fit_names
from tablier.texts import Text, spelled, text_of

_BARS, _ASCII_BARS = "▁▂▃▄▅▆▇█", "_.-~=^'`"


@dataclass(frozen=True)
class Line:
    """One line of a game's story: what people were told of a move, or of something else."""

    at: int
    """The move's number, 0 for what is no move that stands."""
    move: str
    """As it is written; empty for what is no move, or is secret still."""
    sentences: tuple[str, ...]
    secret: bool
    undone: bool


@dataclass(frozen=True)
class Played:
    """A game, replayed."""

    info: GameInfo
    names: list[str]
    rules: Rules[Any] | None
    """``None`` where nothing can be drawn: the game is not installed, or has not begun."""
    states: list[Any]
    """The position after each number of moves."""
    lasts: list[Move | None]
    """The last move of a seat before each position; ``None`` where that may not be told to everybody yet."""
    lines: list[Line]
    scores: list[tuple[float, ...]]
    """The points after each number of moves; none where they do not lie open."""
    course: list[tuple[float, ...]]
    """The figures of each seat that turning points are found by: its points or, where these come with the last move
    alone, a count of the game's own."""
    counts: Text | None
    """The name of that count; ``None`` for points."""
    why: Text | None
    """Why nothing can be drawn."""

    @property
    def over(self) -> bool:
        return self.info.ended is not None

    @property
    def last(self) -> int:
        """Return the number of moves that can be shown."""
        return max(0, len(self.states) - 1)

    def curve(self, seat: int, width: int) -> str:
        """Return a seat's course through the game as at most ``width`` bars; empty where there is none."""
        course = [points[seat - 1] for points in self.course]
        least, most = min(map(min, self.course), default=0.0), max(map(max, self.course), default=0.0)
        if len(set(course)) < 2 and least == most:
            return ""
        bars = _ASCII_BARS if ascii_only() else _BARS
        count = min(width, len(course))
        points = [course[(number + 1) * len(course) // count - 1] for number in range(count)]
        return "".join(bars[round((point - least) / (most - least) * (len(bars) - 1))] for point in points)


def replay(log: Log, info: GameInfo) -> Played:
    """Replay a game of a log."""
    names = fit_names(info.names)
    try:
        rules = Record(info.game, info.names, (), info.options).rules().conducted()
        lines = _lines(log, info)
        begun = next(log.entries(info.id, "game")).body
        if begun.get("prelude") and rules.prelude() is not None:  # what that settles is not among the options yet
            return Played(info, names, None, [], [], lines, [], [], None, Text("The game has not begun yet."))
        position: Position[Any] = Position(rules)
        states, lasts = [position.state], [position.lately()[0]]
        for text in log.moves(info.id):
            position.parse_push(text)
            states.append(position.state)
            lasts.append(position.lately()[0])
    except (PartError, RecordError, ValueError) as error:
        return Played(info, names, None, [], [], [], [], [], None, text_of(error))
    open = info.ended is not None or rules.OPEN_VIEWS  # else the points would tell what a seat keeps secret
    scores = [tuple(rules.scores(state)) for state in states] if open else []
    course, counts = course_of(rules, states, scores) if info.ended is not None else (scores, None)
    return Played(info, names, rules, states, lasts, lines, scores, course, counts, None)


def course_of(
    rules: Rules[Any], states: Sequence[Any], scores: list[tuple[float, ...]]
) -> tuple[list[tuple[float, ...]], Text | None]:
    """Return the points of a game that is over; where they come with its last move alone, what it counts besides."""
    words = words_of(rules.name)
    if words.course is None or len(set(scores[:-1])) > 1:
        return scores, None
    return [words.course(rules, state, states[-1]) for state in states], words.counts


def read_game(path: Path, number: int) -> Played:
    """Replay a game of the log in a file. Raise :class:`tablier.texts.Failure`."""
    with Log.read(path) as log:
        return replay(log, log.game(number))


def story(lines: Sequence[Line], at: int) -> list[str]:
    """Return what was told up to a move, a paragraph a move; what was taken back is left out."""
    told = []
    for line in lines:
        if line.at > at:
            break
        if line.sentences and not line.undone:
            text = " ".join(line.sentences)
            told.append(f"{line.at}. {text}" if line.at else text)
    return told


def _lines(log: Log, info: GameInfo) -> list[Line]:
    told, at = [], 0
    for each in redaction.story(log, info).told:
        is_move = each.entry.kind == "move"
        if each.entry.kind == "takeback":
            at = int(each.entry.body["to"])
        at += is_move
        if is_move or each.sentences:
            sentences = tuple(map(printable, each.sentences))
            move = printable(spelled(each.text or "")) if is_move else ""
            told.append(Line(at if is_move and not each.undone else 0, move, sentences, each.withheld, each.undone))
    return told


__all__ = ["Line", "Played", "course_of", "read_game", "replay", "story"]
