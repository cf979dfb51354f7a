"""Starting the pages' server of a log beside its keeper, or finding it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from tablier.keeper.address import READY
from tablier.keeper.detached import launch
from tablier.web.noted import served_at

PROGRAM: Sequence[str] = ("-m", "tablier.web.server")
"""The program that the server is, for Python."""


def start(log: Path) -> list[str]:
    """Return the addresses of a log's pages, which are served from now on where they were not; none where they cannot
    be: a file beside the keeper's socket says why."""
    found = served_at(log)
    if found:
        return found
    said = launch(PROGRAM, log, ".web-err").split()
    return said[1:] if said[:1] == [READY] else served_at(log)  # another one was quicker


def start_beside(log: Path, tell: Callable[[str], None]) -> None:
    """Start it beside whatever goes on here; ``tell`` is called in a thread with the address on this machine."""

    def run() -> None:
        if addresses := start(log):
            tell(addresses[0])

    threading.Thread(target=run, name="pages", daemon=True).start()


__all__ = ["start", "start_beside"]
