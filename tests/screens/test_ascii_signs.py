"""Texts and boards where the terminal shows ASCII alone."""

from __future__ import annotations

from io import BytesIO, TextIOWrapper

import pytest
from rich.cells import cell_len

from tablier.games.core.drawing import ASCII_SIGNS, LAST
from tablier.screens.signs import in_ascii, write_ascii


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("keep none … or play Q+2 J+1 …", "keep none ~ or play Q+2 J+1 ~"),
        ("place ▸ red", "place > red"),
        ("↵ keep none", "= keep none"),
        ("↑ ↓ choose · Esc", "^ v choose . Esc"),
        (" Dicke Dämonen · game 1     F1", " Dicke Daemonen . game 1    F1"),
        ("\x1b[1mDicke Dämonen  \x1b[0mÉric", "\x1b[1mDicke Daemonen \x1b[0mEric"),
        ("Jörg  1\nŁukasz  2", "Joerg 1\nLukasz  2"),
        ("Jörg 1", "Jorg 1"),
    ],
)
def test_a_text_in_ascii_cannot_be_misread(text: str, shown: str) -> None:
    assert in_ascii(text) == shown and cell_len(text) == cell_len(shown)


def test_a_printed_line_may_be_longer_in_ascii() -> None:
    out = TextIOWrapper(BytesIO(), encoding="utf-8")
    write_ascii(out)
    out.write(f"Dicke Dämonen, game 1: Jörg\nJörg> \n{'ö' * 79}\n")
    out.flush()
    assert out.buffer.getvalue().decode("ascii") == f"Dicke Daemonen, game 1: Joerg\nJoerg> \n{'o' * 79}\n"


def test_a_sign_of_a_board_is_not_that_of_another_one() -> None:
    assert LAST.translate(ASCII_SIGNS) != "▶".translate(ASCII_SIGNS)
    assert in_ascii(f"▶ Anne … {LAST}".translate(ASCII_SIGNS)) == "> Anne ~ !", "a board comes in its own signs"
