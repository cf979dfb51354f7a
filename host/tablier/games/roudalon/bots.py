"""Bots for Le Roudalon: a simple one that throws when the odds are fair, seeks allies for a large pot and else stakes
little, and some that compute how likely each seat is to win."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from tablier.games.core import Move, seat_name
from tablier.games.core.bots import Bot, Careless
from tablier.games.roudalon.dice import sums
from tablier.games.roudalon.rules import ASKED, CHAIN, THROW, Roudalon
from tablier.games.roudalon.search import Alliance, Prospects, alone
from tablier.texts import Json, Text

_FAIR = 1 / 9
"""A chance to throw the pot that is worth the dice."""
_TEMPTING = 7
"""A pot from which on an alliance is worth it: one player alone fails to throw it at least every second time."""
_MEAN = 3.5
_EQUAL = 1e-9
"""Chances that differ by less are the same."""


def chance(total: int, dice: int) -> float:
    """Return the probability that the dice add up to the total."""
    return sums(dice).get(total, 0.0)


class Greedy(Bot):
    def decide(self, view: Json, moves: Sequence[Move], may_pass: bool) -> Move | None:
        of_verb: dict[str, list[Move]] = {}
        for move in moves:
            of_verb.setdefault(move.verb, []).append(move)
        phase, pot = view["phase"], view["pot"]
        if phase == ASKED:
            return of_verb["yes" if pot >= _TEMPTING else "no"][0]
        held = [view["dice"][seat] for seat in view["allies"]]
        if phase == CHAIN:
            return of_verb["ally" if _MEAN * sum(held) < pot else "done"][0]
        if phase == THROW:
            return self._throw(view, of_verb["roll"], held)
        rolls = of_verb.get("roll", [])
        best = max(rolls, key=lambda move: chance(pot, move.args[0]), default=None)
        if best is not None and chance(pot, best.args[0]) >= _FAIR:
            return best
        if "ally" in of_verb and _TEMPTING <= pot <= self._reach(view):
            return of_verb["ally"][0]
        return self._stake(view, of_verb["bet"])

    def _reach(self, view: Json) -> float:
        """Return what an alliance of all neighbours with dice can be expected to throw, and a little more."""
        rules = cast(Roudalon, self.rules)
        dice = 0
        for steps in range(rules.seats):
            held = view["dice"][seat_name((self.seat - 1 + steps) % rules.seats + 1)]
            if not held:
                break
            dice += held
        return 1.4 * _MEAN * dice

    def _stake(self, view: Json, bets: Sequence[Move]) -> Move:
        """Little, and not what the next player could throw."""
        rules = cast(Roudalon, self.rules)
        following = view["dice"][seat_name(self.seat % rules.seats + 1)]

        def cost(move: Move) -> float:
            pot = view["pot"] + move.args[0]
            best = max((chance(pot, dice) for dice in range(1, following + 1)), default=0.0)
            return float(move.args[0] + best * pot)

        return min(bets, key=cost)

    def _throw(self, view: Json, rolls: Sequence[Move], held: Sequence[int]) -> Move:
        """One die or two, for what is lacking and with what the allies after it still have."""
        lacking = view["pot"] - sum(map(sum, view["thrown"]))
        after = sum(held[len(view["thrown"]) + 1 :])
        if after:
            return min(rolls, key=lambda move: abs(_MEAN * (move.args[0] + after) - lacking))
        return max(rolls, key=lambda move: chance(lacking, move.args[0]))


class Easy(Careless):
    KIND = Greedy


class Strong(Bot):
    """Does what makes it likeliest to win when all do so."""

    WORTH = Text("the probability that it wins")
    WHY = Text("Chance to win")
    CHANCES = True

    def decide(self, view: Json, moves: Sequence[Move], may_pass: bool) -> Move | None:
        seats = self.rules.seats
        first = int(view["turn"][1:]) - 1
        names = [seat_name((first + steps) % seats + 1) for steps in range(seats)]
        staked = tuple(view["staked"][name] for name in names)
        found = self._prospects(view, moves, tuple(view["dice"][name] for name in names), staked)
        me = (self.seat - 1 - first) % seats
        self.worths = {move: prospects.wins(me, staked) for move, prospects in found.items()}
        most = max(self.worths.values())
        return self.dice.choice([move for move in moves if self.worths.get(move, -1.0) > most - _EQUAL])

    def _prospects(
        self, view: Json, moves: Sequence[Move], dice: tuple[int, ...], staked: tuple[int, ...]
    ) -> dict[Move, Prospects]:
        """Return what each move that is considered leads to; seats are counted from the one whose turn it is."""
        pot, phase, allies = view["pot"], view["phase"], len(view["allies"])
        alliance = Alliance(pot, dice, staked)
        if phase == ASKED:
            return {move: alliance.answered(allies, move.verb == "yes") for move in moves}
        if phase == CHAIN:
            done = alliance.throws(allies)
            return {move: alliance.asked(allies) if move.verb == "ally" else done for move in moves}
        if phase == THROW:
            thrown = alliance.thrown(view["thrown"])
            return {move: alliance.rolls(allies, thrown, move.args[0]) for move in moves}
        found = alone(pot, dice)
        options = {move: found[move.verb, move.args[0]] for move in moves if move.verb != "ally"}
        return options | {move: alliance.asked(1) for move in moves if move.verb == "ally"}


class Good(Careless):
    """Decides like the strong one, but in one of three cases like the greedy one."""

    KIND, SLIP = Strong, Greedy
    WORTH = Strong.WORTH


BOTS = {"easy": Easy, "greedy": Greedy, "good": Good, "strong": Strong}
