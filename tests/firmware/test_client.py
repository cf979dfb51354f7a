"""The host's client against a table that a test plays: errors in words, clocks, and bytes that do it no harm."""

from __future__ import annotations

import errno
import os
import pty
import time
import tty
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

import pytest
import serial
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.firmware.raw import FakeTable, Greeted, JumpClock, drain

from sample import sample
from tablier.table.client import Client
from tablier.table.clock import Clock
from tablier.table.incoming import Incoming, Plugged, Rebooted, TableEvent, Unfit, Walked
from tablier.table.open_port import OpenPort
from tablier.table.unusable import TableError
from tablier.waiting import File, World, enter
from tablier_fw import wire
from tablier_fw.version import __version__
from unprivileged import NOBODY


@pytest.fixture
def table() -> Iterator[FakeTable]:
    it = FakeTable()
    yield it
    it.close()


@pytest.fixture
def greeted(table: FakeTable) -> Iterator[Greeted]:
    """A table that has been greeted: (table, client)."""
    table.on("host_hello", lambda *_: table.hello())
    table.on("ping", lambda asked: table.send(wire.PONG, asked, 0))
    client = Client(table.port, table.clock, lambda boot: 0)
    client.open()
    drain(client)
    yield table, client
    client.close()


def error_of(port: str, clock: Clock | None = None) -> str:
    """The one line that says why a table cannot be used."""
    client = Client(port, clock or JumpClock(), lambda boot: 0)
    with pytest.raises(TableError) as caught:
        client.open()
    text = str(caught.value)
    assert "\n" not in text and text.isprintable()
    assert text.startswith(f"{port}: ")
    assert not client.connected
    return text.removeprefix(f"{port}: ")


# -- ports that are none ------------------------------------------------------------------------------------------


def test_a_missing_port_names_the_command_that_lists_tables(tmp_path: Path) -> None:
    assert error_of(str(tmp_path / "nothing")) == (
        "there is no such port; 'tablier table list' shows the tables that are plugged in"
    )


def test_a_busy_port_says_that_another_program_has_it(table: FakeTable) -> None:
    with serial.Serial(table.port, exclusive=True):
        assert error_of(table.port) == "another program holds this port; end it, or name another port"


@pytest.mark.parametrize("what", ["file", "directory", "null"])
def test_what_is_no_port_is_called_so(tmp_path: Path, what: str) -> None:
    path = {"file": tmp_path / "file", "directory": tmp_path, "null": Path(os.devnull)}[what]
    if what == "file":
        path.write_text("a file")
    text = error_of(str(path))
    assert text.startswith("this is not a serial port") and text.endswith(
        "'tablier table list' shows the ports of tables"
    )
    if what == "file":
        assert path.read_text() == "a file"


def test_a_port_that_may_not_be_opened_names_the_group(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: object, **kwargs: object) -> None:
        raise serial.SerialException(errno.EACCES, "could not open port: Permission denied")

    monkeypatch.setattr(serial, "Serial", refuse)
    assert "dialout" in error_of("/dev/ttyACM0")


# -- ports behind which there is no table of ours --------------------------------------------------------------------


def test_a_silent_port_is_given_up_after_five_seconds(table: FakeTable) -> None:
    begun = table.clock.now()
    assert error_of(table.port, table.clock) == (
        "no answer within 5 s; is it the table's port, and is the firmware on it?"
    )
    assert 5 <= table.clock.now() - begun < 5.5
    assert {name for name, *_ in table.heard} == {"host_hello"}
    assert 12 <= len(table.heard) <= 18  # it asked again and again


@pytest.mark.parametrize(
    "garbage",
    [b"\r\n>>> \r\nMPY: soft reboot\r\n" * 3, bytes(range(256)) * 4, b"!QUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJD\n" * 3],
    ids=["a prompt", "noise", "lines that look like frames"],
)
def test_a_port_that_talks_of_something_else_is_no_table(table: FakeTable, garbage: bytes) -> None:
    table.on("host_hello", lambda *_: table.write(garbage))
    assert error_of(table.port, table.clock) == (
        "what answers there is not a table of this kind; name its port with --port"
    )


