"""The trials of a table's line: what happens to a real cable, computer and Pico, and what must come through it.

In each trial the line is broken in one way while buttons are pressed. Then the table must answer soon, and every press
must have arrived, once. :class:`Hands` do what nobody can do from here: press, pull the cable, put the computer to
sleep. A person's are told by a :class:`~tablier.service.selftest.Dialog` what to do.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from statistics import median
from typing import Any, NamedTuple

from tablier.service.selftest import REFUSED, Dialog, check_free, impossible
from tablier.service.trips import Trips, measure
from tablier.table.client import Client
from tablier.table.health import CAUSES, POWER, RESET, cause_text
from tablier.table.incoming import Incoming, Rebooted, Refused, TableEvent, Unfit
from tablier.table.open_port import OpenPort
from tablier.table.ports import find_board
from tablier.table.unusable import TableError
from tablier.texts import Failure, Text, counted, number_text
from tablier_fw import wire

PASSED, FAILED, SKIPPED = "passed", "failed", "skipped"
"""Verdicts."""

MUTE_S = 2.0
"""The seconds within which a table answers after a break of its line."""
RESTART_S = 5.0
"""The seconds within which a table answers after a restart."""
MEDIAN_MS, P99_MS = 7.0, 25.0
"""The most that a round trip takes."""
FEW = 3
"""Presses after a restart."""

_TICK_S = 0.1
_QUIET_S = 2.0
"""When no press has come for this long, none is on its way: the table sends again what was not acknowledged."""
_GIVE_UP_S = 30.0
_PATIENCE_S = 300.0
"""The seconds that a person may take to do something."""
_TOOL_S = 3.0
"""The seconds for which a tool looks for MicroPython's prompt."""
_FOUND_S = 0.1
"""A computer finds no device sooner (USB 2.0, 7.1.7.3); the port of an emulated Pico is there all the time."""
_TOOL = b"\r\x03\x03\r\x01"
"""Interrupt twice, then the raw prompt: what mpremote and Thonny send."""
_SLEPT_S = 3.0
"""When the time of day leaps by this much, the computer has slept."""
_ALL_PLACES = (1 << wire.PLACES) - 1


_NO_ANSWER = Text("no answer within {seconds} s", {"seconds": number_text(_GIVE_UP_S, "g")})


class LinetestError(Failure):
    """The line cannot be tested; the text says why."""


class Skipped(Exception):
    """A person skips this trial."""


class Fault(NamedTuple):
    """What went wrong in a trial."""

    key: str
    """Its name for programs."""
    text: Text


@dataclass
class Trial:
    """A trial and its outcome."""

    key: str
    verdict: str = SKIPPED
    pressed: int = 0
    """Presses that were made."""
    felt: int = 0
    """Presses that the table has counted."""
    arrived: int = 0
    mute_s: float | None = None
    """The seconds from the end of the break to the first frame."""
    restarts: int = 0
    cause: str | None = None
    """The cause of the latest restart, one of :data:`~tablier.table.health.CAUSES`."""
    trips: Trips | None = None
    press_ms: tuple[float, float] | None = None
    """From the table's counting of a press to its arrival: median, longest."""
    faults: list[Fault] = field(default_factory=list)

    def fail(self, key: str, text: Text) -> None:
        """Note what went wrong."""
        self.faults.append(Fault(key, text))

    def to_json(self) -> dict[str, Any]:
        """Return the outcome by keys, for programs."""
        told: dict[str, Any] = {"step": self.key, "verdict": self.verdict}
        if self.verdict == SKIPPED:
            return told
        told |= {"pressed": self.pressed, "felt": self.felt, "arrived": self.arrived, "restarts": self.restarts}
        told |= {"cause": self.cause, "mute_s": None if self.mute_s is None else round(self.mute_s, 3)}
        if self.trips is not None:
            it = self.trips
            trip = {"median_ms": round(it.median_ms, 2), "p99_ms": round(it.p99_ms, 2)}
            told["round_trip"] = {**trip, "lost": it.lost, "count": it.count}
        if self.press_ms is not None:
            told["press"] = {"median_ms": round(self.press_ms[0], 2), "longest_ms": round(self.press_ms[1], 2)}
        return {**told, "faults": [fault.key for fault in self.faults]}


