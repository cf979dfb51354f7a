"""The scoreboard of a game: for each player the points, and whether this one has won."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from tablier.messages import Result
from tablier.printable import number_text
from tablier.texts import Text


class Score(NamedTuple):
    """A line of a scoreboard."""

    name: str
    points: str
    """Empty while the game is not over."""
    won: bool

    @property
    def text(self) -> Text | str:
        """Return the player, with the points where there are any."""
        return Text("{name} {score}", {"name": self.name, "score": self.points}) if self.points else self.name


def scoreboard(names: Sequence[str], result: Result | None) -> list[Score]:
    """Return the scoreboard of a game. ``result``: ``None`` while it is not over."""
    if result is None:
        return [Score(name, "", False) for name in names]
    # A log may hold less than one score a player; what is missing is left empty, and the game is listed.
    points = dict(enumerate(map(number_text, result.scores), 1))
    return [Score(name, points.get(seat, ""), seat in result.winners) for seat, name in enumerate(names, 1)]


__all__ = ["Score", "scoreboard"]
