"""``tablier log list``, ``show --evening``, ``standings`` and ``tablier people``: what became of evenings, in names."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from tablier.archive.database import Archive
from tablier.cli import common, home
from tablier.cli.main import main
from tablier.course.seats import Seat
from tablier.keeper.starting import join
from tablier.log.store import Log
from tablier.play.beginning import begin
from tablier.simulation.simulated import SimulatedTable
from tablier.texts import language, speak
from wording import Wording


class Told:
    """What commands print of a log."""

    def __init__(self, log: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.log = log
        self._capsys = capsys

    def __call__(self, *argv: object) -> str:
        """Return the output of a command that succeeds."""
        status = main([*map(str, argv), "--log", str(self.log)])
        out, err = self._capsys.readouterr()
        assert (status, err) == (0, ""), err
        assert all(len(line) <= 80 for line in out.splitlines()), out
        assert "{" not in out and '"' not in out, "no raw JSON"
        return out

    def json(self, *argv: object) -> list[dict[str, object]]:
        """Return what a command prints as JSON."""
        assert main([*map(str, argv), "--json", "--log", str(self.log)]) == 0
        return json.loads(self._capsys.readouterr().out)  # type: ignore[no-any-return]

    def refused(self, *argv: object) -> str:
        """Return the one line with which a command refuses."""
        status = main([*map(str, argv), "--log", str(self.log)])
        out, err = self._capsys.readouterr()
        assert (status, out, err.count("\n")) == (2, "", 1), err
        return err


def clock() -> Callable[[], str]:
    """Return a clock that goes on by a minute for each entry, from noon of a day on."""
    minutes = count()
    return lambda: (
        f"2026-03-0{1 + (minute := next(minutes)) // 600}T{10 + minute // 60 % 10}:{minute % 60:02}:00.000000Z"
    )


@pytest.fixture
def told(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Told:
    """Return the commands on a log: an evening with a series, a game between, one of its own, two without a move."""
    monkeypatch.setenv("TZ", "UTC")
    path = tmp_path / "log.db"
    with Log.open(path, clock=clock()) as log:

        def play(game: str, *people: str, scores: tuple[float, ...] = (), **where: Any) -> None:
            bot = Seat("Zoe", 0, "greedy")
            number = begin(log, game, {}, [*(Seat(name, 0, "screen") for name in people), bot], **where)
            if scores:
                won = [f"p{at}" for at, score in enumerate(scores, 1) if score == max(scores)]
                log.append(number, "move", {"text": "p1 pass", "by": "screen"})
                result = {"scores": {f"p{at}": score for at, score in enumerate(scores, 1)}, "winners": won}
                log.append(number, "end", result)

        anne, bernard = log.person("Anne"), log.person("Bernard")
        evening = log.begin_evening("simulated", [(anne, 1), (bernard, 4)])
        play("dilemma", "Anne", "Bernard", scores=(12, 5, 7), evening=evening)
        series = log.begin_series(evening, ["d21", "struggle"], wins=2)
        play("d21", "Anne", scores=(0, 1), evening=evening, series=series)
        log.come(evening, log.person("Christine"), 2)
        play("struggle", "Christine", scores=(9, 4), evening=evening, series=series)
        play("d21", "Christine", scores=(1, 0), evening=evening, series=series)
        play("dilemma", "Anne", "Bernard", evening=evening)
        log.go(evening, anne)
        log.close_evening(evening)
        play("dilemma", "Anne", "Bernard", scores=(3, 8, 1))
        play("d21", "Françoise")
    return Told(path, capsys)


def test_evenings_are_listed_with_people_series_and_results(told: Told) -> None:
    lines = told("log", "list").splitlines()
    assert lines[:3] == [
        "Evening 1, 2026-03-01, 10:00 to 10:17",
        "  with Anne, Bernard and Christine",
        "  Series 1, D.21, Struggle, first to 2 wins, over: Christine 2, Zoe 1",
    ]
    assert lines[3] == "  1  10:01  Dilemma  Anne 12, Bernard 5, Zoe 7: 1 move, won by Anne"
    assert lines[7].startswith("Evening 2, ") and lines[8].endswith("Anne 3, Bernard 8, Zoe 1: 1 move, won by Bernard")
    assert lines[9:] == ["Without a move so far, and not listed: 5, 7."]


def test_names_of_any_length_fit_the_terminal(told: Told) -> None:
    told("people", "rename", "--yes", "Anne", "Anne-Sophie von und zu der langen Leitung" * 3)
    told("log", "list")
    told("log", "standings")
    told("people")


def test_an_evening_and_a_series_are_shown(wording: Wording, told: Told) -> None:
    evening = told("log", "show", "--evening", 1)
    wording(evening)
    series = told("log", "show", "--series", 1).splitlines()
    assert [line.split()[0] for line in series[1:]] == ["2", "3", "4"]
    assert told("log", "show", "--evening", 2).startswith("Evening 2, ")
    wording(told.refused("log", "show", "--evening", 9))
    wording(told.refused("log", "show", "--series", 0))
    wording(told.refused("log", "show", 1, "--evening", 1))
    wording(told.refused("log", "show", "--series", 1, "--evening", 1))


def test_standings_of_a_season_and_of_two(wording: Wording, told: Told) -> None:
    def rows(out: str, game: str) -> list[list[str]]:
        lines = out[out.index(f"{game}: ") :].splitlines()[2:]
        return [line.split() for line in lines[: next((n for n, line in enumerate(lines) if ": " in line), None)]]

    out = told("log", "standings")
    assert rows(out, "All games") == [["Christine", "2", "2"], ["Bernard", "2", "1"], ["Anne", "3", "1"]]
    assert rows(out, "Dilemma") == [["Anne", "2", "1", "7.5"], ["Bernard", "2", "1", "6.5"]]
    two = told("log", "standings", "anne", "Bernard")
    assert two.startswith("Dilemma: 2 games\n") and rows(two, "Dilemma")[0][0] == "Anne" and "Christine" not in two
    wording(told("log", "standings", "Anne", "Christine"))
    wording(told("log", "standings", "--since", "2026-03-02"))
    wording(told("log", "standings", "--since", "2026-03-01"))
    for month, day in (("2026-01", "2026-01-01"), ("01/2026", "01/01/2026")):
        assert told("log", "standings", "--since", month) == told("log", "standings", "--since", day)
    wording(told.refused("log", "standings", "--since", "soon"))
    wording(told.refused("log", "standings", "Anne"))
    wording(told.refused("log", "standings", "Anne", "ANNE"))
    wording(told.refused("log", "standings", "Anne", "Eve"))


def test_the_games_of_somebody_in_a_month_are_found(told: Told) -> None:
    """Did Anne really lose that game last March?"""

    def listed(*words: str) -> list[str]:
        return re.findall(r"^  (\d+) ", told("log", "list", *words), re.M)

    assert listed("Anne", "--since", "2026-03", "--until", "2026-03") == ["1", "2", "6"]
    assert listed("anne", "Bernard", "--game", "dilemma") == ["1", "6"]
    assert "Series 1" not in told("log", "list", "Anne", "Bernard") and "Series 1" in told("log", "list", "Christine")
    assert listed("--until", "2026-02") == [] == listed("--since", "2026-04", "Anne")
    assert [game["game"] for game in told.json("log", "list", "--game", "d21", "Christine")[0]["games"]] == [4]  # type: ignore[attr-defined]
    assert told("log", "standings", "--game", "d21", "--until", "2026-03-01").startswith("D.21: 2 games\n")
    assert told("log", "standings", "--until", "2026-02-28") == "No such game has ended.\n"
    assert "comes after --until" in told.refused("log", "list", "--since", "2026-04", "--until", "2026-03")
    for command in ("list", "standings"):
        assert "a game is named by --game Dilemma" in told.refused("log", command, "Dilemma")
        assert f"a log is named by --log {told.log}" in told.refused("log", command, told.log)


def test_results_are_there_for_a_spreadsheet(told: Told) -> None:
    assert main(["log", "list", "Christine", "--csv", "--log", str(told.log)]) == 0
    out = told._capsys.readouterr().out.splitlines()
    assert out[0] == "evening,day,game,rules,name,source,points,won,decided_all"
    assert out[1:3] == [
        "1,2026-03-01,3,struggle,Christine,screen,9.0,1,1",
        "1,2026-03-01,3,struggle,Zoe,greedy,4.0,0,1",
    ]
    assert len(out) == 5, "an unfinished game has no result"


def test_the_last_evening_is_that_of_the_latest_game(told: Told) -> None:
    with Log.open(told.log) as log:
        log.reopen_evening(1)
        number = begin(log, "d21", {}, [Seat("Anne", 0, "screen"), Seat("Zoe", 0, "greedy")], evening=1)
        log.append(number, "move", {"text": "p1 pass", "by": "screen"})
    assert told("log", "list", "--last", 1).startswith("Evening 1, ")


def test_names_of_others_stay_out_of_what_two_have_played(told: Told) -> None:
    told("people", "rename", "--yes", "Bernard", "Benoît")
    told("people", "rename", "--yes", "Christine", "Chloé")
    assert "Benoît played" in told("log", "standings", "Anne", "Benoît")
    with Log.open(told.log) as log:
        seats = [Seat(name, 0, "screen") for name in ("Anne", "Benoît", "Chloé")]
        number = begin(log, "dilemma", {}, seats)
        log.append(number, "end", {"scores": {"p1": 3.0, "p2": 2.0, "p3": 1.0}, "winners": ["p1"]})
    told("people", "rename", "--yes", "Chloé", "Claire")
    assert "Claire" in told("log", "standings") and "Claire" not in told("log", "standings", "Anne", "Benoît")


def said(text: str) -> str:
    """Return what is printed in one line."""
    return " ".join(text.split())


def test_somebody_is_renamed_merged_and_forgotten(wording: Wording, told: Told) -> None:
    with Log.read(told.log) as log:
        head = log.head
    wording(told("people"))
    anne = {"name": "Anne", "games": 3, "won": 1, "by_bot": 0, "place": 1}
    assert told.json("people")[0] == anne
    wording(told("people", "rename", "--yes", "anne", "Annette"))
    listed = said(told("log", "list"))
    assert "Annette 12, Bernard 5, Zoe 7: 1 move, won by Annette; Annette played as Anne" in listed
    wording(told("people", "merge", "--yes", "Françoise", "Christine"))
    assert "Françoise:" not in told("people")
    wording(told("people"))
    wording(told("people", "forget", "--yes", "Bernard"))
    assert "Annette 12, somebody 5, Zoe 7" in said(told("log", "list")) and "Bernard" not in told("log", "standings")
    assert told.json("log", "list")[0]["people"] == ["Annette", None, "Christine"]
    assert "somebody" not in json.dumps(told.json("log", "list"))
    files = b"".join(file.read_bytes() for file in told.log.parent.glob("log.db*"))
    assert b"Bernard" not in files and b"Annette" in files and b"Anne" in files.replace(b"Annette", b"")
    told("people", "forget", "--yes", "Annette")
    told("people", "forget", "--yes", "Christine")
    files = b"".join(file.read_bytes() for file in told.log.parent.glob("log.db*"))
    assert b"Anne" not in files and "Françoise".encode() not in files, "earlier names go with it"
    assert "played as" not in said(told("log", "list"))
    with closing(sqlite3.connect(told.log)) as db:
        assert not db.execute("SELECT count(*) FROM played_as").fetchone()[0]
    with Log.read(told.log) as log:
        assert log.verify(head) and log.head == head


@pytest.mark.parametrize("words", [("rename", "Anne", "Eva"), ("merge", "Françoise", "Anne"), ("forget", "Anne")])
def test_nothing_becomes_of_a_name_unasked(
    wording: Wording,
    words: tuple[str, ...],
    told: Told,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    wording(told.refused("people", *words))
    monkeypatch.setattr(common, "is_terminal", lambda: True)
    for answer in ("", "no", "yess"):
        monkeypatch.setattr("builtins.input", lambda prompt, answer=answer: answer)
        assert main(["people", *words, "--log", str(told.log)]) == 2
        out, err = capsys.readouterr()
        assert "game" in out
        wording(err)
    assert "Anne" in told("people") and "Françoise" in told("people")
    monkeypatch.setattr("builtins.input", lambda prompt: " Yes ")
    assert len(told("people", *words).splitlines()) >= 2
    assert words[1] not in {line.partition(":")[0] for line in told("people").splitlines()}


def test_what_cannot_become_of_a_name_is_refused_in_one_line(told: Told) -> None:
    for (action, *argv), why in (
        (("rename", "Eve", "Eva"), "nobody is called Eve; known: Anne, Bernard, Christine"),
        (("rename", "Anne", "bernard"), "bernard is somebody else's name; merge the two, or choose another"),
        (("rename", "Anne", " "), "the name of a person is empty"),
        (("rename", "Anne", "A\tB"), r"'A\tB' is no name: 1 to 200 printable characters are"),
        (("merge", "Anne", "anne"), "Anne cannot be merged into the same person"),
        (("merge", "Anne", "Bernard"), "Anne and Bernard are two: both have played game 1"),
        (("forget", "Eve"), "nobody is called Eve"),
        (("forget", ""), "NAME: the name is empty"),
        (("rename", " ", "Eve"), "NAME: the name is empty"),
        (("merge", "Anne", ""), "INTO: the name is empty"),
        (("take",), "the following arguments are required: LOG ("),
    ):
        assert why in told.refused("people", action, "--yes", *argv)


def test_people_of_another_log_are_taken_with_a_sentence_each(
    wording: Wording, told: Told, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    old = Path("old.db")
    with Log.open(old) as log:
        for name in ("ANNE", "Bernard", "Daniel", "Eve"):
            log.person(name)
    wording(told.refused("people", "take", old))
    wording(told("people", "take", "--yes", old, "anne", "Eve", "ANNE"))
    wording(told("people"))
    told("people", "rename", "--yes", "Eve", "Eva")
    told("people", "forget", "--yes", "Bernard")
    told("people", "take", "--yes", old, "Bernard")
    told("people", "forget", "--yes", "Bernard")
    assert told("people", "take", "--yes", old).splitlines() == [
        f"Anne was the same person as ANNE of {old} before",
        f"Bernard of {old}: the name was forgotten here, and stays so",
        f"Daniel of {old} is known here now",
        f"Eve of {old} is Eva here, and keeps that name",
    ]
    wording(told("people"))
    with Log.open(tmp_path / "nobody.db"):
        pass
    for words, why in (
        ((old, "Evi"), f"{old}: nobody is called Evi; known: ANNE, Bernard, Daniel, Eve; did you mean Eve?"),
        ((old, ""), "NAME: the name is empty"),
        ((old, "Eve", " "), "NAME: the name is empty"),
        (("none.db",), "tablier: none.db: there is no such log\n"),
        (("old.db/log.db",), "old.db/log.db: Not a directory"),
        ((tmp_path / "nobody.db",), "nobody.db: nobody to take; the log knows no names"),
        ((told.log,), f"{told.log} is this log, or a copy of it; its people are known here"),
    ):
        assert why in told.refused("people", "take", "--yes", *words)


def test_a_merge_here_or_there_is_told_with_what_makes_them_one(
    wording: Wording, told: Told, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    old = Path("old.db")
    with Log.open(old) as log:
        helene = log.person("Hélène")
    told("people", "take", "--yes", old)
    with Log.open(told.log) as log:
        log.merge(helene, log.person("Chloé"))
    for _ in range(2):
        out = told("people", "take", "--yes", old)
        wording(out)
    with Log.read(told.log) as log, Log.open(old) as other:
        other.take(log, [log.names().one(helene)])
    wording(told("people", "take", "--yes", old))


def test_while_a_keeper_runs_names_stay_and_the_cure_is_named(told: Told) -> None:
    link = join(told.log)
    try:
        end = f"its keeper runs; end it first ('tablier keeper --end --log {told.log}')"
        assert end in told.refused("people", "forget", "Anne")
        assert "Anne: games 3" in told("people"), "to read is never refused"
        link.call("quit")
    finally:
        link.close()


# -- JSON --------------------------------------------------------------------------------------------------------------

MANUAL = Path(__file__).parents[2] / "host" / "manual" / "commands.md"
DOCUMENTED = re.findall(r"^\| `([a-z -]+)(?: N)?` \| [^|]* \| ((?:`\w+`(?:, )?)+) \|$", MANUAL.read_text(), re.M)
"""The commands that print JSON, each with its keys."""


def printed_by(words: Sequence[str], capsys: pytest.CaptureFixture[str], status: int = 0) -> tuple[Any, Any]:
    """Return what a command prints as JSON for readers of English and of French, but for what changes by itself and the
    sentences of entries."""
    printed, spoken = [], language()
    for tag in ("en", "fr"):
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("LANGUAGE", tag)
            assert main([*words]) == status
        speak(spoken)
        printed.append(json.loads(capsys.readouterr().out))
        if words[:2] == ["table", "info"]:
            assert printed[-1].pop("status")
        for entry in printed[-1]["entries"] if words[:2] == ["log", "show"] and "entries" in printed[-1] else ():
            assert entry.pop("says") is not None
    return printed[0], printed[1]


@pytest.mark.parametrize(("command", "keys"), DOCUMENTED, ids=[command for command, _ in DOCUMENTED])
def test_programs_get_the_keys_that_the_manual_lists(
    told: Told, command: str, keys: str, capsys: pytest.CaptureFixture[str]
) -> None:
    words = command.split()
    number = {"--evening": "1", "--series": "1", "show": "7"}.get(words[-1])
    words += ["--json"] if number is None else [number, "--json"]
    if words[0] == "archive":
        with Archive.open(told.log.with_name("clubs.db"), create=True) as archive, archive.writing("Beaune"):
            pass
        words += ["--archive", str(told.log.with_name("clubs.db"))]
    elif words[0] != "table":
        words += ["--log", str(told.log)]
    if command == "log verify":
        with closing(sqlite3.connect(told.log)) as db, db:
            db.execute("DELETE FROM entry WHERE n > 1")
            for kept in ("ended", "evening", "evenings"):
                db.execute(f"DELETE FROM {kept}")
    if words[0] == "table":
        with SimulatedTable() as table:
            words += ["--port", table.first_port] if words[1] == "info" else []
            printed, in_french = printed_by(words, capsys)
    else:
        printed, in_french = printed_by(words, capsys)
    assert in_french == printed
    one = printed[0] if isinstance(printed, list) else printed
    assert set(one) | ({"status"} if command == "table info" else set()) == set(re.findall(r"\w+", keys))


def test_programs_get_texts_that_no_language_changes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told = Told(tmp_path / "log.db", capsys)
    with Log.open(told.log) as log:
        begin(log, "dilemma", {}, [Seat(name, 0, "screen") for name in ("Anne", "Bob", "Zoe")])
    told("people", "rename", "--yes", "Anne", "Annette")
    words = ["log", "verify", "--json", "--log", str(told.log)]
    english, french = printed_by(words, capsys)
    (text, *_) = english["played_as"]
    assert english == french and "{" in text["text"] and "Annette" in str(text["args"])
    with closing(sqlite3.connect(told.log)) as db, db:
        db.execute("DELETE FROM played_as")
    english, french = printed_by(words, capsys, 1)
    assert english == french and not english["follows"] and "{" in english["wrong"][0]["text"]
    with closing(sqlite3.connect(told.log)) as db, db:
        db.execute("UPDATE entry SET body = replace(body, 'dilemma', 'struggle')")
    english, french = printed_by(words, capsys, 1)
    assert english == french and english["wrong"][0]["text"] and set(english) == {"follows", "wrong"}


def test_a_secret_is_none_of_a_program(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "log.db"
    with Log.open(path) as log:
        begin(log, "dilemma", {}, [Seat(name, 0, "screen") for name in ("Anne", "Bob", "Zoe")])
        for text in ("p1 offer 8", "p2 throw 3 flat", "table close", "p1 duel peace"):
            log.append(1, "move", {"text": text, "by": "screen"})
    assert main(["log", "show", "--json", "--log", str(path)]) == 0
    moves = [each for each in json.loads(capsys.readouterr().out)["entries"] if each["kind"] == "move"]
    assert [(each["move"], each["secret"]) for each in moves[-2:]] == [("table close", False), (None, True)]
    assert all(each["body"] is None for each in moves) and "offer" in moves[0]["says"][0]


def test_a_broken_chain_is_told_programs_too(told: Told, capsys: pytest.CaptureFixture[str]) -> None:
    with closing(sqlite3.connect(told.log)) as db, db:
        db.execute("UPDATE entry SET body = replace(body, 'Anne', 'Eve') WHERE n = 2")
    assert main(["log", "verify", "--json", "--log", str(told.log)]) == 1
    out, err = capsys.readouterr()
    assert json.loads(out)["follows"] is False and err.count("\n") == 1


def test_the_start_screen_offers_to_look_back_at_the_latest_game_first(
    told: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TABLIER_LOG", str(told.log))
    numbers = [each.number for each in home._offer().played]
    assert len(numbers) > 1 and numbers == sorted(numbers, reverse=True)
