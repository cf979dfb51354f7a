"""The board of D.21 without its dice: spaces, straight lines, and the moves that a line allows.

A space is a number, row by row from a1: ``row * size + column``. A *bit board* is an integer whose bit ``n`` stands for
space ``n``. A *line* is a whole row, column or diagonal of the board; its *pattern* is an integer whose bit ``n`` says
whether its space ``n`` is occupied. Own and opposing dice are slid up to and jumped alike, so the patterns of the four
lines through a die decide where it can go.

Everything here depends on the size of the board alone (and on whether adjacent dice may be jumped), is worked out when
it is first needed, and is shared by all games on boards of that size.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from operator import itemgetter
from typing import Any, NamedTuple

from tablier.games.core import Move

DIRECTIONS = ((1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1))
"""(column, row) steps, anticlockwise: two on is a right angle, four on is the way back, and the even ones are
orthogonal."""

_SHORT = 12  # spaces of a line whose patterns are all worked out beforehand
_PATTERNS_MAX = 2_000  # remembered for each place of a longer line
_ENTRIES_MAX = 200_000  # lists of moves remembered by each Lines, some 30 MB: a board of 10 has fewer

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
    flips: tuple[tuple[int, int], ...]
    """The same line by line: the number of a line, and what changes of its pattern."""
    near: bool
    """True if ``over`` is next to the origin, so that a jump along this path is a jump over an adjacent die."""
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
        self.lines = [(n, *self.rays[n][way]) for way in range(4) for n in spaces if not self.rays[n][way + 4]]
        """The spaces of every line, in the order of the bits of its pattern; the lines of one direction together."""
        self.on: list[list[tuple[int, int]]] = [[] for _ in spaces]
        """For each space the four lines through it: the number of the line, and which of its bits the space is."""
        for number, line in enumerate(self.lines):
            for place, space in enumerate(line):
                self.on[space].append((number, place))
        self.outer = frozenset(n for n in spaces if not all(self.rays[n]))
        self.paths = _Paths(self)
        self.moves: tuple[dict[str, Move], ...] = ({}, {}, {})
        """For each actor the moves between two spaces that were asked for so far, by their verb."""

    def _ray(self, space: int, right: int, up: int) -> Iterator[int]:
        row, column = divmod(space, self.size)
        while 0 <= (row := row + up) < self.size and 0 <= (column := column + right) < self.size:
            yield row * self.size + column

    def spaces(self, board: int) -> list[int]:
        """Return the spaces of a bit board, ascending."""
        return [n for n in range(self.size * self.size) if board >> n & 1]

    def named(self, spaces: Iterable[int]) -> list[str]:
        """Return the names of spaces."""
        return [self.names[n] for n in spaces]

    def move(self, seat: int, verb: str) -> Move:
        """Return the one :class:`Move` object of that seat and verb."""
        moves = self.moves[seat]
        try:
            return moves[verb]
        except KeyError:
            return moves.setdefault(verb, Move(seat, verb))

    def path(self, origin: int, target: int) -> Path:
        """Return the path between two spaces. Raise ``KeyError`` when no straight line joins them, or they are the
        same."""
        for ray in self.rays[origin]:
            if target in ray:
                way = ray[: ray.index(target)]
                passed = bits(way)
                over = way[-1] if way else origin
                flips: dict[int, int] = {}
                for number, place in self.on[origin] + self.on[target]:
                    flips[number] = flips.get(number, 0) | 1 << place
                return Path(
                    origin=origin,
                    target=target,
                    over=over,
                    clear=passed & ~bits([over]) | bits([target]),
                    passed=passed,
                    flip=bits([origin, target]),
                    flips=tuple(flips.items()),
                    near=len(way) == 1,
                    outer=(target in self.outer) - (origin in self.outer),
                )
        raise KeyError((origin, target))


def bits(spaces: Iterable[int]) -> int:
    """Return the bit board of spaces."""
    board = 0
    for n in spaces:
        board |= 1 << n
    return board


def is_space(text: str) -> bool:
    """Return whether a text looks like the name of a space of some board."""
    return _SPACE.fullmatch(text) is not None


def _reach(pattern: int, length: int, place: int, adjacent_jumps: bool) -> int:
    """Return how far the die on a place of a line can go both ways, as one number: ``ahead * (2 * place + 1) + back``.

    Either is twice the number of spaces that it can slide, plus 1 if it can jump the die that stops it.
    """
    ahead = back = 0
    while place + ahead + 1 < length and not pattern >> place + ahead + 1 & 1:
        ahead += 1
    while place - back > 0 and not pattern >> place - back - 1 & 1:
        back += 1
    over, behind = place + ahead + 2, place - back - 2
    jump_ahead = over < length and not pattern >> over & 1 and (ahead > 0 or adjacent_jumps)
    jump_back = behind >= 0 and not pattern >> behind & 1 and (back > 0 or adjacent_jumps)
    return (2 * ahead + jump_ahead) * (2 * place + 1) + 2 * back + jump_back


class _Reach(dict[int, int]):
    """The reach of the die on a place of a long line, by the pattern of the line."""

    __slots__ = ("_of",)

    def __init__(self, *of: Any) -> None:
        self._of = of

    def __missing__(self, pattern: int) -> int:
        if len(self) >= _PATTERNS_MAX:
            self.clear()
        reach = self[pattern] = _reach(pattern, *self._of)
        return reach


@cache
def reach_of(length: int, place: int, adjacent_jumps: bool) -> bytes | _Reach:
    """Return the reach of the die on a place of a line, by the pattern of the line: all of them if they are few."""
    if length > _SHORT:
        return _Reach(length, place, adjacent_jumps)
    # Without the die itself there is nothing to know; all numbers of short lines fit into a byte.
    patterns = range(1 << length)
    return bytes(_reach(pattern, length, place, adjacent_jumps) if pattern >> place & 1 else 0 for pattern in patterns)


class _Line(dict[int, tuple[Move, ...]]):
    """The moves of the die on a place of one line of the board along it, by its reach."""

    __slots__ = ("_line", "_lines", "_place", "_seat", "_within")

    def __init__(self, lines: Lines, seat: int, line: tuple[int, ...], place: int, within: bool) -> None:
        self._lines = lines
        self._seat = seat
        self._line = line
        self._place = place
        self._within = within

    def __missing__(self, reach: int) -> tuple[Move, ...]:
        lines, line, place = self._lines, self._line, self._place
        if lines.entries >= _ENTRIES_MAX:
            lines.forget()
        lines.entries += 1
        grid, names = lines.grid, lines.grid.names
        ahead, back = divmod(reach, 2 * place + 1)
        targets = [place + step for step in _steps(ahead)] + [place - step for step in _steps(back)]
        moves = self[reach] = tuple(
            grid.move(self._seat, f"{names[line[place]]}-{names[line[target]]}")
            for target in targets
            if not (self._within and line[target] in grid.outer)
        )
        return moves


def _steps(reach: int) -> list[int]:
    """Return how far the ends of the moves one way are."""
    slides, jump = divmod(reach, 2)
    return [*range(1, slides + 1), *[slides + 2] * jump]


Reach = bytes | _Reach
Row = tuple[int, Reach, _Line, int, Reach, _Line, int, Reach, _Line, int, Reach, _Line]
"""The four lines through a space: for each its number, the reach by its pattern, and the moves by the reach."""


class Lines:
    """The moves of single dice, by the patterns of the lines through their space.

    ``free[seat][space]`` is the :data:`Row` for a player with fewer than three dice on outer spaces;
    ``full[seat][space]`` for one with three, whose inner dice must stay on inner spaces.
    """

    def __init__(self, grid: Grid, adjacent_jumps: bool) -> None:
        self.grid = grid
        self.adjacent_jumps = adjacent_jumps
        self.entries = 0
        """The number of lists of moves that are remembered in all."""
        spaces = range(grid.size * grid.size)
        self.free = {seat: [self._row(seat, n, False) for n in spaces] for seat in (1, 2)}
        self.full = {
            seat: [self.free[seat][n] if n in grid.outer else self._row(seat, n, True) for n in spaces]
            for seat in (1, 2)
        }

    def _row(self, seat: int, space: int, within: bool) -> Row:
        row: list[Any] = []
        for number, place in self.grid.on[space]:
            line = self.grid.lines[number]
            reach = reach_of(len(line), place, self.adjacent_jumps)
            row += number, reach, _Line(self, seat, line, place, within)
        a, b, c, d, e, f, g, h, i, j, k, m = row
        return a, b, c, d, e, f, g, h, i, j, k, m

    def forget(self) -> None:
        """Drop all remembered moves, so that long campaigns on large boards stay bounded."""
        for rows in (*self.free.values(), *self.full.values()):
            for row in rows:
                for line in row[2::3]:
                    assert isinstance(line, _Line)
                    line.clear()
        self.entries = 0


@cache
def grid_of(size: int) -> Grid:
    """Return the shared board of a size."""
    return Grid(size)


@cache
def lines_of(size: int, adjacent_jumps: bool) -> Lines:
    """Return the shared moves on a board of a size."""
    return Lines(grid_of(size), adjacent_jumps)
