"""The games as sequences of numbered actions, the form that programs for learning and search expect.

Each game has a module here, of the same name as that of its rules. :func:`form_of` is the way in.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from importlib import import_module
from typing import Any

from tablier.adapters.forms.core import Form
from tablier.games import game_class, module_name
from tablier.games.core import Json, OptionError, shown


def form_of(
    name: str,
    seats: int,
    options: Mapping[str, Any] | None = None,
    start: Json | None = None,
    **more: Any,
) -> Form[Any]:
    """The form of a game for so many seats; equal arguments give the same object.

    ``start`` is the description of a position (:meth:`tablier.games.core.Rules.describe`) from which to play instead
    of the beginning. ``more`` are arguments of the form itself: Dilemma takes ``landing``. Raises ``RulesError``.
    """
    return _made(json.dumps([name, seats, dict(options or {}), start, more]))


@lru_cache(maxsize=64)
def _made(arguments: str) -> Form[Any]:
    name, seats, options, start, more = json.loads(arguments)
    game = game_class(name)
    cls: type[Form[Any]] = getattr(import_module(f"{__name__}.{module_name(name)}"), f"{game.__name__}Form")
    if unknown := set(more) - set(cls.EXTRAS):
        known = ", ".join(cls.EXTRAS) or "none"
        raise OptionError(f"the form of {name} takes nothing called {shown(min(unknown))}; its own arguments: {known}")
    form = cls(game(seats, options), start, **more)
    form.key = arguments
    return form


def form_again(key: str) -> Form[Any]:
    """The form whose :attr:`Form.key` this is; for copies and pickles."""
    return _made(key)
