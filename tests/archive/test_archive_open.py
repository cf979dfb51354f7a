"""What is opened as an archive: nothing else is touched, and what is wrong is one line without a secret."""

from __future__ import annotations

import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from adding import held
from honest import in_evenings
from postgres import Postgres
from sqlalchemy import create_engine, text

from sample import each
from tablier.archive.campaigns import add_campaign
from tablier.archive.database import Archive, ArchiveError
from tablier.archive.engines import engine_of
from tablier.bots.campaigns import Campaign
from tablier.bots.workers import Alone
from tablier.cli.main import main
from unprivileged import unprivileged

OPENINGS: list[Callable[[str], Archive]] = [
    lambda where: Archive.open(where),
    lambda where: Archive.open(where, create=True),
]
either = pytest.mark.parametrize("opening", OPENINGS, ids=("reading", "writing"))


def fill(where: str | Path) -> None:
    """Make an archive of two games."""
    with Archive.open(where, create=True) as archive:
        add_campaign(archive, "club", Campaign("roudalon", {}, ("random",) * 4, tuple("ABCD"), 1), 2, Alone())


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An archive at rest, never to be changed."""
    path = tmp_path_factory.mktemp("sample") / "archive.db"
    fill(path)
    return path


def execute(where: str, *statements: str) -> None:
    engine = create_engine(
        where.replace("postgresql:", "postgresql+psycopg:") if "://" in where else f"sqlite:///{where}"
    )
    with engine.begin() as connection:
        for statement in statements:
            connection.execute(text(statement))
    engine.dispose()


# -- what is not an archive ------------------------------------------------------------------------------


@either
@pytest.mark.parametrize(
    "statements",
    [
        ("CREATE TABLE bookmark (id integer)",),
        ("CREATE TABLE game (id integer)",),
        (
            "CREATE TABLE bookmark (id integer)",
            "CREATE TABLE alembic_version (version_num varchar(32))",
            "INSERT INTO alembic_version VALUES ('3f2a')",
        ),
    ],
    ids=("tables", "tables of such names", "migrations"),
)
def test_a_database_of_another_program_is_left_as_it_is(
    statements: tuple[str, ...], opening: Callable[[str], Archive], where: str
) -> None:
    execute(where, *statements)
    before = Path(where).read_bytes() if "://" not in where else b""
    with pytest.raises(ArchiveError, match="not an archive: it has tables of something else"):
        opening(where)
    if before:
        assert Path(where).read_bytes() == before
        assert len(list(Path(where).parent.iterdir())) == 1, "nothing is left beside it"


def test_a_log_that_is_named_as_the_archive_stays_a_log(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    in_evenings(tmp_path)
    log = tmp_path / "log.db"
    before = log.read_bytes()
    assert main(["archive", "add", str(log), "--to", str(log)]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "is not an archive" in line
    assert log.read_bytes() == before


@either
@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TRIGGER more AFTER INSERT ON game BEGIN DELETE FROM seat; END",
        "CREATE VIEW more AS WITH RECURSIVE a (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM a) SELECT n FROM a",
        "CREATE VIRTUAL TABLE more USING fts5 (x)",
    ],
)
def test_nothing_in_an_archive_runs_statements_of_its_own(
    statement: str, opening: Callable[[str], Archive], sample: Path, tmp_path: Path
) -> None:
    path = shutil.copy(sample, tmp_path / "archive.db")
    execute(str(path), statement)
    with pytest.raises(ArchiveError, match=r"(trigger|view|table) more is in it, which no archive has"):
        opening(str(path))


@either
@pytest.mark.parametrize(
    "statements",
    [
        ("UPDATE archive SET version = 1",),
        ("DELETE FROM archive",),
        (
            "DROP TABLE archive",
            *("ALTER TABLE summary RENAME TO tally", "CREATE TABLE alembic_version (version_num varchar(32))"),
        ),
    ],
    ids=("version", "none", "before there were versions"),
)
def test_one_of_an_earlier_version_is_refused(
    statements: tuple[str, ...], opening: Callable[[str], Archive], where: str
) -> None:
    fill(where)
    execute(where, *statements)
    with pytest.raises(ArchiveError, match=r"written by an earlier version of Tablier; add the logs to a new archive$"):
        opening(where)


@either
def test_a_newer_one_is_refused(opening: Callable[[str], Archive], where: str) -> None:
    fill(where)
    execute(where, "UPDATE archive SET version = version + 1")
    with pytest.raises(ArchiveError, match=r"written by a newer version .*; update Tablier$"):
        opening(where)


@either
@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda path, sample: path.mkdir(), "is a folder"),
        (lambda path, sample: path.write_text("Beaune, Dijon"), "not an archive: not a database"),
        (lambda path, sample: path.write_bytes(sample.read_bytes()[:5000]), "damaged"),
        (lambda path, sample: path.symlink_to("/dev/null"), "not a plain file"),
    ],
    ids=("folder", "text", "truncated", "device"),
)
def test_a_file_that_cannot_be_one_is_named_and_left(
    make: Callable[[Path, Path], object],
    said: str,
    opening: Callable[[str], Archive],
    sample: Path,
    tmp_path: Path,
) -> None:
    path = tmp_path / "archive.db"
    make(path, sample)
    before = path.read_bytes() if path.is_file() else b""
    with pytest.raises(ArchiveError, match=f"archive.db:? .*{said}"):
        opening(str(path))
    assert not before or path.read_bytes() == before


def test_one_that_is_not_there_is_not_made_by_reading(where: str, tmp_path: Path) -> None:
    for missing in (where, str(tmp_path / "none" / "archive.db")):
        with pytest.raises(ArchiveError, match="there is no archive; 'tablier archive add' makes one"):
            Archive.open(missing)
    assert not list(tmp_path.iterdir())
    (tmp_path / "empty.db").touch()
    with pytest.raises(ArchiveError, match="there is no archive"):
        Archive.open(tmp_path / "empty.db")
    Archive.open(tmp_path / "empty.db", create=True).close()


def test_where_nobody_may_write_it_can_be_read(sample: Path) -> None:
    with unprivileged(sample) as path:
        assert held(path)["games"]
        with pytest.raises(ArchiveError, match=r"archive.db: not writable \(SQLite: "):
            Archive.open(path, create=True)
        path.chmod(0)
        for opening in OPENINGS:
            with pytest.raises(ArchiveError, match="cannot be opened"):
                opening(str(path))


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE summary SET what = 'die' WHERE what = 'length'",
        "UPDATE summary SET value = 'long ' || value WHERE what = 'length'",
        "UPDATE summary SET n = 0",
        "UPDATE summary SET player = 99 WHERE player > 0",
        "UPDATE game SET body = x'00'",
    ],
)
def test_rows_that_no_program_of_ours_writes_are_one_line(
    statement: str, sample: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = str(shutil.copy(sample, tmp_path / "archive.db"))
    execute(path, statement)
    command = ["archive", "export", "--parquet", str(tmp_path / "out")] if "body" in statement else ["stats"]
    assert main([*command, "--archive", path]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"tablier: {path}: damaged (")


# -- addresses -------------------------------------------------------------------------------------------

SECRET = "open-sesame"


@pytest.mark.parametrize(
    "where",
    [
        f"postgresql://club:{SECRET}@/none",
        f"postgresql://club@/none?password={SECRET}",
        f"postgresql://club@/none?pasword={SECRET}",
        f"postgresql://club:one@{SECRET}@127.0.0.1:1/none",
        f"postgresql://club:{SECRET}@127.0.0.1:99999999/none",
        f"club:{SECRET}@127.0.0.1/none://",
    ],
)
@pytest.mark.parametrize(
    "command", each(3, ["stats --archive", "archive add log.db --to", "archive add", "stats", "archive"])
)
def test_a_password_is_shown_to_nobody(
    command: str, where: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PGHOST", str(tmp_path))
    assert main([*command.split(), where]) == 2
    said = capsys.readouterr()
    assert SECRET not in said.out + said.err
    assert len(said.err.splitlines()) == 1


def test_an_address_is_shown_with_what_tells_it_from_others() -> None:
    for where, shown in (
        (f"postgresql://club:{SECRET}@db.example:5433/season", "postgresql://club@db.example:5433/season"),
        (f"postgresql+psycopg://club@/season?host=/run/pg&password={SECRET}", "postgresql://club@/season?host=/run/pg"),
    ):
        name, engine = engine_of(where, create=False)
        assert name.replace("%2F", "/") == shown
        engine.dispose()


def test_who_may_only_read_can_ask_and_is_refused_in_one_line(
    postgres: Postgres, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    in_evenings(tmp_path)
    where = postgres.make("readers")
    fill(where)
    postgres.sql("CREATE ROLE reader LOGIN")
    postgres.sql("GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader", "readers")
    reader = where.replace("//club@", "//reader@")
    assert main(["stats", "--archive", reader]) == 0
    assert "Le Roudalon" in capsys.readouterr().out
    before = held(where)
    assert main(["archive", "add", str(tmp_path / "log.db"), "--club", "Beaune", "--to", reader]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("tablier: postgresql://reader@/readers") and "permission denied" in line
    assert held(where) == before


# -- locks -----------------------------------------------------------------------------------------------


def test_who_waits_for_another_writer_can_be_interrupted(sample: Path, tmp_path: Path) -> None:
    path = str(shutil.copy(sample, tmp_path / "archive.db"))
    words = ["simulate", "roudalon", "--games", "1", "--seed", "1", "--jobs", "1", "--club", "other", "--archive"]
    said = "print('waits', flush=True)"
    program = (
        "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler);"
        "from tablier.archive import engines; wait = engines.waiting.sleep; engines._LOCK_S = 0;"
        f"engines.waiting.sleep = lambda seconds: ({said}, wait(seconds));"
        f"from tablier.cli.main import main; sys.exit(main({[*words, path]!r}))"
    )
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("BEGIN IMMEDIATE")
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as waits:
        assert waits.stdout is not None
        assert waits.stdout.readline() == b"waits\n"
        waits.send_signal(signal.SIGINT)
        assert waits.wait(20) == 130
    db.close()
