"""The rig: a table of any kind, a client at its port, and a person's verbs.

Tests speak only these verbs, so they mean the same at a simulated table, at an emulated Pico and at a real table with a
person before it.
"""

from __future__ import annotations

import select
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import pytest
import serial

from helping import Helper
from tablier.games.core.lights import Pixel
from tablier.service.selftest import Dialog
from tablier.simulation.clock import VirtualClock
from tablier.simulation.simulated import SimulatedTable
from tablier.simulation.tester import Tester
from tablier.table.client import Client
from tablier.table.clock import Clock, LifeClock
from tablier.table.incoming import TableEvent
from tablier.texts import Text
from tablier_fw import colours, wire
from tablier_fw.equipment import Equipment

LOOKS = {
    "dark": (0, 0, 0),
    "amber": colours.PENDING,
    "green": colours.TAKEN,
    "red": colours.REFUSED,
    "azure": colours.FACE_LOOKS[1],
    "violet": colours.ROLLING,
    "white": colours.ASKED,
}
"""What a person calls the table's own colours."""


class Hands(ABC):
    """The hands and eyes of a person at the table."""

    @abstractmethod
    def press(self, place: int, button: str) -> None: ...

    @abstractmethod
    def land(self, how: str) -> None: ...

    @abstractmethod
    def bump(self) -> None:
        """Knock against the table."""

    @abstractmethod
    def clear(self) -> None:
        """Take all cards out of the arena."""

    @abstractmethod
    def plug(self, into: bool) -> None:
        """Put the cable into the computer, or pull it out. The table keeps its power."""

    @abstractmethod
    def colour(self, group: str, number: int) -> tuple[int, int, int] | None:
        """The colour of a pixel; ``None`` where only a person can say, who is asked by :meth:`confirm` then."""

    @abstractmethod
    def confirm(self, what: str) -> bool:
        """Return True if a person sees something; not called if :meth:`colour` knows."""

    @abstractmethod
    def person(self, clock: Clock, there: Equipment) -> Dialog:
        """Return the helper for the self-test of a table with that equipment."""

    @abstractmethod
    def spoil(self, verb: str) -> bool:
        """Do something to the table that is not good for it, by a tester's verb; ``False`` where nobody would."""

    @abstractmethod
    def sounds(self) -> list[int] | None:
        """The frequencies sounded so far, in Hz; ``None`` where only a person hears them."""


class SocketHands(Hands):
    """The hands of a simulated or emulated table, on its control socket."""

    def __init__(self, tester: Tester) -> None:
        self._tester = tester

    def press(self, place: int, button: str) -> None:
        self._tester.press(place, button)

    def land(self, how: str) -> None:
        self._tester.land(how)

    def bump(self) -> None:
        self._tester.say("bump")

    def clear(self) -> None:
        self._tester.say("clear")

    def plug(self, into: bool) -> None:
        self._tester.say("plug" if into else "unplug")

    def colour(self, group: str, number: int) -> tuple[int, int, int] | None:
        red, green, blue = bytes.fromhex(self._tester.say(f"pixel {group} {number}")["colour"])
        return red, green, blue

    def confirm(self, what: str) -> bool:
        raise AssertionError("nobody is there to be asked")

    def person(self, clock: Clock, there: Equipment) -> Dialog:
        return Helper(self._tester, clock, there)

    def spoil(self, verb: str) -> bool:
        self._tester.say(verb)
        return True

    def sounds(self) -> list[int] | None:
        return [hertz for _, hertz in self._tester.say("stats")["tunes"] if hertz]


class JigHands(SocketHands):
    """The hands of a jig. It neither hears nor reads instructions."""

    def confirm(self, what: str) -> bool:
        pytest.skip(f"a jig cannot tell: {what}")

    def plug(self, into: bool) -> None:
        pytest.skip("a jig does not reach the cable")

    def person(self, clock: Clock, there: Equipment) -> Dialog:
        pytest.skip("a jig does not read what the self-test asks for")

    def spoil(self, verb: str) -> bool:
        return False

    def sounds(self) -> list[int] | None:
        return None


class SerialLine:
    """A jig's port, with what a :class:`Tester` needs of a socket."""

    PATIENCE_S = 60.0
    """An emulated jig is slow."""

    def __init__(self, port: str) -> None:
        self._serial = serial.Serial(port, timeout=self.PATIENCE_S, exclusive=True)
        self._serial.reset_input_buffer()  # an answer that nobody waited for would be taken for the next one

    def fileno(self) -> int:
        return int(self._serial.fileno())

    def sendall(self, data: bytes) -> None:
        self._serial.write(data)

    def recv(self, size: int, flags: int) -> bytes:
        """Return what has come, at least a byte; nothing when nothing comes. It is waited for, whatever the flags."""
        return bytes(self._serial.read(min(size, max(1, self._serial.in_waiting))))

    def close(self) -> None:
        self._serial.close()


