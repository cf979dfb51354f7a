"""How modules are imported that a command needs."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def loading() -> Iterator[None]:
    """Look for no garbage while modules are imported: all that they make stays."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
