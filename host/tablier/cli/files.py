"""Write a command's output files as a whole, or not at all with an error; overwrite none unasked."""

from __future__ import annotations

import argparse
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import TextIO

from tablier.cli.common import CommandError, path_name


def add_force_option(parser: argparse.ArgumentParser) -> None:
    """Add ``--force``, for commands that write files."""
    parser.add_argument("--force", action="store_true", help="overwrite a file that is there already")


def check_writable(*paths: str | None, force: bool) -> None:
    """Raise :class:`CommandError` for the first path that cannot be written; skip ``None``.

    A command that writes several files calls this before it writes the first. ``force``: a file may be overwritten.
    """
    for path in paths:
        if path is None:
            continue
        with _explained(path):
            if Path(path).is_dir():
                raise IsADirectoryError(None, "Is a directory")
            if not Path(path).parent.is_dir():
                raise FileNotFoundError(None, "No such folder")
            if not force and Path(path).is_file():
                raise FileExistsError


def write_text(path: str, text: str, *, force: bool) -> None:
    """Write a file. Raise :class:`CommandError` if it cannot be written, or is there and ``force`` is not set."""
    with whole_file(path, force=force) as file:
        file.write(text)


@contextmanager
def whole_file(path: str, *, force: bool) -> Iterator[TextIO]:
    """Yield a file to be written step by step: complete if the block ends normally, else nothing changes."""
    check_writable(path, force=force)
    with _explained(path):
        out = Path(os.path.realpath(path))  # a link stays one
        plain = out.is_file() or not out.exists()  # else a pipe or a device, which takes what comes
        new = out.with_name(f".{out.name}.{os.getpid()}.part") if plain else out
        file = new.open("x" if plain else "w", encoding="utf-8", newline="\n")
    try:
        with file, _removed_by_signals(new if plain else None):
            yield file
        if plain:
            from tablier.log.files import give_name

            with _explained(path):
                give_name(new, out, replace=force)
    except BaseException:
        if plain:
            with suppress(OSError):
                new.unlink()
        raise


@contextmanager
def _removed_by_signals(part: Path | None) -> Iterator[None]:
    """Remove the unfinished file when a signal ends the program."""
    mine = os.getpid()  # not that of a process which is begun meanwhile, and ends by the same signals

    def end(number: int, frame: FrameType | None) -> None:
        if part is not None and os.getpid() == mine:
            with suppress(OSError):
                part.unlink()
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, end) for number in (signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def add_picture_option(parser: argparse.ArgumentParser) -> None:
    """Add ``--svg``, the file to which a picture is written."""
    parser.add_argument("--svg", metavar="OUT", type=path_name, help="also write a picture to this file")


@contextmanager
def _explained(path: str) -> Iterator[None]:
    try:
        yield
    except FileExistsError:
        from tablier.log.files import THERE_ALREADY

        raise CommandError(THERE_ALREADY.of(path=path)) from None
    except (OSError, ValueError) as error:
        raise CommandError("{path}: {why}", path=path, why=getattr(error, "strerror", None) or error) from None
