"""Games without a table or a screen in sight: a session, and whatever its seats would have replied.

What a place replies comes as an event of the wire would, so that the log of such a game is one that could have been.
"""

from __future__ import annotations

import random
import struct
from collections.abc import Callable, Sequence
from typing import Any, Self

from msgspec.structs import replace

import replies
from at_screens import reached
from tablier.course.binding import Binder, commitment
from tablier.course.chance import ALL_HOST, Sources
from tablier.course.entries import Body, Item
from tablier.course.seats import Seat
from tablier.course.session import Effects, Session
from tablier.games import rules_of, script_of
from tablier.games.core import Position
from tablier.games.core.questions import Choice, Menu, Poll, Question, Roll, Tally, Turn, Window, bare
from tablier.games.dilemma.rules import LANDINGS
from tablier.games.struggle.rules import FACES
from tablier.log.chain import Entry
from tablier.log.store import Log
from tablier.play.beginning import heading, seed_of
from tablier.play.logged import position_of, seats_of
from tablier_fw import rolls, wire

AT = "2026-01-31T20:15:00.000000Z"
BOARD, BOOT = "b0" * 8, "c0" * 8
FLAT = "5f" * 32
"""A seed of chance with which the first cards that are thrown without an arena land flat."""


class Supply:
    """Ids and salts, one after the other; those of a log where there is one."""

    def __init__(self, log: Log | None = None) -> None:
        self._log = log
        self._count = 0

    def question_id(self) -> int:
        self._count += 1
        return self._log.next_id() if self._log else self._count

    def salt(self) -> str:
        self._count += 1
        return f"{self._count:032x}"