@pytest.mark.parametrize(
    ("major", "stale", "cure"),
    [
        (wire.MAJOR + 1, "the host is stale", "install a newer tablier"),
        (wire.MAJOR - 1, "the firmware is stale", "put this version's firmware on the table"),
    ],
    ids=["newer", "older"],
)
def test_versions_that_do_not_fit_name_the_stale_side_and_the_cure(
    table: FakeTable, major: int, stale: str, cure: str
) -> None:
    table.on("host_hello", lambda *_: table.hello(major, 0, b"9.9.9; MicroPython 1.99"))
    begun = table.clock.now()
    text = error_of(table.port, table.clock)
    assert "9.9.9; MicroPython 1.99" in text and __version__ in text
    assert f"version {major} of the wire" in text and stale in text and text.endswith(cure)
    assert table.clock.now() - begun < 1  # at once
    assert {name for name, *_ in table.heard} == {"host_hello"}


def test_a_version_is_one_line_whatever_the_table_says(table: FakeTable) -> None:
    table.on("host_hello", lambda *_: table.hello(0, 0, b"1\n\x1b[2J\xff\xfe"))
    assert "(1\\n\\x1b[2J" in error_of(table.port, table.clock)


@pytest.mark.parametrize(
    ("version", "warned"),
    [
        ("0.1.0; MicroPython 1.27.2 on rp2", "its Pico runs MicroPython 1.27.2; put 1.28 on it"),
        ("0.1.0; MicroPython 1.28.0 on rp2", None),
        ("0.1.0; MicroPython 2.0.0 on rp2", None),
        ("no version", None),
    ],
)
def test_a_pico_with_an_older_micropython_than_the_tested_one_is_warned_of(
    table: FakeTable, version: str, warned: str | None
) -> None:
    table.on("host_hello", lambda *_: table.hello(version=version.encode()))
    client = Client(table.port, table.clock, lambda boot: 0)
    client.open()
    client.close()
    if warned is None:
        assert client.warning is None
    else:
        assert client.warning and str(client.warning).startswith(warned)


def test_a_table_that_goes_away_while_it_is_waited_for(table: FakeTable) -> None:
    master, slave = pty.openpty()
    tty.setraw(slave)
    port, clock = os.ttyname(slave), JumpClock()
    files = [slave, master]
    clock.act = lambda: os.close(files.pop()) if files and clock.now() > 1001 else None
    assert "went away" in error_of(port, clock)


def test_a_table_that_restarts_between_its_hello_and_its_first_status_is_greeted_again(table: FakeTable) -> None:
    restarted: list[float] = []

    def restart(*_: object) -> None:
        if not restarted:
            restarted.append(table.clock.now())
            table.boot = b"\x33" * 8
            table.hello(run=wire.NO_ID)

    def answer(*_: object) -> None:
        if not restarted or table.clock.now() > restarted[0] + 1.0:
            table.hello()

    table.on("host_hello", answer)
    table.on("ping", restart)  # the first thing that is sent after the hello
    client = Client(table.port, table.clock, lambda boot: 0, log=b"\x44" * 8)
    client.open()
    assert client.connected and client.boot == table.boot.hex()
    client.close()


# -- what is said when --------------------------------------------------------------------------------------------


def test_frames_for_another_run_or_of_another_boot_are_ignored(greeted: Greeted) -> None:
    table, client = greeted
    for ids in ({"run": b"another!"}, {"boot": b"another!"}):
        table.send(wire.ANSWERED, 1, 0, 1, 1, 1, **ids)
        table.send(wire.CURSOR, 1, 1, 1, **ids)
        assert drain(client) == []
    table.send(wire.ANSWERED, 1, 0, 1, 1, 1)
    table.send(wire.CURSOR, 1, 2, 3)
    event, walked = drain(client)
    assert isinstance(event, TableEvent)
    assert (event.number, event.message, walked) == (1, wire.ANSWERED, Walked(1, 2, 3))


