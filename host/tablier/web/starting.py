"""Starting the pages' server of a log beside its keeper, or finding it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from tablier import waiting
from tablier.keeper.access import read_token
from tablier.keeper.address import READY
from tablier.keeper.detached import launch
from tablier.web.noted import make_room, served_at

PROGRAM: Sequence[str] = ("-m", "tablier.web.server")
"""The program that the server is, for Python."""
LAN = "--lan"
"""Before the log: for other machines, too."""


def start(log: Path, *, lan: bool = False) -> list[str]:
    """Return the addresses of a log's pages, which are served from now on where they were not; none where they cannot
    be: a file beside the keeper's socket says why. ``lan``: for other machines of this network, too."""
    found = served_at(log)
    if len(found) > 1 or (found and not lan):
        return found
    make_room(log)
    said = launch([*PROGRAM, *([LAN] if lan else [])], log, ".web-err").split()
    return said[1:] if said[:1] == [READY] else served_at(log)  # another one was quicker


def operator_part(log: Path) -> str:
    """Return what stands behind an address for the operator's browser; nothing, where the token cannot be read."""
    from tablier.web.cookies import operator_key  # with all that a server needs: not before a screen is there

    token = read_token(log)
    return f"#operator={operator_key(token)}" if token else ""


def start_beside(log: Path, tell: Callable[[str], object], *, lan: bool = False) -> waiting.Beside:
    """Start it in a thread, and return that. There ``tell`` is called with the address that others are told, else with
    that on this machine."""

    def run() -> None:
        if addresses := start(log, lan=lan):
            tell(addresses[:2][-1])

    return waiting.beside(run, "pages")


__all__ = ["operator_part", "start", "start_beside"]
