"""Choose the share of a campaign: a sample in ``make test``, the whole in ``make thorough``."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TypeVar

import pytest

T = TypeVar("T")

THOROUGH = os.environ.get("TABLIER_THOROUGH") == "1"
thorough = pytest.mark.thorough
"""Marks a test that takes long for what it finds: ``make test`` leaves it out; others hold its promises by less."""


def sample(some: T, whole: T) -> T:
    """Return ``some`` in ``make test`` and ``whole`` in ``make thorough``."""
    return whole if THOROUGH else some


def each(step: int, whole: Iterable[T]) -> list[T]:
    """Return every ``step``-th of a list in ``make test`` and all in ``make thorough``."""
    return list(whole)[:: sample(step, 1)]
