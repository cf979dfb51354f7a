"""A game without a table: who decides next, what chance has to say, and what is logged of it.

There is one rule of order for all games, and it follows from what the rules say of who can move:

* the table alone can move: chance is drawn, with the odds of ``Rules.chance``;
* seats can move: the first of them decides (where several choose at once, one after another, unseen by the others);
* seats and the table can move (a throwing window): the seats are asked clockwise, from the left of the one that moved
  last, for a move or to pass; when all have passed in a row, the table makes its move.

People decide through :meth:`Tableless.decide`, player programs and chance by themselves in :meth:`Tableless.advance`.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from tablier.games import bots_of
from tablier.games.core import TABLE, Event, Move, Position, seat_name
from tablier.games.core.bots import Bot
from tablier.log import GameInfo, Log
from tablier.play.bots import bot_for
from tablier.play.conductor import seats_of
from tablier.play.course import KEYBOARD, Seat, made
from tablier.play.screen import Screen
from tablier.play.session import position_of
from tablier.record import result_of

HOST = "host"
"""What the log names as the source of chance in a game without a table."""


class Decision(NamedTuple):
    """What is to be decided next."""

    seat: int
    """Who decides; :data:`TABLE` when nobody does."""
    moves: tuple[Move, ...]
    """What can be decided; of a move of the table, every outcome."""
    may_pass: bool = False
    """Whether it is allowed to do nothing now."""


def at_no_table(info: GameInfo) -> bool:
    """Whether a logged game is played without a table: none of its seats has a place."""
    return not any(seat.get("place") for seat in info.seats)


class Play:
    """A position, and what is to be decided in it. Nothing is logged or shown."""

    def __init__(self, position: Position[Any]) -> None:
        self.position = position
        self.decision: Decision | None = None
        """``None`` when the game is over."""
        self._passed: set[int] = set()
        self._last = 0
        self.look()

    def look(self) -> None:
        """Works out what is to be decided, after the position was changed from outside."""
        self._passed.clear()
        self._last = next((move.actor for move in reversed(self.position.moves) if move.actor), 0)
        self.decision = self._next()

    def step(self, move: Move | None) -> None:
        """Makes a move that :attr:`decision` offers, or passes. Raises ``ValueError``, and changes nothing, else."""
        if move is not None:
            self.position.push(move)
        self.stepped(move)

    def stepped(self, move: Move | None) -> None:
        """Notes that a move was made on the position, or that the seat that decides passes."""
        assert self.decision is not None
        if move is None:
            if not self.decision.may_pass:
                raise ValueError("here a move must be made; nobody can pass")
            self._passed.add(self.decision.seat)
        else:
            self._passed.clear()
            self._last = move.actor or self._last
        self.decision = self._next()

    def draw(self, dice: random.Random) -> Move:
        """The table's move: drawn by chance, or the only one there is."""
        assert self.decision is not None
        outcomes = self.position.rules.chance(self.position.state)
        if not outcomes:
            (move,) = self.decision.moves
            return move
        return dice.choices([move for move, _ in outcomes], [odds for _, odds in outcomes])[0]

    def _next(self) -> Decision | None:
        to_move = self.position.to_move
        if not to_move:
            return None
        seats = [seat for seat in to_move if seat != TABLE]
        window = len(seats) < len(to_move) and bool(seats)
        if window:
            count = self.position.rules.seats
            order = [(self._last + steps) % count + 1 for steps in range(count)]
            seats = [seat for seat in order if seat in seats and seat not in self._passed]
        seat = seats[0] if seats else TABLE
        moves = tuple(move for move in self.position.legal_moves if move.actor == seat)
        return Decision(seat, moves, window and seat != TABLE)


def play_out(play: Play, programs: Mapping[int, Bot], dice: random.Random) -> Iterator[None]:
    """Plays a game of programs to its end, one decision at a time."""
    while play.decision is not None:
        play.step(_decided(play, programs.get(play.decision.seat), dice))
        yield


def _decided(play: Play, program: Bot | None, dice: random.Random) -> Move | None:
    """What chance or a player program decides. A program sees its seat's view and its moves."""
    assert play.decision is not None
    seat, moves, may_pass = play.decision
    if program is None:
        return play.draw(dice)
    return program.decide(play.position.rules.view(play.position.state, seat), moves, may_pass)


