"""A trace of what a keeper does, for an operator who looks for a fault: who asked for what, and how long it took.

Off, unless the environment variable :data:`TRACE` is set, or ``tablier keeper --trace``. It names methods, kinds of
entries, events and times, and never what they hold: a trace may be shown to anybody.
"""

from __future__ import annotations

import logging
import os

TRACE = "TABLIER_TRACE"
"""The environment variable that switches the trace on, with any value but 0."""


def start_trace(*, asked: bool = False) -> None:
    """Write the trace to standard error from now on, if it is ``asked`` for here or by the environment."""
    if asked or os.environ.get(TRACE, "0") not in ("", "0"):
        handler = logging.StreamHandler()
        handler.setFormatter(logging.Formatter("%(asctime)s %(name)s: %(message)s"))
        trace = logging.getLogger("tablier")
        trace.addHandler(handler)
        trace.setLevel(logging.DEBUG)
        trace.propagate = False


def tracer(room: str) -> logging.Logger:
    """Return what a room of the house traces with."""
    return logging.getLogger(f"tablier.{room}")


__all__ = ["TRACE", "start_trace", "tracer"]