class Hands(ABC):
    """Hands at the table and at its computer. A method returns when what it says is done."""

    @abstractmethod
    def agree(self, line: Line) -> None:
        """Learn that presses are due in a break that begins now."""

    @abstractmethod
    def press(self) -> None:
        """Press a button, unless somebody does who knows when."""

    @abstractmethod
    def press_some(self, line: Line, many: int) -> None:
        """Press buttons while the line works."""

    @abstractmethod
    def pressed(self, line: Line, expected: int) -> int:
        """Return the number of presses made. It may differ from what was asked for."""

    @abstractmethod
    def pull(self, line: Line) -> None:
        """Pull the USB cable out, press while it is out, and plug it in again. The table keeps its power."""

    @abstractmethod
    def sleep(self, line: Line) -> None:
        """Put the computer to sleep, press while it sleeps, and wake it."""

    @abstractmethod
    def reset(self, line: Line) -> None:
        """Press the reset button."""

    @abstractmethod
    def cut_power(self, line: Line) -> None:
        """Cut the power of the table, cable and adapter, and bring it back."""


class Line:
    """The line of one table, and its trials. ``durable`` is the client's cursor, since these events go into no log."""

    def __init__(
        self,
        client: Client,
        durable: dict[str, int],
        hands: Hands,
        *,
        seconds: float,
        presses: int,
        typed: Callable[[], str | None] = lambda: None,
        live: Callable[[Text], None] = lambda text: None,
    ) -> None:
        """``seconds``: of each break, in which ``presses`` buttons are pressed. ``typed`` returns the next line that a
        person has typed; ``live`` shows what is seen just now."""
        self.client = client
        self.seconds = seconds
        self.presses = presses
        self._durable = durable
        self._hands = hands
        self._typed = typed
        self._live = live
        self._ids = count(1)
        self._presses: list[float] = []  # ms from being felt to arrival, of this trial
        self._trial = Trial("")
        self._base = 0  # the number of the last event before this trial, or before the latest restart in it
        self.text: str | None = None
        """What a person has typed in the latest wait."""
        self._frames = 0  # all that came
        self._heard_at = self._pressed_at = client.clock.now()

    # -- the whole --------------------------------------------------------------------------------------------------

    def begin(self) -> None:
        """Check that the table is free, and have it report presses. Raise :class:`LinetestError`."""
        self.client.trace = self._trace
        check_free(self.client, self.poll)
        self._ask()
        self._expect_question()

    def run(self, keys: Iterable[str]) -> Iterator[Trial]:
        """Yield each trial when it begins, unnamed by a verdict, and again when it has one."""
        dead = False
        for key in keys:
            self._trial = trial = Trial(key)
            if dead:
                yield trial
                continue
            yield Trial(key, "")
            with suppress(Skipped):
                self._presses.clear()
                self._base = self._felt
                TRIALS[key].work(self)
                if trial.restarts and not TRIALS[key].restarts:
                    self._note_restart(trial)
                trial.verdict = FAILED if trial.faults else PASSED
            dead = not self.client.connected and not self._answers_again()
            yield trial

    def end(self) -> None:
        """Ask the table nothing any more."""
        self.client.want(wire.IDLE, next(self._ids), 0)
        self.poll(_TICK_S)

    @property
    def _felt(self) -> int:
        """Return the number of the latest event of the table's present boot."""
        return max(int(self.client.status["number"]), self._durable.get(self.client.boot or "", 0))

    def _note_restart(self, trial: Trial) -> None:
        """Note a restart that nobody has asked for."""
        if self.client.cause == POWER:
            text = Text("the table lost its power with the cable: it needs its adapter, or skip this step")
            trial.fail("power_lost", text)
        else:
            trial.fail("restarted", Text("the table restarted: {why}", {"why": cause_text(self.client.cause)}))

    def _answers_again(self) -> bool:
        return self.until(lambda: self.client.connected, _GIVE_UP_S, alone=True)

    def _ask(self) -> None:
        self.client.want(wire.WATCH, next(self._ids), 0, _ALL_PLACES)

    # -- time ---------------------------------------------------------------------------------------------------------

    @property
    def now(self) -> float:
        return self.client.clock.now()

    @property
    def is_there(self) -> bool:
        """Return whether the table's port is open."""
        return self.client.fileno() is not None

    def poll(self, seconds: float) -> None:
        """Let some time pass, reading the port."""
        for incoming in self.client.poll(seconds):
            self._take(incoming)

    def freeze(self, seconds: float) -> None:
        """Let some time pass, reading nothing."""
        end = self.now + seconds
        while (left := end - self.now) > 0:
            self.client.clock.wait(left, None)

    def until(self, holds: Callable[[], bool], seconds: float = _PATIENCE_S, *, alone: bool = False) -> bool:
        """Poll until a condition holds, or a person types a line; return whether it holds. ``alone``: do not listen to
        anybody. Raise :class:`Skipped`."""
        end = self.now + seconds
        self.text = None
        while not holds() and self.now < end and self.text is None:
            self.poll(_TICK_S)
            self._show()
            self.text = None if alone else self._typed()
            if self.text is not None and self.text.strip().lower() in ("s", "skip"):
                raise Skipped
        return holds()

    def rest(self, passing: Callable[[float], None]) -> None:
        """Let a break last while presses are made. ``passing`` lets some time pass."""
        begun, made = self.now, 0
        end = begun + self.seconds
        while (left := end - self.now) > 0:
            if made < self.presses and self.now - begun >= made * self.seconds / self.presses:
                made += 1
                self._hands.press()
            passing(min(_TICK_S, left))
            args = {"gone": int(self.now - begun), "all": number_text(self.seconds, "g"), "here": self._trial.arrived}
            self._live(Text("{gone} of {all} s; presses here: {here}", args))

    def _show(self) -> None:
        quiet = int(self.now - self._heard_at)
        args = {"felt": self._trial.felt + self._felt - self._base, "here": self._trial.arrived, "quiet": quiet}
        text = "Presses felt: {felt}, here: {here}"
        if quiet:
            text = "Presses felt: {felt}, here: {here}; silent for {quiet} s"
        self._live(Text(text, args))

    # -- what comes --------------------------------------------------------------------------------------------------

    def _trace(self, came: bool, message: wire.Message, values: tuple[Any, ...]) -> None:
        if came:
            self._heard_at = self.now
            self._frames += 1

    def _take(self, incoming: Incoming) -> None:
        trial = self._trial
        if isinstance(incoming, TableEvent):
            self._durable[incoming.boot] = incoming.number
            self.client.acknowledge(incoming)
            if incoming.message is wire.PRESSED:
                trial.arrived += 1
                self._pressed_at = self.now
                self._presses.append((self.now - incoming.time) * 1000)
        elif isinstance(incoming, Unfit):
            self._durable[incoming.boot] = max(incoming.number, self._durable.get(incoming.boot, 0))
            self.client.acknowledge(incoming)
            trial.fail("impossible", impossible(incoming))
        elif isinstance(incoming, Refused):
            raise LinetestError(REFUSED.of(why=incoming.why))
        elif isinstance(incoming, Rebooted):
            trial.restarts += 1
            trial.felt += trial.arrived
            trial.cause = CAUSES.get(self.client.cause, "unknown")
            self._base = 0
            self._ask()

    # -- the trials ---------------------------------------------------------------------------------------------------

    @property
    def arrived(self) -> int:
        """Return the number of presses that have arrived in this trial."""
        return self._trial.arrived

    @property
    def restarts(self) -> int:
        """Return the number of restarts in this trial."""
        return self._trial.restarts

    def try_closed_port(self) -> None:
        self._hands.agree(self)
        self.client.close()
        self.rest(self.freeze)
        self._expect_presses_of_break()

    def try_stopped_reader(self) -> None:
        self._hands.agree(self)
        self.rest(self.freeze)
        self._expect_presses_of_break()

    def try_sleep(self) -> None:
        self._hands.sleep(self)
        self._expect_presses_of_break()

    def try_cable(self) -> None:
        self._hands.pull(self)
        self._expect_presses_of_break()

    def try_reset(self) -> None:
        self._hands.reset(self)
        self._expect_restart(RESET)

    def try_power(self) -> None:
        self._hands.cut_power(self)
        self._expect_restart(POWER)

    def try_tool(self) -> None:
        self._hands.reset(self)
        self.client.close()
        self._interrupt()
        self._expect_restart(RESET)

    def _interrupt(self) -> None:
        """Do what a tool does that looks for MicroPython's prompt: as soon as the port is there, and for a while."""
        port: OpenPort | None = None
        self.freeze(_FOUND_S)
        end = self.now + _GIVE_UP_S
        until = None
        while self.now < (end if until is None else until):
            if port is None and (name := find_board(self.client.board or "", self.client.port)) is not None:
                with suppress(TableError):  # not ready yet
                    port = OpenPort(name, self.client.clock)
                    until = self.now + _TOOL_S if until is None else until
            if port is not None:
                try:
                    port.write(_TOOL)
                    port.read()
                except OSError:
                    port.close()
                    port = None
            self.freeze(_TICK_S)
        if port is not None:
            port.close()

    def try_bench(self) -> None:
        trial = self._trial
        try:
            trips = trial.trips = measure(self.client, self.poll)
        except TableError as error:
            trial.fail("unusable", error.text)
            return
        self._hands.press_some(self, self.presses)
        self._expect_presses(self.presses)
        if self._presses:
            trial.press_ms = median(self._presses), max(self._presses)
        if trips.lost:
            args = {"lost": trips.lost, "count": trips.count}
            trial.fail("pings_lost", Text("{lost} of {count} pings were lost", args))
        if trips.median_ms > MEDIAN_MS or trips.p99_ms > P99_MS:
            slow = {"median": number_text(trips.median_ms, ".1f"), "p99": number_text(trips.p99_ms, ".1f")}
            slow |= {"most": number_text(MEDIAN_MS, "g"), "most_p99": number_text(P99_MS, "g")}
            text = "the round trip is slow: median {median} ms, p99 {p99} ms; allowed: {most} ms, {most_p99} ms"
            trial.fail("slow", Text(text, slow))

    # -- what is expected ----------------------------------------------------------------------------------------------

    def _expect_answer(self, since: float, limit: float, before: int) -> bool:
        """Wait until the table is heard again; return False if it is not. ``before``: the frames that came by then."""
        trial = self._trial
        if not self.until(lambda: self._frames > before and self.client.connected, _GIVE_UP_S, alone=True):
            trial.fail("no_answer", _NO_ANSWER)
            return False
        trial.mute_s = max(0.0, self._heard_at - since)
        if trial.mute_s > limit:
            args = {"mute": number_text(trial.mute_s, ".1f"), "most": number_text(limit, "g")}
            trial.fail("mute", Text("mute for {mute} s; allowed: {most} s", args))
        return True

    def _expect_question(self) -> bool:
        """Wait until the table reports presses; return False if it does not begin to."""
        return self.until(lambda: self.client.settled is not None, _GIVE_UP_S, alone=True)

    def _expect_presses_of_break(self) -> None:
        self._trial.pressed = self.presses
        if self._expect_answer(self.now, MUTE_S, self._frames):
            self._expect_presses(self.presses)

    def _expect_presses(self, due: int) -> None:
        """Wait for presses, and compare what was made, felt and received."""
        trial = self._trial
        self._pressed_at = self.now
        while trial.arrived < due and self.now < self._pressed_at + _QUIET_S:
            self.poll(_TICK_S)
            self._show()
        self.poll(_TICK_S)
        trial.pressed = due if trial.arrived == due else self._hands.pressed(self, due)
        trial.felt += self._felt - self._base
        args = {"pressed": trial.pressed, "felt": trial.felt, "here": trial.arrived}
        if trial.felt != trial.pressed:
            trial.fail("felt", Text("the table felt {felt} of {pressed} presses", args))
        if trial.arrived != trial.felt:
            trial.fail("arrived", Text("{here} of the {felt} presses that the table felt arrived", args))

    def _expect_restart(self, cause: int) -> None:
        trial, since, before = self._trial, self.now, self._frames
        if not self.until(lambda: trial.restarts > 0 and self.client.connected, _GIVE_UP_S, alone=True):
            if self.client.connected:
                trial.fail("no_restart", Text("the table did not restart"))
            else:
                trial.fail("no_answer", _NO_ANSWER)
            return
        self._expect_answer(since, RESTART_S, before)
        if self.client.cause != cause:
            args = {"why": cause_text(self.client.cause), "expected": cause_text(cause)}
            trial.fail("cause", Text("the table says of its start: {why}; expected: {expected}", args))
        if trial.restarts > 1:
            trial.fail("restarts", counted(trial.restarts, "{count} restart", "{count} restarts"))
        if self._expect_question():
            self._hands.press_some(self, FEW)
        self._expect_presses(FEW)


