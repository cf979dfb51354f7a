"""Dilemma without a table: what the players at a table decide, said as moves.

How a card lands is decided by a practised hand, as at a table.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import partial
from typing import Any, ClassVar

from tablier.games.core import Json, Move, Rules
from tablier.games.core.bots import Bot, Careless, Searching
from tablier.games.core.search import equilibrium, race
from tablier.games.dilemma.players import GreedyPlayer, RandomPlayer
from tablier.games.dilemma.rules import CHOICES, OFFER, WINDOW, choices_allowed, duel_card
from tablier.games.dilemma.search import FLAT, Outline


class _ByPlayer(Bot):
    kind: ClassVar[type[RandomPlayer]]

    def __init__(self, rules: Rules[Any], seat: int, dice: random.Random) -> None:
        super().__init__(rules, seat, dice)
        self.player: RandomPlayer = self.kind(seat, dice.getrandbits(64))

    def decide(self, view: Json, moves: Sequence[Move], may_pass: bool) -> Move | None:
        if view["phase"] == WINDOW:
            throw = self.player.throw(view, ())  # what was thrown before is in the view
            return None if throw is None else Move(self.seat, "throw", throw)
        if view["phase"] == OFFER:
            return Move(self.seat, "offer", (self.player.offer(view),))
        return Move(self.seat, "duel", (self.player.duel(view),))


class RandomDilemma(_ByPlayer):
    """Offers and chooses at random; throws about every other time that it is asked."""

    kind = RandomPlayer


class GreedyDilemma(_ByPlayer):
    """Offers low, answers high offers with its lowest other card, and fights for what is worth a life."""

    kind = GreedyPlayer


class Easy(Careless):
    KIND = GreedyDilemma
    SLIP = RandomDilemma


class Strong(Searching):
    """Tries each decision out in games that are played on to their end. A unit of work is such a game.

    In a duel it mixes its choices so that they cannot be read.
    """

    WORK = 400

    def __init__(self, rules: Rules[Any], seat: int, dice: random.Random) -> None:
        super().__init__(rules, seat, dice)
        self._hand = RandomPlayer(seat, dice.getrandbits(64))

    def decide(self, view: Json, moves: Sequence[Move], may_pass: bool) -> Move | None:
        game, seed = Outline.of(view), self.dice.getrandbits(64)
        if view["phase"] == WINDOW:
            return self._throw(view, moves, game, seed)
        if len(moves) == 1:
            return moves[0]
        if view["phase"] == OFFER:
            return race(moves, partial(self._after_offer, game, seed), self.budget())
        return self._duel(view, moves, game, seed)

    def _after_offer(self, game: Outline, seed: int, move: Move, number: int) -> float:
        game, dice = game.copy(), random.Random(seed + number)
        game.play(self.seat - 1, move.args[0])
        game.window(move.args[0], game.others(dice), dice)
        game.play_on(dice)
        return game.worth(self.seat - 1)

    def _throw(self, view: Json, moves: Sequence[Move], game: Outline, seed: int) -> Move | None:
        offer = view["offer"]
        if self._answer(view):
            return None  # another card would be thrown away
        ranks = sorted({move.args[0] for move in moves} - {offer})
        rank = race([0, *ranks], partial(self._after_throw, game, seed, offer), self.budget())
        return Move(self.seat, "throw", (rank, self._hand.land())) if rank else None

    def _after_throw(self, game: Outline, seed: int, offer: int, rank: int, number: int) -> float:
        """How a game ends after a card, or with 0 after none."""
        game, dice, me = game.copy(), random.Random(seed + number), self.seat - 1
        others = [seat for seat in game.others(dice) if seat != me]
        landed = dice.random() < FLAT
        if rank:
            game.play(me, rank)
        if rank and landed:
            game.fight(offer, me, rank, dice)
        else:
            game.window(offer, others, dice)
        game.play_on(dice)
        return game.worth(me)

    @staticmethod
    def _answer(view: Json) -> tuple[int, int] | None:
        """The card that answers the offer, as seat and rank."""
        return duel_card(view["offer"], [(int(name[1:]), rank) for name, rank in view["pile"]])

    def _duel(self, view: Json, moves: Sequence[Move], game: Outline, seed: int) -> Move:
        """A choice of the mixture that regret matching finds over what the four ways to end the duel are worth."""
        card = self._answer(view)
        assert card is not None
        other, me = card[0] - 1, self.seat - 1
        provokes = me == game.turn
        rival = other if provokes else game.turn
        mine = range(len(moves))
        theirs = range(len(choices_allowed(game.lives[rival])))
        games = max(1, self.WORK // (len(mine) * len(theirs)))
        budget = self.budget()
        worths = [[(0.0, 0.0)] * len(theirs) for _ in mine]
        for number in range(games):
            if budget.late:
                break
            for i in mine:
                for j in theirs:
                    after, dice = game.copy(), random.Random(seed + number)
                    after.duel(view["offer"], other, card[1], *map(bool, (i, j) if provokes else (j, i)))
                    after.play_on(dice)
                    so_far = worths[i][j]
                    worths[i][j] = so_far[0] + after.worth(me), so_far[1] + after.worth(rival)
        mix, _ = equilibrium([[a for a, _ in row] for row in worths], [[b for _, b in row] for row in worths])
        choice = self.dice.choices(CHOICES[: len(moves)], mix)[0]
        return next(move for move in moves if move.args[0] == choice)


class Good(Strong):
    WORK = 40


BOTS = {"random": RandomDilemma, "easy": Easy, "greedy": GreedyDilemma, "good": Good, "strong": Strong}
