"""The base of all parts of a game: a dataclass a part, whose defaults are what a game without it has.

A name that the dataclass does not have, or a value of another kind than the default's, is an error when the game's
module is imported.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import MISSING, dataclass, fields
from pathlib import Path
from typing import TypeVar

from tablier.games.core import Move, shown
from tablier.texts import Failure, Text, clauses

R = TypeVar("R")


class PartError(Failure):
    """A part of a game has failed in a game; the text names the game, the module, the function and what it did."""


def left_by(error: SystemExit) -> Text:
    """Return what to say of a game that has called :func:`sys.exit`."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    module = "somebody" if trace is None else str(trace.tb_frame.f_globals.get("__name__"))
    return Text("{module} has called sys.exit({code}): a game must not", {"module": module, "code": repr(error.code)})


def called(game: str, module: str, name: str, function: Callable[[], R]) -> R:
    """Return what a function of a game's part returns. Raise :class:`PartError` if it raises anything."""
    try:
        return function()
    except PartError:
        raise
    except Exception as error:
        trace = error.__traceback__
        assert trace is not None
        while trace.tb_next is not None:
            trace = trace.tb_next
        raise PartError(
            "{game}, {module}.py: {function} raised {kind}: {why} ({file}, line {line})",
            game=game,
            module=module,
            function=name,
            kind=type(error).__name__,
            why=" ".join(str(error).split())[:200],
            file=Path(trace.tb_frame.f_code.co_filename).name,
            line=trace.tb_lineno,
        ) from error


def one_of(game: str, module: str, name: str, said: R, allowed: Collection[R], tell: Callable[[R], str] = shown) -> R:
    """Return what a function of a game's part has returned. Raise :class:`PartError` unless it is one of ``allowed``,
    which ``tell`` writes out."""
    if said in allowed:
        return said
    raise PartError(
        "{game}, {module}.py: {function} returned {said}; allowed: {allowed}",
        game=game,
        module=module,
        function=name,
        said=repr(str(said)) if isinstance(said, Move) else shown(said),
        allowed=clauses([tell(each) for each in allowed], 12),
    )


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


__all__ = ["Part", "PartError", "called", "one_of"]
