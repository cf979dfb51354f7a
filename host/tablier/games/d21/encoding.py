"""Number the actions and observations of D.21."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tablier.games.core import Rules, seat_name
from tablier.games.core.encoding import Encoding, Part, one_hot
from tablier.games.d21.rules import COLOURS, DRAW_AT, FACES, PASS, State
from tablier.texts import Json


class D21Encoding(Encoding[State]):
    """Actions are the pairs of spaces in a straight line, by the first and then by the second in the order a1, b1, …
    of the board; the last one is to pass."""

    def __init__(self, rules: Rules[State], start: Json | None) -> None:
        size = rules.options["size"]
        names = [f"{chr(ord('a') + column)}{row + 1}" for row in range(size) for column in range(size)]
        super().__init__(rules, start, [*((verb, ()) for verb in _lines(names, size)), (PASS, ())])
        self.most_actions = rules.options["max_plies"]
        self.returns_sum = 1.0
        self._index = {name: number for number, name in enumerate(names)}
        self.parts = (
            Part("turn", (2,), lambda view: [float(view["turn"] == seat_name(seat)) for seat in self.seats]),
            Part("dice", (len(COLOURS) * len(FACES), size, size), self._dice),
            Part("passed", (1,), lambda view: [float(view["passed"])]),
            Part("times", (DRAW_AT,), lambda view: one_hot(DRAW_AT, view["times"] - 1)),
            Part("ply", (1,), lambda view: [view["ply"] / self.most_actions]),
        )

    def _dice(self, view: Json) -> Iterable[float]:
        """Return a board for each colour and face, row 1 first."""
        spaces = len(self._index)
        values = [0.0] * (len(COLOURS) * len(FACES) * spaces)
        for number, colour in enumerate(COLOURS):
            for name, face in view[colour].items():
                values[(number * len(FACES) + face - 1) * spaces + self._index[name]] = 1.0
        return values


def _lines(names: list[str], size: int) -> Iterator[str]:
    for origin, start in enumerate(names):
        for target, end in enumerate(names):
            up, right = abs(target // size - origin // size), abs(target % size - origin % size)
            if origin != target and (not up or not right or up == right):
                yield f"{start}-{end}"


ENCODING = D21Encoding
