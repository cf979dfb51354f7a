"""D.21, 2 seats: twelve red dice against twelve green ones that are moved and turned, never thrown.

What follows which passage of the rulebook:

* slides and jumps, and how a jump turns the jumper: *C* and *D*; dice on outer spaces: *E*;
* a row of six: *F* and *G*; two sets: *H*.

The rulings R-T1 to R-T7 are in ``README.md`` beside this file.

Moves: ``pN FROM-TO`` (``p1 c3-c6``), ``pN pass``.

What limits the speed: listing the moves takes four look-ups a die, one for each line through its space, by the pattern
of occupied spaces on that line (:class:`tablier.games.d21.grid.Lines`); that is 48 look-ups and one list of some 170
moves a decision, whatever the size of the board. Playing a move takes about as long: it copies a board of one byte a
space, the patterns of all lines and a handful of short tuples, and looks whether the die that moved makes a row.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from typing import Any, NamedTuple

from tablier.games.core import (
    GAME_OVER,
    MISSING,
    ON_TURN,
    TABLE,
    Event,
    MalformedMove,
    Move,
    Option,
    OptionError,
    Rules,
    parse_seat,
    seat_name,
    shown,
)
from tablier.games.d21.grid import Grid, Path, bits, grid_of, is_space, lines_of
from tablier.texts import TRUE_OR_FALSE, Json, Text, TextError, Typed, Who, all_of, clauses, counted

SIZES = range(7, 27)
FACES = range(1, 7)
COLOURS = ("red", "green")
SIDES = {"red": Text("red", context="side"), "green": Text("green", context="side")}
"""By colour: its name."""
"""The dice of seat 1 and of seat 2."""
DICE = 12
OUTER_MAX = 3
DRAW_AT = 3
"""The same position with the same player to move for this time is a draw."""

PASS = "pass"
_EXAMPLE = '{"red": {"c2": 1, …}, "green": {…}}'
"""A setup, as it is written."""

_FAULTS_MAX = 30  # of a setup that are named in one error

ROW, SETS, REPETITION, PASSES, MAX_PLIES = "row", "sets", "repetition", "passes", "max_plies"
WINS = (ROW, SETS)
DRAWS = (REPETITION, PASSES, MAX_PLIES)

_GREEN = 8
"""Added to the face of a green die on the board: a die is ``face`` or ``face + 8``, an empty space 0."""

_PASSES = {seat: Move(seat, PASS) for seat in (1, 2)}

_TWO_SETS = sum(2 << 4 * face for face in FACES)
"""Faces are counted in four bits each: twelve dice are two sets when each count is 2."""

_BRANCHES = 16
Seen = tuple[tuple[tuple[bytes, ...], ...], ...]
"""Boards that have occurred, with repeats: a tree of two levels, the leaves sorted. A new board shares all of the old
tree but one branch and one leaf."""
_NO_POSITIONS: Seen = (((),) * _BRANCHES,) * _BRANCHES


class State(NamedTuple):
    """All there is to know of a game of D.21. Seat ``n`` is at index ``n - 1``."""

    turn: int
    """The seat to move. The other one has just moved, and won if the game is won."""
    ply: int
    """The number of moves made, passes included."""
    board: bytes
    """The die on each space."""
    passed: bool
    """True if the last move was a pass."""
    ending: str
    """The reason why the game is over; ``""`` while it runs."""
    seen: tuple[Seen, Seen]
    """All boards since the start, this one included, by the seat that was to move then (R-T5)."""
    dice: tuple[tuple[int, ...], tuple[int, ...]]
    """Worked out from the board, as all that follows: the spaces of each seat's dice, ascending."""
    occupied: int
    """Bit board of all dice."""
    lines: tuple[int, ...]
    """The pattern of occupied spaces on each line of the grid."""
    faces: tuple[int, int]
    """The number of times that each seat's dice show each face, counted in the four bits from bit ``4 * face``."""
    outer: tuple[int, int]
    """The number of each seat's dice on outer spaces."""


def turned(face: int, jumped: int) -> int:
    """Return the face that a die shows after jumping an opposing one.

    The sum if it is at most 6, else the difference; equal numbers that sum to more leave the die as it is.
    """
    total = face + jumped
    return total if total <= 6 else abs(face - jumped) or face


