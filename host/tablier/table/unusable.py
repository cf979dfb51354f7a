"""Put into words why a table cannot be used, or only with care."""

from __future__ import annotations

import errno
import os
import re

from tablier.texts import Failure, Text
from tablier_fw import wire
from tablier_fw.system import TESTED
from tablier_fw.version import __version__


class TableError(Failure):
    """The table cannot be used; the text is one line: which port, what was seen, what to do."""


def unopenable(port: str, error: OSError) -> Text:
    """Return why a port could not be opened, and what to do about it."""
    number = error.errno
    args = {"port": port or "''", "why": os.strerror(number) if number else ""}
    if number == errno.ENOENT:
        return Text("{port}: there is no such port; 'tablier table list' shows the tables that are plugged in", args)
    if number == errno.EACCES:
        return Text("{port}: no permission to open this port; are you in the group that owns it (often dialout)?", args)
    if number in (errno.EBUSY, errno.EAGAIN):
        return Text("{port}: another program holds this port; end it, or name another port", args)
    why = Text("this is not a serial port ({why})" if number else "this is not a serial port", args)
    return Text("{port}: {why}; 'tablier table list' shows the ports of tables", {**args, "why": why})


def silent(port: str, seconds: float, *, garbage: bool) -> Text:
    """Return why nothing that a table says came from a port within some seconds; ``garbage``: something else did."""
    args = {"port": port, "seconds": f"{seconds:g}"}
    if garbage:
        return Text("{port}: what answers there is not a table of this kind; name its port with --port", args)
    return Text("{port}: no answer within {seconds} s; is it the table's port, and is the firmware on it?", args)


def incompatible(port: str, major: int, version: str) -> Text | None:
    """Return why a table of that version cannot be used, with the stale side and the cure; ``None`` if it can."""
    if major == wire.MAJOR:
        return None
    firmware = Text("the table's firmware ({version})" if version else "the table's firmware", {"version": version})
    here = Text("this host (tablier {version})", {"version": __version__})
    cure = "the firmware is stale; put this version's firmware on the table"
    if major > wire.MAJOR:
        cure = "the host is stale; install a newer tablier"
    args = {"port": port, "firmware": firmware, "theirs": major, "host": here, "ours": wire.MAJOR, "cure": Text(cure)}
    return Text("{port}: {firmware} speaks version {theirs} of the wire, {host} {ours}: {cure}", args)


_SYSTEM = re.compile(r"MicroPython ((\d+)\.(\d+)\S*) on rp2$")


def outdated(version: str) -> Text | None:
    """Return a warning if the MicroPython that a Pico's hello names is older than the tested one.

    The one that runs the simulated table is pinned with this package.
    """
    system = _SYSTEM.search(version)
    if system is None or (int(system[2]), int(system[3])) >= TESTED:
        return None
    tested = ".".join(map(str, TESTED))
    args = {"found": system[1], "tested": tested}
    return Text("its Pico runs MicroPython {found}; put {tested} on it, with which this firmware is tested", args)
