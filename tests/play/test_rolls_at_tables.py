"""Games whose chance is rolled at a simulated table or entered there, while it resets; and evil tables."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from chaos import FAULTS, Chaos
from playing import bodies, play
from rolling import ROLLS, leave, seats
from tests.firmware.raw import FakeTable, JournalTable

import replies
from ports import Hook, Stopped, play_at, until
from sample import sample, thorough
from tablier.cli.main import main
from tablier.course.chance import Sources
from tablier.course.seats import Seat
from tablier.judge.audit import audit
from tablier.judge.redaction import story
from tablier.keeper.desk import Desk
from tablier.log.store import Log
from tablier.play.beginning import begin
from tablier.play.game import Conductor
from tablier.play.logged import log_id
from tablier.simulation.simulated import SimulatedTable
from tablier.table.client import Client
from tablier.table.unusable import TableError
from tablier_fw import rolls, wire


def played(path: Path, game: str, seated: list[Seat], sources: Sources, hook: Hook, table: SimulatedTable) -> None:
    with Log.open(path) as log:
        number = begin(log, game, {}, seated, seed="ab" * 32, sources=sources)
        with suppress(Stopped):  # or the game is over
            play(log, number, table, None, hook=hook)


@thorough
@pytest.mark.parametrize(
    ("game", "sources", "by"),
    [
        ("struggle", Sources(("tally", "roll"), "roll"), {"tally", "roll"}),
        ("struggle", Sources(("roll", "host", "tally"), "tally"), {"roll", "tally", "host"}),
        ("roudalon", Sources(("roll",) * 4), {"roll"}),
        ("dicke-daemonen", Sources(("host",) * 2, "tally"), {"tally"}),
        ("dicke-daemonen", Sources(("host",) * 2, "roll"), {"roll"}),
    ][:: sample(5, 1)],
)
def test_people_roll_and_enter_dice_by_buttons(game: str, sources: Sources, by: set[str], tmp_path: Path) -> None:
    with SimulatedTable(virtual=True) as table:
        seated = seats(len(sources.dice))
        played(tmp_path / "log.db", game, seated, sources, until(12), table)
    with Log.read(tmp_path / "log.db") as log:
        entries = list(log.entries())
        report = audit(entries)
    assert report.games == 1 and report.aborted == 0 and (report.rolls > 0) == ("roll" in by)
    assert {body["by"] for body in bodies(entries, "move") if body["text"].startswith("table ")} == by


@thorough
@pytest.mark.parametrize("resets", sample([2], [1, 2]))
def test_a_roll_over_a_reset_is_aborted_counted_and_rolled_again(
    resets: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """After the second in a game the people are offered the host's seed, and these agree."""
    done: list[Any] = []

    with SimulatedTable(virtual=True) as table:

        def reset(running: Conductor) -> float:
            if running.session.open.rolling and len(done) < resets and running.session.id not in done:
                done.append(running.session.id)
                table.say("reset")
            return 0.02

        played(tmp_path / "log.db", "struggle", seats(2), ROLLS, until(10, reset), table)
    with Log.read(tmp_path / "log.db") as log:
        entries = list(log.entries())
        report = audit(entries)
    assert [body["id"] for body in bodies(entries, "aborted")] == done and len(done) == resets
    sources = bodies(entries, "source")
    assert sources == ([{"dice": ["host", "host"], "bag": "host"}] if resets == 2 else [])
    assert report.aborted == resets and (report.rolls > 0) == (resets == 1)
    assert main(["log", "verify", "--log", str(tmp_path / "log.db")]) == 0
    told = capsys.readouterr().out
    assert f"{report.rolls} rolls of a table derived again; {resets} aborted" in told
    lost = sum(body["lost"] for body in bodies(entries, "gap"))
    one, many = f"; {lost} event went with a restart of a table;", f"; {lost} events went with restarts of a table;"
    assert (one if lost == 1 else many) in told if lost else "went with" not in told


@thorough
def test_rolls_survive_bad_lines_cables_and_resets(tmp_path: Path) -> None:
    with SimulatedTable(virtual=True) as table:
        Log.open(tmp_path / "log.db").close()
        table.say(FAULTS)
        chaos = Chaos(table, tmp_path / "log.db", 3, {"unplug": 3, "reset": 2}, 0.6)
        played(tmp_path / "log.db", "struggle", seats(2), ROLLS, until(16, chaos), table)
        assert dict(chaos.done) == {"unplug": 3, "reset": 2}
    with Log.read(tmp_path / "log.db") as log:
        report = audit(log.entries())
    assert report.games == 1 and report.rolls > 3


