"""The conductor: brings table, keyboard, rules and log together.

What comes in is one thing at a time, and each is one transaction: the input and all that follows from it (moves, notes,
the next question) become durable together, and only then is anything acknowledged, asked or shown.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import Any

from tablier.games.core import Position
from tablier.log import Entry, Log
from tablier.log.store import SINCE
from tablier.play import asking, lights
from tablier.play.asking import Ask, Flow, Input
from tablier.play.course import Body, Course, Item, Seat
from tablier.play.screen import Screen
from tablier.table.client import (
    Client,
    Incoming,
    Plugged,
    Rebooted,
    Refused,
    TableEvent,
    Unfit,
    Unplugged,
    Walked,
)
from tablier_fw import wire

GUARD_S = 1.0
"""A window never closes within this time after a landing."""


def seats_of(log: Log, game: int) -> tuple[Seat, ...]:
    """The seats with which a logged game is played."""
    return tuple(Seat(seat["name"], seat["place"], seat["source"]) for seat in log.game(game).seats)


def log_id(log: Log) -> bytes:
    """Return what tells a log's questions from those of every other log: a part of the hash of its first entry."""
    return bytes.fromhex(next(log.entries()).hash)[:8]


def last_boot(log: Log, game: int) -> str | None:
    """The boot of the table that a game's log knows last."""
    return next((body["boot"] for body in _hellos(log.entries(game))), None)


def _hellos(entries: Iterable[Entry]) -> list[Body]:
    """What tables have said of themselves, the latest first."""
    return [entry.body for entry in entries if _is_hello(entry)][::-1]


def _is_hello(entry: Entry) -> bool:
    return entry.kind == "table" and entry.body["event"] == "hello"


def _by_claim(hello: Body) -> str:
    """Why landings were not to be trusted from a hello on."""
    return str(hello.get("by_claim", ""))