class Person(Hands):
    """A person, who is told what to do."""

    def __init__(self, dialog: Dialog) -> None:
        self._dialog = dialog

    def agree(self, line: Line) -> None:
        args = {"count": line.presses, "seconds": number_text(line.seconds, "g")}
        text = "Press a button of any place {count} times in the {seconds} s after you have typed Enter. (s: skip.)"
        self._dialog.ask(Text(text, args))
        line.until(lambda: False)

    def press(self) -> None:
        """Do nothing: people press at a pace of their own."""

    def press_some(self, line: Line, many: int) -> None:
        begun = line.arrived
        self._dialog.ask(Text("Press a button of any place {count} times. Then Enter.", {"count": many}))
        line.until(lambda: line.arrived >= begun + many)

    def pressed(self, line: Line, expected: int) -> int:
        args = {"here": line.arrived, "count": expected}
        self._dialog.ask(Text("Presses that have arrived: {here}. How many did you make? Enter: {count}", args))
        while not line.until(lambda: False) and (text := (line.text or "").strip()):
            if text.isascii() and text.isdigit() and len(text) < 4:
                return int(text)
            self._dialog.ask(Text("{seen} is not a number of presses.", {"seen": repr(text)}))
        return expected

    def pull(self, line: Line) -> None:
        text = "Pull the USB cable out; leave the adapter in. (s: skip.)"
        self._dialog.ask(Text(text))
        self._wait(line, lambda: not line.is_there)
        args = {"count": line.presses, "seconds": number_text(line.seconds, "g")}
        self._dialog.ask(Text("It is out. Press a button of any place {count} times in {seconds} s.", args))
        line.rest(line.poll)
        self._dialog.ask(Text("Plug the cable in again."))
        self._wait(line, lambda: line.is_there)

    def sleep(self, line: Line) -> None:
        args = {"count": line.presses, "seconds": number_text(line.seconds, "g")}
        text = (
            "Put the computer to sleep for {seconds} s or more, press a button {count} times, then wake it. (s: skip.)"
        )
        self._dialog.ask(Text(text, args))
        lead = time.time() - line.now
        self._wait(line, lambda: time.time() - line.now - lead > _SLEPT_S)

    def reset(self, line: Line) -> None:
        self._dialog.ask(Text("Press the reset button of the table. (s: skip.)"))
        before = line.restarts
        self._wait(line, lambda: not line.is_there or line.restarts > before)

    def cut_power(self, line: Line) -> None:
        self._dialog.ask(Text("Pull out the adapter and the USB cable, count to three, plug both in. (s: skip.)"))
        before = line.restarts
        self._wait(line, lambda: not line.is_there or line.restarts > before)
        self._wait(line, lambda: line.is_there)

    @staticmethod
    def _wait(line: Line, holds: Callable[[], bool]) -> None:
        """Wait until something is seen. Raise :class:`Skipped` when it is not seen in time."""
        end = line.now + _PATIENCE_S
        while not line.until(holds, end - line.now):
            if line.now >= end:
                raise Skipped


