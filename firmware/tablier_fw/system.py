"""The name of the system that this firmware runs on."""

import sys

TESTED = (1, 28)
"""The MicroPython that the firmware is tested with on the Pico. An older one is warned of."""


def name() -> str:
    version = sys.implementation.version
    return "MicroPython " + ".".join([str(part) for part in version[:3]]) + " on " + sys.platform
