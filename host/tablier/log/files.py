"""The files of a log: the log itself and those beside it."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

from tablier.texts import NOT_YOURS, Text

_SUFFIXES = ("", "-wal", "-shm", "-journal", "-lock", "-new", "-token", "-web", "-checked")


def files_of(path: Path) -> list[Path]:
    """Return every file that belongs to the log of this path, there or not."""
    real = Path(os.path.realpath(path))
    return [beside(real, suffix) for suffix in _SUFFIXES]


def beside(real: Path, suffix: str) -> Path:
    """Return the file whose name is that of another and a suffix."""
    return real.with_name(real.name + suffix)


def size_of(file: Path) -> int:
    """Return the size of a file in bytes, 0 when there is none."""
    try:
        return file.stat().st_size
    except FileNotFoundError:
        return 0


def identity_of(file: Path) -> tuple[int, int] | None:
    """Return what tells a file from any other whatever its name, or ``None`` when there is none."""
    try:
        stat = file.stat()
    except OSError:
        return None
    return stat.st_dev, stat.st_ino


class Distrusted(Exception):
    """A file beside a log says nothing: somebody else may have written it, or read its secret."""

    def __init__(self, why: Text) -> None:
        super().__init__(str(why))
        self.why = why


THERE_ALREADY = Text("{path} is there already; --force overwrites it")
NO_FOLDER = Text("{path}: there is no folder {parent}; make it first")


def open_own(file: Path, flags: int = os.O_RDONLY, *, secret: bool = False) -> int:
    """Return a descriptor of a file that nobody but this user can have written; nor read, for a ``secret``.

    Raise ``OSError``, and :class:`Distrusted` for any other file.
    """
    found = os.open(file, flags | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK, 0o600)  # a pipe would be waited for
    status = os.fstat(found)
    why = None
    if not stat.S_ISREG(status.st_mode):
        why = Text("it is not a plain file")
    elif status.st_uid != os.geteuid():
        why = NOT_YOURS.of(user=status.st_uid)
    elif status.st_mode & (0o077 if secret else 0o022):
        why = Text("others can read it") if secret else Text("others can write to it")
    if why is not None:
        os.close(found)
        raise Distrusted(why)
    return found


def other_names(file: Path) -> list[str]:
    """Return the other names that a file has in its folder."""
    status = file.stat()
    same = (each.name for each in os.scandir(file.parent) if each.inode() == status.st_ino and each.name != file.name)
    return sorted(name for name in same if identity_of(file.with_name(name)) == (status.st_dev, status.st_ino))


def is_mounted(file: Path) -> bool:
    """Return True for a file that is mounted where it lies: what is beside it is not what is beside the file itself."""
    try:
        mounts = Path("/proc/self/mountinfo").read_bytes()
    except OSError:
        return False
    escaped = os.fsencode(file)
    for each in b"\\ \t\n":
        escaped = escaped.replace(bytes([each]), b"\\%03o" % each)
    return escaped in mounts and any(line.split()[4] == escaped for line in mounts.splitlines())


FOLLOWS = hasattr(os, "O_PATH") and Path("/proc/self/fd").is_dir()
"""True where the kernel says under which name a descriptor's file is found."""


def hold(file: Path) -> int:
    """Return a descriptor that reads and locks nothing, for :func:`place_of`; the caller closes it."""
    return os.open(file, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC)


def place_of(held: int) -> str:
    """Return where the kernel finds the file of a descriptor now."""
    return os.readlink(f"/proc/self/fd/{held}")  # noqa: PTH115  # a Path would cost more, at each commit


_NO_LINKS = (errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS)
"""What a file system says that has no hard links."""


def give_name(new: Path, out: Path, *, replace: bool) -> None:
    """Give a complete file its name. ``replace``: in the place of a file that has it; else, as far as the file system
    can tell, raise ``FileExistsError``."""
    if not replace:
        try:
            out.hardlink_to(new)  # unlike a renaming, it does not replace what somebody has put there meanwhile
        except OSError as error:
            if error.errno not in _NO_LINKS:
                raise
        else:
            new.unlink(missing_ok=True)
            return
    new.replace(out)


def sync_folder(file: Path) -> None:
    """Make the name of a file durable."""
    folder = os.open(file.parent, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
