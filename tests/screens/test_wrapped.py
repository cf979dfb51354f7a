"""Texts in lines of a screen."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from tablier.screens.paper import wrapped

WORDS = st.lists(st.text(st.sampled_from("ab/…é日本"), min_size=1, max_size=30), min_size=1, max_size=12)


@given(WORDS, st.integers(4, 40))
def test_nothing_of_a_text_is_lost_and_no_line_too_long(words: list[str], width: int) -> None:
    lines = wrapped(" ".join(words), width, "· ", "  ")
    assert all(cell_len(line) <= width for line in lines)
    assert lines[0].startswith("· ") and all(line.startswith("  ") for line in lines[1:])
    assert "".join(line[2:] for line in lines).replace(" ", "") == "".join(words)


@given(WORDS, st.integers(62, 80))
def test_words_that_fit_a_line_are_whole(words: list[str], width: int) -> None:
    lines = wrapped(" ".join(words), width, "· ", "  ")
    assert " ".join(line[2:] for line in lines) == " ".join(words)


def test_the_name_of_a_file_goes_on_in_the_next_line() -> None:
    assert wrapped("logged in /home/zoe/games/tablier.db", 16, rest="  ") == [
        "logged in",
        "  /home/zoe/game",
        "  s/tablier.db",
    ]
