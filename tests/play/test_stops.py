"""A paused game: nothing happens until somebody resumes it, and then everything is as before."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from broken_off import LAST_TURNS, ending_with
from driving import FLAT
from playing import a_table, exported
from playing import begin as begin_meant
from playing import play as play_meant
from whole_games import COUNTS, OPTIONS

import replies
from at_screens import NAMES, TO_A_DUEL, HandClock, Screens, at_screens, check
from ports import Stopped, console, open_desk, play_at
from sample import sample, thorough
from tablier.course.asides import APART_S, PAUSED
from tablier.course.chance import Sources
from tablier.course.declined import Declined
from tablier.course.seats import AT_SCREEN, AT_TABLE, Seat
from tablier.games.core.questions import Choice, Window
from tablier.log.store import Log
from tablier.messages import Updates
from tablier.play.beginning import begin
from tablier.play.game import Conductor
from tablier.screens.model import Model
from tablier.screens.summary import LogName
from tablier.simulation.people import People
from tablier.texts import render

GAMES = tuple(COUNTS)


def pause(running: Conductor, seat: int) -> None:
    """Pause a game. Raise :class:`Declined`."""
    console(running).obey({"command": "pause", "seat": seat})


def is_paused(running: Conductor) -> bool:
    question = running.session.question
    return question is not None and question.what == PAUSED


# -- at screens --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", GAMES)
def test_a_pause_ends_with_the_first_yes_and_the_same_is_asked_again(game: str, tmp_path: Path) -> None:
    count = COUNTS[game]
    with Log.open(tmp_path / "log.db") as log:
        number = begin(log, game, OPTIONS.get(game, {}), at_screens(count), seed=FLAT)
        room, dice = Screens(log, number, HandClock(), tuple(range(1, count + 1))), random.Random(5)
        session, pauses = room.running.session, 0
        while pauses < 4 or session.ply < 12:
            if not (isinstance(session.question, Choice) or session.in_prelude) and pauses < 4:
                pauses += 1
                asked, ply, state = session.question, session.ply, session.position.state
                assert asked is not None
                pause(room.running, pauses % count + 1)
                assert session.question is not None
                assert session.question.what == PAUSED and session.open.waiting == tuple(range(1, count + 1))
                first, *rest = random.Random(pauses).sample(range(1, count + 1), count)
                room.say(first, replies.answer(False))  # which asks everybody again
                assert session.open.waiting == tuple(range(1, count + 1))
                room.say((rest or [first])[0], replies.answer(True))
                assert session.question is not None
                assert (session.question.what, session.question.seats) == (asked.what, asked.seats)
                assert (session.ply, session.position.state) == (ply, state)
            room.reply_one(lambda some, may_pass: None if may_pass and dice.random() < 0.5 else dice.choice(some))
        assert pauses == 4 and room.told.count("pause") == 2 * 4, "its beginning and its end"
        room.running.close()
        assert check(log).count(PAUSED) == 8


def test_no_bot_is_asked_while_the_game_is_paused(tmp_path: Path) -> None:
    with Log.open(tmp_path / "log.db") as log:
        seated = [Seat("Anne", 0, AT_SCREEN), Seat("Bernard", 0, "random")]
        room = Screens(log, begin(log, "d21", {}, seated), HandClock(), (1,))
        while room.running.session.open.waiting != (2,):  # Bernard's bot is about to decide
            room.play_first() if 1 in room.running.session.open.waiting else room.running.work()
            if room.running.session.ply > 20:
                break
            pause(room.running, 1)
            ply = room.running.session.ply
            for _ in range(20):
                room.running.clock.wait(60.0, None)
                room.running.work()
            assert is_paused(room.running) and room.running.session.ply == ply
            assert room.running.session.open.waiting == (1,)
            room.say(1, replies.answer(True))
        room.running.close()
        check(log)


@thorough
def test_whoever_leaves_or_comes_during_a_pause_is_asked_no_more_or_too(tmp_path: Path) -> None:
    with Log.open(tmp_path / "log.db") as log:
        room = Screens(log, begin(log, "d21", {}, at_screens(2)), HandClock(), (1, 2))
        session = room.running.session
        pause(room.running, 1)
        for source, waits in (("random", (1,)), (AT_SCREEN, (1, 2)), ("random", (1,))):
            console(room.running).obey({"command": "source", "seat": 2, "source": source})
            room.running.work()
            assert is_paused(room.running) and session.open.waiting == waits
        # The last one who leaves ends it: nobody is there to do so.
        console(room.running).obey({"command": "source", "seat": 1, "source": "random"})
        assert not is_paused(room.running)
        room.running.work()
        room.running.close()
        check(log)


def test_a_pause_is_ended_for_those_who_are_asked(tmp_path: Path) -> None:
    """As by an organiser, whom nobody asks."""
    with Log.open(tmp_path / "log.db") as log:
        room = Screens(log, begin(log, "d21", {}, at_screens(2)), HandClock(), (1, 2))
        session, resumed = room.running.session, {"command": "pause", "seat": 0, "on": False}
        with pytest.raises(Declined, match="not paused"):
            console(room.running).obey(resumed)
        asked = session.question
        pause(room.running, 1)
        console(room.running).obey(resumed)
        assert asked is not None and session.question is not None and not is_paused(room.running)
        assert session.question.what == asked.what and room.told.count("pause") == 2
        room.play_first()
        room.running.close()
        check(log)


def test_typed_at_a_screen(tmp_path: Path) -> None:
    with Log.open(tmp_path / "log.db") as log:
        room = Screens(log, begin(log, "d21", {}, at_screens(2)), HandClock(), (1, 2))
        here, there = Model((1,), LogName("log.db")), Model((2,), LogName("log.db"))
        for model in (here, there):
            model.take(Updates(game=1, updates=[room.latest[model.here[0]]]))
        (action,) = there.accept(":pause")
        assert action.body == {"command": "pause", "seat": 2}
        room.send(action.body)
        for model in (here, there):
            model.take(Updates(game=1, updates=[room.latest[model.here[0]]]))
            assert "The game is paused. Go on?" in model.question and list(model.lines()) == ["yes"]
            assert "Bernard pauses the game." in [saying.text for saying in model.sayings]
        assert [action.body for action in here.accept(":pause")] == [{"command": "pause", "seat": 1, "on": False}]
        (action,) = here.accept("yes")
        room.send(action.body)
        assert not is_paused(room.running)
        room.running.close()
        check(log)


# -- what is declined --------------------------------------------------------------------------------------------------


def refused(room: Screens, seat: int, why: str) -> None:
    head = room.running.log.head
    with pytest.raises(Declined) as error:
        pause(room.running, seat)
    assert why in render(error.value.text.to_json(), list(NAMES))
    assert room.running.log.head == head


def test_what_cannot_be_paused_is_said(tmp_path: Path) -> None:
    with Log.open(tmp_path / "log.db") as log:
        room = Screens(log, begin(log, "dilemma", {}, at_screens(3), seed=FLAT), HandClock(), (1, 2, 3))
        refused(room, 5, "there is no seat 5")
        pause(room.running, 1)
        refused(room, 2, "the game is paused already")
        for command in ({"command": "back", "seat": 1}, {"command": "correct", "seat": 1, "at": 1, "move": "offer 5"}):
            with pytest.raises(Declined):
                console(room.running).obey(command)
        room.say(1, replies.answer(True))
        room.play(*TO_A_DUEL[:1])
        console(room.running).obey({"command": "back", "seat": 1})
        refused(room, 3, "something else is being asked")
        room.say(2, replies.answer(False))
        room.play(*TO_A_DUEL[1:])
        assert isinstance(room.running.session.question, Choice)
        refused(room, 3, "while a secret choice is open the game cannot be paused")
        room.running.close()
        check(log)


def test_neither_bots_alone_nor_a_game_that_is_over_are_paused(tmp_path: Path) -> None:
    with Log.open(tmp_path / "log.db") as log:
        seated = [Seat("Anne", 0, "random"), Seat("Bernard", 0, "random")]
        room = Screens(log, begin(log, "d21", {"max_plies": 4}, seated), HandClock(), ())
        running = room.running
        if not running.over:
            refused(room, 0, "only bots play")
        while not running.over:
            running.clock.wait(1.0, None)
            running.work()
        refused(room, 0, "the game is over")
        running.close()
        check(log)


# -- a host that is killed ---------------------------------------------------------------------------------------------


def test_a_host_that_is_killed_during_a_pause_asks_the_same_again(tmp_path: Path) -> None:
    with Log.open(tmp_path / "log.db") as log:
        game = begin(log, "dilemma", {}, at_screens(3), seed=FLAT)
        room = Screens(log, game, HandClock(), (1, 2, 3))
        room.play(*TO_A_DUEL[:2])
        assert room.running.session.question is not None and room.running.session.question.what == "window"
        pause(room.running, 3)
        asked = room.running.session.id
        room.running.close()  # which logs nothing
        room = Screens(log, game, HandClock(), (1, 2, 3))
        assert is_paused(room.running) and room.running.session.id == asked
        room.say(2, replies.answer(True))
        assert room.running.session.open.waiting == (3,)
        room.play(*TO_A_DUEL[2:])
        assert isinstance(room.running.session.question, Choice)
        room.running.close()
        check(log)


# -- at a table --------------------------------------------------------------------------------------------------------


class Pauses:
    """Pauses at some moments from the console; simulated people say that the game goes on. Resets the table in some."""

    def __init__(self, moments: list[Callable[[Conductor], bool]], reset: Callable[[], object] | None = None) -> None:
        self.moments = moments
        self.stood = 0
        self._reset = reset
        self._was = 0

    def __call__(self, running: Conductor) -> float:
        session = running.session
        if is_paused(running):
            if session.id != self._was:
                self._was = session.id
                self.stood += 1
                if self._reset is not None and self.stood == 1:
                    self._reset()
        elif self.moments and not session.over and self.moments[0](running):
            try:
                pause(running, 0)
            except Declined:
                return 0.05
            self.moments.pop(0)
        return 0.05


def asked(what: str) -> Callable[[Conductor], bool]:
    return lambda running: running.session.question is not None and running.session.question.what == what


@thorough
@pytest.mark.parametrize("reset", sample([True], [False, True]))
def test_a_game_of_dilemma_at_a_table_goes_on_unchanged(reset: bool, tmp_path: Path) -> None:
    """Paused before an offer, in a window and while cards are claimed; the table is reset in the first pause."""
    meant, made = ending_with(LAST_TURNS)
    with a_table(seed=7) as table, Log.open(tmp_path / "log.db") as log:
        game = begin_meant(log, meant, made)
        hook = Pauses(
            [*map(asked, ("offer", "window", "card", "offer"))], (lambda: table.say("reset")) if reset else None
        )
        play_meant(log, game, table, meant.moves, hook=hook)
        assert not hook.moments and hook.stood == 4 + reset
        assert exported(log, game) == meant
        assert check(log).count(PAUSED) == 4 + reset


def test_no_window_closes_during_a_pause(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Ten minutes (one in ``make test``) in which nobody presses anything; then the window is open as before."""
    (meant, made), quiet, acts = ending_with(LAST_TURNS), list[float](), People.act
    monkeypatch.setattr(People, "act", lambda people, *args: 1.0 if quiet else acts(people, *args))
    stood: list[int] = []

    def hook(running: Conductor) -> float:
        session, now = running.session, running.clock.now()
        if isinstance(session.question, Window) and not stood:
            pause(running, 0)
            stood.append(session.ply)
            quiet.append(now + sample(60, 600))
        elif quiet:
            assert is_paused(running) and session.ply == stood[0]
            if now > quiet[0]:
                quiet.clear()
        return 1.0

    with a_table(seed=7) as table, Log.open(tmp_path / "log.db") as log:
        game = begin_meant(log, meant, made)
        play_meant(log, game, table, meant.moves, hook=hook)
        assert stood and exported(log, game) == meant
        asks = check(log)
        assert asks[asks.index(PAUSED) - 1 : asks.index(PAUSED) + 2] == ["window", PAUSED, "window"]


