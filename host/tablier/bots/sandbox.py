"""The sandbox of a program that plays: what it may reach and use, and how it ends. The standard library alone.

:mod:`tablier.bots.programs` runs this module as a program of its own. It starts the command that it is given under an
allow list: the command and its children read the paths that are named, write in a new temporary folder, and reach
nothing else. When the command ends, the lifeline is closed, or they use more than :mod:`tablier.bots.usage` allows,
everything that the command has started ends.

On Linux the list is held by Landlock and a filter of system calls (seccomp), which cannot be left again; on macOS by
``sandbox-exec``. :func:`gaps` says what the computer that this runs on cannot hold.
"""

from __future__ import annotations

import ctypes
import os
import select
import shutil
import signal
import struct
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from tablier.bots import usage
from tablier.bots.system_calls import LINUX, MACHINES, call, control, filter_of

MACOS = sys.platform == "darwin"
_LINUX_SYSTEM = "/usr /bin /sbin /lib /lib32 /lib64 /libx32 /etc /opt /nix/store /run/current-system /sys"
_MACOS_SYSTEM = "/usr /bin /sbin /System /Library /opt /private/etc /private/var/db/timezone /private/var/select"
SYSTEM = tuple((_LINUX_SYSTEM if LINUX else _MACOS_SYSTEM).split())
"""Paths that every program may read: the system, and its description of itself."""
_OF_PROC = ("self", "cpuinfo", "meminfo", "stat", "sys", "version", "filesystems", "loadavg")
_READ_ALSO = ("/dev/null", "/dev/zero", "/dev/random", "/dev/urandom")
_WRITE_ALSO = ("/dev/null",)
_SANDBOX_EXEC = "/usr/bin/sandbox-exec"
_NOT_STARTED, _ENDED = "did not start: ", "ended by the sandbox: "
VERDICTS = (_NOT_STARTED, _ENDED)
"""The beginnings of the lines that the sandbox itself writes to standard error, after all that the program wrote."""

FILES, SOCKETS, OTHERS, SIGNALS, USE = "files", "sockets", "others", "signals", "use"
"""Protections that a computer may lack."""

# -- Landlock ------------------------------------------------------------------------------------------------------

_LOOK_S = 0.1
_CREATE, _ADD, _RESTRICT = 444, 445, 446  # the numbers are the same on every architecture
_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1, 2, 4, 8
_MAKE_DEVICES = 1 << 6 | 1 << 11
_FIRST_FS = (1 << 13) - 1
_REFER, _TRUNCATE, _IOCTL = 1 << 13, 1 << 14, 1 << 15
_OF_FILES = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | _IOCTL
_READ = _EXECUTE | _READ_FILE | _READ_DIR
_BENEATH = 1
_DEATH_SIGNAL, _GET_SECCOMP, _SET_SECCOMP, _SECURE_BITS, _SUBREAPER, _NO_NEW_PRIVILEGES = 1, 21, 22, 28, 36, 38
_ROOT_IS_NOBODY = 0x2F  # being root gives no rights, for good


def landlock() -> int:
    """Return the version of Landlock that the kernel has, 0 for none."""
    if not LINUX:
        return 0
    try:
        return call(_CREATE, None, ctypes.c_size_t(0), ctypes.c_uint(1))
    except OSError:
        return 0


def handled(version: int) -> tuple[int, int, int]:
    """Return what a version of Landlock can forbid: rights to files, to TCP, and scopes."""
    files = _FIRST_FS | (_REFER if version >= 2 else 0) | (_TRUNCATE if version >= 3 else 0)
    return files | (_IOCTL if version >= 5 else 0), 3 if version >= 4 else 0, 3 if version >= 6 else 0