def test_desired_state_is_sent_again_until_the_table_holds_it(greeted: Greeted) -> None:
    table, client = greeted
    client.want(wire.WATCH, 1, 0, 0b1)
    client.want(wire.WATCH, 1, 0, 0b1)  # the same: no second time
    drain(client)
    assert [values for name, _, values in table.heard if name == "watch"] == [(1, 0, 0b1)]
    for _ in range(5):
        table.clock.time += 0.2
        table.status()
        drain(client)
    assert len([name for name, *_ in table.heard if name == "watch"]) == 6
    table.clock.time += 0.1  # what was sent last may still be on its way
    table.status()
    drain(client)
    assert len([name for name, *_ in table.heard if name == "watch"]) == 6
    revision = wire.revision(wire.WATCH, wire.WATCH.encode(1, 0, 0b1)).to_bytes(4, "little")
    table.clock.time += 0.2
    table.status(held=bytes(32) + revision + bytes(28))
    drain(client)
    assert len([name for name, *_ in table.heard if name == "watch"]) == 6


# -- events -----------------------------------------------------------------------------------------------------------


def answered(table: FakeTable, number: int) -> None:
    table.send(wire.ANSWERED, number, 1000 * number, 1, 1, 1)


def numbers(incoming: list[Incoming]) -> list[int]:
    """Return the numbers of events; nothing else may have come."""
    events = [it for it in incoming if isinstance(it, TableEvent)]
    assert events == incoming
    return [it.number for it in events]


def test_events_are_taken_strictly_in_order_and_once(greeted: Greeted) -> None:
    table, client = greeted
    for number in (2, 1, 1, 3, 2, 4, 3, 2, 1, 4):
        answered(table, number)
    assert numbers(drain(client)) == [1, 2, 3, 4]


def test_a_second_hello_does_not_bring_the_same_events_again(greeted: Greeted) -> None:
    """What the caller has and is about to make durable must not come twice."""
    table, client = greeted
    answered(table, 1)
    answered(table, 2)
    got = drain(client)
    table.hello()
    answered(table, 1)
    answered(table, 2)
    answered(table, 3)
    got += drain(client)
    assert numbers(got) == [1, 2, 3]


def test_only_what_is_durable_is_acknowledged(table: FakeTable) -> None:
    durable = {"value": 0}
    table.on("host_hello", lambda *_: table.hello())
    table.on("ping", lambda asked: table.send(wire.PONG, asked, 0))
    client = Client(table.port, table.clock, lambda boot: durable["value"])
    client.open()
    drain(client)
    answered(table, 1)
    answered(table, 2)
    one, two = drain(client)
    assert isinstance(one, TableEvent) and isinstance(two, TableEvent)
    table.hello()
    answered(table, 1)
    drain(client)
    assert {values[0] for name, _, values in table.heard if name == "ack"} <= {0}
    durable["value"] = 1
    client.acknowledge(one)
    durable["value"] = 2
    client.acknowledge(two)
    answered(table, 1)
    drain(client)
    assert [values[0] for name, _, values in table.heard if name == "ack"][-3:] == [1, 2, 2]
    client.close()


def test_what_the_log_has_already_does_not_come_again(table: FakeTable) -> None:
    table.on("host_hello", lambda *_: table.hello())
    table.on("ping", lambda asked: table.send(wire.PONG, asked, 0))
    client = Client(table.port, table.clock, lambda boot: 7 if boot == table.boot.hex() else 0, table.boot.hex())
    client.open()
    assert drain(client) == [Plugged()]
    assert ("ack", table.boot, (7,)) in table.heard
    for number in (6, 7, 8):
        answered(table, number)
    assert numbers(drain(client)) == [8]
    client.close()


def test_what_another_log_has_taken_of_this_boot_is_not_waited_for(table: FakeTable) -> None:
    table.on(
        "host_hello",
        lambda *_: table.hello(last=9, acked=5),
    )
    table.on("ping", lambda asked: table.send(wire.PONG, asked, 0))
    client = Client(table.port, table.clock, lambda boot: 0)
    client.open()
    drain(client)
    # It speaks for its own log alone: or the table would think that this one has the other's events.
    assert client.since == 5 and [values for name, _, values in table.heard if name == "ack"] == [(0,)]
    answered(table, 6)
    assert numbers(drain(client)) == [6]
    client.close()


def test_what_another_host_has_taken_meanwhile_is_not_waited_for(greeted: Greeted) -> None:
    table, client = greeted
    answered(table, 1)
    assert numbers(drain(client)) == [1]
    table.on("host_hello", lambda *_: table.hello(last=5, acked=4))  # it comes back, and 2 to 4 went to somebody else
    table.on("ping", lambda asked: None)
    while Plugged() not in client.poll(0.5):
        pass
    answered(table, 5)
    assert numbers(drain(client)) == [5]
    assert client.since == 4


