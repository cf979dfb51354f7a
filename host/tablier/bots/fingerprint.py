"""What tells one state of this program's code from another: version numbers stay the same while files change.

It covers Tablier, the firmware's sources and the packages of games from elsewhere.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import cache
from hashlib import blake2b
from importlib.util import find_spec

from tablier.games import GAMES
from tablier.texts import Failure, Text

_OWN = ("tablier", "tablier_fw")
_KINDS = (".py", ".json")
"""The kinds of files that rules consist of: not pages, styles and documents, which a server serves all of one state."""
_BYTES = 16


@cache
def fingerprint() -> str:
    """Return the fingerprint of the files as they were when this was first called, at the start of this process.

    It is of names, sizes and times, which takes two milliseconds where contents take twenty, so it holds between
    processes of one installation.
    """
    return _digest(_look)


def has_changed() -> bool:
    """Return True if the files are not as they were at the start of this process, which still runs that code."""
    return _digest(_look) != fingerprint()


class OldCode(Failure):
    """This process runs code whose files were replaced, so what it would start is other code than its own."""

    def __init__(self) -> None:
        text = Text(
            "Tablier's files were changed after this program (process {pid}) had started: end it and start it again;"
            " 'tablier keeper --end', with the --log of its log, ends a keeper",
            {"pid": os.getpid()},
        )
        super().__init__(text)


def check_unchanged() -> None:
    """Raise :class:`OldCode` where a process that is started from Tablier's files would not fit this one."""
    if has_changed():
        raise OldCode


@cache
def contents() -> str:
    """Return a fingerprint that is the same for the same code on any computer."""
    return _digest(_read)


def _look(entry: os.DirEntry[str]) -> bytes:
    found = entry.stat()
    return b"%d %d" % (found.st_size, found.st_mtime_ns)


def _read(entry: os.DirEntry[str]) -> bytes:
    with open(entry.path, "rb") as file:  # noqa: PTH123  # half the time of Path.read_bytes
        content = file.read()
    return b"%d %b" % (len(content), content)


def _digest(state_of: Callable[[os.DirEntry[str]], bytes]) -> str:
    digest = blake2b(digest_size=_BYTES)
    for package in _packages():
        for folder in _folders(package):
            for name, entry in _walk(folder, package):
                try:
                    state = state_of(entry)
                except OSError:
                    continue  # it has just been removed, or cannot be loaded either
                digest.update(name.encode("utf-8", "surrogateescape") + b" " + state + b"\n")
    return digest.hexdigest()


def _packages() -> list[str]:
    found = {module.partition(".")[0] for game in GAMES.values() for module in game.modules}
    return [*_OWN, *sorted(found.difference(_OWN))]


def _folders(package: str) -> list[str]:
    """The folders of a package; none where it is a single module."""
    try:
        spec = find_spec(package)
    except (ImportError, ValueError):
        return []
    return list((spec and spec.submodule_search_locations) or ())


def _walk(folder: str, inside: str) -> Iterator[tuple[str, os.DirEntry[str]]]:
    """Files by their names inside a package, in an order that depends on these alone."""
    try:
        with os.scandir(folder) as found:
            each = sorted(found, key=lambda entry: entry.name)
    except OSError:
        return
    for entry in each:
        name = f"{inside}/{entry.name}"
        if entry.is_dir(follow_symlinks=False):
            if entry.name != "__pycache__":
                yield from _walk(entry.path, name)
        elif entry.name.endswith(_KINDS):
            yield name, entry


__all__ = ["OldCode", "check_unchanged", "contents", "fingerprint", "has_changed"]
