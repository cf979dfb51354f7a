"""Player programs: they get their seat's view of the position, nothing else, and decide for it.

At a table a program decides what a person would do; how a thrown card lands is decided by its hand, not by its mind.
"""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Sequence
from itertools import takewhile

from tablier.games.core import Json, seat_name
from tablier.games.dilemma.rules import CHOICES

HOWS = ("flat", "leaning", "rim", "outside")
SKILL = (85, 5, 4, 6)  # how often, in a hundred, a practised hand's card lands so


class Player(ABC):
    """Decides for one seat of Dilemma. ``view`` is what ``Rules.view`` gives that seat."""

    def __init__(self, seat: int) -> None:
        self.seat = seat

    @abstractmethod
    def offer(self, view: Json) -> int:
        """The rank to offer."""

    @abstractmethod
    def throw(self, view: Json, pile: Sequence[tuple[int, int, str]]) -> tuple[int, str] | None:
        """A card to throw now, as (rank, how it lands), or ``None`` for no more in this window.

        ``pile`` holds what was thrown in this window so far, as (seat, rank, how it landed).
        """

    @abstractmethod
    def duel(self, view: Json) -> str:
        """Peace or conflict."""

    def _hand(self, view: Json, pile: Sequence[tuple[int, int, str]]) -> list[int]:
        thrown = {rank for seat, rank, _ in pile if seat == self.seat}
        return [rank for rank in view["hands"][seat_name(self.seat)] if rank not in thrown]


class RandomPlayer(Player):
    """Offers and chooses at random; throws in about half of the windows."""

    def __init__(self, seat: int, seed: int | None = None) -> None:
        super().__init__(seat)
        self._random = random.Random(seed)

    def offer(self, view: Json) -> int:
        return int(self._random.choice(self._hand(view, ())))

    def throw(self, view: Json, pile: Sequence[tuple[int, int, str]]) -> tuple[int, str] | None:
        hand = self._hand(view, pile)
        if not hand or self._random.random() < 0.5:
            return None
        return self._random.choice(hand), self.land()

    def land(self) -> str:
        """Return how a practised hand's next card lands."""
        return self._random.choices(HOWS, SKILL)[0]

    def duel(self, view: Json) -> str:
        return self._random.choice(CHOICES if view["lives"][seat_name(self.seat)] else CHOICES[:1])


class GreedyPlayer(RandomPlayer):
    """Offers low, answers high offers with its lowest other card, and fights for what is worth a life."""

    def offer(self, view: Json) -> int:
        return int(min(self._hand(view, ())))

    def throw(self, view: Json, pile: Sequence[tuple[int, int, str]]) -> tuple[int, str] | None:
        offer = view["offer"]
        lying = [*((seat, rank) for seat, rank in view["pile"]), *((s, r) for s, r, how in pile if how == "flat")]
        answered = any(rank != offer for _, rank in lying)
        hand = [rank for rank in self._hand(view, pile) if rank != offer]
        if answered or not hand or (min(hand) > offer and self._random.random() < 0.7):
            return None
        return min(hand), self.land()

    def duel(self, view: Json) -> str:
        lives = view["lives"][seat_name(self.seat)]
        stake = view["offer"] + next((rank for _, rank in view["pile"] if rank != view["offer"]), 0)
        return "conflict" if lives and stake >= 9 + self._random.randrange(6) else "peace"


class Follower(Player):
    """Plays the moves of a record, for demonstrations and tests. Where the record ends, and where the game is not the
    record's any more, ``then`` decides.

    ``views`` are what a spectator sees before each of the moves. Whoever asks says first, with :meth:`look`, where the
    game stands.
    """

    def __init__(self, seat: int, moves: Sequence[str], views: Sequence[Json], then: Player) -> None:
        super().__init__(seat)
        self._moves = [move.split(" ") for move in moves]
        self._views = views
        self._seat = seat_name(seat)
        self._then = then
        self._ahead: list[list[str]] = []  # the moves to follow; none where the game is another

    def look(self, ply: int, view: Json) -> None:
        """Take note of how many moves the game has, and of what a spectator sees."""
        follows = ply < len(self._moves) and _unordered(view) == _unordered(self._views[ply])
        self._ahead = self._moves[ply:] if follows else []

    def _mine(self, verb: str) -> list[str] | None:
        """The next move of this seat with that verb, from where the game stands."""
        return next((move for move in self._ahead if move[:2] == [self._seat, verb]), None)

    def _throws(self, pile: Sequence[tuple[int, int, str]]) -> list[list[str]] | None:
        """The throws of this window that are still to come; ``None`` where it went otherwise."""
        throws = list(takewhile(lambda move: move[1] == "throw", self._ahead))
        thrown = [[seat_name(seat), "throw", str(rank), how] for seat, rank, how in pile]
        return throws[len(pile) :] if self._ahead and throws[: len(pile)] == thrown else None

    def offer(self, view: Json) -> int:
        move = self._mine("offer")
        return int(move[2]) if move else self._then.offer(view)

    def throw(self, view: Json, pile: Sequence[tuple[int, int, str]]) -> tuple[int, str] | None:
        throws = self._throws(pile)
        if throws is None:
            return self._then.throw(view, pile)
        return (int(throws[0][2]), throws[0][3]) if throws and throws[0][0] == self._seat else None

    def throws_later(self, pile: Sequence[tuple[int, int, str]]) -> bool:
        """Whether this seat throws again in this window, after others."""
        return any(move[0] == self._seat for move in self._throws(pile) or ())

    def duel(self, view: Json) -> str:
        move = self._mine("duel")
        return move[2] if move else self._then.duel(view)


def _unordered(view: Json) -> Json:
    """Return a view without the order in which cards came to lie beside the pile, which no table can tell."""
    return {**view, "beside": sorted(view.get("beside", ()))}


PLAYERS = {"random": RandomPlayer, "greedy": GreedyPlayer}
"""Player programs by the name that ``--seat`` takes."""
