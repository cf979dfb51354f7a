"""A log that was not closed, opened for a keeper: it waits for little, and nothing that is found later is lost."""

from __future__ import annotations

import os
import random
import select
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from sample import sample
from tablier.keeper import detached
from tablier.keeper.client import KeeperError
from tablier.keeper.starting import find, join
from tablier.log import checking, opening
from tablier.log.chain import START, LogError
from tablier.log.connection import connect
from tablier.log.errors import explain_errors
from tablier.log.store import Log
from tablier.log.storing import WHOLE_AMONG
from tablier.log.unchecked import Checked, read_checked
from tablier.log.wal import belongs
from tablier.texts import Text

SEATS = [{"name": name, "place": 0, "source": "screen"} for name in ("Anne", "Bernard")]
ENTRIES = 5_000
WAIT_S = 20.0


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a log as a killed writer leaves it: nearly all in the file, and some entries in the ``-wal``."""
    path = tmp_path_factory.mktemp("unclosed") / "open.db"
    with Log.open(path) as log:
        items = [(None, "dispute", {"at": n, "text": f"the text of {n}", "seat": 1}) for n in range(2, ENTRIES + 1)]
        log.begin_game("d21", {}, SEATS, items=items)
    with Log.open(path) as log:
        for _ in range(5):
            log.append(1, "dispute", {"at": 0, "text": "in the -wal", "seat": 1})
        for suffix in ("", "-wal"):
            shutil.copy(f"{path}{suffix}", path.with_name(f"log.db{suffix}"))
    for suffix in ("", "-lock"):
        path.with_name(f"open.db{suffix}").unlink()
    return path.parent


@pytest.fixture
def path(killed: Path, tmp_path: Path) -> Path:
    shutil.copytree(killed, tmp_path, dirs_exist_ok=True)
    return tmp_path / "log.db"


def change(path: Path, entry: int) -> None:
    """Change the body of an entry, and nothing that an index holds."""
    raw = path.read_bytes()
    before, after = f'the text of {entry}"'.encode(), f'the test of {entry}"'.encode()
    assert raw.count(before) == 1
    path.write_bytes(raw.replace(before, after))


def files(path: Path) -> dict[str, bytes]:
    return {suffix: Path(f"{path}{suffix}").read_bytes() for suffix in ("", "-wal")}


def finish(log: Log) -> None:
    """Wait for the check beside."""
    while log.files:
        assert select.select(log.files, [], [], WAIT_S)[0]
        log.work()


@pytest.fixture
def followed(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The numbers of the entries whose hashes were computed in this process."""
    numbers: list[int] = []
    follower = checking.follower

    def counted(values: Any, previous: bytes) -> Any:
        numbers.append(values[0])
        return follower(values, previous)

    monkeypatch.setattr(checking, "follower", counted)
    return numbers


def test_opening_reads_what_was_written_since_and_the_rest_is_checked_beside(path: Path, followed: list[int]) -> None:
    with Log.open(path, later=True) as log:
        before = range(ENTRIES - ENTRIES % WHOLE_AMONG + 1, ENTRIES + 1)
        assert set(followed) <= {*before, *range(ENTRIES + 1, ENTRIES + 6)}
        log.append(1, "dispute", {"at": 0, "text": "meanwhile", "seat": 1})
        head = log.head
        finish(log)
        assert read_checked(path).point.n == ENTRIES + 6, "what was written meanwhile is in it"
        log.append(1, "dispute", {"at": 0, "text": "later", "seat": 1})
    assert not path.with_name("log.db-wal").exists()
    with Log.read(path) as log:
        assert log.verify(head) == ENTRIES + 7


def test_a_check_that_something_has_ended_is_made_again(path: Path) -> None:
    """Else nothing would be moved from the ``-wal`` into the file as long as the keeper runs."""
    with Log.open(path, later=True) as log:
        assert log._check is not None
        os.kill(log._check._program.pid, signal.SIGKILL)
        finish(log)
        assert not log._opened.unchecked and read_checked(path).point.n == ENTRIES + 5


def test_a_check_whose_writer_has_ended_complains_to_nobody(path: Path) -> None:
    read, write = os.pipe()
    os.close(read)
    words = [sys.executable, "-m", "tablier.log.checker", str(path), str(path), str(START.n), START.hash.hex()]
    done = subprocess.run(words, stdout=write, stderr=subprocess.PIPE)
    os.close(write)
    assert (done.returncode, done.stderr) == (0, b"")


