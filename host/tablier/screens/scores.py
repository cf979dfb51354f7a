"""The scoreboard of a game: for each player the points, and whether this one has won."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from tablier.messages import Result
from tablier.texts import Text, counted, number_text


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


def how_it_ended(names: Sequence[str], result: Result, ended_by: Text | None) -> Text | None:
    """Return by what a game has ended, and how far its winner was ahead; ``None`` where there is nothing to say.

    ``ended_by``: as ``Words.endings`` has it.
    """
    first, *others = sorted(range(1, len(names) + 1), key=lambda seat: -result.scores[seat - 1])
    ahead = result.scores[first - 1] - result.scores[others[0] - 1] if others else 0
    if result.winners != [first] or ahead < 1 or ahead % 1 or max(result.scores) <= 1:  # or not won by points
        return ended_by and Text("The game is over: {ending}.", {"ending": ended_by})
    about = {"who": names[first - 1], "rival": names[others[0] - 1], "ending": ended_by}
    if ended_by is None:
        one, many = "{who} was {count} point ahead of {rival}.", "{who} was {count} points ahead of {rival}."
        return counted(int(ahead), one, many, **about)
    one = "The game is over: {ending}; {who} was {count} point ahead of {rival}."
    many = "The game is over: {ending}; {who} was {count} points ahead of {rival}."
    return counted(int(ahead), one, many, **about)


__all__ = ["Score", "how_it_ended", "scoreboard"]
