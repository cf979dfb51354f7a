"""System calls of Linux: making those that Python has no function for, and the filter of what a program may call.

The filter is a list of what is allowed: whatever a kernel of tomorrow can do is refused today. What a call is given by
number alone can be looked at, what it is given in memory cannot. The standard library alone: this is loaded in the
sandbox of each program that plays.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct
import sys
from collections.abc import Iterator, Mapping, Sequence

LINUX = sys.platform == "linux"


def checked(function: str, *args: object) -> int:
    """Call a function of the C library. Raise ``OSError``."""
    result = int(getattr(ctypes.CDLL(None, use_errno=True), function)(*args))
    if result < 0:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))
    return result


def call(number: int, *args: object) -> int:
    """Make a system call. Raise ``OSError``."""
    return checked("syscall", ctypes.c_long(number), *args)


def control(option: int, *args: int | bytes) -> int:
    """Call ``prctl``. Raise ``OSError``."""
    words = [ctypes.c_ulong(arg) if isinstance(arg, int) else arg for arg in (*args, 0, 0, 0, 0)[:4]]
    return checked("prctl", ctypes.c_int(option), *words)


# -- what a program may call ---------------------------------------------------------------------------------------

_ALLOWED = """
# memory
brk 12 214, mmap 9 222, mprotect 10 226, munmap 11 215, mremap 25 216, madvise 28 233, mincore 27 232,
msync 26 227, mlock 149 228, mlock2 325 284, munlock 150 229, mlockall 151 230, munlockall 152 231,
membarrier 324 283, get_mempolicy 239 236, set_mempolicy 238 237, mbind 237 235, pkey_mprotect 329 288,
pkey_alloc 330 289, pkey_free 331 290, map_shadow_stack 453 453, mseal 462 462,
# files: open, read, write, lock
open 2 -, creat 85 -, openat 257 56, openat2 437 437, close 3 57, close_range 436 436, read 0 63,
write 1 64, pread64 17 67, pwrite64 18 68, readv 19 65, writev 20 66, preadv 295 69, pwritev 296 70,
preadv2 327 286, pwritev2 328 287, lseek 8 62, dup 32 23, dup2 33 -, dup3 292 24, fcntl 72 25, flock 73 32,
ioctl 16 29, fsync 74 82, fdatasync 75 83, sync_file_range 277 84, ftruncate 77 46, truncate 76 45,
fallocate 285 47, fadvise64 221 223, readahead 187 213, sendfile 40 71, splice 275 76, tee 276 77,
vmsplice 278 75, copy_file_range 326 285,
# files: names, folders, what is said of them
stat 4 -, lstat 6 -, fstat 5 80, newfstatat 262 79, statx 332 291, access 21 -, faccessat 269 48,
faccessat2 439 439, readlink 89 -, readlinkat 267 78, getdents 78 -, getdents64 217 61, getcwd 79 17,
chdir 80 49, fchdir 81 50, mkdir 83 -, mkdirat 258 34, rmdir 84 -, unlink 87 -, unlinkat 263 35,
rename 82 -, renameat 264 38, renameat2 316 276, link 86 -, linkat 265 37, symlink 88 -, symlinkat 266 36,
mknod 133 -, mknodat 259 33, umask 95 166, utimensat 280 88, statfs 137 43, fstatfs 138 44, getxattr 191 8,
lgetxattr 192 9, fgetxattr 193 10, listxattr 194 11, llistxattr 195 12, flistxattr 196 13,
# pipes and pairs of sockets
pipe 22 -, pipe2 293 59, socketpair 53 199, sendto 44 206, recvfrom 45 207, sendmsg 46 211, recvmsg 47 212,
sendmmsg 307 269, recvmmsg 299 243, shutdown 48 210, getsockname 51 204, getpeername 52 205,
getsockopt 55 209, setsockopt 54 208,
# waiting
select 23 -, pselect6 270 72, poll 7 -, ppoll 271 73, epoll_create 213 -, epoll_create1 291 20,
epoll_ctl 233 21, epoll_wait 232 -, epoll_pwait 281 22,
epoll_pwait2 441 441, eventfd 284 -, eventfd2 290 19, signalfd 282 -, signalfd4 289 74,
timerfd_create 283 85, timerfd_settime 286 86, timerfd_gettime 287 87,
# processes and threads
clone 56 220, fork 57 -, vfork 58 -, execve 59 221, execveat 322 281, exit 60 93, exit_group 231 94,
wait4 61 260, waitid 247 95, getpid 39 172, getppid 110 173, gettid 186 178, getpgid 121 155,
setpgid 109 154, getpgrp 111 -, getsid 124 156, setsid 112 157, set_tid_address 218 96,
set_robust_list 273 99, get_robust_list 274 100, futex 202 98, futex_waitv 449 449, futex_wake 454 454,
futex_wait 455 455, futex_requeue 456 456, rseq 334 293, arch_prctl 158 -, prctl 157 167, prlimit64 302 261,
getrlimit 97 163, getrusage 98 165, times 100 153, getpriority 140 141,
setpriority 141 140, sched_yield 24 124, sched_setaffinity 203 122, sched_getaffinity 204 123,
sched_getscheduler 145 120, sched_getparam 143 121, sched_get_priority_max 146 125,
sched_get_priority_min 147 126, getcpu 309 168, pidfd_open 434 434, pidfd_send_signal 424 424,
# signals
rt_sigaction 13 134, rt_sigprocmask 14 135, rt_sigreturn 15 139, rt_sigpending 127 136,
rt_sigtimedwait 128 137, rt_sigsuspend 130 133, rt_sigqueueinfo 129 138, rt_tgsigqueueinfo 297 240,
sigaltstack 131 132, kill 62 129, tkill 200 130, tgkill 234 131, pause 34 -, restart_syscall 219 128,
# time
nanosleep 35 101, clock_nanosleep 230 115, clock_gettime 228 113, clock_getres 229 114, gettimeofday 96 169,
time 201 -, alarm 37 -, getitimer 36 102, setitimer 38 103, timer_create 222 107, timer_settime 223 110,
timer_gettime 224 108, timer_getoverrun 225 109, timer_delete 226 111,
# who and where
getuid 102 174, geteuid 107 175, getgid 104 176, getegid 108 177, getresuid 118 148, getresgid 120 150,
getgroups 115 158, capget 125 90, uname 63 160, sysinfo 99 179, getrandom 318 278,
"""
"""Name and number of each call, on x86-64 and on 64-bit ARM.

