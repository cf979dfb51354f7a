"""States that are sent as the pieces a page has not had."""

from __future__ import annotations

import asyncio
import json
import random
from functools import partial
from typing import Any

from msgspec import Struct
from tests.pieces import Assembly

from tablier.languages import find_language
from tablier.texts import ENGLISH, reading
from tablier.web import pieces
from tablier.web.hub import Had, Hub


class Board(Struct):
    board: str
    beside: list[dict[str, Any]]


def board(cells: list[str]) -> Board:
    """Return a state as large as a drawing, of which each cell stands in a line of its own."""
    lines = [f'  <text x="{at}" y="{at * 7}" class="cell">{cell}</text>' for at, cell in enumerate(cells)]
    return Board("<svg>\n" + "\n".join(lines) + "\n</svg>", [{"said": cells[0]}, {"said": cells[-1]}])


class Page:
    def __init__(self, channel: Any) -> None:
        self._channel, self._had, self._assembly = channel, Had(), Assembly()
        self.bytes = 0

    def take(self) -> Any:
        event = self._channel.event(self._had)
        self.bytes = len(event)
        return self._assembly.take(json.loads(event.removeprefix(b"data: ")))


def test_pages_have_each_state_whenever_they_come_and_however_slow_they_are(monkeypatch: Any) -> None:
    """One reads each state, one few, one comes late; now and then all pieces are sent anew."""
    monkeypatch.setattr(pieces, "_KEPT", 2000)
    monkeypatch.setattr(pieces, "_TIMES", 1)
    dice, cells = random.Random(1), list("abcdefgh" * 8)
    channel = Hub().channel("phone", "board-1")
    quick, slow, whole = Page(channel), Page(channel), []
    for move in range(200):
        for _ in range(dice.randrange(4)):
            cells[dice.randrange(len(cells))] = dice.choice(["a", "\\n", '"', "é🂡", "{", "a\nb", "\0", str(move)])
        if dice.random() < 0.1:
            cells.insert(dice.randrange(len(cells)), "new")
        state = board(cells)
        channel.put(partial(board, list(cells)))
        said = {"board": state.board, "beside": state.beside}
        assert quick.take() == said
        late = Page(channel)
        assert late.take() == said
        whole.append(quick.bytes >= late.bytes)
        if dice.random() < 0.1:
            assert slow.take() == said
    assert 1 < sum(whole) < 50


def test_a_page_gets_what_has_changed_and_each_language_its_own() -> None:
    channel = Hub().channel("phone", "board-1")
    cells = [f"cell {number}" for number in range(400)]
    page = Page(channel)
    channel.put(partial(board, list(cells)))
    page.take()
    first = page.bytes
    cells[7] = "moved"
    channel.put(partial(board, list(cells)))
    assert "moved" in page.take()["board"] and page.bytes < first / 50
    with reading(find_language("fr") or ENGLISH):  # nobody has had anything in it
        other = Page(channel)
        assert "moved" in other.take()["board"] and other.bytes > first / 2


def test_neither_number_nor_length_of_an_event_depends_on_another_channel() -> None:
    """What one seat is offered does not show in the stream of another one."""

    async def stream(hands: list[list[str]]) -> bytes:
        hub = Hub()
        mine, other = hub.channel("mine", "1-1", "one"), hub.channel("mine", "1-2", "two")
        page, beside, got = Had(), Had(), []
        for hand in hands:
            other.put(partial(board, hand))
            other.event(beside)
            mine.put(partial(board, ["a", "b"]))
            got.append(mine.event(page).split(b",", 1)[1])  # but for its age
        return b"".join(got)

    assert asyncio.run(stream([["a", "b"]] * 3)) == asyncio.run(stream([["x"], ["y"] * 50, ["z"]]))


def test_a_channel_that_is_gone_is_forgotten() -> None:
    channel = Hub().channel("public", "game-1")
    page = Page(channel)
    channel.put(partial(board, ["a"]))
    page.take()
    channel.put(None)
    assert page.take() is None
