"""Pure rules of the games: no input or output, no clock, no randomness.

:func:`rules_of` is the way in; a game's module is imported when its rules are first asked for.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from tablier.games.core import OptionError, Rules, shown

GAMES = {
    "dilemma": "tablier.games.dilemma:Dilemma",
    "dicke-daemonen": "tablier.games.daemonen:Daemonen",
    "struggle": "tablier.games.struggle:Struggle",
    "roudalon": "tablier.games.roudalon:Roudalon",
    "d21": "tablier.games.d21:D21",
}
"""Each game's name in a record, and where its rules are."""


def game_class(name: str) -> type[Rules[Any]]:
    """The rules class of a game. Raises :class:`OptionError` for a name that is no game."""
    try:
        module, attribute = GAMES[name].split(":")
    except (KeyError, TypeError):
        raise OptionError(f"there is no game {shown(name)}; the games: {', '.join(GAMES)}") from None
    cls: type[Rules[Any]] = getattr(import_module(module), attribute)
    return cls


def module_name(name: str) -> str:
    """The last part of the name of a game's module, under which other packages keep what they have for the game."""
    return GAMES[name].partition(":")[0].rpartition(".")[2]


def rules_of(name: str, seats: int, options: Mapping[str, Any] | None = None) -> Rules[Any]:
    """The rules of a game for so many seats. Raises :class:`OptionError`."""
    return game_class(name)(seats, options)
