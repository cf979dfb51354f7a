"""The sandbox of a program that plays: what it may reach, and how it ends. The standard library alone.

:mod:`tablier.play.programs` runs this file as a program of its own. It starts the command that it is given under an
allow list: the command and its children read the paths that are named, write in a new temporary folder, and reach
nothing else. When the command ends, or the lifeline is closed, everything that it has started ends too.

On Linux the list is held by Landlock and a filter of system calls (seccomp), which cannot be left again; on macOS by
``sandbox-exec``. :func:`gaps` says what the computer that this runs on cannot hold.
"""

from __future__ import annotations

import ctypes
import json
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

LINUX, MACOS = sys.platform == "linux", sys.platform == "darwin"
_LINUX_SYSTEM = "/usr /bin /sbin /lib /lib32 /lib64 /libx32 /etc /opt /nix/store /run/current-system /sys"
_MACOS_SYSTEM = "/usr /bin /sbin /System /Library /opt /private/etc /private/var/db/timezone /private/var/select"
SYSTEM = tuple((_LINUX_SYSTEM if LINUX else _MACOS_SYSTEM).split())
"""Paths that every program may read: the system, and its description of itself."""
_OF_PROC = ("self", "cpuinfo", "meminfo", "stat", "sys", "version", "filesystems", "loadavg")
_READ_ALSO = ("/dev/null", "/dev/zero", "/dev/random", "/dev/urandom")
_WRITE_ALSO = ("/dev/null",)
_SANDBOX_EXEC = "/usr/bin/sandbox-exec"

FILES, SOCKETS, SIGNALS = "files", "sockets", "signals"
"""Protections that a computer may lack."""

# -- Landlock ------------------------------------------------------------------------------------------------------

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


def _checked(function: str, *args: object) -> int:
    result = int(getattr(ctypes.CDLL(None, use_errno=True), function)(*args))
    if result < 0:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))
    return result


def _call(number: int, *args: object) -> int:
    """Make a system call. Raise ``OSError``."""
    return _checked("syscall", ctypes.c_long(number), *args)


def _control(option: int, *args: int | bytes) -> int:
    """Call ``prctl``. Raise ``OSError``."""
    words = [ctypes.c_ulong(arg) if isinstance(arg, int) else arg for arg in (*args, 0, 0, 0, 0)[:4]]
    return _checked("prctl", ctypes.c_int(option), *words)


def landlock() -> int:
    """Return the version of Landlock that the kernel has, 0 for none."""
    if not LINUX:
        return 0
    try:
        return _call(_CREATE, None, ctypes.c_size_t(0), ctypes.c_uint(1))
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
    rules = _call(_CREATE, given, ctypes.c_size_t(24), ctypes.c_uint(0))
    own = [f"/proc/{name}" for name in _OF_PROC]  # "self" is this process; of others it sees nothing
    allowed = [(path, _READ) for path in (*reads, *own, *_READ_ALSO)]
    allowed += [(path, rights[0] & ~(_IOCTL | _MAKE_DEVICES)) for path in (*writes, *_WRITE_ALSO)]
    for path, right in allowed:
        try:
            place = os.open(path, os.O_PATH | os.O_CLOEXEC)
        except OSError:
            continue  # what is not there needs no rule
        right &= rights[0] if Path(path).is_dir() else rights[0] & _OF_FILES
        _call(_ADD, ctypes.c_int(rules), ctypes.c_int(_BENEATH), struct.pack("=Qi", right, place), ctypes.c_uint(0))
        os.close(place)
    _call(_RESTRICT, ctypes.c_int(rules), ctypes.c_uint(0))
    os.close(rules)


# -- the filter of system calls -------------------------------------------------------------------------------------

_ARCHITECTURES = {
    # name: the kernel's number for it, socket, socketpair, truncate, and what changes modes, owners and attributes
    "x86_64": (0xC000003E, 41, 53, 76, (90, 91, 268, 92, 93, 94, 260, 188, 189, 190, 197, 198, 199)),
    "aarch64": (0xC00000B7, 198, 199, 45, (52, 53, 54, 55, 5, 6, 7, 14, 15, 16)),
}
_IO_URING, _FCHMODAT2, _SETXATTRAT, _REMOVEXATTRAT = 425, 452, 463, 466
_X32 = 0x40000000
_EPERM, _STREAM = 1, 1
_LOAD, _EQUAL, _AT_LEAST, _MASK, _RETURN = 0x20, 0x15, 0x35, 0x54, 0x06
_ALLOW, _REFUSE = 0x7FFF0000, 0x00050000 | _EPERM


def filtered() -> bool:
    """Return whether this computer can filter system calls, and we know the numbers of its calls."""
    if not LINUX or os.uname().machine not in _ARCHITECTURES:
        return False
    try:
        return _control(_GET_SECCOMP) >= 0
    except OSError:
        return False


