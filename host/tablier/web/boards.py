"""Drawings as pages show them: the last move marked, dark where the reader's screen is.

A drawing is light by itself. In the dark, pages put other colours in place of its own (``Drawing.dark``), by a style
that is made here; a game that names none stays as light as paper.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any
from xml.etree import ElementTree

from tablier.games import GAMES, BrokenGame, drawing_of, game_class, words_of
from tablier.games.core import Move, Rules
from tablier.games.core.drawing import plain
from tablier.games.core.parts import PartError, called
from tablier.games.core.questions import bare
from tablier.texts import Json, render
from tablier.web.html import Markup, tag

ElementTree.register_namespace("", "http://www.w3.org/2000/svg")


def draw(rules: Rules[Any], view: Json, names: Sequence[str], last: Move | None) -> str:
    """Return a board as SVG, the parts that show the last move of a seat in the class ``last``."""
    root = _of(rules, drawing_of(rules.name).svg(rules, view, names))
    shown = set() if last is None else set(_shown(rules, view, last))
    for part in root.iter() if shown else ():
        if part.get("data-part") in shown:
            part.set("class", "last")
    return ElementTree.tostring(root, encoding="unicode")


def read(rules: Rules[Any], view: Json, names: Sequence[str]) -> str:
    """Return a board in words, a line for each sentence, for who hears it."""
    drawing = drawing_of(rules.name)
    if drawing.spoken is None:
        return drawing.board(rules, view, names).plain
    return "\n".join(render(each) for each in drawing.spoken(rules, view, [plain(name) for name in names]))


def with_reading(drawn: str, said: str) -> Markup:
    """Return a board as an element of a page, with its text for who does not see it. The game's drawing escapes what
    it holds."""
    text = tag("div", class_="reading", role="img", aria_label=said)
    return tag("div", Markup(drawn.replace("<svg ", '<svg aria-hidden="true" ', 1)), text, class_="board")


def draw_hand(rules: Rules[Any], view: Json, names: Sequence[str], seat: int) -> str | None:
    """Return what a seat has before it as SVG; ``None`` where the board has it all."""
    hand = drawing_of(rules.name).hand
    return (
        None if hand is None else ElementTree.tostring(_of(rules, hand(rules, view, names, seat)), encoding="unicode")
    )


def _of(rules: Rules[Any], drawn: str) -> ElementTree.Element:
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


def load() -> None:
    """Import what boards are drawn with, so that no game's first move waits for it."""
    for name in GAMES:
        with suppress(BrokenGame):
            game_class(name)
            words_of(name)
            drawing_of(name)


def style() -> str:
    """Return a style sheet: the colours of all games' drawings in the dark."""
    rules = [rule for game in GAMES for rule in _rules(game)]
    return "\n".join(("@media screen and (prefers-color-scheme: dark) {", *rules, "}", ""))


def _rules(game: str) -> list[str]:
    try:
        dark = drawing_of(game).dark
    except BrokenGame:  # a game that cannot be loaded is not shown either
        return []
    rules = []
    for key, colour in dark.items():
        what, _, light = key.rpartition(" ")
        places = {"": ("[fill={}]", "[stroke={}]"), "text": ("text[fill={}]",), "edge": ("[stroke={}]",)}[what]
        for place, name in zip(places, ("stroke",) if what == "edge" else ("fill", "stroke"), strict=False):
            rules.append(f'  [data-game="{game}"] {place.format(chr(34) + light + chr(34))} {{ {name}: {colour}; }}')
    return rules


__all__ = ["draw", "draw_hand", "load", "read", "style", "with_reading"]
