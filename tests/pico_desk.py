"""An emulated Pico with the table wired to its pins, and the least of a host: frames out, frames in."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any
from unittest.mock import patch

from awaiting import await_pico
from tablier.service import firmware
from tablier.simulation.chip import Chip
from tablier.simulation.pico import Pico
from tablier.simulation.wiring import Wiring
from tablier_fw import wire
from tablier_fw.equipment import FILE, Equipment

RUN = b"test run"
BOARD = b"PICO0001"


def changed(name: str, *replaced: tuple[str, str]) -> dict[str, bytes]:
    """The firmware, with one module in which each of these texts stands once and is replaced."""
    files = firmware.sources()
    text = files[name].decode()
    for old, new in replaced:
        assert text.count(old) == 1, f"{name} has changed: {old!r}"
        text = text.replace(old, new)
    files[name] = text.encode()
    with patch.object(firmware, "sources", lambda: files):
        return firmware.compile_if_possible()


class PicoDesk:
    """``frames`` holds all that the firmware has sent, as (message, values by name, when in µs)."""

    def __init__(
        self,
        seed: int = 1,
        files: Mapping[str, bytes] | None = None,
        chip: Callable[..., Chip] = Pico,
        equipment: Equipment | None = None,
    ) -> None:
        files = firmware.compile_if_possible() if files is None else files
        if equipment is not None:
            files = {**files, FILE: equipment.text().encode()}
        self.pico = chip(files, board=BOARD, seed=seed)
        self.wiring = Wiring(equipment)
        self.wiring.attach(self.pico)
        self.frames: list[tuple[wire.Message, dict[str, Any], float]] = []
        self.boot = wire.NO_ID
        self.challenge = wire.NO_ID
        self.question = 0
        """The latest question; whoever asks counts it up."""
        self.acking = True
        self._splitter = wire.Splitter()
        self.pico.on_data = self._take

    def _take(self, data: bytes) -> None:
        lines: list[bytes] = []
        self._splitter.feed(data, lines)
        for line in lines:
            message, self.boot, _, payload = wire.unframe(line)
            values = dict(zip(message.names, message.decode(payload), strict=True))
            self.frames.append((message, values, self.pico.now))
            if message is wire.TABLE_HELLO:
                self.challenge = values["challenge"]
            if self.acking and message.group == wire.EVENT:
                self.say(wire.ACK, values["number"])

    # -- the host -----------------------------------------------------------------------------------------------

    def say(self, message: wire.Message, *values: object) -> None:
        boot = wire.NO_ID if message is wire.HOST_HELLO else self.boot
        self.pico.write(wire.frame(message, boot, RUN, message.encode(*values)))

    def greet(self, entropy: bytes = bytes(16)) -> None:
        self.say(wire.HOST_HELLO, wire.MAJOR, wire.MINOR, self.challenge, wire.NO_ID, entropy, b"test")

    def of(self, message: wire.Message) -> list[dict[str, Any]]:
        """Return the messages of one kind."""
        return [values for it, values, _ in self.frames if it is message]

    @property
    def noise(self) -> int:
        """Return the number of pieces that were not frames."""
        return self._splitter.dropped

    def forget(self) -> None:
        self.frames.clear()

    # -- time ---------------------------------------------------------------------------------------------------

    def run(self, ms: float) -> None:
        self.pico.run_until(self.pico.now + ms * 1000)

    def until(self, message: wire.Message, count: int = 1, seconds: float = 5.0) -> dict[str, Any]:
        """Let time pass until this number of frames of a kind has come; return the last of them."""
        await_pico(self.pico, lambda: len(self.of(message)) >= count, seconds, f"{count} × {message.name}")
        return self.of(message)[count - 1]

    def start(self) -> None:
        """From power-on to a table that a host has greeted."""
        self.until(wire.TABLE_HELLO)
        self.greet()
        self.until(wire.STATUS)


class PicoShell:
    """An emulated Pico with the firmware's modules on it, but not started: it runs what it is told, line by line."""

    MAIN = b"import sys\nwhile True:\n    exec(sys.stdin.readline())\n    print('\\x04')\n"

    def __init__(self, seed: int = 1) -> None:
        self.pico = Pico({**firmware.compile_if_possible(), "main.py": self.MAIN}, board=BOARD, seed=seed)
        self.wiring = Wiring()
        self.wiring.attach(self.pico)
        self._out = bytearray()
        self.pico.on_data = self._out.extend
        await_pico(self.pico, lambda: bool(self.pico.connected_us), 2, "the USB")

    def begin(self, code: str) -> None:
        """Start a program and do not wait for its end."""
        self._out.clear()
        self.pico.write(f"exec({code!r})\n".encode())

    def end(self, seconds: float = 20.0) -> str:
        """Return the program's output once it has ended."""
        await_pico(self.pico, lambda: b"\x04" in self._out, seconds, f"an end of {bytes(self._out)!r}")
        return bytes(self._out).partition(b"\x04")[0].decode().replace("\r\n", "\n").strip()

    def run(self, code: str, seconds: float = 20.0) -> str:
        self.begin(code)
        return self.end(seconds)

    def printed(self, text: str, seconds: float = 20.0) -> None:
        """Let time pass until the program has printed that."""
        await_pico(self.pico, lambda: text.encode() in self._out, seconds, repr(text))
