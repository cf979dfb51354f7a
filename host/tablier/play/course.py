"""The course of a game: what follows from each thing that comes in. No input or output, no clock.

While playing, the conductor feeds what comes in and logs it with what follows. Resuming, the same entries are fed out
of the log, and the course stands again where it stood: a flow depends on nothing but its position and its inputs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from tablier.games.core import Event, Position
from tablier.play.asking import CHOICE, Ask, Flow, Input
from tablier.record import result_of

KEYBOARD = "keyboard"
"""The source of a seat whose person sits at the screen; every other source acts at its place of the table."""

Body = dict[str, Any]
Item = tuple[str, Body]
"""An entry for the log: its kind and its body."""


@dataclass(frozen=True)
class Seat:
    """A role in a game: who has it, at which place, and what decides for it."""

    name: str
    place: int
    """0 in a game without a table."""
    source: str

    @property
    def at_keyboard(self) -> bool:
        return self.source == KEYBOARD


def made(
    position: Position[Any], seats: Sequence[Seat], text: str, *, chance: str = "table"
) -> tuple[list[Item], list[Event]]:
    """Makes a move; returns what is to be logged of it, and what is told. ``chance``: who moves for the table."""
    move = position.parse_push(text)
    events = position.last_events()
    by = seats[move.actor - 1].source if move.actor else chance
    notes = [("note", {"kind": event.kind, "text": event.text}) for event in events if event.kind == "judge"]
    return [("move", {"text": text, "by": by}), *notes], events


class Course:
    """A position, the flow that brings it further, and the open question.

    ``flow_of`` makes the flow that a position needs; ``new_id`` gives each question its id.
    """

    def __init__(
        self,
        position: Position[Any],
        seats: Sequence[Seat],
        flow_of: Callable[[Position[Any]], Flow],
        new_id: Callable[[], int],
    ) -> None:
        self.position = position
        self.seats = tuple(seats)
        self.ask: Ask | None = None
        """The open question; ``None`` when the game is over."""
        self.id = 0
        self.locked: dict[int, str] = {}
        """Of the open choice: seat → commitment."""
        self.opened: set[int] = set()
        self.done: set[int] = set()
        """Of the open window: the seats that throw no more. Of a poll: those that have answered."""
        self.told: list[tuple[list[Event], Position[Any]]] = []
        """What is to be told of the moves made since somebody last emptied this list."""
        self._flow_of = flow_of
        self._new_id = new_id
        self._flow: Flow | None = None

    @property
    def over(self) -> bool:
        return self.position.is_over

    def begin(self) -> list[Item]:
        """Opens the first question from here; returns what is to be logged."""
        return [] if self.over else self._go_on([])

    def take_back(self, to: int) -> list[Item]:
        """Takes moves back until ``to`` of them remain. Raises ``ValueError`` when there are not more than that.

        Of choices that were made at once none remains alone: whoever chose again would know it.
        """
        if not 0 <= to < self.position.ply:
            raise ValueError(f"{self.position.ply} moves were made; so many can remain: 0 to {self.position.ply - 1}")
        while self.position.ply > to or self._half_chosen():
            self.position.pop()
        return [("takeback", {"to": self.position.ply}), *self._go_on([])]

    def _half_chosen(self) -> bool:
        """Whether the last move is one of choices made at once, of which others have still to be made."""
        if not self.position.ply:
            return False
        before = self.position.copy()
        move = before.pop()
        others = set(before.to_move) & set(self.position.to_move) - {move.actor}
        return bool(others) and before.rules.secret(before.state, move, self.position.state)

    def feed(self, kind: str, body: Body) -> list[Item]:
        """Takes an entry that is logged, or will be; returns what is to be logged after it."""
        input = self._input(kind, body)
        if input is None or self._flow is None:
            return []
        if input.kind == "locked":
            self.locked.setdefault(input.seat, body["commitment"])
        elif input.kind == "opened":
            self.opened.add(input.seat)
        elif input.kind in ("done", "answered"):
            self.done.add(input.seat)
        before = self.ask
        try:
            self.ask = self._flow.send(input)
        except StopIteration as end:
            return self._go_on(end.value)
        return [] if self.ask is before else self._open_question()

    def choosing_at_keyboard(self) -> tuple[int, ...]:
        """The seats at the keyboard that are asked for a choice."""
        if self.ask is None or self.ask.kind != CHOICE:
            return ()
        return tuple(seat for seat in self.ask.seats if self.seats[seat - 1].at_keyboard)

    @property
    def answered(self) -> set[int]:
        """The seats that have nothing more to say to the open question."""
        return self.done | set(self.locked)

    def ready_to_open(self) -> bool:
        """Whether the keyboard's choices are all committed to, and those of all places are open."""
        here = self.choosing_at_keyboard()
        if not here or self.ask is None:
            return False
        return all(seat in self.locked for seat in here) and self.opened == set(self.ask.seats) - set(here)

    def _input(self, kind: str, body: Body) -> Input | None:
        """What an entry means to the flow, if it means anything to it."""
        if kind in ("gap", "void"):
            return Input("restarted")
        if kind not in ("table", "key", "commitment") or body.get("id") != self.id or self.ask is None:
            return None
        values = {key: value for key, value in body.items() if key not in ("event", "id", "place")}
        if "place" in body:
            values["seat"] = self.seat_at(body["place"])
        return Input(body["event"], values)

    def seat_at(self, place: int) -> int:
        """The seat at a place, 0 if there is none."""
        for number, seat in enumerate(self.seats, 1):
            if seat.place == place:
                return number
        return 0

    def _go_on(self, moves: Iterable[str]) -> list[Item]:
        """Makes moves, and those that follow without a question; then opens the next question."""
        items: list[Item] = []
        while True:
            for text in moves:
                items += self._move(text)
            if self.over:
                self._flow, self.ask, self.id = None, None, 0
                return [*items, ("end", result_of(self.position))]
            self._flow = self._flow_of(self.position)
            try:
                self.ask = next(self._flow)
            except StopIteration as end:
                moves = end.value
            else:
                return items + self._open_question()

    def _move(self, text: str) -> list[Item]:
        items, events = made(self.position, self.seats, text)
        self.told.append((events, self.position.copy()))
        return items

    def _open_question(self) -> list[Item]:
        assert self.ask is not None
        self.id = self._new_id()
        self.locked, self.opened, self.done = {}, set(), set()
        return [("ask", {"id": self.id, "what": self.ask.what, "seats": list(self.ask.seats)})]
