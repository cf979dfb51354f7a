"""The one file that the firmware writes: the result of the self-test. Never while a game is on: flash stops everything.

A new file takes the place of the old one in one step, so power may go at any moment: one of the two is there.
"""

import os

FILE = "/tablier.result"
_NEW = FILE + ".new"


def load() -> bytes:
    """What is kept; nothing where there is nothing."""
    try:
        with open(FILE, "rb") as file:
            return file.read()
    except OSError:
        return b""


def save(data: bytes) -> bool:
    """Keep this; False when the flash does not take it. What is kept already is not written again."""
    if load() == data:
        return True
    try:
        with open(_NEW, "wb") as file:
            file.write(data)
        os.rename(_NEW, FILE)
    except OSError:
        return False
    return True
