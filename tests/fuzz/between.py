"""A relay between the conductor's own client and an honest table that lies both ways, in frames with right checksums.

It alters, drops, repeats, reorders and invents what either says, over whole games of all kinds, while random fingers
press at the table, the host is killed and started again, and the table is reset. A man in the middle can play for
the places, since nothing on it proves who speaks; what must hold all the same is the log's: the host ends in no
exception but a ``TableError``, which tells people what is wrong; whatever it acknowledges, shows and asks is durable;
the audit takes the log that it has written; and what the log counts as opened or rolled is what was bound before.
"""

from __future__ import annotations

import tempfile
from collections import Counter, deque
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.wire.wire_cases import value_in

import replies
from durable import witnessed
from ports import work
from tablier.course.chance import Sources
from tablier.course.seats import AT_TABLE, Seat
from tablier.games.core.questions import Window
from tablier.judge.audit import examine
from tablier.log.store import Log
from tablier.play.beginning import begin
from tablier.play.game import Conductor
from tablier.play.logged import Logged, log_id
from tablier.simulation.clock import VirtualClock
from tablier.simulation.simulated import SimulatedTable
from tablier.simulation.tester import Tester
from tablier.table.client import Client
from tablier.table.unusable import TableError
from tablier_fw import wire

from .at_host import anything, near
from .frames import Dice, payload_of

Game = tuple[str, int, dict[str, Any], Sources | None]
GAMES: tuple[Game, ...] = (
    ("dilemma", 3, {}, None),
    ("d21", 2, {"max_plies": 16}, None),
    ("struggle", 2, {"board": "Y" * 14}, Sources(("roll", "tally"), "roll")),
    ("roudalon", 4, {"first": "p1"}, Sources(("roll",) * 4)),
    ("dicke-daemonen", 2, {"layout": "ring"}, Sources(("host",) * 2, "roll")),
)
"""Games, their seats, options and sources of chance."""
_RATES = (0.03, 0.1, 0.3)
"""How many of the frames are lied about, in games in turn."""
_BINDING = (wire.LOCKED, wire.OPENED, wire.COMMITTED, wire.REVEALED, wire.CONTRIBUTION)
_BINDING_RATE = 0.3
"""There are few of these."""
LIES = ("altered", "altered", "dropped", "repeated", "held", "headed", "invented", "invented")
"""What becomes of a frame; ``headed``: it bears another boot or run."""
_KEPT = 60
"""How many of the latest frames of each side may come again."""
_STUCK_S = 12.0
"""After so long without an entry the host is started again, or the table."""
_GAME_S = 900.0
"""So long a game is lied to at most; then it may end in peace."""
_PEACE_S = 900.0
_STEP_S = 0.1
_MOST = 4000
"""Frames that a game is lied to."""
_TO_END = 0.2
"""How many of the games are then played to their end, which takes far more frames."""

Frame = tuple[wire.Message, bytes, bytes, bytes]
"""Message, boot, run, payload."""


class Liar:
    """A liar on the line: change the frames that go one way."""

    def __init__(self, dice: Dice, told: Counter[str]) -> None:
        self.rate = dice.choice(_RATES)
        self._dice = dice
        self._told = told
        self._latest: deque[Frame] = deque(maxlen=_KEPT)
        self._held: list[tuple[int, Frame]] = []  # after how many more frames, what

    def pass_on(self, frame: Frame, invent: Callable[[], Frame]) -> list[Frame]:
        """Return what is said in place of a frame. ``invent`` returns what might be said besides."""
        dice, said = self._dice, [frame]
        self._told["relayed" if self.rate else "in peace"] += 1
        binds = frame[0] in _BINDING
        if dice.random() < (max(self.rate, _BINDING_RATE) if self.rate and binds else self.rate):
            way = "altered" if binds and dice.random() < 0.7 else dice.choice(LIES)
            self._told[way] += 1
            if way == "altered":
                said = [self._altered(frame)]
            elif way == "dropped":
                said = []
            elif way == "repeated":
                said = [frame, dice.choice([frame, *self._latest])]
            elif way == "held":
                said = []
                self._held.append((dice.randint(1, 12), frame))
            elif way == "headed":
                said = [self._headed(frame)]
            else:
                said = [frame, invent()] if dice.random() < 0.5 else [invent(), frame]
        self._latest.append(frame)
        self._held = [(after - 1, it) for after, it in self._held]
        said += [it for after, it in self._held if after < 0]
        self._held = [(after, it) for after, it in self._held if after >= 0]
        return said

    def _altered(self, frame: Frame) -> Frame:
        """A frame with another value in one field, in its range."""
        message, boot, run, payload = frame
        if not message.fields or message.fault(payload) >= 0:
            return frame
        values = list(message.unpack(payload))
        at = self._dice.randrange(len(values))
        values[at] = value_in(message.fields[at], self._dice)
        if message.names[at] in ("id", "number") and self._dice.random() < 0.9:
            values[at] = max(1, message.unpack(payload)[at] + self._dice.randint(-2, 2))
        return message, boot, run, message.pack(*values)[: wire.MAX_PAYLOAD]

    def _headed(self, frame: Frame) -> Frame:
        """A frame of another boot, or of another run."""
        message, boot, run, payload = frame
        other = self._dice.choice((wire.NO_ID, self._dice.randbytes(8), self._dice.choice([frame, *self._latest])[1]))
        return (message, other, run, payload) if self._dice.random() < 0.5 else (message, boot, other, payload)


