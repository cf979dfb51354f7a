"""The counts of a game: the numbers from which all questions about many games are answered.

A count is added to a row of the table ``tally`` when a game comes into the archive, and taken off again when the game
goes: nothing is asked of a million games one by one.
"""

from __future__ import annotations

import re
from calendar import monthrange, timegm
from collections.abc import Sequence
from itertools import permutations
from typing import Any, NamedTuple

from tablier.archive.ended import EndedGame, time_of
from tablier.course.chance import kind_of
from tablier.games import facts_of
from tablier.games.core import Move, Position
from tablier.log.bodies import BY_PEOPLE, FIRST_YEAR, LAST_YEAR
from tablier.record import ranks
from tablier.texts import TextError

COUNTING = 3
"""Raised whenever a game counts for something else than before; archives are then counted anew."""

WHOLE = 0
"""Stands for a seat in what a game counts for as a whole."""

# What is counted. The first three and BY_OTHERS for each player, AGAINST for each pair, the others for the game.
GAMES, WON, POINTS = "games", "won", "points"
"""A bot that has several seats has played a game once, and won it with any of them; points are counted seat by seat."""
AGAINST = "against"
"""value: the other player; total: 1 for a better rank than that one's, 1/2 for an equal one, and the mean of these
where one has several seats."""
BY_OTHERS = "by others"
"""Games in which somebody else decided for the player: they count for nothing else of the player's."""
STAND_IN = "stand-in"
"""value: the bot that decided for somebody."""
LENGTH, ENDING = "length", "ending"
DIE, BAG = "die", "bag"
"""``die roll 6``: source and faces; value: the face. ``bag host``; value: what was drawn, total: how often it was to
be expected."""
TABLE = "table"
BEAM = "beam"
"""value: the board of the table and a beam, counted from 0; total: the sum of its margins."""
FACT = "fact"
"""``fact duels``: a fact of :mod:`tablier.games.core.facts`; value: a word, or total: the sum of numbers."""

VALUE_MAX = 80
"""Characters of a value; those beyond are cut off."""


class Key(NamedTuple):
    """A row of the tally within its club."""

    month: int
    """Such as 202611 (UTC)."""
    kind: str
    players: int
    player: str
    """The key of a player; empty for the game as a whole."""
    what: str
    value: str


Counts = dict[Key, tuple[int, float]]
"""By key: how often, and a sum."""


def month_of(moment: int) -> int:
    """Return the month of a time in microseconds since 1970, such as 202611."""
    at = time_of(moment)
    return at.year * 100 + at.month


def moment_of(month: int, *, after: bool = False) -> int:
    """Return the first moment of a month, or of the one after, in microseconds since 1970."""
    year, number = divmod(month, 100)
    days = monthrange(year, number)[1] if after else 0
    return timegm((year, number, 1 + days, 0, 0, 0)) * 1_000_000


def month_text(month: int) -> str:
    """Return a month such as 202609 as people read and type it: 2026-09."""
    return f"{month // 100:04}-{month % 100:02}"


def read_month(text: str) -> int:
    """Return a month that is typed as 2026-09 as 202609. Raise ``TextError`` for any other text and for months of
    years that no log has."""
    found = re.fullmatch(r"(\d{4})-(0[1-9]|1[0-2])", text, re.ASCII)
    if not found:
        raise TextError("{seen} is not a month; one is 2026-09", seen=repr(text[:20]))
    if not FIRST_YEAR <= int(found[1]) <= LAST_YEAR:
        text = "{seen} is not a month of the years {first} to {last}"
        raise TextError(text, seen=repr(found[0]), first=FIRST_YEAR, last=LAST_YEAR)
    return int(found[1]) * 100 + int(found[2])


