"""The note of where a log is served: a file beside the log, locked as long as that lasts.

The operator's key goes to the addresses in it, so it counts only where nobody else can have written it.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tablier.log.files import beside
from tablier.texts import Failure


class WebError(Failure):
    """The pages cannot be served."""


def _open(log: Path, flags: int) -> int:
    file = beside(Path(os.path.realpath(log)), "-web")
    return os.open(file, flags | os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)


def served_at(log: Path) -> list[str]:
    """Return the addresses at which a log is served now; none if it is not."""
    try:
        file = _open(log, 0)
    except OSError:
        return []
    with os.fdopen(file, "r+") as note:
        found = os.fstat(file)
        if found.st_uid != os.getuid() or found.st_mode & 0o022:
            return []
        try:
            fcntl.flock(note, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return note.read().split()
    return []


@contextmanager
def noted(log: Path, addresses: Sequence[str]) -> Iterator[None]:
    """Note where a log is served, for as long as that lasts. Raise :class:`WebError` where it is served already, or
    nothing can be noted."""
    try:
        file = _open(log, os.O_CREAT)
    except OSError as error:
        why = error.strerror
        raise WebError("{path}: where its pages are cannot be noted beside it: {why}", path=log, why=why) from None
    with os.fdopen(file, "r+") as note:
        try:
            fcntl.flock(note, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            seen = note.read().split() or ["?"]
            raise WebError("{path}: its pages are served already, at {address}", path=log, address=seen[0]) from None
        note.truncate(0)
        note.write("\n".join(addresses))
        note.flush()
        try:
            yield
        finally:
            note.seek(0)
            note.truncate(0)


__all__ = ["WebError", "noted", "served_at"]