def test_a_roll_survives_a_host_that_is_killed_between_its_parts(tmp_path: Path) -> None:
    """What is bound stays bound: no other bytes are contributed."""
    with SimulatedTable(virtual=True) as table, Log.open(tmp_path / "log.db") as log:
        number = begin(log, "struggle", {}, seats(2), sources=ROLLS)
        for _ in range(3):
            with pytest.raises(KeyboardInterrupt):
                play(log, number, table, None, hook=until(200, leave))
        with pytest.raises(Stopped):
            play(log, number, table, None, hook=until(log.game(number).moves + 12))
        entries = list(log.entries(number))
        assert audit(log.entries()).aborted == 0
    added = [body["id"] for body in bodies(entries, "contribution")]
    assert len(added) == len(set(added)) >= 3


def test_what_a_secret_roll_is_made_of_is_withheld_like_what_was_drawn(tmp_path: Path) -> None:
    seated = seats(2)
    with SimulatedTable(virtual=True) as table:
        told: list[Any] = []
        with Log.open(tmp_path / "log.db") as log:
            number = begin(log, "dicke-daemonen", {}, seated, sources=Sources(bag="roll"))
            with pytest.raises(Stopped):
                play(log, number, table, None, hook=until(6), watch=told.append, people=False)
            shown = story(log, log.game(number)).told
            revealed = story(log, log.game(number), reveal=True).told
    secret = [
        it
        for it in shown
        if it.entry.kind == "contribution" or it.entry.body.get("event") in (replies.COMMITTED, replies.REVEALED)
    ]
    assert len(secret) >= 9 and all(it.withheld for it in secret)
    assert not any(it.withheld for it in revealed)
    nonces = [it.entry.body["nonce"] for it in secret if "nonce" in it.entry.body]
    added = [it.entry.body["bytes"] for it in secret if "bytes" in it.entry.body]
    for each in (*nonces, *added):
        assert each not in repr(told)


def test_a_table_without_rolls_is_told_so_before_a_game_begins(tmp_path: Path) -> None:
    table = FakeTable()
    table.on("host_hello", lambda *_: table.hello(abilities=wire.CAN_MENU | wire.CAN_POLL | wire.CAN_CHOOSE))
    seated = seats(4)
    keeper = Desk(seated, table.port)
    keeper.clock = table.clock
    with Log.open(tmp_path / "log.db") as log:
        number = begin(log, "roudalon", {}, seated, sources=Sources(("roll", "roll", "tally", "roll")))
        with pytest.raises(TableError, match="does not have: tally, roll, given tally, tumbling roll;"):
            play_at(keeper, log, number)
    table.close()


# -- evil tables ---------------------------------------------------------------------------------------------------


def conduct(log: Log, game: int, table: FakeTable, turns: int) -> None:
    """Conduct a game at a table for so many turns of the loop."""
    client = Client(table.port, table.clock, log.cursor, log=log_id(log))
    client.open()
    conductor = Conductor(log, game, table.clock, client)
    conductor.start()
    for _ in range(turns):
        for incoming in client.poll(0.05):
            conductor.take(incoming)
    client.close()


class EvilTable(JournalTable):
    """Takes part in rolls as ``way`` says."""

    def __init__(self, way: str) -> None:
        super().__init__()
        self.way = way
        self.nonce = bytes(range(16))
        self.asked: list[int] = []
        self.first: tuple[bytes, bytes]
        self.on("roll", self.roll)
        self.on("contribution", self.contribute)

    def roll(self, id: int, flags: int, place: int, audience: int, ranges: bytes) -> None:
        if id in self.asked:
            return
        self.asked.append(id)
        self.place = place
        if len(self.asked) == 2 and self.way == "replays its nonce":
            self.nonce = self.first[1]
        self.bound = rolls.commitment(self.board, self.boot, id, place, ranges, self.nonce)
        if len(self.asked) == 1:
            self.first = self.bound, self.nonce
        elif len(self.asked) == 2 and self.way == "replays its commitment":
            self.bound = self.first[0]
        elif len(self.asked) == 2 and self.way == "late":
            self.event(wire.REVEALED, self.asked[0], place, self.first[1])
        if self.way == "early" and len(self.asked) == 1:
            self.event(wire.REVEALED, id, place, self.nonce)
        self.event(wire.COMMITTED, id, place, self.bound, len(self.asked))
        if self.way == "twice" and len(self.asked) == 1:
            self.event(wire.COMMITTED, id, place, bytes(32), len(self.asked) + 1)
        if self.way == "reordered" and len(self.asked) == 1:
            self.event(wire.REVEALED, id, place, self.nonce)

    def contribute(self, id: int, commitment: bytes, added: bytes) -> None:
        assert commitment == self.bound
        if self.way == "refuses" and len(self.asked) == 1:
            message = wire.CONTRIBUTION
            revision = wire.revision(message, message.encode(id, commitment, added))
            self.send(wire.REFUSED, message.code, wire.OUTSIDE_SLOT, revision, wire.NO_FIELD, wire.UNDUE)
            return
        if self.way == "unopened":
            return
        nonce = bytes(16) if self.way == "false" and len(self.asked) == 1 else self.nonce
        self.event(wire.REVEALED, id, self.place, nonce)
        if self.way == "repeated":
            self.event(wire.REVEALED, id, self.place, nonce)
        self.nonce = bytes(byte ^ len(self.asked) for byte in self.nonce)


