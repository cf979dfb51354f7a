"""Make the file of a log: a new one, or a copy."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from tablier.log.chain import LogError
from tablier.log.checking import verify
from tablier.log.connection import Connect, configure, empty_wal, make_durable, prepare_to_write
from tablier.log.errors import NO_SPACE, explain_errors
from tablier.log.files import NO_FOLDER, THERE_ALREADY, beside, files_of, give_name, size_of, sync_folder
from tablier.log.lock import not_writable, shut_out_writers
from tablier.log.migrations import make_tables
from tablier.log.writing import note_loss, remove_note


def make(path: Path, real: Path, connect: Connect) -> None:
    """Make a new log, completely or not at all."""
    with _build(beside(real, "-new"), connect) as (new, db):
        make_tables(db)
        prepare_to_write(path, db)
    new.replace(real)
    sync_folder(real)


@contextmanager
def _build(new: Path, connect: Connect) -> Iterator[tuple[Path, sqlite3.Connection]]:
    """Make a file for the block to fill: complete and durable when that ends, gone when it raises.

    The caller gives it its name then. Everything is in the one file: no ``-wal`` has to go with it.
    """
    files = [beside(new, suffix) for suffix in ("", "-journal", "-wal", "-shm")]
    for file in files:  # of a process that was killed here
        file.unlink(missing_ok=True)
    try:
        os.close(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
    except OSError as error:
        if error.errno in NO_SPACE:
            raise
        raise not_writable(new, error) from None
    try:
        with closing(configure(connect(new, "mode=rw"))) as db:
            make_durable(db)
            yield new, db
            empty_wal(db)  # closing would do so too, but keeps to itself that it failed
        for file in files[1:]:
            file.unlink(missing_ok=True)
    except BaseException:
        for file in files:
            file.unlink(missing_ok=True)
        raise


def _check_idle(real: Path, out: Path) -> None:
    """Raise :class:`LogError` if somebody is writing to a log of this name."""
    held = shut_out_writers(real)
    if held is None:
        raise LogError("{out}: another program is writing to that log; name another file", out=out)
    os.close(held)


def copy(
    path: Path, db: sqlite3.Connection, out: Path, connect: Connect, *, force: bool = False, lost: bool = False
) -> tuple[int, bytes]:
    """Copy a log as it stands now, completely or not at all, while its writer continues.

    Return the number of its entries and the hash of the last. It is verified before it gets its name. ``force``: it
    replaces a file of that name; ``lost``: the log lacks its ``-wal``, and its copy says so. Raise :class:`LogError`;
    there is no copy then.
    """
    real = Path(os.path.realpath(out))
    if real in files_of(path):
        raise LogError("{out}: a name that belongs to the log itself; name another file", out=out)
    if real.is_dir():
        raise LogError("{out}: a folder; name a file in it, such as {file}", out=out, file=out / path.name)
    if os.path.lexists(out) and not real.is_file():
        raise LogError("{out}: there is something of that name that is not a file; name a new file", out=out)
    if os.path.lexists(out) and not force:
        raise LogError(THERE_ALREADY.of(path=out))
    if not out.parent.is_dir():
        raise LogError(NO_FOLDER.of(path=out, parent=out.parent))
    if force:
        with explain_errors(out):
            _check_idle(real, out)
    for suffix in ("-wal", "-journal"):
        if size_of(beside(real, suffix)):
            raise LogError(
                "{out}: {name} is in this folder and would be taken for part of the copy; move it away",
                out=out,
                name=beside(real, suffix).name,
            )
    with explain_errors(out):
        with _build(real.with_name(f".{real.name}.{os.getpid()}.part"), connect) as (part, twin):
            db.backup(twin)
            (note_loss if lost else remove_note)(twin)
            found = verify(path, twin)
        try:
            give_name(part, real, replace=force)
        except BaseException:
            part.unlink(missing_ok=True)
            raise
        sync_folder(real)
    return found
