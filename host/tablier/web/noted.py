"""The note of where a log is served: a file beside the log, locked as long as that lasts. Its port stays in it: a log
is served there again, where phones look for it.

The operator's key goes to the addresses in it, so it counts only where nobody else can have written it.
"""

from __future__ import annotations

import fcntl
import os
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

from tablier import waiting
from tablier.log.files import Distrusted, beside, open_own
from tablier.texts import Failure

_ENDING_S, _AGAIN_S = 5.0, 0.05
"""The seconds that a server may take to end which has withdrawn its addresses, and how often it is looked for."""


_YIELDS = "yields "
"""Before the number of a process that makes room for another one."""


class WebError(Failure):
    """The pages cannot be served."""


def _open(log: Path, flags: int) -> int:
    return open_own(beside(Path(os.path.realpath(log)), "-web"), flags | os.O_RDWR)


def served_at(log: Path) -> list[str]:
    """Return the addresses at which a log is served now; none if it is not."""
    try:
        file = _open(log, 0)
    except (OSError, Distrusted):
        return []
    with os.fdopen(file, "r+") as note:
        try:
            fcntl.flock(note, fcntl.LOCK_SH | fcntl.LOCK_NB)  # who else looks now is not taken for a server
        except BlockingIOError:
            return _addresses(note.read())
    return []


def port_of(log: Path) -> int | None:
    """Return the port at which a log is or was served; ``None`` where it never was."""
    try:
        with os.fdopen(_open(log, 0), "r") as note:
            port = note.readline().strip()
    except (OSError, Distrusted):
        return None
    return int(port) if port.isascii() and port.isdigit() and 0 < int(port[:6]) < 65536 else None


def make_room(log: Path) -> None:
    """End a server that was started beside a screen, and is to make room for another one; wait until it has ended."""
    with suppress(OSError, Distrusted, ProcessLookupError), os.fdopen(_open(log, 0), "r+") as note:
        deadline, asked = waiting.now() + _ENDING_S, False
        while waiting.now() < deadline:
            try:
                fcntl.flock(note, fcntl.LOCK_SH | fcntl.LOCK_NB)
                return
            except BlockingIOError:
                note.seek(0)
                pids = [line.removeprefix(_YIELDS) for line in note.read().split("\n") if line.startswith(_YIELDS)]
                if not asked and not pids:
                    return
                if not asked:
                    os.kill(int(pids[0]), signal.SIGTERM)
                    asked = True
            waiting.sleep(_AGAIN_S)


def _addresses(text: str) -> list[str]:
    return [each for each in text.split() if "://" in each]


@contextmanager
def noted(log: Path, addresses: Sequence[str], *, yields: bool = False) -> Iterator[Callable[[], None]]:
    """Note where a log is served, for as long as that lasts, or until what is yielded withdraws the addresses.
    ``yields``: this process ends where another one is to serve the log (:func:`make_room`).

    Raise :class:`WebError` where it is served already, or nothing can be noted.
    """
    try:
        file = _open(log, os.O_CREAT)
    except (OSError, Distrusted) as error:
        why = error.why if isinstance(error, Distrusted) else error.strerror
        raise WebError("{path}: where its pages are cannot be noted beside it: {why}", path=log, why=why) from None
    with os.fdopen(file, "r+") as note:
        deadline = waiting.now() + _ENDING_S
        while True:
            try:
                fcntl.flock(note, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                note.seek(0)
                seen = _addresses(note.read())
                if seen or waiting.now() >= deadline:
                    address = seen[0] if seen else "?"
                    raise WebError(
                        "{path}: its pages are served already, at {address}", path=log, address=address
                    ) from None
            waiting.sleep(_AGAIN_S)

        def write(lines: Sequence[object]) -> None:
            note.seek(0)
            note.truncate(0)
            note.write("".join(f"{line}\n" for line in lines))
            note.flush()

        port = urlsplit(addresses[0]).port

        def withdraw() -> None:
            write([port])

        write([port, *addresses, *([f"{_YIELDS}{os.getpid()}"] if yields else [])])
        try:
            yield withdraw
        finally:
            withdraw()


__all__ = ["WebError", "make_room", "noted", "port_of", "served_at"]
