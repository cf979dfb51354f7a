"""The picture that a log leads to is the one that the table shows, and what a log has not shows in it."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from playing import bodies, play
from rolling import ROLLS, leave, seats
from tests.firmware.raw import RawHost

import replies
from ports import Stopped, until
from sample import sample, thorough
from tablier.cli.main import main
from tablier.course.chance import Sources
from tablier.judge.audit import audit
from tablier.judge.sealing import LEGEND, drawing, letters
from tablier.log.boots import Boots
from tablier.log.chain import Entry
from tablier.log.store import Log
from tablier.play.beginning import begin
from tablier.play.game import Conductor
from tablier.simulation.eyes import is_marked
from tablier.simulation.simulated import SimulatedTable
from tablier.table.client import Client
from tablier.texts import render, text_from
from tablier_fw import colours, wire

SEAL = [bytes(colours.option_look(index)).hex() for index in colours.SEAL]
COUNTS = ("begun", "revealed", "acknowledged", "abandoned")


class Inspector:
    """Somebody who presses the service button when the game is over, and reads what the table says of itself."""

    def __init__(self, table: SimulatedTable, log: bytes = b"inspects") -> None:
        self.table, self.host = table, RawHost(table)
        self.host.hello(log=log)
        self.host.listen(2.5)  # an outcome that stands is seen first

    def picture(self) -> list[int]:
        """Return the picture on the ring, as numbers from 0 to 7."""
        self.table.say("service on")
        self.host.listen(0.2)
        self.table.say("service off")
        return [SEAL.index(colour) for colour in self.table.tester.pixels()["ring"]]

    def counts(self) -> list[int]:
        status = self.host.status()
        return [status[name] for name in COUNTS]

    def roll(self) -> None:
        """Have the table roll for nobody, as a host that keeps another log."""
        self.host.send(wire.ROLL, 1, 0, 0, wire.NOBODY, b"\6\0")
        committed = next(values for _, name, _, values in self.host.listen(1.5) if name == "committed")
        self.host.send(wire.ACK, committed["number"])
        self.host.send(wire.CONTRIBUTION, 1, committed["commitment"], bytes(16))
        revealed = next(values for _, name, _, values in self.host.listen(0.3) if name == "revealed")
        self.host.send(wire.ACK, revealed["number"])
        self.host.listen(2.2)

    def close(self) -> None:
        self.host.close()


def leave_unheard(running: Conductor) -> float:
    """The same, before the host's contribution has reached the table."""
    running._table.contribute = lambda: None  # type: ignore[method-assign]
    return leave(running)


def inspected(table: SimulatedTable) -> tuple[list[int], list[int]]:
    inspector = Inspector(table)
    found = inspector.picture(), inspector.counts()
    inspector.close()
    return found


def entries_of(path: Path) -> list[Entry]:
    with Log.read(path) as log:
        return list(log.entries())


