"""Texts and boards where the terminal shows ASCII alone."""

from __future__ import annotations

import pytest
from rich.cells import cell_len

from tablier.games.core.drawing import ASCII_SIGNS, LAST
from tablier.screens.signs import in_ascii


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("keep none … or play Q+2 J+1 …", "keep none ~ or play Q+2 J+1 ~"),
        ("place ▸ red", "place > red"),
        ("↵ keep none", "= keep none"),
        ("↑ ↓ choose · Esc", "^ v choose . Esc"),
    ],
)
def test_a_text_in_ascii_cannot_be_misread(text: str, shown: str) -> None:
    assert in_ascii(text) == shown and cell_len(text) == cell_len(shown)


def test_a_sign_of_a_board_is_not_that_of_another_one() -> None:
    assert LAST.translate(ASCII_SIGNS) != "▶".translate(ASCII_SIGNS)
    assert in_ascii(f"▶ Anne … {LAST}".translate(ASCII_SIGNS)) == "> Anne ~ !", "a board comes in its own signs"
