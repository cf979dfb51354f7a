"""Starting the pages' server of a log beside its keeper, or finding it."""

from __future__ import annotations

import select
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from tablier.keeper.address import READY, address_of
from tablier.web.noted import served_at

PROGRAM: Sequence[str] = ("-m", "tablier.web.server")
"""The program that the server is, for Python."""
_START_S = 20.0


def start(log: Path) -> list[str]:
    """Return the addresses of a log's pages, which are served from now on where they were not; none where they cannot
    be: a file beside the keeper's socket says why."""
    found = served_at(log)
    if found:
        return found
    complaints = address_of(log, make=True).with_suffix(".web-err")
    with complaints.open("ab") as errors:
        program = subprocess.Popen(
            [sys.executable, *PROGRAM, str(log.absolute())],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
            start_new_session=True,
        )
    assert program.stdout is not None
    with program.stdout:
        ready, _, _ = select.select([program.stdout], [], [], _START_S)
        said = program.stdout.readline().decode("utf-8", "replace").split() if ready else []
    program.wait()
    return said[1:] if said[:1] == [READY] else served_at(log)  # another one was quicker


def start_beside(log: Path, tell: Callable[[str], None]) -> None:
    """Start it beside whatever goes on here; ``tell`` is called in a thread with the address on this machine."""

    def run() -> None:
        if addresses := start(log):
            tell(addresses[0])

    threading.Thread(target=run, name="pages", daemon=True).start()


__all__ = ["start", "start_beside"]
