"""Committing: the one way by which something becomes true of a game.

Each input is one transaction with all that follows from it. It is durable, then the table's event is acknowledged, then
viewers are shown what they may see, then the table is asked: in this order, always.
"""

from __future__ import annotations

from typing import Any

from tablier import waiting
from tablier.course.asides import CONSENT
from tablier.course.entries import Body
from tablier.course.session import Note, Session
from tablier.games.core.questions import Window
from tablier.log import GameInfo, Log
from tablier.play.audience import Audience
from tablier.play.chairs import Chairs
from tablier.play.change import Change
from tablier.play.reminder import Reminder
from tablier.play.roll_count import RollCount
from tablier.play.table_side import TableSide
from tablier.play.telling import Teller
from tablier.play.views import Snapshot
from tablier.table.clock import Clock
from tablier.table.incoming import TableEvent, Unfit
from tablier.texts import Text, Who, counted
from tablier.tracing import tracer
from tablier.waiting import WakeUps

OPENING_S = 30.0
"""The seconds a screen may take to open its choice when all are bound."""
CALL_S = 60.0
"""The seconds without a press after which play goes on that somebody has stopped."""


_TRACER = tracer("play")


class Committer:
    """A game with its log, its viewers, its bots and its table, and the order in which a change reaches them."""

    def __init__(
        self, session: Session, info: GameInfo, log: Log, clock: Clock, wake_ups: WakeUps, table: TableSide
    ) -> None:
        self.session = session
        self.info = info
        self.log = log
        self.clock = clock
        self.table = table
        self.rolls = RollCount(table.client, session, log, clock)
        self.reminder = Reminder(session, table, clock, wake_ups)
        self.audience = Audience(self.look)
        self.teller = Teller(session, info, self.audience, table)
        self.chairs: Chairs
        """The bots; they hand in their replies, so they are made after this."""
        self._deadline: float | None = None
        self._end = wake_ups.add(self._pass_deadline)
        self.unrevealed = 0
        """The number of unrevealed rolls that people have been told of."""
        self._shown = 0  # the id of the question that was asked last
        self._over_told = False

    def commit(
        self, change: Change, event: TableEvent | Unfit | None = None, cursor: tuple[str, int] | None = None
    ) -> None:
        """Make a change durable; then acknowledge the event that it comes from, show it, and ask."""
        if event is not None and event.number:
            cursor = event.boot, event.number
        if change.items:
            begun = waiting.now()
            self.log.append_all([(self.info.id, kind, body) for kind, body in change.items], cursor)
            kinds = ", ".join(kind for kind, _ in change.items)
            _TRACER.debug("game %d: %s are durable after %.1f ms", self.info.id, kinds, 1000 * (waiting.now() - begun))
        if event is not None:
            assert self.table.client is not None
            self.table.client.acknowledge(event)
        for news in change.news:
            if isinstance(news, Note):
                self.audience.note(*news)
            else:
                self.teller.announce(news)
        self.chairs.fill()
        session = self.session
        if session.unrevealed > self.unrevealed:
            count = session.unrevealed
            one = "The table has not revealed a roll."
            more = "The table has not revealed a roll; {count} in this game so far."
            text = counted(count, one, more)
            self.audience.note("unrevealed", text)
        self.unrevealed = session.unrevealed
        if session.id != self._shown or (session.finished and not self._over_told):
            self._shown, self._over_told = session.id, session.finished
            self.table.walked, self.deadline = {}, None
            self.table.delay_next_question()
            if session.finished:
                self.rolls.compare_at_end()
            if isinstance(session.question, Window) and session.question.seen:  # the table lets its time run, too
                self.deadline = self.table.asks_at + session.question.quiet_s
            self.prolong_call()
            self._limit_opening()  # what is resumed may be bound already
            self.chairs.ask()
            self.audience.publish()  # first: what the table asks is never newer than what viewers know
            self.table.ask(self.deadline)
            self.reminder.postpone()
            return
        self._limit_opening()
        self.audience.publish()
        self.reminder.postpone()

    def _limit_opening(self) -> None:
        """Begin the time that screens have to open their choices, once all are bound."""
        if self.session.open.to_open and self.deadline is None:
            self.deadline = self.clock.now() + OPENING_S

    def feed(self, kind: str, body: Body) -> None:
        """Feed the session an entry, and commit it with all that follows. Raise :class:`Declined`."""
        change = Change(self.session)
        change.feed(kind, body)
        self.commit(change)

    def compare_rolls(self) -> None:
        """Say and log a difference between the table's count of its rolls and the log's."""
        difference = self.rolls.compare()
        if difference is not None:
            change = Change(self.session)
            change.note("counts", difference[0])
            change.log("warning", difference[1])
            self.commit(change)

    def answer(self, change: Change, kind: str, body: Body, boot: str | None = None) -> None:
        """Feed the session a reply; tell people when one of them does not agree to what another wants."""
        asked = self.session.question
        change.feed(kind, body, boot)
        consents = asked is not None and asked.what == CONSENT and asked is not self.session.question
        if consents and body["event"] == "answered" and not body["yes"]:
            seat = self.session.open.seat_at(body["place"]) if kind == "table" else body["seat"]
            change.note("disagreed", Text("{who} does not agree; nothing is changed.", {"who": Who(seat)}))

    def void(self, change: Change, text: Text, why: Text, **more: Any) -> None:
        """Make void what the open question has gathered, and tell people; ``why`` and ``more`` are for the log."""
        change.note("void", text)
        change.feed("void", {"id": self.session.id, "why": str(why), **more})

    @property
    def deadline(self) -> float | None:
        """Return when the open window closes, the open choice is void or play goes on after a call, unless something
        happens before."""
        return self._deadline

    @deadline.setter
    def deadline(self, at: float | None) -> None:
        self._deadline = at
        self._end.set(at)

    def _pass_deadline(self) -> None:
        """Make a choice void that is not opened in time; have play go on after a call. A window is the table's to
        close."""
        session = self.session
        if session.open.to_open and session.question is not None:
            late = [seat for seat in session.question.seats if seat not in session.open.opened]
            text = Text("{who} did not open a choice; everyone chooses again.", {"who": [Who(seat) for seat in late]})
            change = Change(session)
            self.void(change, text, Text("a choice was not opened in time"), seats=late)
            self.commit(change)
        elif session.calling:
            self.feed("elapsed", {"id": session.id})

    def prolong_call(self) -> None:
        """Restart the caller's time limit."""
        if self.session.calling:
            self.deadline = self.clock.now() + CALL_S

    def look(self) -> Snapshot:
        """Return a snapshot for those who watch."""
        return Snapshot(
            self.session,
            self.info,
            over=self.session.finished,
            head=self.log.head,
            now=self.clock.now(),
            walked=self.table.walked,
            deadline=self.deadline,
            remarks=self.log.game(self.info.id).remarks if self.session.finished else (),
        )
