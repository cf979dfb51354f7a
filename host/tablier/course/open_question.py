"""The open question of a session, and all that it has gathered: who is bound, what was opened, who has replied."""

from __future__ import annotations

from typing import Any

from msgspec import Struct, field, structs

from tablier.course.seats import Seat
from tablier.games.core import Position
from tablier.games.core.questions import Choice, Menu, Question, Roll
from tablier.messages import Bind
from tablier.texts import Text

NOTHING_TO_ANSWER = Text("this place has nothing to answer")


class OpenQuestion(Struct):
    """A question from when it is asked until another is; without ``question`` none is open.

    The session opens it and tells it who has which seat and which boot of the table it is put to. How replies to it are
    read (:mod:`tablier.course.on_wire`) alone changes what it has gathered.
    """

    question: Question | None
    id: int
    position: Position[Any]
    seats: tuple[Seat, ...]
    board: bytes
    boot: bytes
    may_call: bool = False
    """True where places may stop play by a call: the game itself asks."""
    locked: dict[int, str] = field(default_factory=dict)
    """Of a choice: seat → commitment."""
    opened: dict[int, int] = field(default_factory=dict)
    """Of a choice: seat → option."""
    answered: set[int] = field(default_factory=set)
    """The seats that have nothing more to say."""
    bound: str = ""
    """Of a roll: what the table has committed to."""
    contribution: str = ""
    """Of a roll: what the host has added."""

    def copy(self) -> OpenQuestion:
        """Return the same question, which gathers what it is told by itself."""
        gathered = {"locked": dict(self.locked), "opened": dict(self.opened), "answered": set(self.answered)}
        return structs.replace(self, **gathered)

    @property
    def what(self) -> str:
        """Return the subject of the question, an empty string where none is open."""
        return "" if self.question is None else self.question.what

    @property
    def asked(self) -> tuple[int, ...]:
        """Return the seats that are asked."""
        return () if self.question is None else self.question.seats

    @property
    def waiting(self) -> tuple[int, ...]:
        """Return the seats that it waits for."""
        return tuple(seat for seat in self.asked if seat not in self.answered)

    @property
    def choosing(self) -> bool:
        """Return whether it is a secret choice."""
        return isinstance(self.question, Choice)

    @property
    def here(self) -> list[int]:
        """Return the seats that are asked at the table."""
        return [seat for seat in self.asked if self.seats[seat - 1].at_table]

    def seat_at(self, place: int) -> int:
        """Return the seat at a place, 0 if there is none."""
        return next((number for number, seat in enumerate(self.seats, 1) if place and seat.place == place), 0)

    def astray(self, place: int, option: int) -> Text | None:
        """Return why no place can stand where the table says that one does in the menu, ``None`` if it can."""
        question = self.question
        if not isinstance(question, Menu):
            return Text("no menu is open")
        if self.seat_at(place) not in question.seats:
            return NOTHING_TO_ANSWER
        if question.secret:
            return Text("nobody may know where its places stand")
        return None if option < len(question.labels) else Text("there is no option {option}", {"option": option})

    # -- a choice ----------------------------------------------------------------------------------------------

    def bind(self, seat: int) -> Bind:
        """Return what a source away from the table needs to be bound to a choice."""
        boot = self.boot or bytes(8)
        return Bind(board=self.board.hex(), boot=boot.hex(), place=self.seats[seat - 1].place)

    @property
    def all_bound(self) -> bool:
        """Return whether it is a choice to which every seat is bound."""
        return self.choosing and set(self.asked) <= set(self.locked)

    @property
    def to_open(self) -> tuple[int, ...]:
        """Return the seats away from the table that are to open their choices now: all are bound, and the table has
        opened its own."""
        left = [seat for seat in self.asked if seat not in self.opened] if self.all_bound else []
        return () if any(self.seats[seat - 1].at_table for seat in left) else tuple(left)

    # -- a roll ------------------------------------------------------------------------------------------------

    @property
    def starter(self) -> int:
        """Return the place that starts a roll; 0 where it starts at once."""
        return self.seats[self.asked[0] - 1].place if self.asked else 0

    @property
    def rolling(self) -> bool:
        """Return whether the table has committed to a roll that is not revealed yet."""
        return isinstance(self.question, Roll) and bool(self.bound)

    @property
    def contribution_due(self) -> bool:
        """Return whether a roll waits for what the host adds to it."""
        return self.rolling and not self.contribution
