"""Nothing that a keeper does keeps others waiting, and what its bots think about ends with the game, or the keeper."""

from __future__ import annotations

import math
import os
import queue
import select
import signal
import sys
import threading
import time
from functools import partial
from importlib import import_module
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from tests.heard import by_method

from kept import kept, linked, opened
from ports import open_desk, turn
from tablier.bots import thinking
from tablier.bots.sources import STAND_IN
from tablier.bots.thinking import Processes
from tablier.course.seats import Seat
from tablier.games import bots_of
from tablier.games.core.bots import Bot
from tablier.judge.audit import audit
from tablier.keeper.client import Link
from tablier.keeper.desk import Desk
from tablier.keeper.starting import join
from tablier.log.store import Log
from tablier.play.beginning import begin
from tablier.simulation.clock import VirtualClock
from tablier.table.clock import Clock
from tablier.texts import Json, render
from thoughts import BESIDE

WAIT_S = 20.0
pytestmark = pytest.mark.usefixtures("from_nothing")  # bots think in processes that a keeper has forked itself


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "log.db"


def seats(*sources: str) -> list[Json]:
    return [
        {"name": name, "source": source} for name, source in zip(("Anne", "Bernard", "Carla"), sources, strict=False)
    ]


class Onlooker:
    """A connection that watches a game to its end, and asks what is open whenever it is shown how the game stands."""

    def __init__(self, link: Link, game: int) -> None:
        self._link = link
        self.seen: list[int] = []
        """The moves that had been shown before each answer."""
        self._ply = 0
        self.told: list[Json] = []
        self._ended: queue.SimpleQueue[bool] = queue.SimpleQueue()
        link.on_notice = by_method(self._hear)
        link.call("watch", {"game": game, "viewers": [None]})

    def _hear(self, method: str, params: Json) -> None:
        if method == "ended":
            self._ended.put(True)
        for update in params.get("updates", ()):
            self.told += update["news"]
            self._ply = update["ply"]
            self._link.send("list", {}, lambda answer: self.seen.append(self._ply))

    def wait(self) -> None:
        self._ended.get(timeout=60)


def begun(link: Link, game: str, *sources: str, **more: Any) -> int:
    return int(link.call("play", {"game": game, "seats": seats(*sources), **more})["game"])


@pytest.mark.parametrize("source", ["greedy", "random"])
def test_who_asks_is_answered_between_the_moves_of_bots(source: str, path: Path) -> None:
    """Each move is shown, and answers come between them: not one before and one after the game."""
    with kept(path), linked(path) as link:
        onlooker = Onlooker(link, begun(link, "d21", source, source, options={"max_plies": 60}))
        onlooker.wait()
    assert len(set(onlooker.seen)) > 10


def test_who_asks_is_answered_while_a_table_in_virtual_time_does_not_answer(path: Path) -> None:
    people = [{"name": name, "place": n, "source": "table", "simulated": "random"} for n, name in enumerate("AB", 1)]
    table = {"port": "simulated", "virtual": True}
    with kept(path) as server, linked(path) as link:
        number = int(
            link.call("play", {"game": "d21", "seats": people, "options": {"max_plies": 4}, "table": table})["game"]
        )
        onlooker = Onlooker(link, number)
        process = server._games._games[number].desk._table.process.pid  # type: ignore[union-attr]
        os.kill(process, signal.SIGSTOP)
        try:
            with linked(path) as other:
                for _ in range(3):
                    assert other.call("list")["games"]
        finally:
            os.kill(process, signal.SIGCONT)
        onlooker.wait()


# -- bots that do not decide ------------------------------------------------------------------------------------------