class Conductor:
    """Conducts one game, from where its log stands to its end.

    Call :meth:`start`, then :meth:`take` with whatever the client's ``poll`` returns and :meth:`answer` with what the
    keyboard answers, until :attr:`over`.
    """

    def __init__(
        self,
        log: Log,
        game: int,
        position: Position[Any],
        client: Client,
        flow_of: Callable[[Position[Any], str], Flow],
        screen: Screen,
        by_claim: str = "",
    ) -> None:
        """``position`` is where the moves of the log have led.

        ``by_claim``: why landings are not to be trusted, so that people enter their cards; empty if they are. A flow
        that was begun otherwise ends as it was begun.
        """
        self.log = log
        self.game = game
        self.client = client
        self.screen = screen
        self._replayed_ids: list[int] = []
        self._by_claim = by_claim
        self._begun_by_claim = by_claim  # the same for the flow that is begun next
        self.course = Course(
            position, seats_of(log, game), lambda position: flow_of(position, self._begun_by_claim), self._new_id
        )
        self._sealed: dict[int, tuple[bytes, int]] = {}  # seat at the keyboard → nonce, choice; only ever in memory
        self._shown: Ask | None = None
        self._table: Body | None = None  # what the log knows last of the table: the body of its hello

    @property
    def over(self) -> bool:
        return self.course.over

    def start(self) -> None:
        """Takes the game up where its log stands, and asks."""
        items = self._resume()
        self._catch_up()
        assert self.client.boot is not None
        if self._table is None:
            items.append(self._hello(self.client.boot))
        elif self._table["boot"] != self.client.boot:
            items += self._restarted(self.client.boot, self.client.lost)
        elif _by_claim(self._table) != self._by_claim:
            items.append(self._hello(self.client.boot))
        if self._by_claim:
            self.screen.noted(f"Cards are entered by those who throw them, because {self._by_claim}.")
        self._begun_by_claim = self._by_claim
        self._commit(items)

    def _resume(self) -> list[Item]:
        """Feeds the course all that came in since the last move; returns what is still to be logged."""
        entries = list(self.log.entries(self.game))
        since = max(i for i, entry in enumerate(entries) if entry.kind in ("game", "move", "takeback"))
        self._table = next(iter(_hellos(entries[:since])), None)
        entries = entries[since + 1 :]
        self._replayed_ids = [int(entry.body["id"]) for entry in entries if entry.kind == "ask"]
        first_time = not self._replayed_ids
        if not first_time:
            known = self._table or next((entry.body for entry in entries if _is_hello(entry)), {})
            self._begun_by_claim = _by_claim(known)
        items = self.course.begin()
        if first_time:
            self._table = next(iter(_hellos(entries)), self._table)
            return items
        for entry in entries:
            if _is_hello(entry):
                self._table = entry.body
            elif self._counts(entry.kind, entry.body):
                self.course.feed(entry.kind, entry.body)
        if any(seat in self.course.locked for seat in self.course.choosing_at_keyboard()):
            # What the keyboard was bound to went with the host's last run. What the places chose may be on its way
            # already, so nobody may choose now: all choose again.
            self.screen.noted("A choice at the keyboard went with the program's last run: all choose again.")
            why = "the host was restarted with a choice of the keyboard in it"
            items = [("void", {"id": self.course.id, "why": why})]
            items += self.course.feed(*items[0])
            return items
        return []

    def _new_id(self) -> int:
        return self._replayed_ids.pop(0) if self._replayed_ids else self.log.next_id()

    # -- what comes in ---------------------------------------------------------------------------------------------

    def take(self, incoming: Incoming) -> None:
        """Takes what has come from the table: logs it, acts on it, acknowledges it."""
        if isinstance(incoming, TableEvent):
            self._take_event(incoming)
        elif isinstance(incoming, Unfit):
            self._take_unfit(incoming)
        elif isinstance(incoming, Refused):
            self.screen.noted(f"The table refuses what it was told: {incoming.why}.")
        elif isinstance(incoming, Walked):
            seat = self.course.seat_at(incoming.place)
            if incoming.question == self.course.id and seat and self.course.ask:
                self.screen.walked(self.course.ask, seat, incoming.option)
        elif isinstance(incoming, Rebooted):
            if self._table is None or self._table["boot"] != incoming.boot:  # else :meth:`start` has seen to it
                self._commit(self._restarted(incoming.boot, incoming.lost))
        elif isinstance(incoming, Unplugged):
            self.screen.noted("The table does not answer: is its cable plugged in? The game waits.")
        elif isinstance(incoming, Plugged):
            self._catch_up()
            self.screen.noted(f"The table answers at {incoming.port}.")
            if self.client.warning:
                self.screen.noted(f"Warning: {self.client.warning}.")

    def _take_event(self, event: TableEvent) -> None:
        values = {key: value.hex() if isinstance(value, bytes) else value for key, value in event.values.items()}
        body: Body = {"event": event.message.name, "time": self.client.clock.date(event.time), **values}
        if not self._counts("table", body):
            self.screen.noted("What a place opened is not what it had locked: the choice is void.")
            items: list[Item] = [("table", body), ("void", {"id": self.course.id, "why": "a false opening"})]
            items += self.course.feed(*items[1])
        else:
            items = [("table", body), *self.course.feed("table", body)]
            items += self._open_own()
        self._commit(items, (event.boot, event.number))
        self.client.acknowledge(event)
        if self.course.ask is self._shown and self.course.ask is not None and body.get("id") == self.course.id:
            self.screen.progressed(self.course.ask, body["event"], self.course.seat_at(body.get("place", 0)))

    def _take_unfit(self, unfit: Unfit) -> None:
        """What cannot be is a fault of the table: it is said and logged, and changes nothing in the game."""
        self.screen.noted(f"The table says what cannot be ({unfit.what}): {unfit.why}.")
        fault: Item = ("fault", {"what": unfit.what, "why": unfit.why})
        self._commit([fault], (unfit.boot, unfit.number) if unfit.number else None)
        self.client.acknowledge(unfit)

    def answer(self, input: Input) -> None:
        """Takes what a seat at the keyboard answers to the open question.

        A choice comes as ``locked`` with ``choice``: it is committed to, and neither logged nor sent before all are.
        """
        course, question = self.course, self.course.id
        if course.ask is None or input.seat not in course.ask.seats or input.seat in course.answered:
            raise ValueError(f"seat {input.seat} has nothing to answer now")
        seat = course.seats[input.seat - 1]
        bound = bytes(32)
        if input.kind == "locked":
            nonce = os.urandom(16)
            bound = self._commitment(question, input.seat, nonce, int(input.choice))
            self._sealed[input.seat] = (nonce, int(input.choice))
            body = {"event": "locked", "id": question, "seat": input.seat, "commitment": bound.hex()}
            items: list[Item] = [("commitment", body), *course.feed("commitment", body), *self._open_own()]
        else:
            body = {"event": input.kind, "id": question, **input.values}
            items = [("key", body), *course.feed("key", body)]
        self._commit(items)
        if question == course.id and course.ask is not None:
            if input.kind in ("locked", "done"):
                self.client.want(wire.OUTSIDE, question, seat.place, input.seat, bound)
            self.screen.progressed(course.ask, input.kind, input.seat)

    def take_back(self, to: int) -> None:
        """Takes moves back until ``to`` of them remain, and asks again from there. Raises ``ValueError``."""
        self._commit(self.course.take_back(to))

    def _open_own(self) -> list[Item]:
        """Opens the keyboard's choices when it is their turn."""
        items: list[Item] = []
        if self.course.ready_to_open():
            sealed, self._sealed = self._sealed, {}
            for seat, (nonce, choice) in sorted(sealed.items()):
                body = {"event": "opened", "id": self.course.id, "seat": seat, "nonce": nonce.hex(), "choice": choice}
                items += [("key", body), *self.course.feed("key", body)]
        return items

    def _commitment(self, question: int, seat: int, nonce: bytes, choice: int) -> bytes:
        assert self._table is not None
        board, boot = bytes.fromhex(self._table["board"]), bytes.fromhex(self._table["boot"])
        return wire.commitment(board, boot, question, self.course.seats[seat - 1].place, seat, nonce, choice)

    def _counts(self, kind: str, body: Body) -> bool:
        """Whether an entry is what it says: what a place opens must be what it had locked for the open question."""
        if kind != "table" or body["event"] != "opened" or body["id"] != self.course.id:
            return True
        seat = self.course.seat_at(body["place"])
        if not seat:
            return False
        bound = self._commitment(body["id"], seat, bytes.fromhex(body["nonce"]), body["choice"])
        return self.course.locked.get(seat) == bound.hex()

    def _restarted(self, boot: str, lost: int | None) -> list[Item]:
        """The table has another boot: what it had not sent is lost, and what it was asked is void.

        ``lost`` is how many events that is; ``None`` where nobody knows.
        """
        assert self._table is not None
        before = self._table["boot"]
        after = self.log.cursor(before)
        self.screen.noted(f"The table has restarted; {_how_many(lost)}; asking again.")
        gap: Item = ("gap", {"boot": before, "after": after, "lost": lost})
        self._sealed.clear()
        return [gap, self._hello(boot), *self.course.feed(*gap)]

    def _catch_up(self) -> None:
        """Notes that events of this boot of the table are in another log: it was played at from elsewhere."""
        client = self.client
        if client.boot is not None and client.since > self.log.cursor(client.boot):
            self.log.append(self.game, SINCE, {}, (client.boot, client.since))

    def _hello(self, boot: str) -> Item:
        client = self.client
        self._table = {"event": "hello", "board": client.board, "boot": boot, "version": client.version}
        if self._by_claim:
            self._table["by_claim"] = self._by_claim
        return "table", self._table

    # -- durable, then asked and shown ---------------------------------------------------------------------------------

    def _commit(self, items: list[Item], cursor: tuple[str, int] | None = None) -> None:
        if items:
            self.log.append_all([(self.game, kind, body) for kind, body in items], cursor)
        course = self.course
        told, course.told = course.told, []
        for events, position in told:
            self.screen.told(events, position)
        if course.ask is not None and course.ask is not self._shown:
            self._shown = course.ask
            self._sealed.clear()
            self._want(course.ask)
            self.screen.asked(course.ask, course.position)
        elif course.over and (told or self._shown is None):
            self._shown = None
            self._light(None)
            self.client.want(wire.IDLE, self.log.next_id(), 0)
            self.screen.over(course.position, self.log.head)

    def _want(self, ask: Ask) -> None:
        """Makes the table ask what is open."""
        here = [course_seat for course_seat in ask.seats if not self.course.seats[course_seat - 1].at_keyboard]
        places = self._mask(here)
        outside = self._mask([seat for seat in ask.seats if seat not in here])
        question = self.course.id
        self._light(ask)
        if ask.kind == asking.WINDOW:
            quiet, guard = round(ask.quiet_s * 1000), round(GUARD_S * 1000)
            self.client.want(wire.WINDOW, question, 0, places, outside, quiet, guard, ask.seen)
            for seat in sorted(self.course.done - set(here)):  # of a window that was open when the game was broken off
                self.client.want(wire.OUTSIDE, question, self.course.seats[seat - 1].place, seat, bytes(32))
        elif not here:
            self.client.want(wire.IDLE, question, 0)
        elif ask.kind == asking.CHOICE:
            allowed, seats = bytearray(wire.PLACES), bytearray(wire.PLACES)
            for seat in here:
                place = self.course.seats[seat - 1].place
                allowed[place - 1] = sum(1 << option for option in ask.allowed[seat])
                seats[place - 1] = seat
            colours = lights.CHOICE_COLOURS[: len(ask.options)]
            self.client.want(wire.CHOICE, question, 0, places, outside, bytes(allowed), bytes(seats), colours)
        elif ask.kind == asking.POLL:
            self.client.want(wire.POLL, question, wire.FIRST if ask.first else 0, places)
        else:
            place = self.course.seats[ask.seats[0] - 1].place
            every = (1 << len(ask.labels)) - 1
            self.client.want(wire.MENU, question, 0, place, ask.start, every, bytes(ask.labels))

    def _light(self, ask: Ask | None) -> None:
        course = self.course
        view = course.position.rules.view(course.position.state, None)
        places = [seat.place for seat in course.seats]
        self.client.want(wire.SCENE, wire.RING, lights.packed(lights.ring(view, places, ask)))
        pixels = lights.public(view, places, _last_duel(course.position))
        self.client.want(wire.SCENE, wire.PUBLIC, lights.packed(pixels))

    def _mask(self, seats: list[int]) -> int:
        return sum(1 << (self.course.seats[seat - 1].place - 1) for seat in seats)


def _how_many(lost: int | None) -> str:
    """How many events went with a restart, in words."""
    if lost is None:
        return "it is unknown whether events from before the restart are lost"
    if not lost:
        return "no event from before the restart is lost"
    return "1 event from before the restart is lost" if lost == 1 else f"{lost} events from before the restart are lost"


def _last_duel(position: Position[Any]) -> dict[int, int]:
    """What was chosen in a duel that has just been settled: seat → option."""
    moves = position.moves[-2:]
    if len(moves) == 2 and all(move.verb == "duel" for move in moves):
        return {move.actor: ("peace", "conflict").index(move.args[0]) for move in moves}
    return {}