@thorough
def test_a_log_whose_host_was_killed_has_the_picture_that_the_table_shows(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "log.db"
    with SimulatedTable(virtual=True) as table:
        with Log.open(path) as log:
            number = begin(log, "struggle", {}, seats(2), sources=ROLLS)
            for _ in range(2):
                with pytest.raises(KeyboardInterrupt):
                    play(log, number, table, None, hook=until(200, leave))
            with pytest.raises(Stopped):
                play(log, number, table, None, hook=until(log.game(number).moves + 8))
        picture, counts = inspected(table)
    entries = entries_of(path)
    rolled = len(bodies(entries, "table", replies.COMMITTED))
    assert rolled > 4 and counts == [rolled, rolled, rolled, 0]
    assert [body["roll"] for body in bodies(entries, "table", replies.COMMITTED)] == list(range(1, rolled + 1))
    assert not bodies(entries, "warning"), "the host has compared both counts at each start"
    boot = Boots(entries).latest
    assert boot is not None and boot.picture == picture and not boot.missing_events and not boot.missing_rolls
    assert main(["log", "verify", "--log", str(path)]) == 0
    told = capsys.readouterr().out
    assert all(line in told for line in drawing(picture)) and str(LEGEND) in told and boot.boot in told


def test_a_roll_that_is_cut_out_of_a_log_changes_its_picture_and_is_named(tmp_path: Path) -> None:
    path = tmp_path / "log.db"
    with SimulatedTable(virtual=True) as table:
        with Log.open(path) as log, suppress(Stopped):
            play(log, begin(log, "struggle", {}, seats(2), sources=ROLLS), table, None, hook=until(8))
        picture, _ = inspected(table)
    entries = entries_of(path)
    assert Boots(entries).latest.picture == picture  # type: ignore[union-attr]
    ids = {body["id"] for body in bodies(entries, "table", replies.COMMITTED)[1:3]}
    kept = [entry for entry in entries if entry.body.get("id") not in ids]
    boot = Boots(kept).latest
    assert boot is not None and boot.picture != picture
    assert boot.missing_rolls == [(2, 3)] and list(map(str, boot.gaps())) == [
        f"events 3 to 6 of boot {boot.boot} are not in this log",
        f"rolls 2 to 3 are missing from boot {boot.boot} in this log",
    ]
    last = max(n for n, it in enumerate(entries) if it.body.get("event") == replies.COMMITTED)
    for number in (0, 1, entries[last].body["roll"] + 1):
        entry = replace(entries[last], body={**entries[last].body, "roll": number})
        assert len(audit([*entries[:last], entry, *entries[last + 1 :]]).unchecked) == 1, number
    for event, field in ((replies.COMMITTED, "commitment"), (replies.REVEALED, "nonce"), ("contribution", "bytes")):
        at = next(n for n, it in enumerate(entries) if event in (it.kind, it.body.get("event")))
        body = entries[at].body
        changed = replace(entries[at], body={**body, field: "ee" + body[field][2:]})
        assert Boots([*entries[:at], changed, *entries[at + 1 :]]).latest.picture != picture  # type: ignore[union-attr]


@thorough
def test_rolls_for_another_log_are_named_and_the_picture_differs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "log.db"
    with SimulatedTable(virtual=True) as table:
        with Log.open(path) as log:
            number = begin(log, "struggle", {}, seats(2), sources=ROLLS)
            with pytest.raises(Stopped):
                play(log, number, table, None, hook=until(4))
            other = Inspector(table)
            other.roll()
            other.close()
            with pytest.raises(Stopped):
                play(log, number, table, None, hook=until(8))
        picture, _ = inspected(table)
    entries = entries_of(path)
    boot = Boots(entries).latest
    assert boot is not None and boot.picture != picture and len(boot.missing_rolls) == 1 and boot.missing_events
    (_, gap) = boot.gaps()
    assert gap in audit(entries).unchecked
    assert main(["log", "verify", "--log", str(path)]) == 3
    told = capsys.readouterr().out
    ((first, last),) = boot.missing_events
    assert f"missing: {last - first + 1} events and 1 roll of a table; head " in told and "whole" not in told
    assert not bodies(entries, "warning"), "that other events are in another log is said already"


@pytest.mark.parametrize("when", sample(["at the start"], ["at the start", "at the end"]))
def test_a_table_that_counts_other_rolls_than_the_log_is_told_of_and_the_audit_says_so(
    when: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The table says that it has begun one more roll and dropped it: of the first status on, or of the end on."""
    path, told = tmp_path / "log.db", Counter[str]()
    take_status, want, asked = Client._take_status, Client.want, list[wire.Message]()

    def wants(self: Client, message: wire.Message, *values: Any) -> None:
        if wire.slot_of(message, message.encode(*values)) == wire.QUESTION_SLOT:
            asked[:] = [message]
        want(self, message, *values)

    def count_more(self: Client, status: dict[str, Any]) -> None:
        more = asked == [wire.IDLE] or when == "at the start"
        take_status(self, {**status, "begun": status["begun"] + more, "abandoned": status["abandoned"] + more})

    monkeypatch.setattr(Client, "_take_status", count_more)
    monkeypatch.setattr(Client, "want", wants)
    with SimulatedTable(virtual=True) as table, Log.open(path) as log:
        number = begin(log, "roudalon", {"first": "p1"}, seats(4), sources=Sources(("roll",) * 4))
        with suppress(Stopped):
            play(
                log,
                number,
                table,
                None,
                hook=until(2 if when == "at the start" else 999),
                watch=lambda update: told.update(render(it.text, "ABCD") for it in update.news),
            )
    entries = entries_of(path)
    (warning,) = bodies(entries, "warning")
    rolled = len(bodies(entries, "table", replies.COMMITTED)) if when == "at the end" else 0
    assert warning["what"] == "rolls" and warning["counts"] == [rolled + 1, rolled, rolled, 1]
    assert told[str(text_from(warning["why"]))] == 1
    (sentence,) = (text for text in map(str, audit(entries).unchecked) if "counted" in text)
    boot = bodies(entries, "table", "hello")[0]["boot"]
    counts = f"{rolled + 1}, {rolled}, {rolled}, 1"
    assert sentence.startswith(
        f"the table counted {counts} rolls begun, revealed, acknowledged and abandoned in boot {boot}"
    )
    assert main(["log", "verify", "--log", str(path)]) == 3
    told_of = capsys.readouterr().out
    assert sentence in told_of and "entries, in order; missing: 1 roll of a table; head " in told_of


@thorough
@pytest.mark.parametrize(
    "leaving",
    [
        *sample([], [pytest.param(leave, id="revealed meanwhile")]),
        pytest.param(leave_unheard, id="never revealed"),
    ],
)
def test_a_roll_that_the_host_abandons_is_logged_as_aborted_and_pressed_away(leaving: Any, tmp_path: Path) -> None:
    """A game is left while its dice tumble, another one is played at the table, and the first is resumed."""
    seen: Counter[str] = Counter()
    path = tmp_path / "log.db"
    with SimulatedTable(virtual=True) as table:

        def look(running: Conductor) -> float:
            seen["sign"] += is_marked(table.tester.pixels()["ring"])
            return 0.05

        with Log.open(path) as log:
            first = begin(log, "struggle", {}, seats(2), sources=ROLLS)
            with pytest.raises(KeyboardInterrupt):
                play(log, first, table, None, hook=until(200, leaving))
            second = begin(log, "struggle", {}, seats(2), sources=ROLLS)
            with pytest.raises(Stopped):
                play(log, second, table, None, hook=until(6, look))
            assert (seen["sign"] > 5) == (leaving is leave_unheard), "it is seen, and then pressed away"
            with pytest.raises(Stopped):
                play(log, first, table, None, hook=until(6, look))
        picture, counts = inspected(table)
    entries = entries_of(path)
    committed, revealed = (len(bodies(entries, "table", event)) for event in (replies.COMMITTED, replies.REVEALED))
    assert counts == [committed, revealed, revealed, committed - revealed]
    assert counts[3] == (leaving is leave_unheard)
    assert not bodies(entries, "warning"), "the counts of an abandoned roll agree, too"
    assert bodies(entries, "aborted") and audit(entries).aborted >= 1
    boot = Boots(entries).latest
    assert boot is not None and boot.picture == picture and not boot.gaps()


def test_a_drawing_goes_clockwise_around_the_ring() -> None:
    picture = [n % 8 for n in range(8)] * 4
    lines = drawing(picture)
    assert lines[0].split() == letters() and lines[-1].split() == letters()[::-1]
    assert "".join(line.split()[-1] for line in lines[1:-1]) == "".join(letters())
    assert "".join(line.split()[0] for line in lines[1:-1]) == "".join(letters()[::-1])
    plain = [line.encode() for line in drawing(picture, colour=True)]
    assert all(b"\x1b[48;2;" in line and line.endswith(b"\x1b[0m") for line in plain)


@pytest.mark.parametrize(
    "change",
    [{"roll": "x"}, {"roll": -1}, {"roll": 10**30}, {"commitment": "zz"}, {"id": None}, {"place": 999}, {"event": []}],
)
def test_whatever_a_log_holds_a_seal_is_drawn_without_a_traceback(change: dict[str, Any]) -> None:
    hello = {"event": "hello", "board": "11" * 8, "boot": "22" * 8, "version": ""}
    body = {**replies.commit_roll("33" * 32, id=3, place=1, roll=1), "time": ""}
    entries = [
        Entry(1, 1, "", "table", hello, ""),
        Entry(2, 1, "", "table", {**body, **change}, "", "22" * 8, 1),
    ]
    boots = Boots(entries)
    assert boots.latest is not None and len(boots.latest.picture) == 32
    boots.gaps()
