"""A table that says of a place that it stands where its menu has no option, or where nobody may know it."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs
from pressed import Table, game_at

from ports import each
from tablier.course.seats import AT_TABLE, Seat
from tablier.games.core import Position
from tablier.games.core.questions import Conditions, Menu, Script
from tablier.log.store import Log
from tablier.messages import Update
from tablier.play.beginning import begin
from tablier.play.game import Conductor
from tablier.table.incoming import Walked
from tablier.texts import Text, render
from tablier_fw import wire


def test_a_cursor_in_a_secret_menu_is_a_fault_of_the_table(tmp_path: Path) -> None:
    """Where a place stands could say what it holds: no viewer learns it."""

    def script(position: Position[Any], conditions: Conditions) -> Script:
        menu = Menu("turn", (1,), Text("Pick."), options=(Text("red"), Text("blue")), labels=(1, 2), secret=True)
        while True:
            yield menu

    with Log.open(tmp_path / "log.db") as log:
        game = begin(log, "d21", {}, [Seat("Anne", 1, AT_TABLE), Seat("Bernard", 2, AT_TABLE)])
        with game_at(table := Table(), log, game, partial(Conductor, script=script)) as (running, turn):
            updates: list[Update] = []
            running.watch((None,), each(updates.append))
            running.start()
            turn()
            for option in (1, 0):
                table.send(wire.CURSOR, running.session.id, 1, option)
                turn()
            (fault,) = [entry.body for entry in log.entries() if entry.kind == "warning"]
            assert (fault["what"], fault["why"]["text"]) == ("cursor", "nobody may know where its places stand")
            asked = [update.question for update in updates if update.question is not None]
            assert len(asked) == len(updates) and not any("walked" in structs.asdict(each) for each in asked)


@pytest.mark.parametrize(("place", "option"), [(1, 12), (1, 200), (2, 0), (6, 0), (0, 0)])
def test_a_cursor_out_of_its_menu_is_a_fault_of_the_table(tmp_path: Path, place: int, option: int) -> None:
    """Also where the client knows nothing of the question, and lets everything pass."""
    with Log.open(tmp_path / "log.db") as log:
        game = begin(log, "d21", {}, [Seat("Anne", 1, AT_TABLE), Seat("Bernard", 2, AT_TABLE)])
        with game_at(table := Table(), log, game) as (running, turn):
            said: list[str] = []
            running.watch((None,), each(lambda update: said.extend(render(it.text, ["", ""]) for it in update.news)))
            running.start()
            turn()
            question = running.session.question
            assert isinstance(question, Menu) and question.seats == (1,)
            for _ in range(3):
                running.take(Walked(running.session.id, place, option))
                turn()
            faults = [entry for entry in log.entries() if entry.kind == "warning"]
            assert [entry.body["what"] for entry in faults] == ["cursor"]
            assert len([text for text in said if "impossible" in text]) == 1
            table.send(wire.CURSOR, running.session.id, 1, 1)
            table.pick(running.session.id, 1, 0)
            turn()
            assert table.acknowledged() == 1