@dataclass(frozen=True)
class Step:
    """A trial as people read it."""

    about: Text
    expected: Text
    work: Callable[[Line], None]
    restarts: bool = False
    """True if the table is to restart in it."""


_ALL_ARRIVE = Text("every press arrives, once; the table answers within {most} s", {"most": number_text(MUTE_S, "g")})
_RESTARTS = {"most": number_text(RESTART_S, "g"), "count": FEW}
TRIALS = {
    "bench": Step(
        Text("The round trip of the line is timed, and presses while it works."),
        Text(
            "a median of {median} ms or less, a p99 of {p99} ms or less (an emulated Pico: 6 and 21), nothing lost",
            {"median": number_text(MEDIAN_MS, "g"), "p99": number_text(P99_MS, "g")},
        ),
        Line.try_bench,
    ),
    "port": Step(
        Text("A program closes the port; buttons are pressed; it opens the port again."),
        _ALL_ARRIVE,
        Line.try_closed_port,
    ),
    "reader": Step(
        Text("A program holds the port and reads nothing, while buttons are pressed."),
        _ALL_ARRIVE,
        Line.try_stopped_reader,
    ),
    "cable": Step(
        Text("The USB cable is out while buttons are pressed; the table has its adapter."),
        _ALL_ARRIVE,
        Line.try_cable,
    ),
    "sleep": Step(
        Text("The computer sleeps with the port open, while buttons are pressed; it wakes."),
        _ALL_ARRIVE,
        Line.try_sleep,
    ),
    "reset": Step(
        Text("The reset button is pressed."),
        Text("one restart, by reset; an answer within {most} s; {count} presses arrive", _RESTARTS),
        Line.try_reset,
        restarts=True,
    ),
    "tool": Step(
        Text("After a reset a program looks for MicroPython's prompt, as mpremote and Thonny do."),
        Text("the table starts all the same: one restart, by reset; {count} presses arrive", _RESTARTS),
        Line.try_tool,
        restarts=True,
    ),
    "power": Step(
        Text("The table's power is cut."),
        Text("one restart, by power; an answer within {most} s; {count} presses arrive", _RESTARTS),
        Line.try_power,
        restarts=True,
    ),
}
"""By their keys, in the order in which they are tried."""
