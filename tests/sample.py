"""Choose the share of a campaign: a sample in ``make test``, the whole in ``make thorough``."""

from __future__ import annotations

import os
from typing import TypeVar

T = TypeVar("T")

THOROUGH = os.environ.get("TABLIER_THOROUGH") == "1"


def sample(some: T, whole: T) -> T:
    """Return ``some`` in ``make test`` and ``whole`` in ``make thorough``."""
    return whole if THOROUGH else some
