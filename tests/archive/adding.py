"""Add logs to archives, for tests."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from contents import contents

from at_screens import HandClock, Screens, at_screens
from tablier.archive.database import Archive
from tablier.archive.logs import Added, add_log
from tablier.bots.campaigns import Campaign
from tablier.games import GAMES
from tablier.log.store import Log
from tablier.play.beginning import begin

CAMPAIGN = Campaign("roudalon", {}, ("random", "greedy", "easy", "random"), ("Anne", "Bernard", "Chloé", "Denis"), 7)


def add(where: str, path: Path, club: str = "Beaune") -> Added:
    with Archive.open(where, create=True) as archive:
        return add_log(archive, path, club)


def held(where: str | Path) -> dict[str, Any]:
    with Archive.open(where) as archive:
        return contents(archive)


def copied(path: Path, to: Path) -> Path:
    with Log.read(path) as log:
        log.backup(to)
    return to


def d21(log: Log, *, moves: int = 2) -> int:
    """Play a game of D.21 between Anne and Bernard."""
    game = begin(log, "d21", {"max_plies": moves}, at_screens(2))
    finish(log, game)
    return game


def finish(log: Log, game: int) -> None:
    """Play a game of D.21 to its end."""
    room = Screens(log, game, HandClock(), (1, 2))
    room.play_until()
    room.running.close()


@contextmanager
def without(game: str) -> Iterator[None]:
    """Have a game not be installed."""
    with pytest.MonkeyPatch.context() as patch:
        others = {name: GAMES[name] for name in GAMES if name != game}  # what is put back keeps its place in the order
        patch.setitem(vars(GAMES), "_games", others)
        yield
