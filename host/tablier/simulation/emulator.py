"""The emulated table: the unchanged firmware on MicroPython for the Pico, an emulated chip, a pseudo-terminal.

It takes the verbs of the simulated table (:mod:`tablier.simulation.simulator`), is found in the same way, and knows
three more::

    service on | off             the service button
    dtr on | off                 the line that says whether a program has the port open; a pseudo-terminal has none
    hang                         the firmware waits for ever, until something resets the Pico

Time is the Pico's own. It goes on as fast as it can, at most as fast as life: while the firmware works that is twenty
times slower or more. A host that lived in life's time would take the table for dead, so it lives in the table's
(:func:`tablier.table.clock.clock_at`). In virtual time host and table wait for each other, as at the simulated table.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tablier.service import firmware
from tablier.simulation.arena import BEAMS, FLOOR, IMPACT, LIGHT
from tablier.simulation.pico import Pico, PicoError
from tablier.simulation.simulator import Simulator, VerbError, end_with_stdin, serve
from tablier.simulation.wiring import Wiring
from tablier.table.ports import EMULATED

_SLICE_US = 500
"""So often the outside is looked at."""
_PORT_ROOM = 2048
_PIECE = 256
_LEAD_S = 0.002


class Emulator(Simulator):
    """A table like the simulated one, with an emulated Pico in the place of the virtual machine."""

    kind = EMULATED
    what = "An emulated table"

    def __init__(
        self,
        board: bytes,
        *,
        virtual: bool = False,
        seed: int | None = None,
        stdin: bool = False,
        files: Mapping[str, bytes] | None = None,
    ) -> None:
        self._pico = Pico(firmware.best() if files is None else files, board=board, seed=seed)
        self._wiring = Wiring()
        self._wiring.attach(self._pico)
        self._wiring.on_picture = self._light
        self._pico.on_data = self._send
        self._dtr = True
        super().__init__(board, virtual=virtual, seed=seed, stdin=stdin)
        self.own = not virtual

    def now(self) -> int:
        return int(self._pico.now + 0.001)  # what is due at a time may come a fraction of a nanosecond before it

    def _live(self) -> None:
        self.boots = 1
        while True:
            self._pump(0)
            self._flush()
            self._act()
            self._feed()
            self._answer_waiting()
            if not self.virtual:
                self._keep_pace()
            elif self._stands_still():
                self._pump(None)
                continue
            self._pico.run_until(max(self._next(), self._pico.now + 1))
            self.boots = max(self.boots, len(self._pico.connected_us))
            self._sound(self._wiring.hertz)

    def _next(self) -> int:
        """Until when nothing from outside can happen."""
        now = self.now()
        times = [now + _SLICE_US, *(at for at, _, _ in self._agenda[:1])]
        times += [at for c in self._connections if c.waiting and (at := c.waiting["until"]) is not None]
        times += [at for _, _, _, at in self._conditions]
        return min(at for at in times if at > now)

    def _stands_still(self) -> bool:
        """Whether virtual time does: a participant is at work, or nobody waits for anything."""
        waiting = [connection for connection in self._connections if self._waits(connection)]
        return not waiting or any(c.joined and c not in waiting for c in self._connections)

    def _keep_pace(self) -> None:
        """Life's time: waits when the Pico is ahead; when it is behind, that is forgotten."""
        lead = self._pico.now / 1e6 - (time.monotonic() - self._started)
        if lead > _LEAD_S:
            self._pump(lead)
        elif lead < -_LEAD_S:
            self._started = time.monotonic() - self._pico.now / 1e6

    def _feed(self) -> None:
        """What has come from the host goes to the Pico, and its buttons become what they are."""
        if self._to_table and self._pico.pending < _PIECE:
            piece, self._to_table = self._to_table[:_PIECE], self._to_table[_PIECE:]
            self._pico.write(piece)
        if self._master >= 0 and self._dtr:
            self._pico.hang(len(self._to_host) >= _PORT_ROOM)
        if self._wiring.buttons != self._buttons:
            self._wiring.buttons = self._buttons

    def _plug(self) -> None:
        if self._master < 0:
            self._dtr = True
            self._pico.open()
        super()._plug()

    def _unplug(self) -> None:
        super()._unplug()
        self._pico.close()

    def _become(self, before: list[float]) -> None:
        self._wiring.suffer(self._defects)
        super()._become(self._defects.light)  # the wiring sees to the beams

    def _feel(self, us: int, line: int, change: int) -> None:
        if line == IMPACT and self._defects.numb:
            return
        senses = self._senses
        if not senses.count(us, line, change):
            return
        if line == IMPACT:
            self._wiring.impact()
        elif line < BEAMS:
            self._wiring.block(line, change > 0)
        elif line < LIGHT:
            self._wiring.floor(senses.there(FLOOR), senses.there(FLOOR + 1))
        else:
            self._wiring.shine(sum(senses.there(LIGHT + beam) << beam for beam in range(BEAMS)))

    def _do_reset(self) -> None:
        self._to_table = b""
        self._pico.reset()

    def _verb_service(self, args: list[str]) -> None:
        self._wiring.service(self._on("service", args))

    def _verb_dtr(self, args: list[str]) -> None:
        self._dtr = self._on("dtr", args)
        if self._dtr:
            self._pico.open()
        else:
            self._pico.close()

    @staticmethod
    def _on(verb: str, args: list[str]) -> bool:
        if args not in (["on"], ["off"]):
            raise VerbError(f"{verb} takes on or off")
        return args == ["on"]

    def _verb_hang(self, args: list[str]) -> None:
        self._pico.stall()

    def _verb_stats(self, args: list[str]) -> dict[str, Any]:
        resets = [int(us) for us in self._pico.resets_us]
        return {**super()._verb_stats(args), "resets": resets, "usb": [int(us) for us in self._pico.connected_us]}


def main(argv: list[str] | None = None) -> int:
    """Runs an emulated table and prints, first, one line of JSON: its port, its control socket, its board id."""
    import argparse

    parser = argparse.ArgumentParser(prog="python -m tablier.simulation.emulator")
    parser.add_argument("--board", type=bytes.fromhex, help="board id, 16 hexadecimal digits (random)")
    parser.add_argument("--virtual", action="store_true", help="virtual time instead of life's")
    parser.add_argument("--seed", type=int, help="make the board's noise repeatable, for tests only")
    parser.add_argument("--blank", action="store_true", help="a Pico with nothing but MicroPython on it")
    parser.add_argument("--files", type=Path, help="the folder of what is on it, in the place of this firmware")
    parser.add_argument("--leash", action="store_true", help="end when standard input ends, with whoever started this")
    options = parser.parse_args(argv)
    board = options.board or os.urandom(8)
    if options.leash:
        end_with_stdin()
    files: dict[str, bytes] | None = {} if options.blank else None
    if options.files:
        paths = [path for path in sorted(options.files.rglob("*")) if path.is_file()]
        files = {path.relative_to(options.files).as_posix(): path.read_bytes() for path in paths}
    try:
        table = Emulator(board, virtual=options.virtual, seed=options.seed, files=files)
    except (PicoError, firmware.FirmwareError) as error:
        sys.exit(f"tablier: {error}")
    return serve(table)


if __name__ == "__main__":
    raise SystemExit(main())
