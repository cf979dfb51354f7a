"""The campaigns: every point of a game at which a process can die, a disk fill up or fail, or a reader come."""

from __future__ import annotations

import hashlib
import os
import random
import select
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import apsw

from harness import Broken
from tablier.log.chain import LogError
from tablier.log.store import Log
from tablier.simulation.simulated import SimulatedTable

from .disk import WAYS, Disk, Image, Op
from .games import (
    BACKUP,
    LOG,
    History,
    Pile,
    check,
    course,
    course_at_table,
    go_on,
    go_on_at,
    history_of,
    write_on,
)

_SHM = (None, b"", bytes(32768), random.Random(0).randbytes(32768))
"""What a crash may leave as ``-shm``: SQLite must not believe it."""
_TO_END_EVERY = 40  # images
_REPLY_S = 0.03
_NOBODY = 65534


def carry_out(work: Callable[..., Counter[str]], given: tuple[object, ...]) -> Counter[str]:
    """Carry out one campaign, and print what it has looked at."""
    try:
        done = work(*given)
    except Exception as error:
        raise Broken(f"{work.__name__} {given}: {error}") from error
    what = ", ".join(f"{count} {name}" for name, count in done.items())
    print(f"{work.__name__} {' '.join(map(str, given))}: {what}", flush=True)
    return done


@contextmanager
def _folder() -> Iterator[Path]:
    """A folder in memory where there is one: what counts as written is said by :mod:`tests.crash.disk`."""
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None, prefix="tablier-crash-") as name:
        yield Path(name)


def _recorded(kind: str, seed: int, where: Path) -> tuple[Disk, History]:
    """Play a game on a recording disk; return the disk and the history of the log."""
    where.mkdir()
    disk = Disk(where)
    with disk.recording():
        course(where, kind, seed, opened=disk.opened, connect=disk.connect)
    return disk, _history(disk, where)


def _recorded_at(table: SimulatedTable, seed: int, where: Path) -> tuple[Disk, History, list[Pile]]:
    """The same at a table; return also what lay in its arena after each number of entries."""
    where.mkdir()
    disk = Disk(where)
    with disk.recording():
        piles = course_at_table(where, seed, table, disk.opened, connect=disk.connect)
    return disk, _history(disk, where), piles


def _history(disk: Disk, where: Path) -> History:
    there = {file.name: file.read_bytes() for file in where.iterdir() if not file.name.endswith("-shm")}
    assert disk.image(len(disk.ops), "kept").files == there, "operations were missed"
    return history_of(where / LOG)


def _lay(files: dict[str, bytes], where: Path, shm: bytes | None = None) -> None:
    """Make a folder hold files."""
    shutil.rmtree(where, ignore_errors=True)
    where.mkdir()
    for name, data in files.items():
        (where / name).write_bytes(data)
        (where / name).chmod(0o600)
    if shm is not None and LOG in files:
        (where / f"{LOG}-shm").write_bytes(shm)


def _files(where: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in where.iterdir() if not file.name.endswith(("-shm", "-lock"))}


# -- dying -----------------------------------------------------------------------------------------------------------


def stop_points(kind: str, seed: int, every: int = 1, first: int = 0) -> Counter[str]:
    """Stop a game before every so manieth operation, in all ways, and check what is left."""
    with _folder() as where:
        disk, history = _recorded(kind, seed, where / "live")

        def resume(number: int) -> Resume:
            return partial(go_on, to_end=number % _TO_END_EVERY == 0)

        return _stopped(f"{kind}, seed {seed}", disk, history, where, range(first, len(disk.ops) + 1, every), resume)


def stop_points_at_table(seed: int, every: int = 1, at_table_every: int = 10) -> Counter[str]:
    """The same with a game of Dilemma at a simulated table; every so manieth image that differs is resumed there."""
    with _folder() as where, SimulatedTable(virtual=True, seed=seed) as table:
        disk, history, piles = _recorded_at(table, seed, where / "live")
        resumed: Counter[str] = Counter()

        def resume(number: int) -> Resume:
            if number % at_table_every:
                return write_on
            to_end = number % (_TO_END_EVERY * at_table_every) == 0

            def go_on(log: Log, game: int, count: int) -> None:
                go_on_at(table, piles, log, game, count, to_end=to_end)
                resumed["games resumed at a table"] += 1

            return go_on

        points = range(0, len(disk.ops) + 1, every)
        return _stopped(f"dilemma at a table, seed {seed}", disk, history, where, points, resume) + resumed


