"""Texts in lines of a screen."""

from __future__ import annotations

from unittest import mock

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from tablier.screens import paper
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


@given(
    st.sampled_from(("ab", "ab★é−’\u00a0\u202f", "ab\x1b", "a日\u0301")).flatmap(
        lambda letters: st.lists(st.text(st.sampled_from(letters), min_size=1, max_size=9), min_size=1, max_size=20)
    ),
    st.integers(12, 40),
    st.sampled_from((("", ""), ("  ", "    "), ("  1. ", " "), ("· ", "é "))),
)
def test_the_short_way_gives_the_same_lines(words: list[str], width: int, indents: tuple[str, str]) -> None:
    text = ("  " if len(words) % 3 == 1 else " ").join(words)
    found = wrapped(text, width, *indents)
    with mock.patch.object(paper, "_wrapped_between", return_value=None):
        assert wrapped(text, width, *indents) == found


def test_the_name_of_a_file_goes_on_in_the_next_line() -> None:
    assert wrapped("logged in /home/zoe/games/tablier.db", 16, rest="  ") == [
        "logged in",
        "  /home/zoe/game",
        "  s/tablier.db",
    ]
