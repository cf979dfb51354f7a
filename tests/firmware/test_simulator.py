"""The simulated table itself: its verbs, its two kinds of time, and that it is gone when it is not needed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from tests.firmware.desk import Desk
from tests.firmware.transcripts import transcript

from awaiting import await_pixels
from sample import each
from tablier.cli.main import main
from tablier.simulation import tester as testers
from tablier.simulation.clock import VirtualClock
from tablier.simulation.events import Events, Quit
from tablier.simulation.simulated import SimulatedTable
from tablier.simulation.vm import Vm, VmError
from tablier.table import ports
from tablier.table.client import Client
from tablier.table.clock import LifeClock
from tablier.table.incoming import Incoming, TableEvent
from tablier_fw import wire

# -- verbs -----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def idle() -> Iterator[SimulatedTable]:
    with SimulatedTable(virtual=True, seed=1) as table:
        table.tester.join()
        yield table


@pytest.mark.parametrize(
    ("verb", "words"),
    [
        ("dance", "there is no verb 'dance'"),
        ("press", "which button"),
        ("land softly", "land takes one of flat leaning rim outside"),
        ("take 7", "no card '7' lies there"),
        ("shine 256", "shine takes a number from 0 to 255"),
        ("pixel hood7 0", "which pixel"),
        ("until ring 0 blue", "not a colour"),
        ("faults noise=1", "there is no fault 'noise'"),
    ],
)
def test_a_verb_that_cannot_be_obeyed_says_why_and_does_nothing(idle: SimulatedTable, verb: str, words: str) -> None:
    with pytest.raises(testers.TesterError, match=words):
        idle.say(verb)
    assert idle.say("time")["ok"]


def test_a_card_that_lies_there_is_not_thrown_again(idle: SimulatedTable) -> None:
    """A page whose hand is not drawn anew yet has it under a finger a second time."""
    for first, again in (("land outside p1:2@5", "throw flat p1:2@5"), ("throw flat p1:3@5", "land rim p1:3@5")):
        idle.say(first)
        with pytest.raises(testers.TesterError, match="lies there already"):
            idle.say(again)
    idle.say("take p1:2@5")
    assert [card["tag"] for card in idle.say("pile")["cards"]] == ["p1:3@5"]
    idle.say("land flat p1:2@5")
    idle.say("clear")


def test_a_table_with_a_picos_budget_does_the_same_in_more_turns(
    make_desk: Callable[..., Desk], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = {}
    for budget in ("16", "1"):
        monkeypatch.setenv("TABLIER_BUDGET", budget)
        desk = make_desk()
        desk.ask(wire.WATCH, 0, 0b1)
        desk.run(0.5)
        frames = desk.trace()
        desk.press(1, "a", "b")
        at = wire.STATUS.names.index("loops")
        loops = sum(values[at] for _, message, values in frames if message is wire.STATUS)
        seen[budget] = (
            [it["button"] for it in desk.values("pressed")],
            loops,
        )
    assert seen["1"][0] == seen["16"][0] == [wire.A, wire.B]
    assert seen["1"][1] > seen["16"][1]


def test_a_cable_may_be_pulled_with_bytes_on_it() -> None:
    """Both are there when the table looks: the verb first, and then what came by a port that is no more."""
    with SimulatedTable() as table:
        port = os.open(table.first_port, os.O_RDWR | os.O_NOCTTY)
        other = testers.Tester(table.control)
        other.time()
        os.kill(table.process.pid, signal.SIGSTOP)
        other.ask("time")  # with this it comes back from where it waits
        table.tester.ask("unplug")
        os.write(port, b"!")
        time.sleep(0.05)  # a pseudo-terminal hands it over by and by, and nobody here can see when
        os.kill(table.process.pid, signal.SIGCONT)
        assert table.tester.answer() == {"ok": True}
        os.close(port)
        other.close()
        table.say("plug")
        assert table.port != table.first_port


def test_cards_lie_until_they_are_taken(idle: SimulatedTable) -> None:
    for how, tag in (("flat", "3"), ("leaning", "9"), ("outside", "J")):
        idle.tester.land(how, tag)
    assert [(it["how"], it["tag"]) for it in idle.say("pile")["cards"]] == [
        ("flat", "3"),
        ("leaning", "9"),
        ("outside", "J"),
    ]
    idle.say("take 9")
    assert [it["tag"] for it in idle.say("pile")["cards"]] == ["3", "J"]
    idle.say("clear")
    assert idle.say("pile")["cards"] == []


def test_verbs_are_answered_in_order_even_when_they_come_at_once(idle: SimulatedTable) -> None:
    tester = testers.Tester(idle.control)
    now = round(idle.tester.time() * 1e6)
    tester._socket.sendall(f"wait {now + 1000} - - -\ntime\nwait {now + 3000} - - -\npixel ring 0\ntime\n".encode())
    # The table's own connection has joined: time goes on when it waits too.
    idle.tester.wait(1)
    answers = [tester.answer() for _ in range(5)]
    assert [answer.get("now") for answer in answers] == [now + 1000, now + 1000, now + 3000, None, now + 3000]
    tester.close()


def test_a_wait_can_be_ended_by_whoever_waits(idle: SimulatedTable) -> None:
    tester = testers.Tester(idle.control)
    now = round(idle.tester.time() * 1e6)
    tester.ask(f"wait {now + 10**9} - - -")
    tester.ask("wake")
    assert tester.answer()["now"] == now
    tester.ask("wake")  # too late: it has no answer
    assert tester.say("pixel ring 0")["colour"]
    tester.close()


def test_another_thread_ends_the_wait_of_a_clock(idle: SimulatedTable) -> None:
    tester = testers.Tester(idle.control)
    tester.join()
    clock = VirtualClock(tester)
    begun = clock.now()
    threading.Timer(0.2, clock.wake).start()
    clock.wait(3600, None)  # time stands still: the table's own connection has joined, and does not wait
    assert clock.now() == begun
    clock.wake()
    clock.wait(3600, None)  # so does one that comes before the wait
    assert clock.now() == begun
    tester.close()


# -- time ---------------------------------------------------------------------------------------------------------


def test_in_virtual_time_everything_happens_the_same_way_again() -> None:
    one, two = transcript(), transcript()
    assert len(one) > 40
    assert one == two


def test_in_life_s_time_a_press_arrives_at_once() -> None:
    with SimulatedTable(seed=1) as table:
        client = Client(table.first_port, LifeClock(), lambda boot: 0)
        client.open()
        client.want(wire.WATCH, 1, 0, 0b1)
        deadline = time.monotonic() + 60
        incoming: list[Incoming] = []
        while not client.status.get("held", bytes(64))[32:36].strip(b"\0") and time.monotonic() < deadline:
            client.poll(0.05)
        begun = time.monotonic()
        table.tester.press(1, "a")
        while not any(isinstance(it, TableEvent) for it in incoming) and time.monotonic() < deadline:
            incoming += client.poll(0.05)
        client.close()
    (event,) = [it for it in incoming if isinstance(it, TableEvent)]
    assert event.message is wire.PRESSED
    assert begun - 0.1 <= event.time <= time.monotonic()


def test_in_life_s_time_a_press_is_answered_when_its_release_was_felt() -> None:
    """So verbs that are sent back to back are one press after the other: select, lock, and again at the next place."""
    with SimulatedTable(seed=1) as table:
        client = Client(table.first_port, LifeClock(), lambda boot: 0)
        client.open()
        client.want(wire.CHOICE, 1, 0, 0b11, 0, b"\3\3\0\0\0\0", bytes(6), b"\x09\x04")
        deadline = time.monotonic() + 60
        while not client.status.get("held", bytes(64))[32:36].strip(b"\0") and time.monotonic() < deadline:
            client.poll(0.05)
        begun = table.tester.time()
        verbs = [
            "press 1 a",
            "press 1 plus",
            *[f"{verb} 2 {button}" for button in ("b", "plus") for verb in ("hold", "release")],
        ]
        for verb in verbs:
            table.tester.ask(verb)
        assert all(table.tester.answer()["ok"] for _ in verbs)
        assert table.tester.time() - begun >= 2 * 0.08
        locked: list[TableEvent] = []
        while len(locked) < 2 and time.monotonic() < deadline:
            locked += [it for it in client.poll(0.05) if isinstance(it, TableEvent)]
        client.close()
    assert [(it.message, it.values["place"]) for it in locked] == [(wire.LOCKED, 1), (wire.LOCKED, 2)]


def test_a_long_press_keeps_no_other_connection_waiting() -> None:
    with SimulatedTable(seed=1) as table:
        table.tester.ask("press 1 a 60000")
        other = testers.Tester(table.control)
        begun = other.time()
        other.press(1, "b")
        assert 0.08 <= other.time() - begun < 10  # each connection waits for its own
        other.close()


def test_time_can_be_slowed_and_host_and_table_still_agree() -> None:
    with SimulatedTable(seed=1) as table:
        for wrong in ("pace", "pace 4", "pace 101", "pace slow"):
            with pytest.raises(testers.TesterError, match=r"percentage, 5 to 100|not a number"):
                table.say(wrong)
        assert table.say("pace 20")["pace"] == table.say("time")["pace"] == 0.2
        begun, at = time.monotonic(), table.tester.time()
        with pytest.raises(testers.TesterError, match="waited"):
            await_pixels(table.tester, lambda pixels: False, 0.1)
        assert time.monotonic() - begun >= 0.45 > 0.1 <= table.tester.time() - at
        table.say("pace 100")
        begun, at = time.monotonic(), table.tester.time()
        table.tester.wait(0.1)
        assert table.tester.time() - at >= 0.1 and time.monotonic() - begun < 0.45
    clock = LifeClock()
    clock.set_pace(0.1)
    begun, at = time.monotonic(), clock.now()
    clock.wait(0.01, None)
    assert clock.now() - at >= 0.01 and time.monotonic() - begun >= 0.1
    assert clock.date(clock.now()) <= clock.date(clock.now() + 1)


# -- beginning and end ------------------------------------------------------------------------------------------------


def test_a_table_is_found_while_it_is_there(tmp_path: Path) -> None:
    with SimulatedTable(virtual=True) as one, SimulatedTable(virtual=True) as two:
        assert one.board != two.board
        for table in (one, two):
            assert ports.find_board(table.board, table.first_port) == table.port
        one.say("unplug")
        assert one.port is None and not os.path.lexists(one.first_port)
        assert ports.find_board(one.board, one.first_port) is None
        one.say("plug")
        assert one.port not in (None, one.first_port)
        assert ports.find_board(one.board, one.first_port) == one.port
    assert not os.path.lexists(one.first_port) and not one.control.exists()


def test_the_remains_of_a_killed_table_are_no_table() -> None:
    with SimulatedTable(virtual=True) as table:
        table.process.kill()
        table.process.wait()
        try:
            assert os.path.lexists(table.first_port)
            assert ports.find_board(table.board, table.first_port) is None
            with pytest.raises(testers.TesterError, match="no simulated table answers"):
                testers.Tester(table.control)
            with pytest.raises(testers.TesterError, match="gone"):
                table.say("time")
        finally:
            Path(table.first_port).unlink()
            table.control.unlink()


def test_a_real_board_is_found_by_its_serial_number(monkeypatch: pytest.MonkeyPatch) -> None:
    from serial.tools import list_ports

    found = [
        SimpleNamespace(serial_number=None, device="/dev/ttyS0"),
        SimpleNamespace(serial_number="E6614103E7452D2F", device="/dev/ttyACM3"),
    ]
    monkeypatch.setattr(list_ports, "comports", lambda: found)
    assert ports.find_board("e6614103e7452d2f", "/dev/ttyACM0") == "/dev/ttyACM3"
    assert ports.find_board("e6614103e7452d30", "/dev/ttyACM0") is None


def test_a_table_ends_with_whoever_started_it() -> None:
    code = (
        "import json, os, sys; from tablier.simulation.simulated import SimulatedTable;"
        "table = SimulatedTable(virtual=True); print(table.process.pid, table.control, flush=True); os._exit(1)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=30)
    control = done.stdout.split()[1]
    deadline = time.monotonic() + 60
    while os.path.lexists(control) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not os.path.lexists(control)


def test_quit_ends_it() -> None:
    table = SimulatedTable(virtual=True)
    table.say("quit")
    assert table.process.wait(10) == 0
    table.close()


@pytest.mark.parametrize("how", each(2, ["pipe", "file"]))
def test_a_script_of_verbs_on_standard_input(tmp_path: Path, how: str) -> None:
    code = "from tablier.simulation.simulator import *; serve(Simulator(bytes(8), virtual=True, stdin=True))"
    script = "hold 1 a\nwait 300000 - - -\nuntil ring 0 000028 2\nuntil ring 0 000029 2\ntime\nquit\n"
    environment = {**os.environ, "TABLIER_PORTS": str(tmp_path)}
    if how == "pipe":
        done = subprocess.run(
            [sys.executable, "-c", code], input=script, capture_output=True, text=True, env=environment, timeout=30
        )
    else:
        (tmp_path / "script").write_text(script)
        with (tmp_path / "script").open() as file:
            done = subprocess.run(
                [sys.executable, "-c", code], stdin=file, capture_output=True, text=True, env=environment, timeout=30
            )
    hello, held, waited, seen, unseen, now, quit = map(json.loads, done.stdout.splitlines())
    assert hello["board"] == "0" * 16 and held["ok"] and quit["ok"]
    assert waited["now"] == 300000 and seen["ok"] and not unseen["ok"] and now["now"] == 300000 + 2000000
    assert done.returncode == 0 and done.stderr == ""


def test_a_table_whose_owner_is_gone_before_it_is_there_says_nothing(tmp_path: Path) -> None:
    """A game that was interrupted while its table started."""
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-m", "tablier.simulation.simulator", "--leash"]
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=writing,
        stderr=subprocess.PIPE,
        env={**os.environ, "TABLIER_PORTS": str(tmp_path)},
    ) as table:
        os.close(writing)
        assert table.wait(60) == 0 and table.stderr is not None and table.stderr.read() == b""
    assert list(tmp_path.iterdir()) == []


# -- a computer with too much to do --------------------------------------------------------------------------


class SlowTable(SimulatedTable):
    program = "slow_table"


def test_a_short_press_counts_however_slow_the_table_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent))
    with SlowTable() as table:
        client = Client(table.first_port, LifeClock(), lambda boot: 0)
        client.open()
        try:
            client.want(wire.WATCH, 1, 0, 0b111111)
            while table.tester.pixels()["public"][5] == "000000":  # not asked yet
                client.poll(0.05)
            pressed = [(place, button) for place in (1, 2, 2, 2, 3) for button in (0, 3)]
            for place, button in pressed:
                table.tester.press(place, wire.BUTTONS[button], 30)
            seen: list[tuple[int, int]] = []
            deadline = time.monotonic() + 60
            while len(seen) < len(pressed) and time.monotonic() < deadline:
                for event in client.poll(0.1):
                    if isinstance(event, TableEvent) and event.message is wire.PRESSED:
                        seen.append((event.values["place"], event.values["button"]))
        finally:
            client.close()
    assert sorted(seen) == sorted(pressed)


# -- the directory of ports ----------------------------------------------------------------------------------


def refused_directory(folder: Path, capsys: pytest.CaptureFixture[str], *words: str) -> Iterator[str]:
    """Run commands with ports in a folder, and return the one line with which each of them refuses it."""
    for command in (["table", "sim"], ["table", "list"], ["play", "--virtual", "--log", f"{folder}.db"]):
        assert main([*command, *words]) == 2
        printed = capsys.readouterr()
        (line,) = printed.err.splitlines()
        assert line.startswith(f"tablier: {folder}: ")
        assert "another place" in line
        yield line


@pytest.fixture
def ports_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is made beforehand where a table's ports would be."""
    folder = tmp_path / "ports"
    monkeypatch.setenv("TABLIER_PORTS", str(folder))
    return folder