def _restrict_files(version: int, reads: Sequence[str], writes: Sequence[str]) -> None:
    """Forbid this process, for good, everything that Landlock can but what is named."""
    rights = handled(version)
    # An older kernel takes a longer structure when the rest of it is zero.
    given = ctypes.create_string_buffer(struct.pack("=QQQ", *rights), 24)
    rules = call(_CREATE, given, ctypes.c_size_t(24), ctypes.c_uint(0))
    own = [f"/proc/{name}" for name in _OF_PROC]  # "self" is this process; of others it sees nothing
    allowed = [(path, _READ) for path in (*reads, *own, *_READ_ALSO)]
    allowed += [(path, rights[0] & ~(_IOCTL | _MAKE_DEVICES)) for path in (*writes, *_WRITE_ALSO)]
    for path, right in allowed:
        try:
            place = os.open(path, os.O_PATH | os.O_CLOEXEC)
        except OSError:
            continue  # what is not there needs no rule
        right &= rights[0] if Path(path).is_dir() else rights[0] & _OF_FILES
        call(_ADD, ctypes.c_int(rules), ctypes.c_int(_BENEATH), struct.pack("=Qi", right, place), ctypes.c_uint(0))
        os.close(place)
    call(_RESTRICT, ctypes.c_int(rules), ctypes.c_uint(0))
    os.close(rules)


# -- the filter of system calls -------------------------------------------------------------------------------------


def filtered() -> bool:
    """Return whether this computer can filter system calls, and we know the numbers of its calls."""
    if not LINUX or os.uname().machine not in MACHINES:
        return False
    try:
        return control(_GET_SECCOMP) >= 0
    except OSError:
        return False


