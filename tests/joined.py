"""Two emulated Picos in one process: a table's, and that of the jig whose lines are joined to the table's inputs.

As a program it is an emulated table with one more port, the jig's. Both live in the table's time. The table goes ahead
by a slice; then the jig follows. Each edge of the table's pixels reaches the jig when it happened, to the nanosecond;
what the jig does reaches the table at the end of the slice.
"""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from tablier.simulation.chip import Chip
from tablier.simulation.emulated import EmulatedTable
from tablier.simulation.emulator import Emulator
from tablier.simulation.pico import Pico
from tablier.simulation.port import PIECE, Port
from tablier.simulation.process import end_with_stdin, parser_of, port_prefix, serve
from tablier.simulation.wiring import BEAMS, Wiring
from tablier_fw import pins

FILES = Path(__file__).parents[1] / "hardware/jig"
BOARD = b"JIG00001"
_MOMENT_US = 0.016
"""Two cycles of the processor."""


def files() -> dict[str, bytes]:
    """Return what is in the jig's flash."""
    return {path.name: path.read_bytes() for path in FILES.glob("*.py")}


def gpios() -> dict[str, int]:
    """Return the GPIOs that the jig's firmware names, by their names in ``jig.toml``."""
    found = {}
    for node in ast.parse((FILES / "main.py").read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            name = node.targets[0].id
            if isinstance(node.value, ast.Constant) and type(node.value.value) is int and not name.startswith("_"):
                found[name.lower()] = node.value.value
    return found


class Shifters:
    """Three TPIC6C595 in a row: 24 outputs, each a contact to ground while its bit is 1."""

    def __init__(self) -> None:
        self.closed = 0
        self.off = True
        self._shifted = 0
        self.data = False

    def clock(self, high: bool) -> None:
        if high:
            self._shifted = (self._shifted << 1 | self.data) & 0xFFFFFF

    def latch(self, high: bool) -> None:
        if high:
            self.closed = self._shifted

    @property
    def buttons(self) -> int:
        return 0 if self.off else self.closed


def _when_low(act: Callable[[], None]) -> Callable[[bool], None]:
    """Return what acts when a line goes low."""

    def changed(low: bool) -> None:
        if low:
            act()

    return changed


class Jig:
    """The jig's Pico, wired to a table's."""

    def __init__(self, table: Chip, wiring: Wiring, reset: Callable[[], None]) -> None:
        """``reset`` presses the table's reset button."""
        self.pico = Pico(files(), board=BOARD, seed=1)
        self._table = table
        self._wiring = wiring
        self._shifters = Shifters()
        self._edges: deque[tuple[float, int, bool]] = deque()
        self._floor = [False, False]
        self._doings: list[Callable[[], None]] = []
        self.buttons = 0
        """The contacts that the jig closes, by bit."""
        pico, of = self.pico, gpios()
        pico.watch(of["buttons_clock"], self._shifters.clock)
        pico.watch(of["buttons_latch"], self._latch)
        pico.watch(of["buttons_data"], lambda high: setattr(self._shifters, "data", high))
        pico.watch(of["buttons_off"], self._switch)
        for beam in range(BEAMS):
            name = f"beam_{'low' if beam < 4 else 'rim'}_{beam % 4 + 1}"
            pico.watch(of[name], partial(self._light, beam))
            wiring.block(beam, True)  # until the jig's firmware lets them through
        for sensor, name in enumerate(("floor_offer", "floor_pile")):
            pico.watch(of[name], partial(self._cover, sensor))
        self._sink(of["impact_hit"], _when_low(wiring.impact))
        self._sink(of["reset"], _when_low(reset))
        self._sink(of["service"], wiring.service)
        pico.measure(of["supply"] - 26, 3.3 / 2)
        for mine, its in ((of["ring_data"], pins.RING_DATA), (of["places_data"], pins.PLACES_DATA)):
            pico.drive(mine, False)
            table.watch(its, partial(self._note_edge, mine))

    def _do(self, doing: Callable[[], None]) -> None:
        self._doings.append(doing)

    def _note_edge(self, gpio: int, high: bool) -> None:
        self._edges.append((self._table.now, gpio, high))

    def _sink(self, gpio: int, told: Callable[[bool], None]) -> None:
        """An open drain: it pulls down or lets go."""

        def changed(new: Any, old: Any) -> None:
            if (new.name == "LOW") != (old.name == "LOW"):
                self._do(lambda: told(new.name == "LOW"))

        self.pico.chip.gpio[gpio].add_listener(changed)

    def _latch(self, high: bool) -> None:
        self._shifters.latch(high)
        self._press(self._shifters.buttons)

    def _switch(self, off: bool) -> None:
        self._shifters.off = off
        self._press(self._shifters.buttons)

    def _press(self, buttons: int) -> None:
        def pressed() -> None:
            self.buttons = self._wiring.buttons = buttons

        self._do(pressed)

    def _light(self, beam: int, lit: bool) -> None:
        self._do(lambda: self._wiring.block(beam, not lit))

    def _cover(self, sensor: int, covered: bool) -> None:
        def cover() -> None:
            self._floor[sensor] = covered
            self._wiring.floor(self._floor[0], self._floor[1])

        self._do(cover)

    def _await_edge(self) -> None:
        if self._edges:
            # A state machine that waits for the edge counts from where it was last brought up to date, which is long
            # ago while the processor sleeps: whatever happens a moment before brings it up to date.
            self.pico.at(self._edges[0][0] - _MOMENT_US, lambda: None)
            self.pico.at(self._edges[0][0], self._pass_edge)

    def _pass_edge(self) -> None:
        _, gpio, high = self._edges.popleft()
        self.pico.drive(gpio, high)
        self._await_edge()

    def follow(self) -> None:
        """Come to the time at which the table is, then do to it what was done meanwhile."""
        self._await_edge()
        self.pico.run_until(self._table.now)
        doings, self._doings = self._doings, []
        for doing in doings:
            doing()


class JoinedTable(EmulatedTable):
    """An emulated table and its jig, in a process of their own."""

    @property
    def jig(self) -> str:
        """Return the jig's port."""
        return _jig_port(bytes.fromhex(self.board))

    @staticmethod
    def launch(program: str, arguments: Sequence[str]) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, __file__, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
            text=True,
        )


def _jig_port(board: bytes) -> str:
    return f"{port_prefix('jig', board)}-1"


class _Joined(Emulator):
    """An emulated table that waits for its jig after each slice."""

    what = "An emulated table with a jig"

    def __init__(self, board_id: bytes, seed: int | None) -> None:
        super().__init__(board_id, seed=seed)
        self._jig = Jig(self._pico, self._wiring, self.reset)
        self._jig_port = Port(self.events, Path(_jig_port(board_id).removesuffix("-1")), unlimited=False)
        self._jig.pico.on_data = self._jig_port.send
        self._jig_port.plug()

    def _press_buttons(self) -> None:
        # Called once a slice; nobody but the jig touches the buttons.
        if self._jig_port.pending and self._jig.pico.pending < PIECE:
            self._jig.pico.write(self._jig_port.take())
        self._jig.follow()
        self._jig_port.flush()

    def close(self) -> None:
        self._jig_port.unplug()
        super().close()


if __name__ == "__main__":
    options = parser_of("joined", "noise").parse_args()
    if options.leash:
        end_with_stdin()
    raise SystemExit(serve(_Joined(options.board or os.urandom(8), options.seed)))
