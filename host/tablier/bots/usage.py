"""What a program that plays may use of the computer: memory, processes, disk. The standard library alone.

The kernel limits each process by itself. What all that a program has started uses together is looked at ten times a
second. Only the kernel is quick enough to stop what multiplies: it counts the processes of a control group where one
can be made, and else those of the user, of which the ones that are not the program's are left out of account.
"""

from __future__ import annotations

import os
import resource
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

MB = 1 << 20


class Limits(NamedTuple):
    """What a program and all that it has started may use together."""

    memory: int
    """Bytes. What processes share counts for each of them; what is in files does not count."""
    tasks: int
    """Processes and their threads."""
    disk: int
    """Bytes in its folder."""
    files: int
    """Files and folders in its folder."""


def _physical() -> int:
    """Return the bytes of memory that this computer has, 0 for unknown."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError):
        return 0


LIMITS = Limits(max(256 * MB, _physical() // 8), max(128, 4 * (os.cpu_count() or 1)), 256 * MB, 4096)
_MARGIN = 256 * MB
"""How much more each process may reserve than all may use: most reserve more than they use."""
_FREE_MIN = 100 * MB
"""What must stay free on the disk: not all that is written can be found."""
_FOLDERS_DEEP = 64
_BLOCK = 512
_NICE = 5
_EACH = 10
"""How many looks there are to each one at all processes."""
_PROC = Path("/proc")
_GROUP = "tablier-program-"


# -- control groups ------------------------------------------------------------------------------------------------


def _places() -> Iterator[Path]:
    """Yield the folders in which a group may be made: beside the one of this process (version 2), or in it."""
    try:
        lines = (_PROC / "self" / "cgroup").read_text(encoding="utf-8").splitlines()
    except OSError:
        return
    root = Path("/sys/fs/cgroup")
    for line in lines:
        _, controllers, path = line.split(":", 2)
        if not controllers:
            own = root / path.lstrip("/")
            yield own if own == root else own.parent  # one with processes of its own can have none that is limited
        elif "pids" in controllers.split(","):
            yield root / "pids" / path.lstrip("/")


def _make_group(limits: Limits) -> Path | None:
    """Return a new control group that limits processes; ``None`` where this process can make none."""
    for place in _places():
        _remove_left_groups(place)
        group = place / f"{_GROUP}{os.getpid()}"
        try:
            group.mkdir()
        except OSError:
            continue
        try:
            (group / "pids.max").write_text(str(limits.tasks), encoding="ascii")
        except OSError:
            _remove_group(group)
        else:
            return group
    return None


def _remove_left_groups(place: Path) -> None:
    """Remove the groups of sandboxes that were killed."""
    with suppress(OSError):
        for group in place.glob(f"{_GROUP}*"):
            pid = group.name.removeprefix(_GROUP)
            if pid.isdigit() and not (_PROC / pid).exists():
                _remove_group(group)


def _remove_group(group: Path) -> None:
    with suppress(OSError):
        group.rmdir()


def can_limit_tasks() -> bool:
    """Return whether the kernel of this computer limits how many processes a program starts: not those of root, unless
    there are control groups."""
    if not _PROC.is_dir():
        return False
    if os.geteuid():
        return True
    if (group := _make_group(LIMITS)) is not None:
        _remove_group(group)
    return group is not None


# -- the table of processes ----------------------------------------------------------------------------------------


def _parent_and_threads(pid: int) -> tuple[int, int]:
    """Return the parent of a process and how many threads it has: none and none when it has ended."""
    try:
        fields = (_PROC / str(pid) / "stat").read_bytes().rpartition(b")")[2].split()
    except OSError:
        return 0, 0
    return int(fields[1]), int(fields[17])


def _pids() -> set[int]:
    return {int(name) for name in os.listdir(_PROC) if name.isdigit()}  # noqa: PTH208  # ten times a second


def _below(parents: dict[int, int]) -> list[int]:
    """Return which of these processes this one and its children have started."""
    children: dict[int, list[int]] = {}
    for pid, parent in parents.items():
        children.setdefault(parent, []).append(pid)
    found = [os.getpid()]
    for pid in found:
        found += children.get(pid, [])
    return found[1:]


def descendants() -> list[int]:
    """Return the processes that this one and its children have started."""
    return _below({pid: _parent_and_threads(pid)[0] for pid in _pids()})


def _tasks_of_user(but: set[int]) -> int:
    """Return how many processes and threads this user has, some processes left out."""
    total = 0
    for pid in _pids() - but:
        with suppress(OSError):
            if (_PROC / str(pid)).stat().st_uid == os.getuid():
                total += _parent_and_threads(pid)[1]
    return total


# -- the limits ----------------------------------------------------------------------------------------------------


class Usage:
    """What all that this process has started may use, and does."""

    def __init__(self, folder: str, limits: Limits) -> None:
        self._folder = folder
        self._limits = limits
        self._group = _make_group(limits) if _PROC.is_dir() else None
        self._parents: dict[int, int] = {}
        self._own: list[int] = []
        self._looks = 0
        self._free_min = min(_FREE_MIN, self._free() // 2)

    def close(self) -> None:
        """Remove the control group. Everything in it must have ended."""
        if self._group is not None:
            _remove_group(self._group)

    # -- what the kernel holds a process to --

    def restrict(self) -> None:
        """Limit this process, a child of the one that looks, and each that it starts: for good, but for their number,
        which the other one sets as long as they cannot."""
        most = {
            "CORE": 0,
            "DATA": self._limits.memory + _MARGIN,
            "FSIZE": self._limits.disk,
            "NOFILE": 256,
            "MSGQUEUE": 0,
            "RTPRIO": 0,
            "SIGPENDING": 1024,  # of all that the user runs
        }
        for name, value in most.items():
            if (which := getattr(resource, f"RLIMIT_{name}", None)) is not None:
                hard = resource.getrlimit(which)[1]
                least = value if hard == resource.RLIM_INFINITY else min(value, hard)
                resource.setrlimit(which, (least, least))
        os.nice(_NICE)
        if not self._joined() and _PROC.is_dir():
            self._limit_tasks([os.getpid()])
        with suppress(OSError):  # where memory ends all the same, the kernel ends this first
            (_PROC / "self" / "oom_score_adj").write_text("1000", encoding="ascii")

    def _joined(self) -> bool:
        """Move this process into the control group; return False where there is none, or it cannot be moved."""
        try:
            if self._group is not None:
                (self._group / "cgroup.procs").write_text("0", encoding="ascii")
        except OSError:
            return False
        return self._group is not None

    def _limit_tasks(self, pids: list[int]) -> None:
        """Have the kernel refuse these processes another one when the user has as many more as a program may have."""
        most = _tasks_of_user(set(pids)) + self._limits.tasks
        for pid in pids:
            with suppress(OSError, ValueError):
                hard = resource.prlimit(pid, resource.RLIMIT_NPROC)[1]
                soft = most if hard == resource.RLIM_INFINITY else min(most, hard)
                resource.prlimit(pid, resource.RLIMIT_NPROC, (soft, hard))

    # -- what is looked at --

    def excess(self) -> str | None:
        """Return what is used that may not be; ``None`` for nothing."""
        if _PROC.is_dir():
            self._look()
            used = [_memory_and_threads(pid) for pid in self._own]
            if sum(threads for _, threads in used) > 2 * self._limits.tasks:
                return f"more than {self._limits.tasks} processes and threads"
            if sum(memory for memory, _ in used) > self._limits.memory:
                return f"more than {self._limits.memory // MB} MB of memory"
        return self._excess_on_disk()

    def _look(self) -> None:
        """Find out what is running. A process that was seen before is only asked again from time to time."""
        if self._looks % _EACH == 0:
            self._parents.clear()
        there = _pids()
        for gone in self._parents.keys() - there:
            del self._parents[gone]
        for pid in there - self._parents.keys():
            self._parents[pid] = _parent_and_threads(pid)[0]
        own = _below(self._parents)
        # The child of one that has ended is a child of this process now, whatever was read before.
        self._own = own + [pid for pid in self._own if pid in there and pid not in own]
        if self._looks % _EACH == 0 and self._group is None:
            self._limit_tasks(self._own)
        self._looks += 1

    def _excess_on_disk(self) -> str | None:
        if self._free() < self._free_min:
            return "the disk, which is nearly full"
        try:
            used, files = _measure(self._folder, self._limits.files)
        except PermissionError:
            return "a folder that cannot be looked into"
        if files > self._limits.files:
            return f"more than {self._limits.files} files, or folders {_FOLDERS_DEEP} deep"
        if used + sum(self._nameless().values()) > self._limits.disk:
            return f"more than {self._limits.disk // MB} MB on the disk"
        return None

    def _free(self) -> int:
        disk = os.statvfs(self._folder)
        return disk.f_bavail * disk.f_frsize

    def _nameless(self) -> dict[int, int]:
        """Return the sizes of files on the disk of the folder that are open and have no name any more."""
        found, disk = {}, Path(self._folder).stat().st_dev
        for pid in self._own:
            with suppress(OSError):  # it has ended, or does not let itself be looked at
                for each in os.scandir(_PROC / str(pid) / "fd"):
                    status = each.stat()
                    if stat.S_ISREG(status.st_mode) and not status.st_nlink and status.st_dev == disk:
                        found[status.st_ino] = status.st_blocks * _BLOCK
        return found


_OF_STATUS = {b"RssAnon": 1 << 10, b"RssShmem": 1 << 10, b"VmPTE": 1 << 10, b"VmSwap": 1 << 10}


def _memory_and_threads(pid: int) -> tuple[int, int]:
    """Return the bytes that a process has in memory and in no file, and how many threads it has."""
    memory = threads = 0
    with suppress(OSError):
        for line in (_PROC / str(pid) / "status").read_bytes().splitlines():
            name, _, value = line.partition(b":")
            if name in _OF_STATUS:
                memory += int(value.split()[0]) * _OF_STATUS[name]
            elif name == b"Threads":
                threads = int(value)
    return memory, threads


_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def _measure(folder: str, most: int, within: int | None = None, deep: int = 0) -> tuple[int, int]:
    """Return how many bytes and files are below a folder; stop beyond a number of files, and too deep.

    Raise ``PermissionError``. A link that comes into the place of a folder meanwhile is not followed.
    """
    if deep > _FOLDERS_DEEP:
        return 0, most + 1
    used = count = 0
    try:
        place = os.open(folder, _FOLDER, dir_fd=within)
    except PermissionError:
        raise
    except OSError:
        return 0, 0  # it has gone
    try:
        with os.scandir(place) as entries:
            for entry in entries:
                if (count := count + 1) > most:
                    break
                with suppress(FileNotFoundError):
                    used += entry.stat(follow_symlinks=False).st_blocks * _BLOCK
                if entry.is_dir(follow_symlinks=False):
                    more, files = _measure(entry.name, most - count, place, deep + 1)
                    used, count = used + more, count + files
    finally:
        os.close(place)
    return used, count
