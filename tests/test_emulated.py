"""The host's client at the port of an emulated table, in the Pico's own time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from pico_image import needs_image
from tablier.simulation import tester as testers
from tablier.simulation.clock import VirtualClock
from tablier.table.client import Client
from tablier.table.incoming import Incoming, Rebooted, TableEvent
from tablier_fw import wire

if TYPE_CHECKING:
    from tablier.simulation.emulated import EmulatedTable

pytestmark = needs_image


@pytest.fixture(scope="module")
def table() -> Iterator[EmulatedTable]:
    pytest.importorskip("rp2040py", reason="rp2040py is not installed; make sets it up")
    from tablier.simulation.emulated import EmulatedTable

    with EmulatedTable(virtual=True, seed=1) as it:
        yield it


@pytest.fixture(scope="module")
def host(table: EmulatedTable) -> Iterator[Client]:
    tester = testers.Tester(table.control)
    tester.join()
    port = table.port
    assert port is not None
    client = Client(port, VirtualClock(tester), lambda boot: 0)
    client.open()
    yield client
    client.close()
    tester.close()


def run(host: Client, seconds: float) -> list[Incoming]:
    """Let table time pass, and return what has come."""
    end = host.clock.now() + seconds
    incoming: list[Incoming] = []
    while host.clock.now() < end:
        for it in host.poll(end - host.clock.now()):
            incoming.append(it)
            if isinstance(it, TableEvent):
                host.acknowledge(it)
    return incoming


def test_the_client_finds_the_table(table: EmulatedTable, host: Client) -> None:
    assert host.connected and host.board == table.board


def test_a_press_at_the_table_is_an_event_at_the_host(table: EmulatedTable, host: Client) -> None:
    host.want(wire.WATCH, 1, 0, 0b111111)
    run(host, 0.1)
    table.say("press 4 plus")
    events = [it for it in run(host, 0.2) if isinstance(it, TableEvent)]
    assert [it.values for it in events] == [{"id": 1, "place": 4, "button": wire.PLUS}]
    assert host.status["acked"] == 1 and host.bad_frames == 0


def test_the_table_shows_what_the_host_wants(table: EmulatedTable, host: Client) -> None:
    host.want(wire.SCENE, wire.RING, bytes((1, 20, wire.STEADY)) * 32)
    run(host, 0.1)
    assert set(table.tester.pixels()["ring"]) == {"141414"}


def test_time_is_the_same_on_both_sides(table: EmulatedTable, host: Client) -> None:
    before = table.tester.time()
    run(host, 0.05)
    assert table.tester.time() - before == pytest.approx(0.05, abs=0.002)


def test_a_reset_is_another_boot_of_the_same_board(table: EmulatedTable, host: Client) -> None:
    before = host.boot
    table.say("reset")
    incoming = run(host, 1.5)
    assert [it.before for it in incoming if isinstance(it, Rebooted)] == [before]
    assert host.connected and host.boot != before and host.board == table.board


def test_firmware_that_hangs_is_started_again_by_the_watchdog(table: EmulatedTable, host: Client) -> None:
    before, resets = host.boot, table.say("stats")["resets"]
    hung = table.tester.time()
    table.say("hang")
    incoming = run(host, 5.5)
    assert [it.before for it in incoming if isinstance(it, Rebooted)] == [before]
    (bitten,) = table.say("stats")["resets"][len(resets) :]
    assert 3.4 < bitten / 1e6 - hung < 4.1  # it was fed up to half a second before


def test_a_press_while_no_program_has_the_port_open_is_told_afterwards(table: EmulatedTable, host: Client) -> None:
    host.want(wire.WATCH, 2, 0, 0b111111)
    run(host, 0.2)
    table.say("dtr off")
    table.say("press 2 minus")
    run(host, 0.5)
    table.say("dtr on")
    events = [it for it in run(host, 1.0) if isinstance(it, TableEvent)]
    assert [it.values for it in events] == [{"id": 2, "place": 2, "button": wire.MINUS}]


@pytest.mark.parametrize("verb", ["dtr", "dtr maybe", "service", "service 1"])
def test_a_switch_is_on_or_off(table: EmulatedTable, verb: str) -> None:
    with pytest.raises(testers.TesterError, match="takes on, off"):
        table.say(verb)
