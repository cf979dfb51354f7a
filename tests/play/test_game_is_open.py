"""A table is told that a game is open whenever it has nothing to ask: its service mode takes a hand then."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from broken_off import LAST_TURNS, ending_with
from playing import a_table, play
from playing import begin as begin_late
from pressed import Table, game_at

from tablier.course.seats import AT_SCREEN, AT_TABLE, Seat
from tablier.games.core.questions import Turn
from tablier.log.store import Log
from tablier.play.beginning import begin
from tablier.table.client import Client
from tablier_fw import wire


def test_while_a_seat_at_a_screen_is_asked_the_table_hears_that_a_game_is_open(tmp_path: Path) -> None:
    seats = [Seat("Anne", 1, AT_TABLE), Seat("Bernard", 2, AT_SCREEN)]
    with Log.open(tmp_path / "log.db") as log:
        game = begin(log, "d21", {}, seats)
        with game_at(table := Table(), log, game) as (running, turn):
            running.start()
            turn()
            while not isinstance(running.session.question, Turn):
                table.pick(running.session.id, 1, 0)
                turn()
            assert running.session.question.seats == (2,)
            table.act()
            assert [values[1:] for name, _, values in table.heard if name == "idle"] == [(wire.CALL, 1)]


def test_when_it_is_over_the_table_hears_that_none_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    meant, made = ending_with(LAST_TURNS)
    idles: list[tuple[Any, ...]] = []
    want = Client.want

    def wants(self: Client, message: wire.Message, *values: Any) -> None:
        if message is wire.IDLE:
            idles.append(values[1:])
        want(self, message, *values)

    monkeypatch.setattr(Client, "want", wants)
    with Log.open(tmp_path / "log.db") as log, a_table(seed=17) as table:
        play(log, begin_late(log, meant, made), table, meant.moves)
    assert idles[-1] == (0, False)