def _restrict_calls(version: int) -> None:
    """Restrict what this process may call, for good, under a version of Landlock: old ones know not of ``truncate``."""
    code = filter_of(os.uname().machine, [] if version >= 3 else ["truncate"])
    lines = ctypes.create_string_buffer(code, len(code))
    control(_SET_SECCOMP, 2, struct.pack("@HP", len(code) // 8, ctypes.addressof(lines)))


# -- macOS ---------------------------------------------------------------------------------------------------------


def profile(reads: Sequence[str], writes: Sequence[str]) -> str:
    """Return the allow list as ``sandbox-exec`` takes it."""

    def places(paths: Sequence[str]) -> str:
        quoted = (path.replace("\\", "\\\\").replace('"', '\\"') for path in paths)
        return " ".join(f'(subpath "{path}")' for path in quoted)

    return "\n".join(
        (
            "(version 1)",
            "(deny default)",
            '(import "system.sb")',
            "(deny network*)",
            "(allow process-exec process-fork sysctl-read)",
            "(allow signal (target same-sandbox))",
            "(allow file-read-metadata)",
            f"(allow file-read* {places([*reads, *writes, *_READ_ALSO])})",
            f"(allow file-write* {places([*writes, *_WRITE_ALSO])})",
        )
    )


# -- both ----------------------------------------------------------------------------------------------------------


def gaps() -> tuple[str, ...]:
    """Return what this computer cannot keep a program from: of :data:`FILES`, :data:`SOCKETS`, :data:`OTHERS` (what
    the kernel grants to other programs), :data:`SIGNALS`, :data:`USE` (memory and processes)."""
    if MACOS:
        return (OTHERS, USE) if os.access(_SANDBOX_EXEC, os.X_OK) else (FILES, SOCKETS, OTHERS, SIGNALS, USE)
    version = landlock()
    calls = filtered()
    held = {FILES: version >= 1, SOCKETS: calls, OTHERS: calls, SIGNALS: version >= 6, USE: usage.can_limit_tasks()}
    return tuple(what for what, is_held in held.items() if not is_held)


def _become(words: list[str], reads: Sequence[str], folder: str, supervisor: int) -> None:
    """Restrict this process and become the command."""
    environment = {key: os.environ[key] for key in ("PATH", "LANG") if key in os.environ}
    environment |= {"HOME": folder, "TMPDIR": folder}
    if LINUX:
        control(_DEATH_SIGNAL, signal.SIGKILL)
        if os.getppid() != supervisor:  # it was killed before the signal was asked for
            os._exit(127)
        with suppress(OSError):  # only root may, and needs to
            control(_SECURE_BITS, _ROOT_IS_NOBODY)
        control(_NO_NEW_PRIVILEGES, 1)
        version = landlock()
        if version:
            _restrict_files(version, reads, [folder])
        if filtered():
            _restrict_calls(version)
    elif MACOS and FILES not in gaps():
        words = [_SANDBOX_EXEC, "-p", profile(reads, [folder]), *words]
    for number in (signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(number, signal.SIG_DFL)  # Python has ignored them
    os.execvpe(words[0], words, environment)


def _end(program: int) -> None:
    """End the command and all that it has started, whatever sessions they have made of their own."""
    while True:
        if LINUX:
            for pid in usage.descendants():
                with suppress(OSError):
                    os.kill(pid, signal.SIGKILL)
        else:
            with suppress(OSError):
                os.killpg(program, signal.SIGKILL)
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:  # a subreaper has every orphan for a child: nobody is left
            return
        time.sleep(0.002)


def _remove(folder: str) -> None:
    """Remove a folder that may be deeper than Python goes, or whose folders forbid it."""
    with suppress(RecursionError):
        shutil.rmtree(folder, ignore_errors=True)
    for words in (["rm", "-rf", folder], ["chmod", "-R", "u+rwx", folder], ["rm", "-rf", folder]):
        if not os.path.lexists(folder):
            return
        os.spawnvp(os.P_WAIT, words[0], words)


def _reap(program: int) -> int | None:
    """Record processes that have ended; return the exit status of the command if it has."""
    status = None
    with suppress(ChildProcessError):
        while (ended := os.waitpid(-1, os.WNOHANG))[0]:
            if ended[0] == program:
                status = os.waitstatus_to_exitcode(ended[1])
    return status


def main(lifeline: int, words: list[str], reads: list[str], parent: str, limits: list[int]) -> int:
    """Run the command until it ends, uses too much, or the lifeline is closed; return its exit status."""
    if LINUX:
        control(_SUBREAPER, 1)
    wake, woken = os.pipe()
    for end in (wake, woken):
        os.set_blocking(end, False)
    signal.set_wakeup_fd(woken)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    folder = os.path.realpath(tempfile.mkdtemp(prefix="tablier-program-", dir=parent))
    used = usage.Usage(folder, usage.Limits(*limits))
    supervisor = os.getpid()
    program = os.fork()
    if program == 0:
        try:
            os.setsid()
            signal.set_wakeup_fd(-1)
            os.closerange(3, 256)
            used.restrict()
            _become(words, reads, folder, supervisor)
        except BaseException as error:
            os.write(2, f"{_NOT_STARTED}{getattr(error, 'strerror', None) or error}\n".encode())
        os._exit(127)
    excess: str | None = None
    try:
        nothing = os.open(os.devnull, os.O_RDWR)
        for end in (0, 1):
            os.dup2(nothing, end)  # they are the program's
        status, excess = _watch(program, lifeline, wake, used)
    finally:
        _end(program)
        used.close()
        _remove(folder)
        if excess:
            os.write(2, f"{_ENDED}it used {excess}\n".encode())
    return status if status >= 0 else 128 - status


def _watch(program: int, lifeline: int, wake: int, used: usage.Usage) -> tuple[int, str | None]:
    """Wait for the end of the command; return its exit status, and what it used too much of."""
    look_at = time.monotonic()
    while True:
        ready = select.select([lifeline, wake], [], [], max(0.0, look_at - time.monotonic()))[0]
        if lifeline in ready:
            return 0, None
        if wake in ready:
            with suppress(BlockingIOError):
                os.read(wake, 512)
            if (status := _reap(program)) is not None:
                return status, None
        if time.monotonic() >= look_at:
            if (excess := used.excess()) is not None:
                return 0, excess
            look_at = time.monotonic() + _LOOK_S
