"""A keeper whose disk fills up: ``full_disk.py ROOM LOG``. After ROOM operations no write is possible any more."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import apsw

from crash.disk import Disk, Op
from tablier.keeper.server import main
from tablier.log.store import Log


def keep(room: int, path: str) -> int:
    def before(number: int, op: Op) -> None:
        if number > room and op.kind == "write":
            raise apsw.exception_for(apsw.SQLITE_FULL)

    disk = Disk(Path(path).parent, before)
    opened = Log.open
    Log.open = lambda path, **how: opened(path, connect=disk.connect, **how)  # type: ignore[method-assign]
    with disk.recording():
        return main([path])


if __name__ == "__main__":
    raise SystemExit(keep(int(sys.argv[1]), sys.argv[2]))
