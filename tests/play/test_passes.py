"""A pass that is picked in a menu."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from tablier.games.core import Move
from tablier.games.core.menus import PASS, at_places, is_pass
from tablier.games.core.questions import Menu, Turn
from tablier.languages import find_language
from tablier.texts import Text, reading, text_from


def _script(*, may_pass: bool) -> Generator[Any, Any, list[Move]]:
    yield Turn("turn", (1,), Text("?"), moves=(Move(1, "keep"), Move(1, "play")), may_pass=may_pass)
    return []


def test_a_pass_is_known_in_every_language_and_from_json() -> None:
    french = find_language("fr")
    assert french is not None
    menus = [next(at_places(_script(may_pass=may_pass), lambda seat: True)) for may_pass in (True, False)]
    with reading(french):
        for menu, passes in zip(menus, (1, 0), strict=True):
            assert isinstance(menu, Menu) and PASS not in map(str, menu.options)
            assert sum(map(is_pass, menu.options)) == passes
            assert sum(is_pass(text_from(option.to_json())) for option in menu.options) == passes