def test_behind_the_last_number_that_an_event_can_have_there_is_none(table: FakeTable) -> None:
    """A hello that says that all were acknowledged, and half an event with the number after the last."""
    table.on("host_hello", lambda *_: table.hello(last=wire.MAX_ID, acked=wire.MAX_ID))
    table.on("ping", lambda asked: table.send(wire.PONG, asked, 0))
    client = Client(table.port, table.clock, lambda boot: 0)
    client.open()
    drain(client)
    half = wire.ANSWERED.pack(wire.MAX_ID + 1, 0, 9, 1, 1)[:-1]
    table.write(wire.frame(wire.ANSWERED, table.boot, table.run, half))
    (unfit,) = drain(client)
    assert isinstance(unfit, Unfit) and not unfit.number and "number" in str(unfit.why)
    client.acknowledge(unfit)
    client.close()


def test_another_boot_is_told_before_its_events(greeted: Greeted) -> None:
    table, client = greeted
    before = table.boot.hex()
    answered(table, 1)
    table.boot = b"\x33" * 8
    table.hello(run=wire.NO_ID)
    table.heard.clear()
    begun = table.clock.now()
    got = drain(client, 8)
    assert table.clock.now() - begun < 0.2
    assert ("ping", table.boot) in [(name, boot) for name, boot, _ in table.heard]  # its clock is another
    answered(table, 1)
    got += drain(client)
    assert [type(it) for it in got] == [TableEvent, Rebooted, Plugged, TableEvent]
    assert got[1] == Rebooted(table.boot.hex(), before, 0)
    assert [it.boot for it in got if isinstance(it, TableEvent)] == [before, table.boot.hex()]


def test_a_table_that_comes_back_stale_is_refused(greeted: Greeted) -> None:
    table, client = greeted
    table.on("host_hello", lambda *_: table.hello(0))
    table.boot = b"\x33" * 8
    table.hello(0, run=wire.NO_ID)
    with pytest.raises(TableError, match="the firmware is stale"):
        drain(client)
    assert not client.connected


def test_another_table_at_the_port_is_refused(greeted: Greeted) -> None:
    table, client = greeted
    table.board = b"\x44" * 8
    table.hello()
    with pytest.raises(TableError, match=f"this is table {'44' * 8}, not {'22' * 8}"):
        drain(client)


# -- clocks -------------------------------------------------------------------------------------------------------


def test_a_port_that_stays_mute_is_opened_anew(greeted: Greeted, monkeypatch: pytest.MonkeyPatch) -> None:
    table, client = greeted
    opened: list[float] = []

    class Counted(OpenPort):
        def __init__(self, *args: Any) -> None:
            super().__init__(*args)
            opened.append(table.clock.now())

    monkeypatch.setattr("tablier.table.client.OpenPort", Counted)
    monkeypatch.setattr("tablier.table.client.find_board", lambda board, near: near)
    table.on("host_hello", lambda *_: table.hello() if opened else None)
    table.on("ping", lambda asked: None)
    begun = table.clock.now()
    incoming: list[Incoming] = []
    while not any(isinstance(each, Plugged) for each in incoming):
        incoming += client.poll(0.5)
        assert table.clock.now() - begun < 10, "the table stays mute"
    assert client.connected
    assert len(opened) == 1
    assert 4 <= opened[0] - begun < 6


class Impatient(World):
    """Files are waited for in no time."""

    def __init__(self) -> None:
        self.waits: list[float] = []

    def wait(self, reading: Collection[File], writing: Collection[File], seconds: float) -> set[File]:
        self.waits.append(seconds)
        return super().wait(reading, writing, 0)


def test_a_port_that_takes_nothing_for_a_second_is_lost(greeted: Greeted) -> None:
    _, client = greeted
    with enter(Impatient()) as world:
        for number in range(10_000):
            client.send(wire.PING, number)
            if not client.connected:
                break
        assert not client.connected and world.waits[-1] == 1.0


