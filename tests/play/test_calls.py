"""A call: a place or a seat at a screen stops play; what others agree to is corrected, or play goes on as before."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from broken_off import LAST_TURNS, cut, ending_with, transactions
from driving import FLAT, fabricate
from playing import a_table, exported, seats
from playing import begin as begin_meant
from playing import play as play_meant
from whole_games import COUNTS, OPTIONS

import replies
from at_screens import NAMES, TO_A_DUEL, HandClock, Screens, at_screens, check
from ports import Stopped, console, open_desk, play_at
from positions import then
from sample import sample, thorough
from tablier.course import on_wire
from tablier.course.asides import CALLED, CONSENT, PAUSED
from tablier.course.chance import ALL_HOST, HostSeed, Sources
from tablier.course.declined import Declined
from tablier.course.past import Past
from tablier.course.seats import AT_SCREEN, AT_TABLE, Seat
from tablier.course.session import Session
from tablier.games import rules_of
from tablier.games.core import TABLE, Position
from tablier.games.core.questions import Choice, Menu
from tablier.log.store import Log
from tablier.messages import Updates
from tablier.play.beginning import begin
from tablier.play.chairs import Chairs
from tablier.play.game import CALL_S, Conductor
from tablier.screens.model import Model
from tablier.screens.summary import LogName
from tablier.simulation.eyes import number_on
from tablier.simulation.people import People
from tablier.simulation.tester import Tester as Hands
from tablier.texts import render
from tablier_fw import wire

GAMES = tuple(COUNTS)


def order(running: Conductor, **command: Any) -> None:
    """Give a command. Raise :class:`Declined`."""
    console(running).obey(command)


def call(running: Conductor, seat: int) -> None:
    console(running).command({"command": "call", "seat": seat})
    running.work()


def menu_of(running: Conductor) -> Menu:
    """The menu of whoever has stopped play."""
    menu = running.session.question
    assert isinstance(menu, Menu) and menu.what == CALLED
    return menu


def pick(room: Screens, text: str) -> None:
    """Have the caller pick the option that reads like this, or ends with it."""
    menu = menu_of(room.running)
    texts = [render(option.to_json(), list(NAMES)) for option in menu.options]
    (option,) = [n for n, each in enumerate(texts) if each == text or each.endswith(f": {text}")]
    room.say(menu.seats[0], replies.pick(option))


def about(session: Session) -> tuple[Any, ...]:
    """What must be as before when play goes on."""
    question = session.question
    assert question is not None
    return (
        type(question),
        question.what,
        question.seats,
        question.text.to_json(),
        session.ply,
        session.position.state,
    )


# -- at screens --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", GAMES)
def test_a_call_at_each_kind_of_question_of_each_game(game: str, tmp_path: Path) -> None:
    """Whatever is open, and whoever calls: the caller alone is asked, and lets play go on."""
    count = COUNTS[game]
    with Log.open(tmp_path / "log.db") as log:
        number = begin(log, game, OPTIONS.get(game, {}), at_screens(count), seed=FLAT)
        room, dice = Screens(log, number, HandClock(), tuple(range(1, count + 1))), random.Random(5)
        session, kinds, calls = room.running.session, set[tuple[str, bool]](), 0
        while session.ply < sample(24, 60) and not session.over:
            question = session.question
            assert question is not None
            if isinstance(question, Choice):
                with pytest.raises(Declined) as error:
                    order(room.running, command="call", seat=1)
                assert "while a secret choice is open" in str(error.value)
            elif (question.what, session.ply > 8) not in kinds:
                kinds.add((question.what, session.ply > 8))
                for caller in range(1, count + 1):
                    stood, calls = about(session), calls + 1
                    call(room.running, caller)
                    menu = menu_of(room.running)
                    assert menu.seats == session.open.waiting == (caller,)
                    shown = [room.latest[seat].question for seat in {1, 2, None} - {caller}]
                    assert not any(each is None or each.mine for each in shown)
                    assert len(menu.options) <= 12
                    pick(room, "go on")
                    assert about(session) == stood
            room.reply_one(lambda some, may_pass: None if may_pass and dice.random() < 0.5 else dice.choice(some))
        assert room.told.count("call") == 2 * calls and calls >= count * 2
        room.running.close()
        assert check(log).count(CALLED) == calls


TO_A_CALL = ((1, "offer 8"), (2, "throw 3"))
"""With :data:`driving.FLAT` as the seed."""


def d21(log: Log, clock: HandClock | None = None) -> Screens:
    """A game of D.21 of two at screens in which both have moved once."""
    game = begin(log, "d21", {}, at_screens(2), seed=FLAT)
    room = Screens(log, game, clock or HandClock(), (1, 2))
    room.play_first()
    room.play_first()
    return room


def instead(room: Screens) -> str:
    """Pick the earliest move that is listed and, menu by menu, the first thing that it could have been; return that."""
    session, option = room.running.session, len(menu_of(room.running).options) - 1
    seat = menu_of(room.running).seats[0]
    room.say(seat, replies.pick(option))
    while session.calling:
        leads = menu_of(room.running).leads[0]
        room.say(seat, replies.pick(0))
    return str(leads[0])


@pytest.mark.parametrize("agrees", [True, False])
def test_a_move_is_corrected_where_the_others_agree(agrees: bool, tmp_path: Path) -> None:
    with Log.open(tmp_path / "log.db") as log:
        room = d21(log)
        session, stood = room.running.session, about(room.running.session)
        moves = [str(move) for move in session.position.moves]
        call(room.running, 2)
        meant = instead(room)
        assert session.question is not None and session.question.what == CONSENT and session.open.waiting == (1,)
        assert meant.split(" ", 1)[1] in render(session.question.text.to_json(), list(NAMES))
        room.say(1, replies.answer(agrees))
        if agrees:
            assert str(session.position.moves[0]) == meant != moves[0]
        else:
            assert [str(move) for move in session.position.moves] == moves and about(session) == stood
        takebacks = [entry.body for entry in log.entries() if entry.kind == "takeback"]
        assert takebacks == ([{"to": 0, "by": 2, "agreed": [1]}] if agrees else [])
        assert not session.calling
        room.running.close()
        check(log)


def test_all_others_are_asked_and_one_who_says_no_decides(tmp_path: Path) -> None:
    with Log.open(tmp_path / "log.db") as log:
        game = begin(log, "dilemma", {}, at_screens(3), seed=FLAT)
        room = Screens(log, game, HandClock(), (1, 2, 3))
        room.play(*TO_A_CALL[:1])
        session, stood = room.running.session, about(room.running.session)
        for yes in (False, True):
            call(room.running, 3)
            pick(room, "offer 8")
            ranks = menu_of(room.running)
            assert ranks.labels == (1, 2, 3, 4, 5, 6, 7, 9, 10, 12), "as on the cards, and 12 is back"
            pick(room, "7")
            assert session.open.waiting == (1, 2)
            room.say(1, replies.answer(True))
            assert list(session.open.waiting) == [2], "one alone does not decide"
            room.say(2, replies.answer(yes))
            if not yes:
                assert about(session) == stood
        assert [str(move) for move in session.position.moves] == ["p1 offer 7"]
        (takeback,) = [entry.body for entry in log.entries() if entry.kind == "takeback"]
        assert takeback["agreed"] == [1, 2]
        room.running.close()
        check(log)


def test_a_pause_from_a_place_in_the_menu(tmp_path: Path) -> None:
    with Log.open(tmp_path / "log.db") as log:
        room = d21(log)
        session, stood = room.running.session, about(room.running.session)
        call(room.running, 1)
        pick(room, "pause")
        assert session.paused and session.open.waiting == (1, 2)
        room.say(2, replies.answer(True))
        assert about(session) == stood
        room.running.close()
        assert check(log).count(PAUSED) == 1


def test_one_goes_back_from_a_move_that_was_not_meant(tmp_path: Path) -> None:
    with Log.open(tmp_path / "log.db") as log:
        room = d21(log)
        stood = about(room.running.session)
        call(room.running, 1)
        first = menu_of(room.running)
        room.say(1, replies.pick(2))
        while (asked := menu_of(room.running)).options[0].template != "go on":
            assert "what was move 2 really" in str(asked.text)
            pick(room, "back")
        assert menu_of(room.running).options == first.options and menu_of(room.running).start == 2
        pick(room, "go on")
        assert about(room.running.session) == stood
        room.running.close()
        check(log)


def test_play_goes_on_when_the_caller_has_walked_away(tmp_path: Path) -> None:
    with Log.open(tmp_path / "log.db") as log:
        clock = HandClock()
        room = d21(log, clock)
        session, stood = room.running.session, about(room.running.session)
        call(room.running, 1)
        clock.time += CALL_S - 1
        room.running.work()
        assert session.calling
        room.say(1, replies.pick(2))  # which begins the minute again
        clock.time += CALL_S - 1
        room.running.work()
        assert session.calling
        clock.time += 1
        room.running.work()
        assert about(session) == stood
        room.running.close()
        check(log)


def test_a_caller_who_leaves_a_seat_to_a_bot_calls_no_more(tmp_path: Path) -> None:
    with Log.open(tmp_path / "log.db") as log:
        room = d21(log)
        session, stood = room.running.session, about(room.running.session)
        call(room.running, 2)
        order(room.running, command="source", seat=2, source="random")
        assert about(session) == stood
        with pytest.raises(Declined, match="bot plays"):
            order(room.running, command="call", seat=2)
        order(room.running, command="source", seat=2, source=AT_SCREEN)
        call(room.running, 2)
        order(room.running, command="source", seat=1, source="random")  # somebody else leaves
        assert session.calling
        instead(room)  # nobody is left who could disagree
        assert not session.calling and [e.body["agreed"] for e in log.entries() if e.kind == "takeback"] == [[]]
        room.running.close()
        check(log)


def test_corrections_that_are_typed_during_a_call(tmp_path: Path) -> None:
    """Agreed, it replaces the move and ends the call; else the caller is asked again. A pause waits for the call."""
    with Log.open(tmp_path / "log.db") as log:
        game = begin(log, "dilemma", {}, at_screens(3), seed=FLAT)
        room = Screens(log, game, HandClock(), (1, 2, 3))
        room.play(*TO_A_CALL[:1])
        session = room.running.session
        call(room.running, 2)
        for command in ({"command": "pause", "seat": 1}, {"command": "call", "seat": 1}):
            with pytest.raises(Declined) as error:
                order(room.running, **command)
            assert "\n" not in str(error.value)
        for yes in (False, True):
            order(room.running, command="correct", seat=1, at=1, move="offer 9")
            assert session.open.waiting == (2, 3)
            room.say(2, replies.answer(True))
            room.say(3, replies.answer(yes))
            assert session.calling != yes
        assert [str(move) for move in session.position.moves] == ["p1 offer 9"]
        room.running.close()
        check(log)


def test_typed_at_a_screen(tmp_path: Path) -> None:
    with Log.open(tmp_path / "log.db") as log:
        room = d21(log)
        here, console_ = Model((2,), LogName("log.db")), Model((), LogName("log.db"))
        here.take(Updates(game=1, updates=[room.latest[2]]))
        console_.take(Updates(game=1, updates=[room.latest[None]]))
        assert console_.accept(":call") == [] and "Nobody plays at this screen" in console_.error
        (action,) = here.accept(":call")
        room.send(action.body)
        here.take(Updates(game=1, updates=[room.latest[2]]))
        lines = list(here.lines())
        assert lines[:2] == ["go on", "pause"] and lines[-1].startswith("move 1, Anne: ")
        assert "Bernard stops play." in [saying.text for saying in here.sayings]
        assert here.seconds_left is not None and here.seconds_left <= CALL_S
        (action,) = here.accept("go on")
        room.send(action.body)
        assert not room.running.session.calling
        room.running.close()
        check(log)


def test_a_host_killed_at_each_entry_of_a_call_asks_the_same_again(tmp_path: Path) -> None:
    path, copy = tmp_path / "log.db", tmp_path / "copy.db"
    asked: dict[int, tuple[Any, ...]] = {}
    with Log.open(path) as log:
        room = d21(log)
        session = room.running.session

        def keep() -> None:
            last = log.entry_with(log.head)
            assert last is not None
            asked[last] = (session.id, *about(session))

        keep()
        call(room.running, 2)
        keep()
        room.say(2, replies.pick(2))
        keep()
        while session.calling:
            room.say(2, replies.pick(0))
            keep()
        room.say(1, replies.answer(False))
        keep()
        call(room.running, 1)
        keep()
        room.running.clock.wait(CALL_S, None)
        room.running.work()
        keep()
        room.running.close()
        ends = transactions(list(log.entries()))
    assert len(asked) >= 7 and set(list(asked)[:-1]) <= set(ends)
    for n, stood in asked.items():
        cut(path, copy, n)
        with Log.open(copy) as log:
            room = Screens(log, 1, HandClock(), (1, 2))
            assert (room.running.session.id, *about(room.running.session)) == stood
            if room.running.session.calling:
                pick(room, "go on" if "go on" in map(str, menu_of(room.running).options) else "back")
            room.running.close()
            check(log)
        copy.unlink()


# -- what is never named -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", GAMES)
def test_neither_a_secret_move_nor_what_a_seat_holds_is_listed(game: str) -> None:
    """Also in practice, where everything may be taken back."""
    count = COUNTS[game]
    first = rules_of(game, count, {**OPTIONS.get(game, {}), **({"first": "p1"} if game == "struggle" else {})})
    dice, listed = random.Random(3), 0
    prelude = first.prelude()
    position: Position[Any] = Position(first if prelude is None else rules_of(game, count, {"first": "p1"})).conducted()
    chance = HostSeed(bytes.fromhex(FLAT))
    while position.ply < sample(16, 120) and not position.is_over:
        if position.to_move == (TABLE,):
            position.push(chance.draw(position))
            continue
        position.push(dice.choice(position.legal_moves))
        past = Past(position.copy(), position.ply, ALL_HOST, practice=position.ply % 2 == 0, arena=position.ply % 3 < 1)
        numbers = past.correctable(10) if position.ply % 3 else []
        assert numbers == sorted(numbers, reverse=True) and len(numbers) <= 10
        for at in numbers:
            before = position.copy()
            while before.ply >= at:
                before.pop()
            assert position.rules.OPEN_MOVES, "they tell what a seat holds"
            for move in (past.move(at), *past.instead(at)[:4]):
                after = position.rules.apply(before.state, move)
                assert not position.rules.secret(before.state, move, after)
            assert not position.rules.secret(before.state, past.move(at), position.state)
            assert past.move(at).actor != TABLE or len(position.rules.chance(before.state)) <= 1
            for other in past.instead(at)[:3]:
                assert past.correction(past.move(at).actor, at, str(other)).later is not None
            listed += 1
    assert (listed > 0) == first.OPEN_MOVES


@pytest.mark.parametrize(("arena", "numbers"), [(True, [2, 1]), (False, [1])])
def test_a_throw_that_was_missed_can_be_named_where_no_chance_decides_it(arena: bool, numbers: list[int]) -> None:
    position: Position[Any] = Position(rules_of("dilemma", 3, {})).conducted()
    then(position, "p1 offer 8", "table close")
    assert Past(position, 2, ALL_HOST, practice=False, arena=arena).correctable(10) == numbers


# -- what a table is asked ---------------------------------------------------------------------------------------------


def flags_of(session: Session) -> int:
    assert session.question is not None
    (_, (flags, *_)), *_ = on_wire.put(session.open, calls=True)
    return int(flags)


def test_the_game_itself_may_be_stopped_and_what_is_asked_beside_it_not(tmp_path: Path) -> None:
    with Log.open(tmp_path / "log.db") as log:
        game = begin(log, "dilemma", {}, at_screens(3), seed=FLAT)
        room = Screens(log, game, HandClock(), (1, 2, 3))
        session = room.running.session
        assert flags_of(session) & wire.CALL
        (_, (flags, *_)), *_ = on_wire.put(session.open, calls=False)
        assert not flags & wire.CALL, "the firmware is too old"
        call(room.running, 1)
        assert not flags_of(session) & wire.CALL
        pick(room, "go on")
        order(room.running, command="pause", seat=1)
        assert not flags_of(session) & wire.CALL
        room.say(1, replies.answer(True))
        room.play(*TO_A_DUEL)
        assert isinstance(session.question, Choice)
        assert not flags_of(session) & wire.CALL, "the table knows nothing of a choice at screens"
        room.running.close()


# -- at a table --------------------------------------------------------------------------------------------------------


class Gestures:
    """Makes the gesture of a call at a place, once in each kind of question; resets the table in the first call."""

    def __init__(self, hands: Hands, *, reset: bool = False) -> None:
        self.called: list[str] = []
        """The kinds of questions in which play was stopped, one after the other."""
        self._hands = hands
        self._reset = reset
        self._steps: Iterator[None] = iter(())
        self._in = ""
        self._acts_at = 0.0

    def __call__(self, running: Conductor) -> float:
        session = running.session
        if session.calling and self._in:
            self.called.append(self._in)
            self._in = ""
            if self._reset:
                self._reset = False
                self._hands.say("reset")
        now = running.clock.now()
        if now < self._acts_at:
            return self._acts_at - now
        if next(self._steps, self) is self and not session.calling and self.due(session):
            assert session.question is not None
            self._in = session.question.what
            self._steps = self._gesture(session.seats[self.caller(session) - 1].place)
        self._acts_at = now + (0.005 if self._in else 0.02)  # nobody is so quick that the question has gone by
        return self._acts_at - now

    def due(self, session: Session) -> bool:
        """Return whether somebody calls now."""
        asked = session.open
        return asked.may_call and not asked.rolling and not asked.choosing and asked.what not in self.called

    def caller(self, session: Session) -> int:
        """Return the seat that calls now."""
        return len(self.called) % len(session.seats) + 1

    def _gesture(self, place: int) -> Iterator[None]:
        for said in ("hold {} minus", "hold {} plus", "release {} plus", "release {} minus"):
            self._hands.say(said.format(place))
            yield


@thorough
@pytest.mark.parametrize("reset", sample([True], [False, True]))
def test_dilemma_at_a_table_goes_on_unchanged_after_calls_at_all_kinds_of_questions(
    reset: bool, tmp_path: Path
) -> None:
    meant, made = ending_with(LAST_TURNS)
    with a_table(seed=7) as table, Log.open(tmp_path / "log.db") as log:
        game = begin_meant(log, meant, made)
        hook = Gestures(table.tester, reset=reset)
        play_meant(log, game, table, meant.moves, hook=hook)
        assert {"offer", "window", "card"} <= set(hook.called)
        assert exported(log, game) == meant
        assert check(log).count(CALLED) == len(hook.called) + reset


@thorough
@pytest.mark.parametrize("game", ["struggle", "roudalon", "d21", "dicke-daemonen"])
def test_a_call_at_each_kind_of_question_at_a_table(game: str, tmp_path: Path) -> None:
    count = COUNTS[game]
    seated = [Seat(NAMES[n], n + 1, AT_TABLE, "random") for n in range(count)]
    hooks: list[Gestures] = []

    def hook(running: Conductor) -> float:
        if not hooks:
            hooks.append(Gestures(desk.hands))
        enough = running.session.ply > 60 or running.session.over
        if enough and not running.session.calling:
            raise Stopped
        return hooks[0](running)

    with Log.open(tmp_path / "log.db") as log:
        sources = Sources(("roll",) * count, "roll") if game == "struggle" else ALL_HOST
        number = begin(log, game, OPTIONS.get(game, {}), seated, sources=sources)
        with open_desk(seated, virtual=True, seed=3) as desk, pytest.raises(Stopped):
            play_at(desk, log, number, hook=hook)
        assert set(hooks[0].called) >= CALLED_IN[game]
        assert check(log).count(CALLED) == len(hooks[0].called)


CALLED_IN = {
    "struggle": {"roll", "keep", "turn"},
    "roudalon": {"turn"},
    "d21": {"turn"},
    "dicke-daemonen": {"place", "predict"},
}


class Caller(Gestures):
    """Calls once, with the presses of somebody who picks certain options; keeps what the ring shows meanwhile."""

    def __init__(self, hands: Hands, after: int, picks: Sequence[str]) -> None:
        super().__init__(hands)
        self.lit: set[tuple[str, ...]] = set()
        self._after = after
        self._picks = picks
        self._next_at = 0.0

    def due(self, session: Session) -> bool:
        question = session.question
        return not self.called and session.ply >= self._after and question is not None and question.what == "offer"

    def __call__(self, running: Conductor) -> float:
        wait, session, now = super().__call__(running), running.session, running.clock.now()
        if session.calling and now >= self._next_at:
            self._next_at = now + 0.3
            menu = menu_of(running)
            place = session.seats[menu.seats[0] - 1].place
            pixels = self._hands.pixels()
            self.lit.add(tuple(pixels["ring"]))
            shown = number_on(pixels[f"hood{place}"])
            if shown not in menu.labels:
                return wait  # not yet
            text = str(menu.options[menu.labels.index(shown)])
            right = any(text == each or text.endswith(f": {each}") for each in self._picks)
            self._hands.press(place, "b" if right else "plus")
        return wait


@thorough
def test_a_landing_is_corrected_from_a_place(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A card that lay on the rim was taken for one outside. All agree, and what followed stands."""
    (meant, made), acts = ending_with(LAST_TURNS), People.act

    def act(people: People, now: float, latest: Callable[[], Any]) -> float:
        """Leave the caller's place to the test."""
        update = latest()
        asked = update and update.question
        return 0.05 if asked and asked.what == CALLED else acts(people, now, lambda: update)

    monkeypatch.setattr(People, "act", act)
    with a_table(seed=7) as table, Log.open(tmp_path / "log.db") as log:
        game = begin_meant(log, meant, made)
        hook = Caller(table.tester, made + 8, ("p3 throw 5 outside", "p3", "5", "rim"))
        play_meant(log, game, table, meant.moves, hook=hook)
        moves = [move.replace("p3 throw 5 outside", "p3 throw 5 rim") for move in meant.moves]
        assert hook.called == ["offer"] and list(exported(log, game).moves) == moves
        (takeback,) = [entry.body for entry in log.entries() if entry.kind == "takeback"]
        assert takeback["by"] == 1 and takeback["agreed"] == [2, 3]
        assert len(hook.lit) > 3, "what was played is lit again"
        check(log)


