"""Pictures of positions, in the terminal and as SVG.

A picture is made from a *view* (``Rules.view``), never from a state: what a view does not hold cannot be drawn, so a
picture for a seat or a spectator cannot show another's secret. Each game has a module here, of the same name, with

* ``text(rules, view, names) -> rich.text.Text``: a board for a terminal, at most 78 columns wide and 16 lines high;
* ``svg(rules, view, names) -> str``: an SVG document.

``names`` are the players' names by seat, first seat first. :func:`drawing_of` is the way in.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from tablier.games import module_name


def drawing_of(game: str) -> Any:
    """The module that draws a game."""
    return import_module(f"{__name__}.{module_name(game)}")
