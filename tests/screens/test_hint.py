"""``:hint`` at a screen: what the strongest bot would do, for the seat that is asked and no other eyes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from room import SHORT, Room

from tablier.games import bots_of
from tablier.games.core.bots import Searching

NAMES = ["Anne", "Bernard", "Christine", "Daniel"]
COUNTS = {"d21": 2, "roudalon": 4}


@pytest.fixture(autouse=True)
def little_work(monkeypatch: pytest.MonkeyPatch) -> None:
    for game in SHORT:
        if issubclass(bots_of(game)["strong"], Searching):
            monkeypatch.setattr(bots_of(game)["strong"], "WORK", 12)


@pytest.fixture
def rooms(tmp_path: Path) -> Iterator[list[Room]]:
    rooms: list[Room] = []
    yield rooms
    for room in rooms:
        room.close()


@pytest.mark.parametrize("game", SHORT)
def test_a_hint_can_be_typed_as_it_stands(game: str, rooms: list[Room], tmp_path: Path) -> None:
    room = Room(tmp_path / "log.db", game, NAMES[: COUNTS.get(game, 3)], [[1]], practice=True)
    rooms.append(room)
    model = room.models[0]
    for _ in range(3):
        if model.asked is None:
            break
        room.type(":hint")
        assert not model.error
        (line,) = model.hint("", 78)
        assert line[1].startswith("Hint: ")
        ply = room.conductor.session.position.ply
        key = model.key
        room.type(line[1].removeprefix("Hint: "))
        assert not model.error and (model.key != key or room.conductor.session.position.ply > ply)
        assert not model.advice, "the hint belongs to the question"


def test_a_hint_at_a_shared_screen_waits_until_others_look_away(rooms: list[Room], tmp_path: Path) -> None:
    room = Room(tmp_path / "log.db", "struggle", NAMES[:2], [[1, 2]])
    rooms.append(room)
    model = room.models[0]
    assert model.must_confirm
    room.type(":hint")
    assert model.error and not model.advice
    room.type("Anne")
    room.type(":hint")
    assert model.advice and not model.error


def test_a_hint_needs_a_question(rooms: list[Room], tmp_path: Path) -> None:
    room = Room(tmp_path / "log.db", "d21", NAMES[:2], [[1], [2]])
    rooms.append(room)
    idle = next(number for number, model in enumerate(room.models) if model.asked is None)
    room.type(":hint", idle)
    assert "Nothing is asked" in room.models[idle].error
