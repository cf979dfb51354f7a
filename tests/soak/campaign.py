"""One leg of the soak: a simulated table in virtual time, six people, a host that is killed, a bad line, a log.

The people look at nothing but pixels and cards, and repeat what is not shown as taken. They keep a list of what they
pressed, when, and what the pixels said of it. In the end the log must tell each of these presses that was shown as
taken, once, in order, nothing that was not pressed, and the games that were meant.
"""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self

import replies
from harness import AWAY_S, Breaking, Broken, Counts, numbers_of_events
from tablier.log.chain import LogError
from tablier.log.store import Log
from tablier.log.storing import unpack_body
from tablier.simulation.eyes import number_on, state_of
from tablier.simulation.simulated import SimulatedTable
from tablier_fw import colours, wire

from .rounds import CHOICE, LABELS, MENU, POLL, ROUNDS, SEATS, WINDOW, Round, meant, record

FAULTS = {"drop": 0.01, "flip": 0.01, "double": 0.005, "cut": 0.005}
"""The chance a frame has of being lost, corrupted, doubled, cut short."""
DEEDS = ("cable", "reset", "kill", "deaf", "reopen")
"""The cable is pulled and comes back under another name; the table is reset; the host is killed, and until the next one
starts nothing happens, or a program has the port open and does not read, or opens and closes it again and again."""
OPENINGS = 10
_HOST = "host"
HANG = "hang"
"""The firmware hangs until the watchdog bites: at an emulated table only."""

_STEP_US = 20_000
_PRESS_MS = 25
_AGAIN_US = 90_000  # a button is let go of, and what it did is shown
_NEAR_US = {False: (25_000, 10_000), True: (70_000, 25_000)}
"""How long after a press, and how long before it, its event may be said to be, at a simulated table and at an emulated
one. A new host knows the table's clock by one ping only. While contacts bounce, up to 16 ms when several people press,
the ping waits; the dates are then too early by half of that. The summary gives the greatest distances.
"""
_LANDED_US = 700_000  # a card lies still, was told, and the telling was repeated a few times
_STUCK_US = 120_000_000
_BOUNCED_MS = 2.5
_GOES_ON = 20  # entries of the log after the last deed that show that the game goes on
_GREEN = bytes(colours.TAKEN).hex()
_AMBER = bytes(colours.PENDING).hex()
_EVENTS = (replies.ANSWERED, replies.LOCKED, replies.PICKED, replies.DONE)
"""The events that are somebody's press."""


@dataclass
class Press:
    """A press that says something, and what the pixels said of it."""

    us: float
    place: int
    event: str
    value: int | None
    question: int
    """The one that was open. A press in the moment of a reset may count for the same one, asked again."""
    taken: bool = False
    """Whether it was shown as taken."""


@dataclass
class Told(Counts):
    """The events so far."""

    frames: int = 0
    faults: Counter[str] = field(default_factory=Counter)
    deeds: Counter[str] = field(default_factory=Counter)
    presses: int = 0
    lost: int = 0
    """Presses that never reached the log: none of them was shown as taken, and they were made again."""
    events: int = 0
    games: int = 0
    gaps: int = 0
    early_us: float = 0.0
    late_us: float = 0.0
    """The greatest time from an event's date to its press, and from a press to its event's date."""

    def __iadd__(self, other: Self) -> Self:
        early, late = max(self.early_us, other.early_us), max(self.late_us, other.late_us)
        super().__iadd__(other)
        self.early_us, self.late_us = early, late
        return self


class Reader:
    """A reader of the durable entries: the log's file, read while the host writes it."""

    def __init__(self, path: Path) -> None:
        self._db = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True, isolation_level=None)
        self.last = self.games = self.rounds = 0
        self.question = 0
        self.kind = ""
        self.put_in: dict[int, int] = {}
        """By place: the latest question for which it has put something in."""
        self.events = 0
        self.landed: dict[int, int] = defaultdict(int)
        """By question: landings of its round up to then."""
        self._window = self._before = 0  # the latest two questions that were windows

    def read(self) -> None:
        rows = self._db.execute("SELECT n, kind, body FROM entry WHERE n > ? ORDER BY n", (self.last,)).fetchall()
        for n, kind, text in rows:
            self.last = n
            if kind == "game":
                self.games += 1
                self.rounds = 0
            elif kind == "move":
                self.rounds += 1
                self.kind = ""
            elif kind == "ask":
                body = json.loads(unpack_body(text))
                before = self.landed[self.question] if self.kind == body["what"] else 0
                if body["what"] == WINDOW:
                    self._window, self._before = body["id"], self._window
                self.question, self.kind = body["id"], body["what"]
                self.landed[self.question] = before
            elif kind == "table":
                body = json.loads(unpack_body(text))
                self.events += body["event"] != "hello"
                if body["event"] == replies.LANDED:
                    self.landed[body["id"]] += 1
                elif "place" in body:
                    self.put_in[body["place"]] = body["id"]

    @property
    def most(self) -> int:
        """Return the number of landings that may be shown as taken; the table may not have the latest window yet."""
        return max(self.landed[self._window], self.landed[self._before])

    def close(self) -> None:
        self._db.close()