def _say(text: str) -> None:
    """Write on the terminal, past what pytest captures."""
    print(f"\n  {text}", end="", file=sys.__stderr__, flush=True)


class PersonHands(Hands):
    """A person before a real table, asked on the terminal."""

    def _ask(self, text: str) -> str:
        _say(f"{text} ")
        with open("/dev/tty") as terminal:  # noqa: PTH123  (pytest holds standard input)
            return terminal.readline().strip().lower()

    def press(self, place: int, button: str) -> None:
        self._ask(f"Press {button} at place {place} once, then Enter here.")

    def land(self, how: str) -> None:
        self._ask(f"Throw a card so that it lands {how}, then Enter here.")

    def bump(self) -> None:
        self._ask("Knock against the table, once and firmly, then Enter here.")

    def clear(self) -> None:
        self._ask("Take all cards out of the arena, then Enter here.")

    def plug(self, into: bool) -> None:
        self._ask(
            f"{'Put the USB cable in again' if into else 'Pull the USB cable, not the adapter'}, then Enter here."
        )

    def colour(self, group: str, number: int) -> tuple[int, int, int] | None:
        return None

    def confirm(self, what: str) -> bool:
        return self._ask(f"{what} Enter for yes, n for no.") != "n"

    def person(self, clock: Clock, there: Equipment) -> Dialog:
        return _AtTheTerminal()

    def spoil(self, verb: str) -> bool:
        return False

    def sounds(self) -> list[int] | None:
        return None


class _AtTheTerminal(Dialog):
    """Whoever sits before a real table helps with its self-test."""

    def tell(self, text: Text) -> None:
        _say(str(text))

    ask = tell

    def typed(self) -> str | None:
        with open("/dev/tty") as terminal:  # noqa: PTH123  (pytest holds standard input)
            return terminal.readline().strip() if select.select([terminal], [], [], 0)[0] else None


class Rig:
    """A table under test."""

    def __init__(self, kind: str, port: str, clock: Clock, hands: Hands) -> None:
        self.kind = kind
        self.hands = hands
        self.client = Client(port, clock, lambda boot: self._durable.get(boot, 0))
        self._durable: dict[str, int] = {}
        self._events: list[TableEvent] = []
        self._id = 0
        self.client.open()
        self.until(lambda: bool(self.client.status), "a status")
        self.there = self.client.equipment
        self.places = [place for place in range(1, wire.PLACES + 1) if self.there.places >> (place - 1) & 1]

    def need_arena(self) -> None:
        """Skip a test where cards are thrown, at a table without an arena."""
        if not self.there.arena:
            pytest.skip("this table has no arena")

    def new_id(self) -> int:
        self._id += 1
        return self._id

    @property
    def durable(self) -> dict[str, int]:
        """The number of the last event of each boot that is safe, for whoever else takes events from the client."""
        return self._durable

    # -- time and events -------------------------------------------------------------------------------------

    def run(self, seconds: float) -> None:
        """Let table time pass; events are made durable and acknowledged."""
        clock = self.client.clock
        end = clock.now() + seconds
        while (left := end - clock.now()) > 0:
            for it in self.client.poll(left):
                if isinstance(it, TableEvent):
                    self._durable[it.boot] = it.number
                    self._events.append(it)
                    self.client.acknowledge(it)

    def until(self, so: Callable[[], bool], what: str, seconds: float = 10.0) -> None:
        """Let time pass until something is so; fail when it is not within these seconds of table time."""
        end = self.client.clock.now() + (seconds if self.kind != "real" else 60.0)
        while not so():
            assert self.client.clock.now() < end, f"{what}: not within {seconds} s"
            self.run(0.02)

    def ask(self, message: wire.Message, *values: Any) -> int:
        """Ask a question and wait until the table holds it; return its id."""
        id = self.new_id()
        self._events.clear()
        self._hold([(message, (id, *values))])
        return id

    def show(self, group: int, pixels: list[Pixel]) -> None:
        """Show pixels and wait until the table holds and shows them."""
        self._hold([(wire.SCENE, (group, b"".join(map(bytes, pixels))))])
        self.run(0.12)  # scenes of a group are shown at most every 0.1 s

    def rest(self) -> None:
        """Ask nothing, show nothing, and wait until the table does so."""
        dark = [(wire.SCENE, (group, bytes((0, 0, wire.STEADY)) * count)) for group, count in enumerate(wire.GROUPS)]
        self._events.clear()
        self._hold([(wire.IDLE, (self.new_id(), 0)), *dark])

    def _hold(self, wanted: list[tuple[wire.Message, tuple[Any, ...]]]) -> None:
        """Want these and wait until the table holds them all."""
        revisions = {}
        for message, values in wanted:
            self.client.want(message, *values)
            payload = message.encode(*values)
            revisions[wire.slot_of(message, payload)] = wire.revision(message, payload)
        names = ", ".join(sorted({message.name for message, _ in wanted}))
        self.until(lambda: all(self._held(slot) == it for slot, it in revisions.items()), f"the table holds {names}")
        self.run(0.05)  # until it is drawn as well

    def _held(self, slot: int) -> int:
        return int.from_bytes(self.client.status.get("held", bytes(64))[4 * slot : 4 * slot + 4], "little")

    def event(self, name: str, seconds: float = 10.0) -> dict[str, Any]:
        """The next event of that name, waited for; its fields by name."""

        def came() -> list[TableEvent]:
            return [it for it in self._events if it.message.name == name]

        self.until(lambda: bool(came()), f"an event {name}", seconds)
        first = came()[0]
        self._events.remove(first)
        return first.values

    def silent(self, *names: str) -> bool:
        """Return True if no unexpected event of these names has come."""
        return not any(it.message.name in names for it in self._events)

    # -- a person's verbs ------------------------------------------------------------------------------------------

    def press(self, place: int, *buttons: str) -> None:
        """Presses buttons one after another, as a person does."""
        for button in buttons:
            self.hands.press(place, button)
            self.run(0.15)

    def land(self, how: str) -> None:
        self.hands.land(how)
        self.run(0.3)

    def bump(self) -> None:
        self.hands.bump()
        self.run(0.3)

    def sees(self, look: str, group: str, number: int, seconds: float = 5.0) -> None:
        """Fail unless a pixel has that look within these seconds; a blinking one need not have it all the time."""
        if self.hands.colour(group, number) is None:
            assert self.hands.confirm(f"Is pixel {number} of {group} {look}?"), f"{group} {number} is not {look}"
            return
        self.until(lambda: alike(self.hands.colour(group, number), LOOKS[look]), f"{group} {number} is {look}", seconds)

    def under_hood(self, place: int, number: int, options: dict[str, tuple[int, int, int]]) -> str:
        """Return the name of the colour that a pixel under a hood has."""
        colour = self.hands.colour(f"hood{place}", number)
        if colour is None:
            names = [n for n in options if self.hands.confirm(f"Under hood {place}, is pixel {number} that of {n}?")]
        else:
            names = [name for name, wanted in options.items() if alike(colour, wanted)]
        assert len(names) == 1, f"hood {place} shows {colour} at pixel {number}"
        return names[0]

    def close(self) -> None:
        self.client.close()


