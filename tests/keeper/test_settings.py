"""How loud and how bright a table is: set at the keeper or by a command, at once and for each later game."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.firmware.raw import FakeTable

from awaiting import await_pixels
from kept import kept, linked
from ports import open_desk
from tablier.cli import table as command
from tablier.cli.main import main
from tablier.course.seats import AT_TABLE, Seat
from tablier.keeper.client import KeeperError, Link
from tablier.keeper.desk import Desk
from tablier.log.store import Log
from tablier.messages import Program, Updates
from tablier.play.beginning import begin
from tablier.simulation.simulated import SimulatedTable
from tablier.table import settings
from tablier.table.settings import Settings
from tablier_fw import wire

SEATS = [{"name": name, "place": at, "source": "table"} for at, name in enumerate(("Anne", "Bernard", "Christine"), 1)]


@pytest.fixture(scope="module")
def table() -> Iterator[SimulatedTable]:
    with SimulatedTable() as table:
        yield table


def play(link: Link, table: SimulatedTable) -> int:
    """Begin a game of three people at a table, and wait until it is asked there."""
    game = int(link.call("play", {"game": "dilemma", "seats": SEATS, "table": {"port": table.first_port}})["game"])
    link.call("watch", {"game": game, "viewers": [None]})
    await_pixels(table.tester, lambda pixels: lit(pixels["public"]) >= 1 and lit(pixels["ring"]) >= 1)
    return game


def lit(pixels: list[str]) -> int:
    """Return the brightest channel of some pixels."""
    return max(max(bytes.fromhex(pixel)) for pixel in pixels)


def test_a_running_game_is_dimmed_at_once_and_a_later_one_begins_so(log: Path, table: SimulatedTable) -> None:
    with kept(log), linked(log) as link:
        game = play(link, table)
        bright = lit(at_rest(table))
        told = link.call("settings", {"table": table.board, "light": 25, "volume": 1})
        assert told == {"table": table.board, "volume": 1, "mute": False, "light": 25, "why": None}
        await_pixels(table.tester, lambda pixels: lit(pixels["ring"]) == bright * 64 // 256)
        link.call("stop", {"game": game})
    with kept(log), linked(log) as link:  # another keeper
        table.say("reset")
        play(link, table)
        assert lit(table.tester.pixels()["ring"]) == bright * 64 // 256
        link.call("settings", {"table": table.board, "light": 100})
        await_pixels(table.tester, lambda pixels: lit(pixels["ring"]) == bright)
        assert link.call("settings", {"table": table.board})["volume"] == 1, "what is left out stays"
        assert link.call("settings", {"table": "simulated"})["volume"] == Settings().volume, "another table"
    with Log.read(log) as read:
        read.verify()
        assert not [entry for entry in read.entries() if "light" in entry.body]


def at_rest(table: SimulatedTable) -> list[str]:
    """Return the ring when it has not changed for half a second."""
    before: list[str] = []
    ring = list(table.tester.pixels()["ring"])
    while ring != before:
        table.tester.wait(0.5)
        before, ring = ring, list(table.tester.pixels()["ring"])
    return ring


def test_what_cannot_be_set_is_refused_by_its_name(log: Path) -> None:
    with kept(log), linked(log) as link:
        for wrong, why in (
            ({"light": 24}, "light is 24; allowed: 25 to 100 percent"),
            ({"light": "50"}, "light"),
            ({"volume": 0}, "volume is 0; allowed: 1 to 3"),
            ({"volume": True}, "volume"),
            ({"mute": 1}, "mute"),
            ({"table": "here"}, "table is 'here'; allowed: a board's 16 digits"),
            ({"loud": 1}, "loud"),
        ):
            with pytest.raises(KeeperError, match=why):
                link.call("settings", {"table": "simulated", **wrong})
        told = link.call("settings", {"table": "simulated"})
        assert told == {"table": "simulated", **Settings().to_json(), "why": None}


def test_what_a_log_keeps_and_cannot_be_is_as_if_nothing_were_set() -> None:
    assert Settings.read({"light": 24, "volume": 9, "mute": 1, "taste": 5}) == Settings(mute=True)
    assert Settings.read({"light": 25, "volume": 3}) == Settings(volume=3, light=25)
    assert (Settings(light=25).shines, Settings().shines) == (wire.DIMMEST, wire.BRIGHT)
    assert (Settings(mute=True).sounds, Settings(volume=1).sounds) == (0, 1)


# -- the command -----------------------------------------------------------------------------------------------------


class Typed:
    """``tablier table``, with this log."""

    def __init__(self, log: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self._log, self._capsys = log, capsys

    def __call__(self, *words: str) -> tuple[int, str, str]:
        status = main(["table", *words, "--log", str(self._log)])
        return status, *self._capsys.readouterr()


@pytest.fixture
def typed(log: Path, capsys: pytest.CaptureFixture[str]) -> Typed:
    return Typed(log, capsys)


def test_the_command_sets_the_table_that_is_played_at(log: Path, table: SimulatedTable, typed: Typed) -> None:
    with kept(log), linked(log) as link:
        play(link, table)
        before = lit(at_rest(table))
        said = f"Table {table.board}: mute (else volume 3 of 3), light 50 %\n"
        assert typed("set", "--volume", "3", "--mute", "--light", "50") == (0, said, "")
        await_pixels(table.tester, lambda pixels: lit(pixels["ring"]) == before * 128 // 256)
        assert typed("set", "--unmute")[1] == f"Table {table.board}: volume 3 of 3, light 50 %\n"
        assert typed("set", "--port", table.first_port)[1] == f"Table {table.board}: volume 3 of 3, light 50 %\n"
        simulated = "Simulated tables: volume 2 of 3, light 100 %\n"
        assert typed("set", "--port", "simulated") == (0, simulated, "")
    assert "settings  volume 3 of 3, light 50 %\n" in typed("info", "--port", table.first_port)[1]


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("--light", "24"), "'24'; allowed: 25 to 100"),
        (("--light", "bright"), "'bright'; allowed: 25 to 100"),
        (("--volume", "0"), "'0'; allowed: 1 to 3"),
        (("--mute", "--unmute"), "--unmute"),
        (("--port", "/nowhere/sim-0123456789abcdef-1"), "there is no such port"),
        (("--port", ""), "the name is empty"),
    ],
)
def test_a_bad_value_is_refused_in_one_line(typed: Typed, words: tuple[str, ...], why: str) -> None:
    status, out, err = typed("set", *words)
    assert (status, out, err.count("\n")) == (2, "", 1) and why in err


def test_of_several_tables_one_has_to_be_named(log: Path, table: SimulatedTable, typed: Typed) -> None:
    with SimulatedTable() as other, kept(log):
        status, out, err = typed("set", "--mute")
        assert (status, out, err.count("\n")) == (2, "", 1)
        assert table.first_port in err and other.first_port in err


def test_the_help_names_the_limits_that_there_are() -> None:
    assert (command._VOLUMES, command._LIGHTS) == (settings.VOLUMES, settings.LIGHTS)


# -- an older table --------------------------------------------------------------------------------------------------


def test_a_table_of_older_firmware_is_played_at_and_that_it_cannot_be_set_is_said(tmp_path: Path) -> None:
    seats = [Seat(str(seat["name"]), int(str(seat["place"])), AT_TABLE) for seat in SEATS]
    fake = FakeTable()
    fake.on("host_hello", lambda *_: fake.hello(minor=3))
    fake.on("ping", lambda *_: fake.status())
    fake.on("keep", lambda *_: fake.send(wire.KEPT, 0, b""))
    news: list[str] = []

    def tell(said: Updates | Program) -> None:
        assert isinstance(said, Updates)
        news.extend(each.text.template for each in said.updates[0].news)

    desk = Desk(seats, fake.port)
    desk.clock = fake.clock
    with Log.open(tmp_path / "log.db") as log, open_desk(desk):
        assert desk.deaf is not None
        desk.set_table(Settings(light=50))
        desk.begin(log, begin(log, "dilemma", {}, seats)).watch((None,), tell)
        while not desk.started:
            desk.step()
        assert str(desk.deaf).startswith(
            "The table's firmware (9.9.9) speaks version 2.3 of the wire, and volume and light are set from 2.4 on"
        )
        assert any("from {major}.{since} on" in text for text in news)
    fake.close()
