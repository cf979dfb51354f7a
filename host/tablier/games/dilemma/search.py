"""A game of Dilemma played on in outline, many times over, by players of middling sense.

They offer low cards more often than high ones, answer an offer with their lowest card when that is lower, and fight for
what is worth a life. How such games end says what a decision is worth.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from tablier.games.core import seat_name
from tablier.games.dilemma.rules import ODDS, RANKS
from tablier.texts import Json

FLAT = ODDS["flat"] / sum(ODDS.values())
"""The probability that a card lands flat."""
_LOW = 0.6
"""The probability that the lowest card is offered; else it is any."""
_ANSWERS = 0.75
"""The probability that a seat answers which holds a lower card than the one on offer."""
_WORTH = (9, 15)
"""The worth of two cards together for which a life is risked, at the least and at the most."""
_POINT = 0.01
"""The worth of a point more than the others beside a win."""

_RANKS: list[tuple[int, ...]] = [()]
"""By the bits of a hand: its cards, from the lowest."""
for _rank in range(RANKS[-1] + 1):
    _RANKS += [(*cards, _rank) if _rank in RANKS else cards for cards in _RANKS]


@dataclass
class Outline:
    """All that matters of a game between turns. Seats are counted from 0."""

    turn: int
    hands: list[int]
    """Bit masks, as in the rules."""
    lives: list[int]
    points: list[int]

    @classmethod
    def of(cls, view: Json) -> Outline:
        """Return the outline of a game; a card on offer is in no hand."""
        names = [seat_name(seat) for seat in range(1, len(view["hands"]) + 1)]
        return cls(
            names.index(view["turn"]),
            [sum(1 << rank for rank in view["hands"][name]) for name in names],
            [view["lives"][name] for name in names],
            [sum(view["gained"][name]) for name in names],
        )

    def copy(self) -> Outline:
        """Return an outline that can be played on without changing this one."""
        return Outline(self.turn, self.hands.copy(), self.lives.copy(), self.points.copy())

    # -- a turn, step by step ---------------------------------------------------------------------------------------

    def play(self, seat: int, rank: int) -> None:
        """Take a card out of a hand: offered or thrown."""
        self.hands[seat] ^= 1 << rank

    def duel(self, offer: int, other: int, card: int, first: bool, second: bool) -> None:
        """Settle a duel: whether the provocateur fights, and the other."""
        turn, points, lives = self.turn, self.points, self.lives
        lives[turn] -= first
        lives[other] -= second
        if first and not second:
            points[turn] += offer + card
        elif second and not first:
            points[other] += offer + card
        elif not first:
            points[turn] += card
            points[other] += offer

    def window(self, offer: int, seats: list[int], dice: random.Random) -> None:
        """Let these seats, in this order, answer an offer, and settle what comes of it."""
        hands, draw = self.hands, dice.random
        for seat in seats:
            lower = hands[seat] & ((1 << offer) - 1)
            if lower and draw() < _ANSWERS:
                card = (lower & -lower).bit_length() - 1
                hands[seat] ^= 1 << card
                if draw() < FLAT:
                    self.fight(offer, seat, card, dice)
                    return
        self.points[self.turn] += offer

    def fight(self, offer: int, other: int, card: int, dice: random.Random) -> None:
        """Settle a duel as players of middling sense would."""
        lives, stake = self.lives, offer + card
        least, most = _WORTH
        first = lives[self.turn] > 0 and stake >= least + dice.random() * (most - least)
        second = lives[other] > 0 and stake >= least + dice.random() * (most - least)
        self.duel(offer, other, card, first, second)

    def others(self, dice: random.Random) -> list[int]:
        """Return the seats that may answer, the quickest first."""
        seats = [seat for seat, hand in enumerate(self.hands) if hand and seat != self.turn]
        if len(seats) > 1:
            dice.shuffle(seats)
        return seats

    # -- the rest of a game -----------------------------------------------------------------------------------------

    def play_on(self, dice: random.Random) -> None:
        """Play from the next turn on to the end."""
        hands, draw, count = self.hands, dice.random, len(self.hands)
        while sum(map(bool, hands)) > 1:
            turn = (self.turn + 1) % count
            while not hands[turn]:
                turn = (turn + 1) % count
            self.turn = turn
            hand = hands[turn]
            if draw() < _LOW:
                rank = (hand & -hand).bit_length() - 1
            else:
                ranks = _RANKS[hand]
                rank = ranks[int(draw() * len(ranks))]
            hands[turn] ^= 1 << rank
            self.window(rank, self.others(dice), dice)

    def worth(self, seat: int) -> float:
        """Return what the end of the game is worth to a seat: the share of a win, and a little for each point."""
        points = self.points
        best, mine = max(points), points[seat]
        rival = max(count for other, count in enumerate(points) if other != seat)
        return (mine == best) / points.count(best) + _POINT * (mine - rival)
