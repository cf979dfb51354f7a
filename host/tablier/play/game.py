"""A game that is conducted: the one way of an input, from where it comes in until the next question is asked.

What comes in (:meth:`Conductor.take` from the table, the methods for people at screens, bots' decisions, time) is fed
to the session in a change. :meth:`Conductor.commit` carries that on: durable, acknowledged, shown, asked. Nothing else
appends to the log of a game that is played, and nothing else sets the deadline of what is open.
"""

from __future__ import annotations

import os
import random
import threading
from collections.abc import Callable, Sequence
from functools import partial
from itertools import islice
from typing import Any

from tablier import waiting
from tablier.bots.bots import BotError, BotSeat
from tablier.bots.sources import COMMAND, is_bot
from tablier.bots.thinking import Here, Thinking
from tablier.course.asides import CONSENT
from tablier.course.declined import AT_ITS_PLACE, BOT_PLAYS, Declined, no_seat
from tablier.course.entries import Body
from tablier.course.seats import AT_SCREEN, AT_TABLE, Seat
from tablier.course.session import CONTRIBUTION_BYTES, Made, Note
from tablier.games import bots_of, script_of, versions_of
from tablier.games.core import Position, Prelude, shown
from tablier.games.core.questions import QUIET_S, Choice, Roll, ScriptOf, Window
from tablier.log.bodies import nearest_time
from tablier.log.chain import SINCE
from tablier.log.evenings import ABANDONED
from tablier.log.replies import DoneReply, LockedReply, SeatReply, ThrownReply
from tablier.log.store import Log
from tablier.play import telling
from tablier.play.audience import Audience, Delivered, Watcher
from tablier.play.beginning import Needs, needs_of
from tablier.play.chairs import Chairs
from tablier.play.change import Change, Failed
from tablier.play.inbox import Inbox
from tablier.play.logged import Logged, left_at
from tablier.play.reminder import Reminder
from tablier.play.requests import reply_of
from tablier.play.resuming import Resumption
from tablier.play.roll_count import RollCount
from tablier.play.sentences import IMPOSSIBLE
from tablier.play.table_side import TableSide
from tablier.play.views import Snapshot
from tablier.table.client import Client
from tablier.table.clock import Clock
from tablier.table.health import ANSWERS, changed_texts
from tablier.table.incoming import Ailing, Incoming, Plugged, Rebooted, Refused, TableEvent, Unfit, Unplugged, Walked
from tablier.table.settings import Settings
from tablier.texts import Json, Text, Who, number_text, source_text, suggest
from tablier.tracing import tracer
from tablier.waiting import WakeUps
from tablier_fw import wire

OPENING_S = 30.0
"""The seconds a screen may take to open its choice when all are bound."""
CALL_S = 60.0
"""The seconds without a press after which stopped play resumes."""
IDLE_S, _SOON_S = 1.0, 0.001
"""The most and the least seconds for which a game waits."""
AT_ONCE = 20
"""The moves that are told again in one go: others wait meanwhile."""

_TRACER = tracer("play")


