"""Number the actions and observations of Le Roudalon."""

from __future__ import annotations

from collections.abc import Iterable

from tablier.games.core import TABLE, Move, Rules, seat_name
from tablier.games.core.encoding import Encoding, Part, one_hot
from tablier.games.roudalon.dice import MOST_DICE, REACH, falls
from tablier.games.roudalon.rules import ASKED, CHAIN, DICE, OVER, THROW, TURN, UNITS, State
from tablier.texts import Json

_PHASES = (TURN, ASKED, CHAIN, THROW, DICE, OVER)
_ACTIONS = (
    *(("bet", (units,)) for units in UNITS),
    *(("roll", (count,)) for count in range(1, MOST_DICE + 1)),
    *((verb, ()) for verb in ("ally", "yes", "no", "done")),
)


class RoudalonEncoding(Encoding[State]):
    def __init__(self, rules: Rules[State], start: Json | None) -> None:
        throws = [faces for dice in range(1, MOST_DICE + 1) for faces, _ in falls(dice)]
        super().__init__(rules, start, _ACTIONS, [[Move(TABLE, "dice", faces)] for faces in throws])
        seats = rules.seats
        # A stake takes the pot nearer to where nobody can reach it; every other turn but the last loses a die.
        stakes = REACH * seats + 1
        turns = stakes + (seats + stakes) + 1
        self.most_actions = turns * (2 * (seats - 1) + seats + 1)  # ask and answer; throw; stake after a refusal
        self.most_outcomes = turns * seats
        self._most_pot = REACH * seats + max(UNITS)
        self.returns_from = float(-self._most_pot)
        self.returns_to = REACH - 1.0  # with two dice; and who has two has staked
        self.parts = (
            Part("phase", (len(_PHASES),), lambda view: one_hot(len(_PHASES), _PHASES.index(view["phase"]))),
            Part("turn", (seats,), lambda view: [float(name == view["turn"]) for name in self._names()]),
            Part("pot", (1,), lambda view: [view["pot"] / self._most_pot]),
            Part("dice", (seats, MOST_DICE + 1), self._dice),
            Part("staked", (seats,), lambda view: [units / self._most_pot for units in view["staked"].values()]),
            Part("refused", (1,), lambda view: [float(view["refused"])]),
            Part("allies", (seats,), lambda view: [float(name in view["allies"]) for name in self._names()]),
            Part("rolling", (MOST_DICE + 1,), lambda view: one_hot(MOST_DICE + 1, view["rolling"])),
            Part("thrown", (seats,), self._thrown),
        )

    def _names(self) -> list[str]:
        return [seat_name(seat) for seat in self.seats]

    @staticmethod
    def _dice(view: Json) -> Iterable[float]:
        return [value for dice in view["dice"].values() for value in one_hot(MOST_DICE + 1, dice)]

    def _thrown(self, view: Json) -> Iterable[float]:
        """Return the sums thrown for the pot in this turn, by ally."""
        sums = [sum(faces) / REACH for faces in view["thrown"]]
        return sums + [0.0] * (len(self.seats) - len(sums))


ENCODING = RoudalonEncoding