class Endless:
    """Has a built-in bot think without end, and tells where."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._where, self._asked = BESIDE.Value("i", 0), BESIDE.Semaphore(0)
        where, asked = self._where, self._asked

        def decide(bot: Bot, view: Json, moves: Any, may_pass: bool) -> Any:
            where.value = os.getpid()
            asked.release()
            while True:
                pass

        monkeypatch.setattr(bots_of("d21")["greedy"], "decide", decide)

    def process(self) -> int:
        """Wait until the bot has been asked; return its process."""
        assert self._asked.acquire(timeout=WAIT_S)
        return int(self._where.value)


@pytest.fixture
def endless(monkeypatch: pytest.MonkeyPatch) -> Endless:
    return Endless(monkeypatch)


def ended(process: int) -> bool:
    """Wait until a process has ended."""
    deadline = time.monotonic() + WAIT_S
    while time.monotonic() < deadline:
        try:
            if Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                return True
        except OSError:
            return True
        time.sleep(0.01)
    return False


def test_a_desk_without_a_table_rests_once_it_has_taken_what_a_program_decided(path: Path) -> None:
    """Else its keeper would look there without pause until the end of the game."""
    people = [Seat("Anne", 0, "screen"), Seat("Bernard", 0, "screen")]
    with Log.open(path) as log, open_desk(people) as desk:
        desk.begin(log, begin(log, "d21", {}, people))
        turn(desk)
        thread = threading.Thread(target=desk.game.inbox.post, args=(lambda: None,))
        thread.start()
        thread.join()
        assert select.select(desk.files, [], [], 0)[0]
        turn(desk)
        assert not select.select(desk.files, [], [], 0)[0] and not desk.game.inbox.has_more


def test_a_desk_in_virtual_time_rests_while_one_program_thinks_and_another_has_decided(path: Path) -> None:
    people = [Seat("Anne", 0, "screen"), Seat("Bernard", 0, "screen")]
    desk = Desk(people)
    desk.clock = VirtualClock(SimpleNamespace(time=lambda: 0.0))  # type: ignore[arg-type]
    with Log.open(path) as log, open_desk(desk):
        game = desk.begin(log, begin(log, "d21", {}, people))
        game.chairs.thinking.add(1)
        while desk.step():
            pass
        desk.clock.wake()
        assert select.select(desk.files, [], [], 0)[0] and not desk.step()
        assert not select.select(desk.files, [], [], 0)[0]


class Slow(Clock):
    """A clock of a table's own by which a wait ends when somebody wakes it, or in an hour."""

    def __init__(self) -> None:
        self.woken = 0

    def now(self) -> float:
        return 0.0

    def wait(self, seconds: float, file: int | None) -> None:
        raise NotImplementedError

    def begin_wait(self, seconds: float, file: int | None) -> None:
        self.woken = 0

    def go_on_waiting(self) -> bool:
        return bool(self.woken)

    def wake(self) -> None:
        self.woken += 1


def test_what_a_bot_decides_ends_a_wait_by_a_tables_own_clock(path: Path) -> None:
    people = [Seat("Anne", 0, "screen"), Seat("Bernard", 0, "screen")]
    desk = Desk(people)
    desk.clock = clock = Slow()
    with Log.open(path) as log, open_desk(desk):
        desk.begin(log, begin(log, "d21", {}, people))
        while desk.step() or desk.due < math.inf:
            pass
        desk.game.inbox.post(lambda: None)
        assert desk.step() and clock.woken == 1
        assert desk.step() and not desk.game.inbox.has_more, "it is taken"


def test_a_bot_that_never_decides_is_replaced(path: Path, endless: Endless, monkeypatch: pytest.MonkeyPatch) -> None:
    with kept(path), linked(path) as link:
        onlooker = Onlooker(link, begun(link, "d21", "greedy", "random", options={"max_plies": 8}))
        process = endless.process()
        monkeypatch.setattr(thinking, "LIMIT_S", 1.0)
        onlooker.wait()
        assert ended(process)
    (told,) = [each["text"]["args"] for each in onlooker.told if each["kind"] == "bot"]
    assert "it took more than 1 seconds" in render(told["why"], ["Anne", "Bernard"])
    with Log.read(path) as log:
        assert audit(log.entries()).games == 1
        assert [entry.body["source"] for entry in log.entries(1) if entry.kind == "sits"] == [STAND_IN]


def test_a_bot_whose_process_is_killed_decides_in_another_and_is_replaced_the_second_time(
    path: Path, endless: Endless
) -> None:
    with kept(path), linked(path) as link:
        onlooker = Onlooker(link, begun(link, "d21", "greedy", "random", options={"max_plies": 8}))
        first = endless.process()
        os.kill(first, signal.SIGKILL)
        second = endless.process()
        assert second != first and not any(each["kind"] == "bot" for each in onlooker.told)
        os.kill(second, signal.SIGKILL)
        onlooker.wait()
    (told,) = [each["text"]["args"] for each in onlooker.told if each["kind"] == "bot"]
    assert "its process has ended" in render(told["why"], ["Anne", "Bernard"])