class Driver:
    """Replies for every seat of a session, along the moves of a record, or at random."""

    def __init__(
        self, session: Session, moves: Sequence[str] | None = None, seed: int = 0, log: tuple[Log, int] | None = None
    ) -> None:
        self.session = session
        self.about_table: dict[str, Any] = {}
        """What its hello says beside which table it is."""
        self.boot = f"{log[1]:016x}" if log else BOOT
        self.items: list[Item] = []
        """All entries, as a log would hold them."""
        self._moves = moves
        self._dice = random.Random(seed)
        self._log = log
        self._number = 0
        self._binders: dict[int, Binder] = {}
        self._held: dict[int, tuple[bytes, int]] = {}  # nonces and choices of places

    @classmethod
    def of_log(
        cls,
        log: Log,
        game: int,
        moves: Sequence[str] | None = None,
        *,
        practice: bool = False,
        sources: Sources = ALL_HOST,
        seed: int = 0,
    ) -> Self:
        """Return what drives a game that a log holds no more of than how it begins, and logs it there."""
        info, supply = log.game(game), Supply(log)
        script = script_of(info.game)[0]
        session = Session(position_of(log, info), seats_of(info), script, supply, practice=practice, sources=sources)
        session.feed("seed", next(entry.body for entry in log.entries(game) if entry.kind == "seed"))
        return cls(session, moves, seed, log=(log, game))

    def begin(self, seed: str = FLAT, *, told: bool = True) -> None:
        """Open the first question; ``told``: with the entry of the seed."""
        at_table = any(seat.at_table for seat in self.session.seats)
        hello: Item = ("table", self._hello(self.boot))
        first: list[Item] = [hello if at_table else ("run", {"run": BOOT})]
        if self._log is None and told:
            first.insert(0, ("seed", {"seed": seed}))
        for item in first:
            self.session.feed(*item)
        self._keep([*first, *self.session.begin().items], None)

    def play(self, until: int | Callable[[Session], object] | None = None) -> None:
        """Reply until the game is over, so many moves are made, or something holds of the session."""
        session = self.session
        while not session.over and not reached(session, until):
            self.step()

    def step(self) -> None:
        """Reply to the open question once."""
        session = self.session
        if session.open.all_bound:
            left = [seat for seat in session.open.locked if seat not in session.open.opened]
            self.open_choice(next((seat for seat in left if session.seats[seat - 1].at_table), left[0]))
            return
        question = session.question
        assert question is not None
        seat = session.open.waiting[0] if session.open.waiting else question.seats[0] if question.seats else 0
        if isinstance(question, Roll):
            self._roll()
        elif isinstance(question, Choice):
            self._lock(seat, self._choice(question, seat))
        elif isinstance(question, Window):
            self.reply(*self._in_window(question, seat))
        else:
            self.reply(seat, self.answer(question, seat))

    def reply(self, seat: int, reply: replies.Reply) -> Effects:
        """Have a seat reply to the open question; 0 stands for what the table says of itself."""
        if not seat:
            return self.feed("table", {**reply, "id": self.session.id})
        sits = self.session.seats[seat - 1]
        if not sits.at_table:
            return self.feed("reply", {**reply, "id": self.session.id, "seat": seat})
        said = {key: int(value) if value is True or value is False else value for key, value in reply.items()}
        return self.feed("table", {**said, "id": self.session.id, "place": sits.place})

    def feed(self, kind: str, body: Body) -> Effects:
        """Feed an entry to the session, and keep it with what follows."""
        cursor = None
        if kind == "table":
            self._number += 1
            body["time"] = "1970-01-01T00:00:00.000+00:00"
            cursor = (self.boot, self._number)
        effects = self.session.feed(kind, body, self.boot if kind == "table" else None)
        self._keep([*effects.taken, *effects.items], cursor)
        return effects

    def commit_roll(self, nonce: bytes) -> None:
        """Have the table commit to its part of the open roll, and the host contribute its own."""
        session, place = self.session, self.session.open.starter
        assert isinstance(session.question, Roll)
        ranges = struct.pack(f"<{len(session.question.ranges)}H", *session.question.ranges)
        bound = rolls.commitment(session.board, session.boot, session.id, place, ranges, nonce).hex()
        self.feed("table", replies.commit_roll(bound, id=session.id, place=place))
        self.feed("contribution", {"id": session.id, "bytes": self._dice.randbytes(16).hex()})

    def reveal_roll(self, nonce: bytes) -> None:
        session = self.session
        self.feed("table", replies.reveal_roll(nonce.hex(), id=session.id, place=session.open.starter))

    def entries(self, sources: Sources | None = None, *, practice: bool = False, **options: Any) -> list[Entry]:
        """Return the entries of a log that holds this game alone."""
        session = self.session
        head = heading(session.position.rules.name, options, session.seats, practice=practice, sources=sources)
        return entries_of(head, self.items)

    def reset(self, boot: str) -> None:
        """The table restarts: another boot, and a gap after the last event of the one before."""
        before, after = self.boot, self._number
        self.boot, self._number = boot, 0
        hello = self._hello(boot)
        self._keep([("table", hello), *self.session.feed("table", hello).items], None)
        self.feed("gap", {"boot": before, "after": after, "lost": 0})

    def _hello(self, boot: str) -> dict[str, Any]:
        return {"event": "hello", "board": BOARD, "boot": boot, "version": "driven", **self.about_table}

    def _roll(self) -> None:
        """Commit, contribute, reveal, as a table and a host do that are true."""
        nonce = self._dice.randbytes(16)
        self.commit_roll(nonce)
        self.reveal_roll(nonce)

    # -- what a seat says ----------------------------------------------------------------------------------------

    @property
    def _meant(self) -> str:
        assert self._moves is not None
        return self._moves[self.session.position.ply]

    def answer(self, question: Question, seat: int) -> replies.Reply:
        """Return what a seat replies to a question that is neither a choice nor a window."""
        if isinstance(question, Turn):
            return replies.play(self._move([bare(move) for move in question.moves], seat, question.may_pass))
        if isinstance(question, Menu):
            return replies.pick(self._option(question, seat))
        if isinstance(question, Tally) and question.leads:
            return replies.tally(question.given, self._kept(question))
        if isinstance(question, Tally):
            entered = [self._dice.randrange(question.faces) for _ in range(question.dice - len(question.given))]
            return replies.tally([*question.given, *entered])
        assert isinstance(question, Poll)
        if question.leads:
            yes = self._dice.random() < 0.5 if self._moves is None else self._meant in map(str, question.leads[1])
            return replies.answer(yes)
        if question.what != "claim":
            return replies.answer(True)
        assert question.subject is not None
        return replies.answer(self._felt[question.subject][0] == f"p{seat}")

    def _move(self, moves: Sequence[str], seat: int, may_pass: bool) -> str | None:
        if self._moves is None:
            return None if may_pass and self._dice.random() < 0.4 else self._dice.choice(moves)
        actor, _, move = self._meant.partition(" ")
        if actor != f"p{seat}":
            return None
        return next((attempt for attempt in moves if move.startswith(f"{attempt} ")), move)  # chance decides the rest

    def _option(self, menu: Menu, seat: int) -> int:
        if not menu.leads:
            rank = self._felt[menu.subject][2] if menu.subject is not None else self._missed(seat)
            return [str(option) for option in menu.options].index(rank)
        if self._moves is None:
            legal = set(self.session.position.legal_moves)
            return self._dice.choice(
                [
                    n
                    for n, (text, leads) in enumerate(zip(menu.options, menu.leads, strict=True))
                    if text.template != "back" and n not in menu.shut and (not leads or legal.intersection(leads))
                ]
            )
        return next(n for n, leads in enumerate(menu.leads) if self._meant in map(str, leads))

    def _kept(self, tally: Tally) -> int:
        """Return the dice of Struggle to mark, as bits; all of them to play."""
        _, verb, *kept = (str(self._dice.choice(tally.leads[0])) if self._moves is None else self._meant).split()
        marked = 0
        for die, face in enumerate(tally.given):
            if verb == "play" or FACES[face] in kept:
                marked |= 1 << die
                if verb == "keep":
                    kept.remove(FACES[face])
        return marked

    def _choice(self, choice: Choice, seat: int) -> int:
        if self._moves is None:
            return self._dice.choice(choice.allowed[seat])
        ahead = self._moves[self.session.position.ply :]
        move = next(move for move in ahead if move.startswith(f"p{seat} duel"))
        return choice.options.index(move.split(" ", 1)[1])

    def _in_window(self, window: Window, seat: int) -> tuple[int, replies.Reply]:
        """Return what is said next in a window, and by which seat."""
        if self._felt_at != self.session.position.ply:
            self._felt_at = self.session.position.ply
            self._throws = self._throws_now(window)
            self._felt = [throw for throw in self._throws if throw[3] != "outside"]
            self._landed = self._announced = 0
        if self._landed < len(self._felt):
            thrower = int(self._felt[self._landed][0][1:])
            if not self.session.seats[thrower - 1].at_table and self._announced <= self._landed:
                self._announced = self._landed + 1
                return thrower, replies.throw(int(self._felt[self._landed][2]))
            self._landed += 1
            return 0, replies.land(self._landed - 1, LANDINGS.index(self._felt[self._landed - 1][3]))
        if self.session.open.waiting:
            missed = any(throw[0] == f"p{seat}" and throw[3] == "outside" for throw in self._throws)
            at_table = self.session.seats[seat - 1].at_table
            return seat, replies.finish(missed=missed) if at_table else replies.finish()
        return 0, replies.close(self._landed)

    _felt_at = -1
    _felt: list[list[str]]
    _throws: list[list[str]]
    _landed = _announced = 0

    def _throws_now(self, window: Window) -> list[list[str]]:
        if self._moves is not None:
            ahead = self._moves[self.session.position.ply :]
            return [move.split(" ") for move in ahead[: ahead.index("table close")] if " throw " in move]
        throws: list[list[str]] = []
        hands = {seat: list(cards) for seat, cards in self._hands(window).items()}
        while hands and self._dice.random() < 0.6:
            seat = self._dice.choice(sorted(hands))
            if not hands[seat]:
                break
            rank = hands[seat].pop(self._dice.randrange(len(hands[seat])))
            missed = {throw[0] for throw in throws if throw[3] == "outside"}
            how = self._dice.choice(LANDINGS if f"p{seat}" not in missed else LANDINGS[:3])
            throws.append([f"p{seat}", "throw", str(rank), how])
        return throws

    def _hands(self, window: Window) -> dict[int, list[int]]:
        state: Any = self.session.position.state
        return {
            seat: [rank for rank in range(1, 11) if state.hands[seat - 1] >> rank & 1]
            for seat in window.seats
            if self.session.seats[seat - 1].at_table
        }

    def _missed(self, seat: int) -> str:
        return next(throw[2] for throw in self._throws if throw[0] == f"p{seat}" and throw[3] == "outside")

    # -- how it comes in -------------------------------------------------------------------------------------------

    def _lock(self, seat: int, choice: int) -> None:
        session = self.session
        bind = session.open.bind(seat)
        if session.seats[seat - 1].at_table:
            nonce = self._dice.randbytes(16)
            self._held[seat] = nonce, choice
            self.reply(seat, replies.lock(commitment(bind, session.id, seat, nonce, choice).hex()))
            return
        self._binders[seat] = Binder()
        self.feed("commitment", self._binders[seat].lock(bind, session.id, seat, choice))

    def open_choice(self, seat: int) -> None:
        """Open what a seat is bound to."""
        if self.session.seats[seat - 1].at_table:
            nonce, choice = self._held[seat]
            self.reply(seat, replies.open_choice(nonce.hex(), choice))
            return
        opening = self._binders[seat].open(self.session.id, seat)
        assert opening is not None
        self.feed("opening", opening)

    def _keep(self, items: list[Item], cursor: tuple[str, int] | None) -> None:
        self.items += items
        if self._log is not None:
            log, game = self._log
            log.append_all([(game, kind, whole(kind, body)) for kind, body in items], cursor)