class Conductor:
    """Conducts one game, from where its log stands.

    Call :meth:`start`, then :meth:`take` with whatever the client's ``poll`` returns and :meth:`work` in between.
    What people at screens do raises :class:`Declined` where the game does not allow it now; nothing has changed then.
    """

    def __init__(
        self,
        log: Log,
        game: int,
        clock: Clock,
        client: Client | None = None,
        *,
        by_claim: Text | None = None,
        margins: Sequence[int | None] = (),
        advice: Sequence[Text] = (),
        quiet_s: float = QUIET_S,
        pace: float = 0.0,
        dice: random.Random | None = None,
        thinking: Thinking | None = None,
        port: str | None = None,
        settings: Settings | None = None,
        position: Position[Any] | None = None,
        script: ScriptOf | None = None,
        logged: Logged | None = None,
    ) -> None:
        """``by_claim``: why landings are not to be trusted, so that people enter their cards where they throw any;
        ``None`` if they are. ``margins``: the percentage of its light that each beam of the table can do without.

        ``pace``: how long bots take for a decision, in seconds. ``thinking``: where built-in bots think; ``None``:
        here, and everything waits for them.

        ``port``: where the table is, for a later resume; ``None`` where it ends with this program.

        ``position`` and ``script`` stand in for those of the game's name; ``logged``: its entries, where they were read
        already.
        """
        self.log = log
        self.game = game
        self.clock = clock
        self.client = client
        self._advice = advice
        self.info = log.game(game)
        name = self.info.game
        self._resumption = Resumption(log, logged or Logged(log, game), None if script else versions_of(name))
        sources = self._resumption.sources
        needs = Needs(name, sources.abilities) if script else needs_of(name, sources)  # a test's own game declares none
        self._abilities = needs.abilities
        self._by_claim = by_claim if script or needs.arena else None
        self.session = self._resumption.session(script or script_of(name)[0], quiet_s, position)
        self.inbox = Inbox(clock)
        self._wake_ups = WakeUps()
        self._end = self._wake_ups.add(self._pass_deadline)
        self._deadline: float | None = None
        self._table = TableSide(
            *(client, self.session, log, game, clock, self._wake_ups),
            by_claim=self._by_claim,
            margins=margins,
            port=port,
            settings=settings or Settings(),
        )
        self._rolls = RollCount(client, log)
        self._reminder = Reminder(self._wake_ups)
        self._audience = Audience(self._snapshot)
        self.chairs = Chairs(
            *(self.session, self.info, log.path, clock, self._wake_ups),
            pace=pace,
            dice=dice or random.Random(),
            room=(thinking or Here()).room(),
            hear=self._hear,
            opened=lambda said: self._take_reply(reply_of(said)),
        )
        self._recalling = self._resumption.made()
        if isinstance(before := self._resumption.first.rules, Prelude):
            self._audience.news.say("prelude", before.TEXT, logged=True)
        self._unrevealed = 0  # the rolls that people have been told of
        self._asked = 0  # the id of the question that was asked last
        self._over_told = False
        self._called = 0  # the seat whose call waits until a choice has opened
        self._strayed = 0  # the latest question with a cursor where none can be

    # -- taking the game up ------------------------------------------------------------------------------------------

    def recall(self) -> bool:
        """Tell again some of what was told before the game was resumed; return whether there is more. What is left
        :meth:`start` tells."""
        news, made = self._audience.news, list(islice(self._recalling, AT_ONCE))
        for each in made:
            self._tell(each)
        news.recalled = len(news.all)
        self._table.cancel_animations()
        return len(made) == AT_ONCE

    def start(self) -> None:
        """Take the game up where its log stands, and ask. Raise ``TableError`` when the table lacks what it needs."""
        client, table, session = self.client, self._table, self.session
        if client is not None:
            client.require(self._abilities, self.info.game)
        while self.recall():
            pass
        self.inbox.home = threading.get_ident()
        change, resumption = Change(session), self._resumption
        boot = None if client is None else client.boot
        missing = table.missing()
        if missing is None:
            self._catch_up(change)
        greeting = None if boot is None else table.hello(boot)
        resumption.resume(session, change, greeting, at_table=client is not None)
        table.meet(resumption.hello)
        self._unrevealed = resumption.unrevealed
        if table.known is not None and client is not None and boot is not None:
            if table.known["boot"] != boot:
                self._restart(change, boot, client.lost)
            elif table.by_claim_changed:
                self._log_hello(change, boot)
        self._rolls.compare_soon()
        for text in self._advice:
            change.note("advice", text)
        if self._by_claim:
            text = Text("Cards are entered by those who throw them, because {why}.", {"why": self._by_claim})
            change.note("by_claim", text)
        if missing is not None:
            self._log_missing(change, missing)
        self.commit(change)

    def _catch_up(self, change: Change) -> None:
        """Add first that events of this boot of the table are in another log: it was played at from elsewhere."""
        client = self.client
        if client is not None and client.boot is not None and client.since > self.log.cursor(client.boot):
            self._rolls.forget()
            change.log(SINCE, {})
            change.cursor = client.boot, client.since

    def _log_missing(self, change: Change, missing: Body) -> None:
        """Log and tell what is missing, and ask the people at the table before the game resumes."""
        assert self.client is not None and self.client.boot is not None
        self._append(change)
        change.items = []
        self._rolls.forget()
        self.log.leap_ids()  # those of the questions that were lost are the table's still
        change.cursor = boot, last = self.client.boot, self.client.since
        change.note("older", telling.older(missing, last - missing["lost"]))
        change.feed(SINCE, missing, boot)

    # -- what comes in from the table --------------------------------------------------------------------------------

    def take(self, incoming: Incoming) -> None:
        """Take what has come from the table. What cannot be is a fault of the table, which changes nothing."""
        if isinstance(incoming, TableEvent):
            self._take_event(incoming)
        elif isinstance(incoming, Unfit):
            self._take_unfit(incoming)
        elif isinstance(incoming, Walked):
            if incoming.question == self.session.id:
                self._walk(incoming.place, incoming.option)
        else:
            self._take_word(incoming)

    def _take_event(self, event: TableEvent) -> None:
        session, table, body = self.session, self._table, self._table.body_of(event)
        change = Change(session, event)
        closes = body["event"] == "closed" and body["id"] == session.id and isinstance(session.question, Window)
        before = session.position.copy() if closes else None
        if closes:
            change.note("closed", telling.CLOSED)  # before what follows from it
        if event.message is wire.REVEALED:
            table.hold()  # until then the ring shows the outcome
        try:
            self._answer(change, "table", body, event.boot)
        except Declined as error:
            change = Change(session, event)
            self._add_fault(change, event.boot, {"what": body["event"], "event": body}, error.text)
            self.commit(change)
            return
        if before is not None:
            table.show_closed(before)  # before the moves that follow
        if session.open.contribution_due:
            change.feed("contribution", {"id": session.id, "bytes": os.urandom(CONTRIBUTION_BYTES).hex()})
        if event.message is wire.CALLED and isinstance(session.question, Choice):
            self._called = session.open.seat_at(body["place"])
        if body.get("id") == session.id and isinstance(session.question, Window):
            if (note := telling.of_window(body, session.open.seat_at(body.get("place", 0)))) is not None:
                change.note(*note)
            # What was not seen may be a knock, which keeps no window open.
            change.stirs = body["event"] == "landed" and not body["doubts"] & wire.UNSEEN
        self.commit(change)

    def _answer(self, change: Change, kind: str, body: Body, boot: str | None = None) -> None:
        """Feed the session a reply; tell people when one of them does not agree to what another wants."""
        asked, open = self.session.question, self.session.open
        change.feed(kind, body, boot)
        consents = asked is not None and asked.what == CONSENT and asked is not self.session.question
        if consents and body["event"] == "answered" and not body["yes"]:
            seat = open.seat_at(body["place"]) if kind == "table" else body["seat"]
            change.note("disagreed", Text("{who} does not agree; nothing is changed.", {"who": Who(seat)}))

    def _walk(self, place: int, option: int) -> None:
        """Follow a place through its menu. Where it cannot be is a fault of the table, noted once a question."""
        session = self.session
        why = session.open.astray(place, option)
        if why is None:
            self._postpone_reminder()
            self._set_deadline(opens=False, stirs=session.calling)
            self._table.walk(session.open.seat_at(place), option)
            self._audience.publish()
        elif self._strayed != session.id:
            self._strayed = session.id
            self._take_unfit(Unfit("", 0, wire.CURSOR.name, why))

    def _take_unfit(self, unfit: Unfit) -> None:
        """Log what the client has found to be no message, or out of its time."""
        body: Body = {"what": unfit.what}
        change = Change(self.session, unfit)
        if unfit.event is not None:
            heard = nearest_time(self.clock.date(self.clock.now()))
            body |= {"event": self._table.body_of(unfit.event), "heard": heard}
        elif unfit.number:
            body |= {"code": unfit.code, "payload": unfit.payload.hex()}
        if unfit.number:
            self._add_fault(change, unfit.boot, body, unfit.why)
        else:
            _note_fault(change, unfit.what, unfit.why)
            change.log("warning", {**body, "why": unfit.why.to_json()})
        self.commit(change)

    def _add_fault(self, change: Change, boot: str, body: Body, why: Text) -> None:
        """Announce and log a report of the table that cannot be true; do not use it."""
        _note_fault(change, body["what"], why)
        asked, rolling = self.session.id, isinstance(self.session.question, Roll)
        change.feed("fault", {**body, "why": why.to_json()}, boot)
        if self.session.id != asked:
            text = Text("What a place opened is not what it had locked; everyone chooses again.")
            change.note("void", telling.ROLLED_AGAIN if rolling else text)

    def _take_word(self, word: Incoming) -> None:
        """Take what the client itself has to say: of the table's boots, its cable and its health."""
        session, change = self.session, Change(self.session)
        if isinstance(word, Refused):
            change.note("refusal", Text("The table refused a message: {why}.", {"why": word.why}))
            if word.message is wire.CONTRIBUTION and session.open.rolling:
                change.void(telling.ROLLED_AGAIN, word.why)
        elif isinstance(word, Rebooted):
            known = self._table.known
            if known is not None and known["boot"] != word.before:  # the game began at a later boot
                return
            self._restart(change, word.boot, word.lost)
        elif isinstance(word, Unplugged):
            change.note("unplugged", telling.UNPLUGGED)
        elif isinstance(word, Ailing):
            for text in changed_texts(word.before, word.faults):
                change.note("warning", text)
        elif isinstance(word, Plugged):
            assert self.client is not None
            self._catch_up(change)
            self._rolls.compare_soon()
            change.note("plugged", ANSWERS)
            if self.client.warning:
                change.note("warning", Text("Warning: {what}.", {"what": self.client.warning}))
        self.commit(change)

    def _restart(self, change: Change, boot: str, lost: int | None) -> None:
        """Take note that the table has another boot: what it had not sent is lost, and what it was asked is void.

        ``lost`` is how many events that is; ``None`` where nobody knows.
        """
        known = self._table.known
        assert known is not None and self.client is not None
        self._rolls.forget()
        self._rolls.compare_soon()
        text = telling.restarted(self.session.open, lost)
        if known["board"] != self.client.board:
            text = Text("This is another table than before; asking again.")
        change.note("restarted", text)
        self._log_hello(change, boot)
        change.feed("gap", {"boot": known["boot"], "after": self.log.cursor(known["boot"]), "lost": lost})

    def _log_hello(self, change: Change, boot: str) -> None:
        """Log the hello of a boot of the table; the table is known by it from then on."""
        hello = self._table.hello(boot)
        self._table.meet(hello)
        change.feed("table", hello)

    # -- what comes in from screens ----------------------------------------------------------------------------------

    def reply(self, reply: SeatReply) -> None:
        """Reply to the open question for a seat at a screen."""
        seat = self._seat_of(reply.seat)
        if seat.at_table:
            raise Declined(AT_ITS_PLACE)
        if seat.is_bot:
            raise Declined("a bot replies for this seat")
        self._take_reply(reply)

    def _take_reply(self, reply: SeatReply) -> None:
        """Take what a screen or a bot replies for its seat."""
        session, seat, id = self.session, reply.seat, self.session.id
        change = Change(session)
        self._answer(change, reply.kind, reply.body())
        if isinstance(reply, ThrownReply):
            args = {"helper": Who(session.conditions.helper(seat)), "who": Who(seat), "rank": reply.rank}
            change.note("lay", Text("{who} throws the {rank}. {helper}, please lay it.", args))
        self.commit(change)
        if isinstance(reply, LockedReply | DoneReply) and id == session.id:
            self._table.tell_outside(id, seat, reply.commitment if isinstance(reply, LockedReply) else "")

    def check_speaker(self, seat: int, *, own: bool) -> None:
        """Check that a person can speak for a seat now. ``own``: who speaks has the seat; else it has to be at the
        table, where nobody can type."""
        if not own:
            self.check_at_table(seat)
        seats = self.session.seats
        if seat <= len(seats) and seats[seat - 1].is_bot:
            raise Declined(BOT_PLAYS.of(who=Who(seat)))  # who has left it says nothing for it

    def check_at_table(self, seat: int) -> None:
        """Check that a seat is at the table."""
        if not self._seat_of(seat).at_table:
            raise Declined("{who} must do that at a screen", who=Who(seat))

    def _seat_of(self, seat: int) -> Seat:
        seats = self.session.seats
        if seat > len(seats):
            raise no_seat(seat)
        return seats[seat - 1]

    def take_back(self, seat: int, count: int) -> None:
        """Ask that a seat's last ``count`` moves, and what followed, are taken back."""
        self._feed("request", {"to": self.session.past.before_last_of(seat, count), "seat": seat})

    def report_mistake(self, seat: int) -> None:
        """Say that a seat has entered in secret what it did not draw."""
        self._feed("mistake", {"seat": seat})

    def pause(self, seat: int, *, ends: bool = False) -> None:
        """Suspend the game until somebody resumes it, or resume it; 0: the keeper of the log did."""
        self._feed("pause", {"seat": seat, "ends": True} if ends else {"seat": seat})

    def call(self, seat: int) -> None:
        """Stop play: ask a seat what was not right, until it says so or lets play go on."""
        self._feed("call", {"seat": seat})

    def correct(self, seat: int, at: int | None, move: str) -> None:
        """Say what was really played as move ``at``; ``None``: the last move of a seat."""
        at = self._doubted(at)
        if self.session.past.is_secret(at):
            raise Declined("this move is still secret; type :correct and the name of the player who entered it")
        self._feed("correction", {"at": at, "move": move.strip(), "seat": seat})

    def dispute(self, seat: int, at: int | None, said: str) -> None:
        """Note that move ``at`` was not right; ``None``: the last move of a seat."""
        at, said, change = self._doubted(at), said.strip(), Change(self.session)
        change.feed("dispute", {"at": at, "text": said, "seat": seat})
        change.note("dispute", telling.disputed(seat, at, said, self.session))
        self.commit(change)

    def _doubted(self, at: int | None) -> int:
        """Return the number of the move that is doubted; where none is named, that of the last one of a seat."""
        if at is not None:
            return at
        moves = self.session.position.moves
        return next((at for at in range(len(moves), 0, -1) if moves[at - 1].actor), len(moves))

    def give_seat(self, seat: int, source: str, by: int, person: str | None = None) -> None:
        """Have something else decide for a seat from now on; tell a person who comes back what was decided.

        ``person``: who has it at a screen, where that is not who began with it.
        """
        session, info = self.session, self.info
        if source not in (AT_TABLE, AT_SCREEN) and not is_bot(info.game, source):
            known = (AT_TABLE, AT_SCREEN, *bots_of(info.game))
            about = {"seen": shown(source), "known": list(map(source_text, known)), "command": COMMAND}
            text = Text("{seen} cannot decide for a seat; allowed: {known} or {command}…", about)
            raise Declined(suggest(text, source, known, source_text))
        away = session.position.copy() if seat <= len(session.seats) and session.seats[seat - 1].is_bot else None
        change = Change(session)
        change.feed("sits", {"seat": seat, "source": source, "by": by, **({"person": person} if person else {})})
        now = session.seats[seat - 1]
        if away is not None and not now.is_bot:
            left = left_at(info, self.log.entries(info.id, "move", "takeback", "sits"), seat)
            if left is not None and not session.in_prelude:
                change.news += telling.meanwhile(seat, away, left, at_table=now.at_table)
        self.commit(change)

    def set_pace(self, seconds: float) -> None:
        """Have bots take so long for a decision from now on; tell everybody."""
        self.chairs.set_pace(seconds)
        text = Text("Bots take {seconds} s for a move.", {"seconds": number_text(seconds)})
        self._audience.note("pace", text if seconds else Text("Bots move at once.", {"seconds": "0"}))
        self._audience.publish()

    def rename(self, seat: int, name: str) -> None:
        """Have the person of a seat be called otherwise from now on."""
        self.session.rename(seat, name)
        self._audience.publish()

    def abandon(self) -> None:
        """Log that the game counts nowhere; it is to be closed then."""
        change = Change(self.session)
        change.log(ABANDONED, {})
        self._append(change)

    def _feed(self, kind: str, body: Body) -> None:
        """Feed the session an entry that stands for itself, and commit it with all that follows."""
        change = Change(self.session)
        change.feed(kind, body)
        self.commit(change)

    # -- what comes in from bots, and by time ------------------------------------------------------------------------

    def _hear(self, chair: BotSeat, said: Json | BotError) -> None:
        """Take what a bot has decided, from any thread."""
        self.inbox.post(partial(self._take_decision, chair, said))

    def _take_decision(self, chair: BotSeat, said: Json | BotError) -> None:
        """Take what a bot has decided, unless another question is open by now; replace the bot when it has failed."""
        if not self.chairs.has_decided(chair):
            return
        if isinstance(said, BotError):
            change = Change(self.session)
            self.chairs.replace(change, chair, said)
            self.commit(change)
        elif said["id"] == self.session.id and chair.seat in self.session.open.waiting:
            self._take_reply(reply_of(said))

    def act(self) -> bool:
        """Do one thing of those that are due at once: take what a bot has decided, or have a bot decide; return True if
        there was one."""
        act = self.inbox.take()
        if act is None:
            return self.chairs.decide()
        act()
        return True

    def work(self) -> None:
        """Do all that is due."""
        while self.act():
            pass
        self._compare_rolls()
        self._take_up_call()
        now = self.clock.now()
        self._wake_ups.run(now)
        awaited = self._table.awaited() if self.deadline is None else ()
        if self._reminder.is_due(now, awaited):
            self._table.remind(awaited)
        elif not awaited:
            self._table.stop_reminding()
        self.chairs.set_turn()

    def _compare_rolls(self) -> None:
        """Say and log a difference between the table's count of its rolls and the log's."""
        difference = self._rolls.compare(self.session.sources, rolling=self.session.open.rolling)
        if difference is not None:
            text, body = difference
            change = Change(self.session)
            change.note("counts", text)
            change.log("warning", body)
            self.commit(change)

    def _take_up_call(self) -> None:
        """Stop play for a place that called while the choices of screens were still to be opened."""
        session, seat = self.session, self._called
        if not seat or isinstance(session.question, Choice):
            return
        self._called = 0
        if session.seats[seat - 1].at_table:
            try:
                self.call(seat)
            except Declined:
                pass  # another place has called, or the game is over

    def _pass_deadline(self) -> None:
        """Make a choice void that is not opened in time; have play go on after a call. A window is the table's to
        close."""
        session = self.session
        if session.open.to_open:
            late = [seat for seat in session.open.asked if seat not in session.open.opened]
            change = Change(session)
            change.void(telling.late(late), Text("a choice was not opened in time"), seats=late)
            self.commit(change)
        elif session.calling:
            self._feed("elapsed", {"id": session.id})

    def ask_whether_seen(self, *, another: bool = False) -> None:
        """Ask those who sit at the table whether they have seen the end; with ``another``, whether the same people play
        another game."""
        self._feed("shown", {"another": True} if another else {})

    # -- the way of a change -----------------------------------------------------------------------------------------

    def commit(self, change: Change) -> None:
        """Make a change durable; then acknowledge the event that it comes from, show it, and ask: in this order,
        whatever a viewer does."""
        session, table = self.session, self._table
        self.chairs.fill(change)
        self._append(change)
        if change.event is not None:
            assert self.client is not None
            self.client.acknowledge(change.event)
        self._announce(change)
        opens = session.id != self._asked or (session.finished and not self._over_told)
        if opens:
            self._asked, self._over_told = session.id, session.finished
            table.turn_to_next_question()
            self.chairs.ask()
            if session.finished:
                self._rolls.compare_at_end(self.clock.now(), session.sources)
        self._set_deadline(opens=opens, stirs=change.stirs)
        self._audience.publish()  # first: what the table asks is never newer than what viewers know
        if opens:
            table.ask(self._deadline)
        else:
            table.light(self._deadline)
            if session.open.rolling:
                table.contribute()
        self._postpone_reminder()

    def _append(self, change: Change) -> None:
        """Make the entries of a change durable, in one transaction."""
        if change.items:
            begun = waiting.now()
            self.log.append_all([(self.game, kind, body) for kind, body in change.items], change.cursor)
            kinds = ", ".join(kind for kind, _ in change.items)
            _TRACER.debug("game %d: %s are durable after %.1f ms", self.game, kinds, 1000 * (waiting.now() - begun))

    def _announce(self, change: Change) -> None:
        """Hand the news of a change to those who watch, to be shown with the next update."""
        for news in change.news:
            if isinstance(news, Note):
                self._audience.note(*news)
            elif isinstance(news, Failed):
                self._audience.complain(*news)
            else:
                self._tell(news)
                if (text := telling.laid_by_hand(news, self.info.game, self.session)) is not None:
                    self._audience.note("lay", text)
        count = self.session.unrevealed
        if count > self._unrevealed:
            self._audience.note("unrevealed", telling.unrevealed(count))
        self._unrevealed = count

    def _tell(self, made: Made) -> None:
        """Have a move told and shown, or that moves were taken back."""
        if made.move is None:
            self._table.cancel_animations()
        else:
            self._table.show_move(made.move, made.position)
        for piece in telling.pieces_of(made):
            self._audience.news.say(*piece, logged=True)

    def _set_deadline(self, *, opens: bool, stirs: bool) -> None:
        """Set when what is open ends by itself, unless something happens before; nothing else does.

        ``opens``: the question has just been opened; ``stirs``: what has happened begins the time anew.
        """
        session, now = self.session, self.clock.now()
        question, at = session.question, None if opens else self._deadline
        if isinstance(question, Window):
            if stirs:
                at = now + question.quiet_s
            elif opens and question.seen:  # the table lets its time run, too
                at = self._table.asks_at + question.quiet_s
        elif session.calling and (opens or stirs):
            at = now + CALL_S
        elif session.open.to_open and at is None:  # what is resumed may be bound already
            at = now + OPENING_S
        if at != self._deadline:
            self._deadline = at
            self._end.set(at)

    @property
    def deadline(self) -> float | None:
        """Return when the open window closes, the open choice is void or play resumes after a call, unless something
        happens before."""
        return self._deadline

    def _postpone_reminder(self) -> None:
        self._reminder.postpone(self.clock.now())
        self._table.stop_reminding()

    # -- who watches -------------------------------------------------------------------------------------------------

    def watch(self, viewers: Sequence[int | None], deliver: Callable[[Delivered], None]) -> None:
        """Have the updates of some viewers delivered, in this thread."""
        self.await_start(Watcher(viewers, deliver))

    def await_start(self, watcher: Watcher) -> None:
        """Have a connection's viewers watch from the next message on."""
        self._audience.add(watcher)

    def welcome(self, watcher: Watcher) -> None:
        """Have a connection's viewers watch from now on; the first message is delivered at once."""
        self._audience.welcome(watcher)

    def leave(self, watcher: Watcher) -> None:
        """Stop delivering to a connection that watches, or has left already."""
        self._audience.remove(watcher)

    def _snapshot(self) -> Snapshot:
        """Return a snapshot for those who watch."""
        over = self.session.finished
        return Snapshot(
            self.session,
            self.info,
            over=over,
            head=self.log.head,
            now=self.clock.now(),
            deadline=self._deadline,
            remarks=self.log.game(self.game).remarks if over else (),
        )

    # -- for whoever runs it -----------------------------------------------------------------------------------------

    @property
    def over(self) -> bool:
        """Return whether the game is over, and nobody is asked whether moves are taken back."""
        return self.session.finished

    @property
    def showing(self) -> bool:
        """Return whether the table still has something to show of what has moved."""
        return self._table.moving

    @property
    def counting(self) -> bool:
        """Return whether the table is about to say how many rolls it counts, after the end of the game."""
        return self.over and self._rolls.waits(self.clock.now())

    @property
    def looked_at(self) -> bool:
        """Return whether somebody sits at the table."""
        return bool(self.session.conditions.arena)

    @property
    def hold_time(self) -> bool:
        """Return whether a bot thinks, and no time is to pass at the table meanwhile."""
        return self.chairs.hold_time

    @property
    def due(self) -> float:
        """Return when to call :meth:`work` again, by the game's clock."""
        now = self.clock.now()
        soon = now + _SOON_S
        return soon if self._rolls.reads else max(soon, min(self._wake_ups.next, now + IDLE_S))

    def set_table(self, settings: Settings) -> None:
        """Have the table be as loud and as bright as that from now on."""
        self._table.set(settings)

    def rest(self) -> None:
        """Have the table ask nothing any more."""
        self._table.rest()

    def let_go(self) -> None:
        """Drop what built-in bots were asked for. Call :meth:`close` then, in any thread."""
        self.chairs.let_go()

    def close(self) -> None:
        """End the bots that are programs."""
        self.chairs.close()


def _note_fault(change: Change, what: str, why: Text) -> None:
    change.note("fault", IMPOSSIBLE.of(what=what, why=why))
