"""A keeper of a long log: what it does in one turn of its loop does not grow with what was played before."""

from __future__ import annotations

import queue
import random
import sqlite3
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.heard import as_json

import replies
from kept import kept, linked, opened
from tablier.course.chance import Sources
from tablier.course.seats import AT_SCREEN, Seat
from tablier.course.session import Made
from tablier.games import rules_of
from tablier.games.core import Position
from tablier.keeper.server import Server
from tablier.log import store
from tablier.log.chain import Entry
from tablier.log.store import Log
from tablier.log.storing import read_entry
from tablier.play.beginning import begin
from tablier.play.game import AT_ONCE as TOLD_AT_ONCE
from tablier.play.game import Conductor
from tablier.play.logged import Unfinished, unfinished
from tablier.play.roll_count import AT_ONCE, RollCount
from tablier_fw import wire

WAIT_S = 20.0
NAMES = ("Anne", "Bernard")
TWO = [{"name": name, "source": "screen"} for name in NAMES]
END = {"scores": {"p1": 1, "p2": 0}, "winners": ["p1"]}
BOARD, BOOT = "0102030405060708", "1112131415161718"
STEPS = 100  # of SQLite, in one count


class Work:
    """Counts what a thread reads of a log: entries, and steps of SQLite."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.thread: int | None = None
        self.entries = self.steps = 0
        read, connect = read_entry, sqlite3.connect

        def counted(row: Sequence[Any]) -> Entry:
            self.entries += threading.get_ident() == self.thread
            return read(row)

        def step() -> None:
            self.steps += STEPS * (threading.get_ident() == self.thread)

        def connected(*args: Any, **more: Any) -> sqlite3.Connection:
            db: sqlite3.Connection = connect(*args, **more)
            if "mode=rw" in args[0]:  # a witness reads beside it
                db.set_progress_handler(step, STEPS)
            return db

        monkeypatch.setattr(store, "read_entry", counted)
        monkeypatch.setattr(sqlite3, "connect", connected)

    def of(self, act: Callable[[], object]) -> tuple[int, int]:
        """Return the entries that an act reads in this thread, and SQLite's steps."""
        self.thread, self.entries, self.steps = threading.get_ident(), 0, 0
        act()
        return self.entries, self.steps


@pytest.fixture
def work(monkeypatch: pytest.MonkeyPatch) -> Work:
    return Work(monkeypatch)


def played(log: Log, entries: int, *, evening: int | None = None) -> int:
    """Log a game of so many entries that is over."""
    game = begin(log, "d21", {}, [Seat(name, 0, AT_SCREEN) for name in NAMES], evening=evening)
    log.append_all([*((game, "dispute", {"at": 0, "text": "", "seat": 1}) for _ in range(entries)), (game, "end", END)])
    return game


