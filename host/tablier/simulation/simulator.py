"""The simulated table: the firmware's own code in a MicroPython VM, a simulated board, a pseudo-terminal.

One process, one thread. The VM calls :meth:`Simulator.await_input` whenever it has nothing to do; everything else
happens in there: bytes to and from the port, a tester's verbs (:mod:`tablier.simulation.verbs`), the passing of time.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
from typing import Any

from tablier.simulation.board import Board
from tablier.simulation.calls import POWER, RESET, HostCalls
from tablier.simulation.control import AnyWait
from tablier.simulation.events import Events
from tablier.simulation.port import Port
from tablier.simulation.process import TableProcess, end_with_stdin, parser_of, port_prefix, serve
from tablier.simulation.timeline import LifeTime, VirtualTime
from tablier.simulation.vm import Vm
from tablier.simulation.waits import ends, watches
from tablier.table.ports import SIMULATED
from tablier_fw import wire
from tablier_fw.equipment import Equipment

BUDGET = 16
"""Steps of work in one turn of the firmware's loop; the Pico has time for one."""

_TURN_US, _FRAME_US = 1_000, 16_000
"""The longest wait of the firmware's loop while something is under way (a tune, a card that settles, a contact that
bounces), and while pixels are animated."""
_SAME = 8
"""After this number of turns of a millisecond without an input, no contact bounces."""
_AT_ONCE = {_TURN_US: 4, _FRAME_US: 6}
"""The turns that virtual time joins into one while nobody can tell the difference: what is due meanwhile may
come a tenth of a second late. With nothing under way the firmware waits for 50 ms."""

FIRMWARE = "import tablier_fw.main_sim"
"""The code that the VM runs after a reset."""
_SERVICE = "import tablier_fw.service_sim"
"""The code that it runs in the service mode."""


class Reset(Exception):
    """The board starts anew."""