@cache
def in_sets(faces: int) -> int:
    """Return how many of the dice with these faces, as a state counts them, could stand in two sets of 1 to 6."""
    return sum(min(2, faces >> 4 * face & 15) for face in FACES)


def _landing() -> bytes:
    """``die << 4 | what it passed last`` → the die as it lands; an own die or nothing leaves it as it is."""
    table = bytearray(die for die in range(16) for _ in range(16))
    for mine, theirs in ((0, _GREEN), (_GREEN, 0)):
        for face in FACES:
            for jumped in FACES:
                table[(face + mine) << 4 | jumped + theirs] = turned(face, jumped) + mine
    return bytes(table)


_LANDING = _landing()


def _add(seen: Seen, board: bytes, occupied: int) -> tuple[int, Seen]:
    """Return how often a board has occurred with this time, and the boards that have occurred with it."""
    # The bit board modulo a prime spreads positions well and, unlike a hash of bytes, equally in every process.
    high, low = divmod(occupied % 227, _BRANCHES)
    root = list(seen)
    branch = list(root[high])
    leaf = branch[low]
    times = 1
    if leaf:
        at = bisect_right(leaf, board)
        while at >= times and leaf[at - times] == board:
            times += 1
        branch[low] = (*leaf[:at], board, *leaf[at:])
    else:
        branch[low] = (board,)
    root[high] = tuple(branch)
    return times, tuple(root)


def _standard_setup() -> Json:
    return {
        "red": {f"{column}{row}": 1 for row in (2, 3) for column in "cdefgh"},
        "green": {f"{column}{row}": 1 for row in (9, 8) for column in "cdefgh"},
    }


def _size(value: Any, seats: int) -> int:
    if type(value) is int and value in SIZES:
        return value
    raise TextError("a whole number from {least} to {most}", least=SIZES[0], most=SIZES[-1])


def _truth(value: Any, seats: int) -> bool:
    if type(value) is bool:
        return value
    raise TextError(TRUE_OR_FALSE)


def _max_plies(value: Any, seats: int) -> int:
    if type(value) is int and value >= 1:
        return value
    raise TextError("a whole number from {least}", least=1)


def _any(value: Any, seats: int) -> Any:
    return value


