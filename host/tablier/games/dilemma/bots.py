"""Bots for Dilemma. How a card lands is not decided by a mind but by a hand: a practised one.

At an arena a bot's mind is asked for one thing at a time (:meth:`RandomDilemma.throw` and the like), elsewhere for
moves.
"""

from __future__ import annotations

from collections.abc import Sequence

from tablier.games.core import Json, Move, seat_name
from tablier.games.core.bots import Bot
from tablier.games.dilemma.rules import CHOICES, OFFER, WINDOW

HOWS = ("flat", "leaning", "rim", "outside")
SKILL = (85, 5, 4, 6)  # how often, in a hundred, a practised hand's card lands so


class RandomDilemma(Bot):
    """Offers and chooses at random; throws about every other time that it is asked."""

    def decide(self, view: Json, moves: Sequence[Move], may_pass: bool) -> Move | None:
        if view["phase"] == WINDOW:
            throw = self.throw(view, ())  # what was thrown before is in the view
            return None if throw is None else Move(self.seat, "throw", throw)
        if view["phase"] == OFFER:
            return Move(self.seat, "offer", (self.offer(view),))
        return Move(self.seat, "duel", (self.duel(view),))

    def offer(self, view: Json) -> int:
        """Return the rank to offer."""
        return self.dice.choice(self._hand(view, ()))

    def throw(self, view: Json, pile: Sequence[tuple[int, int, str]]) -> tuple[int, str] | None:
        """Return a card to throw now, as (rank, how it lands), or ``None``.

        ``pile`` holds what was thrown in this window and is not in the view yet, as (seat, rank, how it landed).
        """
        hand = self._hand(view, pile)
        if not hand or self.dice.random() < 0.5:
            return None
        return self.dice.choice(hand), self._land()

    def duel(self, view: Json) -> str:
        """Return peace or conflict."""
        return self.dice.choice(CHOICES if view["lives"][seat_name(self.seat)] else CHOICES[:1])

    def _hand(self, view: Json, pile: Sequence[tuple[int, int, str]]) -> list[int]:
        thrown = {rank for seat, rank, _ in pile if seat == self.seat}
        return [rank for rank in view["hands"][seat_name(self.seat)] if rank not in thrown]

    def _land(self) -> str:
        return self.dice.choices(HOWS, SKILL)[0]


class GreedyDilemma(RandomDilemma):
    """Offers low, answers high offers with its lowest other card, and fights for what is worth a life."""

    def offer(self, view: Json) -> int:
        return min(self._hand(view, ()))

    def throw(self, view: Json, pile: Sequence[tuple[int, int, str]]) -> tuple[int, str] | None:
        offer = view["offer"]
        lying = [*((seat, rank) for seat, rank in view["pile"]), *((s, r) for s, r, how in pile if how == "flat")]
        answered = any(rank != offer for _, rank in lying)
        hand = [rank for rank in self._hand(view, pile) if rank != offer]
        if answered or not hand or (min(hand) > offer and self.dice.random() < 0.7):
            return None
        return min(hand), self._land()

    def duel(self, view: Json) -> str:
        lives = view["lives"][seat_name(self.seat)]
        stake = view["offer"] + next((rank for _, rank in view["pile"] if rank != view["offer"]), 0)
        return "conflict" if lives and stake >= 9 + self.dice.randrange(6) else "peace"


BOTS = {"random": RandomDilemma, "greedy": GreedyDilemma}
