"""What a log keeps of its evenings: it is what follows from their entries, nothing is lost with it, and nobody who asks
for the open ones reads the others."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from forging import assert_refused, edit
from tablier.judge.verification import verify
from tablier.log.chain import LogError
from tablier.log.evenings import FOLDED, Evening, Evenings, resolve_merges
from tablier.log.store import Log
from tablier.play.logged import unfinished

NAMES = ("Anne", "Bernard", "Chloe", "David")


def rows(path: Path) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(path)) as db:
        return db.execute("SELECT * FROM evening ORDER BY number").fetchall()


def listed(path: Path) -> list[Evening]:
    with Log.read(path) as log:
        found = log.evenings()
        assert found == [log.evening(each.number) for each in found]
        assert log.last_evening == len(found)
        return found


def seats(people: list[str]) -> list[dict[str, Any]]:
    sit = [{"person": one, "named": "0" * 64, "place": 0, "source": "screen"} for one in people]
    return [*sit, {"name": "Bot", "place": 0, "source": "random"}]


def end(winner: int) -> dict[str, Any]:
    return {"scores": {"p1": 1, "p2": 0}, "winners": [f"p{winner}"]}


def test_lists_say_the_same_with_and_without_rows(path: Path) -> None:
    found, kept = listed(path), rows(path)
    assert len(kept) == len(found) > 1
    edit(path, "DELETE FROM evening")
    edit(path, "DELETE FROM evenings")
    assert listed(path) == found
    with Log.open(path) as log:
        assert log.evenings() == found
    assert rows(path) == kept, "they are kept again"
    with Log.read(path) as log:
        assert not verify(log).report.wrong


def test_a_log_whose_end_is_missing_says_what_is_left(path: Path) -> None:
    with Log.open(path) as log:
        before, last = log.evenings(), log.last_entry
        log.begin_evening("none", [])
    edit(path, f"DELETE FROM entry WHERE n > {last}")
    assert listed(path) == before
    with Log.open(path) as log:
        assert log.evenings() == before and log.verify() == last


def folded(log: Log) -> Evenings:
    """Return the evenings of a log by its entries alone."""
    found = Evenings()
    for entry in log.entries(None, *FOLDED):
        found.take(entry)
    return found


class Club:
    """Does at random whatever the log of a club can hold, and what it refuses."""

    def __init__(self, log: Log, seed: int) -> None:
        self.log = log
        self.dice, self.places = random.Random(seed), random.Random(seed)
        self.people = [log.person(name) for name in NAMES]
        self.deeds: list[Callable[[], object]] = [
            self.begin, self.come, self.come, self.go, self.key, self.organise, self.door, self.series, self.play,
            self.play, self.play, self.play_alone, self.end, self.end, self.end, self.take_back, self.abandon,
            self.close, self.reopen, self.move,
        ]  # fmt: skip

    def act(self) -> bool:
        """Return whether it could be done."""
        try:
            self.dice.choice(self.deeds)()
        except (IndexError, ValueError):
            return False
        return True

    def evening(self) -> Evening:
        return self.dice.choice(self.log.evenings()[-4:])

    def game(self) -> int:
        return self.dice.randint(max(1, self.log.last_game - 5), self.log.last_game)

    def person(self) -> str:
        return self.dice.choice(self.people)

    def begin(self) -> None:
        here = [(one, 0) for one in self.dice.sample(self.people, self.dice.randint(0, 3))]
        self.log.begin_evening("none", here, **({"pace_s": 1.5} if self.dice.random() < 0.3 else {}))

    def come(self) -> None:
        self.log.come(self.evening().number, self.person(), self.dice.randint(0, 2))

    def go(self) -> None:
        self.log.go(self.evening().number, self.person())

    def key(self) -> None:
        self.log.give_key(self.evening().number, self.person())

    def organise(self) -> None:
        self.log.set_organiser(self.evening().number, self.person(), on=self.dice.random() < 0.7)

    def door(self) -> None:
        self.log.set_door(self.evening().number, opens=self.dice.random() < 0.5)

    def series(self) -> None:
        wins = self.dice.choice((0, 2))
        self.log.begin_series(self.evening().number, ["dilemma"], wins, 0 if wins else 3)

    def play(self) -> None:
        evening = self.evening()
        series = evening.series[-1].number if evening.series and not evening.series[-1].over else None
        more: dict[str, Any] = {} if series is None else {"series": series}
        sit = seats(self.dice.sample(sorted(evening.present), 1))
        sit[0]["place"] = self.places.randint(0, 2)
        self.log.begin_game("dilemma", {}, sit, evening=evening.number, **more)

    def play_alone(self) -> None:
        self.log.begin_game("dilemma", {}, seats([self.person()]))

    def end(self) -> None:
        if (game := self.game()) in self.log.open_games():
            self.log.append(game, "end", end(self.dice.randint(1, 2)))

    def take_back(self) -> None:
        if not self.log.game(game := self.game()).abandoned:
            self.log.append(game, "takeback", {"to": 0, "by": 0, "agreed": []})

    def abandon(self) -> None:
        if (game := self.game()) in self.log.open_games():
            self.log.append(game, "abandoned", {})

    def close(self) -> None:
        self.log.close_evening(self.evening().number)

    def reopen(self) -> None:
        self.log.reopen_evening(self.evening().number)

    def move(self) -> None:
        self.log.append(self.game(), "note", {})


def places(log: Log) -> dict[str, int]:
    """Return where each person sat last, read from all entries."""
    names, found = log.names(), dict.fromkeys(log.names().known, 0)
    for entry in log.entries(None, "game", "came"):
        for seat in entry.body.get("seats", [entry.body]):
            if "person" in seat and seat["place"] and names.one(seat["person"]) in found:
                found[names.one(seat["person"])] = seat["place"]
    return found


@pytest.mark.parametrize("seed", range(4))
def test_whatever_happens_rows_say_what_entries_say(tmp_path: Path, seed: int) -> None:
    path, done = tmp_path / "log.db", set[str]()
    log = Log.open(path)
    try:
        club = Club(log, seed)
        for turn in range(250):
            if not club.act():
                continue
            said, names = folded(log), log.names()
            assert log.evenings() == [resolve_merges(each, names) for each in said.all]
            assert log.open_games() == said.open_games
            assert (log.last_evening, log._evenings().last_series) == (said.last, said.last_series)
            here = [each for each in said.all if each.ended is None and not each.alone]
            assert log.open_evenings() == [resolve_merges(each, names) for each in here]
            assert {each.id: each.place for each in log.people()} == places(log)
            assert [log._evening_of(game) for game in range(1, log.last_game + 1)] == [
                said.of_game(game) for game in range(1, log.last_game + 1)
            ]
            done |= {each.kind for each in log.entries(after=log.last_entry - 1)}
            if turn % 25 == 0:
                with Log.read(path) as reader:
                    assert reader.evenings() == log.evenings() and reader.open_games() == said.open_games
                    reader.verify()
                log.close()
                log = club.log = Log.open(path)
                assert log.evenings() == [resolve_merges(each, names) for each in said.all]
    finally:
        log.close()
    assert {*FOLDED, "note"} <= done | {"evening", "came"}
    with Log.read(path) as reader:
        reader.verify()


def test_who_came_and_went_is_read_of_one_evening(path: Path) -> None:
    with Log.open(path) as log:
        person = log.person("Zoe")
        first = log.begin_evening("none", [(person, 2)])
        log.begin_evening("none", [(person, 0)])
        log.go(first, person)
        said = [(each.kind, each.body.get("place")) for each in log.moved(first)]
    assert said == [("came", 2), ("went", None)]
    edit(path, "DELETE FROM evening")
    edit(path, "DELETE FROM evenings")
    with Log.read(path) as log:
        assert [(each.kind, each.body.get("place")) for each in log.moved(first)] == said


def test_rows_go_with_what_could_not_be_written(tmp_path: Path) -> None:
    with Log.open(tmp_path / "log.db") as log:
        game = log.begin_game("dilemma", {}, seats([log.person("Anne")]))
        before, kept = log.evenings(), rows(log.path)
        (pages,) = log._db.execute("PRAGMA page_count").fetchone()
        log._db.execute(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(LogError, match="disk is full"):
            log.append_all([(game, "end", end(1)), *((game, "note", {"n": n, "long": "x" * 999}) for n in range(50))])
        log._db.execute(f"PRAGMA max_page_count = {pages + 100}")
        assert log.evenings() == before and rows(log.path) == kept and log.open_games() == [game]
        log.append(game, "end", end(1))
        assert log.evenings()[0].ended is not None and log.open_games() == [] and log.verify() == log.last_entry


def test_a_name_that_is_half_a_character_is_kept(tmp_path: Path) -> None:
    bots = [{"name": name, "place": 0, "source": "random"} for name in ("a\udcffb", "B")]
    with Log.open(tmp_path / "log.db") as log:
        log.append(log.begin_game("dilemma", {}, bots), "end", end(1))
        log.begin_game("dilemma", {}, bots)
    with Log.open(tmp_path / "log.db") as log:
        assert log.games()[0].names == log.games()[1].names == ("a\udcffb", "B")
        log.append(1, "takeback", {"to": 0, "by": 0, "agreed": []})
        log.append(1, "end", end(1))
        assert rows(log.path) and log.verify() == log.last_entry


def test_of_entries_that_cannot_be_nothing_is_kept(tmp_path: Path) -> None:
    with Log.open(tmp_path / "log.db") as log:
        game = log.begin_game("dilemma", {}, seats([log.person("Anne")]))
        assert rows(log.path)
        log.append(game, "abandoned", {})
        log.append(game, "end", end(1))  # nobody but a test does
        assert not rows(log.path)
        with pytest.raises(LogError, match="entry 3 cannot follow: game 1 was abandoned"):
            log.evenings()
        log.append(game, "note", {})
    with Log.read(tmp_path / "log.db") as log, pytest.raises(LogError, match="entry 3 cannot follow"):
        log.evenings()


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ("UPDATE evening SET said = replace(said, 'false', 'true') WHERE number = 2", "of evening 2 does not follow"),
        ("UPDATE evening SET games = '[]' WHERE number = 1", "of evening 1 does not follow"),
        ("UPDATE evening SET live = 1 - live WHERE number = 1", "of evening 1 does not follow"),
        ("UPDATE evening SET changed = changed + 1 WHERE number = 1", "of evening 1 does not follow"),
        ("DELETE FROM evening WHERE number = 1", "of evening 1 does not follow"),
        ("DELETE FROM evenings", "of evening 1 does not follow"),
        ("UPDATE evenings SET series = series + 1", "of its evenings does not follow"),
        ("UPDATE evenings SET entry = 1", "of its evenings does not follow"),
        ("INSERT INTO evenings SELECT * FROM evenings", "of its evenings does not follow"),
    ],
)
def test_a_row_that_does_not_follow_is_refused(path: Path, change: str, says: str) -> None:
    before = rows(path)
    edit(path, change)
    assert rows(path) != before or "evenings" in change
    assert_refused(path, says)


@pytest.mark.parametrize("said", ["", "[]", "{}", "[1,2]"])
def test_a_row_that_says_nothing_is_damage(path: Path, said: str) -> None:
    edit(path, f"UPDATE evening SET said = '{said}' WHERE number = 1")
    with Log.read(path) as log:
        with pytest.raises(LogError, match="of evening 1 is damaged"):
            log.evenings()
        with pytest.raises(LogError, match="of evening 1 is damaged"):
            log.evening(1)
        with pytest.raises(LogError, match="of evening 1 does not follow"):
            log.verify()


# -- nothing grows with a log ----------------------------------------------------------------------------------------


def written(path: Path, count: int) -> None:
    """Write a log of evenings that are over, with a game and a few moves each; one game was left, one evening is
    open."""
    with Log.open(path) as log:
        people = [log.person(name) for name in NAMES]
        for _ in range(count):
            evening = log.begin_evening("none", [(one, 0) for one in people])
            game = log.begin_game("dilemma", {}, seats(people[:1]), evening=evening)
            log.append_all([*((game, "move", {"text": "p1 offer 3", "by": "screen"}),) * 4, (game, "end", end(1))])
            log.close_evening(evening)
        log.begin_game("dilemma", {}, seats(people[:1]))
        log.begin_evening("none", [(one, 0) for one in people])


@contextmanager
def steps(db: sqlite3.Connection) -> Iterator[list[int]]:
    """Count what SQLite does for a connection: each row that it reads is a few steps of its machine."""
    found = [0]

    def step() -> None:
        found[0] += 1

    db.set_progress_handler(step, 1)
    try:
        yield found
    finally:
        db.set_progress_handler(None, 0)


def what_a_keeper_asks(log: Log) -> None:
    """Ask a log for what a keeper asks when it starts, when somebody watches, and while a game is begun and ended."""
    last = log.open_evenings()[-1]
    assert unfinished(log) and log.last_evening == last.number and log.evening(last.number)
    log.game(log.open_games()[0])
    person = next(iter(last.present))
    log.come(last.number, person, 3)
    game = log.begin_game("dilemma", {}, seats([person]), evening=last.number)
    log.append(game, "end", end(1))
    log.begin_series(last.number, ["dilemma"], 2)
    log.rename(person, "Emil")
    log.close_evening(log.begin_evening("none", []))


def what_looks_back(log: Log) -> None:
    """Ask a log for a page of it."""
    last = log.last_evening
    evenings = log.evenings(last - 5, last)
    assert len(evenings) == 6 and log.moved(3)
    for each in evenings:
        for game in each.games:
            log.game(game)


@pytest.mark.parametrize(("asks", "writes"), [(what_a_keeper_asks, True), (what_looks_back, False)])
def test_nothing_that_is_asked_for_all_the_time_grows_with_the_log(
    tmp_path: Path, asks: Callable[[Log], None], writes: bool
) -> None:
    counts = []
    for number in (20, 200):
        path = tmp_path / f"{number}.db"
        written(path, number)
        with Log.open(path) if writes else Log.read(path) as log, steps(log._db) as count:
            log._folded = None
            asks(log)
        counts += count
    assert counts[1] < 1.1 * counts[0], counts
