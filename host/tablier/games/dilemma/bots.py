"""Bots for Dilemma. They decide which card to throw; how it lands is decided by chance, or by a hand at the table."""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import partial

from tablier.games.core import Move, seat_name
from tablier.games.core.bots import TRIED_OUT, Bot, Careless, Searching
from tablier.games.core.search import equilibrium, race
from tablier.games.dilemma.rules import CHOICES, OFFER, WINDOW, choices_allowed, duel_card
from tablier.games.dilemma.search import FLAT, Outline
from tablier.texts import Json, Text, number_text


class RandomDilemma(Bot):
    """Offers and chooses at random; throws about every other time that it is asked."""

    def decide(self, view: Json, moves: Sequence[Move], may_pass: bool) -> Move | None:
        if view["phase"] == WINDOW:
            rank = self._throw(view, view["hands"][seat_name(self.seat)])
            return next((move for move in moves if move.args[0] == rank), None)
        if view["phase"] == OFFER:
            return Move(self.seat, "offer", (self._offer(view["hands"][seat_name(self.seat)]),))
        return Move(self.seat, "duel", (self._duel(view, view["lives"][seat_name(self.seat)]),))

    def _offer(self, hand: Sequence[int]) -> int:
        return self.dice.choice(hand)

    def _throw(self, view: Json, hand: Sequence[int]) -> int | None:
        """Return the rank of a card to throw now."""
        return self.dice.choice(hand) if hand and self.dice.random() >= 0.5 else None

    def _duel(self, view: Json, lives: int) -> str:
        return self.dice.choice(choices_allowed(lives))


class GreedyDilemma(RandomDilemma):
    """Offers low, answers high offers with its lowest other card, and fights for what is worth a life."""

    def _offer(self, hand: Sequence[int]) -> int:
        return min(hand)

    def _throw(self, view: Json, hand: Sequence[int]) -> int | None:
        offer = view["offer"]
        answered = any(rank != offer for _, rank in view["pile"])
        others = [rank for rank in hand if rank != offer]
        if answered or not others or (min(others) > offer and self.dice.random() < 0.7):
            return None
        return min(others)

    def _duel(self, view: Json, lives: int) -> str:
        stake = view["offer"] + next((rank for _, rank in view["pile"] if rank != view["offer"]), 0)
        return "conflict" if lives and stake >= 9 + self.dice.randrange(6) else "peace"


class Easy(Careless):
    KIND = GreedyDilemma
    SLIP = RandomDilemma


class Strong(Searching):
    """Tries each decision out in games that are played on to their end. A unit of work is such a game.

    In a duel it mixes its choices so that they cannot be read.
    """

    WORK = 400
    WORTH = Text("its share of the win, and 0.01 for each point of lead")
    WHY = TRIED_OUT

    def decide(self, view: Json, moves: Sequence[Move], may_pass: bool) -> Move | None:
        game, seed = Outline.of(view), self.dice.getrandbits(64)
        self.because = None
        if view["phase"] == WINDOW:
            return self._throw(view, moves, game, seed)
        if len(moves) == 1:
            return moves[0]
        if view["phase"] == OFFER:
            self.worths = race(moves, partial(self._after_offer, game, seed), self.budget())
            best: Move = next(iter(self.worths))
            return best
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
            self.because = Text("A card answers the offer already; another one would be thrown away.")
            return None
        throws = {move.args[0]: move for move in reversed(moves) if move.args[0] != offer}
        means = race([0, *sorted(throws)], partial(self._after_throw, game, seed, offer), self.budget())
        self.worths = {throws.get(rank): mean for rank, mean in means.items()}
        best: Move | None = next(iter(self.worths))
        return best

    def _after_throw(self, game: Outline, seed: int, offer: int, rank: int, number: int) -> float:
        """Return how a game ends after a card, or with 0 after none."""
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
        """Return the card that answers the offer, as seat and rank."""
        return duel_card(view["offer"], [(int(name[1:]), rank) for name, rank in view["pile"]])

    def _duel(self, view: Json, moves: Sequence[Move], game: Outline, seed: int) -> Move:
        """Return a choice of the mixture that regret matching finds over what the four ways to end the duel are
        worth."""
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
        played = 0
        for number in range(games):
            if budget.late:
                break
            played += 1
            for i in mine:
                for j in theirs:
                    after, dice = game.copy(), random.Random(seed + number)
                    after.duel(view["offer"], other, card[1], *map(bool, (i, j) if provokes else (j, i)))
                    after.play_on(dice)
                    so_far = worths[i][j]
                    worths[i][j] = so_far[0] + after.worth(me), so_far[1] + after.worth(rival)
        mix, theirs_mix = equilibrium([[a for a, _ in row] for row in worths], [[b for _, b in row] for row in worths])
        self.worths = {
            move: sum(share * a / max(1, played) for share, (a, _) in zip(theirs_mix, row, strict=True))
            for move, row in zip(moves, worths, strict=True)
        }
        shares = [number_text(share, ".0%") for share in mix]
        if "0%" not in shares:
            self.because = Text(
                "Best mixed: peace {peace}, conflict {conflict}.", dict(zip(CHOICES, shares, strict=True))
            )
        choice = self.dice.choices(CHOICES[: len(moves)], mix)[0]
        return next(move for move in moves if move.args[0] == choice)


class Good(Strong):
    WORK = 40


BOTS = {"random": RandomDilemma, "easy": Easy, "greedy": GreedyDilemma, "good": Good, "strong": Strong}
