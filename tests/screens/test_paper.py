"""Boards on a terminal: as large as fits, in the signs and colours that it shows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from rich.text import Text as Styled

from tablier.games import GAMES, game_class, rules_of
from tablier.games.core import Position
from tablier.games.core.drawing import Canvas
from tablier.printable import ascii_only
from tablier.screens.paper import board, cut_line

NAMES = ["Anne", "Bernard", "Christine", "Daniel"]


def drawn(game: str, width: int, lines: int = 16, *, colour: bool = True) -> str:
    position: Position[Any] = Position(rules_of(game, max(set(game_class(game).seat_counts) & {2, 3, 4}), {}))
    for _ in range(6):
        position.push(position.legal_moves[0])
    view, names = position.rules.view(position.state, None), NAMES[: position.rules.seats]
    return board(position.rules, view, names, width, Canvas.of_terminal(width, lines), colour=colour)


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({"LANG": "de_DE.UTF-8"}, False),
        ({"LANG": "de_DE.utf8", "TERM": "dumb"}, True),
        ({"LANG": "C"}, True),
        ({"LANG": "C", "LC_CTYPE": "C.UTF-8"}, True),
        ({"LC_CTYPE": "en_US.UTF-8", "LANG": "C"}, False),
        ({"LC_ALL": "POSIX", "LANG": "en_US.UTF-8"}, True),
        ({"LANG": "de_DE.ISO-8859-1"}, True),
        ({}, False),
        ({"LC_CTYPE": "C.UTF-8"}, False),
    ],
)
def test_a_terminal_is_shown_what_its_locale_can_say(
    environment: dict[str, str], expected: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("LANG", "LC_ALL", "LC_CTYPE", "TERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert ascii_only() is expected
    assert drawn("d21", 80, colour=False).isascii() is expected


@pytest.mark.parametrize("game", GAMES)
def test_a_board_without_colours_says_the_same(game: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    coloured = drawn(game, 80)
    assert "\x1b[38;5;" in coloured
    monkeypatch.setenv("NO_COLOR", "1")
    plain = drawn(game, 80)
    assert "\x1b[38;" not in plain and "\x1b[48;" not in plain
    assert [line.rstrip() for line in _without_codes(plain).splitlines()] == drawn(game, 80, colour=False).splitlines()


def _without_codes(text: str) -> str:
    kept, _, rest = text.partition("\x1b[")
    return kept + (_without_codes(rest.partition("m")[2]) if rest else "")


@pytest.mark.parametrize(
    ("text", "width", "shown"),
    [
        ("Line up 1 to 6", 14, "Line up 1 to 6"),
        ("Line up 1 to 6", 13, "Line up 1 …"),
        ("Line up 1 to 6", 9, "Line up …"),
        ("Donaudampfschiff", 6, "Donau…"),
    ],
)
def test_a_line_is_cut_between_its_words(text: str, width: int, shown: str) -> None:
    assert cut_line(Styled(text), width).plain == shown