def whole(kind: str, body: Body) -> Body:
    """Return a body with all the fields that the table would have sent with its event; nothing looks at these."""
    if kind != "table" or body["event"] == "hello":
        return body
    message = next(message for message in wire.MESSAGES if message.name == body["event"])
    fields = {it[0]: it[2] for it in message.fields if it[0] not in ("number", "time")}
    return {"time": "1970-01-01T00:00:00.000+00:00", **fields, **body}


def fabricate(log: Log, game: int, moves: Sequence[str]) -> None:
    """Log how a game comes to its first moves, at a table whose boot has ended."""
    if not moves:
        return
    driver = Driver.of_log(log, game, [*moves, "table close"])
    driver.begin()
    driver.play(len(moves))
    assert [str(move) for move in driver.session.position.moves] == list(moves)


def by_id(heading: Body) -> Body:
    """Return a heading as it is logged: people are named by id."""
    seats = []
    for number, body in enumerate(heading["seats"], 1):
        person = {key: value for key, value in body.items() if key != "name"} | {
            "person": f"{number:016x}",
            "named": "00" * 32,
        }
        seats.append(person if Seat.read(body).is_person else body)
    return {**heading, "seats": seats}


def entries_of(heading: Body, items: Sequence[Item]) -> list[Entry]:
    """The entries of a log that holds one game."""
    heading = by_id(heading)
    entries = [Entry(1, None, AT, "ids", {"to": 1 << 29}, ""), Entry(2, 1, AT, "game", heading, "")]
    number, here = 0, BOOT
    for n, (kind, body) in enumerate(items, 3):
        hello = kind == "table" and body["event"] == "hello"
        if hello and body["boot"] != here:
            number, here = 0, body["boot"]
        boot = here if kind == "fault" or (kind == "table" and not hello) else None
        number += boot is not None
        body = seed_of(heading, body["seed"])[1] if kind == "seed" else whole(kind, body)
        entries.append(Entry(n, 1, AT, kind, body, "", boot, number if boot else None))
    return entries


