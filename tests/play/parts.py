"""Another part for a game than its own; ids of people that are the same in every run."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from typing import Any
from unittest import mock

import pytest

from tablier.games import Game
from tablier.log import store


def with_part(monkeypatch: pytest.MonkeyPatch, game: str, module: str, part: Any) -> None:
    own = Game.part
    monkeypatch.setattr(Game, "part", lambda it, name: part if (it.name, name) == (game, module) else own(it, name))


@contextmanager
def same_people() -> Iterator[None]:
    """Number new people, so that two runs differ in nothing but what they are to differ in."""
    numbers = count(1)
    with mock.patch.object(store, "new_person", lambda: f"{next(numbers):016x}"):
        yield
