"""The conductor: a session with its log, its sources and its table.

What comes in is one thing at a time, and each is one transaction: the input and all that follows from it (moves,
chance, the next question) become durable together. Then the table's event is acknowledged, then viewers are shown what
they may see, then the table is asked: in this order, always.
"""

from __future__ import annotations

import os
import random
import threading
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

from tablier.games import abilities_of, script_of, words_of
from tablier.games.core import Position
from tablier.games.core.prelude import Prelude
from tablier.games.core.questions import QUIET_S, Choice, Roll, ScriptOf, Window, doubt
from tablier.log import Entry, Log, LogError
from tablier.log.bodies import check
from tablier.log.chain import SINCE
from tablier.log.fold import standing
from tablier.play.asides import CONSENT, SEEN
from tablier.play.audience import Audience, Watcher
from tablier.play.beginning import SCHEMA, versions_of
from tablier.play.chairs import Chairs
from tablier.play.chance import Sources
from tablier.play.change import Change
from tablier.play.connections import Deliver
from tablier.play.declined import Declined
from tablier.play.entries import INPUTS, Body
from tablier.play.hints import Hints
from tablier.play.inbox import Inbox
from tablier.play.logged import is_hello, position_after, seats_of
from tablier.play.requests import (
    Back,
    Command,
    Correct,
    Dispute,
    DoneReply,
    Hint,
    Hurry,
    LockedReply,
    Mistake,
    SeatReply,
    Stop,
    ThrownReply,
)
from tablier.play.roll_count import RollCount
from tablier.play.session import CONTRIBUTION_BYTES, Effects, Made, Note, Session, whose
from tablier.play.table_side import TableSide
from tablier.play.views import Snapshot
from tablier.table.client import Client
from tablier.table.clock import Clock
from tablier.table.incoming import Incoming, Plugged, Rebooted, Refused, TableEvent, Unfit, Unplugged, Walked
from tablier.texts import Text, Who, all_of, counted
from tablier_fw import wire

OPENING_S = 30.0
"""The seconds a screen may take to open its choice when all are bound."""
STAND_S = 5.0
"""The seconds the end stands on the table before people are asked whether they have seen it."""
IDLE_S = 1.0
_ROLLED_AGAIN = Text("The table did not reveal a roll as it had committed to it; it is rolled again.")
_RECALLED = 24  # moves of a game that is resumed


class Stopped(Exception):
    """Somebody has asked to stop; the game can be resumed."""


class _LogSupply:
    """Ids and salts: those of the log while it is fed, new ones after it."""

    def __init__(self, log: Log, game: int) -> None:
        self._log = log
        self._game = game
        self.replayed: deque[int] = deque()

    def question_id(self) -> int:
        return self.replayed.popleft() if self.replayed else self._log.next_id(self._game)

    def salt(self) -> str:
        return os.urandom(16).hex()


