"""The one file that the firmware writes: the result of the self-test. Never during a game: flash stops everything.

A new file replaces the old one in one step, so one of the two survives a power cut.
"""

import os

FILE = "/tablier.result"
_NEW = FILE + ".new"


def load() -> bytes:
    """Return the stored bytes; empty if there are none."""
    try:
        with open(FILE, "rb") as file:
            return file.read()
    except OSError:
        return b""


def save(data: bytes) -> bool:
    """Store bytes, unless they are stored already; return False if the flash fails."""
    if load() == data:
        return True
    try:
        with open(_NEW, "wb") as file:
            file.write(data)
        os.rename(_NEW, FILE)
    except OSError:
        return False
    return True
