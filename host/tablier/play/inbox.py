"""The conductor's inbox: what screens and bots hand in, from any thread, and what each connection has a right to."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Collection, Sequence
from typing import Any, TypeVar

from tablier.bots.bots import BotError, Chair
from tablier.play.audience import Watcher
from tablier.play.connections import Deliver
from tablier.play.requests import (
    Back,
    Command,
    Hint,
    Hurry,
    Mistake,
    RequestError,
    SeatReply,
    Source,
    Stop,
    Wait,
    command_of,
    reply_of,
)
from tablier.table.clock import Clock
from tablier.texts import Json


class Inbox:
    """A :class:`tablier.play.connections.Port` that keeps what screens and bots send until the conductor takes it."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._queue: queue.SimpleQueue[tuple[str, Any]] = queue.SimpleQueue()
        self.home: int | None = None
        """The conductor's thread."""

    def connect(self, seats: Collection[int] = (), *, operator: bool = False) -> Sender:
        return Sender(self.post, frozenset(seats), operator)

    def decided(self, chair: Chair, said: Json | BotError) -> None:
        """Hand in what a bot has decided, from any thread."""
        self.post("decided", (chair, said))

    def post(self, what: str, value: Any) -> None:
        """Hand something to the conductor's thread."""
        self._queue.put((what, value))
        if threading.get_ident() != self.home:  # else it is taken before the conductor waits again
            self._clock.wake()

    @property
    def has_more(self) -> bool:
        """Return whether something was handed in that nobody has taken yet."""
        return not self._queue.empty()

    def take(self) -> tuple[str, Any] | None:
        """Return what came next, if anything did."""
        try:
            return self._queue.get_nowait()
        except queue.Empty:
            return None


class Sender:
    """A :class:`tablier.play.connections.Connection`. What it has no right to never gets as far as the conductor."""

    def __init__(self, post: Callable[[str, Any], None], seats: frozenset[int], operator: bool) -> None:
        self._post = post
        self._seats = seats
        self.operator = operator

    def holds(self, seat: int) -> bool:
        return seat in self._seats

    def watch(self, viewers: Sequence[int | None], deliver: Deliver) -> Callable[[], None]:
        for viewer in viewers:
            if viewer is not None and viewer not in self._seats:
                raise RequestError("this connection does not hold seat {seat}", seat=viewer)
        watcher = Watcher(tuple(viewers), deliver, self)
        self._post("watch", watcher)
        return lambda: self._post("leave", watcher)

    def reply(self, body: Json) -> None:
        self._send(body, reply_of, self._check_reply)

    def command(self, body: Json) -> None:
        self._send(body, command_of, self._check_command)

    def _send(self, body: Json, decode: Callable[[object], _Request], check: Callable[[_Request], None]) -> None:
        try:
            request = decode(body)
            check(request)
        except RequestError as error:
            named = body.get("seat") if isinstance(body, dict) else None
            seat = named if type(named) is int and named in self._seats else None
            self._post("refused", (self, seat, error.text))
        else:
            self._post("sent", (self, request))

    def _check_reply(self, reply: SeatReply) -> None:
        if reply.seat not in self._seats:
            raise RequestError("seat is {seat}, which this connection does not hold", seat=reply.seat)

    def _check_command(self, command: Command) -> None:
        if isinstance(command, Stop):
            allowed = self.operator
        elif isinstance(command, Hurry | Wait):
            allowed = self.operator or bool(self._seats)
        else:
            console = not command.by or isinstance(command, Back | Hint | Mistake | Source)
            allowed = command.by in self._seats or (self.operator and console)
        if not allowed:
            held = "seat is {seat}, which this connection does not hold"
            text = held if command.by else "{command} is for the operator"
            raise RequestError(text, command=command.command, seat=command.by)


_Request = TypeVar("_Request", SeatReply, Command)
