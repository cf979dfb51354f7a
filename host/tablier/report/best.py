"""The games of a season that are worth another look.

Of each game that was played, one is chosen: among the closest finishes (:func:`tablier.archive.closest.closest`) the
one in which the lead changed hands most often; of several, the closest. Where a win always counts 1, no finish is
closer than another, and those are the longest games.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from tablier.archive.closest import Close, closest
from tablier.archive.database import Archive
from tablier.archive.questions import Scope
from tablier.games.core import Move, Position
from tablier.games.core.parts import PartError
from tablier.record import RecordError
from tablier.screens.replay import course_of
from tablier.screens.turning import MOST, Turn, turning_points
from tablier.texts import Text

REPLAYED = 5
"""The closest finishes that are replayed."""
TURNS_MOST = 8
"""The most turning points that are told of a game."""


class Best(NamedTuple):
    """The game that was chosen, replayed."""

    close: Close
    position: Position[Any]
    last: Move | None
    """The last move of a seat; ``None`` where not everybody may know it."""
    course: list[tuple[float, ...]]
    """The figures of each seat after each number of moves, its points or a count of the game's own."""
    counts: Text | None
    """The name of that count; ``None`` for points."""
    changes: int
    """How often the lead changed hands."""
    by_points: bool
    """False where games of this kind have winners, and no points besides."""

    @property
    def level(self) -> int:
        """Return how many have the most points."""
        points = [seat.points for seat in self.close.game.seats]
        return points.count(max(points))


def best(archive: Archive, scope: Scope, kind: str) -> Best | None:
    """Return the best game of a kind; ``None`` where none can be replayed."""
    closest_ones = closest(archive, replace(scope, game=kind), REPLAYED)
    by_points = any(seat.points not in _RESULTS for close in closest_ones for seat in close.game.seats)
    found = [game for close in closest_ones if (game := _replayed(close, by_points))]
    return max(found, key=lambda game: game.changes, default=None)


_RESULTS = (0, 0.5, 1)
"""The points of a loss, a draw and a win in a game that has no others."""


def _replayed(close: Close, by_points: bool) -> Best | None:
    try:
        position = close.game.replayed()
        rules, states = position.rules, [*(before for before, _ in position.history()), position.state]
        course, counts = course_of(rules, states, [tuple(rules.scores(state)) for state in states])
    except (RecordError, PartError):  # its rules are not those of this program
        return None
    return Best(close, position, position.lately()[0], course, counts, lead_changes(course), by_points)


def lead_changes(course: Sequence[Sequence[float]]) -> int:
    """Return how often another seat took the lead than the one that had it before."""
    return sum(turn.leads and turn.led != 0 for turn in turning_points(course, len(course)))


def turns(game: Best) -> list[Turn]:
    """Return the turning points of a game: all moves by which the lead changed hands, unless they are too many."""
    return turning_points(game.course, min(max(MOST, game.changes), TURNS_MOST))


__all__ = ["REPLAYED", "TURNS_MOST", "Best", "best", "lead_changes", "turns"]
