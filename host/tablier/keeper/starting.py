"""Finding the keeper of a log, or starting it."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path

from tablier import waiting
from tablier.keeper.access import read_token
from tablier.keeper.address import LOCKED, address_of
from tablier.keeper.client import KeeperError, KeeperGone, Link
from tablier.keeper.detached import launch
from tablier.log.lock import explain, has_writer, read_note
from tablier.texts import Json, Text

PROGRAM: Sequence[str] = ("-m", "tablier.keeper.server")
"""The program that a keeper is, for Python."""
_FRUGAL = {"MALLOC_MMAP_THRESHOLD_": "131072", "MALLOC_TRIM_THRESHOLD_": "131072"}
"""Keeps the GNU C library from raising these with the largest piece it has seen: a keeper runs for weeks, and what it
needs for a moment is to go back to the system."""
_LOCKED_S, _AGAIN_S = 5.0, 0.05
"""The seconds that another keeper may have the log without listening, as it does when it starts and when it ends, and
how often it is looked for meanwhile. Counted from when it was found so: under load a start alone takes seconds."""


def find(log: str | os.PathLike[str], *, stale: bool = False) -> Link | None:
    """Return a connection to the keeper of a log, the operator's where the token can be read; ``None`` if none runs.

    Raise :class:`KeeperError` for one that cannot be reached or is another user's, or is of another version, unless
    ``stale`` allows that.
    """
    try:
        address = address_of(log)
    except FileNotFoundError:
        note = read_note(log)
        if note is not None and note.listens_at is not None and note.lock.st_uid != os.getuid() and has_writer(log):
            raise KeeperError(explain(log, note)) from None
        return None
    try:
        return Link(address, read_token(Path(log)), stale=stale)
    except (FileNotFoundError, ConnectionError, KeeperGone):
        return None
    except OSError as error:
        raise KeeperError("{path}: no way to the keeper: {why}", path=address, why=error.strerror or error) from None


def join(log: str | os.PathLike[str], tell: Callable[[Text], object] = lambda text: None) -> Link:
    """Return the operator's connection to the keeper of a log, which is started where none runs. ``tell`` is called
    with what that waits for, where it takes some time.

    Raise :class:`KeeperError`. Of several that are started at once one keeps the log, and all join that.
    """
    deadline = None
    while True:
        link = find(log)
        if link is not None:
            return link
        # Only to see that the log is still locked no keeper is started: each takes a third of a second of work.
        if deadline is None or waiting.now() >= deadline or not has_writer(log):
            said = launch(PROGRAM, log, ".err", _FRUGAL, tell)
            link = find(log)  # perhaps another one was quicker
            if link is not None:
                return link
            how, _, why = said.partition(" ")
            now = waiting.now()
            deadline = deadline or now + _LOCKED_S
            if how != LOCKED or now >= deadline:
                raise KeeperError(
                    Text("{why}", {"why": why or Text("the keeper of {path} did not start", {"path": log})})
                )
        waiting.sleep(_AGAIN_S)  # the one that has the log is ending, or about to listen


def rejoin(log: str | os.PathLike[str], game: int, times: Json) -> Link:
    """Return :func:`join`'s connection when a game is open there, as it was when its keeper died.

    ``times``: what that keeper said of it in ``list``, or when it opened it. Raise :class:`KeeperError`.
    """
    link = join(log)
    try:
        link.call("resume", {"game": game, "table": times})
    except BaseException:
        link.close()
        raise
    return link
