"""Write a command's output files as a whole, or not at all with an error."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TextIO

from tablier.cli.common import CommandError


def check_writable(*paths: str | None) -> None:
    """Raise :class:`CommandError` for the first path that cannot be written; skip ``None``.

    A command that writes several files calls this before it writes the first.
    """
    for path in paths:
        if path is None:
            continue
        with _explained(path):
            if Path(path).is_dir():
                raise IsADirectoryError(None, "Is a directory")
            if not Path(path).parent.is_dir():
                raise FileNotFoundError(None, "No such folder")


def write_text(path: str, text: str) -> None:
    """Write a file. Raise :class:`CommandError` if it cannot be written."""
    check_writable(path)
    with _explained(path):
        Path(path).write_text(text, encoding="utf-8", newline="\n")


@contextmanager
def whole_file(path: str) -> Iterator[TextIO]:
    """A file written step by step: complete if the block ends normally, else nothing changes."""
    check_writable(path)
    out = Path(path)
    with _explained(path):
        plain = out.is_file() or not out.exists()  # else a pipe or a device, which takes what comes
        new = out.with_name(f".{out.name}.{os.getpid()}.part") if plain else out
        file = new.open("x" if plain else "w", encoding="utf-8", newline="\n")
    try:
        with file:
            yield file
        if plain:
            new.replace(out)
    except BaseException:
        if plain:
            with suppress(OSError):
                new.unlink()
        raise


@contextmanager
def _explained(path: str) -> Iterator[None]:
    try:
        yield
    except (OSError, ValueError) as error:
        raise CommandError("{path}: {why}", path=path, why=getattr(error, "strerror", None) or error) from None
