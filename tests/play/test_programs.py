"""Programs that play, and what they reach: hostile ones in real processes, on this computer's own kernel."""

from __future__ import annotations

import errno
import json
import os
import pty
import resource
import signal
import socket
import struct
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import pytest

from installed import needs
from ports import each
from sample import thorough
from tablier.bots import sandbox, system_calls, usage
from tablier.bots.bots import External
from tablier.bots.programs import BotError, program_of
from tablier.bots.system_calls import LINUX
from tablier.cli.main import main
from tablier.course.seats import Seat
from tablier.judge.audit import audit
from tablier.log.store import Log
from tablier.play.beginning import begin
from tablier.play.game import Conductor
from tablier.table.clock import LifeClock
from tablier.texts import render

PROGRAM = """
import json, os, socket, sys
def tried(*args):
{code}
def attempt():
    try:
        return {{"done": tried(*{args})}}
    except Exception as error:
        return {{"refused": type(error).__name__}}
json.loads(sys.stdin.readline())
for line in sys.stdin:
    print(json.dumps({{"move": json.dumps(attempt())}}), flush=True)
"""
"""Tries something. What it is given stands in it: a path in its command would be one that it may read."""
confined = pytest.mark.skipif(
    sandbox.FILES in sandbox.gaps() or sandbox.SOCKETS in sandbox.gaps(),
    reason="the kernel of this computer has no Landlock, or does not filter system calls",
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The program's own."""
    (tmp_path / "program").mkdir()
    return tmp_path / "program"


def hostile(folder: Path, code: str, *args: object) -> External:
    """A program that plays, and has been asked to do what a function's body says."""
    indented = "\n".join(f"    {line}" for line in code.strip().splitlines())
    (folder / "bot.py").write_text(PROGRAM.format(code=indented, args=[str(arg) for arg in args]))
    bot = External(f"{sys.executable} {folder / 'bot.py'}", {})
    bot._say({})
    return bot


def attempt(folder: Path, code: str, *args: object) -> Any:
    """Run a function's body in a playing program; return the result: ``{"done": value}`` or ``{"refused": error}``."""
    bot = hostile(folder, code, *args)
    try:
        return json.loads(bot._hear()["move"])
    finally:
        bot.end()
        bot.close()


# -- what it reaches ------------------------------------------------------------------------------------------------


FILES = [
    "return open(args[0] + '/log.db').read()",
    "return os.listdir(args[0])",
    "return open(args[0] + '/log.db', 'a').write('x')",
    "return open(args[0] + '/new', 'w').write('x')",
    "return os.truncate(args[0] + '/log.db', 0)",
    "return os.unlink(args[0] + '/log.db')",
    "return os.rename(args[0] + '/log.db', os.environ['HOME'] + '/mine')",
    "return os.link(args[0] + '/log.db', os.environ['HOME'] + '/mine')",
    "link = os.environ['HOME'] + '/mine'; os.symlink(args[0] + '/log.db', link); return open(link).read()",
    "return os.chmod(args[0] + '/log.db', 0o777)",
    "return open(args[0] + '/program/bot.py', 'a').write('changed' * 2)",
    "return os.system('exec cat ' + args[0] + '/log.db') and 1 / 0",
    "return open('/proc/' + args[1] + '/environ').read()",
    "return os.readlink('/proc/' + args[1] + '/fd/0')",
    "return os.open('/proc/' + args[1] + '/mem', os.O_RDONLY)",
    "return open('/proc/' + args[1] + '/cmdline').read()",
]
"""How a program would reach a file of others: its log, itself, what the kernel says of the host's process."""


@confined
def test_a_program_reaches_no_file_of_others(folder: Path, tmp_path: Path) -> None:
    log = tmp_path / "log.db"
    log.write_text("secret")
    before = (log.stat().st_mode, sorted(tmp_path.iterdir()))
    ways = "".join(f"def way{n}():\n    {code}\n" for n, code in enumerate(FILES))
    tries = "".join(
        f"try:\n    done.append(way{n}())\nexcept Exception:\n    done.append('refused')\n" for n in range(len(FILES))
    )
    done = attempt(folder, f"done = []\n{ways}{tries}return done", tmp_path, os.getpid())["done"]
    assert dict(zip(FILES, done, strict=True)) == dict.fromkeys(FILES, "refused")
    assert log.read_text() == "secret"
    assert (log.stat().st_mode, sorted(tmp_path.iterdir())) == before
    assert "changedchanged" not in (folder / "bot.py").read_text()


@confined
def test_a_program_reaches_no_terminal(folder: Path) -> None:
    """Neither that of the game nor another one, by whatever name."""
    main_end, terminal = pty.openpty()
    try:
        name = os.ttyname(terminal)
        for path in ("/dev/tty", name, "/dev/ptmx", f"/proc/{os.getpid()}/fd/{terminal}"):
            assert "refused" in attempt(folder, "return os.open(args[0], os.O_WRONLY)", path), path
    finally:
        os.close(main_end)
        os.close(terminal)


@confined
@pytest.mark.parametrize("kind", ["tcp", "udp", "unix", "abstract", "datagrams", "serves"])
def test_a_program_reaches_no_other_one(folder: Path, tmp_path: Path, kind: str) -> None:
    family = socket.AF_INET if kind in ("tcp", "udp", "serves") else socket.AF_UNIX
    datagrams = kind in ("udp", "datagrams")
    with socket.socket(family, socket.SOCK_DGRAM if datagrams else socket.SOCK_STREAM) as server:
        if family == socket.AF_INET:
            server.bind(("127.0.0.1", 0))
        else:
            server.bind("\0tablier-test" if kind == "abstract" else str(tmp_path / "socket"))
        if not datagrams:
            server.listen()
        where = repr(server.getsockname()).replace("\\x00", "\\0")
        if kind == "serves":
            code = "end = socket.socket(); end.bind(('127.0.0.1', 0)); end.listen(); return 'listens'"
        elif kind == "datagrams":  # a pair of datagrams, of which one end is turned to another socket
            code = (
                f"ends = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM); ends[0].connect({where}); return 'sent'"
            )
        else:
            code = f"socket.socket({family!s}, {2 if datagrams else 1}).connect({where}); return 'connected'"
        assert "refused" in attempt(folder, code)


@pytest.mark.skipif(sandbox.SIGNALS in sandbox.gaps(), reason="Landlock of this kernel does not hold signals back")
def test_a_program_sends_no_signal_to_others(folder: Path) -> None:
    assert "refused" in attempt(folder, f"return os.kill({os.getpid()}, 0)")
    assert "refused" in attempt(folder, "return os.kill(os.getppid(), 0)")


HARM = {
    "limits of another": "resource.prlimit(pid, resource.RLIMIT_NOFILE, (9, 9))",
    "limits of its own": "resource.setrlimit(resource.RLIMIT_NPROC, (99, 99))",
    "priority of all": "os.setpriority(os.PRIO_USER, 0, 0)",
    "priority of a group": "os.setpriority(os.PRIO_PGRP, os.getpgid(pid), 19)",
    "priority of another": "os.setpriority(os.PRIO_PROCESS, pid, 19)",
    "processors of another": "os.sched_setaffinity(pid, os.sched_getaffinity(0))",
    "scheduler of another": "os.sched_setscheduler(pid, os.SCHED_IDLE, os.sched_param(0))",
    "its own scheduler": "os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))",
    "disk priority of another": "call('ioprio_set', 1, pid, 3 << 13)",
    "SysV memory": "call('shmget', 0, 4096, 0o600)",
    "SysV semaphores": "call('semget', 0, 1, 0o600)",
    "SysV messages": "call('msgget', 0, 0o600)",
    "messages": "call('mq_open', b'tablier-test', os.O_CREAT | os.O_RDWR, 0o600, None)",
    "keys": "call('add_key', b'user', b'tablier-test', b'x', 1, -4)",
    "a watched folder": "call('inotify_init1', 0)",
    "a notified folder": "fcntl.fcntl(os.open(args[1], os.O_RDONLY), fcntl.F_NOTIFY, fcntl.DN_ACCESS)",
    "a lease": "fcntl.fcntl(os.open(sys.argv[0], os.O_RDONLY), fcntl.F_SETLEASE, fcntl.F_RDLCK)",
    "times of a file": "os.utime(sys.argv[0], (0, 0))",
    "flags of a file": "fcntl.ioctl(os.open(sys.argv[0], os.O_RDONLY), 0x40086602, bytes(8))",
    "a user's namespace": "call('unshare', 0x10000000)",
    "a process in one": "call('clone', 0x10000000 | 17, 0, 0, 0, 0) or os._exit(0)",
    "tracing": "call('ptrace', 0x4206, pid, 0, 0)",
    "memory of another": "call('process_vm_readv', pid, None, 0, None, 0, 0)",
    "a file without a name": "call('memfd_create', b'x', 0)",
    "a ring": "call('io_uring_setup', 1, bytes(120))",
}
NUMBERS = {
    "x86_64": {
        "ioprio_set": 251, "shmget": 29, "semget": 64, "msgget": 68, "mq_open": 240, "add_key": 248, "clone": 56,
        "inotify_init1": 294, "unshare": 272, "ptrace": 101, "process_vm_readv": 310, "memfd_create": 319,
    },
    "aarch64": {
        "ioprio_set": 30, "shmget": 194, "semget": 190, "msgget": 186, "mq_open": 180, "add_key": 217, "clone": 220,
        "inotify_init1": 26, "unshare": 97, "ptrace": 117, "process_vm_readv": 270, "memfd_create": 279,
    },
}  # fmt: skip


@confined
def test_a_program_changes_nothing_of_others(folder: Path) -> None:
    """It set limits and priorities of everything its user runs, and what it had set outlived the game."""
    numbers = {**NUMBERS[os.uname().machine], "io_uring_setup": 425}
    begin = f"""
import ctypes, fcntl, resource
pid, numbers, done = int(args[0]), {numbers}, dict()
def call(name, *given):
    result = ctypes.CDLL(None, use_errno=True).syscall(numbers[name], *given)
    if result < 0:
        raise OSError(ctypes.get_errno(), "")
    return result
"""
    tries = "".join(
        f"try:\n    done[{what!r}] = (lambda: {code})()\n"
        f"except (OSError, ValueError) as error:\n    done[{what!r}] = type(error).__name__\n"
        for what, code in HARM.items()
    )
    with subprocess.Popen(["sleep", "60"], start_new_session=True) as victim:
        before = resource.prlimit(victim.pid, resource.RLIMIT_NOFILE), os.getpriority(os.PRIO_PROCESS, victim.pid)
        try:
            done = attempt(folder, f"{begin}{tries}return done", victim.pid, folder)["done"]
            now = resource.prlimit(victim.pid, resource.RLIMIT_NOFILE), os.getpriority(os.PRIO_PROCESS, victim.pid)
        finally:
            victim.kill()
    refusals = dict.fromkeys(HARM, "PermissionError")
    refusals |= {"limits of its own": "ValueError", "a file without a name": "OSError", "flags of a file": "OSError"}
    assert done == refusals
    assert now == before


@confined
def test_what_programs_need_is_allowed(folder: Path) -> None:
    """Of Python, of a shell, and of Node where there is one: threads, children, files of their own, timers."""
    code = """
import asyncio, subprocess, threading, tempfile, time, signal, mmap, fcntl
done = []
each = threading.Thread(target=done.append, args=("thread",)); each.start(); each.join()
done.append(subprocess.run(["sh", "-c", "cd; touch new; mkdir a; cp new a; mv a b; ls b | cat; rm -r b; trap : CHLD;"
    "for i in 1 2 3; do true & done; wait; echo 2>/dev/null >&2"], capture_output=True, text=True).stdout)
async def beside():
    end = await asyncio.create_subprocess_exec("echo", "child", stdout=-1)
    await asyncio.to_thread(time.sleep, 0)
    return (await end.communicate())[0].decode()
done.append(asyncio.run(beside()))
with tempfile.TemporaryFile() as file:
    file.write(b"file"); file.flush(); fcntl.flock(file, fcntl.LOCK_EX)
    done.append(mmap.mmap(file.fileno(), 0)[:].decode())
signal.signal(signal.SIGALRM, lambda *_: done.append("timer"))
signal.setitimer(signal.ITIMER_REAL, 0.001); signal.pause()
os.nice(1); os.sched_setaffinity(0, os.sched_getaffinity(0)); os.isatty(0); open(os.environ["HOME"] + "/x", "w").close()
os.pipe(), socket.socketpair(), os.eventfd(0), os.fork() or os._exit(0), os.wait()
return done
"""
    assert attempt(folder, code)["done"] == ["thread", "new\n", "child\n", "file", "timer"]


@confined
@needs("node")
def test_node_plays(folder: Path) -> None:
    (folder / "bot.js").write_text("""
const { execFile } = require("node:child_process"), { Worker } = require("node:worker_threads");
const fs = require("node:fs");
fs.writeFileSync(process.env.HOME + "/x", "written");
new Worker("require('node:worker_threads').parentPort.postMessage('worker')", { eval: true }).on("message", (worker) =>
  execFile("sh", ["-c", "echo child | cat"], (error, out) => setTimeout(() => {
    console.log(JSON.stringify([worker, out, String(error), fs.readFileSync(process.env.HOME + "/x", "utf8")]));
  }, 1)));
""")
    bot = External(f"node {folder / 'bot.js'}", {})
    try:
        assert bot._hear() == ["worker", "child\n", "null", "written"]
    finally:
        bot.end()
        bot.close()


def verdict(machine: str, name: str, *args: int) -> int:
    """Return what the filter answers to a call, as the kernel runs it: 0 for allowed, else the error."""
    number = {**system_calls.allowed(machine), **NUMBERS[machine], "later": 470, "x32": 0x40000000}[name]
    data = struct.pack("=iIQ6Q", number, system_calls.MACHINES[machine], 0, *args, *[0] * (6 - len(args)))
    code = list(struct.iter_unpack("=HBBI", system_calls.filter_of(machine)))
    at = loaded = 0
    while True:
        kind, yes, no, value = code[at]
        at += 1
        if kind == 0x06:
            return 0 if value == 0x7FFF0000 else value & 0xFFFF
        if kind == 0x20:
            (loaded,) = struct.unpack_from("=I", data, value)
        elif kind == 0x54:
            loaded &= value
        else:
            held = {0x15: loaded == value, 0x35: loaded >= value, 0x25: loaded > value}[kind]
            at += yes if held else no


@pytest.mark.parametrize("machine", system_calls.MACHINES)
def test_the_filter_allows_what_is_named_alone(machine: str) -> None:
    ways: dict[str, list[tuple[int, ...]]] = {
        "read": [()], "openat": [()], "mseal": [()], "futex": [()], "getrandom": [()],
        "clone": [(17,), (0x3D0F00,)],
        "prlimit64": [(0, 7), (99, 7)],
        "setpriority": [(0, 0, 5)],
        "sched_setaffinity": [(0,)],
        "socketpair": [(1, 1), (1, 0x80001)],
        "utimensat": [(3,)],
        "ioctl": [(0, 0x5401), (0, 0x541B)],
        "fcntl": [(0, 1), (0, 1030)],
    }  # fmt: skip
    for name, all_args in ways.items():
        assert [verdict(machine, name, *args) for args in all_args] == [0] * len(all_args), name
    refused: dict[str, list[tuple[int, ...]]] = {
        "clone": [(0x10000011,), (0x20000,)],
        "prlimit64": [(0, 7, 1 << 32), (0, 7, 4096), (99, 7, 4096)],
        "setpriority": [(0, 99, 5), (1, 0, 5), (2, 0, 5)],
        "sched_setaffinity": [(99,)],
        "socketpair": [(1, 2), (2, 1)],
        "utimensat": [(3, 4096), (3, 1 << 32), (3, 0, 4096)],
        "fcntl": [(0, 1024), (0, 1026), (0, 1031)],
        **{name: [()] for name in NUMBERS[machine].keys() - {"clone", "memfd_create"}},
    }
    for name, all_args in refused.items():
        assert [verdict(machine, name, *args) for args in all_args] == [errno.EPERM] * len(all_args), name
    assert verdict(machine, "ioctl", 0, 0x40086602) == errno.ENOTTY
    assert {verdict(machine, name) for name in ("memfd_create", "later", "x32")} == {errno.ENOSYS}


# -- what it uses ---------------------------------------------------------------------------------------------------


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where programs have their folders, which are gone with them; programs may use little of everything."""
    monkeypatch.setattr(usage, "LIMITS", usage.Limits(64 * usage.MB, 24, 8 * usage.MB, 64))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    return tmp_path / "temporary"


MEMORY, DISK = "more than 64 MB of memory", "more than 8 MB on the disk"
HOGS = {
    "memory": (MEMORY, "while True: kept.append(b'x' * MB)"),
    "shared memory": (MEMORY, "mmap.mmap(-1, 400 * MB).write(b'x' * (100 * MB)); time.sleep(60)"),
    "memory of many": (
        MEMORY,
        "[os.fork() or (kept.append(b'x' * (8 * MB)), time.sleep(60)) for _ in range(12)]",
    ),
    "a file": (DISK, "open('a', 'wb').write(b'x' * (7 * MB)); open('b', 'wb').write(b'x' * (7 * MB))"),
    "files without names": (
        DISK,
        "while True: kept.append(open('a', 'wb')); kept[-1].write(b'x' * MB); kept[-1].flush(); os.unlink('a')",
    ),
    "many files": ("more than 64 files", "[open(str(n), 'w') for n in range(200)]"),
    "a deep folder": ("more than 64 files", "while True: os.mkdir('x' * 200); os.chdir('x' * 200)"),
    "a hidden folder": ("a folder that cannot be looked into", "os.mkdir('a', 0o300); open('a/b', 'w')"),
}


@pytest.mark.skipif(not LINUX, reason="only Linux says what all that a program has started uses together")
@pytest.mark.parametrize("what", HOGS)
def test_a_program_that_uses_too_much_is_ended(folder: Path, temporary: Path, what: str) -> None:
    if what == "a hidden folder" and os.geteuid() == 0:
        pytest.skip("nothing is hidden from root")
    expected, code = HOGS[what]
    begin = "import mmap, time\nMB = 1 << 20\nkept = []; os.chdir(os.environ['HOME'])\n"
    bot = hostile(folder, f"{begin}{code}\ntime.sleep(60)")
    try:
        with pytest.raises(BotError) as failed:
            bot._hear()
    finally:
        bot.end()
        bot.close()
    assert str(failed.value).startswith(f"ended (ended by the sandbox: it used {expected}")
    assert list(temporary.iterdir()) == []


@thorough
@pytest.mark.skipif(sandbox.USE in sandbox.gaps(), reason="the kernel of this computer does not count for us")
def test_a_program_that_multiplies_is_stopped_by_the_kernel(
    folder: Path, temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And nothing of it is left when it is ended. It may use more memory than its processes can take."""
    monkeypatch.setattr(usage, "LIMITS", usage.LIMITS._replace(memory=1024 * usage.MB))
    bomb = """
def multiply():
    while True:
        try:
            os.fork()
        except OSError:
            pass
if os.fork() == 0:
    multiply()
return 0
"""
    before = set(usage.descendants())
    bot = hostile(folder, bomb)
    try:
        assert json.loads(bot._hear()["move"]) == {"done": 0}
        until = monotonic() + 20
        while len({*usage.descendants()} - before) < 24 and monotonic() < until:
            pass
        assert max(len({*usage.descendants()} - before) for _ in range(30)) <= 24 + 1, "the sandbox is one more"
    finally:
        bot.end()
        bot.close()
    assert {*usage.descendants()} <= before
    assert list(temporary.iterdir()) == []


def test_a_control_group_that_lets_nobody_in_is_done_without(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As where one may be made, but not entered from elsewhere."""
    monkeypatch.setattr(usage, "_make_group", lambda limits: tmp_path / "gone")
    assert not usage.Usage(str(tmp_path), usage.LIMITS)._joined()


def test_a_program_has_a_folder_that_goes_with_it_and_no_environment(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TABLIER_TEST_TOKEN", "secret")
    monkeypatch.setenv("LANG", "C.UTF-8")
    code = """
from pathlib import Path
mine = Path(os.environ["HOME"])
(mine / "notes").write_text("kept while it plays")
same, pair = (mine / "notes").read_text(), socket.socketpair()
return [sorted(os.environ), str(mine), os.environ["TMPDIR"], Path(sys.argv[0]).read_text() != "", same]
"""
    environment, mine, temporary, reads_itself, same = attempt(folder, code)["done"]
    assert set(environment) - {"LC_CTYPE"} == {"HOME", "LANG", "PATH", "TMPDIR"}
    assert mine == temporary and reads_itself and same == "kept while it plays"
    assert not Path(mine).exists()


def test_a_program_uses_the_rules_of_this_package(folder: Path) -> None:
    code = "from tablier.games import rules_of; return len(rules_of('d21', 2).legal(rules_of('d21', 2).initial()))"
    assert attempt(folder, code)["done"] > 10


# -- how it ends ----------------------------------------------------------------------------------------------------

SURVIVORS = """
import signal, time
ready, told = os.pipe()
for n in range(2):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.setsid()
            for number in (1, 2, 13, 15):
                signal.signal(number, signal.SIG_IGN)
            os.write(told, b"%d\\n" % os.getpid())
            while True:
                time.sleep(60)
        os._exit(0)
said = b""
while said.count(b"\\n") < 2:
    said += os.read(ready, 99)
return said.decode().split()
"""


def gone(pid: int, seconds: float = 20.0) -> bool:
    """Wait until a process has ended."""
    until = monotonic() + seconds
    while monotonic() < until:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        sleep(0.01)
    os.kill(pid, signal.SIGKILL)
    return False


@pytest.mark.skipif(not LINUX, reason="macOS has no subreaper: what makes a session of its own survives")
@pytest.mark.parametrize("how", ["ended", "exits", "killed"])
def test_nothing_that_a_program_has_started_survives_it(folder: Path, how: str) -> None:
    """Forked twice in sessions of their own, deaf to signals; whether it is ended, exits or is killed."""
    last = {"ended": "", "exits": "os._exit(0)", "killed": "os.kill(os.getpid(), 9)"}[how]
    told = f"print(json.dumps(said.decode().split()), flush=True)\n{last}"
    bot = hostile(folder, SURVIVORS.replace("return said.decode().split()", told))
    survivors: list[int] = []
    try:
        survivors = [int(pid) for pid in bot._hear()]
        if how == "ended":
            bot.end()
    finally:
        assert [gone(pid) for pid in survivors] == [True, True]
        bot.end()
        bot.close()


@pytest.mark.skipif(not LINUX, reason="macOS has no subreaper: what makes a session of its own survives")
def test_programs_end_with_a_game_that_is_killed(folder: Path) -> None:
    ready, told = os.pipe()
    game = os.fork()
    if game == 0:
        try:
            bot = hostile(folder, SURVIVORS)
            os.write(told, bot._hear()["move"].encode())
            signal.pause()
        finally:
            os._exit(1)
    os.close(told)
    survivors = [int(pid) for pid in json.loads(os.read(ready, 999))["done"]]
    os.close(ready)
    os.kill(game, signal.SIGKILL)
    os.waitpid(game, 0)
    assert [gone(pid) for pid in survivors] == [True, True]


@pytest.mark.skipif(not LINUX, reason="macOS has no subreaper: what makes a session of its own survives")
def test_a_game_goes_on_when_the_sandbox_of_a_program_was_killed(folder: Path) -> None:
    """What the program had started is an orphan then, and keeps its standard error open."""
    bot = hostile(folder, SURVIVORS)
    survivors = [int(pid) for pid in json.loads(bot._hear()["move"])["done"]]
    try:
        os.kill(bot._running._process.pid, signal.SIGKILL)
        began = monotonic()
        bot.end()
        assert monotonic() - began < 8
        bot.close()
    finally:
        for pid in survivors:
            os.kill(pid, signal.SIGKILL)


# -- what it says ---------------------------------------------------------------------------------------------------


def test_what_a_program_says_beside_reaches_no_terminal_raw(
    folder: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where standard error is no terminal it is passed on, escaped; its last lines are for whoever began the game."""
    said = "\\x1b]0;owned\\x07 \\x9b31m \\u202e evil"
    (folder / "bot.py").write_text(f"import sys; sys.stderr.reconfigure(encoding='utf-8'); sys.exit('{said}')")

    def play() -> tuple[str, list[str]]:
        started = f"{sys.executable} {folder / 'bot.py'}"  # which may end before it is asked anything
        with pytest.raises(BotError) as failed, closing(External(started, {})) as bot:
            bot.decide({}, [], True)
        return str(failed.value), list(failed.value.last_lines)

    assert play() == ("ended with status 1", [said])
    assert capfd.readouterr().err == said + "\n"
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    assert play() == ("ended with status 1", [said])
    assert capfd.readouterr().err == ""


def test_the_last_lines_of_a_program_that_fails_are_printed_after_the_game_and_told_to_nobody_else(
    folder: Path, tmp_path: Path
) -> None:
    """As Node ends: what went wrong first, its version last."""
    lines = [
        "Error: boom, and a secret of this seat",
        *(f"    at line {number}" for number in range(10)),
        "",
        "Node.js v20",
    ]
    (folder / "bot").write_text(
        "#!/bin/sh\nread hello; read question\n" + f"echo '{chr(10).join(lines)}' >&2; exit 3\n"
    )
    (folder / "bot").chmod(0o755)
    played = subprocess.run(
        [
            *(sys.executable, "-m", "tablier.cli.main", "play", "d21", "--option", "max_plies=14"),
            *(f"--seat=Zoe=bot:{folder / 'bot'}", "--seat=Ann=greedy", "--log", str(tmp_path / "log.db")),
        ],
        capture_output=True,
        text=True,
        env={**os.environ, "TABLIER_PORTS": str(tmp_path / "ports")},
    )
    assert "* Zoe's bot is out: it ended with status 3. A built-in bot takes over." in played.stdout
    assert played.returncode == 0 and "boom" not in played.stdout
    told = ["tablier: Zoe's program ended with status 3; it wrote last:", *(f"  {line}" for line in lines)]
    assert played.stderr.splitlines() == told
    with Log.read(tmp_path / "log.db") as log:
        assert not any("boom" in json.dumps(entry.body) for entry in log.entries())


# -- what cannot be started -----------------------------------------------------------------------------------------


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("TABLIER_LOG", str(tmp_path / "log.db"))
    for name, mode in (("home/bot", 0o755), ("bots/plain", 0o644), ("bots/good", 0o755), ("beside", 0o755)):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("#!/bin/sh\nexec cat\n")
        (tmp_path / name).chmod(mode)
    (tmp_path / "bots" / "foreign").write_text("#!/usr/bin/env no-such-language\n")
    (tmp_path / "bots" / "foreign").chmod(0o755)
    yield tmp_path


@pytest.mark.parametrize(
    ("command", "why"),
    [
        ("./missing", "there is no file './missing'"),
        ("no-such-program", "there is no command 'no-such-program'"),
        ("bots/plain", "'bots/plain' is not executable (chmod +x)"),
        ("./bots", "'./bots' is a folder"),
        ("bots/foreign", "is for no-such-language, which is missing"),
        ("'", "no closing quotation"),
        ("./beside", "which holds the log; put the program in a folder of its own"),
        ("home/bot", "which holds your home; put the program in a folder of its own"),
        ("sh bots/plain .", "which holds the log; put the program"),
        ("sh bots/plain /", "which holds the log; put the program"),
    ],
)
def test_a_program_that_cannot_be_started_is_refused_before_the_game(
    files: Path, command: str, why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    there = sorted(files.iterdir())
    assert main(["play", "d21", "--seat", "Anne=greedy", "--seat", f"Bob=bot:{command}"]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.startswith("tablier: Bob's program cannot be started: ")
    assert why in err and err.count("\n") == 1
    assert sorted(files.iterdir()) == there, "no game was begun"


def test_a_game_whose_program_is_gone_is_not_resumed(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with Log.open(files / "log.db") as log:
        begin(log, "d21", {}, [Seat("Anne", 0, "greedy"), Seat("Bob", 0, "bot:bots/gone")])
        head = log.head
    assert main(["resume"]) == 2
    assert "Bob's program cannot be started: there is no file 'bots/gone'" in capsys.readouterr().err
    with Log.read(files / "log.db") as log:
        assert log.head == head


def test_a_program_that_is_fine_may_read_its_folder_and_what_it_names(files: Path) -> None:
    (files / "weights").write_text("1")
    program = program_of("bots/good --with weights", files / "log.db")
    assert program.words == (str(files / "bots" / "good"), "--with", "weights")
    assert {str(files / "bots"), str(files / "weights")} <= set(program.reads)
    assert str(files) not in program.reads


# -- where it cannot be held ----------------------------------------------------------------------------------------


def test_what_a_computer_cannot_hold_is_said_and_logged(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sandbox, "landlock", lambda: 0)
    (folder / "bot.py").write_text("import sys\nsys.stdin.read()")
    seats = [Seat("Anne", 0, "greedy"), Seat("Bob", 0, f"bot:{sys.executable} {folder / 'bot.py'}")]
    news: list[Any] = []
    with Log.open(tmp_path / "log.db") as log:
        running = Conductor(log, begin(log, "d21", {}, seats), LifeClock())
        running.watch((None,), each(lambda update: news.extend(update.news)))
        running.start()
        running.close()
        (warning,) = [entry.body for entry in log.entries() if entry.kind == "warning"]
        assert audit(log.entries()).games == 1
    expected = "This computer cannot keep p2's program from your files"
    assert warning["what"] == "unconfined" and render(warning["why"]).startswith(expected)
    assert [each.text.template for each in news] == ["This computer cannot keep {who}'s program from {what}."]


@pytest.mark.parametrize("version", range(8))
def test_each_version_of_landlock_is_asked_for_what_it_knows(version: int, monkeypatch: pytest.MonkeyPatch) -> None:
    files, tcp, scopes = sandbox.handled(version)
    assert files.bit_length() == (13, 13, 14, 15, 15, 16, 16, 16)[version]
    assert (tcp, scopes) == (3 if version >= 4 else 0, 3 if version >= 6 else 0)
    monkeypatch.setattr(sandbox, "LINUX", True)
    monkeypatch.setattr(sandbox, "MACOS", False)
    monkeypatch.setattr(sandbox, "filtered", lambda: True)
    monkeypatch.setattr(sandbox, "landlock", lambda: version)
    assert (sandbox.FILES in sandbox.gaps()) == (version == 0)
    assert (sandbox.SIGNALS in sandbox.gaps()) == (version < 6)


def test_the_profile_for_macos_allows_what_is_named_alone() -> None:
    lines = sandbox.profile(['/Users/a/my "bot'], ["/private/tmp/mine"]).splitlines()
    assert lines[:2] == ["(version 1)", "(deny default)"] and "(deny network*)" in lines
    (reads,) = [line for line in lines if line.startswith("(allow file-read* ")]
    (writes,) = [line for line in lines if line.startswith("(allow file-write* ")]
    assert '(subpath "/Users/a/my \\"bot")' in reads and '(subpath "/private/tmp/mine")' in reads
    assert writes == '(allow file-write* (subpath "/private/tmp/mine") (subpath "/dev/null"))'
