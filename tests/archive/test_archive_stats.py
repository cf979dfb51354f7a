"""What an archive answers: the numbers of a small season, worked out by hand from its records."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Any

import pytest
from honest import in_evenings
from hypothesis import given
from hypothesis import strategies as st
from kinds import KINDS, named
from postgres import Postgres

from sample import each, sample
from tablier.archive.campaigns import add_campaign
from tablier.archive.database import Archive, ArchiveError
from tablier.archive.ended import EndedGame, Player, Result
from tablier.archive.facts import facts_in
from tablier.archive.keeping import ClubWriter, source_of
from tablier.archive.logs import add_log
from tablier.archive.questions import QUESTIONS, Answer, Scope, _median, ask
from tablier.bots.campaigns import Campaign, Outcome, play_one
from tablier.bots.workers import Alone
from tablier.cli import stats
from tablier.cli.main import main
from tablier.games import GAMES, game_class, words_of
from tablier.texts import ENGLISH, speak

SEASON = Campaign("roudalon", {}, ("random", "greedy", "easy", "random"), ("A", "B", "C", "D"), 3)


@pytest.fixture(scope="module", params=sample(KINDS[:1], KINDS))
def season(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> str:
    """An archive of two clubs: one of people, one with 30 simulated games."""
    folder = tmp_path_factory.mktemp("season")
    in_evenings(folder)
    where = named(request, folder)
    with Archive.open(where, create=True) as archive:
        add_log(archive, folder / "log.db", "Beaune")
        add_campaign(archive, "simulated", SEASON, 30, Alone())
    return where


def asked(where: str, question: str, **scope: Any) -> list[Answer]:
    with Archive.open(where) as archive:
        return ask(archive, question, Scope(**scope))


def rows(where: str, question: str, key: str, **scope: Any) -> list[dict[str, Any]]:
    (answer,) = (each for each in asked(where, question, **scope) if each.key == key)
    return answer.by_key


def test_results_are_those_of_the_games(season: str) -> None:
    outcomes = [play_one(SEASON, number) for number in range(1, 31)]
    found = {row["name"]: row for row in rows(season, "results", "results", club="simulated")}
    for name, seats in (("greedy", (2,)), ("easy", (3,)), ("random", (1, 4))):
        won = sum(any(seat in outcome.winners for seat in seats) for outcome in outcomes)
        points = sum(outcome.scores[seat - 1] for outcome in outcomes for seat in seats)
        assert found[name]["games"] == 30, "a bot in two seats has played a game once"
        assert found[name]["won"] == won
        assert found[name]["points"] == pytest.approx(points / 30 / len(seats))
    notes = [note for answer in asked(season, "results") for note in answer.notes]
    assert ["several seats" in str(note) for note in notes] == [True]
    assert not any(answer.notes for answer in asked(season, "results", club="Beaune"))


def test_results_of_all_games_are_added_and_people_come_first(
    season: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A secretary had to add eighteen rows by hand, and bots stood between the people."""
    by_game, overall = rows(season, "results", "results"), rows(season, "results", "overall")
    assert len({row["game"] for row in by_game}) > 1
    for row in overall:
        same = [each for each in by_game if (each["club"], each["player"]) == (row["club"], row["player"])]
        assert [row[key] for key in ("games", "won", "by_others")] == [
            sum(each[key] for each in same) for key in ("games", "won", "by_others")
        ]
    programs = [" " in row["player"] for row in overall]
    assert programs == sorted(programs) and set(programs) == {False, True}
    monkeypatch.setenv("COLUMNS", "120")
    assert main(["stats", "results", "--archive", season]) == 0
    assert "greedy (bot)" in (out := capsys.readouterr().out) and "All games" in out