Missing on purpose: sockets, and io_uring, which makes them too (Landlock reaches neither UDP nor D-Bus nor the sockets
of other programs); modes, owners, attributes and times of files; watches on folders (inotify, fanotify); SysV memory,
keyrings, message queues; namespaces, mounts, tracing, other processes' memory; limits, schedulers and priorities of
disks; files without a name (memfd), whose memory is counted nowhere; changing the user.
"""

_NEW_NAMESPACES = 0x7E020000
_WHOLE = 0xFFFFFFFF
_STREAM, _LOCAL = 1, 1
_PRIO_PROCESS = 0
_TERMINAL = 0x5400  # all of them, FIONREAD and FIOCLEX too, but none that changes a file
_OF_LINUX, _DUP_CLOEXEC = 0x400, 0x406  # leases on files that others open, notices of a folder's changes

_Test = tuple[int, int, int]
"""Which half of which argument, what is looked at of it, and what that must be."""


def _low(argument: int) -> int:
    return 16 + 8 * argument


def _high(argument: int) -> int:
    return 20 + 8 * argument


_ITSELF: Sequence[_Test] = ((_low(0), _WHOLE, 0),)
_ONLY: Mapping[str, Sequence[Sequence[_Test]]] = {
    "clone": [((_low(0), _NEW_NAMESPACES, 0),)],
    "prlimit64": [((_low(2), _WHOLE, 0), (_high(2), _WHOLE, 0))],  # to read it; the sandbox sets it
    "sched_setaffinity": [_ITSELF],
    "setpriority": [((_low(0), _WHOLE, _PRIO_PROCESS), (_low(1), _WHOLE, 0))],
    # Others than streams can be turned to any socket.
    "socketpair": [((_low(0), _WHOLE, _LOCAL), (_low(1), 0xF, _STREAM))],
    # An open file, and the time is now: what "touch" does with a new one.
    "utimensat": [tuple((half(argument), _WHOLE, 0) for argument in (1, 2) for half in (_low, _high))],
    "ioctl": [((_low(1), 0xFF00, _TERMINAL),)],
    "fcntl": [((_low(1), _OF_LINUX, 0),), ((_low(1), _WHOLE, _DUP_CLOEXEC),)],
}
"""By call: what is tested of its arguments. One of these lists must hold."""
_MISSING = {"x86_64": (319, 435), "aarch64": (279, 435)}
"""``memfd_create``, and ``clone3``, which keeps its flags in memory: libraries do without where a kernel lacks them."""
_NEWEST = 469
"""The last call that was known when this was written. Later ones are missing for a program, not forbidden."""

MACHINES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
"""The kinds of processors whose calls are known, and the kernel's numbers for these."""
_LOAD, _EQUAL, _AT_LEAST, _ABOVE, _MASK, _RETURN = 0x20, 0x15, 0x35, 0x25, 0x54, 0x06
_ALLOW, _REFUSE = 0x7FFF0000, 0x00050000
_FORBIDDEN = (_RETURN, 0, 0, _REFUSE | errno.EPERM)
_Line = tuple[int, int, int, int]