@pytest.mark.parametrize(
    ("way", "asked", "aborted", "faults"),
    [
        ("true", 1, 0, 0),
        ("early", 3, 1, 2),  # of a nonce that was told too early the next roll is made: that is refused, too
        ("reordered", 1, 0, 1),
        ("twice", 1, 0, 1),
        ("false", 2, 1, 1),
        ("refuses", 2, 1, 0),
        ("repeated", 1, 0, 1),
        ("unopened", 1, 0, 0),
    ],
)
def test_an_evil_table_bends_no_roll(way: str, asked: int, aborted: int, faults: int, tmp_path: Path) -> None:
    """What it deviates in is logged; what follows is what both have rolled, or the roll is asked again."""
    table = EvilTable(way)
    seated = seats(2)
    with Log.open(tmp_path / "log.db") as log:
        number = begin(log, "struggle", {}, seated, sources=Sources(("roll", "roll"), "host"))
        conduct(log, number, table, 400)
        entries = list(log.entries(number))
        rolled = [body["text"] for body in bodies(entries, "move") if body["by"] == "roll"]
        assert len(rolled) == (0 if way == "unopened" else 1)
        assert len(bodies(entries, "aborted")) == aborted
        assert len(bodies(entries, "fault")) == faults
        report = audit(log.entries())
        assert (report.rolls, report.aborted) == (len(rolled), aborted)
    assert len(set(table.asked)) == asked
    table.close()


@pytest.mark.parametrize(
    ("way", "asked", "aborted", "faults"),
    [("true", 2, 0, 0), ("replays its nonce", 3, 1, 1), ("replays its commitment", 3, 1, 1), ("late", 2, 0, 1)],
)
def test_an_evil_table_bends_no_roll_by_the_one_before(
    way: str, asked: int, aborted: int, faults: int, tmp_path: Path
) -> None:
    """What it said of a roll that is over is refused in the next one, logged, and counted where a roll is aborted."""
    table = EvilTable(way)
    with Log.open(tmp_path / "log.db") as log:
        chance = Sources(("host", "host"), "roll")
        number = begin(log, "struggle", {"first": "p1"}, seats(2), sources=chance)  # no lot is rolled before the deals
        conduct(log, number, table, 400)
        entries = list(log.entries(number))
        dealt = [body["text"].split()[:3] for body in bodies(entries, "move") if body["by"] == "roll"]
        assert dealt == [["table", "deal", "p1"], ["table", "deal", "p2"]]
        assert (len(bodies(entries, "aborted")), len(bodies(entries, "fault"))) == (aborted, faults)
        report = audit(log.entries())
        assert (report.rolls, report.aborted) == (2, aborted)
    assert len(set(table.asked)) == asked
    table.close()


def test_the_host_contributes_what_it_has_logged_and_nothing_before(tmp_path: Path) -> None:
    table = EvilTable("true")
    with Log.open(tmp_path / "log.db") as log:
        number = begin(log, "struggle", {}, seats(2), sources=Sources(("roll", "roll"), "host"))
        said: list[tuple[int, bytes]] = []

        def contribute(id: int, commitment: bytes, added: bytes) -> None:
            entries = list(log.entries(number))
            assert {"id": id, "bytes": added.hex()} in bodies(entries, "contribution")
            assert bodies(entries, "table", replies.COMMITTED)[-1]["commitment"] == commitment.hex()
            said.append((id, added))

        table.on("contribution", contribute)
        conduct(log, number, table, 100)
        names = [name for name, *_ in table.heard]
        assert said and names.index("ack", names.index("roll")) < names.index("contribution")
    table.close()
