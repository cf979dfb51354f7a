"""The emulated table: the unchanged firmware on MicroPython for the Pico, an emulated chip, a pseudo-terminal.

It takes the verbs of the simulated table (:mod:`tablier.simulation.verbs`), is found in the same way, and takes
more::

    hang                         the firmware waits for ever, until something resets the Pico

Time is the Pico's own, at most as fast as real time; while the firmware works it is twenty times slower or more. In
real time a host would give the table up, so it uses the table's (:func:`tablier.simulation.clock.clock_at`). In virtual
time host and table wait for each other, as at the simulated table.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tablier.service import firmware
from tablier.simulation.arena import BEAMS, FLOOR, IMPACT, LIGHT
from tablier.simulation.board import Board
from tablier.simulation.chip import Chip, PicoError
from tablier.simulation.events import Events
from tablier.simulation.pico import Pico
from tablier.simulation.port import PIECE, Port
from tablier.simulation.process import TableProcess, end_with_stdin, parser_of, port_prefix, serve
from tablier.simulation.timeline import Timeline
from tablier.simulation.waits import ends
from tablier.simulation.wiring import Wiring
from tablier.table.ports import EMULATED
from tablier_fw.equipment import FILE, Equipment

_SLICE_US = 500
"""The interval at which the outside is looked at."""
_LEAD_S = 0.002


class _PicoTime(Timeline):
    """The Pico's own time."""

    def __init__(self, pico: Chip, *, virtual: bool) -> None:
        super().__init__()
        self._pico = pico
        self.virtual = virtual
        self.own = not virtual

    def now(self) -> int:
        return int(self._pico.now + 0.001)  # what is due at a time may come a fraction of a nanosecond before it


class _PicoPort(Port):
    """A port that is also the Pico's: a program has it open while it is plugged in and DTR is set.

    While the computer sleeps, the Pico's end holds what it has sent.
    """

    def __init__(self, pico: Chip, events: Events, prefix: Path, *, unlimited: bool) -> None:
        super().__init__(events, prefix, unlimited=unlimited)
        self._pico = pico
        pico.on_data = self.send

    def plug(self) -> None:
        if not self.plugged:
            self._pico.plug()
        super().plug()

    def unplug(self) -> None:
        super().unplug()
        self._pico.unplug()

    def suspend(self) -> None:
        super().suspend()
        self._pico.sleep()

    def resume(self) -> None:
        super().resume()
        if self.plugged:
            self._pico.wake()

    def set_dtr(self, on: bool) -> None:
        super().set_dtr(on)
        if on:
            self._pico.open()
        else:
            self._pico.close()

    def feed(self) -> None:
        """Give the Pico the host's bytes; block it while the host does not read."""
        if self.pending and self._pico.pending < PIECE:
            self._pico.write(self.take())
        if self.awake and self.opened:
            self._pico.hang(not self.room)


class _PicoBoard(Board):
    """A board whose sensors are wired to the Pico's pins."""

    def __init__(self, timeline: Timeline, wiring: Wiring) -> None:
        super().__init__(timeline, wiring.equipment)
        self._wiring = wiring
        wiring.on_picture = self.show

    def suffer(self, before: list[bool]) -> None:
        self._wiring.suffer(self.defects)
        super().suffer([self.defects.weak(beam) for beam in range(BEAMS)])  # the wiring sees to the beams

    def feel(self, us: int, line: int, change: int) -> None:
        senses = self.senses
        if not senses.count(us, line, change):
            return
        if line == IMPACT:
            self._wiring.impact()
        elif line < BEAMS:
            self._wiring.block(line, change > 0)
        elif line < LIGHT:
            self._wiring.floor(senses.there(FLOOR), senses.there(FLOOR + 1))
        else:
            self._wiring.shine(self.ambient())


