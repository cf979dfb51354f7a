"""The conductor: a session with its log, its sources and its table.

What comes in is one thing at a time, and each is one transaction: the input and all that follows from it (moves,
chance, the next question) become durable together. Then the table's event is acknowledged, then viewers are shown what
they may see, then the table is asked: in this order, always.
"""

from __future__ import annotations

import os
import random
import struct
import threading
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from tablier.games import abilities_of, part_of, script_of
from tablier.games.core import Event, Move, Position
from tablier.games.core.lights import CHOICE_COLOURS
from tablier.games.core.prelude import Prelude
from tablier.games.core.questions import (
    QUIET_S,
    Choice,
    Menu,
    Poll,
    Roll,
    ScriptOf,
    Tally,
    Turn,
    Window,
    doubt,
    notation,
)
from tablier.log import Entry, Log, LogError
from tablier.log.bodies import check
from tablier.log.chain import SINCE
from tablier.log.fold import standing
from tablier.play.beginning import SCHEMA, versions_of
from tablier.play.chairs import Chairs
from tablier.play.chance import Sources
from tablier.play.connections import Deliver
from tablier.play.inbox import Inbox, Sender
from tablier.play.lights import Lamps, faces_of
from tablier.play.logged import is_hello, position_after, seats_of
from tablier.play.requests import (
    Back,
    Command,
    Correct,
    Dispute,
    DoneReply,
    Hurry,
    LockedReply,
    Mistake,
    PlayedReply,
    SeatReply,
    Stop,
    ThrownReply,
)
from tablier.play.sealing import Boots
from tablier.play.session import CONSENT, CONTRIBUTION_BYTES, INPUTS, SEEN, Body, Declined, Item, Session, whose
from tablier.play.views import News, Viewer, update_of
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
from tablier.table.clock import Clock
from tablier.texts import Json, Text, Who, all_of, counted
from tablier_fw import rolls, wire

