"""What tests of games share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from positions import refusal
from tablier.games.core import Position
from wording import Wording


@pytest.fixture
def refused(wording: Wording) -> Callable[..., None]:
    """Return what holds that each of some moves is refused, and with which words."""

    def hold(position: Position[Any], *moves: str) -> None:
        for move in moves:
            wording(refusal(position, move), f"{move}, as move {position.ply + 1}")

    return hold
