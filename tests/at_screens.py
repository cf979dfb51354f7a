"""Games without a table whose screens a test replies for, by hand or by what their updates ask."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable
from typing import Any

import replies
from of_kind import of_kind
from ports import console, each
from replying import Pick, by_chance, first, lock_to, opening_to, reply_to
from tablier import messages
from tablier.course.binding import Binder
from tablier.course.seats import AT_SCREEN, Seat
from tablier.course.session import Session
from tablier.judge.audit import audit
from tablier.log.store import Log
from tablier.play.connections import Message, Refused
from tablier.play.game import Conductor
from tablier.table.clock import Clock
from tablier.texts import Json

NAMES = ("Anne", "Bernard", "Christine", "Daniel")


class HandClock(Clock):
    """Goes on when a test says so."""

    stands = True

    def __init__(self) -> None:
        self.time = 0.0

    def now(self) -> float:
        return self.time

    def wait(self, seconds: float, file: int | None) -> None:
        self.time += seconds


class Screens:
    """A game with somebody at a screen for each seat; keeps their updates.

    ``old``: those of an earlier run of the host, which still hold what they have bound."""

    def __init__(
        self, log: Log, game: int, clock: Clock, seats: tuple[int, ...], old: Screens | None = None, **more: Any
    ) -> None:
        self.running = Conductor(log, game, clock, **more)
        self.latest: dict[int | None, messages.Update] = {}
        self.seen: dict[int | None, list[messages.Update]] = defaultdict(list)
        self.told: list[str] = []
        self.refused: list[Refused] = []
        self._binders: dict[int, Binder] = {seat: Binder() for seat in seats} if old is None else old._binders
        self.running.start()
        console(self.running).watch((*seats, None), self._take)
        self.running.work()

    def _take(self, message: Message) -> None:
        if isinstance(message, Refused):
            self.refused.append(message)
        for update in message.updates if isinstance(message, messages.Updates) else ():
            self.latest[update.viewer] = update
            self.seen[update.viewer].append(update)
            if update.viewer is None:
                self.told += [news.kind for news in update.news]

    def say(self, seat: int, reply: replies.Reply) -> None:
        """Have a seat reply to the open question."""
        self.send({"id": self.running.session.id, "seat": seat, **reply})

    def command(self, command: str, **params: object) -> None:
        self.send({"command": command, **params})

    def send(self, body: Json) -> None:
        """Send a reply or a command, as the connection of all seats, and have it carried out."""
        sender = console(self.running)
        (sender.command if "command" in body else sender.reply)(body)
        self.running.work()

    def binder(self, seat: int) -> Binder:
        return self._binders[seat]

    def lock(self, seat: int, option: int) -> None:
        self.send(lock_to(self.latest[seat], self._binders[seat], option))

    def open(self, seat: int) -> None:
        opening = opening_to(self.latest[seat], self._binders[seat])
        assert opening is not None
        self.send(opening)

    def choice(self, viewer: int | None) -> messages.Choice:
        """Return the open choice, as somebody sees it."""
        return of_kind(messages.Choice, self.latest[viewer].question)

    def bind(self, seat: int) -> messages.Bind:
        """Return to what a seat is bound in the open choice."""
        return of_kind(messages.MyChoice, self.choice(seat).mine).bind

    def play(self, *moves: tuple[int, str | None]) -> None:
        for seat, move in moves:
            self.say(seat, replies.play(move))

    def reply_one(self, pick: Pick) -> None:
        """Have the first who is asked reply, by what ``pick`` returns."""
        for seat, binder in self._binders.items():
            reply = reply_to(self.latest[seat], binder, pick)
            if reply is not None:
                console(self.running).reply(reply)
                break
        else:
            self.running.clock.wait(1.0, None)
        self.running.work()

    def play_until(self, until: int | Callable[[Session], object] | None = None, pick: Pick = first) -> None:
        """Have everybody reply who is asked, and bots decide, until the game is over, has this many moves, or something
        holds of its session."""
        session = self.running.session
        while not self.running.over and not reached(session, until):
            self.reply_one(pick)

    def play_first(self) -> None:
        """Have everybody who is asked reply with the first move there is, and open what it was bound to."""
        asked = self.running.session.id
        while self.running.session.id == asked and not self.running.over:
            for seat, binder in self._binders.items():
                reply = reply_to(self.latest[seat], binder, first)
                if reply is not None:
                    self.send(reply)
                    break
            else:
                raise AssertionError("nobody is asked")


def reached(session: Session, until: int | Callable[[Session], object] | None) -> object:
    """Return whether a session has this many moves, or something holds of it."""
    return until(session) if callable(until) else until is not None and session.ply >= until


def at_screens(count: int) -> list[Seat]:
    return [Seat(NAMES[n], 0, AT_SCREEN) for n in range(count)]


TO_A_DUEL = ((1, "offer 8"), (2, "throw 3"), (3, None), (2, None))
"""With :data:`driving.FLAT` as the seed."""


class Screen:
    """Somebody at a screen who takes any move, and agrees to what is claimed."""

    def __init__(self, seat: int, running: Conductor, seed: int) -> None:
        self.updates: list[messages.Update] = []
        self._running = running
        self._pick = by_chance(random.Random(seed))
        self._binder = Binder()
        self._replied = 0
        console(running).watch((seat,), each(self._deliver))

    def _deliver(self, update: messages.Update) -> None:
        self.updates.append(update)
        question = update.question
        opens = question is not None and update.viewer in getattr(question, "to_open", ())
        if question is None or (question.id == self._replied and not opens):
            return
        reply = reply_to(update, self._binder, self._pick)
        if reply is not None:
            self._replied = 0 if reply["event"] == replies.THROWN else question.id
            console(self._running).reply(reply)


def check(log: Log) -> list[str]:
    """The log is whole; return what was asked in it."""
    log.verify()
    audit(log.entries())
    return [entry.body["what"] for entry in log.entries() if entry.kind == "ask"]
