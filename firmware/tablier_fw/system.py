"""What this firmware runs on, in words."""

import sys


def name() -> str:
    version = sys.implementation.version
    return "MicroPython " + ".".join([str(part) for part in version[:3]])
