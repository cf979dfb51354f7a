"""A process in which ``tablier archive`` adds or takes out, and what befalls it on the way.

Its interpreter is a copy of one that has all modules loaded: so what is killed is an add, not the import of modules.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from multiprocessing.connection import wait
from multiprocessing.context import ForkServerContext
from pathlib import Path
from time import monotonic
from typing import Any, NamedTuple

import psycopg
from sqlalchemy import Engine, event
from sqlalchemy.pool import Pool

from tablier.cli import start

PEACE, KILL, KILL_AT, CUT_AT, INTERRUPT = "in peace", "killed", "killed at a statement", "cut at a statement", "Ctrl-C"
INTERRUPTED_S = 2.0
"""The seconds within which a client has to end after Ctrl-C."""
_PATIENCE_S = 300.0
_CUT_S = 5
_ASK_S = 0.05
_LOCK = threading.Lock()
"""Held where multiprocessing asks how a process has ended. It asks about all of them whenever one begins."""


class Deed(NamedTuple):
    """What befalls a client."""

    what: str = PEACE
    at: float = 0.0
    """After how many seconds, or before which statement."""


class Ended(NamedTuple):
    """How a client ended."""

    status: int | None
    """The exit status, negative for a signal; None for one that did not end."""
    out: str
    err: str


class Client:
    """A client that runs."""

    def __init__(self, words: Sequence[str], said: Path, deed: Deed = Deed()) -> None:  # noqa: B008
        self.deed = deed
        self.begun = _CONTEXT.Event()
        """Set before the first statement: of SQLite it takes the lock of those who write."""
        self.hung = False
        """True if it did not end at Ctrl-C."""
        self._said = said
        self._process = _CONTEXT.Process(target=_run, args=(list(words), str(said), deed, self.begun), daemon=True)
        with _LOCK:
            self._process.start()
        self.began = monotonic()

    def live(self) -> Ended:
        """Do the deed if it is one that is done from outside, at its time, and wait for the end."""
        if self.deed.what in (KILL, INTERRUPT):
            self.has_ended(self.began + self.deed.at - monotonic())
            if self.deed.what == KILL:
                self._process.kill()
            else:
                self.interrupt()
        return self.ended()

    def interrupt(self) -> None:
        """Press Ctrl-C, once the program has begun."""
        while not self.begun.wait(_ASK_S) and not self.has_ended(0):
            pass
        assert self._process.pid
        with suppress(ProcessLookupError):
            os.kill(self._process.pid, signal.SIGINT)
        self.hung = not self.has_ended(INTERRUPTED_S)

    def ended(self) -> Ended:
        """Wait for its end; kill it when that does not come."""
        status = self._process.exitcode if self.has_ended(_PATIENCE_S) else None
        if status is None:
            self._process.kill()
            self.has_ended(_PATIENCE_S)
        return Ended(status, *(_read(self._said.with_suffix(suffix)) for suffix in (".out", ".err")))

    def has_ended(self, seconds: float) -> bool:
        """Wait some seconds for its end; return True when it has come."""
        if not wait([self._process.sentinel], max(0.0, seconds)):
            return False
        with _LOCK:
            self._process.join()
        return True


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.exists() else ""


def _run(words: list[str], said: str, deed: Deed, begun: Any) -> None:
    # A shell without job control has what runs beside it ignore Ctrl-C, and so would a client of a campaign there.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.argv = ["tablier", *words]
    _Befalling(deed, begun)
    for number, suffix in ((1, ".out"), (2, ".err")):
        file = os.open(said + suffix, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        os.dup2(file, number)
        os.close(file)
    sys.exit(start.main())


class _Befalling:
    """Does what is done at a statement: counts statements, commits, and connections that are given back."""

    def __init__(self, deed: Deed, begun: Any) -> None:
        self._deed = deed
        self._count = 0
        self._begun = begun
        event.listen(Engine, "before_cursor_execute", self._before)
        event.listen(Engine, "commit", lambda connection: self._step(connection.connection.dbapi_connection))
        event.listen(Pool, "checkin", lambda connection, record: self._step(connection))

    def _before(self, connection: Any, *others: Any) -> None:
        self._begun.set()
        self._step(connection.connection.dbapi_connection)

    def _step(self, connection: Any) -> None:
        self._count += 1
        if self._count != self._deed.at:
            return
        if self._deed.what == KILL_AT:
            os.kill(os.getpid(), signal.SIGKILL)
        if self._deed.what == CUT_AT and isinstance(connection, psycopg.Connection) and not connection.closed:
            info = connection.info
            with suppress(psycopg.Error), psycopg.connect(info.dsn, autocommit=True) as other:
                other.execute("SELECT pg_terminate_backend(%s, %s)", [info.backend_pid, _CUT_S * 1000])


_LOADED = [
    *(
        "psycopg",
        "sqlalchemy.dialects.postgresql.psycopg",
        "tablier.cli.main",
        "tablier.cli.archive",
    ),
    *("tablier.archive.logs", "tablier.archive.correcting", "tablier.games.d21.facts", "tablier.games.daemonen.facts"),
]
"""Modules that are found wherever this one is imported from."""
_CONTEXT: ForkServerContext = multiprocessing.get_context("forkserver")
_CONTEXT.set_forkserver_preload(_LOADED)

__all__ = ["CUT_AT", "INTERRUPT", "INTERRUPTED_S", "KILL", "KILL_AT", "PEACE", "Client", "Deed", "Ended"]