def allowed(machine: str) -> dict[str, int]:
    """Return the calls that a program may make on a kind of processor, some with certain arguments only."""
    numbers = {}
    for line in _ALLOWED.splitlines():
        for each in filter(str.strip, line.partition("#")[0].split(",")):
            name, *by_machine = each.split()
            number = by_machine[list(MACHINES).index(machine)]
            if number != "-":
                numbers[name] = int(number)
    return numbers


def filter_of(machine: str, without: Sequence[str] = ()) -> bytes:
    """Return the filter as the kernel takes it. ``without``: calls that are refused as well."""
    calls = {name: number for name, number in allowed(machine).items() if name not in without}
    code: list[_Line] = [
        (_LOAD, 0, 0, 4),  # the architecture
        (_EQUAL, 1, 0, MACHINES[machine]),
        _FORBIDDEN,
        (_LOAD, 0, 0, 0),  # the call
    ]
    for first, last in _ranges({number for name, number in calls.items() if name not in _ONLY}):
        code += [(_AT_LEAST, 0, 2, first), (_ABOVE, 1, 0, last), (_RETURN, 0, 0, _ALLOW)]
    for name in calls.keys() & _ONLY.keys():
        refusal = errno.ENOTTY if name == "ioctl" else errno.EPERM
        checks = [*_checks(_ONLY[name]), (_RETURN, 0, 0, _REFUSE | refusal)]
        code += [(_EQUAL, 0, len(checks), calls[name]), *checks]
    for number in _MISSING[machine]:
        code += [(_EQUAL, 0, 1, number), (_RETURN, 0, 0, _REFUSE | errno.ENOSYS)]
    code += [(_ABOVE, 0, 1, _NEWEST), (_RETURN, 0, 0, _REFUSE | errno.ENOSYS), _FORBIDDEN]
    return b"".join(struct.pack("=HBBI", *line) for line in code)


def _ranges(numbers: set[int]) -> Iterator[tuple[int, int]]:
    """Yield the first and the last of each run of numbers, the lowest first."""
    for first in sorted(number for number in numbers if number - 1 not in numbers):
        last = first
        while last + 1 in numbers:
            last += 1
        yield first, last


def _checks(alternatives: Sequence[Sequence[_Test]]) -> Iterator[_Line]:
    """Yield what allows a call where all tests of one of the alternatives hold, and else comes to an end."""
    for tests in alternatives:
        for n, (where, mask, value) in enumerate(tests):
            yield (_LOAD, 0, 0, where)
            yield (_MASK, 0, 0, mask)
            yield (_EQUAL, 0, 3 * (len(tests) - n - 1) + 1, value)
        yield (_RETURN, 0, 0, _ALLOW)