class Tableless:
    """Conducts one logged game without a table, from where its log stands to its end.

    What is not durably logged has not happened: each move is shown when it is on the disk.
    """

    def __init__(
        self,
        log: Log,
        game: int,
        position: Position[Any],
        seats: Sequence[Seat],
        programs: Mapping[int, Bot],
        screen: Screen,
        dice: random.Random,
    ) -> None:
        """``position`` is where the moves of the log have led; chance is drawn by ``dice``."""
        self.log = log
        self.game = game
        self.seats = tuple(seats)
        self.screen = screen
        self._programs = programs
        self._dice = dice
        self._play = Play(position)
        self._here = {number for number, seat in enumerate(seats, 1) if seat.at_keyboard}
        self._decided = [ply for ply, move in enumerate(position.moves) if move.actor in self._here]
        # at which ply people at the keyboard decided something, passes included

    @classmethod
    def take_up(cls, log: Log, game: int, screen: Screen, dice: random.Random | None = None) -> Tableless:
        """A logged game, from where it stands. Raises ``LogError``, ``RecordError``, and ``ValueError`` for a game
        that is not installed or a source that needs a table.
        """
        info, dice = log.game(game), dice or random.SystemRandom()
        position, seats = position_of(log, info), seats_of(log, game)
        programs, bots = {}, bots_of(info.game)
        for number, seat in enumerate(seats, 1):
            if seat.source in bots:
                programs[number] = bot_for(info.game, len(seats), info.options, number, seat.source, dice)
            elif not seat.at_keyboard:
                allowed = ", ".join((KEYBOARD, *bots))
                raise ValueError(
                    f"game {game}: the source of {seat.name} is {seat.source!r}; without a table it is one of {allowed}"
                )
        return cls(log, game, position, seats, programs, screen, dice)

    @property
    def position(self) -> Position[Any]:
        return self._play.position

    @property
    def over(self) -> bool:
        return self._play.decision is None

    @property
    def asked(self) -> Decision | None:
        """What a person is to decide now; ``None`` while it is for others, and when the game is over."""
        decision = self._play.decision
        return decision if decision is not None and decision.seat in self._here else None

    @property
    def deciding(self) -> int:
        """The seat that decides now; 0 for chance, and when the game is over."""
        return self._play.decision.seat if self._play.decision else TABLE

    def is_private(self, decision: Decision) -> bool:
        """Whether others may not look on: its seat sees what is secret, or what it does will be.

        Those who choose at once are alike in that, though what the last of them chooses is opened at once.
        """
        rules, state = self.position.rules, self.position.state
        if rules.view(state, decision.seat) != rules.view(state, None):
            return True
        before = self.position.copy()
        last = before.pop() if before.ply else None
        if last is not None and rules.secret(before.state, last, state):
            return True
        return any(rules.secret(state, move, rules.apply(state, move)) for move in decision.moves)

    def start(self) -> None:
        """Shows the end of a game that has one; and logs it, should the log not know it."""
        if self.over:
            if self.log.game(self.game).ended is None:
                self.log.append(self.game, "end", result_of(self.position))
            self.screen.over(self.position, self.log.head)

    def advance(self) -> int | None:
        """Makes what needs no person: draws by chance, or lets one player program decide.

        Returns whose decision it was (0 for chance), or ``None`` when it is a person's turn or the game is over.
        """
        decision = self._play.decision
        if decision is None or decision.seat in self._here:
            return None
        self._make(_decided(self._play, self._programs.get(decision.seat), self._dice))
        return decision.seat

    def decide(self, move: Move | None) -> None:
        """Makes a person's move, or passes. Raises ``ValueError`` when it is not allowed."""
        if self.asked is None:
            raise ValueError("nobody at the keyboard is asked now")
        ply = self.position.ply
        self._make(move)
        self._decided.append(ply)

    def _make(self, move: Move | None) -> None:
        position = self.position
        if move is None:
            passes = Event("passed", f"{{{seat_name(self.deciding)}}} passes.")
            self._play.stepped(None)
            self.screen.told([passes], position)
            return
        items, events = made(position, self.seats, str(move), chance=HOST)
        if position.is_over:
            items.append(("end", result_of(position)))
        self.log.append_all([(self.game, kind, body) for kind, body in items])
        self._play.stepped(move)
        self.screen.told(events, position)
        if position.is_over:
            self.screen.over(position, self.log.head)

    def take_back(self, decisions: int) -> int:
        """Takes back the last so many decisions of people at the keyboard, and all that came after the first of them.

        Returns how many moves that were in all. Raises ``ValueError`` when people have not decided so often.
        """
        if not 1 <= decisions <= len(self._decided):
            count = len(self._decided)
            done = f"{count} {'decision was' if count == 1 else 'decisions were'} made at the keyboard so far"
            raise ValueError(f"{done}; {decisions} cannot be taken back")
        position, to = self.position, self._decided[-decisions]
        before = position.ply
        if to < before:
            self.log.append(self.game, "takeback", {"to": to})
        while position.ply > to:
            position.pop()
        del self._decided[-decisions:]
        self._play.look()
        return before - to


__all__ = ["HOST", "Decision", "Play", "Tableless", "at_no_table", "play_out"]