class Between(Client):
    """The conductor's own client, with a relay at its port."""

    liars: tuple[Liar, Liar]
    """To the table, to the host."""
    dice: Dice
    conductor: Conductor | None = None

    def _write(self, line: bytes) -> None:
        frame: Frame = wire.unframe(line[:-1])
        for said in self.liars[0].pass_on(frame, self._to_table):
            super()._write(wire.frame(*said))

    def _take(self, message: wire.Message, boot: bytes, run: bytes, payload: bytes) -> None:
        for said in self.liars[1].pass_on((message, boot, run, payload), lambda: self._to_host(boot, run)):
            super()._take(*said)

    def _to_table(self) -> Frame:
        dice = self.dice
        message = dice.choice([it for it in wire.MESSAGES if it.way == wire.TO_TABLE])
        id = self._asked + dice.choice((0, 0, 0, 0, 1, -1))
        fixed: dict[str, Any] = {"id": max(1, id), "number": max(0, self._events.next - 1 + dice.randint(-2, 2))}
        fixed |= {"challenge": self._greeting.challenge, "major": wire.MAJOR}
        boot = wire.NO_ID if message is wire.HOST_HELLO else bytes.fromhex(self.boot or "00" * 8)
        return message, boot, self._greeting.run, payload_of(message, dice, fixed)

    def _to_host(self, boot: bytes, run: bytes) -> Frame:
        dice, session = self.dice, self.conductor.session if self.conductor else None
        if session is None or dice.random() < 0.5:
            code, payload = anything(dice, max(1, self._asked), self._events.next, self._wanted.states)
        else:
            code, payload = near(dice, session, self._events.next)
        return wire.BY_CODE.get(code) or wire.unknown(code), boot, run, payload

    @property
    def _asked(self) -> int:
        return self.conductor.session.id if self.conductor else 0