def _filter(version: int) -> bytes:
    """Return the filter as the kernel takes it, for a version of Landlock.

    Landlock knows TCP only. Without sockets there is no UDP, no D-Bus and no other program's socket either. Nor does
    it know of modes and owners, and old versions not of ``truncate``.
    """
    architecture, socket, pair, truncate, modes = _ARCHITECTURES[os.uname().machine]
    refused = [
        socket,
        _IO_URING,
        *modes,
        _FCHMODAT2,
        _SETXATTRAT,
        _REMOVEXATTRAT,
        *([] if version >= 3 else [truncate]),
    ]
    code = [
        (_LOAD, 0, 0, 4),  # the architecture
        (_EQUAL, 1, 0, architecture),
        (_RETURN, 0, 0, _REFUSE),
        (_LOAD, 0, 0, 0),  # the call
        (_AT_LEAST, len(refused) + 4, 0, _X32),
        *((_EQUAL, len(refused) + 3 - n, 0, call) for n, call in enumerate(refused)),
        (_EQUAL, 0, 4, pair),
        (_LOAD, 0, 0, 24),  # the kind of a pair: others than streams can be turned to any socket
        (_MASK, 0, 0, 0xF),
        (_EQUAL, 1, 0, _STREAM),
        (_RETURN, 0, 0, _REFUSE),
        (_RETURN, 0, 0, _ALLOW),
    ]
    return b"".join(struct.pack("=HBBI", *line) for line in code)


def _restrict_calls(version: int) -> None:
    code = _filter(version)
    lines = ctypes.create_string_buffer(code, len(code))
    program = struct.pack("@HP", len(code) // 8, ctypes.addressof(lines))
    _control(_SET_SECCOMP, 2, program)


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
    """Return what this computer cannot keep a program from: of :data:`FILES`, :data:`SOCKETS`, :data:`SIGNALS`."""
    if MACOS:
        return () if os.access(_SANDBOX_EXEC, os.X_OK) else (FILES, SOCKETS, SIGNALS)
    version = landlock()
    held = {FILES: version >= 1, SOCKETS: filtered(), SIGNALS: version >= 6}
    return tuple(what for what, is_held in held.items() if not is_held)


def _become(words: list[str], reads: Sequence[str], folder: str, supervisor: int) -> None:
    """Restrict this process and become the command."""
    environment = {key: os.environ[key] for key in ("PATH", "LANG") if key in os.environ}
    environment |= {"HOME": folder, "TMPDIR": folder}
    if LINUX:
        _control(_DEATH_SIGNAL, signal.SIGKILL)
        if os.getppid() != supervisor:  # it was killed before the signal was asked for
            os._exit(127)
        with suppress(OSError):  # only root may, and needs to
            _control(_SECURE_BITS, _ROOT_IS_NOBODY)
        _control(_NO_NEW_PRIVILEGES, 1)
        version = landlock()
        if version:
            _restrict_files(version, reads, [folder])
        if filtered():
            _restrict_calls(version)
    elif MACOS and not gaps():
        words = [_SANDBOX_EXEC, "-p", profile(reads, [folder]), *words]
    for number in (signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(number, signal.SIG_DFL)  # Python has ignored them
    os.execvpe(words[0], words, environment)


def _descendants() -> list[int]:
    """Return the processes that this one and its children have started."""
    parents: dict[int, list[int]] = {}
    for each in Path("/proc").iterdir():
        if each.name.isdigit():
            try:
                fields = (each / "stat").read_bytes().rpartition(b")")[2].split()
            except OSError:
                continue  # it has ended
            parents.setdefault(int(fields[1]), []).append(int(each.name))
    found = [os.getpid()]
    for pid in found:
        found += parents.get(pid, [])
    return found[1:]


def _end(program: int) -> None:
    """End the command and all that it has started, whatever sessions they have made of their own."""
    while True:
        if LINUX:
            for pid in _descendants():
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


def main(lifeline: int, words: list[str], reads: list[str], parent: str) -> int:
    """Run the command until it ends or the lifeline is closed; return its exit status."""
    if LINUX:
        _control(_SUBREAPER, 1)
    wake, woken = os.pipe()
    for end in (wake, woken):
        os.set_blocking(end, False)
    signal.set_wakeup_fd(woken)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    folder = os.path.realpath(tempfile.mkdtemp(prefix="tablier-program-", dir=parent))
    status = 0
    supervisor = os.getpid()
    program = os.fork()
    if program == 0:
        try:
            os.setsid()
            signal.set_wakeup_fd(-1)
            os.closerange(3, 256)
            _become(words, reads, folder, supervisor)
        except BaseException as error:
            os.write(2, f"did not start: {getattr(error, 'strerror', None) or error}\n".encode())
        os._exit(127)
    try:
        nothing = os.open(os.devnull, os.O_RDWR)
        for end in (0, 1):
            os.dup2(nothing, end)  # they are the program's
        running = True
        while running and lifeline not in select.select([lifeline, wake], [], [])[0]:
            try:
                os.read(wake, 512)
            except BlockingIOError:
                pass
            while True:
                try:
                    ended, how = os.waitpid(-1, os.WNOHANG)
                except ChildProcessError:
                    break
                if ended == program:
                    running, status = False, os.waitstatus_to_exitcode(how)
                if not ended:
                    break
    finally:
        _end(program)
        shutil.rmtree(folder, ignore_errors=True)
    return status if status >= 0 else 128 - status


if __name__ == "__main__":
    sys.exit(main(**json.loads(sys.argv[1])))
