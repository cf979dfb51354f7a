"""The session: the pure course of one game. Entries in, entries out; no clock, no input or output.

Playing, resuming and auditing are the same code: the conductor feeds what comes in and logs it with what follows;
``resume`` feeds the same entries out of the log; the audit feeds all of them and demands what stands there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import Any, NamedTuple, Protocol

from msgspec import Struct

from tablier.course import asides
from tablier.course import chance as sources_of_chance
from tablier.course.asides import ANOTHER, CALLED, CONSENT, PAUSED, RESUME, SEEN, SOURCE, Aside, Then
from tablier.course.chance import ALL_HOST, HOST, ROLL, TALLY, HostSeed, Sources, told_of
from tablier.course.declined import AT_ITS_PLACE, BOT_PLAYS, Declined, no_seat
from tablier.course.entries import CORRECTED, Body, Item, events_text, rolls_text
from tablier.course.on_wire import CALL, EVENTS, KINDS, throws_cards
from tablier.course.on_wire import Event as EventOfQuestion
from tablier.course.open_question import NOTHING_TO_ANSWER, OpenQuestion
from tablier.course.past import Past
from tablier.course.seats import AT_TABLE, Seat, seated, seated_text
from tablier.games.core import GAME_OVER, TABLE, Event, Move, Position, Prelude, moves_text
from tablier.games.core.menus import at_places
from tablier.games.core.questions import (
    QUIET_S,
    Conditions,
    Landed,
    Played,
    Question,
    Reply,
    Restarted,
    Roll,
    Script,
    ScriptOf,
    Thrown,
)
from tablier.record import result_of
from tablier.texts import Text, Who, counted, source_text, text_from

NO_BOARD = bytes(8)
"""Stands for the board in commitments of a game without a table."""
CONTRIBUTION_BYTES = 16
UNREVEALED_MOST = 2
"""Rolls of a game that the table may leave unrevealed before another source of chance is offered."""
DISPUTE_MAX = 200
"""The most characters of a dispute."""
Seats = tuple[int, ...]
PAUSES = Text("{who} pauses the game.")
STOPS_PLAY = Text("{who} stops play.")
CORRECTS = Text("{who} says that move {at} was {move}.")
_NO_SEED = Text("the host's seed must stand before all that could depend on it")
_ASKED_FIRST = Text("something else is being asked; answer it first")
_PAUSED = Text("the game is paused")
_OF_SEATS = ("reply", "commitment", "opening")
"""Kinds of entries: what a screen or a bot says."""
_ON_CARDS = (Landed, Thrown)
_SALTED = ("tallied", "picked")
"""Events that tell what not everybody may know where their question is secret."""


class Supply(Protocol):
    """Supplies what the session cannot make up itself."""

    def question_id(self) -> int:
        """Return the id of the question that is opened now."""

    def salt(self) -> str:
        """Return 16 random bytes in hexadecimal, for an entry with a secret."""


class Made(Struct, eq=False, dict=True):
    """A move that was made, for news."""

    move: Move | None
    """``None``: moves were taken back."""
    position: Position[Any]
    """The position that it has led to."""
    completed: bool = False
    """True where chance has decided a part of it."""
    undone: Text | None = None
    """The news of moves that were taken back."""

    @cached_property
    def events(self) -> Sequence[Event]:
        """Return the news of the move, which are made when they are first asked for."""
        return () if self.move is None else told_of(self.position.last_events(), completed=self.completed)


class Note(NamedTuple):
    """A piece of news."""

    kind: str
    text: Text
    audience: tuple[int | None, ...] | None = None
    """For whom it is; ``None`` for all."""


class Effects(Struct, frozen=True):
    """The effects of an entry."""

    taken: list[Item]
    """The entry as it is to be logged, with a salt where it says what not everybody may know; none where the session
    begins."""
    items: list[Item]
    """The entries that are to be logged after it."""
    notes: list[Note]
    """The news besides those of moves."""
    made: list[Made]
    """The moves among them, and what can be told of each; none for a correction that nobody may notice."""


class Session:
    """A position, the script that brings it further, and the open question.

    Begin with :meth:`begin`, then :meth:`feed` entries. ``chance`` is set by the entry ``seed``.
    """

    def __init__(
        self,
        position: Position[Any],
        seats: Sequence[Seat],
        script_of: ScriptOf,
        supply: Supply,
        *,
        prelude: bool = False,
        practice: bool = False,
        sources: Sources = ALL_HOST,
        quiet_s: float = QUIET_S,
        unusable: Callable[[Body], Text | None] = lambda body: None,
    ) -> None:
        """``prelude``: begin with what the rules have settled before the position, which is the first one then.

        ``unusable``: return what is wrong with a message whatever is asked; ``None`` if nothing is.
        """
        before = position.rules.prelude() if prelude else None
        self.position: Position[Any] = position.conducted() if before is None else Position(before)
        self.seats = tuple(seats)
        """The seats with their present sources; :meth:`seat_now` sets those of a game that is resumed."""
        self.practice = practice
        self._first = self.seats
        self._has_table = any(seat.at_table for seat in self.seats)  # else nobody comes to one later
        self.conditions = Conditions(arena=self._arena(), quiet_s=quiet_s)
        self.chance: HostSeed | None = None
        self.open = OpenQuestion(None, 0, self.position, self.seats, NO_BOARD, b"")
        """The open question, and all that is known of it; none when the game is over, and before it has begun."""
        self.sources = sources
        """The present sources of chance."""
        self.unrevealed = 0
        """Rolls of this game that the table has committed to and not revealed."""
        self._due = ""  # the kind of input that must come next, as far as one must
        self._left = ""  # the boot that the table has left, until the gap after it is known
        self._latest = 0  # the id of the question that was asked last
        self._greeting: Body = {}  # the latest hello
        self._runs: set[bytes] = set()
        self._said: set[tuple[Any, ...]] = set()  # what the table has said that it can say once
        self._by: str | None = None
        self._used: set[str] = set()  # what both sides have drawn for rolls so far
        self.another = False
        """True once somebody at the table has said, after the end, that the same people play another game."""
        self._script_of = script_of
        self._supply = supply
        self._unusable = unusable
        self._script: Script | Aside | None = None
        self._suspended: list[Script | Aside | None] = []
        """The scripts to resume when the questions beside the game are settled, the latest last."""
        self._outdated = False  # the script that is suspended began when somebody else was at the table
        self._cards_lie = False  # cards were thrown in the window of the script, and no move tells of them yet
        self._tells_secret = False  # the entry that is fed now
        self._notes: list[Note] = []
        self._made: list[Made] = []

    @property
    def due(self) -> str:
        """Return the kind of input that must come next; empty where any may."""
        return self._due

    @property
    def over(self) -> bool:
        return self.position.is_over

    @property
    def question(self) -> Question | None:
        """Return the open question."""
        return self.open.question

    @property
    def id(self) -> int:
        """Return the id of the open question; 0 for none."""
        return self.open.id

    @property
    def board(self) -> bytes:
        """Return the board of the table, :data:`NO_BOARD` in a game without one."""
        return self.open.board

    @property
    def boot(self) -> bytes:
        """Return the boot of the table, or the run of the host that stands in for it."""
        return self.open.boot

    @property
    def finished(self) -> bool:
        """Return whether the game is over, and nobody is asked whether moves are taken back."""
        return self.over and self.open.what in ("", SEEN, ANOTHER)

    @property
    def paused(self) -> bool:
        """Return whether the open question is whether to resume a paused game."""
        return self.open.what == PAUSED

    @property
    def calling(self) -> bool:
        """Return whether the open question is what somebody has stopped play for."""
        return self.open.what == CALLED

    @property
    def in_prelude(self) -> bool:
        """Return whether the game has not begun, because the table has something to settle before."""
        return self.position.rules.IN_PRELUDE

    @property
    def ply(self) -> int:
        """Return how many moves of the game stand."""
        return 0 if self.in_prelude else self.position.ply

    @property
    def past(self) -> Past:
        """Return what can be taken back and corrected of the moves so far."""
        return Past(
            self.position.copy(), self.ply, self.sources, practice=self.practice, arena=bool(self.conditions.arena)
        )

    def source_of(self, seat: int) -> str:
        """Return what decides for a seat now."""
        return self.seats[seat - 1].source

    def rename(self, seat: int, name: str) -> None:
        """Have the person of a seat be called otherwise; nothing else changes."""
        for seats in ("_first", "seats"):
            now = getattr(self, seats)
            setattr(self, seats, (*now[: seat - 1], replace(now[seat - 1], name=name), *now[seat:]))
        self.open.seats = self.seats

    def seat_now(self, seats: Sequence[Seat]) -> None:
        """Take up a game whose seats have other sources by now than at its beginning."""
        self.seats = self.open.seats = tuple(seats)
        self.conditions = replace(self.conditions, arena=self._arena())

    def _people(self) -> tuple[int, ...]:
        """Return the seats that no bot has."""
        return tuple(number for number, seat in enumerate(self.seats, 1) if not seat.is_bot)

    def _arena(self) -> frozenset[int]:
        return frozenset(number for number, seat in enumerate(self.seats, 1) if seat.at_table)

    def is_completed(self, move: Move) -> bool:
        """Return whether chance has decided a part of a seat's move."""
        return sources_of_chance.is_completed(self.position.rules, move, arena=bool(self.conditions.arena))

    # -- in ----------------------------------------------------------------------------------------------------

    def begin(self) -> Effects:
        """Open the first question from here; return what is to be logged. Raise :class:`Declined` without a seed."""
        if self.chance is None:
            raise Declined(_NO_SEED)
        self._notes, self._made = [], []
        return Effects([], self._go_on([]), self._notes, self._made)

    def feed(self, kind: str, body: Body, boot: str | None = None) -> Effects:
        """Take an entry; return what follows from it.

        Raise :class:`Declined`, and change nothing, for an input that cannot be: a reply is refused, an event of the
        table is a ``fault``. ``boot``: the boot of the table that an event came from; ``None`` leaves it unchecked.
        """
        self._notes, self._made, self._tells_secret = [], [], False
        items = self._feed(kind, body, boot)
        if kind == "fault" and "event" in body:
            body = {**body, "event": self._salted(body["event"])}
        elif self._tells_secret or "salt" in body:
            body = self._salted(body)
        return Effects([(kind, body)], items, self._notes, self._made)

    def _salted(self, body: Body) -> Body:
        """Return what was said with a salt if it tells a secret, and without one if not."""
        if "salt" in body:
            said = {key: value for key, value in body.items() if key != "salt"}
            return {**said, "salt": body["salt"] or self._supply.salt()} if self._tells_secret else said
        return {**body, "salt": self._supply.salt()} if self._tells_secret else body

    def _feed(self, kind: str, body: Body, boot: str | None) -> list[Item]:
        if self.chance is None and kind != "seed":
            raise Declined(_NO_SEED)
        if self._due and kind != self._due:
            raise Declined("a {due} must come first, not a {kind}", due=self._due, kind=kind)
        if kind in _OF_SEATS:
            return self._take(kind, body)
        if kind == "seed":
            if self.chance is not None:
                raise Declined("a second seed for the same game")
            self.chance = HostSeed(bytes.fromhex(body["seed"]))
        elif kind == "run":
            self._run(bytes.fromhex(body["run"]))
        elif kind == "sits":
            return self._sit(body)
        elif kind == "request":
            return self._request(body["seat"], body["to"])
        elif kind == "contribution":
            self._contribute(body)
        elif kind == "correction":
            self._check_seat(body["seat"])
            return self._correct(body["seat"], body["at"], body["move"])
        elif kind == "mistake":
            return self._mistake(body["seat"])
        elif kind == "pause":
            return self._end_pause(body["seat"]) if body.get("ends") else self._pause(body["seat"])
        elif kind == "call":
            return self._call(body["seat"])
        elif kind == "elapsed":
            if not self.calling or body["id"] != self.id:
                raise Declined("there is no call of this number")
            return self._end_aside()
        elif kind == "shown":
            return self._ask_whether_seen(another=body.get("another", False))
        elif kind == "dispute":
            self._check_seat(body["seat"])
            self.past.check(body["at"])
            if not body["text"].strip() or len(body["text"]) > DISPUTE_MAX:
                raise Declined("a dispute has 1 to {most} characters", most=DISPUTE_MAX)
        elif kind == "gap":
            if body["boot"] != self._left:
                raise Declined("a gap after boot {boot}, which the table has not left now", boot=str(body["boot"]))
            self._due = self._left = ""
            return self._restart()
        elif kind == "since":
            return self._note_missing_events(body, boot)
        elif kind == "void":
            if not (self.open.choosing or self.open.rolling) or body["id"] != self.id:
                raise Declined("there is no open choice or roll of this number")
            if "seats" in body and body["seats"] != list(self.open.to_open):
                raise Declined("the seats differ from those whose choice is not open yet")
            self._due = ""
            return self._restart()
        elif kind == "fault":
            return self._fault(body, boot)
        elif kind == "table" and body["event"] == "hello":
            self._note_hello(body)
        elif kind == "table":
            reply = self._hear(body, boot)
            if body["event"] == CALL:
                return self._call_from(body["place"])
            return [] if reply is None else self._send(reply)
        return []

    def _run(self, run: bytes) -> None:
        """Take note of a run of the host. A choice that was open is void: what it was bound to went with the last."""
        if self.board != NO_BOARD or run in self._runs:
            raise Declined("a run of the host is named once, and only in a game without a table")
        self._runs.add(run)
        self.open.boot = run
        self._due = "void" if self.open.choosing else ""

    def _note_hello(self, body: Body) -> None:
        """Take note of the table and its boot. After another one than before a gap must follow."""
        board, boot = bytes.fromhex(body["board"]), bytes.fromhex(body["boot"])
        if body == self._greeting:
            raise Declined("the same hello a second time")
        restarted = self.board != NO_BOARD and boot != self.boot
        if not restarted and self.board not in (NO_BOARD, board):
            raise Declined("another board with the same boot")
        if restarted:
            self._due, self._left = "gap", self.boot.hex()
        self._greeting, self.open.board, self.open.boot = body, board, boot
        why = body.get("by_claim")
        self.conditions = replace(self.conditions, by_claim=text_from(why) if why else None)

    def _restart(self) -> list[Item]:
        """Have the open question asked again; what it had gathered is void."""
        aborted = self._abort()
        if aborted and self.unrevealed >= UNREVEALED_MOST:
            if all(seat.is_bot for seat in self.seats):
                return aborted + self._draw_from(HOST)
            return aborted + self._ask_beside(self._offer_another_source())
        return aborted + self._send(Restarted())

    def _abort(self) -> list[Item]:
        """Return the entry of a roll that is void though the table had committed to it, if one is."""
        if not self.open.rolling:
            return []
        self.unrevealed += 1
        return [("aborted", {"id": self.id})]

    def _note_missing_events(self, body: Body, boot: str | None) -> list[Item]:
        """Note that this log lacks events of the table, and ask the people at it whether to resume."""
        if "lost" not in body or self.question is None:
            return []
        if boot is not None and boot != self.boot.hex():
            raise Declined("events of another boot than the table's")
        items = self._abort()
        if body.get("rolls"):
            items.append(("aborted", {"id": self.id, "rolls": body["rolls"]}))
        args = {"lost": events_text(body["lost"]), "moves": moves_text(self.ply) if self.ply else Text("no move")}
        text = Text("This log is an older copy or damaged: it lacks {lost} of the table. Resume after {moves}?", args)
        seats = tuple(sorted(self.conditions.arena))
        if not seats:  # all who sat there have left
            return items + self._send(Restarted())
        return items + self._ask_beside(asides.resume(text, seats))

    def _offer_another_source(self) -> Aside:
        """Offer what can be in place of the open roll."""
        offers = [(HOST, "Shall the host draw from its seed from now on?")]
        rules, state = self.position.rules, self.position.state
        if rules.draw(state).dice and any(seat.at_table for seat in self.seats):
            offers.append((TALLY, "Shall physical dice be thrown and entered from now on?"))
        missed = rolls_text(self.unrevealed)
        told = "The table has not revealed {missed}. {offer}"
        texts = [
            (Text(told, {"missed": missed, "offer": Text(text)}), partial(self._draw_from, to)) for to, text in offers
        ]
        return asides.another_source(self._people(), texts)

    def _draw_from(self, source: str) -> list[Item]:
        """Have chance come from another source wherever it came from rolls of the table."""
        own = [source if source == HOST or seat.at_table else HOST for seat in self.seats]
        dice = tuple(new if old == ROLL else old for old, new in zip(self.sources.dice, own, strict=False))
        bag = HOST if self.sources.bag == ROLL else self.sources.bag
        self.sources = Sources(dice, bag)
        return [("source", self.sources.to_json()), *self._go_on([])]

    # -- what a table says -------------------------------------------------------------------------------------

    def _hear(self, body: Body, boot: str | None) -> Reply | None:
        """Take an event of the table; return what it means for the open question. ``None`` where it comes too late, or
        means nothing yet."""
        reply = self._judge(self.open, body, boot)
        if body["event"] != CALL:
            if self.open.contribution_due:
                self._due = "contribution"
            self._said.add(self._saying(body, boot))
            self._use(body)
        return reply

    def _judge(self, asked: OpenQuestion, body: Body, boot: str | None) -> Reply | None:
        """Return what an event of the table means for a question, which alone changes. Raise :class:`Declined` where it
        cannot be."""
        event, known = body["event"], EVENTS.get(body["event"])
        self._tells_secret = event in _SALTED and getattr(self.question, "secret", False)
        if boot is not None and boot != self.boot.hex():
            raise Declined("an event of another table, or of another boot of it")
        if self._latest and body["id"] > self._latest:
            raise Declined("a question that was not asked")
        if event == CALL:
            return None  # whatever is open now: the place means to stop play, not to answer
        place = body.get("place")
        if known is not None and known.once and self._saying(body, boot) in self._said:
            again = "it was said before" if place is None else "place {place} has said it before"
            raise Declined(again, place=place)
        if self.question is None or body["id"] != self.id:
            return None
        seat = asked.seat_at(place or 0)
        try:
            reply = self._find_event("table", seat, body).read(self.question, asked, seat, body)
            if event == "revealed":
                self._check_unused(body["nonce"])
        except Declined as declined:
            declined.void = known is not None and known.voids
            raise
        return reply

    def _saying(self, body: Body, boot: str | None) -> tuple[Any, ...]:
        """Return what distinguishes an event of the table that can be said once."""
        return boot or self.boot.hex(), body["id"], body["event"], body.get("index", body.get("place"))

    def _use(self, said: Body) -> None:
        """Remember the random bytes that an event of the table has shown, fault or not."""
        if said["event"] == "revealed":
            self._used.add(said["nonce"])

    def _fault(self, body: Body, boot: str | None) -> list[Item]:
        """Judge again what was logged as a fault of the table; it is not used. Raise :class:`Declined` where it is
        none, or another one than the log says."""
        why, void = self._why_faulty(body, boot)
        if why is None or why.to_json() != body["why"]:
            raise Declined("what the table said is not the fault that is logged ({why})", why=why or "it can be")
        if "event" in body:
            self._use(body["event"])
        return self._restart() if void else []

    def _why_faulty(self, body: Body, boot: str | None) -> tuple[Text | None, bool]:
        """Return why what the table said cannot be, and whether the open question is asked again for it."""
        if "payload" in body or "heard" in body:
            return self._unusable(body), False
        if body["what"] != body["event"]["event"]:
            return None, False
        try:
            self._judge(self.open.copy(), body["event"], boot)  # what is no fault has changed nothing
        except Declined as declined:
            return declined.text, declined.void
        return None, False

    # -- what a screen or a bot says ---------------------------------------------------------------------------

    def _take(self, kind: str, body: Body) -> list[Item]:
        asked, seat = self.open, body["seat"]
        question = asked.question
        if question is None or body.get("id") != asked.id:
            raise Declined("another question is open by now")
        self._check_seat(seat, 1)
        if self.seats[seat - 1].at_table:
            raise Declined(AT_ITS_PLACE)
        event = self._find_event(kind, seat, body)
        if seat not in question.seats or (seat in asked.answered and kind != "opening"):
            raise Declined("this seat has nothing to answer now")
        reply = event.read(question, asked, seat, body)
        if isinstance(reply, Played) and reply.move is not None:
            assert self.chance is not None
            move = self.chance.complete(self.position, reply.move)
            return self._play(reply if move is reply.move else Played(reply.seat, move), move)
        return [] if reply is None else self._send(reply)

    # -- who decides for a seat --------------------------------------------------------------------------------

    def _sit(self, body: Body) -> list[Item]:
        """Have something else decide for a seat from now on. What is open is asked again where the seat comes to the
        table or leaves it; else its new source is asked the same."""
        seat, source, by = body["seat"], body["source"], body["by"]
        why = text_from(body["why"]) if "why" in body else None
        self._check_seat(seat, 1)
        before, seats = self.seats[seat - 1], seated(self.seats, self._first, seat, source)
        self._check_sits(seat, before, seats, by, fails=why is not None)
        text = seated_text(before, source, seat, by, why)
        self._notes.append(Note("seat" if why is None else "bot", text))
        self.seats = self.open.seats = seats
        if self.calling and seat in self.open.asked and seats[seat - 1].is_bot:
            self._outdated |= before.at_table
            self.conditions = replace(self.conditions, arena=self._arena())
            return self._leave_dice(seat, before) + self._end_aside()
        if before.at_table == seats[seat - 1].at_table:
            joined = before.is_bot != seats[seat - 1].is_bot
            return self._send(Restarted()) if self.paused and joined else []
        self.conditions = replace(self.conditions, arena=self._arena())
        items = self._leave_dice(seat, before)
        if self.question is None or self.open.choosing:
            return items
        if self._suspended:
            self._outdated = True
            return items + self._send(Restarted())
        return items + self._go_on([])

    def _leave_dice(self, seat: int, before: Seat) -> list[Item]:
        """Have the host throw the dice that a seat entered itself, where it has left the table."""
        if not before.at_table or not self.sources.dice or self.sources.dice[seat - 1] != TALLY:
            return []
        dice = tuple(HOST if n == seat else old for n, old in enumerate(self.sources.dice, 1))
        self.sources = replace(self.sources, dice=dice)
        self._notes.append(Note("source", Text("The host throws {who}'s dice from now on.", {"who": Who(seat)})))
        return [("source", self.sources.to_json())]

    def _check_sits(self, seat: int, before: Seat, seats: tuple[Seat, ...], by: int, *, fails: bool) -> None:
        """Raise :class:`Declined` where a seat cannot have another source. ``fails``: its bot has failed."""
        after, who = seats[seat - 1], Who(seat)
        among_bots = before.is_bot and after.is_bot
        if by not in (0, seat):
            raise Declined("one seat cannot say who decides for another")
        if fails and (by or not among_bots):
            raise Declined("no bot has this seat")
        if before.source == after.source and (by or not before.at_screen):
            raise Declined("{source} decides for {who} already", source=source_text(after.source), who=who)
        if self.open.choosing and seat in self.open.asked:
            same_kind = among_bots or (before.at_screen and after.at_screen)
            if seat in self.open.locked or not same_kind:
                raise Declined("a secret choice is open in which {who} has a part; wait until it has opened", who=who)
        if among_bots:
            return
        if self.over:
            raise Declined(GAME_OVER)
        if self.practice and sum(each.is_person for each in seats) > 1:
            raise Declined("this game is practice, in which one person plays; nobody else can join it")
        if before.at_table == after.at_table:
            return
        if after.at_table and not any(each.at_table for each in self._first):
            raise Declined("this game is played without a table")
        if after.at_table and not after.place:
            raise Declined("{who} has no place at the table", who=who)
        if self.open.rolling:
            raise Declined("dice are rolling; wait until they lie")
        if self._cards_lie:
            raise Declined("cards lie in the arena; wait until they have been claimed")
        arena = self.conditions.arena - {seat}
        if before.at_table and not arena and throws_cards(self.position.rules.name):
            raise Declined("cards are thrown at the table, so somebody has to stay there")
        if self.sources.bag == TALLY and before.at_table:
            raise Declined("{who} draws by hand, which can be done at the table alone", who=who)

    def _play(self, reply: Reply, move: Move) -> list[Item]:
        """Send the script a move; note whether it is secret, as its entry says, or the rules if it is not made yet."""
        rules, state = self.position.rules, self.position.state
        items = self._send(reply)
        text = rules.text(move)
        for kind, body in items:
            if kind == "move" and body["text"] == text:
                self._tells_secret = "salt" in body
                return items
        if rules.refuse(state, move) is None:
            self._tells_secret = rules.secret(state, move, rules.apply(state, move))
        return items

    def _check_seat(self, seat: object, least: int = 0) -> None:
        """Raise :class:`Declined` for a seat that is not there. 0 is the keeper of the log."""
        if type(seat) is not int or not least <= seat <= len(self.seats):
            raise no_seat(seat)

    def _find_event(self, kind: str, seat: int, body: Body) -> EventOfQuestion:
        """Return how an event is read that is about the open question. Raise :class:`Declined` where it cannot be."""
        event, question = EVENTS.get(body["event"]), self.open.question
        assert question is not None
        if event is None or kind not in event.by:
            raise Declined("that is not for a seat to say")
        if body["event"] not in KINDS[question.kind].events:
            raise Declined("a {kind} is open", kind=question.kind)
        if kind == "table" and "place" in body:
            starts = isinstance(question, Roll) and body.get("place") == self.open.starter
            if not (starts or seat in self.open.here):
                raise Declined(NOTHING_TO_ANSWER)
        return event

    def _contribute(self, body: Body) -> None:
        if not self.open.contribution_due or body["id"] != self.id:
            raise Declined("no roll waits for a contribution")
        if len(bytes.fromhex(body["bytes"])) != CONTRIBUTION_BYTES:
            raise Declined("a contribution has {count} bytes", count=CONTRIBUTION_BYTES)
        self._check_unused(body["bytes"])
        self._used.add(body["bytes"])
        self.open.contribution = body["bytes"]
        self._due = ""

    def _check_unused(self, drawn: str) -> None:
        """Raise :class:`Declined` for random bytes of a side that came up before: a side that knows them could bend to
        them."""
        if drawn in self._used:
            raise Declined("random bytes that were used before")

    # -- out ---------------------------------------------------------------------------------------------------

    def _send(self, reply: Reply) -> list[Item]:
        if self._script is None:
            return []
        if isinstance(reply, _ON_CARDS):
            self._cards_lie = True
        try:
            question = self._script.send(reply)
        except StopIteration as end:
            # A script of the game returns moves; a question beside it, what is to be done then.
            return self._settle(end.value) if self._suspended else self._go_on(end.value)
        again = question is not self.open.question or isinstance(reply, Restarted)
        return self._ask(question) if again else []

    def _ask_beside(self, aside: Aside) -> list[Item]:
        """Suspend the script until a question beside the game is settled."""
        self._suspended.append(self._script)
        self._script = aside
        return self._ask(next(aside))

    def _settle(self, then: Then | None) -> list[Item]:
        """Do what a question beside the game has led to; or ask again what was open before."""
        if then is None and self.calling:
            self._notes.append(Note("call", Text("Play continues.")))
        elif then is None and self.paused:
            self._notes.append(Note("pause", Text("The game continues.")))
        self._script = self._suspended.pop()
        return self._ask_again() if then is None else then()

    def _end_aside(self) -> list[Item]:
        """Leave the question beside the game: nothing is done, and what was open is asked again."""
        assert self._script is not None
        self._script.close()
        return self._settle(None)

    def _ask_again(self) -> list[Item]:
        """Ask again what was open before a question beside the game."""
        if self._script is not None:
            return self._go_on([]) if self._outdated and not self._suspended else self._send(Restarted())
        self._close_question()  # the game was over
        return []

    def _go_on(self, moves: Iterable[Move], by: str | None = None) -> list[Item]:
        """Make moves, and those of chance that follow; then open the next question. ``by``: what they come from."""
        items: list[Item] = []
        self._suspended.clear()
        self._outdated = self._cards_lie = False
        while True:
            for move in moves:
                items += self._move(move, by or self._by)
            by = self._by = None
            while (to_move := self.position.to_move) == (TABLE,) and self._source() == HOST:
                assert self.chance is not None
                items += self._move(self.chance.draw(self.position), HOST)
            if not to_move and isinstance(before := self.position.rules, Prelude):
                items.append(("begins", {"options": before.settled(self.position.state)}))
                self.position, moves = Position(before.begun(self.position.state)).conducted(), ()
                continue
            if not to_move:
                self._script = None
                self._close_question()
                unrevealed = {"unrevealed": self.unrevealed} if self.unrevealed else {}
                return [*items, ("end", {**result_of(self.position), **unrevealed})]
            if to_move == (TABLE,):
                self._by = self._source()
                sits = [seat.at_table for seat in self.seats]
                script = sources_of_chance.script(self.position, self._by, sits)
            else:
                script = self._script_of(self.position, self.conditions)
            if self._has_table:
                script = at_places(script, lambda seat: self.seats[seat - 1].at_table)
            self._script = script
            try:
                question = next(self._script)
            except StopIteration as end:
                moves = end.value
            else:
                return items + self._ask(question)

    def _source(self) -> str:
        """Return where the table's next move comes from."""
        if self.sources.host_alone:
            return HOST
        rules, state = self.position.rules, self.position.state
        return self.sources.of(rules.draw(state)) if rules.chance(state) else HOST

    def _move(self, move: Move, by: str | None, *, quietly: bool = False) -> list[Item]:
        position, rules = self.position, self.position.rules
        before = position.state
        move = rules.canonical(move)
        position.push(move)
        after = position.state
        body = {"text": rules.text(move), "by": by or (self.seats[move.actor - 1].source if move.actor else AT_TABLE)}
        completed = sources_of_chance.is_completed(rules, move, arena=bool(self.conditions.arena))
        if completed:
            body["chance"] = HOST
        if rules.secret(before, move, after):
            body["salt"] = self._supply.salt()
        if not quietly:
            self._made.append(Made(move, position.copy(), completed))
        items = [("prelude" if rules.IN_PRELUDE else "move", body)]
        if not completed:  # what chance has decided is nobody's to judge
            judged = rules.judged(before, move, after)
            items += [("note", {"kind": event.kind, **event.text.to_json()}) for event in judged]
        return items

    def _ask(self, question: Question) -> list[Item]:
        """Open a question; return the entry that says so."""
        id = self._latest = self._supply.question_id()
        self._open(question, id, may_call=not self._suspended)
        return [("ask", {"id": id, "what": question.what, "seats": list(question.seats)})]

    def _close_question(self) -> None:
        self._open(None, 0)

    def _open(self, question: Question | None, id: int, *, may_call: bool = False) -> None:
        before = self.open
        self.open = OpenQuestion(question, id, self.position, self.seats, before.board, before.boot, may_call)

    # -- a pause -----------------------------------------------------------------------------------------------

    def _pause(self, seat: int) -> list[Item]:
        """Suspend the game until somebody resumes it."""
        self._check_seat(seat)
        if self.over:
            raise Declined(GAME_OVER)
        if self.paused:
            raise Declined("the game is paused already")
        if self.open.choosing:
            raise Declined("while a secret choice is open the game cannot be paused")
        if self.open.rolling:
            raise Declined("while the dice are rolling the game cannot be paused")
        if self._suspended:
            raise Declined(_ASKED_FIRST)
        if not self._people():
            raise Declined("only bots play, and they need no pause")
        self._notes.append(Note("pause", PAUSES.of(who=actor_of(seat))))
        return self._ask_beside(asides.pause(self._people))

    def _end_pause(self, seat: int) -> list[Item]:
        """Resume a paused game for those who are asked whether to."""
        self._check_seat(seat)
        if not self.paused:
            raise Declined("the game is not paused")
        return self._end_aside()

    # -- a call ------------------------------------------------------------------------------------------------

    def _call(self, seat: int) -> list[Item]:
        """Suspend the game, and ask a seat why it has stopped play."""
        self._check_seat(seat, 1)
        if why := self._why_no_call(seat):
            raise Declined(why)
        self._notes.append(Note("call", STOPS_PLAY.of(who=Who(seat))))

        def correct(at: int, move: Move) -> Then:
            return lambda: self._correct(seat, at, str(move)) or self._ask_again()

        return self._ask_beside(asides.call(seat, self.past, partial(self._pause, seat), correct))

    def _call_from(self, place: int) -> list[Item]:
        """Stop play for a place, as far as somebody sits there and play can be stopped now."""
        seat = self.open.seat_at(place)
        able = seat and self.seats[seat - 1].at_table and self._why_no_call(seat) is None
        return self._call(seat) if able else []

    def _why_no_call(self, seat: int) -> Text | None:
        """Return why a seat cannot stop play now, ``None`` if it can."""
        if self.over or self.question is None:
            return GAME_OVER
        if self.seats[seat - 1].is_bot:
            return BOT_PLAYS.of(who=Who(seat))
        if self.open.choosing:
            return Text("while a secret choice is open play cannot be stopped; wait until it has opened")
        if self.open.rolling:
            return Text("while the dice are rolling play cannot be stopped; wait until they lie")
        if self.calling:
            return Text("{who} has stopped play already", {"who": Who(self.open.asked[0])})
        if self.paused:
            return _PAUSED
        if self._suspended:
            return _ASKED_FIRST
        return None

    # -- taking back -------------------------------------------------------------------------------------------

    def _request(self, seat: int, to: int) -> list[Item]:
        self._check_seat(seat, 1)
        self.past.check_takeback(to)
        moves = counted(self.position.ply - to, "the last move", "the last {count} moves")
        text = Text("{who} wants to take back {moves}. Do you agree?", {"who": Who(seat), "moves": moves})
        return self._agree(seat, text, lambda agreed: self._replace(seat, to, (), agreed))

    def _agree(self, seat: int, text: Text, then: Callable[[Seats], list[Item]]) -> list[Item]:
        """Ask the other people whether they agree; where there are none, and in practice, it is done at once.

        ``then`` gets the seats that have agreed."""
        if self.open.choosing and not self.practice:
            raise Declined("while a secret choice is open no move can be taken back or corrected")
        if self.open.rolling:
            raise Declined("while the dice are rolling no move can be taken back or corrected")
        if self.open.what in (CONSENT, RESUME, SOURCE):
            raise Declined("that is being asked already")
        if self.paused:
            raise Declined(_PAUSED)
        others = tuple(n for n in self._people() if n != seat)
        if self.practice or not others:
            return then(())
        return self._ask_beside(asides.consent(text, others, partial(then, others)))

    def _replace(
        self, seat: int, to: int, moves: Sequence[Move], agreed: Seats, *, quietly: bool = False
    ) -> list[Item]:
        """Take moves back, and make others instead; ``quietly``: nobody is told of them again."""
        undone = taken_back(seat, to, self.position.ply)
        while self.position.ply > to:
            self.position.pop()
        items: list[Item] = [("takeback", {"to": to, "by": seat, "agreed": list(agreed)})]
        if quietly:
            for move in moves:
                items += self._move(move, CORRECTED, quietly=True)
            moves = ()
        else:
            self._made.append(Made(None, self.position.copy(), undone=undone))
        return items + self._go_on(moves, CORRECTED)

    # -- the end -----------------------------------------------------------------------------------------------

    def _ask_whether_seen(self, *, another: bool) -> list[Item]:
        here = tuple(sorted(self.conditions.arena))
        if not self.over or self.question is not None or not here:
            raise Declined("nobody at the table is looking at the end")
        return self._ask_beside(asides.another(here, self._play_another) if another else asides.until_seen(here))

    def _play_another(self) -> list[Item]:
        self.another = True
        self._close_question()
        return []

    # -- correcting --------------------------------------------------------------------------------------------

    def _correct(self, seat: int, at: int, text: str) -> list[Item]:
        move, later = self.past.correction(seat, at, text)
        args = {"who": actor_of(seat), "at": at, "move": move.typed, "old": self.position.moves[at - 1].typed}
        if later is None:
            noted = Text("{who} says that move {at} was {move}. This is noted; the move stands.", args)
            self._notes.append(Note("correction", noted))
            return []
        self._notes.append(Note("correction", CORRECTS.of(**args)))
        told = Text("{who} says that move {at} was {move}, not {old}. Do you agree?", args)
        lost = self.position.ply - at - len(later)
        if lost > 0:
            one = "{who} says that move {at} was {move}, not {old}. This takes back the last move too. Do you agree?"
            many = (
                "{who} says that move {at} was {move}, not {old}. This takes back the last {count} moves too."
                " Do you agree?"
            )
            told = counted(lost, one, many, **args)
        return self._agree(seat, told, lambda agreed: self._replace(seat, at - 1, [move, *later], agreed))

    def _mistake(self, seat: int) -> list[Item]:
        self._check_seat(seat, 1)
        draws = self.past.drawn_in_secret(seat)
        if not draws:
            raise Declined("{who} has entered nothing in secret", who=Who(seat))
        text = Text("{who} wants to put right, in secret, something that was drawn. Do you agree?", {"who": Who(seat)})
        return self._agree(seat, text, lambda agreed: self._ask_what_was_drawn(seat, draws, agreed))

    def _ask_what_was_drawn(self, seat: int, draws: list[int], agreed: Seats) -> list[Item]:
        def fit(old: tuple[Any, ...], new: tuple[Any, ...]) -> Then | None:
            moves = self.past.redrawn(draws, old, new)
            return None if moves is None else partial(self._replace, seat, draws[-1], moves, agreed, quietly=True)

        return self._ask_beside(asides.mistake(seat, sources_of_chance.kinds(self.position.rules), fit))


def taken_back(by: int, to: int, ply: int) -> Text:
    """Return the news that a seat, or the operator (0), has had moves taken back: of ``ply``, ``to`` remain."""
    args = {"who": actor_of(by), "first": to + 1, "last": ply}
    if not to:
        return Text("{who} takes back all moves.", args)
    one, many = "{who} takes back move {last}.", "{who} takes back moves {first} to {last}."
    return counted(ply - to, one, many, **args)


def actor_of(seat: int) -> Who | Text:
    """Return whom news name as having done something: a seat, or the operator (0)."""
    return Who(seat) if seat else Text("The operator")