class Evening:
    """One game at one table, lied to, and then ended in peace."""

    def __init__(self, dice: Dice, told: Counter[str], log: Log, table: SimulatedTable, most: int) -> None:
        self._dice = dice
        self._told = told
        self._log = log
        self._table = table
        self._most = told["relayed"] + most
        self._hands = Tester(table.control)
        self._hands.join()
        self._clock = VirtualClock(self._hands)
        self._liars = Liar(dice, told), Liar(dice, told)
        self._press_at = 0.0

    def close(self) -> None:
        self._hands.close()

    def play(self, game: int, whole: bool) -> None:
        """Play a game until its frames are spent, in as many runs of the host as it takes; if ``whole``, then to its
        end."""
        ends = self._clock.now() + _GAME_S
        peace = False
        while True:
            try:
                over = self._run(game, ends)
            except TableError:
                self._told["refused tables"] += 1
                self._pass(1.0)
                over = False
            if over:
                self._told["ended"] += 1
                return
            if self._clock.now() >= ends or self._told["relayed"] >= self._most:
                if peace or not whole:
                    self._told["left"] += 1
                    return
                peace, ends, self._most = True, self._clock.now() + _PEACE_S, 10**9
                for liar in self._liars:
                    liar.rate = 0.0
            elif self._dice.random() < 0.5:
                self._told["resets"] += 1
                self._hands.say("reset")

    def _run(self, game: int, ends: float) -> bool:
        """One run of the host; return whether the game is over."""
        log, clock = self._log, self._clock
        self._told["runs"] += 1
        port = self._hands.say("time")["port"]
        client = Between(port, clock, log.cursor, Logged(log, game).boot, log=log_id(log))
        client.liars, client.dice = self._liars, self._dice
        try:
            client.open()
            conductor = client.conductor = Conductor(log, game, clock, client)
            conductor.start()
            head, moved = log.head, clock.now()
            while True:
                wait = work(conductor)
                if conductor.over and not conductor.counting:
                    return True
                now = clock.now()
                if log.head != head:
                    head, moved = log.head, now
                if now >= ends or now >= moved + _STUCK_S or self._told["relayed"] >= self._most:
                    return False
                if self._liars[0].rate and self._dice.random() < 0.002:
                    self._told["kills"] += 1
                    return False
                if now >= self._press_at:
                    self._press_at = now + _STEP_S
                    self._press(conductor)
                for incoming in client.poll(min(wait, max(0.001, self._press_at - now))):
                    conductor.take(incoming)
        finally:
            client.close()

    def _press(self, conductor: Conductor) -> None:
        """Somebody who is asked presses something, or throws."""
        dice, session = self._dice, conductor.session
        asked = [session.seats[seat - 1].place for seat in session.open.waiting]
        place = dice.choice(asked) if asked and dice.random() < 0.95 else dice.randint(1, wire.PLACES)
        if isinstance(session.question, Window) and dice.random() < 0.2:
            self._hands.say(f"land {dice.choice(wire.LANDINGS)}")
        if not asked and dice.random() < 0.2:
            self._hands.say("clear")
        self._hands.say(f"press {place} {dice.choices(wire.BUTTONS, (1, 3, 2, 5))[0]}")

    def _pass(self, seconds: float) -> None:
        end = self._clock.now() + seconds
        while self._clock.now() < end - 1e-6:
            self._clock.wait(end - self._clock.now(), None)


def check(log: Log, game: int) -> Counter[str]:
    """Raise ``AssertionError`` where the audit refuses the log of a game. Return what it holds."""
    assert log.verify() > 0
    wrong = examine(log.entries()).wrong
    assert not wrong, f"the audit refuses the log of an honest host: {wrong[0]}"
    entries = list(log.entries(game))
    kinds = Counter(entry.kind for entry in entries)
    events = Counter(entry.body["event"] for entry in entries if entry.kind == "table")
    counted = Counter({kind: kinds[kind] for kind in ("move", "fault", "gap", "void", "aborted", "since", "warning")})
    return counted + Counter({event: events[event] for event in (replies.OPENED, replies.REVEALED)})


def between(seed: int, count: int, games: Sequence[Game] = GAMES, *, whole: bool = True) -> Counter[str]:
    """Return what became of ``count`` frames, at some games in turn. Raise ``AssertionError`` when the log of one is
    refused, or holds what was not bound. ``whole``: let some of the games end, in peace if they must."""
    dice, told = Dice(seed), Counter[str]()
    while told["relayed"] < count:
        for game in games:
            with pytest.MonkeyPatch.context() as patch, witnessed(patch):
                told += _play(dice, game, min(_MOST, count // len(games)), whole)
    return told


def _play(dice: Dice, game: Game, most: int, whole: bool) -> Counter[str]:
    told = Counter[str]()
    kind, count, options, sources = game
    seats = [Seat("ABCD"[n], n + 1, AT_TABLE) for n in range(count)]
    with (
        tempfile.TemporaryDirectory() as folder,
        SimulatedTable(virtual=True, seed=dice.randrange(10**6)) as table,
        Log.open(Path(folder) / "log.sqlite") as log,
    ):
        number = begin(log, kind, options, seats, sources=sources)
        evening = Evening(dice, told, log, table, most)
        try:
            evening.play(number, whole and dice.random() < _TO_END)
        finally:
            evening.close()
        told += check(log, number)
    told["games"] += 1
    return told