class Conductor:
    """Conducts one game, from where its log stands. Screens speak to it by its :attr:`inbox`.

    Call :meth:`start`, then :meth:`take` with whatever the client's ``poll`` returns and :meth:`work` in between.
    ``pace`` is how long bots take for a decision, in seconds.
    """

    def __init__(
        self,
        log: Log,
        game: int,
        clock: Clock,
        client: Client | None = None,
        *,
        inbox: Inbox | None = None,
        by_claim: Text | None = None,
        advice: Text | None = None,
        quiet_s: float = QUIET_S,
        pace: float = 0.0,
        dice: random.Random | None = None,
        port: str | None = None,
        position: Position[Any] | None = None,
        script: ScriptOf | None = None,
    ) -> None:
        """``by_claim``: why landings are not to be trusted, so that people enter their cards; ``None`` if they are.

        ``port``: where the table is, for whoever resumes the game; ``None`` where it ends with this program.

        ``position`` and ``script`` stand in for those of the game's name.
        """
        self.log = log
        self.game = game
        self.clock = clock
        self.client = client
        if client is not None:
            client.judges = False  # the session does
        self.info = log.game(game)
        self._abilities = 0 if script else abilities_of(self.info.game)
        self._supply = _LogSupply(log, game)
        self._by_claim = by_claim
        self._advice = advice
        self._before = list(log.entries(game))  # what :meth:`start` takes up
        body = self._before[0].body
        sources = Sources.read(body)
        self._abilities |= sources.abilities
        self._versions = None if script else versions_of(self.info.game)
        if script is None:
            self._check_readable()
        # Until the first move a prelude is fed again, over or not.
        begun = position is not None or any(entry.kind in _MOVES for entry in self._before)
        prelude = body.get("prelude", False) and not begun
        info = self.info._replace(options=body["options"]) if prelude else self.info
        self.session = Session(
            position or position_after(info, standing(self._before)),
            seats_of(self.info),
            script or script_of(self.info.game)[0],
            self._supply,
            prelude=prelude,
            practice=body.get("practice", False),
            sources=sources,
            quiet_s=quiet_s,
        )
        self.inbox = inbox or Inbox(clock)
        self._audience = Audience(self._look)
        self._chairs = Chairs(
            self.session,
            self.info,
            log,
            clock,
            self.inbox,
            pace=pace,
            dice=dice or random.Random(),
            note=self._audience.note,
            publish=self._audience.publish,
            take=self._take_reply,
        )
        self._hints = Hints(self.session, lambda sender, hint: self.inbox.post("hint", (sender, hint)))
        self._shown: int = 0  # the id of the question that was asked last
        self._deadline: float | None = None
        self._strayed = 0  # the latest question with a cursor where none can be
        self._over_told = False
        self._unrevealed = 0  # how many rolls people know of that the table has not revealed
        self._rolls = RollCount(client, self.session, log, clock)
        self._table = TableSide(client, self.session, log, game, clock, by_claim=by_claim, port=port)

    @property
    def over(self) -> bool:
        """Return whether the game is over, and nobody is asked whether moves are taken back."""
        question = self.session.question
        return self.session.over and (question is None or question.what == SEEN)

    def ask_whether_seen(self) -> None:
        """Ask those who sit at the table whether they have seen the end."""
        change = Change(self.session)
        change.feed("shown", {})
        self._commit(change)

    def rest(self) -> None:
        """Have the table ask nothing any more."""
        self._table.rest()

    @property
    def showing(self) -> bool:
        """Return whether the table still has something to show of what has moved."""
        return self._table.moving

    @property
    def counting(self) -> bool:
        """Return whether the table is about to say how many rolls it counts, after the end of the game."""
        return self.over and self._rolls.waits

    # -- from where the log stands ------------------------------------------------------------------------------------

    def start(self) -> None:
        """Take the game up where its log stands, and ask. Raise ``TableError`` when the table lacks what it needs."""
        if self.client is not None:
            self.client.require(self._abilities, self.info.game)
        self.inbox.home = threading.get_ident()
        rules = self.session.position.rules
        if isinstance(rules, Prelude):
            self._audience.note("prelude", rules.TEXT)
        change = Change(self.session)
        self._resume(change)
        missing = self._table.missing()
        if missing is None:
            self._catch_up()
        if self.client is not None and self.client.boot is not None:
            known = self._table.known
            if known is None:
                change.items.insert(0, self._table.hello(self.client.boot))
            elif known["boot"] != self.client.boot:
                self._restart(change, self.client.boot, self.client.lost)
            elif self._table.by_claim_changed:
                change.feed(*self._table.hello(self.client.boot))
        self._rolls.compare_soon()
        if self._advice:
            change.note("advice", self._advice)
        if self._by_claim:
            text = Text("Cards are entered by those who throw them, because {why}.", {"why": self._by_claim})
            change.note("by_claim", text)
        if missing is None:
            self._commit(change)
        else:
            self._lose(change, missing)

    def _check_readable(self) -> None:
        """Raise ``LogError`` unless all entries of the game are such as this program writes."""
        where = f"{self.log.path}: game {self.game}"
        schema = self._before[0].body.get("schema")
        if schema != SCHEMA:
            text = "{where} is of schema {schema}, which this program does not write; it cannot be resumed"
            raise LogError(text, where=where, schema=repr(schema))
        for entry in self._before:
            try:
                check(entry)
            except ValueError as error:
                raise LogError("{where}: entry {n} {error}", where=where, n=entry.n, error=error) from None

    def _resume(self, change: Change) -> None:
        """Feed the session all that came in since the last move; add what is still to be logged."""
        session, entries = self.session, self._before
        self._before = []
        last = max(n for n, entry in enumerate(entries) if entry.kind in ("game", "versions", *_MOVES))
        asks = [n for n, entry in enumerate(entries) if n > last and entry.kind == "ask"]
        older = self._versions is not None and _played_with(entries) != self._versions
        if older:  # what an older script has asked since the last move is asked by the new one
            assert self._versions is not None
            change.log("versions", self._versions)
            asks = []
        asked = [int(entries[n].body["id"]) for n in asks]
        begun = asks[0] if asked else len(entries)
        settled = [entry.body for entry in entries[:begun] if entry.kind == "source"]
        if settled:
            session.sources = Sources(tuple(settled[-1]["dice"]), settled[-1]["bag"])
        session.unrevealed = self._unrevealed = sum(
            entry.kind == "aborted" and "rolls" not in entry.body for entry in entries[:begun]
        )
        for entry in entries[:begun]:
            if entry.kind not in (*_REQUESTS, SINCE):  # what they have changed is so from the beginning
                self._settle(entry)
        if self.client is not None and self._table.known is None and self.client.boot is not None:
            session.feed(*self._table.hello(self.client.boot))
            self._table.known = None
        self._recall()
        self._supply.replayed.extend(asked)
        if session.over and self.info.ended:  # people may have been asked whether moves are taken back
            for entry in [] if older else entries[last + 1 :]:
                self._settle(entry)
            if session.question is not None:
                self._name_run(change)
            return
        if asked:
            self._announce_all(session.begin())
            if not session.over:
                for entry in entries[begun:]:
                    self._settle(entry)
                self._table.still()  # what a prelude has drawn was shown before
                self._unbind(change)
        else:
            self._name_run(change)  # first: a choice that is asked at once is bound to it
            change.begin()

    def _settle(self, entry: Entry) -> None:
        """Feed the session an entry of the log."""
        if is_hello(entry):
            self._table.known = entry.body
        if entry.kind in INPUTS:
            try:
                self._announce_all(self.session.feed(entry.kind, entry.body, entry.boot))
            except Declined:
                pass  # of a question that is over

    def _name_run(self, change: Change) -> None:
        """Name this run of the host, which choices without a table are bound to."""
        if self.client is None:
            change.feed("run", {"run": os.urandom(8).hex()})

    def _unbind(self, change: Change) -> None:
        """Have everybody choose again where a screen's or a bot's choice was lost with the last run of the host."""
        self._name_run(change)
        away = [seat for seat in self.session.locked if not self.session.seats[seat - 1].at_table]
        if away or (self.client is None and isinstance(self.session.question, Choice)):
            text = Text("A choice was lost when the program restarted; everyone chooses again.")
            self._void(change, text, Text("a choice was lost when the host restarted"))

    def _answer(self, change: Change, kind: str, body: Body, boot: str | None = None) -> None:
        """Feed the session a reply; tell people when one of them does not agree to what another wants."""
        asked = self.session.question
        change.feed(kind, body, boot)
        consents = asked is not None and asked.what == CONSENT and asked is not self.session.question
        if consents and body["event"] == "answered" and not body["yes"]:
            seat = self.session.seat_at(body["place"]) if kind == "table" else body["seat"]
            change.note("disagreed", Text("{who} does not agree; nothing is changed.", {"who": Who(seat)}))

    def _void(self, change: Change, text: Text, why: Text, **more: Any) -> None:
        """Make void what the open question has gathered, and tell people; ``why`` and ``more`` are for the log."""
        change.note("void", text)
        change.feed("void", {"id": self.session.id, "why": str(why), **more})

    def _recall(self) -> None:
        """Tell what happened last, in a game that is resumed."""
        twin = self.session.position.copy()
        told: list[Made] = []
        while twin.ply and len(told) < _RECALLED:
            events, after = twin.last_events(), twin.copy()
            told.append(Made(twin.pop(), events, after))
        for made in reversed(told):
            self._tell(made)
        self._table.still()
        if told:
            one, more = "The game resumes after {count} move.", "The game resumes after {count} moves."
            self._audience.note("resumed", counted(self.session.position.ply, one, more))

    # -- what comes in from the table ---------------------------------------------------------------------------------

    def take(self, incoming: Incoming) -> None:
        """Take what has come from the table: log it, act on it, acknowledge it."""
        session = self.session
        if isinstance(incoming, TableEvent):
            self._take_event(incoming)
        elif isinstance(incoming, Unfit):
            self._take_unfit(incoming)
        elif isinstance(incoming, Refused):
            self._audience.note("refusal", Text("The table refused a message: {why}.", {"why": incoming.why}))
            if incoming.message is wire.CONTRIBUTION and session.rolling:
                change = Change(self.session)
                self._void(change, _ROLLED_AGAIN, incoming.why)
                self._commit(change)
            self._audience.publish()
        elif isinstance(incoming, Walked):
            if incoming.question == session.id:
                self._walk(incoming.place, incoming.option)
        elif isinstance(incoming, Rebooted):
            known = self._table.known
            if known is None or known["boot"] != incoming.boot:  # else :meth:`start` has seen to it
                change = Change(self.session)
                self._restart(change, incoming.boot, incoming.lost)
                self._commit(change)
        elif isinstance(incoming, Unplugged):
            self._audience.note(
                "unplugged", Text("The table does not answer. Is its cable plugged in? The game waits.")
            )
            self._audience.publish()
        elif isinstance(incoming, Plugged):
            assert self.client is not None
            self._catch_up()
            self._rolls.compare_soon()
            self._audience.note("plugged", Text("The table answers at {port}.", {"port": incoming.port}))
            if self.client.warning:
                self._audience.note("warning", Text("Warning: {what}.", {"what": self.client.warning}))
            self._audience.publish()

    def _take_event(self, event: TableEvent) -> None:
        body = self._table.body_of(event)
        change = Change(self.session)
        if body["event"] == "closed" and body["id"] == self.session.id and isinstance(self.session.question, Window):
            change.note("closed", Text("The window is closed."))  # before what follows from it
            self._table.show_closed()
        if event.message is wire.REVEALED:
            self._table.hold()  # until then the ring shows the outcome
        try:
            self._answer(change, "table", body, event.boot)
        except Declined as error:
            change = Change(self.session)
            self._add_fault(change, event.boot, {"what": body["event"], "event": body}, error.text)
            self._commit(change, event)
            return
        if self.session.contribution_due:
            contribution = os.urandom(CONTRIBUTION_BYTES).hex()
            change.feed("contribution", {"id": self.session.id, "bytes": contribution})
        asked = body.get("id") == self.session.id
        if asked and isinstance(self.session.question, Window):
            self._tell_window(change, body)
        self._commit(change, event)
        if asked and self._deadline is not None:
            self._table.light(self._deadline)
        if self.session.rolling:
            self._table.contribute()

    def _tell_window(self, change: Change, body: Body) -> None:
        if body["event"] == "landed":
            unsure = doubt(body["confidence"], body["doubts"])
            lands = Text("A card lands in the arena.")
            change.note("landed", Text("A card lands in the arena ({doubt}).", {"doubt": unsure}) if unsure else lands)
            window = self.session.question
            assert isinstance(window, Window)
            if not body["doubts"] & wire.UNSEEN:  # it may be a knock, which keeps no window open
                self._deadline = self.clock.now() + window.quiet_s
        elif body["event"] == "done":
            who = {"who": Who(self.session.seat_at(body["place"]))}
            missed = Text("{who} throws no more; a card of theirs missed the arena.", who)
            change.note("done", missed if body["missed"] else Text("{who} throws no more.", who))

    def _walk(self, place: int, option: int) -> None:
        """Follow a place through its menu. Where it cannot be is a fault of the table, noted once a question."""
        why = self.session.astray(place, option)
        if why is None:
            self._table.walk(self.session.seat_at(place), option)
            self._audience.publish()
        elif self._strayed != self.session.id:
            self._strayed = self.session.id
            self._take_unfit(Unfit("", 0, wire.CURSOR.name, why))

    def _note_fault(self, change: Change, what: str, why: Text) -> None:
        args = {"what": what, "why": why}
        change.note("fault", Text("The table reported something impossible ({what}): {why}.", args))

    def _add_fault(self, change: Change, boot: str, body: Body, why: Text) -> None:
        """Announce and log a report of the table that cannot be true; do not use it."""
        self._note_fault(change, body["what"], why)
        asked, rolling = self.session.id, isinstance(self.session.question, Roll)
        change.feed("fault", {**body, "why": why.to_json()}, boot)
        if self.session.id != asked:
            text = Text("What a place opened is not what it had locked; everyone chooses again.")
            change.note("void", _ROLLED_AGAIN if rolling else text)

    def _take_unfit(self, unfit: Unfit) -> None:
        """Log what the client has found to be no message, or out of its time; it changes nothing in the game."""
        body: Body = {"what": unfit.what}
        change = Change(self.session)
        if unfit.event is not None:
            body |= {"event": self._table.body_of(unfit.event), "heard": self.clock.date(self.clock.now())}
        elif unfit.number:
            body |= {"code": unfit.code, "payload": unfit.payload.hex()}
        if unfit.number:
            self._add_fault(change, unfit.boot, body, unfit.why)
            self._commit(change, unfit)
            return
        self._note_fault(change, unfit.what, unfit.why)
        change.log("warning", {**body, "why": unfit.why.to_json()})
        self._commit(change)

    def _restart(self, change: Change, boot: str, lost: int | None) -> None:
        """Take note that the table has another boot: what it had not sent is lost, and what it was asked is void.

        ``lost`` is how many events that is; ``None`` where nobody knows.
        """
        known = self._table.known
        assert known is not None and self.client is not None
        self._rolls.forget()
        self._rolls.compare_soon()
        before = known["boot"]
        after = self.log.cursor(before)
        what = Text("it is unknown whether events are lost")
        if lost is not None:
            what = counted(lost, "{count} event is lost", "{count} events are lost", "no event is lost")
        text = Text("The table has restarted: {what}; asking again.", {"what": what})
        question, session = self.session.question, self.session
        locked = [seat for seat in session.locked if session.seats[seat - 1].at_table]
        if isinstance(question, Choice) and locked:
            args = {"what": what, "who": all_of([Who(seat) for seat in locked])}
            args["all"] = all_of([Who(seat) for seat in question.seats])
            told = "The table has restarted: {what}, but it has forgotten what {who} had locked. {all} choose again."
            text = Text(told, args)
        if known["board"] != self.client.board:
            text = Text("This is another table than before; asking again.")
        change.note("restarted", text)
        change.feed(*self._table.hello(boot))
        change.feed("gap", {"boot": before, "after": after, "lost": lost})

    def _lose(self, change: Change, missing: Body) -> None:
        """Log and tell what is missing, and have the people at the table asked before the game goes on."""
        assert self.client is not None and self.client.boot is not None
        if change.items:
            self.log.append_all([(self.game, kind, body) for kind, body in change.items])
            change.items = []
        self._rolls.forget()
        self.log.leap_ids()  # those of the questions that were lost are the table's still
        cursor = self.client.boot, self.client.since
        args = {
            "last": cursor[1] - missing["lost"],
            "lost": counted(missing["lost"], "{count} event that was taken is", "{count} events that were taken are"),
            "rolls": counted(missing["rolls"], "{count} roll", "{count} rolls", "no roll"),
        }
        text = Text(
            "This log is older than the table: it ends at event {last}, and {lost} missing, {rolls} among them.", args
        )
        change.note("older", text)
        change.feed(SINCE, missing, cursor[0])
        self._commit(change, cursor=cursor)

    def _catch_up(self) -> None:
        """Log that events of this boot of the table are in another log: it was played at from elsewhere."""
        client = self.client
        if client is not None and client.boot is not None and client.since > self.log.cursor(client.boot):
            self._rolls.forget()
            self.log.append(self.game, SINCE, {}, (client.boot, client.since))

    # -- what comes in from screens; any thread -----------------------------------------------------------------------

    def watch(self, viewers: Sequence[int | None], deliver: Deliver) -> None:
        """Have the updates of some viewers delivered, in this thread."""
        self._audience.add(Watcher(viewers, deliver))

    def work(self) -> float:
        """Take what screens have sent, let bots decide; return after how many seconds to be called again.

        Raises :class:`Stopped` when somebody asked to stop.
        """
        while (sent := self.inbox.take()) is not None:
            self._handle(*sent)
        while self._chairs.decide():
            pass
        self._compare_rolls()
        now = self.clock.now()
        if self.session.to_open and self._deadline is not None and now >= self._deadline:
            self._give_up_on_openings()
        waits = [IDLE_S]
        if (wait := self._table.work()) is not None:
            waits.append(wait)
        if (wait := self._chairs.wait) is not None:
            waits.append(wait)
        if self.session.to_open and self._deadline is not None:
            waits.append(self._deadline - now)
        return max(0.001, min(waits))

    def _handle(self, what: str, value: Any) -> None:
        if what == "watch":
            self._audience.welcome(value)
        elif what == "leave":
            self._audience.remove(value)
        elif what == "decided":
            self._chairs.decided(*value)
        elif what == "refused":
            self._audience.refuse(*value)
        elif what == "hint":
            self._audience.answer(*value)
        else:
            sender, request = value
            try:
                if isinstance(request, SeatReply):
                    self._check_screen(request.seat)
                    self._take_reply(request)
                elif isinstance(request, Hint):
                    own = sender.holds(request.seat)
                    if not own:
                        self._check_place(request.seat)
                    self._hints.give(sender, request.seat, request.n, own=own)
                elif isinstance(request, Back | Mistake) and not sender.holds(request.seat):
                    self._check_place(request.seat)
                    self._take_command(request)
                else:
                    self._take_command(request)
            except Declined as error:
                self._audience.refuse(sender, request.seat or None, error.text)

    def _check_place(self, seat: int) -> None:
        """Raise :class:`Declined` unless a seat is at the table, where nobody can type."""
        seats = self.session.seats
        if seat > len(seats):
            raise Declined("there is no seat {seat}", seat=seat)
        if not seats[seat - 1].at_table:
            raise Declined("{who} asks for that at a screen", who=Who(seat))

    def _check_screen(self, seat: int) -> None:
        """Raise :class:`Declined` unless a seat replies at a screen."""
        seats = self.session.seats
        if seat > len(seats):
            raise Declined("there is no seat {seat}", seat=seat)
        if seats[seat - 1].at_table:
            raise Declined("this seat replies at its place")
        if seats[seat - 1].is_bot:
            raise Declined("a bot replies for this seat")

    def _take_command(self, command: Command) -> None:
        if isinstance(command, Stop):
            raise Stopped
        if isinstance(command, Hurry):
            self._chairs.hurried = True
        elif isinstance(command, Back):
            to = self.session.past.before_last_of(command.seat, command.count)
            change = Change(self.session)
            change.feed("request", {"to": to, "seat": command.seat})
            self._commit(change)
        elif isinstance(command, Mistake):
            change = Change(self.session)
            change.feed("mistake", {"seat": command.seat})
            self._commit(change)
        elif isinstance(command, Correct):
            self._correct({"at": self._doubted(command), "move": command.move.strip(), "seat": command.seat})
        elif isinstance(command, Dispute):
            self._dispute({"at": self._doubted(command), "text": command.text.strip(), "seat": command.seat})

    def _dispute(self, body: Body) -> None:
        change = Change(self.session)
        change.feed("dispute", body)
        args: dict[str, Any] = {"who": whose(body["seat"]), "at": body["at"], "text": body["text"]}
        if self.session.past.is_secret(body["at"]):
            said = Text("{who} disputes move {at}: {text}", args)
        else:
            args["move"] = self.session.position.moves[body["at"] - 1].typed
            said = Text("{who} disputes move {at}, {move}: {text}", args)
        change.note("dispute", said)
        self._commit(change)

    def _doubted(self, command: Correct | Dispute) -> int:
        """Return the number of the move that a seat doubts; where it names none, that of the last one of a seat."""
        if command.at is not None:
            return command.at
        moves = self.session.position.moves
        return next((at for at in range(len(moves), 0, -1) if moves[at - 1].actor), len(moves))

    def _correct(self, body: Body) -> None:
        if self.session.past.is_secret(body["at"]):
            raise Declined("a move that is still secret is not named; what was entered is put right with :correct NAME")
        change = Change(self.session)
        change.feed("correction", body)
        self._commit(change)

    def _take_reply(self, reply: SeatReply) -> None:
        """Take what a screen or a bot replies for its seat."""
        session, seat, id = self.session, reply.seat, self.session.id
        change = Change(self.session)
        self._answer(change, reply.kind, reply.body())
        if isinstance(reply, ThrownReply):
            args = {"helper": Who(session.conditions.helper(seat)), "who": Who(seat), "rank": reply.rank}
            change.note("lay", Text("{who} throws the {rank}. {helper}, please lay it.", args))
        self._commit(change)
        if isinstance(reply, LockedReply | DoneReply) and id == session.id:
            self._table.tell_outside(id, seat, reply.commitment if isinstance(reply, LockedReply) else "")

    def _give_up_on_openings(self) -> None:
        session = self.session
        late = [n for n in session.question.seats if n not in session.opened] if session.question else []
        text = Text("{who} did not open a choice; everyone chooses again.", {"who": [Who(n) for n in late]})
        change = Change(self.session)
        self._void(change, text, Text("a choice was not opened in time"), seats=late)
        self._commit(change)

    def _compare_rolls(self) -> None:
        """Say and log a difference between the table's count of its rolls and the log's."""
        difference = self._rolls.compare()
        if difference is not None:
            change = Change(self.session)
            change.note("counts", difference[0])
            change.log("warning", difference[1])
            self._commit(change)

    # -- durable, then acknowledged, then shown, then asked -----------------------------------------------------------

    def _commit(
        self, change: Change, event: TableEvent | Unfit | None = None, cursor: tuple[str, int] | None = None
    ) -> None:
        """Make a change durable; then acknowledge the event that it comes from, show it, and ask."""
        if event is not None and event.number:
            cursor = event.boot, event.number
        if change.items:
            self.log.append_all([(self.game, kind, body) for kind, body in change.items], cursor)
        if event is not None:
            assert self.client is not None
            self.client.acknowledge(event)
        for news in change.news:
            if isinstance(news, Note):
                self._audience.note(*news)
            else:
                self._announce(news)
        self._chairs.fill()
        session = self.session
        if session.unrevealed > self._unrevealed:
            count = session.unrevealed
            one, more = "It is {count} roll in this game by now.", "They are {count} rolls in this game by now."
            text = Text("The table has not revealed a roll. {count}", {"count": counted(count, one, more)})
            self._audience.note("unrevealed", text)
        self._unrevealed = session.unrevealed
        if session.id != self._shown or (self.over and not self._over_told):
            self._shown, self._over_told = session.id, self.over
            self._table.walked, self._deadline = {}, None
            if self.over:
                self._rolls.compare_at_end()
            if isinstance(session.question, Window) and session.question.seen:  # the table lets its time run, too
                self._deadline = self.clock.now() + session.question.quiet_s
            self._chairs.ask()
            self._audience.publish()  # first: what the table asks is never newer than what viewers know
            self._table.ask(self._deadline)
            return
        if session.to_open and self._deadline is None:
            self._deadline = self.clock.now() + OPENING_S
        self._audience.publish()

    # -- updates ------------------------------------------------------------------------------------------------------

    def _announce_all(self, effects: Effects) -> None:
        """Tell of moves that are in the log already."""
        for made in effects.made:
            self._announce(made)

    def _announce(self, made: Made) -> None:
        """Note what people are told of a move, and who carries it out on the table for a seat that is not there."""
        self._tell(made)
        move = made.move
        if move is None or not move.actor or self.session.seats[move.actor - 1].at_table:
            return
        helper = self.session.conditions.helper(move.actor)
        if helper and any(event.kind in words_of(self.info.game).by_hand for event in made.events):
            args = {"helper": Who(helper), "who": Who(move.actor)}
            self._audience.note("lay", Text("{helper}, please do that on the table for {who}.", args))

    def _tell(self, made: Made) -> None:
        """Note what people are told of a move; without one, that moves were taken back."""
        move, events, position = made
        if move is None:
            one, more = "Moves were taken back; {count} move stands.", "Moves were taken back; {count} moves stand."
            self._audience.note("takeback", counted(position.ply, one, more, "All moves were taken back."))
            self._table.still()
            return
        self._table.show_move(move, position)
        turn = position.rules.view(position.state, None).get("turn")
        at = 0 if isinstance(position.rules, Prelude) else position.ply
        for event in events:
            self._audience.news.say(event.kind, event.text, event.audience, turn, at)

    def _look(self) -> Snapshot:
        """Return how things stand, for whoever watches."""
        return Snapshot(
            self.session,
            self.info,
            over=self.over,
            head=self.log.head,
            now=self.clock.now(),
            walked=self._table.walked,
            deadline=self._deadline,
        )

    def close(self) -> None:
        """Let go of the bots."""
        self._chairs.close()


