"""The conductor beside slow bots and screens that fall silent; by hand, step by step, in a time that stands still."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from driving import FLAT
from msgspec import to_builtins
from msgspec.structs import replace
from playing import bodies

import replies
from at_screens import TO_A_DUEL, HandClock, Screens, at_screens
from of_kind import of_kind
from ports import console, each
from tablier.bots.bots import BotError, External
from tablier.bots.sources import STAND_IN
from tablier.cli.main import main
from tablier.course.asides import CONSENT
from tablier.course.past import position_before
from tablier.course.seats import Seat
from tablier.games.core.questions import bare
from tablier.judge.audit import audit
from tablier.log.bodies import check
from tablier.log.store import Log
from tablier.messages import Update, Updates
from tablier.play.beginning import begin
from tablier.play.game import OPENING_S, Conductor
from tablier.play.logged import unfinished
from tablier.screens.model import COMMAND, Model
from tablier.screens.summary import LogName
from tablier.table.clock import LifeClock
from tablier.texts import Json, Typed, Who, all_of, counted, render

NAMES = ("Anne", "Bernard", "Christine", "Daniel")


# -- screens that do not open ------------------------------------------------------------------------------------


def test_a_screen_that_does_not_open_voids_the_choice_for_good(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, clock = tmp_path / "log.db", HandClock()
    with Log.open(path) as log:
        screens = Screens(log, begin(log, "dilemma", {}, at_screens(3), seed=FLAT), clock, (1, 2, 3))
        running = screens.running
        screens.play(*TO_A_DUEL)
        first = running.session.id
        screens.lock(1, 1)
        assert not screens.choice(1).open
        screens.lock(2, 1)
        assert screens.choice(1).open
        screens.open(1)
        clock.time = OPENING_S - 0.01
        running.work()
        assert running.session.id == first
        before = {viewer: update.view for viewer, update in screens.latest.items()}
        clock.time = OPENING_S
        running.work()
        assert {viewer: update.view for viewer, update in screens.latest.items()} == before
        (void,) = bodies(list(log.entries()), "void")
        assert void["id"] == first and void["seats"] == [2]
        assert running.session.id != first and running.session.open.waiting == (1, 2)
        (nonce,) = [body["nonce"] for body in bodies(list(log.entries()), "opening")]
        screens.play_until()
        assert audit(log.entries()).games == 1
    for command in (["log", "show", "1"], ["log", "show", "1", "--all"], ["log", "export", "1"], ["log", "list"]):
        assert main([*command, "--log", str(path)]) == 0
    told = capsys.readouterr().out
    assert "did not open" in told or "void" in told
    assert nonce not in told
    openings = [line.split()[2:] for line in told.splitlines() if "opening" in line or "opens choice" in line]
    assert openings[0] == ["opening"], "what was opened in vain is withheld"
    assert len(openings) > 1 and all("opens" in words for words in openings[1:]), "and nothing else is"


# -- bots that take their time ------------------------------------------------------------------------------------

SLOW = """
import json, sys
hello = json.loads(sys.stdin.readline())
for line in sys.stdin:
    asked = json.loads(line)
    open(sys.argv[1]).read()
    print(json.dumps({"move": asked["moves"][0]}), flush=True)
