"""Starting an emulated table: the firmware on an emulated Pico, in a process of its own.

It needs ``rp2040py``, which the development setup installs, and MicroPython's image for the Pico: the environment
variable ``TABLIER_PICO_IMAGE`` names it, otherwise ``rp2040py`` downloads it.
"""

from __future__ import annotations

from tablier.simulation.simulated import SimulatedTable


class EmulatedTable(SimulatedTable):
    """An emulated table. It takes the verbs of a simulated one and one more, of :mod:`tablier.simulation.emulator`."""

    program = "tablier.simulation.emulator"


class ScriptedTable(EmulatedTable):
    """An emulated table on npm's ``rp2040js``, where the environment names its package."""

    options = ("--rp2040js",)