def _played_with(entries: Sequence[Entry]) -> Body:
    """Return the versions of rules and script with which a game was played last."""
    last = next((entry.body for entry in reversed(entries) if entry.kind == "versions"), None)
    return dict(last or entries[0].body["versions"])


_MOVES = ("move", "takeback")
_REQUESTS = ("request", "correction", "dispute", "mistake", "shown")


def run(
    conductor: Conductor,
    *,
    stay: bool = False,
    linger_s: float = 0.0,
    hook: Callable[[], float] = lambda: IDLE_S,
) -> None:
    """Conduct a game to its end; with ``stay``, on after it, until somebody stops. Raise :class:`Stopped`.

    With ``linger_s`` the table shows the whole end, and then its last picture for so long, or until somebody there says
    that it was seen. ``hook`` is called in each round; it returns after how many seconds it wants to be called again.
    """
    conductor.start()
    shown_at: float | None = None
    asked = False
    while True:
        wait = min(hook(), conductor.work())
        if not conductor.over or conductor.counting or (linger_s and conductor.showing):
            shown_at, asked = None, False  # also where moves are taken back
        elif not stay:
            now, asks = conductor.clock.now(), conductor.session.question is not None
            shown_at = now if shown_at is None else shown_at
            if now >= shown_at + linger_s or (asked and not asks):
                conductor.rest()
                return
            if not (asked or asks) and now >= shown_at + STAND_S:
                conductor.ask_whether_seen()
                asks = True
            asked = asks
        if conductor.client is None:
            conductor.clock.wait(wait, None)
            continue
        for incoming in conductor.client.poll(wait):
            conductor.take(incoming)


__all__ = [
    "Conductor",
    "Stopped",
    "run",
]
