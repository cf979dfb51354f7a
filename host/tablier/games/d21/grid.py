"""The board of D.21 without its dice: spaces, straight lines, and the moves that a line allows.

A space is a number, row by row from a1: ``row * size + column``. A *bit board* is an integer whose bit ``n`` stands for
space ``n``. Everything here depends on the size of the board alone (and on whether adjacent dice may be jumped), is
worked out when it is first needed, and is shared by all games on boards of that size.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from operator import itemgetter
from typing import NamedTuple

from tablier.games.core import Move

DIRECTIONS = ((1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1))
"""(column, row) steps, anticlockwise: two on is a right angle, four on is the way back, and the even ones are
orthogonal."""

_ENTRIES_MAX = 300_000  # patterns remembered by each Lines, some 30 MB: no board of 10 has met so many

_SPACE = re.compile("[a-z][1-9][0-9]?")


class Path(NamedTuple):
    """The straight way from one space to another."""

    origin: int
    target: int
    over: int
    """The space right before the target, where a die may be jumped; the origin itself when the target is next to it."""
    clear: int
    """Bit board of what must be empty: the target, and all that is passed but ``over``."""
    passed: int
    """Bit board of all spaces strictly between."""
    flip: int
    """Bit board of origin and target: what a move along this path changes."""
    near: bool
    """Whether ``over`` is next to the origin, so that a jump along this path is a jump over an adjacent die."""
    outer: int
    """By how much a move changes the number of dice on outer spaces: -1, 0 or 1."""


class _Paths(dict[str, Path]):
    """``"c3-c6"`` → its path; ``KeyError`` for all that is not two spaces of the board in a straight line."""

    def __init__(self, grid: Grid) -> None:
        self._grid = grid

    def __missing__(self, verb: str) -> Path:
        origin, _, target = verb.partition("-")
        path = self[verb] = self._grid.path(self._grid.index[origin], self._grid.index[target])
        return path


class Grid:
    """A square board of ``size`` × ``size`` spaces."""

    def __init__(self, size: int) -> None:
        self.size = size
        spaces = range(size * size)
        self.names = [f"{chr(ord('a') + n % size)}{n // size + 1}" for n in spaces]
        self.index = {name: n for n, name in enumerate(self.names)}
        self.rays = [[tuple(self._ray(n, *step)) for step in DIRECTIONS] for n in spaces]
        """For each space the spaces in each of :data:`DIRECTIONS`, nearest first."""
        self.around: list[Callable[[bytes], tuple[int, ...]]] = [
            itemgetter(*(ray[0] for ray in self.rays[n] if ray)) for n in spaces
        ]
        """For each space a function that picks what lies on its neighbours."""
        self.outer = frozenset(n for n in spaces if not all(self.rays[n]))
        self.paths = _Paths(self)
        self._moves: tuple[dict[str, Move], ...] = ({}, {}, {})

    def _ray(self, space: int, right: int, up: int) -> Iterator[int]:
        row, column = divmod(space, self.size)
        while 0 <= (row := row + up) < self.size and 0 <= (column := column + right) < self.size:
            yield row * self.size + column

    def spaces(self, board: int) -> list[int]:
        """The spaces of a bit board, ascending."""
        return [n for n in range(self.size * self.size) if board >> n & 1]

    def named(self, spaces: Iterable[int]) -> list[str]:
        """The names of spaces."""
        return [self.names[n] for n in spaces]

    def move(self, seat: int, verb: str) -> Move:
        """The one :class:`Move` object of that seat and verb."""
        moves = self._moves[seat]
        try:
            return moves[verb]
        except KeyError:
            return moves.setdefault(verb, Move(seat, verb))

    def path(self, origin: int, target: int) -> Path:
        """The path between two spaces. Raises ``KeyError`` when no straight line joins them, or they are the same."""
        for ray in self.rays[origin]:
            if target in ray:
                way = ray[: ray.index(target)]
                passed = bits(way)
                over = way[-1] if way else origin
                return Path(
                    origin=origin,
                    target=target,
                    over=over,
                    clear=passed & ~bits([over]) | bits([target]),
                    passed=passed,
                    flip=bits([origin, target]),
                    near=len(way) == 1,
                    outer=(target in self.outer) - (origin in self.outer),
                )
        raise KeyError((origin, target))


def bits(spaces: Iterable[int]) -> int:
    """The bit board of spaces."""
    board = 0
    for n in spaces:
        board |= 1 << n
    return board


def is_space(text: str) -> bool:
    """Whether a text looks like the name of a space of some board."""
    return _SPACE.fullmatch(text) is not None


class _Line(dict[int, tuple[Move, ...]]):
    """What the die on one space may do along one line: the bits of the line's dice → its moves, both ways.

    Own and opposing dice are slid up to and jumped alike, so the pattern of occupied spaces decides alone.
    """

    __slots__ = ("_lines", "_rays", "_seat", "_within")

    def __init__(self, lines: Lines, seat: int, rays: tuple[tuple[int, ...], ...], within: bool) -> None:
        self._lines = lines
        self._seat = seat
        self._rays = rays  # each begins with the space itself
        self._within = within

    def __missing__(self, occupied: int) -> tuple[Move, ...]:
        lines = self._lines
        if lines.entries >= _ENTRIES_MAX:
            lines.forget()
        grid, seat = lines.grid, self._seat
        moves = lines.shared(
            tuple(
                grid.move(seat, f"{grid.names[ray[0]]}-{grid.names[target]}")
                for ray in self._rays
                for target in _reach(ray, occupied, lines.adjacent_jumps)
                if not (self._within and target in grid.outer)
            )
        )
        self[occupied] = moves
        lines.entries += 1
        return moves


def _reach(ray: tuple[int, ...], occupied: int, adjacent_jumps: bool) -> Iterator[int]:
    """Where a die at the beginning of a ray may go along it: by slides, then by the one jump if there is one."""
    for place in range(1, len(ray)):
        if not occupied >> ray[place] & 1:
            yield ray[place]
            continue
        behind = ray[place + 1 : place + 2]
        if behind and not occupied >> behind[0] & 1 and (place > 1 or adjacent_jumps):
            yield behind[0]
        return


Row = tuple[int, _Line, int, _Line, int, _Line, int, _Line]
"""The four lines through a space: for each the bit board of its spaces, and the moves by what is occupied of them."""


class Lines:
    """The moves of single dice, by the dice on the lines through their space.

    ``free[seat][space]`` is the :data:`Row` for a player with fewer than three dice on outer spaces;
    ``full[seat][space]`` for one with three, whose inner dice must stay on inner spaces.
    """

    def __init__(self, grid: Grid, adjacent_jumps: bool) -> None:
        self.grid = grid
        self.adjacent_jumps = adjacent_jumps
        self.entries = 0
        """How many patterns are remembered in all."""
        self._shared: dict[tuple[Move, ...], tuple[Move, ...]] = {}
        spaces = range(grid.size * grid.size)
        self.free = {seat: [self._row(seat, n, False) for n in spaces] for seat in (1, 2)}
        self.full = {
            seat: [self.free[seat][n] if n in grid.outer else self._row(seat, n, True) for n in spaces]
            for seat in (1, 2)
        }

    def _row(self, seat: int, space: int, within: bool) -> Row:
        rays = [(space, *ray) for ray in self.grid.rays[space]]
        masks = [bits(rays[way] + rays[way + 4]) for way in range(4)]
        a, b, c, d = (_Line(self, seat, (rays[way], rays[way + 4]), within) for way in range(4))
        return masks[0], a, masks[1], b, masks[2], c, masks[3], d

    def shared(self, moves: tuple[Move, ...]) -> tuple[Move, ...]:
        """The one tuple of those moves: many patterns allow the same."""
        return self._shared.setdefault(moves, moves)

    def forget(self) -> None:
        """Drops all remembered patterns, so that long campaigns on large boards stay bounded."""
        for rows in (*self.free.values(), *self.full.values()):
            for row in rows:
                for line in row[1::2]:
                    assert isinstance(line, _Line)
                    line.clear()
        self._shared.clear()
        self.entries = 0


@cache
def grid_of(size: int) -> Grid:
    """The shared board of a size."""
    return Grid(size)


@cache
def lines_of(size: int, adjacent_jumps: bool) -> Lines:
    """The shared moves on a board of a size."""
    return Lines(grid_of(size), adjacent_jumps)