Resume = Callable[[Log, int, int], None]


def _stopped(
    name: str, disk: Disk, history: History, where: Path, points: range, resume: Callable[[int], Resume]
) -> Counter[str]:
    """Check the images of a disk; ``resume`` says how the game of so manieth image that differs is to go on."""
    done: Counter[str] = Counter()
    known: dict[tuple[bytes, bool], int] = {}
    for point, way, image in disk.images(points):
        done["stop points"] += way == WAYS[0]
        done["images"] += 1
        seen = _digest(image), image.made
        try:
            if seen in known:
                assert image.least <= known[seen] <= image.most
                continue
            done["images that differ"] += 1
            number = done["images that differ"]
            _lay(image.files, where / "laid", _SHM[number % len(_SHM)])
            known[seen] = check(
                where / "laid", history.hashes, image.least, image.most, made=image.made, resume=resume(number)
            )
        except Exception as error:
            op = disk.ops[point] if point < len(disk.ops) else "the end"
            raise AssertionError(f"{name}, point {point} ({op!r:.80}), {way}: {error}") from error
    return done


def _digest(image: Image) -> bytes:
    digest = hashlib.sha256()
    for name, data in sorted(image.files.items()):
        digest.update(f"{name} {len(data)} ".encode() + data)
    return digest.digest()


# -- disks that fill up or fail ----------------------------------------------------------------------------------------


def full_disks(kind: str, seed: int, every: int = 1, first: int = 0) -> Counter[str]:
    """Have no space from every so manieth write on, until somebody makes room."""
    done: Counter[str] = Counter()
    with _folder() as where:
        disk, history = _recorded(kind, seed, where / "live")
        needs_space = [number for number, op in enumerate(disk.ops) if op.kind in ("create", "write")]
        for index, point in enumerate(needs_space[first::every]):
            with _told(f"{kind}, seed {seed}, full from operation {point} on"):
                _full_disk(where / "full", kind, seed, history, point, stay=index % 2 == 0, done=done)
    return done


def _full_disk(
    where: Path, kind: str, seed: int, history: History, point: int, *, stay: bool, done: Counter[str]
) -> None:
    """``stay``: the program that was writing writes on when there is room; else another does."""
    _lay({}, where)
    full = True

    def before(number: int, op: Op) -> None:
        if full and number >= point and op.kind in ("create", "write"):
            raise apsw.exception_for(apsw.SQLITE_FULL)

    disk = Disk(where, before)

    def failed(error: LogError) -> bool:
        nonlocal full
        done["refused writes"] += 1
        kept = disk.durable
        text = str(error)
        assert "the disk is full: make room" in text and "\n" not in text, text
        if text.startswith(f"{where / LOG}:"):
            moves = history.moves[kept]
            assert f"game 1 is kept with {moves} move" in text and "'tablier resume 1 --log " in text, text
        else:
            assert text.startswith(f"{where / BACKUP}:") and not (where / BACKUP).exists(), text
        full = not stay
        return stay

    done["full disks"] += 1
    with disk.recording():
        try:
            course(where, kind, seed, opened=disk.opened, failed=failed, connect=disk.connect)
        except LogError as error:
            assert "the disk is full: make room" in str(error), error
    full = False
    hashes: Sequence[str] = history.hashes
    if stay and disk.durable:  # what was written after there was room is not in the history
        with Log.read(where / LOG) as log:
            hashes = ["00" * 32, *(entry.hash for entry in log.checked(0, log.last_entry))]
    check(
        where,
        hashes,
        disk.durable,
        max(disk.durable, disk.attempted),
        made=disk.made,
        resume=partial(go_on, to_end=point % 20 == 0),
    )


