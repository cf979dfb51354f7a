"""The service mode of a simulated table that has one: who gets it, and the prompt at its port."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.firmware.desk import LOG
from tests.firmware.raw import RawHost

from tablier.simulation.simulated import SimulatedTable
from tablier_fw import colours, wire


class Serviceable(SimulatedTable):
    options = ("--service-mode",)


class ServedHost(RawHost):
    """A host of its own at such a table."""

    def __init__(self, table: Serviceable) -> None:
        super().__init__(table)
        self.table = table
        self.hello(log=LOG)
        self.listen(0.1)


@pytest.fixture
def host() -> Iterator[ServedHost]:
    with Serviceable(virtual=True, seed=1) as table:
        host = ServedHost(table)
        yield host
        host.close()


def ask(host: ServedHost, challenge: bytes | None = None) -> int:
    host.send(wire.SERVICE, challenge or host.challenge)
    answer: int
    (answer,) = [values["refusal"] for _, name, _, values in host.listen(0.1) if name == "serving"]
    return answer


def type_in(host: ServedHost, text: bytes) -> str:
    """Type at the prompt; return what comes back."""
    before = len(host.raw)
    host.write(text)
    host.listen(0.3)
    return host.raw[before:].decode()


def test_it_is_among_the_abilities_and_given_between_games_only(host: ServedHost) -> None:
    (hello, *_) = [values for _, name, _, values in host.frames if name == "table_hello"]
    assert hello["abilities"] & wire.CAN_SERVE
    assert ask(host, b"nonsense") == wire.STRANGER
    host.send(wire.POLL, 1, 0, 1)
    assert ask(host) == wire.QUESTION_OPEN
    host.send(wire.IDLE, 2, 0, 1)
    assert ask(host) == wire.QUESTION_OPEN, "a game is open"
    host.table.say("service on")
    assert ask(host) == wire.WILL_SERVE, "but somebody holds the service button"


def test_its_port_is_a_prompt_until_the_next_reset(host: ServedHost) -> None:
    assert ask(host) == wire.WILL_SERVE
    assert host.table.tester.pixels()["ring"] == [bytes(colours.SERVICE).hex()] * 32
    host.listen(2.2)
    assert set(host.table.tester.pixels()["ring"]) == {"000000"}
    assert host.raw.endswith(b">>> ") and b"tablier: service mode" in host.raw
    assert type_in(host, wire.frame(wire.PING, host.boot, host.run, bytes(8))[:-1] + b"\x03").endswith(">>> ")
    assert type_in(host, b"twice = lambda x: 2 * x\r").endswith("\r\n>>> ")
    assert type_in(host, b"twice(21)\r") == "twice(21)\r\n42\r\n>>> "
    assert type_in(host, b"for i in range(2):\r  print(i)\r\r").endswith("\r\n0\r\n1\r\n>>> ")
    assert type_in(host, b"1/0\r").endswith("ZeroDivisionError: divide by zero\r\n>>> ")
    assert type_in(host, b"\x01") == "raw REPL; CTRL-B to exit\r\n>"
    assert type_in(host, b"print(twice(4))\nx\x04").startswith("OK8\r\n\x04Traceback")
    assert type_in(host, b"\x04").endswith("soft reboot\r\nraw REPL; CTRL-B to exit\r\n>")
    assert type_in(host, b"twice\x04").startswith("OK\x04Traceback"), "forgotten"
    boot, challenge = host.boot, host.challenge
    host.table.say("reset")
    host.listen(0.2)
    assert (host.boot, host.challenge) != (boot, challenge)
    host.hello(log=LOG)
    assert host.status()["number"] == 0


def test_what_runs_at_the_prompt_may_reset_the_board(host: ServedHost) -> None:
    ask(host)
    host.listen(2.2)
    boot = host.boot
    type_in(host, b"import machine\rmachine.reset()\r")
    assert host.boot != boot


def test_mpremote_runs_a_program_there(tmp_path: Path) -> None:
    """A client that nobody of Tablier wrote."""
    pytest.importorskip("mpremote")
    with Serviceable(virtual=True, seed=1) as table:
        host = ServedHost(table)
        ask(host)
        host.listen(2.2)
        host.close()
        command = [sys.executable, "-m", "mpremote", "connect", table.first_port, "exec", "print(6 * 7)"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as program:
            tester = table.tester
            while program.poll() is None:
                tester.wait(0.05)
            assert program.stdout is not None and program.stdout.read() == "42\n"