class D21(Rules[State]):
    name = "d21"
    title = "D.21"
    seat_counts = (2,)
    OPEN_EVENTS = True
    OPEN_VIEWS = True
    OPTIONS = {
        "size": Option(
            10, _size, Text("spaces a side, from 7 to 26, the outer ones included; any size but 10 needs a setup")
        ),
        # A setup is checked when the size is known, by the constructor.
        "setup": Option(_standard_setup(), _any, Text("the dice at the start, {example}", {"example": _EXAMPLE})),
        "adjacent_jumps": Option(True, _truth, Text("whether a die on an adjacent space may be jumped")),
        "max_plies": Option(
            400, _max_plies, Text("moves, passes included, after which a game without a winner is a draw")
        ),
    }

    def __init__(self, seats: int, options: Mapping[str, Any] | None = None) -> None:
        super().__init__(seats, options)
        size, setup = self.options["size"], self.options["setup"]
        if size != 10 and "setup" not in self.given:
            raise OptionError("option size is {size}; allowed: 10, or another size together with a setup", size=size)
        self.grid: Grid = grid_of(size)
        if faults := self._faults_of_setup(setup):
            raise OptionError("option setup is not allowed: {faults}", faults=clauses(faults, _FAULTS_MAX))
        setup = {colour: dict(setup[colour]) for colour in COLOURS}
        self.options["setup"] = setup
        if "setup" in self.given:
            self.given["setup"] = {colour: dict(dice) for colour, dice in setup.items()}
        lines = lines_of(size, self.options["adjacent_jumps"])
        self._free, self._full = lines.free, lines.full
        self._adjacent_jumps: bool = self.options["adjacent_jumps"]
        self._max_plies: int = self.options["max_plies"]
        self._start = self._state(1, 0, self._board(setup), False, "", (_NO_POSITIONS, _NO_POSITIONS))
        _, seen = _add(_NO_POSITIONS, self._start.board, self._start.occupied)
        self._start = self._start._replace(seen=(seen, _NO_POSITIONS))

    def __reduce__(self) -> tuple[Any, ...]:
        """Copies and pickles are made anew from what was given: the tables of a board are large, and shared."""
        return type(self), (self.seats, self.given)

    def _faults_of_setup(self, setup: object) -> list[Text]:
        """Return the faults of a setup: its form, and what R-T4 and R-T7 forbid."""
        if not isinstance(setup, dict):
            return [Text("a setup is an object with red and green, not {setup}", {"setup": shown(setup)})]
        faults = [MISSING.of(key=colour) for colour in COLOURS if colour not in setup]
        faults += [
            Text("{key} is not known; a setup has red and green", {"key": shown(key)})
            for key in setup
            if key not in COLOURS
        ]
        taken: set[str] = set()
        for colour in COLOURS:
            if colour not in setup:
                continue
            dice = setup[colour]
            if not isinstance(dice, dict):
                faults.append(
                    Text(
                        "{colour} is an object of spaces and faces, not {dice}", {"colour": colour, "dice": shown(dice)}
                    )
                )
                continue
            for space, face in dice.items():
                if space not in self.grid.index:
                    faults.append(
                        Text(
                            "{colour} has a die on {space}; {extent}",
                            {"colour": colour, "space": shown(space), "extent": self._extent()},
                        )
                    )
                if space in taken:
                    faults.append(Text("two dice are on {space}", {"space": shown(space)}))
                if type(face) is not int or face not in FACES:
                    faults.append(
                        Text(
                            "the {colour} die on {space} shows {face}; dice show 1 to 6",
                            {"colour": colour, "space": shown(space), "face": shown(face)},
                        )
                    )
            taken.update(dice)
            faults += _faults_of_dice(colour, dice, self._outer_of(dice))
        if not faults and _count_faces(self._board(setup), 2) == _TWO_SETS:
            faults.append(Text("green shows two sets of 1 to 6 already, but red begins"))
        return faults

    def _extent(self) -> Text:
        return Text("the spaces are a1 to {last}", {"last": self.grid.names[-1]})

    def _outer_of(self, dice: Mapping[str, int]) -> int:
        return sum(self.grid.index.get(space) in self.grid.outer for space in dice)

    def _board(self, setup: Json) -> bytes:
        board = bytearray(self.grid.size**2)
        for colour, shift in zip(COLOURS, (0, _GREEN), strict=True):
            for space, face in setup[colour].items():
                board[self.grid.index[space]] = face + shift
        return bytes(board)

    def _state(self, turn: int, ply: int, board: bytes, passed: bool, ending: str, seen: tuple[Seen, Seen]) -> State:
        """Return the state with all that is worked out from its board."""
        dice = _dice(board, 1), _dice(board, 2)
        outer = [sum(space in self.grid.outer for space in mine) for mine in dice]
        return State(
            turn=turn,
            ply=ply,
            board=board,
            passed=passed,
            ending=ending,
            seen=seen,
            dice=dice,
            occupied=bits(dice[0] + dice[1]),
            lines=tuple(
                sum(1 << place for place, space in enumerate(line) if board[space]) for line in self.grid.lines
            ),
            faces=(_count_faces(board, 1), _count_faces(board, 2)),
            outer=(outer[0], outer[1]),
        )

    def initial(self) -> State:
        return self._start

    # -- whose move, and which ------------------------------------------------------------------

    def to_move(self, state: State) -> tuple[int, ...]:
        return () if state.ending else (state.turn,)

    def legal(self, state: State) -> list[Move]:
        if state.ending:
            return []
        return self._moves(state) or [_PASSES[state.turn]]

    def _moves(self, state: State) -> list[Move]:
        """Return every slide and jump of the seat to move."""
        turn, _, _, _, _, _, dice, _, lines, _, outer = state
        rows = (self._full if outer[turn - 1] >= OUTER_MAX else self._free)[turn]
        moves: list[Move] = []
        for space in dice[turn - 1]:
            a, reach_a, moves_a, b, reach_b, moves_b, c, reach_c, moves_c, d, reach_d, moves_d = rows[space]
            moves += moves_a[reach_a[lines[a]]]
            moves += moves_b[reach_b[lines[b]]]
            moves += moves_c[reach_c[lines[c]]]
            moves += moves_d[reach_d[lines[d]]]
        return moves

    def refuse(self, state: State, move: Move) -> Text | None:
        actor, verb, _ = move
        turn, _, board, _, ending, _, _, occupied, _, _, outer = state
        if ending:
            return GAME_OVER
        if actor != turn:
            return ON_TURN.of(who=Who(turn))
        try:
            path = self.grid.paths[verb]
        except KeyError:
            return self._refuse_without_path(state, verb)
        die = board[path.origin]
        if (
            die
            and die >> 3 == turn - 1
            and not occupied & path.clear
            and not (path.near and not self._adjacent_jumps and board[path.over])
            and not (path.outer == 1 and outer[turn - 1] >= OUTER_MAX)
        ):
            return None
        return self._refuse_path(state, path)

    def _refuse_without_path(self, state: State, verb: str) -> Text | None:
        if verb == PASS:
            moves = self._moves(state)
            if not moves:
                return None
            one = "{who} passes only when no die can move; {count} move is legal, {first}"
            many = "{who} passes only when no die can move; {count} moves are legal, such as {first}"
            return counted(len(moves), one, many, who=Who(state.turn), first=moves[0].typed)
        origin, _, target = verb.partition("-")
        if origin == target:
            return Text("a die that moves ends on another space")
        about = {"origin": origin, "target": target}
        return Text("{origin} and {target} are not in one straight line (orthogonal or diagonal)", about)

    def _refuse_path(self, state: State, path: Path) -> Text:
        """Return why a die may not move along a path, the first reason that a player would name."""
        names, turn = self.grid.names, state.turn
        die = state.board[path.origin]
        origin, target = names[path.origin], names[path.target]
        if not die:
            return Text("there is no die on {space}", {"space": origin})
        if die >> 3 != turn - 1:
            return Text("the die on {space} is {who}'s", {"space": origin, "who": Who(3 - turn)})
        if state.occupied >> path.target & 1:
            return Text("there is a die on {space} already", {"space": target})
        between = self.grid.spaces(state.occupied & path.passed)
        if len(between) > 1:
            about = {"count": len(between), "spaces": all_of(self.grid.named(between))}
            return Text("a die jumps over one die, not over {count} (on {spaces})", about)
        if between and between[0] != path.over:
            about = {"over": names[between[0]], "target": target}
            return Text("a die that jumps over the one on {over} lands right behind it, not on {target}", about)
        if between and path.near and not self._adjacent_jumps:
            text = "the die on {space} is adjacent, and adjacent dice are not jumped in this game"
            return Text(text, {"space": names[path.over]})
        about = {"who": Who(turn), "most": OUTER_MAX, "space": target}
        return Text("{who} has {most} dice on outer spaces, and {space} would be one more", about)

    # -- what a move does -------------------------------------------------------------------------

    def apply(self, state: State, move: Move) -> State:
        turn, ply, board, passed, _, seen, dice, occupied, lines, faces, outer = state
        mine = turn - 1
        ending = ""
        verb = move[1]
        if verb == PASS:
            if passed:
                ending = PASSES
            passed = True
        else:
            passed = False
            origin, target, over, _, _, flip, flips, _, outward = self.grid.paths[verb]
            cells = bytearray(board)
            die = cells[origin]
            landed = _LANDING[die << 4 | cells[over]]
            cells[origin] = 0
            cells[target] = landed
            board = bytes(cells)
            occupied ^= flip
            patterns = list(lines)
            for line, change in flips:
                patterns[line] ^= change
            lines = tuple(patterns)
            own = _moved(dice[mine], origin, target)
            dice = (dice[0], own) if mine else (own, dice[1])
            if landed != die:
                count = faces[mine] + (1 << 4 * (landed & 7)) - (1 << 4 * (die & 7))
                faces = (faces[0], count) if mine else (count, faces[1])
            if outward:
                number = outer[mine] + outward
                outer = (outer[0], number) if mine else (number, outer[1])
            # Later than at the start, a row that stands now has the die that moved in it.
            if self.row(board) if ply < 2 else self.row_through(board, target):
                ending = ROW
            elif faces[mine] == _TWO_SETS:
                ending = SETS
        ply += 1
        times, boards = _add(seen[1 - mine], board, occupied)
        seen = (boards, seen[1]) if mine else (seen[0], boards)
        if not ending:
            if times >= DRAW_AT:
                ending = REPETITION
            elif ply >= self._max_plies:
                ending = MAX_PLIES
        return State(3 - turn, ply, board, passed, ending, seen, dice, occupied, lines, faces, outer)

    # -- the goals --------------------------------------------------------------------------------

    def row(self, board: bytes) -> tuple[int, ...]:
        """Return the spaces of a row of six (goal F) from its 1 to its 6; empty if there is none."""
        for space, die in enumerate(board):
            if die & 7 == 1 and (row := self.row_through(board, space)):
                return row
        return ()

    def row_through(self, board: bytes, space: int) -> tuple[int, ...]:
        """Return the spaces of a row of six that the die on a space is part of; empty if there is none (R-T3)."""
        face = board[space] & 7
        around = self.grid.around[space](board)
        # Most dice lack a neighbour that shows one more, or one that shows one less.
        if face < 6 and face + 1 not in around and face + 1 + _GREEN not in around:
            return ()
        if face > 1 and face - 1 not in around and face - 1 + _GREEN not in around:
            return ()
        for up, rising, up_bent in self._arms(board, space, 1):
            for down, falling, down_bent in self._arms(board, space, -1):
                angle = (up - down) % 8
                straight = not rising or not falling or angle == 4
                bent_here = angle in (2, 6) and not (up_bent or down_bent)
                if (straight and not (up_bent and down_bent)) or bent_here:
                    return (*reversed(falling), space, *rising)
        return ()

    def _arms(self, board: bytes, space: int, step: int) -> Iterator[tuple[int, list[int], bool]]:
        """Return the arms of a row from a space on, up to 6 or down to 1: first direction, spaces, whether with an
        angle."""
        rays = self.grid.rays
        face = board[space] & 7
        length = 6 - face if step == 1 else face - 1
        if not length:
            yield 0, [], False
            return
        for way, ray in enumerate(rays[space]):
            if not ray or board[ray[0]] & 7 != face + step:
                continue  # as in most directions
            arm = self._run(board, ray, face, step, length)
            if len(arm) == length:
                yield way, arm, False
            for corner, at in enumerate(arm[: length - 1], 1):
                for side in (2, -2):
                    rest = self._run(board, rays[at][(way + side) % 8], face + step * corner, step, length - corner)
                    if len(rest) == length - corner:
                        yield way, arm[:corner] + rest, True

    @staticmethod
    def _run(board: bytes, ray: tuple[int, ...], face: int, step: int, length: int) -> list[int]:
        """Return the spaces of a ray, at most ``length``, that go on from a face step by step."""
        run = []
        for space in ray[:length]:
            face += step
            if board[space] & 7 != face:
                break
            run.append(space)
        return run

    def scores(self, state: State) -> tuple[float, ...]:
        if state.ending in DRAWS:
            return 0.5, 0.5
        winners = self.winners(state)
        return int(1 in winners), int(2 in winners)

    def winners(self, state: State) -> tuple[int, ...]:
        return (3 - state.turn,) if state.ending in WINS else ()

    def ending(self, state: State) -> str | None:
        return state.ending or None

    # -- who may know what ------------------------------------------------------------------------

    def view(self, state: State, seat: int | None) -> Json:
        """Everything lies open.

        In place of all boards since the start ``times`` says how often this position has occurred. ``row`` names the
        spaces of a row of six from 1 to 6, if there is one.
        """
        row = self.grid.named(self.row(state.board))
        return {**self._on_the_board(state), "times": self._times(state), "row": row}

    @staticmethod
    def _times(state: State) -> int:
        return _add(state.seen[state.turn - 1], state.board, state.occupied)[0] - 1

    def events(self, before: State, move: Move, after: State) -> list[Event]:
        about: dict[str, Any] = {"who": Who(move.actor)}
        if move.verb == PASS:
            return [Event("pass", Text("{who} cannot move and passes.", about)), *self._events_of_end(after)]
        path = self.grid.paths[move.verb]
        origin, target, over = self.grid.named((path.origin, path.target, path.over))
        die, landed, jumped = before.board[path.origin], after.board[path.target], before.board[path.over]
        about |= {"face": die & 7, "origin": origin, "target": target}
        if path.over == path.origin or not jumped:
            event = Event("slide", Text("{who} slides the {face} from {origin} to {target}.", about))
        elif jumped >> 3 == die >> 3:
            text = "{who} jumps with the {face} from {origin} over a die of their own on {over} to {target}."
            event = Event("jump", Text(text, {**about, "over": over}))
        else:
            about |= {"over": over, "jumped": jumped & 7, "shown": landed & 7}
            stays = (
                "{who} jumps with the {face} from {origin} over the {jumped} on {over} to {target}: it stays {shown}."
            )
            turns = (
                "{who} jumps with the {face} from {origin} over the {jumped} on {over} to {target}: it turns to"
                " {shown}."
            )
            event = Event("jump", Text(stays if landed == die else turns, about))
        return [event, *self._events_of_end(after)]

    def _events_of_end(self, after: State) -> list[Event]:
        winner = {"who": Who(3 - after.turn)}
        if after.ending == ROW:
            spaces = " ".join(self.grid.named(self.row(after.board)))
            return [Event("over", Text("A row of six stands on {spaces}: {who} wins.", {**winner, "spaces": spaces}))]
        if after.ending == SETS:
            return [Event("over", Text("{who}'s dice show two full sets: {who} wins.", winner))]
        if after.ending == REPETITION:
            return [Event("over", Text("The same position has occurred for the third time: a draw."))]
        if after.ending == PASSES:
            return [Event("over", Text("Neither player can move: a draw."))]
        if after.ending == MAX_PLIES:
            one, many = "{count} move without a winner: a draw.", "{count} moves without a winner: a draw."
            return [Event("over", counted(after.ply, one, many))]
        if self._times(after) == DRAW_AT - 1:
            text = "This position has occurred for the second time; the third is a draw."
            return [Event("repeated", Text(text))]
        return []

    # -- positions that are set up ------------------------------------------------------------------

    def describe(self, state: State) -> Json:
        """Return the state as JSON.

        ``seen`` counts the positions since the start. A position is the seat to move and the rows of the board from
        the last to row 1, split by ``/``: ``A``–``F`` are red dice showing 1–6, ``a``–``f`` green ones, a number is so
        many empty spaces.
        """
        seen = {
            f"{seat_name(seat)} {self._text(board)}": times
            for seat, boards in enumerate(map(_counted, state.seen), 1)
            for board, times in boards.items()
        }
        return {**self._on_the_board(state), "seen": seen}

    def _on_the_board(self, state: State) -> Json:
        """Return all of a state but its past."""
        return {
            "turn": seat_name(state.turn),
            "ply": state.ply,
            **self._setup(state.board),
            "passed": state.passed,
            "ending": state.ending or None,
        }

    def _setup(self, board: bytes) -> Json:
        """Return a board as an option ``setup`` gives it."""
        return {
            colour: {self.grid.names[space]: board[space] & 7 for space in _dice(board, seat)}
            for seat, colour in enumerate(COLOURS, 1)
        }

    def _text(self, board: bytes) -> str:
        size = self.grid.size
        rows = [board[at : at + size].translate(_LETTERS).decode() for at in range(0, size * size, size)]
        return "/".join(re.sub(r"\.+", lambda gap: str(len(gap[0])), row) for row in reversed(rows))

    def _board_of_text(self, text: str) -> bytes:
        """Return the board that :meth:`_text` wrote. Raise ``ValueError`` for any other text."""
        rows = [re.sub("[0-9]{1,2}", lambda gap: "." * int(gap[0]), row) for row in text.split("/")]
        board = bytes(_LETTERS.find(letter.encode()) for row in reversed(rows) for letter in row)
        if len(board) != self.grid.size**2 or self._text(board) != text:
            raise ValueError(f"{shown(text)} is no board of {self.grid.size} rows")
        return board

    def read(self, description: Json) -> State:
        known = {"turn", "ply", *COLOURS, "passed", "ending", "seen"}
        if set(description) != known:
            raise ValueError(f"a description has {', '.join(sorted(known))} and nothing else")
        ply, passed, ending = (description[key] for key in ("ply", "passed", "ending"))
        if type(ply) is not int or type(passed) is not bool or not (ending is None or type(ending) is str):
            raise TypeError("ply is a whole number, passed a truth value, ending a word or null")
        for colour in COLOURS:
            for space, face in description[colour].items():
                if space not in self.grid.index or type(face) is not int or face not in FACES:
                    raise ValueError(f"{colour} has a die on {shown(space)} that shows {shown(face)}")
                if colour != COLOURS[0] and space in description[COLOURS[0]]:
                    raise ValueError(f"two dice are on {shown(space)}")
        seen = [_NO_POSITIONS, _NO_POSITIONS]
        for text, times in description["seen"].items():
            name, _, rows = text.partition(" ")
            seat, board = parse_seat(name, self.seats), self._board_of_text(rows)
            if seat == TABLE or type(times) is not int or not 1 <= times <= DRAW_AT:
                raise ValueError(f"{shown(text)} has occurred {shown(times)} times")
            for _ in range(times):
                _, seen[seat - 1] = _add(seen[seat - 1], board, bits(_dice(board, 1) + _dice(board, 2)))
        turn = parse_seat(description["turn"], self.seats)
        return self._state(turn, ply, self._board(description), passed, ending or "", (seen[0], seen[1]))

    # -- notation -------------------------------------------------------------------------------------

    def parse_args(self, actor: int, verb: str, args: list[str]) -> Move:
        known = self.grid.moves[actor].get(verb)
        if known is not None and not args:
            return known
        forms = {"form": Typed("pN", "FROM-TO"), "pass_": Typed("pN", PASS)}
        if actor == TABLE:
            raise MalformedMove("the table makes no move in D.21; the form is: {form}, or {pass_}", **forms)
        if args:
            text = "{seen} is not a move; the form is: {form}, or {pass_}"
            raise MalformedMove(text, seen=shown(" ".join([verb, *args])), **forms)
        if verb == PASS:
            return _PASSES[actor]
        origin, dash, target = verb.partition("-")
        if not (dash and is_space(origin) and is_space(target)):
            text = "{seen} is not a move; the form is: {form} (such as {example}), or {pass_}"
            raise MalformedMove(text, seen=shown(verb), example=Typed("p1", "c3-c6"), **forms)
        for space in (origin, target):
            if space not in self.grid.index:
                text = "there is no space {space}; the spaces are a1 to {last}"
                raise MalformedMove(text, space=space, last=self.grid.names[-1])
        return self.grid.move(actor, verb)