class Simulator(TableProcess):
    """A table whose firmware runs in a virtual machine."""

    what = "A simulated table"

    def __init__(
        self,
        board_id: bytes,
        *,
        virtual: bool = False,
        seed: int | None = None,
        stdin: bool = False,
        budget: int = BUDGET,
        every_turn: bool = False,
        service_mode: bool = False,
        equipment: Equipment | None = None,
    ) -> None:
        """``seed`` makes entropy and throws repeatable; ``budget``: steps of work in a turn of the firmware's loop.

        ``every_turn``: in virtual time, run also the turns that change nothing while nobody looks. ``service_mode``: it
        has one, which is the prompt of its MicroPython. ``equipment``: what there is of a table, by default all.
        """
        events, self._time = Events(), VirtualTime() if virtual else LifeTime()
        port = Port(events, port_prefix(SIMULATED, board_id), unlimited=virtual)
        board = Board(self._time, equipment or Equipment())
        super().__init__(board_id, events=events, timeline=self._time, port=port, board=board, seed=seed, stdin=stdin)
        self._calls = HostCalls(
            board_id,
            budget=budget,
            abilities=wire.CAN_SERVE if service_mode else 0,
            entropy=random.Random(seed) if seed is not None else random.SystemRandom(),
            timeline=self._time,
            board=board,
            buttons=self.buttons,
            port=port,
            await_input=self.await_input,
        )
        self._every_turn = every_turn
        self._uneventful = 0  # turns in which nothing came in
        self._program = FIRMWARE
        self.functions = {**self._calls.functions(), "service": self._serve}
        """The functions that the firmware may call."""

    def live(self) -> None:
        vm = Vm(self.functions)
        vm.functions |= {"hear": lambda _: self._calls.hear(vm.take_printed()), "reset": self._restart}
        while True:
            with contextlib.suppress(Reset):
                vm.run(self._program)

    def await_input(self, until: int) -> None:
        """Let time pass until input comes for the firmware, at most until a time in µs."""
        began = self._time.now()
        self.events.wait(0)
        while True:
            self.port.flush()
            self.act()
            if self.waits.answer(self.control):
                continue  # a participant that got an answer may have sent more
            if self._time.virtual and self.control.works:
                # Time stands still while a participant is at work, or it would matter how fast it is.
                self.events.wait(None)
            elif self._has_input():
                self._uneventful = 0
                return
            elif not self._pass_time(began, until):
                self._uneventful += 1
                return

    def _has_input(self) -> bool:
        return self.port.pending or self.board.felt or self.buttons.changed

    def _pass_time(self, began: int, until: int) -> bool:
        """Let time pass until something may happen; return False if ``until`` has come.

        ``began``: when the firmware began to wait.
        """
        if isinstance(self._time, LifeTime):
            left = (min([until, *self._time.due()]) - self._time.now()) / 1e6 / self._time.pace
            if self._time.now() >= until:
                return False
            self.events.wait(max(0.0, left))
        elif waits := self.control.waits:
            until = self._until_seen(began, until, waits)
            if self._time.now() >= until:
                return False
            self._time.advance(min([until, *self._time.due(), *ends(waits)]))
        else:
            self.events.wait(None)
        return True

    def _until_seen(self, began: int, until: int, waits: list[AnyWait]) -> int:
        """Return the time until which the firmware may wait: its last turn before anybody looks, of several equal ones.

        Running all of them would be most of a table's work. ``waits``: those of all connections.
        """
        turn = until - began
        if self._every_turn or turn not in _AT_ONCE or any(map(watches, waits)):
            return until
        if turn == _TURN_US and self._uneventful < _SAME:
            return until
        latest = min([began + _AT_ONCE[turn] * turn, *(us - 1 for us in ends(waits))])
        return max(until, latest - (latest - began) % turn)

    def reset(self) -> None:
        self._calls.cause = RESET
        self.timeline.at(self.timeline.now(), self._reset)

    def cut_power(self) -> None:
        self._calls.cause = POWER
        self._calls.forget()
        self.timeline.at(self.timeline.now(), self._reset)

    def _serve(self, _: str) -> str:
        """Restart into the service mode, dark."""
        self._program = _SERVICE
        self.board.sound(0, 0)
        self.board.show(bytes(len(self.board.pixels)))
        self.port.clear_input()
        raise Reset

    def _restart(self, _: str) -> str:
        """Do what the prompt asks the board for."""
        self._calls.cause = RESET
        self._reset()
        raise AssertionError

    def _reset(self) -> None:
        self._program = FIRMWARE
        self.port.clear_input()
        self.board.reset()
        raise Reset

    def stats(self) -> dict[str, Any]:
        return {"boots": self._calls.boots}


def table_of(argv: list[str] | None = None) -> Simulator:
    """Return the table that command line arguments ask for."""
    parser = parser_of("tablier.simulation.simulator", "entropy")
    parser.add_argument(
        "--budget",
        type=_count,
        default=os.environ.get("TABLIER_BUDGET") or BUDGET,
        help=f"steps of work in one turn of the firmware's loop ({BUDGET}, or what TABLIER_BUDGET says; a Pico has 1)",
    )
    parser.add_argument(
        "--every-turn",
        action="store_true",
        help="in virtual time, make each turn of the firmware's loop, looked at or not: frames come at a Pico's times",
    )
    parser.add_argument(
        "--service-mode", action="store_true", help="give it a service mode: the prompt of its MicroPython"
    )
    options = parser.parse_args(argv)
    board_id = options.board or os.urandom(8)
    if options.leash:
        end_with_stdin()
    return Simulator(
        board_id,
        virtual=options.virtual,
        seed=options.seed,
        budget=options.budget,
        every_turn=options.every_turn,
        service_mode=options.service_mode,
        equipment=options.equipment,
    )


def main() -> int:
    """Run a simulated table and print, first, one line of JSON: its port, its control socket, its board id."""
    return serve(table_of())


def _count(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not int(text):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1")
    return int(text)


if __name__ == "__main__":
    raise SystemExit(main())