def test_until_it_was_checked_nothing_is_moved_into_the_file(path: Path) -> None:
    before = files(path)
    with Log.open(path, later=True) as log:
        for n in range(40):
            log.append(1, "dispute", {"at": n, "text": "x" * 200_000, "seat": 1})
        with pytest.raises(LogError, match="is being checked; try again soon"):
            log.forget(log.person("Christine"))
    assert files(path)[""] == before[""] and files(path)["-wal"].startswith(before["-wal"])
    assert len(files(path)["-wal"]) > 40 * 200_000
    with Log.open(path) as log:
        assert log.verify() == ENTRIES + 5 + 40


def test_a_log_whose_writer_was_killed_while_it_closed_says_that_somebody_writes(path: Path) -> None:
    """The note in the file had been removed already. A file that is copied by itself would be taken for whole."""
    with closing(connect(path, "mode=rw")) as db, closing(connect(path, "mode=rw")) as other:
        other.execute("SELECT count(*) FROM entry")  # whoever closes last would move all into the file
        db.execute("DELETE FROM unclosed")
        killed = files(path)
    for suffix, raw in killed.items():
        Path(f"{path}{suffix}").write_bytes(raw)
    with Log.open(path, later=True) as log:
        finish(log)
        copy = path.with_name("copy.db")
        shutil.copy(path, copy)
        with Log.read(copy) as alone:
            assert [str(each)[:25] for each in alone.losses] == ["entries after entry 5005 "]


def test_damage_that_is_found_later_ends_all_writing_and_leaves_the_file_as_it_was(path: Path) -> None:
    change(path, 4000)
    before = files(path)
    with Log.open(path, later=True) as log:
        log.append(1, "dispute", {"at": 0, "text": "meanwhile", "seat": 1})
        with pytest.raises(LogError, match="entry 4000 is not what was written"):
            finish(log)
        for write in (
            lambda: log.append(1, "dispute", {"at": 0, "text": "too late", "seat": 1}),
            lambda: log.person("Anne"),
        ):
            with pytest.raises(LogError, match="entry 4000 is not what was written"):
                write()
    assert files(path)[""] == before[""] and files(path)["-wal"].startswith(before["-wal"])
    for later in (True, False, True):
        with pytest.raises(LogError, match="entry 4000 is not what was written"):
            Log.open(path, later=later)
    shutil.copy(path, path.with_name("copy.db"))
    path.with_name("copy.db-checked").write_bytes(path.with_name("log.db-checked").read_bytes())
    whole = path.read_bytes().replace(b"the test of", b"the text of")
    path.write_bytes(whole)
    with Log.open(path, later=True) as log:
        assert not log.files and log.verify() == ENTRIES + 6, "it is whole again, and that is noted"
    assert not read_checked(path).damaged


@pytest.mark.parametrize("entry", [50, 4900])
def test_what_was_noted_as_checked_is_checked_again_all_the_same(path: Path, entry: int) -> None:
    with Log.open(path) as log:
        digest = next(log.checked(2499, 1)).hash
    for suffix, raw in files_of_a_killed(path).items():
        Path(f"{path}{suffix}").write_bytes(raw)
    path.with_name("log.db-checked").write_text(f'{{"entry": 2500, "hash": "{digest}", "damaged": false}}')
    change(path, entry)
    with Log.open(path, later=True) as log, pytest.raises(LogError, match=f"entry {entry} is not what was written"):
        finish(log)


def files_of_a_killed(path: Path) -> dict[str, bytes]:
    """Open a log, write to it, and return its files as they are before it is closed."""
    with Log.open(path) as log:
        log.append(1, "dispute", {"at": 0, "text": "again", "seat": 1})
        return files(path)


@pytest.mark.parametrize(
    "note",
    ["", "x", "[]", "{}", '{"entry": true, "hash": 5, "damaged": 1}', '{"entry": 5, "hash": "0g", "damaged": false}'],
)
def test_a_note_that_cannot_be_read_says_nothing(tmp_path: Path, note: str) -> None:
    (tmp_path / "log.db-checked").write_text(note)
    assert read_checked(tmp_path / "log.db") == Checked()


@pytest.mark.parametrize("entry", [2500, 99_999])
def test_a_note_that_names_no_entry_of_the_log_says_nothing(path: Path, entry: int) -> None:
    path.with_name("log.db-checked").write_text(f'{{"entry": {entry}, "hash": "{"0" * 64}", "damaged": false}}')
    change(path, 2000)
    with Log.open(path, later=True) as log, pytest.raises(LogError, match="entry 2000 is not what was written"):
        finish(log)


