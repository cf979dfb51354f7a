"""The base of all parts of a game: a dataclass a part, whose defaults are what a game without it has.

A name that the dataclass does not have, or a value of another kind than the default's, is an error when the game's
module is imported.
"""

from __future__ import annotations

from dataclasses import MISSING, dataclass, fields

from tablier.games.core import shown


@dataclass(frozen=True, kw_only=True)
class Part:
    """Checks what it is given. What has no default, or the default ``None``, is a function."""

    def __post_init__(self) -> None:
        for field in fields(self):
            given, default = getattr(self, field.name), field.default
            if field.default_factory is not MISSING:
                default = field.default_factory()
            if default in (MISSING, None) or callable(default):
                fits, kind = callable(given) or given is default, "a function"
            else:
                fits, kind = isinstance(given, type(default)), type(default).__name__
            if not fits:
                raise TypeError(f"{field.name} must be {kind}, not {shown(given)}")


__all__ = ["Part"]