def what_forks(processes: Processes) -> int:
    """Return the number of the process that forks others, when it is there."""
    assert processes._forker is not None
    children = Path(f"/proc/{processes._forker.pid}/task/{processes._forker.pid}/children")
    while not (number := children.read_text()):
        time.sleep(0.001)
    return int(number)


def test_what_forks_is_started_again_while_a_thread_imports_what_a_bot_needs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A copy of the process with that thread would wait for ever for the end of the import."""
    (tmp_path / "needed.py").write_text(
        f"import os\nif os.getpid() == {os.getpid()}:\n    import waits\n    waits.end.wait()\n"
    )
    end = threading.Event()
    waits = ModuleType("waits")
    monkeypatch.setitem(sys.modules, "waits", waits)
    vars(waits)["end"] = end
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(thinking, "LIMIT_S", 20.0)
    with Processes() as processes:
        importing = threading.Thread(target=import_module, args=("needed",))
        importing.start()
        try:
            while "needed" not in sys.modules:
                time.sleep(0.001)
            os.kill(what_forks(processes), signal.SIGKILL)
            said: list[object] = []
            processes.advice.ask(partial(exec, "import needed"), said.append)
            while not said:
                select.select(processes.files, processes.writing, [], 1)
                processes.work()
            assert said == [None]
        finally:
            end.set()
            importing.join()
            sys.modules.pop("needed", None)


def test_bots_play_on_when_what_starts_their_processes_is_killed(path: Path) -> None:
    with kept(path) as server, linked(path) as link:
        for _ in range(2):
            Onlooker(link, begun(link, "d21", "greedy", "random", options={"max_plies": 4})).wait()
            os.kill(what_forks(server._games._thinking), signal.SIGKILL)


def test_a_bot_that_thinks_is_answered_when_what_starts_processes_is_killed(
    path: Path, endless: Endless, monkeypatch: pytest.MonkeyPatch
) -> None:
    with kept(path) as server, linked(path) as link, linked(path) as other:
        onlooker = Onlooker(link, begun(link, "d21", "greedy", "random", options={"max_plies": 8}))
        process = endless.process()
        os.kill(what_forks(server._games._thinking), signal.SIGKILL)
        Onlooker(other, begun(other, "d21", "random", "random", options={"max_plies": 4})).wait()
        os.kill(process, 0)
        monkeypatch.setattr(thinking, "LIMIT_S", 1.0)
        onlooker.wait()
        assert ended(process)


def test_a_seat_is_taken_from_a_bot_that_thinks(path: Path, endless: Endless, monkeypatch: pytest.MonkeyPatch) -> None:
    with kept(path), linked(path) as link:
        onlooker = Onlooker(link, begun(link, "d21", "greedy", "random", options={"max_plies": 8}))
        endless.process()
        monkeypatch.setattr(thinking, "IDLE_S", 0.1)
        link.call("source", {"game": 1, "seat": 1, "source": "random"})
        onlooker.wait()


def test_what_a_bot_thinks_ends_with_its_game(path: Path, endless: Endless) -> None:
    """Other games go on, also with such bots."""
    with kept(path), linked(path) as link:
        begun(link, "d21", "greedy", "random")
        link.call("watch", {"game": 1, "viewers": [None]})
        first = endless.process()
        begun(link, "d21", "greedy", "random")
        link.call("watch", {"game": 2, "viewers": [None]})
        second = endless.process()
        link.call("stop", {"game": 1})
        assert ended(first) and [game["game"] for game in link.call("list")["games"]] == [2]
        os.kill(second, 0)
        link.call("stop", {"game": 2})
        assert ended(second)


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_what_bots_think_ends_with_the_keeper(path: Path, how: signal.Signals) -> None:
    with Log.open(path, create=True):
        pass
    link = join(path)
    game = opened(link, "play", game="dilemma", seats=seats("strong", "strong", "screen"))
    game.watch((3,), lambda message: None)
    keeper = link.keeper["pid"]
    while len(beside := descendants(keeper)) < 2:
        time.sleep(0.01)
    os.kill(keeper, how)
    assert all(map(ended, [keeper, *beside]))
    link.close()


def descendants(process: int) -> list[int]:
    """Return the processes that a process has started, and those that they have."""
    children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    return [each for child in map(int, children) for each in (child, *descendants(child))]
