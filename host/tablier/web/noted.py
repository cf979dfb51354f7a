"""The note of where a log is served: a file beside the keeper's socket, locked as long as that lasts."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tablier.keeper.address import address_of
from tablier.texts import Failure


class WebError(Failure):
    """The pages cannot be served."""


def _note_of(log: Path) -> Path:
    return address_of(log, make=True).with_suffix(".web")


def served_at(log: Path) -> list[str]:
    """Return the addresses at which a log is served now; none if it is not."""
    try:
        with _note_of(log).open("r+") as note:
            try:
                fcntl.flock(note, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return note.read().split()
    except FileNotFoundError:
        pass
    return []


@contextmanager
def noted(log: Path, addresses: Sequence[str]) -> Iterator[None]:
    """Note where a log is served, for as long as that lasts. Raise :class:`WebError` where it is served already."""
    with os.fdopen(os.open(_note_of(log), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600), "r+") as note:
        try:
            fcntl.flock(note, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            seen = note.read().split()
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
