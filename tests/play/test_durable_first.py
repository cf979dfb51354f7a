"""Durable, then acknowledged, then shown, then asked; the rest of the tests are held to it by ``tests/durable.py``."""

from __future__ import annotations

from pathlib import Path

import pytest
from pressed import Table, game_at

import replies
from at_screens import at_screens
from durable import ScreenFails
from ports import console, each, open_desk, play_at
from tablier.course.seats import AT_TABLE, Seat
from tablier.games.core.questions import Menu, Turn, bare
from tablier.judge.audit import audit
from tablier.log.store import Log
from tablier.messages import Update
from tablier.play.beginning import begin
from tablier.play.game import Conductor
from tablier.table.clock import LifeClock
from tablier.table.incoming import Incoming, TableEvent
from tablier.table.unusable import TableError
from tablier.texts import render


def test_a_screen_that_blocks_holds_up_neither_the_acknowledgement_nor_the_log(tmp_path: Path) -> None:
    """Whatever a viewer is shown of an event, the table has heard that it is durable by then."""
    with Log.open(tmp_path / "log.db") as log:
        game = begin(log, "d21", {}, [Seat("Anne", 1, AT_TABLE), Seat("Bernard", 2, AT_TABLE)])
        with game_at(table := Table(), log, game) as (running, turn):
            seen: list[tuple[int, int, list[int]]] = []  # question, acknowledged, asked so far

            def deliver(update: Update) -> None:
                assert update.question is not None
                seen.append((update.question.id, table.acknowledged(), table.asked()))

            running.watch((None,), each(deliver))
            running.start()
            turn()
            first = running.session.id
            assert isinstance(running.session.question, Menu)
            table.pick(first, 1, 0)
            turn()
            assert table.asked() == [first, running.session.id]
    assert [(first, 0, []), (running.session.id, 1, [first])] == [seen[0], seen[-1]]


def test_a_screen_that_fails_is_left_out_and_the_game_goes_on(tmp_path: Path) -> None:
    """It is said to the others. The event it was shown is acknowledged, and the table asked."""
    with Log.open(tmp_path / "log.db") as log:
        game = begin(log, "d21", {}, [Seat("Anne", 1, AT_TABLE), Seat("Bernard", 2, AT_TABLE)])
        with game_at(table := Table(), log, game) as (running, turn):
            news: list[str] = []
            shown: list[int] = []

            def fails(update: Update) -> None:
                assert update.question is not None
                shown.append(update.question.id)
                if len(shown) > 1:
                    raise ScreenFails("its pipe is gone")

            running.watch((None,), each(fails))
            running.watch((None,), each(lambda update: news.extend(render(it.text, ["", ""]) for it in update.news)))
            running.start()
            turn()
            for _ in range(3):
                question = running.session.question
                assert isinstance(question, Menu)
                table.pick(running.session.id, question.seats[0], 0)
                turn()
            assert table.acknowledged() == 3 and len(table.asked()) == 4
            assert len(shown) == 2
        (said,) = [text for text in news if "screen" in text]
        assert "its pipe is gone" in said
        assert audit(log.entries()).games == 1


def test_screens_that_fail_when_they_come_or_leave_twice_end_nothing(tmp_path: Path) -> None:
    def fails(update: Update) -> None:
        raise ScreenFails

    with Log.open(tmp_path / "log.db") as log:
        running = Conductor(log, begin(log, "d21", {}, at_screens(2)), LifeClock())
        running.start()
        updates: list[Update] = []
        leave = console(running).watch((None,), each(updates.append))
        leave_failed = console(running).watch((1,), each(fails))
        running.work()
        question = running.session.question
        assert isinstance(question, Turn)
        for _ in range(2):
            leave()
            leave_failed()
        running.work()
        move = bare(question.moves[0])
        console(running).reply(replies.play(move, id=running.session.id, seat=1))
        running.work()
        assert log.moves(1) == [f"p1 {move}"]
        assert [it.kind for update in updates for it in update.news].count("screen") == 1


def test_simulated_people_that_are_gone_end_the_game_with_a_word(tmp_path: Path) -> None:
    """They get updates like a screen, but nobody presses without them."""
    seated = [Seat("Anne", 1, AT_TABLE, "random"), Seat("Bernard", 2, AT_TABLE, "random")]
    with Log.open(tmp_path / "log.db") as log, open_desk(seated, virtual=True) as keeper:
        game = begin(log, "d21", {}, seated)

        def kill(running: Conductor) -> float:
            if running.session.ply == 1 and keeper._people is not None:
                keeper._people.process.kill()
                keeper._people.process.wait()
            return 0.1

        with pytest.raises(TableError, match="simulated people are gone"):
            play_at(keeper, log, game, hook=kill)
    with Log.read(tmp_path / "log.db") as log:
        assert audit(log.entries()).games == 1


def test_the_witness_of_the_tests_sees_an_acknowledgement_before_the_commit(tmp_path: Path) -> None:
    class Hasty(Conductor):
        def take(self, incoming: Incoming) -> None:
            if isinstance(incoming, TableEvent):
                assert self.client is not None
                self.client.acknowledge(incoming)
            super().take(incoming)

    with Log.open(tmp_path / "log.db") as log:
        game = begin(log, "d21", {}, [Seat("Anne", 1, AT_TABLE), Seat("Bernard", 2, AT_TABLE)])
        with game_at(table := Table(), log, game, Hasty) as (running, turn):
            running.start()
            turn()
            table.pick(running.session.id, 1, 0)
            with pytest.raises(AssertionError, match="event 1 is acknowledged, and the log ends with 0"):
                turn()


def test_the_witness_of_the_tests_sees_a_table_that_is_asked_before_the_commit(tmp_path: Path) -> None:
    class Hasty(Conductor):
        def commit(self, *args, **more):  # type: ignore[no-untyped-def]
            self._table.ask(None)
            super().commit(*args, **more)

    with Log.open(tmp_path / "log.db") as log:
        game = begin(log, "d21", {}, [Seat("Anne", 1, AT_TABLE), Seat("Bernard", 2, AT_TABLE)])
        with game_at(Table(), log, game, Hasty) as (running, _), pytest.raises(AssertionError, match="asked before"):
            running.start()
