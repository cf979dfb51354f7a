"""Interrupts that come where Python loses an exception: in a function that C calls, as a hook of readline or SQLite."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from types import CodeType, FrameType
from typing import TypeVar

F = TypeVar("F", bound=Callable[..., object])

_AGAIN_S = 0.01
_called_by_c: set[CodeType] = set()


def called_by_c(function: F) -> F:
    """Decorate a function whose exceptions nobody sees, because C calls it."""
    _called_by_c.add(function.__code__)
    return function


def postpone(number: int, frame: FrameType | None) -> bool:
    """Return whether a signal came in a function that C calls. Then it comes again in a moment."""
    while frame is not None and frame.f_code not in _called_by_c:
        frame = frame.f_back
    if frame is None:
        return False
    from tablier import waiting  # not at each start

    thread = threading.get_ident()

    def again() -> None:
        waiting.sleep(_AGAIN_S)
        signal.pthread_kill(thread, number)  # it also ends a wait in C, which would have the handler wait, too

    waiting.beside(again, "interrupt")
    return True


def interrupt(number: int, frame: FrameType | None) -> None:
    """Take SIGINT: raise ``KeyboardInterrupt`` where it is not lost."""
    if not postpone(number, frame):
        raise KeyboardInterrupt


__all__ = ["called_by_c", "interrupt", "postpone"]