def failing_disks(kind: str, seed: int, every: int = 1, first: int = 0) -> Counter[str]:
    """Have an error at every so manieth read, write, truncation and sync, once or from then on."""
    done: Counter[str] = Counter()
    with _folder() as where:
        reads = 0

        def reading() -> None:
            nonlocal reads
            reads += 1

        (where / "live").mkdir()
        disk = Disk(where / "live", reading=reading)
        with disk.recording():
            course(where / "live", kind, seed, opened=disk.opened, connect=disk.connect)
        history = history_of(where / "live" / LOG)
        own = [number for number, op in enumerate(disk.ops) if op.kind in ("write", "truncate", "sync")]
        for number in range(first, reads, every):
            with _told(f"{kind}, seed {seed}, an error at read {number}"):
                _failing_disk(where / "bad", kind, seed, history, None, number, once=number % 2 == 0, done=done)
        for number in own[first::every]:
            with _told(f"{kind}, seed {seed}, an error at operation {number}"):
                _failing_disk(where / "bad", kind, seed, history, number, None, once=number % 2 == 0, done=done)
    return done


def failing_closings(kind: str, seed: int) -> Counter[str]:
    """Have an error at every read while a connection is closed: nobody is told, so nothing may depend on it."""
    done: Counter[str] = Counter()

    def reading() -> None:
        if disk.closing:
            done["failing reads"] += 1
            raise apsw.exception_for(apsw.SQLITE_IOERR_READ)

    with _folder() as where, _told(f"{kind}, seed {seed}, errors while closing"):
        disk = Disk(where, reading=reading)
        with disk.recording():
            course(where, kind, seed, opened=disk.opened, connect=disk.connect)
        history = history_of(where / LOG)
        check(where, history.hashes, disk.durable, disk.attempted, made=disk.made, resume=go_on)
    done["closings"] += 1
    return done


def _failing_disk(
    where: Path,
    kind: str,
    seed: int,
    history: History,
    op_number: int | None,
    read_number: int | None,
    *,
    once: bool,
    done: Counter[str],
) -> None:
    _lay({}, where)
    reads = 0
    works = False

    def due(number: int, wanted: int | None) -> bool:
        return not works and wanted is not None and (number == wanted if once else number >= wanted)

    def reading() -> None:
        nonlocal reads
        reads += 1
        if due(reads - 1, read_number):
            raise apsw.exception_for(apsw.SQLITE_IOERR_READ)

    def before(number: int, op: Op) -> None:
        codes = {
            "write": apsw.SQLITE_IOERR_WRITE,
            "sync": apsw.SQLITE_IOERR_FSYNC,
            "truncate": apsw.SQLITE_IOERR_TRUNCATE,
        }
        if op.kind in codes and due(number, op_number):
            raise apsw.exception_for(codes[op.kind])

    disk = Disk(where, before, reading)
    done["failing reads" if op_number is None else "failing operations"] += 1
    with disk.recording():
        try:
            course(where, kind, seed, opened=disk.opened, connect=disk.connect)
        except LogError as error:
            done["refusals"] += 1
            assert "the disk reports an error" in str(error) and "\n" not in str(error), error
    works = True
    check(where, history.hashes, disk.durable, disk.attempted, made=disk.made, resume=go_on)


@contextmanager
def _told(where: str) -> Iterator[None]:
    """Say of a failure where it was."""
    try:
        yield
    except Exception as error:
        raise AssertionError(f"{where}: {error}") from error


# -- readers and copies ----------------------------------------------------------------------------------------------


def readers(kind: str, seed: int, every: int = 1, first: int = 0) -> Counter[str]:
    """Have another process open the log before every so manieth operation, while the writer waits a moment."""
    done: Counter[str] = Counter()
    with _folder() as where:
        _, history = _recorded(kind, seed, where / "live")
        (where / "read").mkdir()
        command = [sys.executable, str(Path(__file__).with_name("reader.py"))]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdin and process.stdout
            process.stdout.readline()  # it is ready
            least: int | None = None

            def collect(wait_s: float | None) -> None:
                nonlocal least
                assert process.stdout
                if least is None or not select.select([process.stdout], [], [], wait_s)[0]:
                    return
                line = process.stdout.readline().strip()
                assert not line.startswith("refused"), line
                seen, _, head = line.split()
                assert least <= int(seen) <= disk.attempted, f"{seen} entries were read; {least} were durable"
                assert head == history.hashes[int(seen)], "a reader sees what was not written"
                least = None

            def before(number: int, op: Op) -> None:
                nonlocal least
                collect(0)
                if disk.made and least is None and number % every == first % every:
                    assert process.stdin
                    least = disk.durable
                    process.stdin.write(f"{where / 'read' / LOG}\n")
                    process.stdin.flush()
                    done["readers"] += 1
                    collect(_REPLY_S)
                    done["readers that had to wait for the writer"] += least is not None

            disk = Disk(where / "read", before)
            with _told(f"{kind}, seed {seed}, a reader before operation {len(disk.ops)}"):
                course(where / "read", kind, seed, opened=disk.opened, connect=disk.connect)
                collect(None)
            process.stdin.close()
    return done


