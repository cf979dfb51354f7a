"""Whatever SQLite answers, the log is called damaged only where it is: else somebody throws entries away."""

from __future__ import annotations

import errno
import fcntl
import shutil
import sqlite3
from pathlib import Path

import apsw
import pytest

from tablier.cli.main import main
from tablier.log.chain import LogError
from tablier.log.errors import ADVICE, NO_LOCKS, access_problem
from tablier.log.store import Log

from .disk import Disk, Op

PRIMARY = """
ERROR INTERNAL PERM ABORT BUSY LOCKED NOMEM READONLY INTERRUPT IOERR CORRUPT NOTFOUND FULL CANTOPEN PROTOCOL EMPTY
SCHEMA TOOBIG CONSTRAINT MISMATCH MISUSE NOLFS AUTH FORMAT RANGE NOTADB
"""
CODES = {
    name: code
    for name, code in vars(sqlite3).items()
    if name.startswith(tuple(f"SQLITE_{primary}" for primary in PRIMARY.split()))
    and code & 0xFF in {getattr(sqlite3, f"SQLITE_{primary}") for primary in PRIMARY.split()}
}
IN_THE_FILE = {"ERROR", "CORRUPT", "EMPTY", "TOOBIG", "MISMATCH", "FORMAT", "NOTADB", "INTERRUPT"}
SHORTER = "IOERR_SHORT_READ"
"""The answer for pages past a file's end: zeros, and no error. Pages that the log's header counts are missing."""
NO_PLACE = """
PROTOCOL NOLFS IOERR_LOCK IOERR_RDLOCK IOERR_UNLOCK IOERR_BLOCKED IOERR_CHECKRESERVEDLOCK IOERR_SHMOPEN IOERR_SHMLOCK
IOERR_SHMMAP IOERR_MMAP READONLY_CANTLOCK
"""


def fill(path: Path, entries: int = 60) -> None:
    with Log.open(path) as log:
        game = log.begin_game("roudalon", {}, [])
        for n in range(entries):
            log.append(game, "note", {"n": n, "x": "x" * 2000})


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("sample") / "log.db"
    fill(path)
    return path


def refusals(sample: Path, path: Path, code: int) -> list[str]:
    """Return what is said when a reader, a verification and a writer get this answer."""
    shutil.copy(sample, path)
    answers = False

    def answer(*_: object) -> None:
        if answers:
            raise apsw.exception_for(code)

    def before(number: int, op: Op) -> None:
        if op.kind == "write":
            answer()

    said = []
    reading = Disk(path.parent, reading=answer)
    with Log.read(path, connect=reading.connect) as log:
        answers = True
        for work in (lambda: list(log.entries()), log.verify):
            with pytest.raises(LogError) as error:
                work()
            said.append(str(error.value))
    answers = False
    writing = Disk(path.parent, before)
    with Log.open(path, connect=writing.connect) as log:
        answers = True
        with pytest.raises(LogError) as error:
            log.append(1, "note", {})
        answers = False
        said.append(str(error.value))
        assert log.verify() == 61
    return said


@pytest.mark.parametrize("name", CODES)
def test_a_log_is_called_damaged_only_where_sqlite_says_so_of_the_file(name: str, sample: Path, tmp_path: Path) -> None:
    said = refusals(sample, tmp_path / "log.db", CODES[name])
    short = name.removeprefix("SQLITE_")
    for line in said:
        assert "\n" not in line and line.startswith(str(tmp_path / "log.db"))
        if short.split("_")[0] not in IN_THE_FILE and short != SHORTER:
            assert str(ADVICE) not in line and "damaged;" not in line
        if short in NO_PLACE.split():
            assert str(NO_LOCKS) in line
    if short in ("CORRUPT", "FORMAT", "TOOBIG", SHORTER):
        assert str(ADVICE) in said[0]


def test_a_folder_that_locks_nothing_is_named_as_that(
    sample: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = shutil.copy(sample, tmp_path / "log.db")

    def flock(file: int, how: int) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", flock)
    assert main(["people", "rename", "Anne", "Bea", "--log", str(path)]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert str(NO_LOCKS) in line and "No locks available" in line


class _Exhausted:
    """A connection as Python gives it where SQLite has no memory."""

    def execute(self, *_: object) -> None:
        raise MemoryError

    def close(self) -> None:
        pass


def test_where_memory_ends_that_is_said_first(sample: Path, tmp_path: Path) -> None:
    with Log.read(shutil.copy(sample, tmp_path / "log.db")) as log:
        log._db.close()
        log._db = _Exhausted()  # type: ignore[assignment]
        with pytest.raises(LogError, match="there is not enough memory; end other programs; if that does not help"):
            list(log.entries())


@pytest.mark.parametrize("code", [sqlite3.SQLITE_PROTOCOL, sqlite3.SQLITE_IOERR_SHMMAP])
def test_an_archive_on_such_a_folder_is_named_as_that(code: int, tmp_path: Path) -> None:
    error = sqlite3.OperationalError("locking protocol")
    error.sqlite_errorcode = code
    assert access_problem(tmp_path / "archive.db", error) == NO_LOCKS