def alike(colour: tuple[int, int, int] | None, wanted: tuple[int, ...]) -> bool:
    """Return True if two colours differ only in brightness, which animations and current limits change."""
    assert colour is not None
    if not any(wanted):
        return not any(colour)
    if not any(colour):
        return False
    most, peak = max(wanted), max(colour)
    return all(abs(channel / peak - want / most) < 0.25 for channel, want in zip(colour, wanted, strict=True))


@contextmanager
def rig_at(table: str, jig: str | None = None, there: Equipment | None = None) -> Iterator[Rig]:
    """Return the rig for ``simulated``, ``emulated``, ``rp2040js`` or a port; ``jig``: ``emulated`` or a port, too;
    ``there``: what there is of a table that is started here."""
    if jig is not None:
        with _jigged(table, jig) as rig:
            yield rig
        return
    if table not in ("simulated", "emulated", "rp2040js"):
        rig = Rig("real", table, LifeClock(), PersonHands())
        yield rig
        rig.close()
        return
    kind: type[SimulatedTable] = SimulatedTable
    if table == "emulated":
        from tablier.simulation.emulated import EmulatedTable

        kind = EmulatedTable
    elif table == "rp2040js":
        from tablier.simulation.emulated import ScriptedTable

        kind = ScriptedTable
    with kind(virtual=True, seed=7, equipment=there) as it:
        tester = Tester(it.control)
        tester.join()
        rig = Rig(table, it.first_port, VirtualClock(tester), SocketHands(tester))
        yield rig
        rig.close()
        tester.close()


@contextmanager
def _jigged(table: str, jig: str) -> Iterator[Rig]:
    """The rig for a table whose inputs a jig drives, both real or both emulated."""
    with ExitStack() as stack:
        clock: Clock = LifeClock()
        if table == "emulated":
            from joined import JoinedTable

            it = stack.enter_context(JoinedTable(seed=7))
            table, jig = it.first_port, it.jig
            clock = VirtualClock(it.tester, own=True)
        hand = Tester(SerialLine(jig))
        stack.callback(hand.close)
        rig = Rig("jig", table, clock, JigHands(hand))
        stack.callback(rig.close)
        yield rig
