"""Another part for a game than its own."""

from __future__ import annotations

from typing import Any

import pytest

from tablier.games import Game


def with_part(monkeypatch: pytest.MonkeyPatch, game: str, module: str, part: Any) -> None:
    own = Game.part
    monkeypatch.setattr(Game, "part", lambda it, name: part if (it.name, name) == (game, module) else own(it, name))
