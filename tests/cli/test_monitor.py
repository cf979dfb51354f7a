"""``tablier table list | info | bench | console | monitor`` at a simulated table."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest

from awaiting import await_pixels
from tablier.cli.common import CommandError
from tablier.cli.monitor import matching, parse, shown
from tablier.simulation.simulated import SimulatedTable
from tablier.table.health import cause_text
from tablier_fw import wire

TABLIER = [sys.executable, "-m", "tablier.cli.main", "table"]


@pytest.fixture(scope="module")
def table() -> Iterator[SimulatedTable]:
    with SimulatedTable() as table:
        yield table


def test_info_says_what_the_table_is(table: SimulatedTable) -> None:
    said = subprocess.run([*TABLIER, "info", "--port", table.first_port], capture_output=True, text=True, check=True)
    assert table.board in said.stdout
    assert "MicroPython" in said.stdout
    turns = re.search(r"^loop +([0-9]+) turns, the longest [0-9.]+ ms", said.stdout, re.M)
    assert turns and int(turns[1]) >= 10
    assert re.search("^garbage +[0-9]+ collections?, ", said.stdout, re.M)


def test_info_names_the_cause_of_the_last_start() -> None:
    with SimulatedTable() as table:
        causes = []
        for verb in (None, "reset", "power"):
            if verb is not None:
                table.say(verb)
            said = subprocess.run(
                [*TABLIER, "info", "--port", table.first_port], capture_output=True, text=True, check=True
            )
            causes += re.findall(r"^cause +(.*)", said.stdout, re.M)
    assert causes == ["power was switched on", "reset, by its button or by a program", "power was switched on"]


@pytest.mark.parametrize(
    ("cause", "text"),
    [(3, "the watchdog restarted it"), (4, "an error in its firmware"), (9, "unknown to this version")],
)
def test_each_cause_has_words(cause: int, text: str) -> None:
    assert text in str(cause_text(cause))


def test_the_list_says_where_it_is_and_of_what_kind(table: SimulatedTable) -> None:
    said = subprocess.run([*TABLIER, "list"], capture_output=True, text=True, check=True)
    assert f"{table.first_port}  {table.board}  simulated table\n" in said.stdout


def test_bench_prints_round_trip_and_throughput(table: SimulatedTable) -> None:
    said = subprocess.run([*TABLIER, "bench", "--port", table.first_port], capture_output=True, text=True, check=True)
    assert [line.split()[0] for line in said.stdout.splitlines()] == ["round", "throughput"]
    assert " 0 of 200 lost" in said.stdout


def test_the_hand_console_lights_a_pixel_and_hears_a_press(table: SimulatedTable) -> None:
    console = subprocess.Popen(
        [*TABLIER, "console", "--port", table.first_port], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert console.stdin is not None and console.stdout is not None
    console.stdin.write(f"scene group=1 pixels={'014000' * 6} light=255\nwatch id=9 flags=0 places=0\n")
    console.stdin.flush()
    await_pixels(table.tester, lambda pixels: pixels["public"] == ["404040"] * 6)
    console.stdin.write("watch id=9 flags=0 places=0x3f\n")
    console.stdin.flush()
    await_pixels(table.tester, lambda pixels: pixels["public"][4] not in ("404040", "000000"))
    table.tester.press(5, "a")
    heard = ""
    while "pressed" not in heard:
        heard = console.stdout.readline()
    assert "place=5 button=2" in heard
    console.stdin.write("nonsense\nack\nquit\n")
    console.stdin.close()
    assert "! there is no message 'nonsense'" in console.stdout.read()
    assert console.wait(20) == 0
    console.stdout.close()


def test_the_monitor_acknowledges_nothing(table: SimulatedTable) -> None:
    monitor = subprocess.Popen(
        [*TABLIER, "monitor", "--port", table.first_port, "--only", "status"], stdout=subprocess.PIPE, text=True
    )
    assert monitor.stdout is not None
    assert monitor.stdout.readline().split()[1:3] == ["<", "status"]
    monitor.send_signal(signal.SIGINT)
    assert monitor.wait(20) == 130
    monitor.stdout.close()


@pytest.mark.parametrize(
    "text", ["watch id=1", "watch id=1 flags=0 places=x", "status", "host_hello", "scene group=1 pixels=0"]
)
def test_what_is_no_message_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(CommandError) as error:
        parse(text)
    assert "\n" not in str(error.value)


def test_a_message_reads_as_it_is_shown() -> None:
    message, values = parse("window id=7 flags=0 places=0x3f outside=0 quiet=5000 guard=1000 seen=2 first=0")
    assert (
        shown(message, tuple(values)) == "window id=7 flags=0 places=63 outside=0 quiet=5000 guard=1000 seen=2 first=0"
    )
    assert message is wire.WINDOW


def test_only_takes_names_of_messages() -> None:
    assert matching("ping,pong")(wire.PING) and not matching("ping,pong")(wire.STATUS)
    with pytest.raises(CommandError, match="nope"):
        matching("nope")
