"""Results of games in which somebody else decided for a player: lists say so, and nothing is won by it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import replies
from at_screens import NAMES, HandClock, Screens, at_screens
from ports import connect, console
from tablier.archive.database import Archive
from tablier.archive.logs import add_log
from tablier.archive.questions import Scope, ask
from tablier.cli.main import main
from tablier.course.seats import AT_SCREEN, Seat
from tablier.log.chain import Entry
from tablier.log.deciding import Decisions, StandIn
from tablier.log.store import Log
from tablier.play.beginning import begin
from tablier.texts import render

BOT = "greedy"
FROM_1 = f"{BOT} played for Anne from move 1"


def play(
    log: Log,
    changes: Mapping[int, str],
    seats: list[Seat] | None = None,
    seat: int = 1,
    plies: int = 6,
    **where: Any,
) -> Screens:
    """Play a game of D.21 in which a seat has other sources from some numbers of moves on."""
    people = at_screens(2) if seats is None else seats
    room = Screens(log, begin(log, "d21", {"max_plies": plies}, people, **where), HandClock(), (1, 2))
    due = sorted(changes.items())
    while not room.running.over:
        ply = room.running.session.ply
        if due and ply >= due[0][0]:
            _, source = due.pop(0)
            sender = console(room.running) if source == BOT else connect(room.running, operator=True)
            sender.obey({"command": "source", "seat": seat, "source": source})
        room.running.work()
        if room.running.session.ply == ply:
            room.play_first()
    return room


def test_what_a_bot_won_for_a_person_is_nobodys_and_every_list_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, where = tmp_path / "log.db", str(tmp_path / "archive.db")

    def run(*args: str) -> str:
        assert main([*args, *(["--archive", where] if args[0] == "stats" else ["--log", str(path)])]) == 0
        return " ".join(capsys.readouterr().out.split())

    with Log.open(path) as log:
        for _ in range(4):
            room = play(log, {0: BOT})
        for viewer in (1, 2, None):
            over = room.latest[viewer].over
            assert over is not None and [render(text) for text in over.remarks] == [FROM_1]
    run("log", "verify")
    assert run("log", "list").count(FROM_1) == 4
    assert FROM_1 in run("log", "show")
    assert FROM_1 in run("log", "show", "--evening", "2")
    assert "Anne: games 0, won 0, a bot played in 4 other games" in run("people")
    standings = run("log", "standings")
    assert "games won points by a bot" in standings and "Anne 0 0 4" in standings
    pair = run("log", "standings", "Anne", "Bernard")
    assert pair == "4 games in which a bot decided for one of them are left out."
    with Archive.open(where, create=True) as archive:
        assert add_log(archive, path, "Beaune").new == [1, 2, 3, 4]
        results, present = (answer.by_key for answer in ask(archive, "results", Scope()))
        assert not ask(archive, "ratings", Scope())[0].rows and not ask(archive, "against", Scope())[0].rows
    (anne,) = (row for row in results if row["name"] == "Anne")
    assert (anne["games"], anne["won"], anne["share"], anne["points"], anne["by_others"]) == (0, 0, None, None, 4)
    assert (present[0]["people"], present[0]["programs"]) == (2, 1)
    assert "By others: games in which a bot decided" in run("stats", "results")
    assert add_again(where, path) == [1, 2, 3, 4]


def test_a_series_says_in_which_games_a_bot_decided(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "log.db"
    with Log.open(path) as log:
        evening = log.begin_evening("", [(log.person("Anne"), 0), (log.person("Bernard"), 0)])
        series = log.begin_series(evening, ["d21"], count=2)
        play(log, {0: BOT}, evening=evening, series=series)
        play(log, {}, evening=evening, series=series)
    for words in (["show", "--series", "1"], ["list"]):
        assert main(["log", *words, "--log", str(path)]) == 0
        told = " ".join(capsys.readouterr().out.split())
        assert "; in game 1 somebody else decided for a player" in told and told.count(FROM_1) == 1


def add_again(where: str, path: Path) -> list[int]:
    """Games that came out of the archive as they went in."""
    with Archive.open(where, create=True) as archive:
        return add_log(archive, path, "Beaune").same


def test_others_of_the_game_are_rated_without_the_seat_that_a_bot_had(tmp_path: Path) -> None:
    path = tmp_path / "log.db"
    with Log.open(path) as log:
        room = Screens(log, begin(log, "roudalon", {}, at_screens(4)), HandClock(), (1, 2, 3, 4))
        console(room.running).obey({"command": "source", "seat": 1, "source": BOT})
        while not room.running.over:
            room.running.work()
            if set(room.running.session.open.waiting) - {1}:
                room.play_first()
    with Archive.open(tmp_path / "archive.db", create=True) as archive:
        add_log(archive, path, "Beaune")
        assert {row["name"] for row in ask(archive, "ratings", Scope())[0].by_key} == {*NAMES[1:]}
        pairs = ask(archive, "against", Scope())[0].by_key
        assert len(pairs) == 3 and "Anne" not in {pair[key] for pair in pairs for key in ("name", "other")}


PARTLY: dict[str, tuple[dict[int, str], str]] = {
    "from the middle": ({2: BOT}, f"{BOT} played for Anne from move 3"),
    "given back": ({0: BOT, 1: AT_SCREEN}, f"{BOT} decided 1 of Anne's 3 moves"),
    "never asked": ({0: BOT, 1: AT_SCREEN, 5: BOT}, f"{BOT} decided 1 of Anne's 3 moves"),
    "nothing left to decide": ({5: BOT}, ""),
}


@pytest.mark.parametrize("case", PARTLY)
def test_a_part_is_told_as_a_part(case: str, tmp_path: Path) -> None:
    changes, told = PARTLY[case]
    with Log.open(tmp_path / "log.db") as log:
        play(log, changes)
        assert list(map(str, log.game().remarks)) == ([told] if told else [])
        assert log.games()[0].stand_ins == log.game().stand_ins


def test_what_a_person_decided_for_a_bot_is_not_the_bots(tmp_path: Path) -> None:
    with Log.open(tmp_path / "log.db") as log:
        seats = [*at_screens(1), Seat("Bernard", 0, BOT)]
        play(log, {2: AT_SCREEN}, seats, seat=2)
        assert list(map(str, log.game().remarks)) == ["a person played for Bernard from move 4"]
    with Archive.open(tmp_path / "archive.db", create=True) as archive:
        add_log(archive, tmp_path / "log.db", "Beaune")
        found = {row["name"]: (row["games"], row["by_others"]) for row in ask(archive, "results", Scope())[0].by_key}
        assert found == {"Anne": (1, 0), BOT: (0, 1)}
        assert not ask(archive, "ratings", Scope())[0].rows


SEATS = [{"person": "ab" * 8, "place": 0, "source": "screen"}, {"name": "Bot", "place": 0, "source": "good"}]


def entries(*said: tuple[str, dict[str, Any]]) -> list[Entry]:
    return [Entry(n, 1, "", kind, body, "") for n, (kind, body) in enumerate(said, 2)]


def stand_ins(said: list[Entry]) -> tuple[StandIn, ...]:
    decisions = Decisions(SEATS)
    for entry in said:
        decisions.take(entry)
    return decisions.stand_ins


def move(text: str, by: str) -> tuple[str, dict[str, Any]]:
    return "move", {"text": text, "by": by}


SITS = ("sits", {"seat": 1, "source": BOT, "by": 1})
BACK = ("sits", {"seat": 1, "source": "screen", "by": 1})


def takeback(to: int) -> tuple[str, dict[str, Any]]:
    return "takeback", {"to": to, "by": 1, "agreed": []}


CASES: dict[str, tuple[list[tuple[str, dict[str, Any]]], list[tuple[int, int, int]]]] = {
    "taken back and played anew": ([SITS, move("p1 a", BOT), BACK, takeback(0), move("p1 b", "screen")], []),
    "taken back in part": ([SITS, move("p1 a", BOT), move("p1 b", BOT), BACK, takeback(1)], [(1, 1, 1)]),
    "stands after a correction": (
        [
            *(SITS, move("p2 a", "good"), move("p1 a", BOT), BACK),
            *(takeback(0), move("p2 b", "correction"), move("p1 a", "correction")),
        ],
        [(2, 1, 1)],
    ),
    "corrected itself": ([SITS, move("p1 a", BOT), BACK, takeback(0), move("p1 b", "correction")], [(1, 1, 1)]),
    "a person's, corrected while a bot sits": (
        [move("p1 a", "screen"), SITS, takeback(0), move("p1 b", "correction")],
        [],
    ),
    "a pass": ([move("p2 a", "good"), SITS, ("reply", replies.play(None, seat=1))], [(2, 1, 1)]),
    "a pass that was taken back": (
        [move("p2 a", "good"), SITS, ("reply", replies.finish(seat=1)), BACK, takeback(0)],
        [],
    ),
    "moves of the table": ([SITS, move("table roll 3", "host")], []),
}


@pytest.mark.parametrize("case", CASES)
def test_who_decided_follows_from_the_moves_that_stand(case: str) -> None:
    said, found = CASES[case]
    assert [(each.first, each.decisions, each.total) for each in stand_ins(entries(*said))] == found


def test_a_pass_is_taken_back_with_what_it_answered() -> None:
    """The first two moves stand; a bot passes for Anne on what came of them, and that is where play comes back to."""
    seats = [{"name": name, "source": "screen", "person": name} for name in ("Anne", "Bernard")]
    log: list[tuple[str, dict[str, Any]]] = [
        ("move", {"text": "p1 x", "by": "screen"}),
        ("move", {"text": "p2 x", "by": "screen"}),
        ("sits", {"seat": 1, "source": BOT}),
        ("reply", replies.play(None, seat=1)),
        ("sits", {"seat": 1, "source": "screen"}),
    ]
    decided, taken_back = Decisions(seats), Decisions(seats)
    for each in (decided, taken_back):
        for n, (kind, body) in enumerate(log, 1):
            each.take(Entry(n, 1, "", kind, body, ""))
    taken_back.take(Entry(6, 1, "", "takeback", {"to": 2}, ""))
    assert [each.seat for each in decided.stand_ins] == [1]
    assert not taken_back.stand_ins