"""


@pytest.fixture
def slow(tmp_path: Path) -> tuple[str, Callable[[], None]]:
    """A bot that thinks until it is let go on, and what lets it."""
    folder = tmp_path / "program"  # of its own: it may read all of it
    folder.mkdir()
    gate = folder / "gate"
    os.mkfifo(gate)
    (folder / "slow.py").write_text(SLOW)

    def let() -> None:
        gate.write_text("")

    return f"bot:{sys.executable} {folder / 'slow.py'} {gate}", let


def test_nobody_waits_for_a_bot_that_thinks(tmp_path: Path, slow: tuple[str, Callable[[], None]]) -> None:
    """While it does, a screen is bound, a late one gets its update, and what is wrong is refused."""
    source, let = slow
    seated = [*at_screens(2), Seat("Robot", 0, source)]
    with Log.open(tmp_path / "log.db") as log:
        screens = Screens(log, begin(log, "dilemma", {}, seated), LifeClock(), (1, 2))
        running, session = screens.running, screens.running.session
        try:
            screens.play((1, "offer 8"), (2, None))
            while session.open.waiting == (3,):
                if running.chairs.thinking:
                    screens.say(2, replies.play("throw 1"))
                    assert [refused.seat for refused in screens.refused] == [2]
                    late: list[Update] = []
                    console(running).watch((None,), each(late.append))
                    running.work()
                    assert late[0].question is not None and late[0].question.waiting == [3]
                    let()
                    running.clock.wait(10.0, None)
                running.work()
            assert session.position.moves[-1].actor == 3
            assert "bot" not in screens.told
            assert audit(log.entries()).games == 1
        finally:
            running.close()


def test_what_a_bot_has_thought_of_a_question_that_is_gone_is_forgotten(
    tmp_path: Path, slow: tuple[str, Callable[[], None]]
) -> None:
    source, let = slow
    with Log.open(tmp_path / "log.db") as log:
        game = begin(log, "d21", {}, [*at_screens(1), Seat("Robot", 0, source)], practice=True)
        screens = Screens(log, game, LifeClock(), (1,))
        running, session = screens.running, screens.running.session
        try:
            screens.play_first()
            assert session.open.waiting == (2,) and running.chairs.thinking == {2}
            console(running).command({"command": "back", "seat": 1})
            running.work()
            assert session.open.waiting == (1,) and session.position.ply == 0
            let()
            running.clock.wait(10.0, None)
            running.work()
            assert session.position.ply == 0 and not running.chairs.thinking
        finally:
            running.close()


def test_a_bot_that_was_hurried_takes_its_time_again_when_a_person_has_been_asked(tmp_path: Path) -> None:
    with Log.open(tmp_path / "log.db") as log:
        game = begin(log, "d21", {}, [*at_screens(1), Seat("Robot", 0, "random")])
        screens = Screens(log, game, clock := HandClock(), (1,), pace=5.0)
        running, session = screens.running, screens.running.session
        screens.play_first()
        assert session.open.waiting == (2,), "the bot thinks, for people to look on"
        console(running).command({"command": "hurry"})
        running.work()
        assert session.open.waiting == (1,), "nobody waits for it"
        screens.play_first()
        running.work()
        assert session.open.waiting == (2,), "once, and not from then on"
        clock.wait(5.0, None)
        running.work()
        assert session.open.waiting == (1,)
        running.close()


@pytest.mark.parametrize("goes_on", [{"command": "wait", "on": False}, {"command": "hurry"}])
def test_bots_wait_while_somebody_reads_how_the_game_goes(tmp_path: Path, goes_on: Json) -> None:
    with Log.open(tmp_path / "log.db") as log:
        game = begin(log, "d21", {}, [Seat("Robot", 0, "random"), *at_screens(1)])
        screens = Screens(log, game, clock := HandClock(), (2,), pace=5.0)
        running, session = screens.running, screens.running.session
        console(running).command({"command": "wait", "on": True})
        running.work()
        clock.wait(60.0, None)
        running.work()
        assert session.open.waiting == (1,)
        console(running).command(goes_on)
        running.work()
        assert session.open.waiting == ((2,) if goes_on["command"] == "hurry" else (1,)), (
            "it has the time that it has else"
        )
        clock.wait(5.0, None)
        running.work()
        assert session.open.waiting == (2,)
        running.close()


@pytest.mark.parametrize("code", ["import time; time.sleep(99)", "import os; os.fork(); import time; time.sleep(99)"])
def test_a_bot_that_does_not_even_read_loses_its_seat(
    code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However much it was to read: a pipe takes no more than 64 KiB."""
    from tablier.bots import bots

    monkeypatch.setattr(bots.External.__init__, "__defaults__", (0.3,))
    (tmp_path / "bot.py").write_text(code)
    bot = bots.External(f"{sys.executable} {tmp_path / 'bot.py'}", {})
    try:
        with pytest.raises(BotError, match="took more than"):
            bot.decide({"view": "x" * 200_000}, (), True)
    finally:
        bot.end()
        bot.close()


def test_a_bot_that_fails_while_it_is_greeted_is_ended(capfd: pytest.CaptureFixture[str]) -> None:
    """One that does not read its greeting, which fills the pipe."""
    with pytest.raises(BotError, match="seconds"):
        External("sh -c 'echo $$ >&2; exec sleep 600'", {"setup": "x" * 200_000}, 3)
    with pytest.raises(ProcessLookupError):
        os.kill(int(capfd.readouterr().err), 0)


