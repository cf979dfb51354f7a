"""Drawings as elements of pages, with their text for who does not see them, and the style of their colours."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any
from xml.etree import ElementTree

from tablier.games import GAMES, BrokenGame, drawing_of, game_class, words_of
from tablier.games.core import Move, Rules
from tablier.games.core.drawing import SEATS, SEATS_DARK, Note, Surface, plain
from tablier.html.elements import Markup, tag
from tablier.screens import drawn
from tablier.texts import Json, render


def draw(
    rules: Rules[Any], view: Json, names: Sequence[str], last: Move | None, surface: Surface = Surface.PAPER
) -> str:
    """Return a board as SVG, the parts that show the last move of a seat in the class ``last``."""
    return ElementTree.tostring(drawn.draw(rules, view, names, last, surface), encoding="unicode")


def beside(rules: Rules[Any], view: Json, names: Sequence[str]) -> Sequence[Note]:
    """Return what stands beside a board that is drawn for a phone."""
    lines = drawing_of(rules.name).beside
    return () if lines is None else lines(rules, view, [plain(name) for name in names])


def read(rules: Rules[Any], view: Json, names: Sequence[str]) -> str:
    """Return a board in words, a line for each sentence, for who hears it."""
    drawing = drawing_of(rules.name)
    if drawing.spoken is None:
        return drawing.board(rules, view, names).plain
    return "\n".join(render(each) for each in drawing.spoken(rules, view, [plain(name) for name in names]))


def with_reading(picture: str, said: str) -> Markup:
    """Return a board as an element of a page, with its text for who does not see it. The game's drawing escapes what
    it holds."""
    text = tag("div", class_="reading", role="img", aria_label=said)
    return tag("div", Markup(picture.replace("<svg ", '<svg aria-hidden="true" ', 1)), text, class_="board")


def draw_hand(rules: Rules[Any], view: Json, names: Sequence[str], seat: int) -> str | None:
    """Return what a seat has before it as SVG; ``None`` where the board has it all."""
    hand = drawing_of(rules.name).hand
    if hand is None:
        return None
    return ElementTree.tostring(drawn.named(rules, hand(rules, view, names, seat)), encoding="unicode")


def cards_of(rules: Rules[Any], view: Json, seat: int) -> list[int]:
    """Return the cards that a seat holds, where its game has cards that are thrown and all may know them."""
    cards = drawing_of(rules.name).cards
    return [] if cards is None else list(cards(view, seat))


def load() -> None:
    """Import what boards are drawn with, so that no game's first move waits for it."""
    for name in GAMES:
        with suppress(BrokenGame):
            game_class(name)
            words_of(name)
            drawing_of(name)


def style() -> str:
    """Return a style sheet: the colours of seats (``--seat-1`` …, and ``--seat`` of a card, which is light in the dark
    too), and those of all games' drawings in the dark."""
    rules = [f"  {_seats(SEATS_DARK.values())}", *(rule for game in GAMES for rule in _rules(game))]
    cards = [f".seat{number} {{ --seat: {colour}; }}" for number, colour in enumerate(SEATS, 1)]
    return "\n".join((_seats(SEATS), *cards, "@media screen and (prefers-color-scheme: dark) {", *rules, "}", ""))


def _seats(colours: Iterable[str]) -> str:
    """Return the rule that names a colour for each seat."""
    return f":root {{ {' '.join(f'--seat-{number}: {colour};' for number, colour in enumerate(colours, 1))} }}"


def _rules(game: str) -> list[str]:
    try:
        return [f"  {rule}" for rule in drawn.dark_rules(game)]
    except BrokenGame:  # a game that cannot be loaded is not shown either
        return []


__all__ = ["beside", "cards_of", "draw", "draw_hand", "load", "read", "style", "with_reading"]
