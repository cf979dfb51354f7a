"""Whole sessions at a simulated table, byte for byte: run ``python -m tests.sessions`` to record them anew.

They stand in ``tests/wire/sessions``, one file each, and in the document from there. A test plays them and compares.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from pathlib import Path

from tests.firmware.raw import RawHost

from tablier.simulation.simulated import SimulatedTable
from tablier.texts import Json
from tablier_fw import colours, rolls, wire

FOLDER = Path(__file__).parent / "wire" / "sessions"
BOARD = "e6614103e7452d2f"
LOG = b"logofabc"
_TOLD = ("held", "number", "acked", "flags", "taken", "landings", "bad_frames", "unknown")


class Recorder(RawHost):
    """A host whose lines, and the table's, are kept in the order in which they went over the wire."""

    def __init__(self, table: SimulatedTable) -> None:
        super().__init__(table)
        self.table = table
        self.lines: list[str] = []

    def write(self, data: bytes) -> None:
        self._keep(">", data)
        super().write(data)

    def _take(self, data: bytes) -> None:
        seen = len(self.frames)
        splitter = self._splitter
        found: list[bytes] = []
        super()._take(data)
        del splitter
        wire.Splitter().feed(self._rest + data, found)
        self._rest = (self._rest + data).rpartition(b"\n")[2]
        for line, (_, name, _, values) in zip(found, self.frames[seen:], strict=True):
            if name != "status":
                self._keep("<", line)
            elif self.statuses:
                self._keep_status(values)

    statuses = False
    """True to keep those statuses in which something has changed."""
    _status: tuple[object, ...] = ()

    def _keep_status(self, values: Json) -> None:
        """Keep what a status says, but for time and memory: these are others with each change of the firmware."""
        said = {name: value for name, value in values.items() if name in _TOLD}
        if tuple(said.values()) != self._status:
            self._status = tuple(said.values())
            fields = [f"{name}={value.hex() if isinstance(value, bytes) else value}" for name, value in said.items()]
            self.lines.append(f"{self.clock.now() * 1000:7.0f} < status {' '.join(fields)} …")

    _rest = b""

    def _keep(self, way: str, line: bytes) -> None:
        self.lines.append(f"{self.clock.now() * 1000:7.0f} {way} {line.decode().strip()}")
        message, _, _, payload = wire.unframe(line.strip())
        values = zip(message.names, message.decode(payload), strict=True)
        fields = [f"{name}={value.hex() if isinstance(value, bytes) else value}" for name, value in values]
        self.lines.append("          " + " ".join([message.name, *fields]))

    def note(self, text: str) -> None:
        self.lines.append(f"{self.clock.now() * 1000:7.0f} # {text}")

    def join(self) -> None:
        """From a port that was just opened to an adopted host."""
        self.hello(log=LOG)
        self.listen(0.1)

    def press(self, place: int, *buttons: str) -> None:
        for button in buttons:
            self.note(f"place {place} presses {button}")
            self.table.tester.press(place, button)
            self.listen(0.1)

    def events(self) -> int:
        """Acknowledge what has come; the number of the last event."""
        number = max(values["number"] for _, _, _, values in self.frames if "number" in values)
        self.send(wire.ACK, number)
        self.listen(0.05)
        return int(number)


def duel(host: Recorder) -> None:
    """Places 2 and 5 choose between two options in secret."""
    host.join()
    seats = bytes((0, 1, 0, 0, 2, 0))
    host.send(wire.CHOICE, 101, 0, 0b010010, 0, bytes((0, 3, 0, 0, 3, 0)), seats, bytes((9, 4)))
    host.listen(0.1)
    for place in (2, 5):
        host.press(place, "a", "plus")
        host.events()
    host.events()
    host.send(wire.IDLE, 102, 0)
    host.listen(0.1)


def window(host: Recorder) -> None:
    """A window over a reset of the table: a landing is logged, another is lost with the boot."""
    host.join()
    host.send(wire.WINDOW, 201, 0, 0b000011, 0, 5000, 1000, 0)
    host.listen(0.1)
    host.note("a card lands flat")
    host.table.tester.land("flat")
    host.listen(0.5)
    host.events()
    host.note("another one leans on the pile; the host does not acknowledge it in time")
    host.table.tester.land("leaning")
    host.listen(0.4)
    host.note("the reset button is pressed")
    host.table.tester.say("reset")
    host.listen(0.1)
    host.note("1 event is lost; what lies there is settled by claim, and the window is asked again under another id")
    host.hello(log=LOG)
    host.listen(0.1)
    host.send(wire.WINDOW, 202, 0, 0b000011, 0, 5000, 1000, 1)
    host.listen(0.1)
    host.press(1, "a")
    host.events()
    host.press(2, "b")
    host.listen(1.0)
    host.events()


