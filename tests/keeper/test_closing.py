"""Closing a game at the keeper: whatever takes long to end, other games go on."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.heard import as_json

from kept import kept, linked, opened
from tablier.bots.programs import Running
from tablier.keeper.client import KeeperError, Link
from tablier.keeper.protocol import REFUSED, Refusal
from tablier.log.store import Item, Log

SEATS = [{"name": "Anne", "source": "screen"}, {"name": "Robot", "source": "bot:cat"}]
PEOPLE = [{"name": name, "source": "screen"} for name in ("Anne", "Bernard")]
WAIT_S = 20.0


class Stubborn:
    """Programs that do not end until they are let."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.asked, self.let = threading.Semaphore(0), threading.Event()
        end = Running.end

        def slowly(running: Running) -> None:
            self.asked.release()
            assert self.let.wait(WAIT_S)
            end(running)

        monkeypatch.setattr(Running, "end", slowly)

    def has_been_asked(self) -> bool:
        return self.asked.acquire(timeout=WAIT_S)


@pytest.fixture
def program(monkeypatch: pytest.MonkeyPatch) -> Iterator[Stubborn]:
    made = Stubborn(monkeypatch)
    yield made
    made.let.set()


@pytest.fixture
def link(tmp_path: Path, program: Stubborn) -> Iterator[Link]:
    """The operator, who plays at a keeper with a bot that is such a program."""
    with kept(tmp_path / "log.db"), linked(tmp_path / "log.db") as link:
        game = opened(link, "play", game="d21", seats=SEATS)
        heard: queue.SimpleQueue[object] = queue.SimpleQueue()
        game.watch((1,), as_json(heard.put))
        heard.get(timeout=WAIT_S)
        try:
            yield link
        finally:
            program.let.set()


def test_a_game_with_a_bot_that_does_not_end_is_closed_at_once(link: Link, program: Stubborn) -> None:
    link.call("stop", {"game": 1})
    assert program.has_been_asked()
    told = link.call("list")
    assert (told["games"], told["unfinished"]) == ([], [1])
    assert link.call("play", {"game": "d21", "seats": [SEATS[0], {"name": "B", "source": "random"}]})["game"] == 2


def test_a_bot_that_does_not_end_leaves_its_seat_at_once(link: Link, program: Stubborn) -> None:
    link.call("source", {"game": 1, "seat": 2, "source": "greedy"})
    assert program.has_been_asked()
    assert [seat["source"] for seat in link.call("list")["games"][0]["seats"]] == ["screen", "greedy"]


def test_a_game_is_told_as_abandoned_only_once_that_is_logged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    append = Log.append_all

    def fails(log: Log, items: Sequence[Item], cursor: tuple[str, int] | None = None) -> list[int]:
        if any(kind == "abandoned" for _, kind, _ in items):
            raise Refusal(REFUSED, "the disk is full")
        return append(log, items, cursor)

    with kept(tmp_path / "log.db"), linked(tmp_path / "log.db") as link:
        game = opened(link, "play", game="d21", seats=PEOPLE)
        heard: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
        game.watch((1, 2), as_json(heard.put))
        heard.get(timeout=WAIT_S)
        with monkeypatch.context() as patched:
            patched.setattr(Log, "append_all", fails)
            with pytest.raises(KeeperError, match="the disk is full"):
                link.call("abandon", {"game": game.game})
        assert link.call("list")["games"][0]["game"] == game.game, "nobody was told, and it is still played"
        assert heard.empty()
        link.call("abandon", {"game": game.game})
        assert link.call("list")["games"] == []
