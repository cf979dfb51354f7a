"""Drawings for readers: the last move marked, dark where the reader's screen is.

A drawing is light by itself. In the dark, screens put other colours in place of its own (``Drawing.dark``), by rules
of a style sheet that are made here; a game that names none stays as light as paper.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from xml.etree import ElementTree

from tablier.games import drawing_of, words_of
from tablier.games.core import Move, Rules
from tablier.games.core.drawing import Surface
from tablier.games.core.parts import PartError, called
from tablier.games.core.questions import bare
from tablier.texts import Json

ElementTree.register_namespace("", "http://www.w3.org/2000/svg")

MARK = '.last > [opacity="0"]:first-child'
"""Selects what is drawn where a part shows the last move."""


def draw(
    rules: Rules[Any], view: Json, names: Sequence[str], last: Move | None, surface: Surface = Surface.PAPER
) -> ElementTree.Element:
    """Return a board as SVG, the parts that show the last move of a seat in the class ``last``."""
    root = named(rules, drawing_of(rules.name).svg(rules, view, names, surface))
    shown = set() if last is None else set(_shown(rules, view, last))
    for part in root.iter() if shown else ():
        if part.get("data-part") in shown:
            part.set("class", "last")
    return root


def named(rules: Rules[Any], drawn: str) -> ElementTree.Element:
    """Return a drawing that names its game, for :func:`dark_rules`."""
    root = ElementTree.fromstring(drawn)
    root.set("data-game", rules.name)
    return root


def _shown(rules: Rules[Any], view: Json, last: Move) -> list[str]:
    """Return the parts of a board that show a seat's last move."""
    of = drawing_of(rules.name).last
    try:
        if of is not None:
            return list(called(rules.name, "drawing", "last", lambda: of(rules, view, last)))
        words = words_of(rules.name)
        groups = called(rules.name, "words", "parts", lambda: words.parts_of(rules, last.actor, bare(last)))
        return [part for group in groups for part in group]
    except PartError:
        return []


def dark_rules(game: str) -> list[str]:
    """Return the rules of a style sheet that give a game's drawings their colours in the dark. Raise ``BrokenGame``."""
    rules = []
    for key, colour in drawing_of(game).dark.items():
        what, _, light = key.rpartition(" ")
        places = {"": ("[fill={}]", "[stroke={}]"), "text": ("text[fill={}]",), "edge": ("[stroke={}]",)}[what]
        for place, name in zip(places, ("stroke",) if what == "edge" else ("fill", "stroke"), strict=False):
            rules.append(f'[data-game="{game}"] {place.format(chr(34) + light + chr(34))} {{ {name}: {colour}; }}')
    return rules


__all__ = ["MARK", "dark_rules", "draw", "named"]