# -- after the end ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("agrees", [True, False])
def test_what_is_asked_after_the_end_is_asked_again_when_the_host_has_died(agrees: bool, tmp_path: Path) -> None:
    path = tmp_path / "log.db"
    with Log.open(path) as log:
        game = begin(log, "d21", {"max_plies": 3}, at_screens(2))
        first = Screens(log, game, LifeClock(), (1, 2))
        for _ in range(3):
            first.play_first()
        assert first.running.over and unfinished(log) == []
        first.command("back", seat=1)
        assert not first.running.over and first.latest[2].over is None
        assert unfinished(log) == [game]
    with Log.open(path) as log:
        again = Screens(log, game, LifeClock(), (1, 2))
        question = again.latest[2].question
        assert (
            question is not None
            and question.what == CONSENT
            and question.waiting == [2]
            and again.latest[2].over is None
        )
        again.say(2, replies.answer(agrees))
        assert again.running.over != agrees
        assert len(log.moves(game)) == (2 if agrees else 3)
        assert unfinished(log) == ([game] if agrees else [])
        assert audit(log.entries()).games == 1
        if not agrees:
            assert again.latest[1].over is not None


# -- bots that are programs -----------------------------------------------------------------------------------------


def test_all_bots_are_ended_also_when_one_fails_to_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    end = External.end

    def fail_once(bot: External) -> None:
        monkeypatch.setattr(External, "end", end)
        raise PermissionError

    with Log.open(tmp_path / "log.db") as log:
        seated = [Seat(name, 0, "bot:sleep 99") for name in NAMES[:2]]
        running = Conductor(log, begin(log, "d21", {}, seated), LifeClock())
        running.start()
        bots = [of_kind(External, chair._bot) for chair in running.chairs.taken.values()]
        monkeypatch.setattr(External, "end", fail_once)
        with pytest.raises(PermissionError):
            running.close()
        assert sum(bot._running.ended for bot in bots) == 1
        for bot in bots:
            bot.end()
            bot.close()


def test_a_reason_with_a_plural_is_logged_verified_and_resumed(tmp_path: Path) -> None:
    with Log.open(tmp_path / "log.db") as log:
        game = begin(log, "d21", {}, [*at_screens(1), Seat("Robot", 0, "bot:cat")])
        running = Conductor(log, game, LifeClock())
        running.start()
        why = counted(
            1, "lost {count} of {names}", "lost {count} of {names}", names=all_of([Who(1), Typed("p2", "pass")])
        )
        running._hear(running.chairs.taken[2], BotError(why))
        running.work()
        assert running.chairs.taken[2].source == STAND_IN
        running.close()
        assert audit(log.entries()).games == 1
        again = Conductor(log, game, LifeClock())
        again.start()
        assert again.session.seats[1].source == STAND_IN
        again.close()
        (sits,) = [entry for entry in log.entries(game) if entry.kind == "sits"]
        named: list[Json] = [
            {"names": {"list": [1], "join": "by"}},
            {"name": {}},
            {"name": {"seat": "p1"}},
            {"name": None},
        ]
        for args in named:
            with pytest.raises(ValueError, match="allowed: a template with its arguments"):
                check(replace(sits, body={**sits.body, "why": {"text": "lost {name}", "args": args}}))


# -- correcting and disputing ---------------------------------------------------------------------------------------