def test_a_list_and_a_game_begun_cost_the_same_after_a_long_log(
    tmp_path: Path, work: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of an evening with a game behind it of 6,000 entries, and 14,000 entries before that, none of which has reserved
    numbers of questions."""
    path = tmp_path / "log.db"
    with Log.open(path) as log:
        people = [(log.person(name), 0) for name in NAMES]
        log.next_id()
        played(log, 14_000)
        played(log, 6_000, evening=log.begin_evening("", people))
    turns: list[tuple[int, int]] = []
    turn = Server.turn

    def counted(server: Server) -> None:
        turns.append(work.of(lambda: turn(server)))

    monkeypatch.setattr(Server, "turn", counted)
    with kept(path), linked(path) as link:
        link.call("list", {"follow": True})
        link.call("list")  # the first one reads what all later ones know
        turns.clear()
        assert link.call("list")["evenings"][0]["games"][0]["result"]
        game = opened(link, "play", game="d21", seats=TWO)
        heard: queue.SimpleQueue[object] = queue.SimpleQueue()
        game.watch((1, 2), as_json(heard.put))
        heard.get(timeout=WAIT_S)
        link.call("list")
    assert max(entries for entries, _ in turns) < 50
    assert max(steps for _, steps in turns) < 5_000


def test_a_game_that_is_over_is_read_once_for_what_is_asked_after_its_end(tmp_path: Path, work: Work) -> None:
    with Log.open(tmp_path / "log.db") as log:
        game = played(log, 3_000)
        open = Unfinished(log)
        assert work.of(open.games)[0] < 10 and open.games() == []
        log.append(game, "ask", {"id": 7, "what": "consent", "seats": [2]})
        log.append_all([(game, "dispute", {"at": 0, "text": "", "seat": 1})] * 3_000)
        assert open.games() == unfinished(log) == [game]
        assert work.of(open.games)[0] == 0
        log.append(game, "reply", replies.answer(False, id=7, seat=2))
        assert open.games() == unfinished(log) == []


def test_rolls_are_compared_by_reading_few_events_of_the_boot_at_a_time(tmp_path: Path, work: Work) -> None:
    rolls = 3 * AT_ONCE
    with Log.open(tmp_path / "log.db") as log:
        game = played(log, 20_000)
        log.append(game, "table", {"event": "hello", "board": BOARD, "boot": BOOT, "version": "1"})
        for number in range(1, rolls + 1):
            said = replies.commit_roll("00" * 32, id=number, place=1, roll=number)
            log.append(game, "table", said, (BOOT, number))
        status = {"begun": rolls + 1, "revealed": 0, "acknowledged": 0, "abandoned": rolls}
        client: Any = SimpleNamespace(
            abilities=wire.CAN_TUMBLE, settled=status, status=status, boot=BOOT, board=BOARD, connected=True
        )
        count = RollCount(client, log)
        count.compare_soon()
        found: list[object] = []

        def compare() -> None:
            found.append(count.compare(Sources(), rolling=False))

        costs = [work.of(compare)]
        while count.reads:
            costs.append(work.of(compare))
        assert len(costs) == 4 and max(entries for entries, _ in costs) <= AT_ONCE
        assert max(steps for _, steps in costs) < 100 * AT_ONCE
        assert found[:3] == [None] * 3 and found[3] is not None, "one roll more than the log has is told of"
        count.compare_soon()
        assert work.of(compare)[0] == 0, "what was read is known"


def test_a_game_that_is_resumed_is_read_once(tmp_path: Path, work: Work, monkeypatch: pytest.MonkeyPatch) -> None:
    path, turn, read = tmp_path / "log.db", Server.turn, 0
    with Log.open(path) as log:
        game = begin(log, "d21", {}, [Seat(name, 0, AT_SCREEN) for name in NAMES])
        log.append_all([(game, "sits", {"seat": 1, "source": AT_SCREEN, "by": 0})] * 500)
        log.append_all([(game, "dispute", {"at": 0, "text": "", "seat": 1})] * 500)
        entries = sum(entry.game == game for entry in log.entries())

    def counted(server: Server) -> None:
        nonlocal read
        server._log.game(game)  # what the heading says, a log reads once for all
        read += work.of(lambda: turn(server))[0]

    monkeypatch.setattr(Server, "turn", counted)
    with kept(path), linked(path) as link:
        heard: queue.SimpleQueue[object] = queue.SimpleQueue()
        opened(link, "resume", game=game).watch((1,), heard.put)
        heard.get(timeout=WAIT_S)
    assert entries <= read < entries + 20


def test_a_game_is_resumed_some_moves_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """So that others need not wait while a hundred moves are told again."""
    moves, path, pushed, turns = 100, tmp_path / "log.db", 0, list[int]()
    with Log.open(path) as log:
        number = begin(log, "d21", {"max_plies": 2 * moves}, [Seat(name, 0, AT_SCREEN) for name in NAMES])
        position = Position(rules_of("d21", 2, {"max_plies": 2 * moves}))
        dice = random.Random(1)
        for _ in range(moves):
            move = dice.choice(position.legal_moves)
            position.push(move)
            log.append(number, "move", {"text": str(move), "by": "screen"})
    told, turn = Conductor._tell, Server.turn

    def counted(game: Conductor, made: Made) -> None:
        nonlocal pushed
        pushed += 1
        told(game, made)

    def turned(server: Server) -> None:
        nonlocal pushed
        pushed = 0
        turn(server)
        turns.append(pushed)

    monkeypatch.setattr(Conductor, "_tell", counted)
    monkeypatch.setattr(Server, "turn", turned)
    with kept(path), linked(path) as link:
        game = opened(link, "resume", game=number)
        heard: queue.SimpleQueue[Any] = queue.SimpleQueue()
        game.watch((1,), as_json(heard.put))
        (update,) = heard.get(timeout=WAIT_S)["updates"]
        link.call("list")
    assert update["ply"] == moves and [each["at"] for each in update["news"] if "at" in each] == list(
        range(1, moves + 1)
    )
    assert sum(turns) == moves and max(turns) <= TOLD_AT_ONCE