def test_each_table_is_a_file_that_a_spreadsheet_opens(
    season: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A French one showed one column, and "Ã‰mile"."""
    monkeypatch.setenv("LANGUAGE", "en")  # and as it was afterwards
    folder = tmp_path / "sheets"
    words = ["stats", "results", "--sheets", str(folder), "--archive", season]
    assert main(words) == 0 and main(words) == 2
    assert "is there already; --force overwrites it" in capsys.readouterr().err
    assert {file.name for file in folder.iterdir()} == {"results.csv", "overall.csv", "players.csv"}
    english = (folder / "overall.csv").read_text("utf-8").splitlines()
    assert english[0] == "\ufeffclub,name,games,won,share,by others"
    try:
        assert main([*words, "--force", "--lang", "fr"]) == 0
    finally:
        speak(ENGLISH)
    french = (folder / "overall.csv").read_text("utf-8").splitlines()
    assert len(french) == len(english) and french[0].count(";") == 5
    share = re.search(r"0\.\d+", "\n".join(english))
    assert share and share[0].replace(".", ",") in "\n".join(french)


def test_a_pair_is_told_once_with_how_often_the_one_was_ahead(season: str) -> None:
    found = {(row["name"], row["other"]): row for row in rows(season, "against", "against")}
    for one, other in found:
        assert one != other, "a bot in two seats has no other to be ahead of"
        assert (other, one) not in found
    assert all(row["share"] >= 0.5 for row in found.values())
    (pair,) = (row for names, row in found.items() if set(names) == {"Anne", "Bernard"})
    assert pair["games"] == 4, "of six games, two are Bernard's and Christine's"

    def ahead(outcome: Outcome, one: int, other: int) -> float:
        mine, theirs = ((seat in outcome.winners, outcome.scores[seat - 1]) for seat in (one, other))
        return (1 + (mine > theirs) - (theirs > mine)) / 2

    played = [play_one(SEASON, number) for number in range(1, 31)]
    shares = [(ahead(outcome, 2, 1) + ahead(outcome, 2, 4)) / 2 for outcome in played]
    (both,) = (row for names, row in found.items() if set(names) == {"greedy", "random"})
    mean = sum(shares) / 30
    assert (both["games"], both["share"]) == (30, pytest.approx(max(mean, 1 - mean))), "random has two seats"


def test_a_pair_is_compared_by_its_own_ranks(where: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Not by who has won the game: of four players three have not, and are not level for that."""
    points = (59.0, 56.0, 47.0, 43.0)
    seats = tuple(
        Result(Player(f"{n:016x}", name), score, n == 0)
        for n, (name, score) in enumerate(zip("ABCD", points, strict=True))
    )
    tied = tuple(seat._replace(points=47.0) if seat.player.name == "B" else seat for seat in seats)
    with Archive.open(where, create=True) as archive:
        first = replace(ended(1, 1, (True,)), kind="roudalon", options={}, moves=(), seats=seats)
        games = [first, replace(first, number=2)]
        put(archive, [*games, replace(first, number=3, seats=tied)])
    found = {row["name"] + row["other"]: row["share"] for row in rows(where, "against", "against")}
    assert found == {"AB": 1, "AC": 1, "AD": 1, "BC": pytest.approx(5 / 6), "BD": 1, "CD": 1}
    assert main(["stats", "against", "--archive", where]) == 0
    (line,) = (line for line in capsys.readouterr().out.splitlines() if re.search(r"\bB +C\b", line))
    assert line.split()[-2:] == ["3", "83%"]


def test_lengths_and_endings_add_up(season: str) -> None:
    outcomes = [play_one(SEASON, number) for number in range(1, 31)]
    moves = [len(outcome.record.moves) for outcome in outcomes]
    (row,) = rows(season, "lengths", "lengths", game="roudalon")
    assert (row["least"], row["median"], row["most"]) == (min(moves), median(moves), max(moves))
    ends = {row["ending"]: row["games"] for row in rows(season, "endings", "endings", game="roudalon")}
    assert ends == {ending: sum(o.ending == ending for o in outcomes) for ending in {o.ending for o in outcomes}}


@pytest.mark.parametrize("name", GAMES)
def test_each_game_names_its_endings(name: str) -> None:
    seats = game_class(name).seat_counts[0]
    for bot in ("random", "greedy"):
        outcomes = [
            play_one(Campaign(name, {}, (bot,) * seats, tuple("ABCDEF"[:seats]), 2), number)
            for number in range(1, sample(2, 3))
        ]
        assert {outcome.ending for outcome in outcomes} <= words_of(name).endings.keys()


def test_troubles_of_a_table_stand_before_what_goes_well(where: str) -> None:
    went = {"landed": 90, "hello": 3, "doubtful": 6, "gap": 2, "reset": 1, "unheard of": 1}
    with Archive.open(where, create=True) as archive:
        put(archive, [replace(ended(1, 5, (True, False)), table=went)])
    assert [(row["what"], row["times"]) for row in rows(where, "tables", "tables")] == [
        ("reset", 1),
        ("gap", 2),
        ("doubtful", 6),
        ("landed", 90),
        ("hello", 3),
        ("unheard of", 1),
    ]


def test_games_are_counted_by_length(season: str) -> None:
    lengths = [len(play_one(SEASON, number).record.moves) for number in range(1, 31)]
    classes = rows(season, "lengths", "spread", game="roudalon")
    for row in classes:
        assert row["games"] == sum(row["from"] <= length <= row["to"] for length in lengths)
    assert sum(row["games"] for row in classes) == 30 and sum(row["share"] for row in classes) == pytest.approx(1)
    assert all(one["to"] + 1 == other["from"] for one, other in pairwise(classes))


@given(st.dictionaries(st.integers(0, 50), st.integers(1, 20), min_size=1))
def test_the_median_is_that_of_the_values_one_by_one(counts: dict[int, int]) -> None:
    assert _median(counts) == median(value for value, times in counts.items() for _ in range(times))


def test_an_evening_is_told_with_its_people_and_games(season: str) -> None:
    found = rows(season, "evenings", "evenings", club="Beaune")
    assert sorted((row["people"], row["series"], row["games"]) for row in found) == [(2, 0, 1), (2, 1, 2), (2, 1, 3)]
    (one,) = rows(season, "evenings", "evenings")
    assert (one["club"], one["evenings"], one["series"], one["games"]) == ("Beaune", 3, 2, 6), (
        "of games without a log none"
    )


def test_the_host_s_dice_are_fair_and_every_throw_is_counted(season: str) -> None:
    (row,) = (row for row in rows(season, "dice", "dice") if row["game"] == "roudalon")
    thrown = sum(
        len(move.split()) - 2
        for number in range(1, 31)
        for move in play_one(SEASON, number).record.moves
        if move.startswith("table dice ")
    )
    assert (row["n"], row["verdict"]) == (thrown, "no_finding")


def test_games_of_another_month_or_club_are_left_out(season: str) -> None:
    assert asked(season, "results", until=202001)[0].rows == []
    now = rows(season, "evenings", "months")[0]["month"]
    assert rows(season, "results", "results", since=now, until=now) == rows(season, "results", "results")
    with pytest.raises(ArchiveError, match="no club Baune; clubs: Beaune, simulated; did you mean Beaune"):
        asked(season, "results", club="Baune")


# -- ratings ---------------------------------------------------------------------------------------------


def ended(number: int, at: int, won: Sequence[bool], first: str = "A") -> EndedGame:
    """Return a game of a club's people; the name of the first one may be another, who is somebody else then."""
    names = (first, "B", "C")
    seats = tuple(
        Result(Player(f"{n:015x}{number if name not in 'ABC' else 0:x}", name), float(win), win)
        for n, (win, name) in enumerate(zip(won, names, strict=False))
    )
    return EndedGame(number, "d21", {"max_plies": 1}, ("p1 c2-b2",), seats, "max_plies", at, at)


def put(archive: Archive, games: Sequence[EndedGame], gone: Sequence[int] = ()) -> None:
    with archive.writing("Beaune") as (connection, club):
        keeping, source = ClubWriter(connection, club), source_of(connection, club, bytes(32)).id
        keeping.remove(source, gone)
        keeping.add(source, [(game, facts_in(game)) for game in games])
        keeping.finish()


def ratings(archive: Archive) -> list[tuple[Any, ...]]:
    return [tuple(row[2:]) for row in ask(archive, "ratings", Scope())[0].rows]


def test_ratings_do_not_depend_on_how_games_come_in(where: str, tmp_path: Path) -> None:
    games = [ended(number, number * 10, (number % 3 > 0, number % 3 == 0)) for number in range(1, 9)]
    with Archive.open(tmp_path / "at once.db", create=True) as archive:
        put(archive, games)
        meant = ratings(archive)
    with Archive.open(where, create=True) as archive:
        put(archive, games[:3])
        put(archive, games[5:])  # later ones first
        put(archive, games[3:5])
        assert ratings(archive) == meant
        put(archive, [ended(9, 5, (False, True))])
        assert ratings(archive) != meant
        put(archive, [], [9])
        assert ratings(archive) == meant
    at_once = [replace(game, ended=10) for game in games]  # as those of a campaign are
    with Archive.open(tmp_path / "the same moment.db", create=True) as archive:
        put(archive, at_once)
        meant = ratings(archive)
    with Archive.open(tmp_path / "one by one.db", create=True) as archive:
        for game in at_once:
            put(archive, [game])
        assert ratings(archive) == meant
    with Archive.open(tmp_path / "early and late.db", create=True) as archive:
        put(archive, games[2:7])
        put(archive, [games[0], games[7], games[1]])
        early_and_late = ratings(archive)
    with Archive.open(tmp_path / "at once.db") as archive:
        assert early_and_late == ratings(archive)


# -- the command -----------------------------------------------------------------------------------------


def test_a_server_answers_as_a_file_does(evenings: Path, postgres: Postgres, tmp_path: Path) -> None:
    both = str(tmp_path / "archive.db"), postgres.make("answers")
    for where in both:
        with Archive.open(where, create=True) as archive:
            add_log(archive, evenings, "Beaune")
            add_campaign(archive, "simulated", SEASON, 10, Alone())
    for question in QUESTIONS:
        file, server = (asked(where, question) for where in both)
        assert file == server, question


@pytest.mark.parametrize("question", each(3, stats.QUESTIONS))
def test_tables_json_and_csv_say_the_same(question: str, season: str, capsys: pytest.CaptureFixture[str]) -> None:
    answers = asked(season, question)
    assert main(["stats", question, "--json", "--archive", season]) == 0
    said = json.loads(capsys.readouterr().out)
    assert {key: len(rows) for key, rows in said.items()} == {answer.key: len(answer.rows) for answer in answers}
    assert main(["stats", question, "--csv", "--archive", season]) == 0
    lines = list(csv.reader(io.StringIO(capsys.readouterr().out)))
    assert len(lines) == sum(1 + len(answer.rows) for answer in answers)
    assert main(["stats", question, "--archive", season]) == 0
    out = capsys.readouterr().out
    assert all(str(answer.title) in out for answer in answers if answer.rows)
    assert max(map(len, out.splitlines())) <= 80


def test_games_without_an_answer_are_told_from_no_games(
    tmp_path: Path, season: str, capsys: pytest.CaptureFixture[str]
) -> None:
    alone = str(tmp_path / "alone.db")
    with Archive.open(alone, create=True) as archive:
        add_campaign(archive, "here", Campaign("d21", {"max_plies": 2}, ("random",) * 2, ("A", "B"), 1), 1, Alone())
    for where, words, said in (
        (season, ["dice", "--game", "d21"], "No dice were thrown and nothing was drawn in these games."),
        (season, ["dice", "--game", "dilemma"], "There are no such games in the archive."),
        (season, ["tables"], "Nothing was logged of a table in these games."),
        (alone, ["against"], "No two players have met in these games."),
        (alone, ["against", "--until", "2020-01"], "There are no such games in the archive."),
    ):
        assert main(["stats", *words, "--archive", where]) == 0
        assert capsys.readouterr().out == f"{said}\n"


def test_bad_words_get_one_line(season: str, capsys: pytest.CaptureFixture[str]) -> None:
    months = ["--since", "2026-13"], ["--until", "1969-12"], ["--until", "2200-01"]
    order = ["--since", "2026-12", "--until", "2026-01"]
    for words in (*months, order, ["winers"], ["--game", "chess"], ["--club", "none"], ["--club", "\x1b[31m"]):
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("TABLIER_ARCHIVE", season)
            try:
                assert main(["stats", *words]) == 2
            except SystemExit as left:
                assert left.code == 2
        (line,) = capsys.readouterr().err.splitlines()[-1:]
        assert line.startswith("tablier")


NAMES = ("[/red] :smile: [bold]x[/bold]", "\x1b[31mEve\x07", '=1+1,"\n\u2028')


def test_names_are_shown_as_they_are_and_command_nothing(
    where: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    with Archive.open(where, create=True) as archive:
        put(archive, [ended(number, 5, (True, False), NAMES[number - 1]) for number in (1, 2, 3)])
    for form in (["--json"], ["--csv"], []):
        assert main(["stats", "results", "--archive", where, *form]) == 0
        out = capsys.readouterr().out
        assert out.replace("\n", "").isprintable()
        assert NAMES[0] in out
        if form == ["--json"]:
            assert {row["name"] for row in json.loads(out)["results"]} > set(NAMES)
        if form == ["--csv"]:
            assert {row[3] for row in csv.reader(io.StringIO(out))} > {NAMES[0], "\\x1b[31mEve\\x07"}


def is_number(text: str) -> bool:
    try:
        return bool(float(text) or True)
    except ValueError:
        return False


def test_no_name_is_a_formula_in_a_spreadsheet(where: str, capsys: pytest.CaptureFixture[str]) -> None:
    names = ['=HYPERLINK("http://evil.example")', "+1", "-1", "@SUM(A1)", "＝1+1", "Anne-Marie"]
    with Archive.open(where, create=True) as archive:
        put(archive, [ended(number, 5, (True, False), name) for number, name in enumerate(names, 1)])
    for question in stats.QUESTIONS:
        assert main(["stats", question, "--csv", "--archive", where]) == 0
        for row in csv.reader(io.StringIO(capsys.readouterr().out)):
            for cell in row:
                assert not cell.startswith(tuple("=+-@＝")) or (is_number(cell) and cell not in names), (question, cell)
    assert main(["stats", "results", "--csv", "--archive", where]) == 0
    said = {row[3] for row in csv.reader(io.StringIO(capsys.readouterr().out))}
    assert {"'" + name for name in names[:-1]} | {"Anne-Marie"} <= said


def test_a_closed_pipe_ends_it_without_a_word(season: str) -> None:
    words = [sys.executable, "-m", "tablier.cli.main", "stats", "--archive", season]
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as pipe:
        done = subprocess.run(words, stdout=pipe, stderr=subprocess.PIPE, timeout=60)
    assert (done.returncode, done.stderr) == (141, b"")
