"""Start the firmware on a Raspberry Pi Pico: ``main.py`` on the board is ``import tablier_fw.pico.start``.

In the service mode the firmware is not started: the REPL is free for a repair or a deployment, and the green LED stays
off until the next reset. A host asks for this mode, or the service button pressed at power-on, or
:data:`~tablier_fw.pico.guard.BAD_BOOTS` failed boots in a row.
"""

# ruff: noqa: E402
import micropython

micropython.kbd_intr(-1)  # before anything slow: a tool that looks for the prompt sends Ctrl-C

import gc

_NURSERY = 80 * 1024
"""Bytes at the bottom of the heap that are kept free while the firmware is loaded.

MicroPython looks for free memory from the bottom upwards. Were all that is loaded below, it would pass it for each
object, and for each call of a larger function, whose variables are on the heap too: a third of a millisecond each.
"""

gc.collect()  # what loading this module has left behind would lie below the nursery
_nursery = [None] * (_NURSERY // 4)

import sys
from time import sleep_ms

from machine import Pin, reset

from tablier_fw import pins
from tablier_fw.pico.guard import Guard, service_pressed

_LOADED = (
    "wire",
    "scene",
    "landing",
    "pico.board",
    "journal",
    "link",
    "questions",
    "questions.window",
    "asked",
    "session",
    "status",
    "table",
)
"""In this order, and what loading a module leaves behind is collected after each: else what stays lies scattered over
the rest of the heap, and no room is left for the rings of the DMA."""

_marks: list = [None]
"""The modules as a chain, so that a collection marks them one by one: widely used ones first.

The collector's stack of marks has room for few dozen objects. Where a module is reached while many others wait there,
it overflows, the collector goes over the whole heap once more, and a collection takes twice as long.
"""

_OUT_MS = 100
"""What was printed is out by then, if anybody reads it."""


def _run(guard: Guard) -> None:
    for module in _LOADED:
        __import__("tablier_fw." + module)
        gc.collect()
    from tablier_fw.pico.board import Board
    from tablier_fw.table import Table

    board = Board(guard, _NURSERY)
    table = Table(board)
    _nursery.clear()  # not del: the collector takes what is left on the stack for a pointer to it
    for name in reversed(_LOADED):
        _marks[0] = (_marks[0], sys.modules["tablier_fw." + name])
    table.note_collection(board.collect())
    Pin(pins.LED, Pin.OUT, value=1)
    while True:
        if table.collection_due:
            table.note_collection(board.collect())
        board.wait(table.pause())
        table.tick()


def _main() -> None:
    guard = Guard()
    if guard.called:
        print("tablier: service mode; the table is started by the next reset")  # noqa: T201
    elif service_pressed():
        print("tablier: the service button is pressed; the table is not started")  # noqa: T201
    elif guard.gives_up():
        print("tablier:", guard.bad_boots, "failed boots in a row; the table is not started")  # noqa: T201
    else:
        try:
            _run(guard)
        except BaseException as error:  # Ctrl-C, too: nobody is at the prompt
            guard.note_error()  # before printing: where nobody reads, the watchdog bites first
            sys.print_exception(error)
            sleep_ms(_OUT_MS)
            reset()
    _nursery.clear()


_main()
