"""Boards in the dark: a page has other colours in place of a drawing's own; a file with the drawing stays light."""

from __future__ import annotations

from itertools import islice

import pytest

from draw.random_games import NAMES, positions
from tablier.games import GAMES, drawing_of
from tablier.games.core.drawing import GROUND
from tablier.html.boards import draw, draw_hand, style


@pytest.mark.parametrize("game", GAMES)
def test_a_page_darkens_a_drawing_and_a_file_stays_light(game: str) -> None:
    dark = drawing_of(game).dark
    for position in islice(positions(game, 1), 12):
        rules, names = position.rules, NAMES[: position.rules.seats]
        view = rules.view(position.state, None)
        board = draw(rules, view, names, None)
        assert f'data-game="{game}"' in board[: board.index(">")]
        drawn = drawing_of(game).svg(rules, view, names)
        assert f'fill="{GROUND}"' in drawn and "data-game" not in drawn and "var(" not in drawn
        hand = draw_hand(rules, rules.view(position.state, 1), names, 1)
        assert hand is None or f'data-game="{game}"' in hand
    assert f'[data-game="{game}"] [fill="{GROUND}"] {{ fill: {dark[GROUND]}; }}' in style()


def test_colours_change_on_screens_that_are_dark_alone() -> None:
    light, media, _ = style().partition("@media screen and (prefers-color-scheme: dark) {\n")
    assert media and "data-game" not in light