def headed(entries: list[Entry], heading: Body) -> list[Entry]:
    """A game with another heading, and its seed drawn for that, as a forger who knows of it would have it."""
    return [
        replace(entry, body=heading)
        if entry.kind == "game"
        else replace(entry, body=seed_of(heading, entry.body["seed"])[1])
        if entry.kind == "seed"
        else entry
        for entry in entries
    ]


def session_of(
    rules: Any,
    seats: Sequence[Seat],
    sources: Sources = ALL_HOST,
    *,
    state: Any = None,
    prelude: bool = True,
    practice: bool = False,
) -> Session:
    """Return a session that begins with the prelude, if the rules have one, or at a state."""
    script, position = script_of(rules.name)[0], Position(rules, state)
    return Session(position, seats, script, Supply(), prelude=prelude, practice=practice, sources=sources)


def driven(
    game: str,
    seats: Sequence[Seat],
    moves: Sequence[str] | None = None,
    *,
    until: int | None = 0,
    sources: Sources = ALL_HOST,
    seed: int = 1,
    **options: Any,
) -> Driver:
    """Return a game that has begun, after so many of these moves, or of any."""
    driver = Driver(session_of(rules_of(game, len(seats), options), seats, sources), moves, seed)
    driver.begin()
    driver.play(until)
    return driver
