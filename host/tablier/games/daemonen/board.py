"""A layout made ready for play: bit masks, the points of the fields, and every placing move, made once.

A *slot* is one thing that can be placed at one spot: a ghost in a field, or a demon of one colour in one corner. Each
corner has two slots, one for each line of its crossing. A set of slots is a whole number, bit by bit.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from tablier.games.core import Move
from tablier.games.daemonen.colours import COLOURS, DEMONS, FISTS, ONE, WHITE
from tablier.games.daemonen.layout import Layout, corner_name

_BYTE = 8


class Effect(NamedTuple):
    """The effect of placing in a slot."""

    bit: int
    keeps: int
    """The slots that it does not close."""
    one: int
    """The creature that leaves the fist."""


class Field(NamedTuple):
    name: str
    points: int
    """Its corners and knots together."""
    demons: tuple[tuple[str, int], ...]
    """The slots of each colour at its corners."""


class Board:
    """The tables of one layout. Made once for each layout by :func:`board_of`."""

    def __init__(self, layout: Layout) -> None:
        self.crossings = dict(layout.crossings)
        self.corners = {
            corner_name(name, crossing): (name, crossing) for name, corners, _ in layout.fields for crossing in corners
        }
        """Each corner's field and crossing."""
        self.number_of = {
            spot: number
            for name, corners, _ in layout.fields
            for number, spot in enumerate((*(corner_name(name, crossing) for crossing in corners), name), 1)
        }
        """The number of each spot in its field, the middle last."""
        self.field_names = tuple(name for name, _, _ in layout.fields)
        self.slots: list[tuple[str, str]] = [(WHITE, name) for name in self.field_names if name != layout.outer]
        """Colour and spot of each slot, that is, the arguments of the move that fills it."""
        for colour in DEMONS:
            self.slots += [(colour, corner) for corner, (_, at) in self.corners.items() if colour in self.crossings[at]]
        self.bits = {slot: 1 << number for number, slot in enumerate(self.slots)}
        self.all = (1 << len(self.slots)) - 1
        """All slots: what is open on an empty table."""
        self.of_colour = {colour: sum(bit for (at, _), bit in self.bits.items() if at == colour) for colour in COLOURS}
        self.of_field = {
            name: sum(bit for (_, spot), bit in self.bits.items() if self.field_of(spot) == name)
            for name in self.field_names
        }
        self.reach = {fist: sum(self.of_colour[colour] for colour in colours) for fist, colours in FISTS.items()}
        """The slots of the colours in a fist."""
        self.effects = {slot: self._effect(slot) for slot in self.slots}
        self.fields = tuple(
            Field(name, len(corners) + len(knots), tuple((c, self.of_field[name] & self.of_colour[c]) for c in DEMONS))
            for name, corners, knots in layout.fields
        )
        self._bytes = -(-len(self.slots) // _BYTE)
        self._moves: dict[int, list[list[list[Move]]]] = {}
        self._reachable: dict[tuple[int, int], list[tuple[int, list[list[Move]]]]] = {}
        # (seat, fist) → the tables in which it has moves, with their numbers: at most 4 × 126 entries

    def field_of(self, spot: str) -> str:
        """Return the field that a spot, a field or a corner, belongs to."""
        return self.corners[spot][0] if spot in self.corners else spot

    def _effect(self, slot: tuple[str, str]) -> Effect:
        colour, spot = slot
        # A ghost freezes its field; a demon takes its corner.
        closes = self.of_field[spot] if colour == WHITE else sum(self.bits.get((c, spot), 0) for c in DEMONS)
        return Effect(self.bits[slot], self.all & ~closes, ONE[colour])

    def opened(self, placed: int) -> int:
        """Return the slots that are open once these are filled."""
        left = self.all
        for slot in self.slots_in(placed):
            left &= self.effects[slot].keeps
        return left

    def slots_in(self, mask: int) -> list[tuple[str, str]]:
        """Return the slots of a mask, in order."""
        return [slot for number, slot in enumerate(self.slots) if mask >> number & 1]

    def placings(self, seat: int, fist: int, opened: int) -> list[Move]:
        """Return the seat's moves that place a creature of a fist in an open slot."""
        try:
            tables = self._reachable[seat, fist]
        except KeyError:
            reach = self.reach[fist].to_bytes(self._bytes, "little")
            tables = [(number, table) for number, table in enumerate(self.moves(seat)) if reach[number]]
            self._reachable[seat, fist] = tables
        mask = (opened & self.reach[fist]).to_bytes(self._bytes, "little")
        moves: list[Move] = []
        for number, table in tables:
            moves += table[mask[number]]
        return moves

    def moves(self, seat: int) -> list[list[list[Move]]]:
        """For each eight slots, the seat's moves of each of the 256 sets of them: a byte of a mask is an index."""
        if seat not in self._moves:
            self._moves[seat] = self._tables([Move(seat, "place", slot) for slot in self.slots])
        return self._moves[seat]

    @staticmethod
    def _tables(moves: list[Move]) -> list[list[list[Move]]]:
        tables = []
        for start in range(0, len(moves), _BYTE):
            sets: list[list[Move]] = [[]]
            for move in moves[start : start + _BYTE]:
                sets += [[*chosen, move] for chosen in sets]
            tables.append(sets)
        return tables

    # -- points -----------------------------------------------------------------------------------------

    def majorities(self, placed: int) -> dict[str, str | None]:
        """Return the colour that has most demons in each field; ``None`` with a tie at the top or no demon (R-G2)."""
        return {field.name: _most(field, placed) for field in self.fields}

    def points(self, placed: int) -> dict[str, int]:
        """Return the points of each colour."""
        points = dict.fromkeys(COLOURS, 0)
        points[WHITE] = (placed & self.of_colour[WHITE]).bit_count()
        for field in self.fields:
            colour = _most(field, placed)
            if colour:
                points[colour] += field.points
        return points


def _most(field: Field, placed: int) -> str | None:
    ranked = sorted((((placed & slots).bit_count(), colour) for colour, slots in field.demons), reverse=True)
    (most, colour), (second, _) = ranked[:2]
    return colour if most > second else None


@lru_cache(maxsize=16)
def board_of(layout: Layout) -> Board:
    """Return the tables of a layout, kept: records of the same layout share them."""
    return Board(layout)


@lru_cache(maxsize=16)
def texts_of(layout: Layout, seats: int) -> dict[str, Move]:
    """Return every placing move by its notation, kept. Not to be changed."""
    tables = [table for seat in range(1, seats + 1) for table in board_of(layout).moves(seat)]
    return {str(move): move for table in tables for move in table[-1]}
