"""A table that says anything, with right checksums, at the host's client and at a whole conductor."""

from __future__ import annotations

import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from tests.firmware.raw import FakeTable
from tests.wire.wire_cases import values_in

from tablier.course.chance import Sources
from tablier.course.seats import Seat
from tablier.course.session import Session
from tablier.games.core.questions import Choice, Menu, Poll, Roll, Tally, Window
from tablier.judge.audit import examine
from tablier.log.store import Log
from tablier.play.beginning import begin
from tablier.play.game import Conductor
from tablier.play.logged import log_id
from tablier.table.client import Client
from tablier.table.incoming import Refused, TableEvent, Unfit
from tablier.table.unusable import TableError
from tablier_fw import wire

from .frames import Dice, payload_of

_QUESTIONS = (
    wire.IDLE,
    wire.CHOICE,
    wire.WINDOW,
    wire.POLL,
    wire.MENU,
    wire.TALLY,
    wire.WATCH,
    wire.CHECK,
    wire.ROLL,
)
_GAMES: tuple[tuple[str, int, dict[str, Any], Sources | None], ...] = (
    ("dilemma", 3, {}, None),
    ("d21", 2, {"max_plies": 30}, None),
    ("struggle", 2, {}, Sources(("roll", "tally"), "roll")),
    ("roudalon", 4, {}, Sources(("roll",) * 4)),
    ("dicke-daemonen", 2, {}, Sources(("host",) * 2, "roll")),
)
"""Games, their seats, options and sources of chance."""
_AT_ONCE = 40  # frames: as many as a pseudo-terminal takes


class _EvilTable(FakeTable):
    """Greets the host, and for the rest says what the fuzzer wants."""

    def __init__(self) -> None:
        super().__init__()
        self.on("host_hello", lambda *_: self.hello())
        self.on("ping", lambda asked: self.send(wire.PONG, asked, 10**9))

    def say(self, code: int, payload: bytes) -> None:
        message = wire.BY_CODE.get(code) or wire.unknown(code)
        self.write(wire.frame(message, self.boot, self.run, payload))


def anything(dice: Dice, question: int, number: int, wanted: dict[int, Any]) -> tuple[int, bytes]:
    """A code and a payload; most are events with the number that is next and the id of the open question."""
    if dice.random() < 0.03:
        return dice.choice([code for code in range(0x80) if code not in wire.BY_CODE]), number.to_bytes(4, "little")
    kinds = [it for it in wire.MESSAGES if it.way == wire.TO_HOST and it is not wire.TABLE_HELLO]
    message = dice.choice(kinds)
    if dice.random() < 0.6:
        message = dice.choice([it for it in kinds if it.group == wire.EVENT])
    fixed: dict[str, Any] = {"number": number, "id": question if dice.random() < 0.9 else dice.randint(1, wire.MAX_ID)}
    if dice.random() < 0.9:
        fixed["time"] = dice.randrange(10**9)
    if message is wire.REFUSED and wanted:
        slot = dice.choice(list(wanted))
        it = wanted[slot]
        fixed |= {"code": it.message.code, "slot": slot, "revision": wire.revision(it.message, it.payload)}
    return message.code, payload_of(message, dice, fixed)


_ANSWERS = {
    Menu: (wire.PICKED,),
    Poll: (wire.ANSWERED,),
    Choice: (wire.LOCKED, wire.LOCKED, wire.OPENED),
    Window: (wire.LANDED, wire.DONE, wire.DONE, wire.CLOSED),
    Roll: (wire.COMMITTED, wire.REVEALED),
    Tally: (wire.TALLIED,),
}
"""By kind of question, what a table may say to it."""


