"""Programs beside a log that outlive their parents: how they are started, and how they say that they are ready."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO

from tablier import waiting
from tablier.keeper.address import WAITS, complaints_of
from tablier.texts import Text

_START_S = 20.0
"""The seconds that a program may take to start, unless it says what it waits for."""
_TELL_S = 0.25
"""The seconds after which somebody wants to know what they wait for."""


def launch(
    program: Sequence[str],
    log: str | os.PathLike[str],
    complaints: str,
    environment: Mapping[str, str] | None = None,
    tell: Callable[[Text], object] = lambda text: None,
) -> str:
    """Start a program for a log, and return the line that it says; empty where it says nothing.

    :param program: the words after Python's own name.
    :param complaints: the suffix of the file in the keeper's folder that takes its standard error.
    :param environment: variables that it has unless they are set here.
    :param tell: called with what it waits for, when that takes some time.
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
        said = _await(started.stdout, log, tell)
    started.wait()
    return said


def _await(program: IO[bytes], log: str | os.PathLike[str], tell: Callable[[Text], object]) -> str:
    """Return the first line of a program that does not say what it waits for."""
    ends: float | None = waiting.now() + _START_S
    if not waiting.wait([program], (), _TELL_S):
        tell(Text("Opening {path} …", {"path": log}))
    while waiting.wait([program], (), math.inf if ends is None else max(0.0, ends - waiting.now())):
        said = program.readline().decode("utf-8", "replace").strip()
        word, _, what = said.partition(" ")
        if word != WAITS:
            return said
        tell(Text("{what}", {"what": what}))
        ends = None  # it says when it is done
    return ""


def detach() -> None:
    """Go on in a child: the parent process neither waits for it nor leaves an orphan."""
    if os.fork():
        os._exit(0)


def say(text: str, *, last: bool = True) -> None:
    """Say a line to :func:`launch`, and nothing after the ``last``. It may have ended meanwhile: others can still
    come."""
    with suppress(BrokenPipeError):
        sys.stdout.write(text + "\n")
        sys.stdout.flush()
    if not last:
        return
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