def _older_file(path: Path) -> None:
    """Put back a copy that lacks entries which the ``-wal`` of the log follows on."""
    old = path.with_name("old.db")
    with Log.open(old) as log:
        log.begin_game("d21", {}, SEATS, items=[(None, "dispute", {"at": 2, "text": "another", "seat": 1})])
    shutil.copy(old, path)


def test_a_wal_belongs_to_its_own_log_wherever_it_was_cut(tmp_path: Path) -> None:
    """As SQLite takes what is there after a kill: commits that are whole, and nothing after them."""
    path, cut = tmp_path / "log.db", tmp_path / "cut.db"
    with Log.open(path) as log:
        older = path.read_bytes()
        for _ in range(40):
            game = log.begin_game("d21", {}, SEATS, items=[(None, "dispute", {"at": 1, "text": "x" * 900, "seat": 1})])
        whole = files(path)
    assert game == 40
    seen = set()
    for end in range(0, len(whole["-wal"]) + 1, 2060):  # in the middle of each frame, and at its end
        cut.write_bytes(whole[""])
        wal = Path(f"{cut}-wal")
        wal.write_bytes(whole["-wal"][:end])
        with closing(connect(cut, "mode=ro")) as db:
            (pages,) = db.execute("PRAGMA page_count").fetchone()
            assert belongs(wal, pages), end
        seen.add(pages)
    assert len(seen) > 5
    assert not belongs(wal, len(older) // 4096 - 1)
    raw = bytearray(wal.read_bytes())
    raw[-1] ^= 1  # the last commit is not whole: what it says does not count
    wal.write_bytes(raw)
    assert belongs(wal, pages)


def test_a_wal_of_another_state_that_is_as_long_is_refused(tmp_path: Path) -> None:
    """Of two copies that were written on, one gets the other's file: each is whole, and as many pages long."""
    path, left = tmp_path / "log.db", []
    with Log.open(path) as log:
        log.begin_game("d21", {}, SEATS)
    begun = path.read_bytes()
    for text in ("the one", "another"):
        path.write_bytes(begun)
        with Log.open(path) as log:
            for n in range(20):
                log.append(1, "dispute", {"at": n, "text": text, "seat": 1})
            wal = Path(f"{path}-wal").read_bytes()
        left.append((path.read_bytes(), wal))
    path.write_bytes(left[0][0])
    Path(f"{path}-wal").write_bytes(left[1][1])
    with pytest.raises(LogError, match="belongs to another state of the log"), Log.open(path):
        pass
    assert path.read_bytes() == left[0][0]


def _index_damaged(path: Path) -> None:
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro&immutable=1", uri=True)) as db:
        page = db.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'headings'").fetchone()[0] * 4096
    raw = bytearray(path.read_bytes())
    raw[page - 1] ^= 1  # the number of its first entry
    path.write_bytes(raw)


@pytest.mark.parametrize(
    ("damage", "says"),
    [
        (_older_file, "-wal|damaged"),
        (_index_damaged, "damaged: "),
    ],
)
def test_what_a_kill_or_another_file_can_leave_is_refused_at_once(
    path: Path, damage: Callable[[Path], None], says: str
) -> None:
    damage(path)
    before = files(path)
    for later in (True, False):
        with pytest.raises(LogError, match=says):
            Log.open(path, later=later)
    assert files(path) == before


def test_people_are_told_what_they_wait_for(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "_MANY", ENTRIES)
    told: list[str] = []
    with Log.open(path, told=lambda text: told.append(str(text))) as log:
        end = log.head
    assert told == [
        f"{path} was not closed by its last writer; its {ENTRIES + 5} entries are checked before it is used …"
    ]
    assert read_checked(path).point == (ENTRIES + 5, bytes.fromhex(end))


def test_a_program_that_starts_slowly_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(detached, "_TELL_S", 0.0)
    monkeypatch.setattr(detached, "_START_S", 0.5)
    told: list[Text] = []
    slow = "import time; time.sleep(0.2); print('waits for the tide', flush=True); time.sleep(0.6); print('ready')"
    assert detached.launch(("-c", slow), tmp_path / "log.db", ".err", tell=told.append) == "ready"
    assert list(map(str, told)) == [f"Opening {tmp_path / 'log.db'} …", "for the tide"]


def test_a_keeper_of_a_log_that_turns_out_damaged_tells_who_plays_and_ends(path: Path) -> None:
    change(path, 4000)
    words = [sys.executable, "-m", "tablier.cli.main", "keeper", "--log", str(path)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as keeper:
        assert keeper.stdout is not None and keeper.stdout.readline().endswith(": kept\n")
        output, errors = keeper.communicate(timeout=WAIT_S)
    assert keeper.returncode == 1 and not output  # what was checked is wrong
    (line,) = errors.splitlines()
    assert line.startswith(f"tablier: {path}: entry 4000 is not what was written, in game ")
    with pytest.raises(KeeperError, match="entry 4000 is not what was written"):
        join(path)
    assert find(path) is None


# -- what was checked at once, and what later --------------------------------------------------------------------------

Left = tuple[bytes, bytes]
"""What a writer leaves: the file, and its ``-wal``."""
FRAME = 4096 + 24


@pytest.fixture(scope="module")
def left(tmp_path_factory: pytest.TempPathFactory) -> list[Left]:
    """States of a log while it is written and after, and of a copy of it that went its own way."""
    path, found = tmp_path_factory.mktemp("states") / "log.db", list[Left]()

    def write(log: Log, count: int, text: str) -> None:
        for n in range(count):
            log.append(1, "dispute", {"at": n, "text": f"{text} {'x' * (n % 90)}", "seat": 1})

    def keep() -> None:
        wal = path.with_name("log.db-wal")
        found.append((path.read_bytes(), wal.read_bytes() if wal.exists() else b""))

    def write_on(text: str) -> None:
        with Log.open(path) as log:
            log.append_all([(1, "dispute", {"at": n, "text": f"{text} {n}", "seat": 1}) for n in range(150)])
            write(log, 20, text)
            keep()
            log.person(text)
            log._db.execute("PRAGMA wal_checkpoint(PASSIVE)")
            keep()
            write(log, 15, text)
            keep()
        keep()

    with Log.open(path) as log:
        log.begin_game("d21", {}, SEATS)
        write(log, 100, "first")
    for text in ("Anne", "Bernard", "Christine"):
        write_on(text)
    path.write_bytes(found[3][0])
    for text in ("Xaver", "Yves"):
        write_on(text)
    return found


def _bent(dice: random.Random, left: list[Left]) -> Left:
    """Return a state in which something is as no writer has left it, or two that do not belong together."""
    (file, wal), others = dice.choice([each for each in left if each[1]]), dice.choice(left)
    raw, log = bytearray(file), bytearray(wal)
    how = dice.randrange(7)
    if how == 0:
        raw[dice.randrange(len(raw))] ^= 1 << dice.randrange(8)
    elif how == 1:
        log[dice.randrange(len(log))] ^= 1 << dice.randrange(8)
    elif how == 2:
        sector = dice.randrange(len(raw) // 512) * 512
        raw[sector : sector + 512] = bytes(512)
    elif how == 3:
        raw = bytearray(others[0])
    elif how == 4:
        log = log[: 32 + FRAME * dice.randrange(1, len(log) // FRAME + 1)]
    elif how == 5:
        page = dice.randrange(min(len(raw), len(others[0])) // 4096) * 4096
        raw[page : page + 4096] = others[0][page : page + 4096]
    else:
        raw = raw[: 4096 * dice.randrange(1, len(raw) // 4096 + 1)]
    return bytes(raw), bytes(log)


def _head_later(path: Path) -> str | None:
    """Return the head of a log that is opened as a keeper opens it, checked to its end; ``None`` if it is refused."""
    try:
        with explain_errors(path), opening._guard:
            opening._identify(path, path)
            unchecked = opening._check_unclosed(path, path, connect, lambda text: None, later=True)
            if unchecked is not None:
                with closing(unchecked):
                    return checking.check_chain(path, unchecked).hash.hex()
    except LogError:
        return None
    with Log.read(path) as log:
        return log.head


def _head(path: Path) -> str | None:
    try:
        with Log.open(path, create=False) as log:
            return log.head
    except LogError:
        return None


def test_what_is_refused_and_what_is_not_is_the_same_when_most_is_checked_later(
    left: list[Left], tmp_path: Path
) -> None:
    dice = random.Random(1)
    for number in range(sample(40, 800)):
        file, wal = _bent(dice, left)
        heads = []
        for head_of in (_head_later, _head):
            shutil.rmtree(tmp_path / "laid", ignore_errors=True)
            path = tmp_path / "laid" / "log.db"
            path.parent.mkdir()
            path.write_bytes(file)
            path.with_name("log.db-wal").write_bytes(wal)
            heads.append(head_of(path))
            assert head_of is _head or path.read_bytes() == file, number
        assert heads[0] == heads[1], number
