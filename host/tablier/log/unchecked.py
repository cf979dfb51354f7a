"""A log that was not closed, and is checked while it is used: by a process of its own, which reads beside the writer.

Before anybody writes, :mod:`tablier.log.opening` has seen that its pages fit together and that what its ``-wal`` holds
follows on from what the file held without it: nothing else is written by a writer that is killed. That each entry
before is the one that was written takes longer, ten seconds for a million. Until that is known nothing is moved from
the ``-wal`` into the file, so that a log that turns out damaged is still there as it was found, with all that was
logged since in its ``-wal``.

How far a log was checked is noted beside it, by its writer alone: the number and the hash of an entry. The entries
after it are checked first, then those before it once more. A note that names no entry of the log says nothing; so does
one that cannot be read. A note that the log is damaged has the next one who opens it wait for the whole check, and be
refused.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from tablier.log.chain import START, Point
from tablier.log.files import Distrusted, beside, open_own
from tablier.texts import Text, text_from

PROGRAM: Sequence[str] = ("-m", "tablier.log.checker")
"""The program that checks, for Python."""
_NOTE_MAX = 1024


class Checked(NamedTuple):
    """How far a log was checked."""

    point: Point = START
    damaged: bool = False


def read_checked(real: Path) -> Checked:
    """Return what is noted beside a log; what cannot be read says that nothing was checked."""
    with suppress(OSError, Distrusted, ValueError, KeyError, TypeError):
        file = open_own(beside(real, "-checked"))
        try:
            said = json.loads(os.read(file, _NOTE_MAX))
        finally:
            os.close(file)
        if said["damaged"] is True:
            return Checked(damaged=True)
        n, digest = said["entry"], bytes.fromhex(said["hash"])
        if type(n) is int and n > 0:
            return Checked(Point(n, digest))
    return Checked()


def note_checked(real: Path, checked: Checked) -> None:
    """Note how far a log was checked; for its writer. Where that cannot be, more is checked the next time."""
    body = {"entry": checked.point.n, "hash": checked.point.hash.hex(), "damaged": checked.damaged}
    new = beside(real, "-checked.part")
    with suppress(OSError):
        new.unlink(missing_ok=True)
        file = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            os.write(file, json.dumps(body).encode() + b"\n")
            os.fsync(file)
        finally:
            os.close(file)
        new.replace(beside(real, "-checked"))


class Check:
    """The process that checks a log."""

    def __init__(self, path: Path, real: Path) -> None:
        """``path``: how people call it."""
        self._real = real
        point = read_checked(real).point
        words = [sys.executable, *PROGRAM, str(path), str(real), str(point.n), point.hash.hex()]
        self._program = subprocess.Popen(
            words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, start_new_session=True
        )
        assert self._program.stdout is not None
        self._file = self._program.stdout.fileno()
        os.set_blocking(self._file, False)
        self._said = b""
        self.passed = False
        """True once all that nobody had checked before is known to be whole."""
        self.over = False
        """True when the process has ended."""

    def fileno(self) -> int:
        return self._file

    def work(self) -> Text | None:
        """Take what the process has said, and note it; return what is damaged, ``None`` for nothing so far."""
        try:
            data = os.read(self._file, 1 << 16)
        except BlockingIOError:
            return None
        self.over = not data
        *lines, self._said = (self._said + data).split(b"\n")
        for line in lines:
            said = json.loads(line)
            if "damaged" in said:
                note_checked(self._real, Checked(damaged=True))
                return text_from(said["damaged"])
            if "hash" in said:
                note_checked(self._real, Checked(Point(said["entry"], bytes.fromhex(said["hash"]))))
                self.passed = True
        return None

    def close(self) -> None:
        """End the process."""
        self.over = True
        self._program.kill()
        self._program.wait()
        assert self._program.stdout is not None
        self._program.stdout.close()
