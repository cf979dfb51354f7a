"""A board of D.21 that is changed and changed back, for bots that look ahead, and what they make of a position.

It says what :class:`tablier.games.d21.rules.D21` says, but faster: no state is built, no history kept, and what a die
can do along a line is looked up by the pattern of the line. Repetitions are not seen.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

from tablier.games.d21.grid import Grid, bits, grid_of, reach_of
from tablier.games.d21.rules import COLOURS, D21, DICE, OUTER_MAX, turned
from tablier.texts import Json

_GREEN = 8  # as on the board of the rules
_SET = 100.0
"""The worth of a die that stands in one of the two sets."""
_READY, _MORE = 45.0, 12.0
"""The worth of a jump that could bring one more such die next, and each further die that could jump so."""
_COUNTED = 5
"""The most dice that count so."""
_NEXT = 0.6
"""The part of that which remains for the side that does not move next."""


class Step(NamedTuple):
    """A move of a die along a line. Made once for a board; compared by identity in practice."""

    origin: int
    target: int
    over: int
    """The space of the die that is jumped, or -1."""
    flips: tuple[tuple[int, int], ...]
    outward: int
    flip: int
    """Both spaces, as bits."""
    clear: int
    """The spaces that must be empty, as bits."""


_TURNED = [[turned(face, jumped) if face and jumped else face for jumped in range(8)] for face in range(8)]


@cache
def _useful(faces: tuple[int, ...]) -> list[tuple[int, tuple[int, ...]]]:
    """Return the faces whose dice would come into a set by a jump, each with those that they jump for that, by the
    number of times that a side shows each face."""
    useful = []
    for face in range(1, 7):
        jumped = tuple(other for other in range(1, 7) if faces[_TURNED[face][other]] < 2)
        if faces[face] > 2 and jumped:  # else its dice stand in a set already
            useful.append((face, jumped))
    return useful


@cache
def _step(grid: Grid, origin: int, target: int, over: int) -> Step:
    path = grid.path(origin, target)
    clear = path.clear if over >= 0 else path.clear | path.passed
    return Step(origin, target, over, path.flips, path.outer, path.flip, clear)


_Steps = tuple[tuple[Step, ...], tuple[Step, ...]]


class _Line(dict[int, _Steps]):
    """Slides and jumps of the die on a place of a line, by the pattern of the line.

    Patterns are many; what differs for the die is its reach, so patterns of the same reach share one value.
    """

    def __init__(self, grid: Grid, line: tuple[int, ...], place: int, adjacent_jumps: bool) -> None:
        self._of = grid, line, place
        self._reach = reach_of(len(line), place, adjacent_jumps)
        self._by_reach: dict[int, _Steps] = {}

    def __missing__(self, pattern: int) -> _Steps:
        reach = self._reach[pattern]
        steps = self._by_reach.get(reach)
        if steps is None:
            steps = self._by_reach[reach] = self._steps(reach)
        self[pattern] = steps
        return steps

    def _steps(self, reach: int) -> _Steps:
        grid, line, place = self._of
        ahead, back = divmod(reach, 2 * place + 1)
        slides, jumps = [], []
        for way, far in ((1, ahead), (-1, back)):
            free, jump = divmod(far, 2)
            slides += [_step(grid, line[place], line[place + way * n], -1) for n in range(1, free + 1)]
            if jump:
                over = line[place + way * (free + 1)]
                jumps.append(_step(grid, line[place], line[place + way * (free + 2)], over))
        return tuple(slides), tuple(jumps)


@cache
def _lines(size: int, adjacent_jumps: bool) -> list[list[tuple[int, _Line]]]:
    """For each space the four lines through it, each with its number."""
    grid = grid_of(size)
    return [
        [(number, _Line(grid, grid.lines[number], place, adjacent_jumps)) for number, place in grid.on[space]]
        for space in range(size * size)
    ]


class _Over(dict[int, int]):
    """The spaces of the dice that the die on a place of a line could jump along it, as bits, by the pattern of the
    line. ``within``: where it must stay on inner spaces."""

    def __init__(self, line: _Line, within: bool) -> None:
        self._line = line
        self._within = within

    def __missing__(self, pattern: int) -> int:
        jumps = [step for step in self._line[pattern][1] if not (self._within and step.outward == 1)]
        over = self[pattern] = bits(step.over for step in jumps)
        return over


@cache
def _near(grid: Grid) -> list[int]:
    """For each space its neighbours, as bits."""
    return [bits(ray[0] for ray in rays if ray) for rays in grid.rays]


_Jumps = tuple[int, _Over, int, _Over, int, _Over, int, _Over]
"""The four lines through a space, each with its number."""
_Hope = tuple[int, int, int, _Over, int, _Over, int, _Over, int, _Over]
"""The space of a die, the spaces of the dice it would like to jump, as bits, and the lines through it."""


@cache
def _jumps(size: int, adjacent_jumps: bool) -> list[list[_Jumps]]:
    """For each space the four lines through it, each with its number; then the same for dice that must stay inside."""

    def jumps(rows: list[tuple[int, _Line]], within: bool) -> _Jumps:
        a, b, c, d = ((number, _Over(line, within)) for number, line in rows)
        return *a, *b, *c, *d

    return [[jumps(rows, within) for rows in _lines(size, adjacent_jumps)] for within in (False, True)]


class Board:
    """A :class:`tablier.games.core.search.Board`. Side 0 is red, side 1 green."""

    def __init__(self, rules: D21, view: Json, seat: int) -> None:
        grid = rules.grid
        self._rules = rules
        self._rows = _lines(grid.size, rules.options["adjacent_jumps"])
        self._jumps = _jumps(grid.size, rules.options["adjacent_jumps"])
        self._outer = grid.outer
        self._near = _near(grid)
        self.turn = seat - 1
        self.cells = bytearray(grid.size**2)
        self.dice: list[list[int]] = [[], []]
        self.faces = [[0] * 7, [0] * 7]
        """The number of times that each side shows each face."""
        self.spaces = [[0] * 7, [0] * 7]
        """The spaces on which each side shows each face, as bits."""
        for side, colour in enumerate(COLOURS):
            for space, face in view[colour].items():
                self.cells[grid.index[space]] = face + _GREEN * side
                self.dice[side].append(grid.index[space])
                self.faces[side][face] += 1
                self.spaces[side][face] |= 1 << grid.index[space]
            self.dice[side].sort()
        self.sets = [sum(min(2, count) for count in faces) for faces in self.faces]
        """The number of dice of each side that could stand in two sets."""
        self.occupied = bits(self.dice[0] + self.dice[1])
        self.lines = [sum(1 << place for place, space in enumerate(line) if self.cells[space]) for line in grid.lines]
        self.outside = [sum(space in self._outer for space in dice) for dice in self.dice]
        self._row = False
        self._past: list[tuple[Step, int, int, bool]] = []

    def result(self) -> int | None:
        return -1 if self._row or self.sets[1 - self.turn] == DICE else None

    def moves(self) -> list[Step]:
        side, lines, cells, rows = self.turn, self.lines, self.cells, self._rows
        full = self.outside[side] >= OUTER_MAX
        faces, theirs = self.faces[side], 1 - side
        gains: list[Step] = []
        quiet: list[Step] = []
        losses: list[Step] = []
        for space in self.dice[side]:
            face = cells[space] & 7
            found: list[Step] = []
            for number, line in rows[space]:
                slides, jumps = line[lines[number]]
                found += slides
                for step in jumps:
                    jumped = cells[step.over]
                    if jumped >> 3 != theirs:
                        found.append(step)
                        continue
                    if full and step.outward == 1:
                        continue
                    landed = _TURNED[face][jumped & 7]
                    gain = 0 if landed == face else (faces[landed] < 2) - (faces[face] <= 2)
                    (gains if gain > 0 else quiet if gain == 0 else losses).append(step)
            quiet += [step for step in found if step.outward != 1] if full else found
        return gains + quiet + losses

    def allows(self, step: Step) -> bool:
        die = self.cells[step.origin]
        return bool(
            die
            and die >> 3 == self.turn
            and not self.occupied & step.clear
            and (step.over < 0 or self.cells[step.over])
            and not (step.outward == 1 and self.outside[self.turn] >= OUTER_MAX)
        )

    def push(self, step: Step) -> None:
        origin, target, over, flips, outward, flip, _ = step
        side, cells = self.turn, self.cells
        die = cells[origin]
        landed = die
        if over >= 0:
            jumped = cells[over]
            if jumped >> 3 != side:
                face, new = die & 7, _TURNED[die & 7][jumped & 7]
                if new != face:
                    faces = self.faces[side]
                    self.sets[side] += (faces[new] < 2) - (faces[face] <= 2)
                    faces[face] -= 1
                    faces[new] += 1
                    landed = die - face + new
        spaces = self.spaces[side]
        if landed == die:
            spaces[die & 7] ^= flip
        else:
            spaces[die & 7] ^= 1 << origin
            spaces[landed & 7] ^= 1 << target
        cells[origin] = 0
        cells[target] = landed
        dice = self.dice[side]
        dice[dice.index(origin)] = target
        lines = self.lines
        for number, change in flips:
            lines[number] ^= change
        self.occupied ^= flip
        self.outside[side] += outward
        self._past.append((step, die, landed, self._row))
        self._row = self._may_complete(target, landed & 7) and bool(self._rules.row_through(bytes(cells), target))
        self.turn = 1 - side

    def pop(self) -> None:
        step, die, landed, self._row = self._past.pop()
        origin, target, _, flips, outward, flip, _ = step
        side = self.turn = 1 - self.turn
        cells, lines = self.cells, self.lines
        cells[target] = 0
        cells[origin] = die
        dice = self.dice[side]
        dice[dice.index(target)] = origin
        for number, change in flips:
            lines[number] ^= change
        self.occupied ^= flip
        self.outside[side] -= outward
        spaces = self.spaces[side]
        if landed == die:
            spaces[die & 7] ^= flip
        else:
            faces, face, new = self.faces[side], die & 7, landed & 7
            spaces[face] ^= 1 << origin
            spaces[new] ^= 1 << target
            faces[new] -= 1
            faces[face] += 1
            self.sets[side] -= (faces[new] < 2) - (faces[face] <= 2)

    def value(self) -> float:
        """Return how much farther the side to move is on the way to two sets, with what jumps could bring next."""
        side = self.turn
        mine, theirs = self._ready(side), self._ready(1 - side)
        if mine and self.sets[side] == DICE - 1:
            return _SET * DICE  # it wins with its next move
        return _SET * (self.sets[side] - self.sets[1 - side]) + _promise(mine) - _NEXT * _promise(theirs)

    def _ready(self, side: int) -> int:
        """Return how many dice of a side could jump into its sets; :data:`_COUNTED` of them at most."""
        lines, ready = self.lines, 0
        for _, want, a, over_a, b, over_b, c, over_c, d, over_d in self._hopeful(side):
            if (over_a[lines[a]] | over_b[lines[b]] | over_c[lines[c]] | over_d[lines[d]]) & want:
                ready += 1
                if ready == _COUNTED:
                    break
        return ready

    def _hopeful(self, side: int) -> list[_Hope]:
        """Return the dice of a side that would come into its sets if they jumped one of the other's."""
        cells, jumps = self.cells, self._jumps[self.outside[side] >= OUTER_MAX]
        theirs = self.spaces[1 - side]
        wanted = [0] * 7
        for face, over in _useful(tuple(self.faces[side])):
            for jumped in over:
                wanted[face] |= theirs[jumped]
        return [(space, want, *jumps[space]) for space in self.dice[side] if (want := wanted[cells[space] & 7])]

    def outlook(self) -> Callable[[Step, float], bool]:
        """Return what the protocol says.

        A die that keeps its face is moved on the lines alone, and what jumps could bring next is counted. Of one that
        turns the gain is known; jumps are taken to bring the most that they can.
        """
        side, cells, lines, jumps = self.turn, self.cells, self.lines, self._jumps
        mine, theirs = self._hopeful(side), self._hopeful(1 - side)
        sets, faces, outside = self.sets[side], self.faces[side], self.outside[side]
        now = _SET * (sets - self.sets[1 - side])
        most, kept = _NEXT * _promise(_COUNTED), _NEXT * _promise(min(_COUNTED, len(mine)))
        rows = self._could_complete()

        def may_exceed(step: Step, worth: float) -> bool:
            origin, target, over, flips, outward, flip, _ = step
            face = landed = cells[origin] & 7
            if over >= 0 and (jumped := cells[over]) >> 3 != side:
                landed = _TURNED[face][jumped & 7]
            gain = 0 if landed == face else (faces[landed] < 2) - (faces[face] <= 2)
            if sets + gain == DICE or rows[landed] >> target & 1:
                return True
            if landed != face:
                return now + _SET * gain + most > worth
            if now + kept <= worth:
                return False
            for line, change in flips:
                lines[line] ^= change
            ready = 0
            for _, want, a, over_a, b, over_b, c, over_c, d, over_d in theirs:
                if want & flip:  # the die that moves is wanted where it lands
                    want ^= flip
                if (over_a[lines[a]] | over_b[lines[b]] | over_c[lines[c]] | over_d[lines[d]]) & want:
                    ready += 1
                    if ready == _COUNTED:
                        break
            after = now - _promise(ready)
            if after + kept > worth:
                rows_of = jumps[outside + outward >= OUTER_MAX]
                ready = 0
                for space, want, *_ in mine:
                    a, over_a, b, over_b, c, over_c, d, over_d = rows_of[target if space == origin else space]
                    if (over_a[lines[a]] | over_b[lines[b]] | over_c[lines[c]] | over_d[lines[d]]) & want:
                        ready += 1
                        if ready == _COUNTED:
                            break
                after += _NEXT * _promise(ready)
            else:
                after = worth
            for line, change in flips:
                lines[line] ^= change
            return after > worth

        return may_exceed

    def _could_complete(self) -> list[int]:
        """Return for each face the spaces, as bits, where a die that shows it could complete a row of six: beside them
        dice lead on to 6 and down to 1, with however many angles."""
        red, green = self.spaces
        everywhere = (1 << len(self.cells)) - 1
        up, down = [everywhere] * 7, [everywhere] * 7
        for face in range(5, 0, -1):
            up[face] = self._beside(up[face + 1] & (red[face + 1] | green[face + 1]))
        for face in range(2, 7):
            down[face] = self._beside(down[face - 1] & (red[face - 1] | green[face - 1]))
        return [rising & falling for rising, falling in zip(up, down, strict=True)]

    def _beside(self, spaces: int) -> int:
        """Return the neighbours of spaces, all as bits."""
        near, beside = self._near, 0
        while spaces:
            beside |= near[(spaces & -spaces).bit_length() - 1]
            spaces &= spaces - 1
        return beside

    def _may_complete(self, space: int, face: int) -> bool:
        """Return whether beside a die that shows a face one shows the next and one the face before, as in a row."""
        near, (red, green) = self._near[space], self.spaces
        return bool(
            (face == 6 or near & (red[face + 1] | green[face + 1]))
            and (face == 1 or near & (red[face - 1] | green[face - 1]))
        )


def _promise(ready: int) -> float:
    return _READY + _MORE * (ready - 1) if ready else 0.0