def poll(host: Recorder) -> None:
    """Places 1 and 3 are asked; what the table says of itself meanwhile, and what time it is there."""
    host.statuses = True
    host.join()
    host.send(wire.SCENE, wire.PUBLIC, bytes((colours.LAVENDER, 16, wire.STEADY)) * 6)
    host.send(wire.POLL, 501, 0, 0b000101)
    host.listen(0.1)
    host.note("the table holds both: slots 1 and 8 have their revisions; it is asked for its time")
    host.send(wire.PING, 1_000_000)
    host.listen(0.05)
    host.press(3, "b")
    host.note("place 3 is pending; the answer is durable now, and it is taken: bit 2 of taken")
    host.events()
    host.press(1, "a")
    host.events()


def cable(host: Recorder) -> None:
    """A poll; the cable is pulled, place 1 answers meanwhile, and the table is found under another name."""
    host.join()
    host.send(wire.POLL, 301, 0, 0b000011)
    host.listen(0.1)
    host.note("the cable is pulled")
    host.table.tester.say("unplug")
    host.pause(1.0)
    host.note("place 1 presses b")
    host.table.tester.press(1, "b")
    host.pause(4.0)
    host.note("the cable is back; the board has another port, and the host opens that")
    port = host.table.tester.say("plug")["port"]
    host.reopen(port)
    host.hello(log=LOG)
    host.listen(0.2)
    host.send(wire.POLL, 301, 0, 0b000011)
    host.events()
    host.press(2, "a")
    host.events()


def roll(host: Recorder) -> None:
    """A roll that a reset ends when it is committed to, and the same one asked again, to its end."""
    host.join()
    ranges = struct.pack("<2H", 6, 6)
    host.send(wire.ROLL, 401, 0, 2, wire.EVERYBODY, ranges)
    host.listen(0.1)
    host.press(2, "b")
    host.listen(1.0)
    host.events()
    host.note("the reset button is pressed before the host has contributed")
    host.table.tester.say("reset")
    host.listen(0.1)
    host.note("that roll is logged as aborted, and asked again under another id")
    host.hello(log=LOG)
    host.listen(0.1)
    host.send(wire.ROLL, 402, 0, 2, wire.EVERYBODY, ranges)
    host.listen(0.1)
    host.press(2, "b")
    host.note("the roll tumbles for a second, and then the table commits")
    host.listen(1.0)
    host.events()
    committed = [values for _, name, _, values in host.frames if name == "committed"][-1]
    host.note("the commitment is durable; the host contributes")
    host.send(wire.CONTRIBUTION, 402, committed["commitment"], bytes(range(0x20, 0x30)))
    host.listen(0.1)
    host.note("the outcome stands between its marks; the next question waits until it has stood for two seconds")
    host.send(wire.IDLE, 403, 0)
    host.events()
    revealed = [values for _, name, _, values in host.frames if name == "revealed"][-1]
    rolled = rolls.outcomes(
        bytes.fromhex(BOARD), host.boot, 402, 2, ranges, revealed["nonce"], bytes(range(0x20, 0x30))
    )
    shown = host.table.tester.pixels()["ring"]
    mark, taken = bytes(colours.ROLLING).hex(), bytes(colours.TAKEN).hex()
    assert shown[3:9] == [taken, mark, *(bytes(colours.FACE_LOOKS[outcome]).hex() for outcome in rolled), mark, taken]
    host.note(f"both derive {rolled}; pixels 4 to 7 of the ring show {' '.join(shown[4:8])}")
    host.listen(2.0)
    host.send(wire.IDLE, 403, 0)
    host.listen(0.1)
    assert not any(bytes.fromhex("".join(host.table.tester.pixels()["ring"])))


SESSIONS: dict[str, Callable[[Recorder], None]] = {
    "duel": duel,
    "poll": poll,
    "window": window,
    "cable": cable,
    "roll": roll,
}


class Unhurried(SimulatedTable):
    """A table that says everything when a Pico says it."""

    options = ("--every-turn",)


def play(name: str) -> str:
    """Return a session as the firmware plays it now."""
    with Unhurried(virtual=True, seed=1, board=BOARD) as table:
        host = Recorder(table)
        try:
            SESSIONS[name](host)
        finally:
            host.close()
    return "\n".join(host.lines) + "\n"


def stored(name: str) -> str:
    return (FOLDER / f"{name}.txt").read_text(encoding="utf-8")


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    for name in SESSIONS:
        (FOLDER / f"{name}.txt").write_text(play(name), encoding="utf-8")
        print(f"{name}: recorded")


if __name__ == "__main__":
    main()