def near(dice: Dice, session: Session, number: int) -> tuple[int, bytes]:
    """A code and a payload that may well be the next event of an honest table, as far as that needs no secret."""
    question = session.question
    message = dice.choice(_ANSWERS.get(type(question), (wire.PRESSED,)))
    here = [session.seats[seat - 1].place for seat in session.open.waiting if session.seats[seat - 1].at_table]
    place = session.open.starter if isinstance(question, Roll) else dice.choice(here or [1])
    fixed: dict[str, Any] = {
        "number": number,
        "time": dice.randrange(10**9),
        "id": max(1, session.id),
        "place": place,
        "index": 0,
    }
    if isinstance(question, Menu):
        fixed["option"] = dice.randrange(len(question.options))
    if isinstance(question, Tally):
        fixed["faces"] = bytes((*question.given, *(dice.randrange(question.faces) for _ in range(question.dice))))
        fixed["faces"] = fixed["faces"][: question.dice]
    values = values_in(message, dice)
    return message.code, message.pack(
        *(fixed.get(name, value) for name, value in zip(message.names, values, strict=True))
    )


def at_client(seed: int, count: int) -> Counter[str]:
    """Return what became of ``count`` frames. Raise ``AssertionError`` when the client does not stay what it is."""
    dice, told = Dice(seed), Counter[str]()
    table = _EvilTable()
    acked = 0
    client = Client(table.port, table.clock, lambda boot: acked)
    client.open()
    question = 0
    try:
        while count > 0:
            if dice.random() < 0.3:
                question += 1
                message = dice.choice(_QUESTIONS)
                client.want(message, question, *values_in(message, dice)[1:])
            for _ in range(min(count, _AT_ONCE)):
                count -= 1
                code, payload = anything(dice, max(question, 1), client._events.next, client._wanted.states)
                table.say(code, payload)
                for incoming in client.poll(0.0):
                    told[type(incoming).__name__] += 1
                    if isinstance(incoming, TableEvent | Unfit):
                        if incoming.number:
                            assert incoming.number == acked + 1, f"event {incoming.number} after {acked}"
                            acked = incoming.number
                        client.acknowledge(incoming)
                    if isinstance(incoming, Unfit | Refused):
                        assert str(incoming.why) and "\n" not in str(incoming.why)
            is_there = client.connected and client.boot == table.boot.hex() and client.board == table.board.hex()
            assert is_there, f"the table is lost, {count} frames before the end"
    finally:
        client.close()
        table.close()
    told["bad"] = client.bad_frames
    told["unknown"] = client.unknown
    return told


def at_conductor(seed: int, count: int) -> Counter[str]:
    """The same at games of people, a screen and a bot: they never raise, and the audit takes their logs at the end."""
    dice, told = Dice(seed), Counter[str]()
    while count > 0:
        game = _at_game(dice, min(count, 500))
        count -= 500
        told += game
    return told


def _at_game(dice: Dice, count: int) -> Counter[str]:
    told = Counter[str]()
    with tempfile.TemporaryDirectory() as folder, Log.open(Path(folder) / "log.sqlite") as log:
        kind, count_, options, sources = dice.choice(_GAMES)
        away = dice.choice((0, 0, 1)) if sources is None else 0
        of = ["table"] * (count_ - away) + [dice.choice(("screen", "random"))] * away
        seats = [Seat(name, place, source) for place, (name, source) in enumerate(zip("ABCD", of, strict=False), 1)]
        game = begin(log, kind, options, seats, sources=sources)
        table = _EvilTable()
        client = Client(table.port, table.clock, log.cursor, log=log_id(log))
        client.open()
        conductor = Conductor(log, game, table.clock, client)
        conductor.start()
        try:
            for _ in range(count):
                if conductor.over:
                    break
                asked, next_ = max(conductor.session.id, 1), client._events.next
                honest = dice.random() < 0.4
                say = (
                    near(dice, conductor.session, next_)
                    if honest
                    else anything(dice, asked, next_, client._wanted.states)
                )
                table.say(*say)
                for incoming in client.poll(0.0):
                    told[type(incoming).__name__] += 1
                    conductor.take(incoming)
                conductor.work()
        except TableError as error:
            raise AssertionError(f"the game ended: {error}") from error
        finally:
            conductor.close()
            client.close()
            table.close()
        assert log.verify() > 0
        wrong = examine(log.entries()).wrong
        assert not wrong, f"the audit refuses the log of an honest host: {wrong[0]}"
        told["moves"] = len(log.moves(game))
        told["unrevealed"] = conductor.session.unrevealed
    return told