class Leg(Breaking):
    """A number of frames at one table, with each deed done a number of times. ``run`` raises :class:`Broken`."""

    PER_S = 1e6

    def __init__(
        self,
        folder: Path,
        seed: int,
        frames: int,
        times: int,
        kind: type[SimulatedTable] = SimulatedTable,
        faults: Mapping[str, float] = FAULTS,
    ) -> None:
        super().__init__(folder, seed)
        self.seed = seed
        self._kind = kind
        self._emulated = kind is not SimulatedTable
        self._faults = faults
        self.told = Told()
        self._frames = frames
        deeds = (*DEEDS, HANG) if self._emulated else DEEDS
        self._deeds = [deed for deed in deeds for _ in range(times)]
        self.dice.shuffle(self._deeds)
        self._apart = frames // (len(self._deeds) + 1)
        self._presses: list[Press] = []
        self._latest: dict[int, Press] = {}
        self._ready_us = dict.fromkeys(range(1, SEATS + 1), 0.0)
        self._asked = 0
        self._selected: dict[int, int] = {}
        self._thrown_us = 0.0
        self._host: subprocess.Popen[str] | None = None
        self._moved_us = 0.0
        self._littered = False
        self._goes_on = 0

    def run(self, progress: Callable[[], None]) -> None:
        """Play until all frames have been seen and all deeds done, and check the log."""
        with self._kind(virtual=True, seed=self.seed) as self.table:
            self.table.tester.join()
            faults = " ".join(f"{fault}={chance}" for fault, chance in self._faults.items())
            self.table.say(f"faults {faults} seed={self.seed}")
            try:
                self.start()
                with closing(Reader(self.log)) as self._reader:
                    self._soak(progress)
            finally:
                self._kill()
        self._check()

    # -- time ------------------------------------------------------------------------------------------------

    def _soak(self, progress: Callable[[], None]) -> None:
        steps = 0
        while True:
            pressed = self._step()
            if self._host and self._host.poll() is not None:
                raise Broken(f"the host ended by itself ({self._host.returncode}): {self.complaints(_HOST)}")
            if steps % 25 == 0:
                self._count()
                progress()
            steps += 1
            done = sum(self.told.deeds.values())
            if self._deeds and (pressed or not self.plugged) and self.told.frames >= self._apart * (done + 1):
                self._do(self._deeds[-1])
            elif self._deeds or self.agenda or self._reader.last < self._goes_on:
                continue
            elif self.told.frames >= self._frames:
                return

    def pass_time(self, seconds: float) -> None:
        self._wait(round(seconds * 1e6))

    def _wait(self, us: int) -> None:
        self.now = int(self.table.say(f"wait {round(self.now) + max(1, us)} - - -")["now"])

    def _step(self) -> bool:
        """Let a little time pass, and everybody act; return whether somebody has pressed a button."""
        self._wait(_STEP_US)
        self.do_due()
        pixels = self.table.tester.pixels()
        before = self._reader.last
        self._reader.read()
        if self._reader.last != before:
            self._moved_us = self.now
        elif self.now - self._moved_us > _STUCK_US:
            raise Broken(f"nothing moves any more: {self._state(pixels)}")
        self._look(pixels)
        return self._act(pixels)

    def _count(self) -> None:
        stats = self.table.say("stats")
        ways = [stats["to_table"], stats["to_host"]]
        self.told.frames = sum(way["frames"] for way in ways)
        self.told.faults = Counter({fault: sum(way[fault] for way in ways) for fault in self._faults})
        self.told.presses = len(self._presses)
        self.told.events = self._reader.events

    # -- what befalls the table and the host -------------------------------------------------------------------

    def _do(self, deed: str) -> None:
        """Do a deed, most often just after somebody has pressed a button."""
        dice = self.dice
        # A simulated table starts in no time: a contact that still bounces would count as pressed once more, after it.
        least = _BOUNCED_MS if deed == "reset" else 0
        self._wait(round(dice.choice((dice.uniform(least, 4), dice.uniform(4, 14), dice.uniform(least, 200))) * 1000))
        if deed == "cable":
            if not self.unplug():
                return
        elif deed in ("reset", HANG):
            self.table.say(deed)
        else:
            if self._host is None or (deed != "kill" and not self.plugged):
                return
            self._kill(soon=True)
            if deed == "kill":
                away = dice.choice(AWAY_S)
                if dice.random() < 0.25:  # while there is no host
                    self.later(dice.uniform(0, away), lambda: self.table.say("reset"))
                self.later(away, self.start)
            else:
                self._strangers(1 if deed == "deaf" else OPENINGS, 3.0 if deed == "deaf" else 0.05)
                self.start()
        self._deeds.pop()
        self._goes_on = self._reader.last + _GOES_ON
        self.told.deeds[deed] += 1

    def _strangers(self, times: int, seconds: float) -> None:
        """A program opens the port, says hello, reads nothing, and closes the port again: so often, each for so long.
        People go on meanwhile, and what falls due is done."""
        hello = wire.HOST_HELLO.encode(wire.MAJOR, wire.MINOR, wire.NO_ID, wire.NO_ID, bytes(16), b"stranger")
        for _ in range(times):
            if not self.plugged:
                return
            self._dtr(True)
            port = os.open(str(self.table.port), os.O_RDWR | os.O_NOCTTY)
            os.write(port, wire.frame(wire.HOST_HELLO, wire.NO_ID, self.dice.randbytes(8), hello))
            self._steps(seconds)
            os.close(port)
            self._dtr(False)
            self._steps(0.02)

    def _steps(self, seconds: float) -> None:
        end = self.now + round(seconds * 1e6)
        while self.now < end:
            self._step()

    def _dtr(self, on: bool) -> None:
        """Do what the kernel does when a program opens or closes the port; a simulated table has no such line."""
        if self._emulated:
            self.table.say(f"dtr {'on' if on else 'off'}")

    def start(self) -> None:
        assert __package__
        command = ["-m", f"{__package__}.host", str(self.table.port), str(self.log), str(self.seed)]
        if self.plugged:
            self._dtr(True)
        self._host = self.popen(command, _HOST, cwd=Path(__file__).parents[__package__.count(".") + 1])

    def _kill(self, *, soon: bool = False) -> None:
        """Kill the host, ``soon``: in the middle of its work."""
        host, self._host = self._host, None
        if host is None:
            return
        if soon:
            self.kill_soon(host, (0.005, 0.02, 0.2))
        host.kill()
        host.wait()
        assert host.stdout is not None
        host.stdout.close()
        if soon:
            self._dtr(False)

    def _state(self, pixels: dict[str, Any]) -> str:
        reader = self._reader
        return (
            f"question {reader.question} ({reader.kind}), round {reader.rounds} of game {reader.games};"
            f" public pixels {' '.join(pixels['public'])}"
        )

    # -- people --------------------------------------------------------------------------------------------------

    def _look(self, pixels: dict[str, Any]) -> None:
        """Mark all that is shown as taken, and check that it is durable."""
        reader = self._reader
        for place, colour in enumerate(pixels["public"], 1):
            press = self._latest.get(place)
            if colour != _GREEN or press is None or press.taken:
                continue
            press.taken = True
            if reader.put_in.get(place, 0) < press.question:
                raise Broken(f"place {place} is shown that it is taken, and it is not in the log: {press}")
        if reader.kind == WINDOW:
            green = pixels["ring"].count(_GREEN)
            if green > reader.most:
                raise Broken(f"{green} landings are shown as taken, in the log are {reader.most}")
            if _AMBER in pixels["ring"]:
                self._thrown_us = self.now

    def _act(self, pixels: dict[str, Any]) -> bool:
        reader = self._reader
        if not reader.kind:
            return False
        if reader.question != self._asked:
            self._asked = reader.question
            for place in self._ready_us:
                self._ready_us[place] = max(self._ready_us[place], self.now + self.dice.randrange(40_000))
        this = meant(self.seed, reader.games, reader.rounds)
        acted = False
        for place in this.seats:
            white = state_of(pixels["public"][place - 1]) == "asked"
            if white and self.now >= self._ready_us[place]:
                button = self._next(place, this, pixels)
                if button:
                    self.table.tester.press(place, button, _PRESS_MS)
                    self._ready_us[place] = self.now + _AGAIN_US
                    acted = True
        if this.kind != WINDOW and pixels["ring"].count(_GREEN) == 0 and self._littered:
            self.table.say("clear")
            self._littered = False
        return acted

    def _next(self, place: int, this: Round, pixels: dict[str, Any]) -> str | None:
        """The button that this person presses now; a card is thrown in passing."""
        meant_, hood = this.answers[place - 1], pixels[f"hood{place}"]
        if this.kind == POLL:
            return self._says(place, replies.ANSWERED, meant_, "b" if meant_ else "a")
        if this.kind == MENU:
            if number_on(hood) == LABELS[meant_]:
                return self._says(place, replies.PICKED, meant_, "b")
            return "plus"
        if this.kind == CHOICE:
            if not any(bytes.fromhex(hood[1])):
                return None  # questions follow one another so fast that the hoods are dark for a moment
            if self._selected.get(place) == self._asked and hood[4] == bytes(colours.READY).hex():
                return self._says(place, replies.LOCKED, None, "plus")
            self._selected[place] = self._asked
            # Blue is option 0, orange 1; which button is which is shown under the hood only.
            red, _, blue = bytes.fromhex(hood[1])
            return "a" if (red > blue) == bool(meant_) else "b"
        return self._in_window(place, this, pixels)

    def _says(self, place: int, event: str, value: int | None, button: str) -> str:
        press = Press(self.now, place, event, value, self._asked)
        self._presses.append(press)
        self._latest[place] = press
        return button

    def _in_window(self, place: int, this: Round, pixels: dict[str, Any]) -> str | None:
        """Throw the next card when all before are shown as taken, again if it is not."""
        green = pixels["ring"].count(_GREEN)
        if green == len(this.throws):
            return self._says(place, replies.DONE, 0, "a")
        if this.throws[green] == place and self.now - self._thrown_us > _LANDED_US:
            self.table.tester.land("flat")
            self._thrown_us = self.now
            self._littered = True
        return None

    # -- the verdict -------------------------------------------------------------------------------------------

    def _check(self) -> None:
        with Log.read(self.log) as log:
            try:
                log.verify()
            except LogError as error:
                raise Broken(str(error)) from None
            games, self._numbers = log.games(), numbers_of_events(self.log)
            for info in games:
                moves = log.moves(info.id)
                meant_ = record(self.seed, info.id)[: None if info.ended or info.id < len(games) else len(moves)]
                if moves != meant_:
                    differ = [n for n, move in enumerate(meant_) if moves[n : n + 1] != [move]]
                    raise Broken(f"game {info.id}: round {differ[0]} of {ROUNDS} is not what was meant: {moves}")
                self._check_boots([(entry.kind, entry.body) for entry in log.entries(info.id)], info.id)
            self.told.games = sum(info.ended is not None for info in games)
        self._check_presses()

    def _check_boots(self, entries: list[tuple[str, dict[str, Any]]], game: int) -> None:
        """Each boot of the table that has ended is named, with the last of its events that is durable."""
        hellos = [body["boot"] for kind, body in entries if kind == "table" and body["event"] == "hello"]
        gaps = [(body["boot"], body["after"]) for kind, body in entries if kind == "gap"]
        self.told.gaps += len(gaps)
        ends = [(boot, max(self._numbers[boot], default=0)) for boot in hellos[:-1]]
        if gaps != ends or len(set(hellos)) != len(hellos):
            raise Broken(f"game {game}: the gaps {gaps} do not name the boots that ended: {ends}")

    def _check_presses(self) -> None:
        """Each event of the log is one press, no press is two, they are in order, and none that was taken lacks."""
        pressed: dict[int, list[Press]] = defaultdict(list)
        for press in self._presses:
            pressed[press.place].append(press)
        at = dict.fromkeys(pressed, 0)
        after, before = _NEAR_US[self._emulated]
        with closing(sqlite3.connect(self.log)) as db:
            entries = db.execute("SELECT n, body FROM entry WHERE boot IS NOT NULL ORDER BY n").fetchall()
        for n, text in entries:
            body = json.loads(unpack_body(text))
            if body["event"] not in _EVENTS:
                continue
            us, place = _us(body["time"]), body["place"]
            presses = pressed[place]
            while at[place] < len(presses) and presses[at[place]].us < us - after:
                self._left_out(presses[at[place]])
                at[place] += 1
            if at[place] == len(presses) or not _is(presses[at[place]], body, us - after, us + before):
                near = [f"{press.event} at {press.us} µs" for press in presses if abs(press.us - us) < 1_000_000]
                near = near or ["none within a second"]
                told = f"entry {n} is no press of place {place}, or one that is there already: {body}"
                raise Broken(
                    f"{told}; at {us} µs; presses: {', '.join(near)}; next of them: {at[place]} of {len(presses)}"
                )
            late_us = us - presses[at[place]].us
            self.told.early_us, self.told.late_us = max(self.told.early_us, -late_us), max(self.told.late_us, late_us)
            at[place] += 1
        for place, presses in pressed.items():
            for press in presses[at[place] :]:
                self._left_out(press)

    def _left_out(self, press: Press) -> None:
        if press.taken:
            raise Broken(f"a press that was shown as taken is not in the log: {press}")
        self.told.lost += 1


def _is(press: Press, body: dict[str, Any], since: int, until: int) -> bool:
    value = body.get("yes", body.get("option", body.get("missed")))
    return since <= press.us <= until and (press.event, press.value) == (body["event"], value)


def _us(date: str) -> int:
    return round(datetime.fromisoformat(date).astimezone(UTC).timestamp() * 1e6)