_LETTERS = b".ABCDEF..abcdef" + b"." * 241
"""Die → letter in the text of a board."""


def _dice(board: bytes, seat: int) -> tuple[int, ...]:
    """Return the spaces of a seat's dice, ascending."""
    return tuple([space for space, die in enumerate(board) if die and die >> 3 == seat - 1])


def _count_faces(board: bytes, seat: int) -> int:
    return sum(1 << 4 * (board[space] & 7) for space in _dice(board, seat))


def _moved(dice: tuple[int, ...], origin: int, target: int) -> tuple[int, ...]:
    spaces = list(dice)
    spaces[spaces.index(origin)] = target
    spaces.sort()
    return tuple(spaces)


def _counted(seen: Seen) -> Counter[bytes]:
    """Return how often each board has occurred."""
    return Counter(board for branch in seen for leaf in branch for board in leaf)


def _faults_of_dice(colour: str, dice: Mapping[str, int], outer: int) -> list[Text]:
    """Return the faults in the number of dice of a colour, and of those on outer spaces."""
    faults = []
    if len(dice) != DICE:
        faults.append(
            Text("{colour} has {count} dice instead of {dice}", {"colour": colour, "count": len(dice), "dice": DICE})
        )
    if outer > OUTER_MAX:
        faults.append(
            Text(
                "{colour} has {outer} dice on outer spaces; at most {outer_max} are allowed",
                {"colour": colour, "outer": outer, "outer_max": OUTER_MAX},
            )
        )
    return faults


def as_red(rules: D21, view: Json, seat: int) -> D21:
    """Return the game as it stands for a seat, as if that were red and just beginning: one side's game is the other's
    with the colours changed."""
    options = {key: rules.options[key] for key in ("size", "adjacent_jumps")}
    sides = (COLOURS[seat - 1], COLOURS[2 - seat])
    return _set_up(tuple(options.items()), tuple(tuple(view[side].items()) for side in sides))


@lru_cache(16)
def _set_up(options: tuple[tuple[str, Any], ...], sides: tuple[tuple[tuple[str, int], ...], ...]) -> D21:
    """Return a game that begins with the dice of both sides as they are; its moves are asked for one by one."""
    return D21(2, dict(options) | {"setup": dict(zip(COLOURS, map(dict, sides), strict=True))})


__all__ = ["COLOURS", "D21", "State", "as_red", "in_sets", "turned"]