class DuringADuel(Gestures):
    """Calls once while a secret choice is open."""

    def due(self, session: Session) -> bool:
        return isinstance(session.question, Choice) and not (self.called or self._in)

    def caller(self, session: Session) -> int:
        return 3  # who looks on: a duellist may be pressing the same button

    def __call__(self, running: Conductor) -> float:
        assert not (isinstance(running.session.question, Choice) and running.session.calling)
        return super().__call__(running)


def _late_to_open(decide: Callable[[Chairs], bool]) -> Callable[[Chairs], bool]:
    """Have bots open what they are bound to a second after they could."""
    since: list[float] = []

    def late(chairs: Chairs) -> bool:
        now = chairs._clock.now()
        if not chairs._session.open.to_open:
            since.clear()
        elif not since:
            since.append(now)
        return decide(chairs) if not since or now >= since[0] + 1.0 else False

    return late


@pytest.mark.parametrize("away", sample([True], [False, True]))
def test_a_call_during_a_duel_waits_until_its_choices_are_open(
    away: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Nothing that was bound is void; also where a choice at a screen is opened after those of the table."""
    meant, made = ending_with(LAST_TURNS)
    with a_table(seed=7) as table, Log.open(tmp_path / "log.db") as log:
        seated = [replace(seat, source="random") if away and seat.name == "Bernard" else seat for seat in seats(3)]
        game = begin(log, meant.game, meant.settled, seated)
        fabricate(log, game, meant.moves[: made + 6])
        hook = DuringADuel(table.tester)
        if away:
            monkeypatch.setattr(Chairs, "decide", _late_to_open(Chairs.decide))
        play_meant(log, game, table, None if away else meant.moves, hook=hook)
        kinds = [(entry.kind, entry.body.get("event") or entry.body.get("what")) for entry in log.entries()]
        choice = kinds.index(("ask", "duel"))
        assert kinds.index(("ask", CALLED)) > max(n for n, kind in enumerate(kinds[: choice + 20]) if "opened" in kind)
        assert "void" not in [kind for kind, _ in kinds]
        assert hook.called == ["duel"]
        check(log)
