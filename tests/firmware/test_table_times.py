"""Times that a table says: whatever they are, the log stays one that can be read, resumed and verified."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.firmware.raw import FakeTable

from tablier.course.seats import Seat
from tablier.judge.audit import examine
from tablier.log.store import Log
from tablier.play.beginning import begin
from tablier.play.game import Conductor
from tablier.play.logged import log_id
from tablier.table.client import Client
from tablier_fw import wire


@pytest.mark.parametrize(("clock_us", "time_us"), [(wire.MAX_TIME, 0), (0, wire.MAX_TIME)], ids=["before", "after"])
def test_a_log_can_be_read_whatever_time_a_table_says(tmp_path: Path, clock_us: int, time_us: int) -> None:
    """``clock_us``: what it says of its clock; ``time_us``: of the event."""
    table = FakeTable()
    table.on("host_hello", lambda *_: table.hello())
    table.on("ping", lambda asked: table.send(wire.PONG, asked, clock_us))
    seats = [Seat("Anne", 1, "table"), Seat("Bernard", 2, "table")]
    with Log.open(tmp_path / "log.db") as log:
        game = begin(log, "struggle", {}, seats)
        for number in (1, 2):  # and once more, resumed
            client = Client(table.port, table.clock, log.cursor, log=log_id(log))
            client.open()
            conductor = Conductor(log, game, table.clock, client)
            conductor.start()
            for _ in range(5):
                conductor.work()
                for incoming in client.poll(0.01):
                    conductor.take(incoming)
            if number == 1:
                while log.cursor(table.boot.hex()) < 1:
                    table.send(wire.PRESSED, 1, time_us, max(1, conductor.session.id), 1, wire.A)
                    for incoming in client.poll(0.01):
                        conductor.take(incoming)
            conductor.close()
            client.close()
        assert not examine(log.entries()).wrong
    table.close()