def test_a_program_that_is_suspended_while_it_writes_keeps_its_table(
    greeted: Greeted, monkeypatch: pytest.MonkeyPatch
) -> None:
    table, client = greeted
    write = os.write

    def suspended(file: int, data: bytes) -> int:
        count = write(file, data)
        time.sleep(1.1)  # longer than a port is waited for that takes nothing
        return count

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", suspended)
        client.send(wire.PING, 1)
    drain(client)
    assert client.connected and table.heard[-1][0] == "ping"


def test_nobody_else_opens_a_table_s_port(greeted: Greeted) -> None:
    table, client = greeted
    Path(table.port).chmod(0o666)
    root = os.geteuid() == 0
    if root:
        os.seteuid(NOBODY)
    try:
        with pytest.raises(OSError) as caught:
            os.open(table.port, os.O_RDWR | os.O_NOCTTY)
        assert caught.value.errno == errno.EBUSY
        assert error_of(table.port) == "another program holds this port; end it, or name another port"
        client.close()
        os.close(os.open(table.port, os.O_RDWR | os.O_NOCTTY))
    finally:
        if root:
            os.seteuid(0)


def test_the_clock_is_taken_from_the_ping_with_the_shortest_way(table: FakeTable) -> None:
    """The table's clock is 900 s behind; answers take the time that a busy host or table makes them take."""
    delays = iter([0.5, 0.002, 0.3, 0.1, 0.4] + [0.2] * 20)
    table.on("host_hello", lambda *_: table.hello())

    def pong(asked: int) -> None:
        there, back = 0.001, next(delays)
        time = asked / 1e6 + there - 900
        table.clock.time += there + back
        table.send(wire.PONG, asked, round(time * 1e6))

    table.on("ping", pong)
    client = Client(table.port, table.clock, lambda boot: 0)
    client.open()
    for _ in range(6):
        drain(client)
        table.status(round((table.clock.now() - 900) * 1e6))
        table.clock.time += 1.01
    drain(client)
    happened = table.clock.now() - 5
    table.send(wire.ANSWERED, 1, round((happened - 900) * 1e6), 1, 1, 1)
    (event,) = [it for it in drain(client) if isinstance(it, TableEvent)]
    assert event.time == pytest.approx(happened, abs=0.002)
    client.close()


def test_an_event_that_comes_before_any_clock_is_taken_when_it_comes_again(table: FakeTable) -> None:
    table.on("host_hello", lambda *_: table.hello())
    client = Client(table.port, table.clock, lambda boot: 0)
    client.open()
    answered(table, 1)
    assert not [it for it in drain(client) if isinstance(it, TableEvent)]
    table.status(round((table.clock.now() - 900) * 1e6))
    happened = table.clock.now() - 7
    table.send(wire.ANSWERED, 1, round((happened - 900) * 1e6), 1, 1, 1)
    (event,) = drain(client)
    assert isinstance(event, TableEvent) and event.time == pytest.approx(happened, abs=0.1)
    client.close()


# -- bytes that are nothing ---------------------------------------------------------------------------------------

PIECES = st.one_of(
    st.binary(max_size=300),
    st.sampled_from([b"!", b"\n", b"!" * 300, b"A" * 3000, b"!\n" * 200, b"\r\n>>> "]),
    st.tuples(st.sampled_from(wire.MESSAGES), st.binary(max_size=wire.MAX_PAYLOAD)),
    st.tuples(st.sampled_from(wire.MESSAGES), st.none()),
)


@settings(deadline=None, max_examples=sample(50, 150), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(PIECES, max_size=12))
def test_no_bytes_stop_the_client(greeted: Greeted, pieces: list[bytes | tuple[wire.Message, bytes | None]]) -> None:
    """Garbage, and frames that are whole and meant for it but say nonsense: nothing, or a TableError."""
    table, client = greeted
    for piece in pieces:
        if isinstance(piece, tuple):
            message, payload = piece
            payload = bytes(wire.MAX_PAYLOAD) if payload is None else payload
            piece = wire.frame(message, table.boot, table.run, payload)
        table.write(piece)
        try:
            drain(client, 2)
        except TableError:
            table.board, table.boot = FakeTable.board, FakeTable.boot
            client._refusal = None
            client.open()
    table.write(b"\n")
    table.hello()
    drain(client, 8)
    assert client.connected and client.board == FakeTable.board.hex()
