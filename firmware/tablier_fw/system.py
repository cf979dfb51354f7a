"""The name of the system that this firmware runs on."""

import sys

TESTED = (1, 28)
"""The MicroPython that the firmware is tested with on the Pico. An older one is warned of."""

MACHINE = "Raspberry Pi Pico with RP2040"
"""The board, as MicroPython names it. The LED of a Pico W, and three pins of the table, are its radio's."""


def name() -> str:
    version = sys.implementation.version
    return "MicroPython " + ".".join([str(part) for part in version[:3]]) + " on " + sys.platform
