"""The files of the firmware: the table's equipment, which it reads, and the result of the self-test, which it writes.

It never writes during a game: flash stops everything. A new file replaces the old one in one step, so one of the two
survives a power cut.
"""

import os

from tablier_fw import equipment

FILE = "/tablier.result"
_NEW = FILE + ".new"


def load() -> bytes:
    """Return the stored bytes; empty if there are none."""
    try:
        with open(FILE, "rb") as file:
            return file.read()
    except OSError:
        return b""


def load_equipment() -> equipment.Equipment:
    """Return what the table has: all, where no file says otherwise. Raise :class:`ValueError` for a damaged one."""
    try:
        with open("/" + equipment.FILE) as file:
            return equipment.read(file.read())
    except OSError:
        return equipment.Equipment()


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
