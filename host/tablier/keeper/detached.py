"""Programs beside a log that outlive their parents: how they are started, and how they say that they are ready."""

from __future__ import annotations

import os
import select
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from tablier.keeper.address import complaints_of

_START_S = 20.0
"""The seconds that a program may take to start."""


def launch(
    program: Sequence[str], log: str | os.PathLike[str], complaints: str, environment: Mapping[str, str] | None = None
) -> str:
    """Start a program for a log, and return the line that it says first; empty where it says nothing.

    :param program: the words after Python's own name.
    :param complaints: the suffix of the file in the keeper's folder that takes its standard error.
    :param environment: variables that it has unless they are set here.
    """
    with complaints_of(log, complaints).open("ab") as errors:  # a pipe would wait for its end
        started = subprocess.Popen(
            [sys.executable, *program, str(Path(log).absolute())],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
            start_new_session=True,
            env={**(environment or {}), **os.environ},
        )
    assert started.stdout is not None
    with started.stdout:
        ready, _, _ = select.select([started.stdout], [], [], _START_S)
        said = started.stdout.readline().decode("utf-8", "replace").strip() if ready else ""
    started.wait()
    return said


def detach() -> None:
    """Go on in a child: the parent process neither waits for it nor leaves an orphan."""
    if os.fork():
        os._exit(0)


def say(text: str) -> None:
    """Say a line to :func:`launch`, and nothing after it. It may have ended meanwhile: others can still come."""
    with suppress(BrokenPipeError):
        sys.stdout.write(text + "\n")
        sys.stdout.flush()
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
