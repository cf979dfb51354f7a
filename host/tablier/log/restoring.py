"""Put a backup in the place of a log, which is put aside."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from tablier.log.errors import explain_errors
from tablier.log.files import beside, sync_folder
from tablier.log.lock import lock
from tablier.log.store import Log

_MOVED = ("", "-wal", "-journal")
"""The files that a log consists of."""
_REMOVED = ("-shm", "-checked")
"""The files beside it that are made anew."""


def restore(backup: Log, path: Path, aside: Path) -> tuple[int, str]:
    """Put a copy of a backup in the place of a log, whose files get the name of ``aside``; return the number of entries
    and the head. Raise :class:`LogError`, ``Locked`` while somebody writes to the log; nothing has changed then."""
    real = Path(os.path.realpath(path))
    with explain_errors(path):
        held = lock(path, real)
        moved: list[tuple[Path, Path]] = []
        try:
            for suffix in _MOVED:
                old, new = beside(real, suffix), beside(aside, suffix)
                if old.exists():
                    old.rename(new)
                    moved.append((old, new))
            try:
                return backup.backup(real)
            except BaseException:
                for old, new in moved:
                    new.replace(old)
                moved.clear()
                raise
        finally:
            for suffix in _REMOVED if moved else ():
                with suppress(OSError):
                    beside(real, suffix).unlink()
            sync_folder(real)
            os.close(held)


__all__ = ["restore"]
