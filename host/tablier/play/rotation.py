"""Another game with the same people: the seat after the one that began last begins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from tablier.course.seats import Seat
from tablier.games import rules_of
from tablier.games.core import seat_name
from tablier.texts import Json

FIRST = "first"
"""The option of a game that names the seat that begins."""


class Round(NamedTuple):
    """How another game is begun."""

    options: Json
    order: tuple[int, ...]
    """The indexes of the given seats, in the order in which they sit."""


def rotated(game: str, options: Mapping[str, Any], before: Sequence[str], seats: Sequence[Seat]) -> Round:
    """Return how ``seats`` play a game again that was played by those called ``before``, with these options.

    Where lots or dice decide who begins, they decide again. In a game without the option :data:`FIRST` seat 1 begins;
    so the seats change, unless they have places, which go round the table: red sits at row 1 of D.21's board. Raise
    ``OptionError``.
    """
    rules = rules_of(game, len(before), options)
    same = tuple(range(len(seats)))
    starter = rules.options.get(FIRST, 1)
    following = (*before[starter:], *before[:starter])
    names = [seat.name for seat in seats]
    begins = next((names.index(name) for name in following if name in names), 0)
    if FIRST not in rules.OPTIONS:
        return Round(dict(options), same if any(seat.place for seat in seats) else (*same[begins:], *same[:begins]))
    if rules.prelude() is not None:
        return Round(dict(options), same)
    return Round({**options, FIRST: seat_name(begins + 1)}, same)


__all__ = ["FIRST", "Round", "rotated"]