GUARD_S = 1.0
"""A window never closes within this time after a landing."""
OPENING_S = 30.0
"""The seconds a screen may take to open its choice when all are bound."""
STAND_S = 5.0
"""The seconds the end stands on the table before people are asked whether they have seen it."""
IDLE_S = 1.0
COUNT_S = rolls.STAND_MS / 1000 + 1.0
"""The seconds the end of a game waits for the table's count of its rolls, of which the last may still stand."""
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
        self._port = port
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
            told=self._announce,
        )
        self.inbox = inbox or Inbox(clock)
        self._chairs = Chairs(
            self.session,
            self.info,
            log,
            clock,
            self.inbox,
            pace=pace,
            dice=dice or random.Random(),
            note=self._note,
            publish=self._publish,
            feed=self._fed,
            take=self._take_reply,
        )
        self._viewers: list[Viewer] = []
        self._news = News()
        self._table: Body | None = None  # what the log knows last of the table: the body of its hello
        self._shown: int = 0  # the id of the question that was asked last
        self._deadline: float | None = None
        self._walked: dict[int, int] = {}
        self._strayed = 0  # the latest question with a cursor where none can be
        self._over_told = False
        self._unrevealed = 0  # how many rolls people know of that the table has not revealed
        self._to_count = False  # whether the table's count of its rolls is to be compared with the log's
        self._count_until = 0.0
        self._beside: list[int] | None = None  # what the table is known to count beside the rolls of this log
        seats = self.session.seats
        away = [seat.place for seat in seats if not seat.at_table]
        self._lamps = Lamps(self._want_scene, [seat.place for seat in seats], away)

    @property
    def over(self) -> bool:
        """Return whether the game is over, and nobody is asked whether moves are taken back."""
        question = self.session.question
        return self.session.over and (question is None or question.what == SEEN)

    def ask_whether_seen(self) -> None:
        """Ask those who sit at the table whether they have seen the end."""
        self._commit(self._fed("shown", {}))

    def rest(self) -> None:
        """Have the table ask nothing any more."""
        if self.client is not None and self.session.question is not None:
            self.client.want(wire.IDLE, self.log.next_id(self.game), 0, False)

    @property
    def showing(self) -> bool:
        """Return whether the table still has something to show of what has moved."""
        return self.client is not None and self._lamps.moving

    @property
    def counting(self) -> bool:
        """Return whether the table is about to say how many rolls it counts, after the end of the game."""
        client = self.client
        waits = self._to_count and client is not None and client.connected
        return waits and self.over and self.clock.now() < self._count_until

    # -- from where the log stands ------------------------------------------------------------------------------------

    def start(self) -> None:
        """Take the game up where its log stands, and ask. Raise ``TableError`` when the table lacks what it needs."""
        if self.client is not None:
            self.client.require(self._abilities, self.info.game)
        self.inbox.home = threading.get_ident()
        rules = self.session.position.rules
        if isinstance(rules, Prelude):
            self._note("prelude", rules.TEXT)
        items = self._resume()
        missing = self._missing()
        if missing is None:
            self._catch_up()
        if self.client is not None and self.client.boot is not None:
            if self._table is None:
                items = [self._hello(self.client.boot), *items]
            elif self._table["boot"] != self.client.boot:
                items += self._restarted(self.client.boot, self.client.lost)
            elif self._table.get("by_claim") != (self._by_claim and self._by_claim.to_json()):
                items += self._fed(*self._hello(self.client.boot))
        self._to_count = True
        if self._advice:
            self._note("advice", self._advice)
        if self._by_claim:
            text = Text("Cards are entered by those who throw them, because {why}.", {"why": self._by_claim})
            self._note("by_claim", text)
        if missing is None:
            self._commit(items)
        else:
            self._lose(items, missing)

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

    def _resume(self) -> list[Item]:
        """Feed the session all that came in since the last move; return what is still to be logged."""
        session, entries = self.session, self._before
        self._before = []
        items: list[Item] = []
        last = max(n for n, entry in enumerate(entries) if entry.kind in ("game", "versions", *_MOVES))
        asks = [n for n, entry in enumerate(entries) if n > last and entry.kind == "ask"]
        if self._versions is not None and _played_with(entries) != self._versions:
            # What an older script has asked since the last move is asked by the new one.
            items, asks = [("versions", self._versions)], []
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
        if self.client is not None and self._table is None and self.client.boot is not None:
            session.feed(*self._hello(self.client.boot))
            self._table = None
        self._recall()
        self._supply.replayed.extend(asked)
        if session.over and self.info.ended:  # people may have been asked whether moves are taken back
            for entry in [] if items else entries[last + 1 :]:
                self._settle(entry)
            return items + ([] if session.question is None else self._new_run())
        if not asked:
            items += self._new_run()  # first: a choice that is asked at once is bound to it
        started = session.begin()
        if session.over or not asked:
            return items + started
        for entry in entries[begun:]:
            self._settle(entry)
        self._lamps.still()  # what a prelude has drawn was shown before
        return items + self._unbound()

    def _settle(self, entry: Entry) -> None:
        """Feed the session an entry of the log."""
        if is_hello(entry):
            self._table = entry.body
        if entry.kind in INPUTS:
            try:
                self.session.feed(entry.kind, entry.body, entry.boot)
            except Declined:
                pass  # of a question that is over

    def _new_run(self) -> list[Item]:
        """Name this run of the host, which choices without a table are bound to."""
        if self.client is not None:
            return []
        return self._fed("run", {"run": os.urandom(8).hex()})

    def _unbound(self) -> list[Item]:
        """Have everybody choose again where a screen's or a bot's choice was lost with the last run of the host."""
        items = self._new_run()
        away = [seat for seat in self.session.locked if not self.session.seats[seat - 1].at_table]
        if away or (items and isinstance(self.session.question, Choice)):
            text = Text("A choice was lost when the program restarted; everyone chooses again.")
            items += self._void(text, Text("a choice was lost when the host restarted"))
        return items

    def _answered(self, kind: str, body: Body, boot: str | None = None) -> list[Item]:
        """Feed the session a reply; tell people when one of them does not agree to what another wants."""
        asked = self.session.question
        items = self._fed(kind, body, boot)
        consents = asked is not None and asked.what == CONSENT and asked is not self.session.question
        if consents and body["event"] == "answered" and not body["yes"]:
            seat = self.session.seat_at(body["place"]) if kind == "table" else body["seat"]
            self._note("disagreed", Text("{who} does not agree; nothing is changed.", {"who": Who(seat)}))
        return items

    def _fed(self, kind: str, body: Body, boot: str | None = None) -> list[Item]:
        """Feed the session an entry; return it with those that follow from it. Raise :class:`Declined`."""
        return [(kind, body), *self.session.feed(kind, body, boot)]

    def _void(self, text: Text, why: Text, **more: Any) -> list[Item]:
        """Make void what the open question has gathered, and tell people; ``why`` and ``more`` are for the log."""
        self._note("void", text)
        return self._fed("void", {"id": self.session.id, "why": str(why), **more})

    def _recall(self) -> None:
        """Tell what happened last, in a game that is resumed."""
        twin = self.session.position.copy()
        told: list[tuple[Move, list[Event], Position[Any]]] = []
        while twin.ply and len(told) < _RECALLED:
            events, after = twin.last_events(), twin.copy()
            told.append((twin.pop(), events, after))
        for move, events, position in reversed(told):
            self._tell(move, events, position)
        self._lamps.still()
        if told:
            one, more = "The game resumes after {count} move.", "The game resumes after {count} moves."
            self._note("resumed", counted(self.session.position.ply, one, more))

    # -- what comes in from the table ---------------------------------------------------------------------------------

    def take(self, incoming: Incoming) -> None:
        """Take what has come from the table: log it, act on it, acknowledge it."""
        session = self.session
        if isinstance(incoming, TableEvent):
            self._take_event(incoming)
        elif isinstance(incoming, Unfit):
            self._take_unfit(incoming)
        elif isinstance(incoming, Refused):
            self._note("refusal", Text("The table refused a message: {why}.", {"why": incoming.why}))
            if incoming.message is wire.CONTRIBUTION and session.rolling:
                self._commit(self._void(_ROLLED_AGAIN, incoming.why))
            self._publish()
        elif isinstance(incoming, Walked):
            if incoming.question == session.id:
                self._walk(incoming.place, incoming.option)
        elif isinstance(incoming, Rebooted):
            if self._table is None or self._table["boot"] != incoming.boot:  # else :meth:`start` has seen to it
                self._commit(self._restarted(incoming.boot, incoming.lost))
        elif isinstance(incoming, Unplugged):
            self._note("unplugged", Text("The table does not answer. Is its cable plugged in? The game waits."))
            self._publish()
        elif isinstance(incoming, Plugged):
            assert self.client is not None
            self._catch_up()
            self._to_count = True
            self._note("plugged", Text("The table answers at {port}.", {"port": incoming.port}))
            if self.client.warning:
                self._note("warning", Text("Warning: {what}.", {"what": self.client.warning}))
            self._publish()

    def _take_event(self, event: TableEvent) -> None:
        assert self.client is not None
        body = self._body_of(event)
        if event.message in (wire.TALLIED, wire.PICKED) and getattr(self.session.question, "secret", False):
            body["salt"] = self._supply.salt()
        if body["event"] == "closed" and body["id"] == self.session.id and isinstance(self.session.question, Window):
            self._note("closed", Text("The window is closed."))  # before what follows from it
            self._lamps.closed(self.session.position)
        if event.message is wire.REVEALED:
            self._lamps.hold(self.clock.now() + rolls.STAND_MS / 1000)  # until then the ring shows the outcome
        try:
            items = self._answered("table", body, event.boot)
        except Declined as error:
            self._commit(self._faulty(event.boot, {"what": body["event"], "event": body}, error.text), event)
            return
        if self.session.contribution_due:
            contribution = os.urandom(CONTRIBUTION_BYTES).hex()
            items += self._fed("contribution", {"id": self.session.id, "bytes": contribution})
        asked = body.get("id") == self.session.id
        if asked and isinstance(self.session.question, Window):
            self._tell_window(body)
        self._commit(items, event)
        if asked and self._deadline is not None:
            self._light()
        if self.session.rolling:
            self._send_contribution()

    def _send_contribution(self) -> None:
        """Tell the table what is in the log, and nothing before."""
        assert self.client is not None
        bound, added = bytes.fromhex(self.session.bound), bytes.fromhex(self.session.contribution)
        self.client.want(wire.CONTRIBUTION, self.session.id, bound, added)

    def _tell_window(self, body: Body) -> None:
        if body["event"] == "landed":
            unsure = doubt(body["confidence"], body["doubts"])
            lands = Text("A card lands in the arena.")
            self._note("landed", Text("A card lands in the arena ({doubt}).", {"doubt": unsure}) if unsure else lands)
            window = self.session.question
            assert isinstance(window, Window)
            if not body["doubts"] & wire.UNSEEN:  # it may be a knock, which keeps no window open
                self._deadline = self.clock.now() + window.quiet_s
        elif body["event"] == "done":
            who = {"who": Who(self.session.seat_at(body["place"]))}
            missed = Text("{who} throws no more; a card of theirs missed the arena.", who)
            self._note("done", missed if body["missed"] else Text("{who} throws no more.", who))

    def _walk(self, place: int, option: int) -> None:
        """Follow a place through its menu. Where it cannot be is a fault of the table, noted once a question."""
        why = self.session.astray(place, option)
        if why is None:
            self._walked[self.session.seat_at(place)] = option
            self._lamps.still()
            self._light()
            self._publish()
        elif self._strayed != self.session.id:
            self._strayed = self.session.id
            self._take_unfit(Unfit("", 0, wire.CURSOR.name, why))

    def _body_of(self, event: TableEvent) -> Body:
        """Return an event as it is logged."""
        values = {key: value.hex() if isinstance(value, bytes) else value for key, value in event.values.items()}
        return {"event": event.message.name, "time": self.clock.date(event.time), **values}

    def _note_fault(self, what: str, why: Text) -> None:
        args = {"what": what, "why": why}
        self._note("fault", Text("The table reported something impossible ({what}): {why}.", args))

    def _faulty(self, boot: str, body: Body, why: Text) -> list[Item]:
        """Announce and log a report of the table that cannot be true; do not use it."""
        self._note_fault(body["what"], why)
        asked, rolling = self.session.id, isinstance(self.session.question, Roll)
        items = self._fed("fault", {**body, "why": why.to_json()}, boot)
        if self.session.id != asked:
            text = Text("What a place opened is not what it had locked; everyone chooses again.")
            self._note("void", _ROLLED_AGAIN if rolling else text)
        return items

    def _take_unfit(self, unfit: Unfit) -> None:
        """Log what the client has found to be no message, or out of its time; it changes nothing in the game."""
        body: Body = {"what": unfit.what}
        if unfit.event is not None:
            body |= {"event": self._body_of(unfit.event), "heard": self.clock.date(self.clock.now())}
        elif unfit.number:
            body |= {"code": unfit.code, "payload": unfit.payload.hex()}
        if unfit.number:
            self._commit(self._faulty(unfit.boot, body, unfit.why), unfit)
            return
        self._note_fault(unfit.what, unfit.why)
        self._commit([("warning", {**body, "why": unfit.why.to_json()})])

    def _restarted(self, boot: str, lost: int | None) -> list[Item]:
        """Take note that the table has another boot: what it had not sent is lost, and what it was asked is void.

        ``lost`` is how many events that is; ``None`` where nobody knows.
        """
        assert self._table is not None and self.client is not None
        self._to_count, self._beside = True, None
        before = self._table["boot"]
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
        if self._table["board"] != self.client.board:
            text = Text("This is another table than before; asking again.")
        self._note("restarted", text)
        return [*self._fed(*self._hello(boot)), *self._fed("gap", {"boot": before, "after": after, "lost": lost})]

    def _missing(self) -> Body | None:
        """Return what the table was told this log holds and it does not; ``None`` if nothing is missing.

        A backup that was put back, or a damaged ``-wal``, is seen by this alone, and only while the table still runs.
        """
        client = self.client
        if client is None or client.boot is None:
            return None
        # No table can have been told more than was acknowledged to it: one that says so is not believed.
        lost = min(client.told, client.since) - self.log.cursor(client.boot)
        if lost <= 0:
            return None
        known = [e.body["roll"] for e in self.log.entries() if e.boot == client.boot and "roll" in e.body]
        return {"lost": lost, "rolls": min(lost, max(0, client.status["begun"] - max(known, default=0)))}

    def _lose(self, items: list[Item], missing: Body) -> None:
        """Log and tell what is missing, and have the people at the table asked before the game goes on."""
        assert self.client is not None and self.client.boot is not None
        if items:
            self.log.append_all([(self.game, kind, body) for kind, body in items])
        self._beside = None
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
        self._note("older", text)
        self._commit(self._fed(SINCE, missing, cursor[0]), cursor=cursor)

    def _catch_up(self) -> None:
        """Log that events of this boot of the table are in another log: it was played at from elsewhere."""
        client = self.client
        if client is not None and client.boot is not None and client.since > self.log.cursor(client.boot):
            self._beside = None
            self.log.append(self.game, SINCE, {}, (client.boot, client.since))

    @property
    def _has_rolls(self) -> bool:
        """Return whether there may be rolls to count: the game rolls, or the table has rolled since it started."""
        assert self.client is not None
        return bool(self.session.sources.abilities & wire.CAN_ROLL or self.client.status.get("begun"))

    def _count_rolls(self) -> None:
        """Compare what the table counts of the rolls of its boot with this log, once nothing is on its way. Say and log
        a difference."""
        client = self.client
        if client is None or not client.abilities & wire.CAN_TUMBLE:  # older firmware does not count
            self._to_count = False
            return
        status = client.settled
        if status is None:
            return
        self._to_count = False
        if not self._has_rolls:
            return
        assert client.boot is not None
        counts = [status[name] for name in ("begun", "revealed", "acknowledged", "abandoned")]
        of = Boots(self.log.entries()).of(client.boot)
        ours = of.counts(self.session.rolling) if of else [0, 0, 0, 0]
        beside = [theirs - own for theirs, own in zip(counts, ours, strict=True)]
        if self._beside is None:  # rolls among events of which the log says that it has not got them are known of
            self._beside = beside if of and of.missing_events else [0, 0, 0, 0]
        if beside == self._beside:
            return
        self._beside = beside
        args = {"table": ", ".join(map(str, counts)), "log": ", ".join(map(str, ours))}
        text = Text(
            "The table and this log count its rolls differently. Begun, revealed, acknowledged, abandoned: {table} at"
            " the table, {log} in the log.",
            args,
        )
        self._note("counts", text)
        self._commit([("warning", {"what": "rolls", "why": text.to_json(), "boot": client.boot, "counts": counts})])

    def _hello(self, boot: str) -> Item:
        assert self.client is not None
        self._table = {"event": "hello", "board": self.client.board, "boot": boot, "version": self.client.version}
        if self._port is not None:
            self._table["port"] = self._port
        if self._by_claim:
            self._table["by_claim"] = self._by_claim.to_json()
        return "table", self._table

    # -- what comes in from screens; any thread -----------------------------------------------------------------------

    def subscribe(self, viewer: int | None, deliver: Deliver) -> None:
        """Have a viewer's updates delivered, in this thread."""
        self._viewers.append(Viewer(viewer, deliver))

    def work(self) -> float:
        """Take what screens have sent, let bots decide; return after how many seconds to be called again.

        Raises :class:`Stopped` when somebody asked to stop.
        """
        while (sent := self.inbox.take()) is not None:
            self._handle(*sent)
        while self._chairs.decide():
            pass
        if self._to_count:
            self._count_rolls()
        now = self.clock.now()
        if self.session.to_open and self._deadline is not None and now >= self._deadline:
            self._give_up_on_openings()
        waits = [IDLE_S]
        if (wait := self._lamps.work(now)) is not None:
            waits.append(wait)
        if (wait := self._chairs.wait) is not None:
            waits.append(wait)
        if self.session.to_open and self._deadline is not None:
            waits.append(self._deadline - now)
        return max(0.001, min(waits))

    def _handle(self, what: str, value: Any) -> None:
        if what == "subscribe":
            self._viewers.append(value)
            if not self._deliver(value):
                self._publish()
        elif what == "unsubscribe":
            self._unsubscribe(value)
        elif what == "decided":
            self._chairs.decided(*value)
        elif what == "refused":
            self._refuse(*value)
        else:
            sender, request = value
            try:
                if isinstance(request, SeatReply):
                    self._check_screen(request.seat)
                    self._take_reply(request)
                elif isinstance(request, Back | Mistake) and not sender.holds(request.seat):
                    self._check_place(request.seat)
                    self._take_command(request)
                else:
                    self._take_command(request)
            except Declined as error:
                self._refuse(sender, request.seat or None, error.text)

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

    def _refuse(self, sender: Sender, seat: int | None, why: Text) -> None:
        """Tell a sender, and nobody else, that something was not taken."""
        own = [viewer for viewer in self._viewers if viewer.sender is sender]
        for viewer in [viewer for viewer in own if viewer.viewer == seat] or own[-1:]:
            refused = {"n": None, "kind": "refused", "text": why.to_json(), "turn": None}
            if not self._deliver(viewer, refused):
                self._publish()

    def _take_command(self, command: Command) -> None:
        if isinstance(command, Stop):
            raise Stopped
        if isinstance(command, Hurry):
            self._chairs.hurried = True
        elif isinstance(command, Back):
            to = self.session.before_last_of(command.seat, command.count)
            self._commit(self._fed("request", {"to": to, "seat": command.seat}))
        elif isinstance(command, Mistake):
            self._commit(self._fed("mistake", {"seat": command.seat}))
        elif isinstance(command, Correct):
            self._correct({"at": self._doubted(command), "move": command.move.strip(), "seat": command.seat})
        elif isinstance(command, Dispute):
            at, text = self._doubted(command), command.text.strip()
            items = self._fed("dispute", {"at": at, "text": text, "seat": command.seat})
            args: dict[str, Any] = {"who": whose(command.seat), "at": at, "text": text}
            if self.session.is_secret(at):
                said = Text("{who} disputes move {at}: {text}", args)
            else:
                args["move"] = self.session.position.moves[at - 1].typed
                said = Text("{who} disputes move {at}, {move}: {text}", args)
            self._note("dispute", said)
            self._commit(items)

    def _doubted(self, command: Correct | Dispute) -> int:
        """Return the number of the move that a seat doubts; where it names none, that of the last one of a seat."""
        if command.at is not None:
            return command.at
        moves = self.session.position.moves
        return next((at for at in range(len(moves), 0, -1) if moves[at - 1].actor), len(moves))

    def _correct(self, body: Body) -> None:
        if self.session.is_secret(body["at"]):
            raise Declined("a move that is still secret is not named; what was entered is put right with :correct NAME")
        move, noted = self.session.corrected(body["seat"], body["at"], body["move"])
        args = {"who": whose(body["seat"]), "at": body["at"], "move": move.typed}
        text = Text("{who} says that move {at} was {move}.", args)
        self._note("correction", Text("{said} It is noted; the move stands.", {"said": text}) if noted else text)
        try:
            items = self._fed("correction", body)  # tells of the moves that it replaces
        except Declined:
            self._news.retract()
            raise
        self._commit(items)

    def _take_reply(self, reply: SeatReply) -> None:
        """Take what a screen or a bot replies for its seat."""
        session, seat, id = self.session, reply.seat, self.session.id
        body = reply.body()
        if isinstance(reply, PlayedReply) and isinstance(session.question, Turn) and self._secret(seat, reply.move):
            body["salt"] = self._supply.salt()
        items = self._answered(reply.kind, body)
        if isinstance(reply, ThrownReply):
            args = {"helper": Who(session.conditions.helper(seat)), "who": Who(seat), "rank": reply.rank}
            self._note("lay", Text("{who} throws the {rank}. {helper}, please lay it.", args))
        self._commit(items)
        if self.client is not None and isinstance(reply, LockedReply | DoneReply) and id == session.id:
            bound = bytes.fromhex(reply.commitment) if isinstance(reply, LockedReply) else bytes(32)
            self.client.want(wire.OUTSIDE, id, session.seats[seat - 1].place, seat, bound)

    def _secret(self, seat: int, text: str | None) -> bool:
        """Return whether a move may not be told to everybody when it is made; a pass may."""
        if text is None:
            return False
        rules, state = self.session.position.rules, self.session.position.state
        try:
            move = rules.parse(notation(seat, text))
        except ValueError:
            return False
        return rules.refuse(state, move) is None and rules.secret(state, move, rules.apply(state, move))

    def _give_up_on_openings(self) -> None:
        session = self.session
        late = [n for n in session.question.seats if n not in session.opened] if session.question else []
        text = Text("{who} did not open a choice; everyone chooses again.", {"who": [Who(n) for n in late]})
        self._commit(self._void(text, Text("a choice was not opened in time"), seats=late))

    # -- durable, then acknowledged, then shown, then asked -----------------------------------------------------------

    def _commit(
        self, items: list[Item], event: TableEvent | Unfit | None = None, cursor: tuple[str, int] | None = None
    ) -> None:
        """Make entries durable; then acknowledge the event that they come from, show what has changed, and ask."""
        if event is not None and event.number:
            cursor = event.boot, event.number
        if items:
            self.log.append_all([(self.game, kind, body) for kind, body in items], cursor)
        if event is not None:
            assert self.client is not None
            self.client.acknowledge(event)
        self._chairs.fill()
        session = self.session
        if session.unrevealed > self._unrevealed:
            count = session.unrevealed
            one, more = "It is {count} roll in this game by now.", "They are {count} rolls in this game by now."
            text = Text("The table has not revealed a roll. {count}", {"count": counted(count, one, more)})
            self._note("unrevealed", text)
        self._unrevealed = session.unrevealed
        if session.id != self._shown or (self.over and not self._over_told):
            self._shown, self._over_told = session.id, self.over
            self._walked, self._deadline = {}, None
            if self.over and self.client is not None and self._has_rolls:
                self._to_count, self._count_until = True, self.clock.now() + COUNT_S
            if isinstance(session.question, Window) and session.question.seen:  # the table lets its time run, too
                self._deadline = self.clock.now() + session.question.quiet_s
            self._chairs.ask()
            self._publish()  # first: what the table asks is never newer than what viewers know
            self._ask()
            return
        if session.to_open and self._deadline is None:
            self._deadline = self.clock.now() + OPENING_S
        self._publish()

    def _ask(self) -> None:
        """Have the table ask what is open."""
        if self.client is None:
            return
        session, question, id = self.session, self.session.question, self.session.id
        self._light()
        if question is None:
            self.client.want(wire.IDLE, self.log.next_id(self.game), 0, not session.over)
            return
        here = [seat for seat in question.seats if session.seats[seat - 1].at_table]
        places, outside = self._mask(here), self._mask([seat for seat in question.seats if seat not in here])
        if isinstance(question, Window):
            quiet, guard = round(question.quiet_s * 1000), round(GUARD_S * 1000)
            first = question.below % wire.GROUPS[wire.RING]
            self.client.want(wire.WINDOW, id, 0, places, outside, quiet, guard, question.seen, first)
            for seat in sorted(session.answered - set(here)):  # of a window that was open when the game was interrupted
                self.client.want(wire.OUTSIDE, id, session.seats[seat - 1].place, seat, bytes(32))
        elif isinstance(question, Roll):
            audience = wire.NOBODY if question.secret else wire.EVERYBODY
            if question.secret and question.viewer:
                audience = session.seats[question.viewer - 1].place
            ranges = struct.pack(f"<{len(question.ranges)}H", *question.ranges)
            self.client.want(wire.ROLL, id, 0, session.starter, audience, ranges)
            if session.contribution:
                self._send_contribution()
        elif not here:
            self.client.want(wire.IDLE, id, 0, True)
        elif isinstance(question, Tally):
            flags = wire.MARK * question.mark | wire.VEIL * question.secret
            faces = faces_of(session.position.rules.name, question.faces)
            place, given = session.seats[question.seats[0] - 1].place, bytes(question.given)
            self.client.want(wire.TALLY, id, flags, place, question.dice, faces, given)
        elif isinstance(question, Choice):
            allowed, seats = bytearray(wire.PLACES), bytearray(wire.PLACES)
            for seat in here:
                place = session.seats[seat - 1].place
                allowed[place - 1] = sum(1 << option for option in question.allowed[seat])
                seats[place - 1] = seat
            colours = CHOICE_COLOURS[: len(question.options)]
            self.client.want(wire.CHOICE, id, 0, places, outside, bytes(allowed), bytes(seats), colours)
        elif isinstance(question, Poll):
            self.client.want(wire.POLL, id, wire.FIRST if question.first else 0, places)
        elif isinstance(question, Menu):
            place = session.seats[question.seats[0] - 1].place
            open_ = sum(1 << option for option in range(len(question.labels)) if option not in question.shut)
            flags = wire.SECRET * question.secret
            self.client.want(wire.MENU, id, flags, place, question.start, open_, bytes(question.labels))

    def _light(self) -> None:
        session = self.session
        question = session.question
        option = self._walked.get(question.seats[0], question.start) if isinstance(question, Menu) else None
        closes_at = self._deadline if isinstance(question, Window) else None
        self._lamps.show(session.position, question, option, self.clock.now(), closes_at)

    def _want_scene(self, group: int, pixels: bytes) -> None:
        if self.client is not None:
            self.client.want(wire.SCENE, group, pixels)

    def _mask(self, seats: Iterable[int]) -> int:
        return sum(1 << (self.session.seats[seat - 1].place - 1) for seat in seats)

    # -- updates ------------------------------------------------------------------------------------------------------

    def _announce(self, move: Move | None, events: Sequence[Event], position: Position[Any]) -> None:
        """Note what people are told of a move, and who carries it out on the table for a seat that is not there."""
        self._tell(move, events, position)
        if move is None or not move.actor or self.session.seats[move.actor - 1].at_table:
            return
        helper = self.session.conditions.helper(move.actor)
        if helper and any(event.kind in _by_hand(self.info.game) for event in events):
            args = {"helper": Who(helper), "who": Who(move.actor)}
            self._note("lay", Text("{helper}, please do that on the table for {who}.", args))

    def _tell(self, move: Move | None, events: Sequence[Event], position: Position[Any]) -> None:
        """Note what people are told of a move; without one, that moves were taken back."""
        if move is None:
            one, more = "Moves were taken back; {count} move stands.", "Moves were taken back; {count} moves stand."
            self._note("takeback", counted(position.ply, one, more, "All moves were taken back."))
            self._lamps.still()
            return
        if self.client is not None:
            self._lamps.moved(move, position)
        turn = position.rules.view(position.state, None).get("turn")
        at = 0 if isinstance(position.rules, Prelude) else position.ply
        for event in events:
            self._news.say(event.kind, event.text, event.audience, turn, at)

    def _note(self, kind: str, text: Text) -> None:
        self._news.say(kind, text)

    def _publish(self) -> None:
        """Show every viewer what it may see now. One that fails is told to the others, and gets no more updates."""
        failed = [viewer for viewer in tuple(self._viewers) if not self._deliver(viewer)]
        if failed:
            self._publish()

    def _deliver(self, viewer: Viewer, *refused: Json) -> bool:
        """Show a viewer what it may see now; return False, and end its subscription, when it fails."""
        update = update_of(
            self.session,
            self.info,
            viewer.viewer,
            news=[*self._news.since(viewer), *refused],
            over=self.over,
            head=self.log.head,
            now=self.clock.now(),
            walked=self._walked,
            deadline=self._deadline,
        )
        try:
            viewer.deliver(update)
        except Exception as error:
            self._unsubscribe(viewer)
            text = Text("A screen failed ({why}); it gets no more updates.", {"why": repr(error)})
            self._note("screen", text)
            return False
        return True

    def _unsubscribe(self, viewer: Viewer) -> None:
        if viewer in self._viewers:
            self._viewers.remove(viewer)

    def close(self) -> None:
        """Let go of the bots."""
        self._chairs.close()


def _played_with(entries: Sequence[Entry]) -> Body:
    """Return the versions of rules and script with which a game was played last."""
    last = next((entry.body for entry in reversed(entries) if entry.kind == "versions"), None)
    return dict(last or entries[0].body["versions"])


_MOVES = ("move", "takeback")
_REQUESTS = ("request", "correction", "dispute")


def _by_hand(game: str) -> Sequence[str]:
    """Return the kinds of a game's events that somebody carries out on the table."""
    kinds: Sequence[str] = getattr(part_of(game, "words"), "BY_HAND", ())
    return kinds


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
    "INPUTS",
    "Conductor",
    "Stopped",
    "run",
]