def test_a_correction_and_a_dispute_typed_at_a_screen(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Asked of the other one, once more after the host has died; told, logged, exported."""
    path = tmp_path / "log.db"
    with Log.open(path) as log:
        game = begin(log, "d21", {"max_plies": 60}, at_screens(2))
        first = Screens(log, game, LifeClock(), (1, 2))
        for _ in range(2):
            first.play_first()
        stood = log.moves(game)
        other = position_before(first.running.session.position, 1).legal_moves[-1]
        model = Model((1,), LogName("log.db"))
        model.take(Updates(game=1, updates=[first.latest[1]]))
        for line in (":dispute 2 it was still rolling", f":correct 1 {bare(other)}"):
            (action,) = model.accept(line)
            assert action.what == COMMAND
            first.send(action.body)
        assert log.moves(game) == stood
    with Log.open(path) as log:
        again = Screens(log, game, LifeClock(), (1, 2))
        question = again.latest[2].question
        assert question is not None and question.what == CONSENT
        assert render(question.text, NAMES) == (
            f"Anne says that move 1 was {bare(other)}, not {stood[0][3:]}. Do you agree?"
        )
        again.say(2, replies.answer(True))
        assert log.moves(game) == [str(other), stood[1]]
        assert audit(log.entries()).games == 1
        assert first.told.count("dispute") == 1 and again.told.count("takeback") == 1
    assert main(["log", "show", "1", "--all", "--log", str(path)]) == 0
    shown = capsys.readouterr().out
    assert "Anne disputes move 2: it was still rolling" in shown
    assert f"Anne says that move 1 was {bare(other)}." in shown
    assert main(["log", "export", "1", "--log", str(path)]) == 0
    assert f'"{other}"' in capsys.readouterr().out


def test_of_a_correction_that_is_declined_nobody_is_told_but_who_asked(tmp_path: Path) -> None:
    with Log.open(tmp_path / "log.db") as log:
        screens = Screens(log, begin(log, "d21", {}, at_screens(2)), LifeClock(), (1, 2))
        screens.play_first()
        stood = bare(screens.running.session.position.moves[0])
        screens.command("correct", seat=1, at=1, move=stood)
        assert "correction" not in screens.told
        screens.play_first()
        assert "correction" not in screens.told


def test_a_correction_without_a_number_is_of_the_last_move_of_a_seat(tmp_path: Path) -> None:
    """In a game of one person it is done at once; a late one is noted, and that is said."""
    with Log.open(tmp_path / "log.db") as log:
        seated = [*at_screens(1), Seat("Robot", 0, "random")]
        screens = Screens(log, begin(log, "d21", {}, seated, practice=True), LifeClock(), (1,))
        screens.play_first()
        robots = screens.running.session.position.moves[-1]
        other = next(
            bare(move) for move in position_before(screens.running.session.position, 2).legal_moves if move != robots
        )
        screens.command("correct", seat=1, move=other)
        assert log.moves(1)[-1] == f"p2 {other}"
        assert screens.told[screens.told.index("correction") + 1] == "takeback"  # first why, then what
    with Log.open(tmp_path / "dice.db") as log:
        screens = Screens(log, begin(log, "struggle", {}, at_screens(2)), LifeClock(), (1, 2))
        screens.play((screens.running.session.open.waiting[0], "keep none"))
        stood = log.moves(1)
        session = screens.running.session
        at = max(n for n, move in enumerate(session.position.moves, 1) if move.actor)
        one = next(
            move
            for move in position_before(session.position, at).legal_moves
            if move.verb == "keep" and len(move.args) == 2
        )
        screens.command("correct", seat=1, move=str(one))
        assert log.moves(1) == stood and screens.told[-1] == "correction"
        assert list(log.entries(1, "correction")) and audit(log.entries()).games == 1


def test_what_a_console_is_refused_is_told_to_spectators(tmp_path: Path) -> None:
    """Where everybody sits at the table, the one who types is a spectator."""
    with Log.open(tmp_path / "log.db") as log:
        screens = Screens(log, begin(log, "d21", {}, at_screens(2)), LifeClock(), (1, 2))
        screens.command("correct", seat=0, at=99, move="c2-c4")
        screens.command("correct", seat=0, at=1, move="z9-z8")
        assert [refused.seat for refused in screens.refused] == [None, None]


def test_a_move_that_is_secret_still_is_not_corrected(tmp_path: Path) -> None:
    """Else everybody would be told what a seat says of its own secret."""
    with Log.open(tmp_path / "log.db") as log:
        screens = Screens(log, begin(log, "struggle", {}, at_screens(2)), LifeClock(), (1, 2))
        number, move = next((n, move) for n, move in enumerate(log.moves(1), 1) if move.startswith("table deal p1"))
        before = log.head
        screens.command("correct", seat=1, at=number, move=move)
        assert screens.refused and log.head == before
        secret = move.rsplit(" ", 1)[1]
        assert not any(secret in str(to_builtins(update)) for viewer in (2, None) for update in screens.seen[viewer])


@pytest.mark.parametrize("line", [":correct", ":correct 3", ":dispute", ":dispute 3"])
def test_a_correction_that_says_nothing_is_not_sent(line: str, tmp_path: Path) -> None:
    with Log.open(tmp_path / "log.db") as log:
        screens = Screens(log, begin(log, "d21", {}, at_screens(2)), LifeClock(), (1, 2))
        model = Model((1,), LogName("log.db"))
        model.take(Updates(game=1, updates=[screens.latest[1]]))
        assert model.accept(line) == [] and "takes the number of a move" in model.error


def test_a_conductor_is_due_when_a_bot_is_to_decide(tmp_path: Path) -> None:
    with Log.open(tmp_path / "log.db") as log:
        seats = [Seat("Robot", 0, "random"), *at_screens(3)]
        running = Conductor(log, begin(log, "roudalon", {"first": "p1"}, seats), HandClock(), pace=0.25)
        running.start()
        running.work()
        assert running.due == pytest.approx(0.25) and running.session.ply == 0
        running.clock.wait(0.25, None)
        running.work()
        assert running.session.ply > 0
        running.close()
