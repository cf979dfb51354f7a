"""Looking again through the keeper: by anybody, at finished games only, and nobody waits for the bot."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from queue import Queue
from typing import Any

import pytest

from kept import kept, linked
from tablier.bots.campaigns import Campaign, play_one
from tablier.course.seats import Seat
from tablier.games import bots_of
from tablier.games.core import Move
from tablier.games.core.bots import Bot
from tablier.keeper.client import KeeperError, Link
from tablier.log.store import Log
from tablier.play.beginning import begin
from tablier.record import replay, result_of
from tablier.texts import Json
from thoughts import BESIDE

NAMES = ("Anne", "Bernard", "Christine")


@pytest.fixture
def moves() -> list[str]:
    return list(play_one(Campaign("dilemma", {}, ("greedy",) * 3, NAMES, 7), 1).record.moves)


@pytest.fixture
def stranger(tmp_path: Path, moves: list[str]) -> Iterator[Link]:
    """Somebody who only watches: game 1 of the log is over, game 2 runs."""
    record = play_one(Campaign("dilemma", {}, ("greedy",) * 3, NAMES, 7), 1).record
    path = tmp_path / "log.db"
    with Log.open(path) as log:
        begin(log, "dilemma", {}, [Seat(name, 0, "greedy") for name in NAMES])
        log.append_all([(1, "move", {"text": move, "by": "greedy"}) for move in moves])
        log.append(1, "end", result_of(replay(record)))
    with kept(path), linked(path) as operator, linked(path, operator=False) as link:
        operator.call("play", {"game": "dilemma", "seats": [{"name": name, "source": "screen"} for name in NAMES]})
        operator.call("watch", {"game": 2, "viewers": [None]})
        yield link


def test_anybody_looks_again_at_a_finished_game(stranger: Link, moves: list[str]) -> None:
    told = stranger.call("analyse", {"game": 1, "at": 1})
    assert (told["game"], told["at"], told["moves"], told["seat"]) == (1, 1, len(moves), 1)
    assert f"p1 {told['played']}" == moves[0] and told["bot"] == "strong"
    assert told["view"]["phase"] == "offer" and told["estimates"]["text"].startswith("its share of the win")
    assert all(option["move"].startswith("offer ") and option["worth"] is not None for option in told["options"])
    assert stranger.call("analyse", {"game": 1, "at": 1}) == told
    assert stranger.call("analyse", {"game": 1, "at": 1, "bot": "greedy"})["options"][0]["move"] == "offer 1"


@pytest.mark.parametrize(
    ("params", "why"),
    [
        ({"game": 2, "at": 1}, "game 2 is still running; it can be analysed when it is over"),
        ({"game": 9, "at": 1}, "there is no game 9"),
        ({"game": 1, "at": 999}, "there is no move 999"),
        ({"game": 1, "at": 1, "bot": "x"}, "dilemma has no bot 'x'"),
        ({"game": 1, "at": 0}, "at is 0; allowed: a number from 1"),
        ({"game": 1, "at": 1, "bot": "\n"}, "bot is '.n'; allowed"),
    ],
)
def test_what_cannot_be_looked_at_is_refused_with_a_text(stranger: Link, params: Json, why: str) -> None:
    with pytest.raises(KeeperError, match=why):
        stranger.call("analyse", params)


@pytest.fixture
def slow(from_nothing: None, monkeypatch: pytest.MonkeyPatch) -> tuple[Any, Any]:
    """What a bot says when it begins to decide, and waits for. It comes before the keeper, which forks bots."""
    begun, let = BESIDE.Semaphore(0), BESIDE.Event()

    class Slow(Bot):
        def decide(self, view: Json, moves: Sequence[Move], may_pass: bool) -> Move | None:
            begun.release()
            assert let.wait(20)
            return moves[0]

    known = bots_of("dilemma")
    monkeypatch.setattr("tablier.play.analysing.bots_of", lambda game: {**known, "good": Slow})
    return begun, let


def test_nobody_waits_for_a_bot_that_looks_again(slow: tuple[Any, Any], stranger: Link, tmp_path: Path) -> None:
    """One thinks at a time, whoever asks; of what a connection asks for meanwhile the latest is next."""
    begun, let = slow
    answers: Queue[tuple[str, Json]] = Queue()

    def ask(link: Link, name: str) -> None:
        link.send("analyse", {"game": 1, "at": 1, "bot": "good"}, lambda answer: answers.put((name, answer)))

    with linked(tmp_path / "log.db", operator=False) as other:
        ask(stranger, "first")
        assert begun.acquire(timeout=20)
        ask(stranger, "second")
        ask(stranger, "third")
        assert answers.get(timeout=20)[0] == "second"
        ask(other, "another's")
        assert [game["game"] for game in stranger.call("list")["games"]] == [2]
        assert [game["game"] for game in other.call("list")["games"]] == [2]
        assert not begun.acquire(False), "only one thinks"
        let.set()
        assert sorted(answers.get(timeout=20)[0] for _ in range(3)) == ["another's", "first", "third"]
