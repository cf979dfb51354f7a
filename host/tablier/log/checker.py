"""The program that checks a log beside its writer: :mod:`tablier.log.unchecked` starts it."""

from __future__ import annotations

import json
import os
import sqlite3
import sys
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from pathlib import Path

from tablier.log.chain import START, LogError, Point
from tablier.log.checking import check_chain, holds
from tablier.log.connection import configure, connect
from tablier.log.errors import access_problem, told_of


def _say(**said: object) -> None:
    try:
        os.write(sys.stdout.fileno(), json.dumps(said).encode() + b"\n")
    except BrokenPipeError:
        raise SystemExit(0) from None  # the writer has ended: nobody wants to know any more


def _check(path: Path, real: Path, noted: Point, told: Callable[[], None]) -> None:
    with closing(configure(connect(real, "mode=ro"))) as db:
        begin = noted if noted != START and holds(db, noted) else START
        end = check_chain(path, db, begin, told)
        _say(entry=end.n, hash=end.hash.hex())
        if begin != START:
            check_chain(path, db, START, told)


def main(argv: Sequence[str]) -> int:
    """Check a log from an entry on, then from its beginning: ``NAME FILE NUMBER HASH``. Say a line of JSON for each
    result, none where it cannot be read."""
    name, file, n, digest = argv
    path, writer = Path(name), os.getppid()
    with suppress(OSError):
        os.nice(19)  # nobody waits for it

    def told() -> None:
        if os.getppid() != writer:
            raise SystemExit(0)  # nobody wants to know any more

    try:
        _check(path, Path(file), Point(int(n), bytes.fromhex(digest)), told)
    except LogError as error:
        _say(damaged=error.text.to_json())
    except (sqlite3.Error, MemoryError, OSError) as error:
        if not isinstance(error, sqlite3.Error) or access_problem(path, error) is not None:
            sys.stderr.write(f"{path}: {error}\n")  # which says nothing of what is in the file
            return 1
        _say(damaged=told_of(path, error).text.to_json())
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