class Emulator(TableProcess):
    """A table like the simulated one, with an emulated Pico in the place of the virtual machine."""

    what = "An emulated table"

    def __init__(
        self,
        board_id: bytes,
        *,
        virtual: bool = False,
        seed: int | None = None,
        stdin: bool = False,
        files: Mapping[str, bytes] | None = None,
        chip: Callable[..., Chip] = Pico,
        equipment: Equipment | None = None,
    ) -> None:
        """``seed`` makes noise and throws repeatable; ``files`` are in the flash, in the place of this firmware;
        ``chip`` is the emulator; ``equipment``: what there is of a table, by default all.

        Raise :class:`~tablier.simulation.pico.PicoError` or :class:`~tablier.service.firmware.FirmwareError`.
        """
        there = equipment or Equipment()
        files = firmware.compile_if_possible() if files is None else files
        if not there.whole:
            files = {**files, FILE: there.text().encode()}
        self._pico = chip(files, board=board_id, seed=seed)
        self._wiring = Wiring(there)
        self._wiring.attach(self._pico)
        self._started = time.monotonic()
        self._boots = 0
        events, timeline = Events(), _PicoTime(self._pico, virtual=virtual)
        prefix = port_prefix(EMULATED, board_id)
        self._pico_port = _PicoPort(self._pico, events, prefix, unlimited=virtual)
        board = _PicoBoard(timeline, self._wiring)
        super().__init__(
            board_id, events=events, timeline=timeline, port=self._pico_port, board=board, seed=seed, stdin=stdin
        )
        self.verbs.add(
            {
                "hang": lambda args: self._pico.stall(),
            },
            __doc__,
        )

    def live(self) -> None:
        self._boots = 1
        while True:
            self.events.wait(0)
            self.port.flush()
            self.act()
            self._pico_port.feed()
            self._press_buttons()
            self.waits.answer(self.control)
            if not self.timeline.virtual:
                self._keep_pace()
            elif self.control.works or not self.control.waits:
                self.events.wait(None)
                continue
            self._pico.run_until(max(self._next(), self._pico.now + 1))
            self._boots = max(self._boots, len(self._pico.connected_us))
            self.board.sound(self._wiring.hertz, self._wiring.volume)

    def _press_buttons(self) -> None:
        if self._wiring.buttons != self.buttons.closed:
            self._wiring.buttons = self.buttons.closed
        self._wiring.service(self.buttons.service)

    def _next(self) -> int:
        """Return the time in µs until which nothing from outside can happen."""
        now = self.timeline.now()
        return min(at for at in (now + _SLICE_US, *self.timeline.due(), *ends(self.control.waits)) if at > now)

    def _keep_pace(self) -> None:
        """Sleep while the Pico is ahead of real time; if it is behind, do not catch up."""
        lead = self._pico.now / 1e6 - (time.monotonic() - self._started)
        if lead > _LEAD_S:
            self.events.wait(lead)
        elif lead < -_LEAD_S:
            self._started = time.monotonic() - self._pico.now / 1e6

    def reset(self) -> None:
        self.timeline.at(self.timeline.now(), self._reset)

    def cut_power(self) -> None:
        self.timeline.at(self.timeline.now(), self._cut_power)

    def _reset(self) -> None:
        self.port.clear_input()
        self._pico.reset()

    def _cut_power(self) -> None:
        self.port.clear_input()
        self._pico.power_cycle()

    def stats(self) -> dict[str, Any]:
        resets, usb = ([int(us) for us in moments] for moments in (self._pico.resets_us, self._pico.connected_us))
        return {"boots": self._boots, "resets": resets, "usb": usb}


def main(argv: list[str] | None = None) -> int:
    """Run an emulated table and print, first, one line of JSON: its port, its control socket, its board id."""
    parser = parser_of("tablier.simulation.emulator", "noise")
    parser.add_argument("--blank", action="store_true", help="a Pico with nothing but MicroPython on it")
    parser.add_argument("--files", type=Path, help="the folder of what is on it, in the place of this firmware")
    parser.add_argument("--rp2040js", action="store_true", help="on the emulator rp2040js, in the place of rp2040py")
    options = parser.parse_args(argv)
    board_id = options.board or os.urandom(8)
    if options.leash:
        end_with_stdin()
    files: dict[str, bytes] | None = {} if options.blank else None
    if options.files:
        paths = [path for path in sorted(options.files.rglob("*")) if path.is_file()]
        files = {path.relative_to(options.files).as_posix(): path.read_bytes() for path in paths}
    chip: Callable[..., Chip] = Pico
    if options.rp2040js:
        from tablier.simulation.rp2040js import ScriptedPico

        chip = ScriptedPico
    try:
        table = Emulator(
            board_id,
            virtual=options.virtual,
            seed=options.seed,
            files=files,
            chip=chip,
            equipment=options.equipment,
        )
    except (PicoError, firmware.FirmwareError) as error:
        sys.exit(f"tablier: {error}")
    return serve(table)


if __name__ == "__main__":
    raise SystemExit(main())