def test_a_directory_that_is_open_to_others_is_not_used(ports_in: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ports_in.mkdir()
    for mode in (0o777, 0o1777, 0o770, 0o702):
        ports_in.chmod(mode)
        for line in refused_directory(ports_in, capsys):
            assert "others can write there" in line
        assert list(ports_in.iterdir()) == []


def test_a_directory_of_somebody_else_is_not_used(
    ports_in: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ports_in.mkdir(mode=0o700)
    if os.getuid() == 0:
        os.chown(ports_in, 12345, 12345)
        theirs = 12345
    else:  # nobody else's directory can be made: be somebody else instead
        theirs = os.getuid()
        monkeypatch.setattr(os, "getuid", lambda: theirs + 1)
    for line in refused_directory(ports_in, capsys):
        assert f"it belongs to user {theirs}" in line
    assert list(ports_in.iterdir()) == []


def test_a_link_or_a_file_in_the_place_of_the_directory_is_not_used(
    ports_in: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    ports_in.symlink_to(tmp_path / "elsewhere")
    for line in refused_directory(ports_in, capsys):
        assert "it is not a directory" in line
    ports_in.unlink()
    ports_in.write_text("")
    for line in refused_directory(ports_in, capsys):
        assert "it is not a directory" in line


def test_where_ports_are_without_a_word(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TABLIER_PORTS", raising=False)
    monkeypatch.setattr("tempfile.gettempdir", lambda: "/somewhere")
    monkeypatch.setattr(ports, "_RUN", tmp_path / "nowhere")
    monkeypatch.setattr(ports, "_SOCKET_MAX", 1000)  # a test's own folder may have a long path
    run = tmp_path / "run"
    run.mkdir(mode=0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(run))
    assert ports.simulated_dir() == run / "tablier"
    for unusable in ("", "run", str(tmp_path / "missing")):
        monkeypatch.setenv("XDG_RUNTIME_DIR", unusable)
        assert ports.simulated_dir() == Path(f"/somewhere/tablier-{os.getuid()}")
    run.chmod(0o755)  # not what the specification promises: somebody else has made it
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(run))
    assert ports.simulated_dir() == Path(f"/somewhere/tablier-{os.getuid()}")


def test_a_directory_is_made_for_this_user_alone(ports_in: Path) -> None:
    before = os.umask(0)
    try:
        with SimulatedTable(virtual=True):
            assert ports_in.stat().st_mode & 0o777 == 0o700
    finally:
        os.umask(before)


# -- the VM ---------------------------------------------------------------------------------------------------


def test_the_vm_says_what_the_code_said_and_how_it_failed() -> None:
    assert Vm({}).run("print(1 + 1)") == "2\n"
    with pytest.raises(VmError, match="ZeroDivisionError"):
        Vm({}).run("print('before')\n1 / 0")


def test_what_a_host_function_raises_comes_out_of_the_vm() -> None:
    def refuse(payload: str) -> str:
        raise LookupError(payload)

    with pytest.raises(LookupError, match="why"):
        Vm({"ask": refuse}).run("import host\nhost.call('ask', 'why')")


def test_the_vm_has_no_more_memory_than_a_pico() -> None:
    with pytest.raises(VmError, match="MemoryError"):
        Vm({}).run("bytearray(215000)")


@pytest.mark.parametrize("soon", [False, True])
def test_a_signal_that_another_thread_gets_ends_a_wait(soon: bool) -> None:
    """As does one that comes when a wait is about to begin: neither interrupts it."""
    before, number = signal.getsignal(signal.SIGUSR1), signal.SIGUSR1
    events = Events()

    def signal_itself() -> None:
        if not soon:
            time.sleep(0.05)
        signal.pthread_kill(threading.get_ident(), number)

    try:
        events.end_at(number)
        threading.Thread(target=signal_itself).start()
        with pytest.raises(Quit):
            events.wait(30)
    finally:
        signal.set_wakeup_fd(-1)
        signal.signal(number, before)
