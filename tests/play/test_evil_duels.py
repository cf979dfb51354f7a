"""A table that is false in a duel: what it says and cannot be is logged beside the game, and its log stays whole."""

from __future__ import annotations

from pathlib import Path

import pytest
from driving import fabricate
from playing import bodies, seats
from tests.firmware.raw import JournalTable

from tablier.cli.main import main
from tablier.course.seats import AT_SCREEN, Seat
from tablier.judge.audit import audit
from tablier.log.store import Log
from tablier.play.beginning import begin
from tablier.play.game import Conductor
from tablier.play.logged import Logged, log_id
from tablier.table.client import Client
from tablier_fw import wire

TO_THE_DUEL = ("p1 offer 8", "p2 throw 3 flat", "table close")
TRUE = ("lock 1", "lock 2", "open 1", "open 2")
WAYS: dict[str, tuple[tuple[str, ...], int, list[str]]] = {
    "true": (TRUE, 1, []),
    "opens before all are bound": (
        ("lock 1", "open 1", "lock 2", "open 2"),
        2,
        ["a choice is opened, but p2 is not bound"],
    ),
    "opens what it has not bound": (("open 1",), 2, ["a choice is opened, but p1 is not bound"]),
    "binds a place twice": (("lock 1", "bend 1", "lock 2", "open 1", "open 2"), 1, ["place 1 has said it before"]),
    "binds a place twice over a restart of the host": (
        ("lock 1", "restart", "bend 1", "lock 2", "open 1", "open 2"),
        1,
        ["place 1 has said it before"],
    ),
    "binds a place again when it is open": (
        ("lock 1", "lock 2", "open 1", "bend 1", "open 2"),
        1,
        ["place 1 has said it before"],
    ),
    "opens falsely": (("lock 1", "lock 2", "false 1"), 2, ["a false opening"]),
    "opens falsely after a restart of the host": (("lock 1", "lock 2", "restart", "false 1"), 2, ["a false opening"]),
    "opens twice": (("lock 1", "lock 2", "open 1", "open 1", "open 2"), 1, ["place 1 has said it before"]),
    "answers for a place that nobody asked": (("lock 3", *TRUE), 1, ["this place has nothing to answer"]),
    "answers another kind of question": (("pick 1", *TRUE), 1, ["a choice is open"]),
    "answers what was never asked": (("ahead 1", *TRUE), 1, ["a question that was not asked"]),
}
"""What the table says of the first choice; how often the choice is asked; and the faults that are logged."""


class EvilTable(JournalTable):
    """Says of the first choice that it is asked what ``deeds`` tell, and is true in the next."""

    def __init__(self, deeds: tuple[str, ...]) -> None:
        super().__init__()
        self.deeds = list(deeds)
        self.choices: list[int] = []
        self.seats = bytes(6)
        self.on("choice", self.choice)

    def choice(
        self, id: int, flags: int, places: int, outside: int, allowed: bytes, who: bytes, colours: bytes
    ) -> None:
        if id in self.choices:
            return
        self.choices.append(id)
        self.seats = who
        if len(self.choices) > 1:
            self.deeds = list(TRUE)
        self.go_on()

    def go_on(self) -> None:
        """Say all up to the next restart of the host."""
        while self.deeds and (deed := self.deeds.pop(0)) != "restart":
            what, place = deed.split()
            self.say(what, int(place))

    def say(self, what: str, place: int) -> None:
        id, nonce, choice = self.choices[-1], bytes([place]) * 16, place % 2
        seat = self.seats[place - 1]
        bound = wire.commitment(self.board, self.boot, id, place, seat, nonce, choice)
        if what in ("lock", "bend"):
            self.event(wire.LOCKED, id, place, bound if what == "lock" else bytes(32))
        elif what in ("open", "false"):
            self.event(wire.OPENED, id, place, nonce, choice if what == "open" else 1 - choice)
        elif what == "pick":
            self.event(wire.PICKED, id, place, 0)
        else:
            self.event(wire.LOCKED, id + 50, place, bound)


def conduct(log: Log, game: int, table: EvilTable, until: int) -> None:
    """Conduct a game until it has so many moves, or for a while."""
    client = Client(table.port, table.clock, log.cursor, Logged(log, game).boot, log=log_id(log))
    client.open()
    running = Conductor(log, game, table.clock, client)
    running.start()
    for _ in range(120):
        for incoming in client.poll(0.05):
            running.take(incoming)
        if running.session.ply >= until:
            break
    client.close()


@pytest.mark.parametrize("way", WAYS)
def test_what_a_table_cannot_say_is_logged_beside_the_game(
    way: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    deeds, asked, faults = WAYS[way]
    table, path = EvilTable(deeds), tmp_path / "log.db"
    table_seats = [Seat(seat.name, number, seat.source) for number, seat in enumerate(seats(3), 1)]
    with Log.open(path) as log:
        begin(log, "d21", {}, [Seat(name, 0, AT_SCREEN) for name in "AB"])
        game = begin(log, "dilemma", {}, table_seats)
        fabricate(log, game, TO_THE_DUEL)
        if "restart" in deeds:
            conduct(log, game, table, 99)
            table.go_on()
        conduct(log, game, table, 5)
        entries = list(log.entries(game))
        moves = log.moves(game)
        report = audit(log.entries())
    table.close()
    logged = [body["why"]["text"].format(**body["why"]["args"]) for body in bodies(entries, "fault")]
    assert [why[: len(fault)] for why, fault in zip(logged, faults, strict=True)] == faults
    assert len(table.choices) == asked, "a false opening is asked again, and nothing else"
    assert moves[3:] == ["p1 duel conflict", "p2 duel peace"], "what the true ones have led to"
    assert report.games == 2, "both games stand"
    assert main(["log", "verify", "--log", str(path)]) == 0
    assert "whole and in order" in capsys.readouterr().out
