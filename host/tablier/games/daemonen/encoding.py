"""Number the actions and observations of Dicke Dämonen."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import permutations
from typing import Any

from tablier.games.core import TABLE, Move, Rules, seat_name
from tablier.games.core.encoding import Encoding, Part, one_hot
from tablier.games.daemonen.colours import COLOURS, EACH, FIST, WHITE
from tablier.games.daemonen.rules import Daemonen
from tablier.games.daemonen.state import NAMED, PHASES, State
from tablier.texts import Json

_CREATURES = EACH * len(COLOURS)


class DaemonenEncoding(Encoding[State]):
    """Actions are to place each colour at each spot of the layout, to predict, and to pass. An outcome is the colour
    that is drawn."""

    secrets = True

    def __init__(self, rules: Rules[State], start: Json | None) -> None:
        assert isinstance(rules, Daemonen)
        slots = rules.board.slots
        draws = [[Move(TABLE, "draw", (seat_name(n + 1), colour)) for n in range(rules.seats)] for colour in COLOURS]
        super().__init__(rules, start, _actions(slots, rules.seats), draws)
        # Every turn places a creature for good, and draws at most one.
        self.most_actions = 2 * _CREATURES
        self.most_outcomes = FIST * rules.seats + _CREATURES
        # What all colours can have together: each field its points, each ghost one.
        self._most_points = EACH + sum(len(corners) + len(knots) for _, corners, knots in rules.layout.fields)
        if rules.seats == 1:
            self.returns_to = float(NAMED * self._most_points)
        self._slot = {slot: number for number, slot in enumerate(slots)}
        seats = rules.seats
        named = NAMED if seats == 1 else 1
        self.parts = (
            Part("phase", (len(PHASES),), lambda view: one_hot(len(PHASES), PHASES.index(view["phase"]))),
            Part("turn", (seats,), lambda view: [float(seat_name(seat) == view["turn"]) for seat in self.seats]),
            Part("placed", (len(slots),), self._placed),
            Part("predictions", (seats, named, len(COLOURS)), lambda view: self._predictions(view, named)),
            Part("points", (len(COLOURS),), lambda view: [n / self._most_points for n in view["points"].values()]),
            Part("bag", (1,), lambda view: [view["bag"] / _CREATURES]),
            Part("sizes", (seats,), lambda view: [_size(fist) / FIST for fist in view["fists"].values()]),
            Part("fists", (seats, len(COLOURS)), self._fists, private=True),
            Part("gone", (len(COLOURS),), self._gone, private=True),
            Part("unseen", (len(COLOURS),), lambda view: [n / EACH for n in view["unseen"].values()], private=True),
        )

    def recipient(self, state: State) -> int:
        return state.turn - 1

    def _placed(self, view: Json) -> Iterable[float]:
        values = [0.0] * len(self._slot)
        for field in view["ghosts"]:
            values[self._slot[WHITE, field]] = 1.0
        for corner, colour in view["demons"].items():
            values[self._slot[colour, corner]] = 1.0
        return values

    @staticmethod
    def _predictions(view: Json, named: int) -> Iterator[float]:
        for colours in view["predictions"].values():
            for place in range(named):
                yield from (float(colours[place : place + 1] == [colour]) for colour in COLOURS)

    @staticmethod
    def _fists(view: Json) -> Iterator[float]:
        """For each seat how many of each colour it holds, where that is known."""
        for fist in view["fists"].values():
            yield from (fist.count(colour) / FIST if isinstance(fist, list) else 0.0 for colour in COLOURS)

    @staticmethod
    def _gone(view: Json) -> Iterator[float]:
        gone = view["gone"]
        yield from (gone.count(colour) / FIST if isinstance(gone, list) else 0.0 for colour in COLOURS)


def _actions(slots: list[tuple[str, str]], seats: int) -> Iterator[tuple[str, tuple[Any, ...]]]:
    yield from (("place", slot) for slot in slots)
    for count in range(1, (NAMED if seats == 1 else 1) + 1):
        yield from (("predict", colours) for colours in permutations(COLOURS, count))
    yield "pass", ()


def _size(fist: Any) -> int:
    return fist if isinstance(fist, int) else len(fist)


ENCODING = DaemonenEncoding
