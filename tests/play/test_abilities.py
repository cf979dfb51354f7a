"""A table that cannot do what a game needs is told so before anything is asked of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.firmware.raw import FakeTable

from ports import play_at
from tablier.course.seats import AT_TABLE, Seat
from tablier.keeper.desk import Desk
from tablier.log.store import Log
from tablier.play.beginning import begin
from tablier.table.unusable import TableError
from tablier_fw import wire

EVERY_GAME = wire.CAN_MENU | wire.CAN_POLL | wire.CAN_CHOOSE


@pytest.mark.parametrize(
    ("game", "has", "lacks"),
    [
        ("dilemma", EVERY_GAME, "window"),
        ("dilemma", wire.CAN_WINDOW | wire.CAN_MENU, "choice, poll"),
        ("d21", wire.CAN_WINDOW | wire.CAN_POLL | wire.CAN_CHOOSE, "menu"),
    ],
)
def test_what_the_table_lacks_is_named_when_a_game_begins_and_when_it_resumes(
    game: str, has: int, lacks: str, tmp_path: Path
) -> None:
    seats = [
        Seat(name, place, AT_TABLE) for place, name in enumerate(("Anne", "Bob", "Cleo")[: 2 + (game != "d21")], 1)
    ]
    table = FakeTable()
    table.on("host_hello", lambda *_: table.hello(abilities=has))
    keeper = Desk(seats, table.port)
    keeper.clock = table.clock
    with Log.open(tmp_path / "log.db") as log:
        number = begin(log, game, {}, seats)
        count = log.verify()
        for _ in range(2):
            with pytest.raises(TableError) as caught:
                play_at(keeper, log, number)
            assert str(caught.value) == (
                f"{table.port}: {game} needs what the table's firmware (9.9.9) does not have: {lacks};"
                " put newer firmware on the table"
            )
        assert log.verify() == count
    assert {name for name, *_ in table.heard} <= {"host_hello", "ack", "ping"}
    table.close()