def test_a_second_yes_a_moment_after_the_first_answers_nothing_else(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """In a window it would say that its place throws no more; a second later it does say that."""
    (meant, made), acts = ending_with(LAST_TURNS), People.act
    steps: list[str] = []
    monkeypatch.setattr(
        People, "act", lambda people, *args: 1.0 if steps and steps[-1] != "over" else acts(people, *args)
    )

    at = 0.0

    def hook(running: Conductor) -> float:
        nonlocal at
        session, now = running.session, running.clock.now()
        if isinstance(session.question, Window) and not steps:
            pause(running, 0)
            steps.append("paused")
            at = now + 0.5
        elif steps[-1:] == ["paused"] and now >= at:
            table.say("press 1 b")
            steps.append("goes on")
        elif steps[-1:] == ["goes on"] and not is_paused(running):
            table.say("press 2 b")
            steps.append("a moment later")
            at = now + APART_S + 1
        elif steps[-1:] == ["a moment later"] and now >= at:
            assert isinstance(session.question, Window) and session.open.waiting == session.question.seats
            table.say("press 2 b")
            steps.append("again")
        elif steps[-1:] == ["again"]:
            assert isinstance(session.question, Window)
            if 2 not in session.open.waiting:
                steps.append("over")
        return 0.05

    with a_table(seed=7) as table, Log.open(tmp_path / "log.db") as log:
        game = begin_meant(log, meant, made)
        play_meant(log, game, table, None, hook=hook)
        assert steps == ["paused", "goes on", "a moment later", "again", "over"]
        check(log)


def has_reached(ply: int, running: Conductor) -> bool:
    return running.session.ply >= ply


@pytest.mark.parametrize("dice", sample(["roll"], ["host", "roll"]))
def test_a_game_of_struggle_at_a_table_goes_on(dice: str, tmp_path: Path) -> None:
    seated = [Seat(NAMES[n], n + 1, AT_TABLE, "random") for n in range(2)]
    sources, moments = Sources((dice, dice), dice), (0, 4, 9, 14)[: sample(2, 4)]
    with Log.open(tmp_path / "log.db") as log:
        number = begin(log, "struggle", {"board": "YRYRYBRYRY"}, seated, sources=sources)
        pauses = Pauses([partial(has_reached, at) for at in moments])

        def hook(running: Conductor) -> float:
            wait = pauses(running)
            if running.session.ply > moments[-1] and not is_paused(running):
                raise Stopped
            return wait

        with open_desk(seated, virtual=True, seed=3) as desk, pytest.raises(Stopped):
            play_at(desk, log, number, hook=hook)
        assert not pauses.moments and pauses.stood == len(moments)
        assert check(log).count(PAUSED) == len(moments)
