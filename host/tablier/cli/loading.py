"""How modules are imported that a command needs."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

_lock = Lock()
_loads = 0
"""The number of blocks that load modules now, in all threads, those inside each other too."""


@contextmanager
def loading() -> Iterator[None]:
    """Look for no garbage while modules are imported: all that they make stays."""
    global _loads
    with _lock:
        _loads += 1
        gc.disable()
    try:
        yield
    finally:
        with _lock:
            _loads -= 1
            if not _loads:
                gc.freeze()
                gc.enable()
