"""Say of which kind a value is, to tests and to the checker of types alike."""

from __future__ import annotations

from typing import TypeVar

T = TypeVar("T")


def of_kind(kind: type[T], value: object) -> T:
    """Return a value that is of this kind; fail otherwise."""
    assert isinstance(value, kind), value
    return value