def counts_of(game: EndedGame, position: Position[Any] | None = None) -> Counts:
    """Return what a game counts for.

    :param position: where its moves have led, if they have just been played; without it they are replayed.

    Raise ``RecordError`` where its moves cannot be played by the rules as they are.
    """
    counting = _Counting(game)
    counting.results()
    counting.play(position or game.replayed())
    for what, times in game.table.items():
        counting.add(WHOLE, TABLE, what, times)
    for board, margins in game.margins.items():
        for beam, margin in enumerate(margins):
            if margin is not None:
                counting.add(WHOLE, BEAM, f"{board} {beam}", total=margin)
    return counting.counts


def merge(into: Counts, more: Counts, sign: int = 1) -> None:
    """Add counts to others, or take them off."""
    for key, (n, total) in more.items():
        before = into.get(key, (0, 0.0))
        into[key] = before[0] + sign * n, before[1] + sign * total


class _Counting:
    def __init__(self, game: EndedGame) -> None:
        self._game = game
        self._month = month_of(game.ended)
        self.counts: Counts = {}

    def add(self, seat: int, what: str, value: object = "", n: int = 1, total: float = 0.0) -> None:
        player = self._game.seats[seat - 1].player.key if seat else ""
        kept = str(value) if what == AGAINST else str(value)[:VALUE_MAX]  # stored as a number, a key is never cut
        key = Key(self._month, self._game.kind, len(self._game.seats), player, what, kept)
        before = self.counts.get(key, (0, 0.0))
        self.counts[key] = before[0] + n, before[1] + total

    def results(self) -> None:
        """Count who has played, and won, and against whom."""
        by_player: dict[str, list[int]] = {}
        by_others: dict[str, int] = {}
        for number, seat in enumerate(self._game.seats, 1):
            if not self._game.is_own(number):
                by_others.setdefault(seat.player.key, number)
                continue
            by_player.setdefault(seat.player.key, []).append(number)
            self.add(number, POINTS, total=seat.points)
        for number in by_others.values():
            self.add(number, BY_OTHERS)
        for source in {source for each in self._game.stand_ins for source in each.by if source not in BY_PEOPLE}:
            self.add(WHOLE, STAND_IN, source)
        for own in by_player.values():
            self.add(own[0], GAMES)
            if any(self._game.seats[number - 1].won for number in own):
                self.add(own[0], WON)
        rank = ranks([seat.won for seat in self._game.seats], [seat.points for seat in self._game.seats])
        for (_, own), (other, others) in permutations(by_player.items(), 2):
            pairs = [(rank[one - 1], rank[two - 1]) for one in own for two in others]
            ahead = [1.0 if mine < theirs else 0.5 if mine == theirs else 0.0 for mine, theirs in pairs]
            self.add(own[0], AGAINST, other, total=sum(ahead) / len(ahead))
        self.add(WHOLE, ENDING, self._game.ending)
        self.add(WHOLE, LENGTH, len(self._game.moves))

    def play(self, position: Position[Any]) -> None:
        """Count what was thrown and drawn, and what the game shows of how it was played."""
        rules = position.rules
        for before, move in position.history():
            if not move.actor and (outcomes := rules.chance(before)):
                draw = rules.draw(before)
                source = self._game.sources.of(draw)
                if draw.dice:
                    for face in move.args:
                        self.add(WHOLE, f"{DIE} {source} {draw.ranges[0]}", face)
                else:
                    self._draw(f"{BAG} {source}", outcomes, move)
        if position.is_over:
            for seat, what, value in facts_of(self._game.kind).of(position):
                if isinstance(value, str):
                    self.add(seat, f"{FACT} {what}", value)
                else:
                    self.add(seat, f"{FACT} {what}", total=value)

    def _draw(self, what: str, outcomes: Sequence[tuple[Move, int]], move: Move) -> None:
        """Count what was drawn, and how often each kind was to be expected."""
        weights: dict[str, int] = {}
        for outcome, weight in outcomes:
            value = " ".join(map(str, kind_of(outcome)))
            weights[value] = weights.get(value, 0) + weight
        drawn, whole = " ".join(map(str, kind_of(move))), sum(weights.values())
        for value, weight in weights.items():
            self.add(WHOLE, what, value, int(value == drawn), weight / whole)