def copies(kind: str, seed: int, count: int) -> Counter[str]:
    """Copy the log while it is written to, file by file, and check that what is refused says what to do."""
    done: Counter[str] = Counter()
    dice = random.Random(seed)
    with _folder() as where:
        disk, history = _recorded(kind, seed, where / "live")
        began = next(number for number, state in enumerate(disk.states) if state[2])
        moments = [sorted(dice.randrange(began, len(disk.ops) + 1) for _ in range(3)) for _ in range(count // 4)]
        for _ in range(count - len(moments)):
            start = dice.randrange(began, len(disk.ops) + 1)
            moments.append([min(len(disk.ops), start + gap) for gap in sorted(dice.choices(range(40), k=3))])
        wanted = sorted({moment for three in moments for moment in three})
        kept = {point: image.files for point, _, image in disk.images(wanted, ("kept",))}
        for one, two, three in moments:
            done["copies"] += 1
            begun, ended = kept[one][LOG], kept[two][LOG]
            half = min(len(begun), len(ended)) // 8192 * 4096
            files = {LOG: begun[:half] + ended[half:]}
            if dice.random() < 0.3:  # the -wal first
                files = {LOG: kept[three][LOG]}
                three = one
            if (wal := kept[three].get(f"{LOG}-wal")) is not None:
                files[f"{LOG}-wal"] = wal
            _lay(files, where / "copy")
            with _told(f"{kind}, seed {seed}, copied at {one}, {two} and {three}"):
                try:
                    with Log.open(where / "copy" / LOG, create=False) as log:
                        assert log.head == history.hashes[log.verify()]
                    done["copies that are whole"] += 1
                except LogError as error:
                    assert "make it again with 'tablier log backup'" in str(error), error
                    if wal:  # SQLite takes an empty one away
                        assert _files(where / "copy") == files, "a copy that was refused was changed"
    return done


def read_only_folders(kind: str, seed: int, every: int = 1, first: int = 0) -> Counter[str]:
    """Read what a crash has left in a folder that may not be written to."""
    done: Counter[str] = Counter()
    with _folder() as where:
        disk, history = _recorded(kind, seed, where / "live")
        where.chmod(0o755)
        for point, way, image in disk.images(range(first, len(disk.ops) + 1, every)):
            if not image.made:
                continue
            done["read-only folders"] += 1
            laid = where / "laid"
            _lay(image.files, laid)
            with _told(f"{kind}, seed {seed}, point {point}, {way}, read-only"), _nobody(laid):
                with Log.read(laid / LOG) as log:
                    count = log.verify()
                    assert image.least <= count <= image.most and log.head == history.hashes[count]
                try:
                    Log.open(laid / LOG)
                except LogError as error:
                    assert "not writable" in str(error), error
                else:
                    raise AssertionError("it can be written to")
            assert _files(laid) == {name: data for name, data in image.files.items() if not name.endswith("-lock")}
    return done


@contextmanager
def _nobody(where: Path) -> Iterator[None]:
    """Be somebody who may read a folder, but not write to it."""
    root = os.geteuid() == 0
    if root:
        for path in (where, *where.iterdir()):
            os.chown(path, _NOBODY, -1)
    where.chmod(0o500)
    if root:
        os.seteuid(_NOBODY)
    try:
        yield
    finally:
        if root:
            os.seteuid(0)
        where.chmod(0o700)


def sqlite_versions() -> str:
    """Return which SQLite writes the images, and which opens them."""
    return f"{apsw.sqlite_lib_version()} writing and {sqlite3.sqlite_version} opening what is left"
