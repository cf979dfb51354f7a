"""What people at a table see and are told: the end, a restart within a duel, take-backs and corrections."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from broken_off import LAST_TURNS, ending_with
from driving import Driver, driven, entries_of, session_of
from playing import a_table, meant_game, play, seats
from playing import begin as begin_late
from tests.asked import public

import replies
from crowd import crowd_at
from ports import Stopped, connect, open_desk, play_at, run, until
from sample import sample
from tablier.course.asides import CONSENT, SEEN
from tablier.course.chance import Sources
from tablier.course.declined import Declined
from tablier.course.seats import AT_SCREEN, AT_TABLE, Seat
from tablier.games import rules_of
from tablier.games.core import Position
from tablier.games.core.lights import WINNER
from tablier.games.core.questions import Poll, Tally
from tablier.games.daemonen.colours import COLOURS, creatures, pack
from tablier.judge.audit import audit
from tablier.keeper.playable import Unplayable, port_of
from tablier.log.store import Log
from tablier.messages import Update
from tablier.play.beginning import begin, heading
from tablier.play.change import Change
from tablier.play.connections import Message, Refused
from tablier.play.game import Conductor
from tablier.play.logged import last_table, log_id, unfinished
from tablier.play.sitting import STAND_S
from tablier.play.telling import made_again, pieces_of
from tablier.play.views import News, Told
from tablier.screens.model import Model
from tablier.screens.summary import LogName
from tablier.simulation import tester as testers
from tablier.simulation.clock import VirtualClock
from tablier.table.client import Client
from tablier.table.clock import LifeClock
from tablier.texts import Json, render
from tablier_fw import colours

NAMES = ("Anne", "Bernard", "Christine")
COUNTS = {"dilemma": 3, "roudalon": 4, "struggle": 2, "d21": 2, "dicke-daemonen": 3}
OPTIONS: dict[str, Json] = {
    "dilemma": {},
    "roudalon": {"first": "p1"},
    "struggle": {"board": "YRYRYBRYRY", "first": "p1"},
    "d21": {"max_plies": 6},
    "dicke-daemonen": {},
}
DUEL = ("p1 offer 8", "p2 throw 5 flat", "table close", "p1 duel peace", "p2 duel conflict")


def seated(count: int) -> list[Seat]:
    return [Seat(NAMES[n], n + 1, AT_TABLE) for n in range(count)]


# -- the end ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("linger_s", "seen"), sample([(5.0, True)], [(0.0, False), (5.0, True)]))
def test_the_end_stands_on_the_table(linger_s: float, seen: bool, tmp_path: Path) -> None:
    """In Dilemma the ring swells in yellow in front of who has won, after what was chosen last was shown."""
    meant, made = ending_with(LAST_TURNS)
    rings: list[list[str]] = []
    with a_table(seed=3) as table, Log.open(tmp_path / "log.db") as log:
        number = begin_late(log, meant, made)
        with open_desk(seats(3), table.port, virtual=True, seed=7) as keeper:
            act = crowd_at(keeper, dict.fromkeys((1, 2, 3), "greedy"), meant.moves)

            def work(running: Conductor) -> float:
                if running.over:
                    rings.append(keeper.hands.pixels()["ring"])
                    return 0.2
                return act()

            play_at(keeper, log, number, linger_s=linger_s, hook=work)
    yellow = colours.PALETTE[WINNER[0]]
    last = [bytes.fromhex(pixel) for ring in rings[-3:] for pixel in ring]
    assert any(pixel[0] > pixel[1] > 0 and not pixel[2] for pixel in last) is seen, yellow


@pytest.mark.parametrize("game", sample(["dilemma"], list(COUNTS)))
def test_who_has_seen_the_end_ends_it(game: str, tmp_path: Path) -> None:
    """As soon as it has been shown, that is, and ``b`` at one place is enough; ``a`` says "not yet"."""
    seats = [Seat(name, n, AT_TABLE) for n, name in enumerate((*NAMES, "Daniel")[: COUNTS[game]], 1)]
    asked_at: list[float] = []
    presses = [
        (0.5, 1, "b"),
        (STAND_S - 0.5, 2, "b"),
        *([(STAND_S + 1, 1, "a")] if game == "dilemma" else []),
    ]
    with a_table(seed=3) as table, Log.open(tmp_path / "log.db") as log:
        number = begin(log, game, OPTIONS[game], seats)
        driver = Driver.of_log(log, number, seed=3)
        driver.begin()
        driver.play()
        last = driver.session.position.moves[-1]
        hands = testers.Tester(table.control)
        hands.join()
        clock = VirtualClock(hands)
        assert table.port is not None
        client = Client(table.port, clock, log.cursor, None, log=log_id(log))
        client.open()
        running = Conductor(log, number, clock, client)
        began = shows_until = 0.0

        def work() -> float:
            nonlocal began, shows_until
            now = clock.now()
            if not began:
                began = now
                running._table.show_move(last, running.session.position)
                running._table.light(None)
            if running.showing:
                shows_until = now
                return 0.1
            if running.session.question is not None and not asked_at:
                asked_at.append(now)
                assert running.session.question.what == SEEN and running.over
            shown = now - max(shows_until, began)
            while presses and shown >= presses[0][0]:
                hands.press(*presses.pop(0)[1:])
            if asked_at and now >= asked_at[0] + 3:
                hands.press(2, "b")
            return 0.1

        run(running, linger_s=60, hook=work)
        ended = clock.now()
        client.close()
        hands.close()
        assert audit(log.entries()).games == 1
        assert not unfinished(log)
    assert asked_at and asked_at[0] >= shows_until + STAND_S - 0.2 and not presses
    assert 3 <= ended - asked_at[0] < 4


def test_moves_that_are_taken_back_while_the_end_stands_are_made_again() -> None:
    """To the end, which is asked about once more."""
    driver = driven("d21", seated(2), until=None, seed=3, max_plies=4)
    session = driver.session
    for _ in range(2):
        assert session.over
        session.feed("shown", {})
        assert session.question is not None and session.question.what == SEEN
        session.feed("request", {"to": 2, "seat": 1})
        session.feed("table", replies.answer(1, id=session.id, place=2))
        assert session.ply == 2 and not session.over
        driver.play()
    assert session.over and session.question is None


@pytest.mark.parametrize("shown", [False, True])
def test_a_host_that_dies_while_an_end_may_be_taken_back_asks_the_same_again(shown: bool, tmp_path: Path) -> None:
    """With the number that it has in the log, whether or not the end was asked about before."""
    seats = [Seat("Anne", 1, AT_TABLE), Seat("Bernard", 0, AT_SCREEN)]
    with Log.open(tmp_path / "log.db") as log:
        game = begin(log, "d21", {"max_plies": 4}, seats)
        driver = Driver.of_log(log, game, seed=3)
        driver.begin()
        driver.play()
        if shown:
            driver.feed("shown", {})
        driver.feed("request", {"to": 3, "seat": 2})
        running = Conductor(log, game, LifeClock())
        with suppress(Declined):  # there is no table here; the question stands by then
            running.start()
        assert running.session.question is not None and running.session.question.what == CONSENT
        assert running.session.id == driver.session.id


# -- a restart within a duel -------------------------------------------------------------------------------------------


def test_what_a_restart_has_forgotten_is_said(tmp_path: Path) -> None:
    told: list[str] = []
    meant = meant_game(3, 5)

    done = False

    def reset(running: Conductor) -> float:
        nonlocal done
        session = running.session
        if not done and session.question is not None and session.question.what == "duel" and session.open.locked:
            done = True
            table.say("reset")
        if done and not session.open.locked and session.question is not None and session.question.what == "offer":
            raise Stopped
        return 1.0

    with a_table(seed=3) as table, Log.open(tmp_path / "log.db") as log:
        number = begin(log, "dilemma", meant.settled, seats(3))

        def watch(update: Update) -> None:
            told.extend(render(news.text, NAMES) for news in update.news if news.kind == "restarted")

        with suppress(Stopped):
            play(log, number, table, meant.moves, watch=watch, hook=reset)
        assert audit(log.entries()).games == 1
    assert len(told) == 1 and "it has forgotten what " in told[0] and told[0].endswith(" choose again.")


# -- at the console ----------------------------------------------------------------------------------------------------


@contextmanager
def console(
    path: Path, game: str, moves: int, names: Sequence[str] = (*NAMES, "Daniel")
) -> Iterator[tuple[Conductor, Model]]:
    """A game at a table that nobody has plugged in, and the console beside it."""
    count = 4 if game == "roudalon" else 3
    with Log.open(path / "log.db") as log:
        seats = [Seat(names[n], n + 1, AT_TABLE) for n in range(count)]
        options = {"first": "p1"} if game == "roudalon" else {}
        running = Conductor(log, begin(log, game, options, seats), LifeClock())
        model = Model((), LogName(""))
        connection = connect(running, operator=True)

        def take(message: Message) -> None:
            model.take(message)

        connection.watch((None,), take)
        running.start()
        running.work()
        yield running, model
        running.close()


def test_a_take_back_is_asked_for_in_a_whole_name_of_two_that_begin_alike(tmp_path: Path) -> None:
    with console(tmp_path, "struggle", 1, ("Anne", "Ann", "Ann 2")) as (_, model):
        for typed, seat, count in (
            ("ann", 2, 1),
            ("Anne 3", 1, 3),
            ("ann 3", 2, 3),
            ("Ann 2", 3, 1),
            ("Ann 2 2", 3, 2),
        ):
            body = {"command": "back", "seat": seat, "count": count}
            assert [action.body for action in model.accept(f":back {typed}")] == [body]
        assert model.accept(":back an") == [] and "and a name: " in model.error


def test_a_take_back_is_asked_for_in_a_name(tmp_path: Path) -> None:
    with console(tmp_path, "roudalon", 1) as (running, model):
        assert model.accept(":back") == [] and "and a name: " in model.error and "Anne" in model.error
        assert model.accept(":back Zoe") == [] and "and a name: " in model.error
        ((what, body),) = model.accept(":back ber 2")
        assert (what, body) == ("command", {"command": "back", "seat": 2, "count": 2})
        assert model.accept(":back Anne")[0].body == {"command": "back", "seat": 1, "count": 1}
        session = running.session
        picked = replies.pick(2, id=session.id, place=1)
        change = Change(session)
        change.feed("table", picked)
        change.cursor = "c0" * 8, 1
        running.commit(change)
        assert session.ply == 1
        connect(running, operator=True).command({"command": "back", "seat": 1, "count": 1})
        running.work()
        assert isinstance(session.question, Poll) and session.question.seats == (2, 3, 4)


# -- corrections behind a secret -------------------------------------------------------------------------------------


def with_moves(moves: tuple[str, ...], **options: Any) -> Driver:
    return driven("dilemma", seated(3), [*moves, "p2 offer 1"], until=len(moves), **options)


def correct(driver: Driver, at: int, move: str) -> None:
    body = {"seat": 2, "at": at, "move": move}
    driver.feed("correction", body)
    while driver.session.question is not None and driver.session.question.what == "back":
        driver.step()


def test_a_wrong_card_is_corrected_behind_the_duel_where_everybody_agrees() -> None:
    driver = with_moves(DUEL)
    correct(driver, 2, "throw 6 flat")
    moves = [str(move) for move in driver.session.position.moves]
    assert moves == ["p1 offer 8", "p2 throw 6 flat", *DUEL[2:]]
    assert driver.session.position.state.gained[1] == (8, 6) or set(driver.session.position.state.gained[1]) == {8, 6}
    entries = driver.entries()
    assert audit(entries).games == 1


def test_what_would_not_let_all_that_followed_stand_is_noted_only() -> None:
    driver = with_moves(DUEL)
    assert driver.session.past.correction(2, 2, "throw 8 flat").later is None  # would not be valid: no duel
    before = list(driver.session.position.moves)
    correct(driver, 2, "throw 8 flat")
    assert driver.session.position.moves == before


@pytest.mark.parametrize(("source", "taken"), [("tally", True), ("roll", False)])
def test_dice_of_their_own_are_corrected_and_the_table_s_are_not(source: str, taken: bool) -> None:
    seats = [Seat(name, n, AT_TABLE) for n, name in enumerate((*NAMES, "Daniel"), 1)]
    sources = Sources((source,) * 4)
    driver = driven("roudalon", seats, sources=sources, seed=2, first="p1")
    while not any(move.verb == "dice" for move in driver.session.position.moves) and not driver.session.over:
        driver.step()
    at = driver.session.ply
    old = driver.session.position.moves[at - 1]
    if driver.session.over:
        pytest.skip("the dice ended it")
    pot, rest = driver.session.position.state.pot, [int(face) for face in old.args[1:]]
    other = next(face for face in range(1, 7) if face != int(old.args[0]) and face + sum(rest) != pot)
    text = "table dice " + " ".join(map(str, sorted([other, *rest])))
    assert (driver.session.past.correction(2, at, text).later is not None) is taken


# -- what was entered wrongly in secret -----------------------------------------------------------------------------


class Entering(Driver):
    """Bernard's creatures, drawn from a bag of their own."""

    def enter(self, *colours: str) -> None:
        """Enter these, and say that they are right."""
        seat = self.session.question.seats[0] if self.session.question else 0
        for _ in range(2):
            self.reply(seat, replies.tally(map(COLOURS.index, colours)))

    def consent(self, yes: bool = True) -> None:
        while self.session.question is not None and self.session.question.what == CONSENT:
            self.reply(self.session.open.waiting[0], replies.answer(yes))

    @property
    def fist(self) -> list[str]:
        return creatures(self.session.position.state.fists[1])


FISTS = ("white", "red", "blue", "yellow"), ("red", "green", "green", "yellow")


@pytest.fixture
def drawing() -> Entering:
    """Anne has placed a creature since Bernard has drawn, and draws another."""
    sources = Sources(("host", "host"), "tally")
    driver = Entering(session_of(rules_of("dicke-daemonen", 2, {"first": "p1"}), seated(2), sources), seed=2)
    driver.begin()
    for colour in (*FISTS[0], *FISTS[1]):
        driver.enter(colour)
    while driver.session.question is not None and driver.session.question.what != "draw":
        driver.step()
    return driver


@pytest.fixture
def entering(drawing: Entering) -> Entering:
    """Bernard is asked what he places."""
    drawing.enter("white")
    assert drawing.session.ply == 11
    return drawing


def mistake(driver: Entering) -> None:
    driver.feed("mistake", {"seat": 2})


def check(driver: Entering) -> None:
    head = heading("dicke-daemonen", {"first": "p1"}, seated(2), sources=driver.session.sources)
    entries = entries_of(head, driver.items)
    assert audit(entries).games == 1


def recalled(driver: Entering) -> list[Told]:
    """Return the news that whoever resumes the game is told."""
    head = heading("dicke-daemonen", {"first": "p1"}, seated(2), sources=driver.session.sources)
    news = News()
    for made in made_again(entries_of(head, driver.items), Position(driver.session.position.rules)):
        for piece in pieces_of(made):
            news.say(*piece, logged=True)
    return news.all


@pytest.mark.parametrize("who_is_asked", ["drawing", "entering"])
def test_a_creature_that_was_entered_wrongly_is_exchanged_in_secret_where_the_others_agree(
    who_is_asked: str, request: pytest.FixtureRequest
) -> None:
    entering: Entering = request.getfixturevalue(who_is_asked)
    before = [str(move) for move in entering.session.position.moves]
    asked, told = entering.session.question, recalled(entering)
    mistake(entering)
    assert entering.session.question is not None and entering.session.question.seats == (1,)
    entering.consent()
    question = entering.session.question
    assert isinstance(question, Tally) and question.secret and question.seats == (2,) and question.dice == 2
    logged = len(entering.items)
    entering.enter("green", "blue")
    assert entering.fist == creatures(pack(("red", "green", "blue", "yellow")))
    after = [str(move) for move in entering.session.position.moves]
    changed = [(one, two) for one, two in zip(before, after, strict=True) if one != two]
    assert changed == [("table draw p2 green", "table draw p2 blue")]
    assert ("takeback", {"to": 4, "by": 2, "agreed": [1]}) in entering.items[
        logged:
    ]  # before the first, whichever it was
    assert told and recalled(entering) == told, "nobody is told of what was exchanged, then or later"
    assert entering.session.question is not None and asked is not None
    assert entering.session.question.text == asked.text
    if who_is_asked == "drawing":
        entering.enter("white")
    check(entering)


def test_nothing_changes_where_somebody_does_not_agree_or_both_are_the_same(entering: Entering) -> None:
    before, asked = list(entering.session.position.moves), entering.session.question
    mistake(entering)
    entering.consent(yes=False)
    assert entering.session.position.moves == before and entering.session.question is not None
    mistake(entering)
    entering.consent()
    entering.enter("white", "white")  # which was not even drawn
    assert entering.session.position.moves == before and asked is not None
    assert entering.session.question.text == asked.text


def test_what_is_entered_beside_a_draw_is_not_what_was_drawn(drawing: Entering) -> None:
    drawing.reply(1, replies.tally([0]))  # and Anne has not said yet that it is right
    mistake(drawing)
    drawing.consent()
    drawing.enter("red", "red")
    drawing.reply(1, replies.tally([0]))
    assert str(drawing.session.position.moves[-1]) == "table draw p1 white"
    check(drawing)


@pytest.mark.parametrize(
    "colours", [("white", "blue"), ("blue", "red"), ("slip", "")], ids=["never drawn", "not held", "a slip"]
)
def test_what_cannot_be_is_asked_again_like_a_slip(entering: Entering, colours: tuple[str, str]) -> None:
    mistake(entering)
    entering.consent()
    before, asked = list(entering.session.position.moves), entering.session.question
    assert asked is not None
    if colours[0] == "slip":
        entering.reply(2, replies.tally([1, 2]))
        entering.reply(2, replies.tally([1, 2], kept=1))  # marked: that is not what was meant
    else:
        entering.enter(*colours)
    assert entering.session.question is not None
    assert public(entering.session.question) == public(asked)
    assert entering.session.position.moves == before


def test_what_was_placed_stands(entering: Entering) -> None:
    placed = next(move.args[0] for move in entering.session.position.moves if move.verb == "place")
    assert FISTS[0].count(placed) == 1  # so it was drawn, all could see it
    entering.feed("mistake", {"seat": 1})
    entering.consent()
    entering.enter(placed, "green")
    assert entering.session.question is not None and entering.session.question.what == "mistake"


def test_at_the_console_a_name_is_enough(tmp_path: Path) -> None:
    with console(tmp_path, "dicke-daemonen", 1) as (running, model):
        ((what, body),) = model.accept(":correct bernard")
        assert (what, body) == ("command", {"command": "mistake", "seat": 2})
        connection = connect(running, operator=True)
        errors: list[str] = []
        connection.watch(
            (None,),
            lambda message: errors.append(render(message.why, NAMES)) if isinstance(message, Refused) else None,
        )
        connection.command(body)
        running.work()
        assert errors[-1] == "Bernard has entered nothing in secret"
        connection.command({"command": "correct", "seat": 0, "at": 1, "move": "table draw p1 red"})
        running.work()
        assert errors[-1].startswith("this move is still secret; type :correct and the name")


# -- the table that a game was played at -----------------------------------------------------------------------------


def test_a_game_is_resumed_at_its_own_table_or_not_at_all(tmp_path: Path) -> None:
    meant = meant_game(3, 2)
    with Log.open(tmp_path / "log.db") as log:
        with a_table(seed=3) as table:
            number = begin(log, "dilemma", meant.settled, seats(3))

            with pytest.raises(Stopped):
                play(log, number, table, meant.moves, hook=until(1))
            assert last_table(log, number) == (table.board, table.port)
            assert port_of(log, number) == table.port
        with pytest.raises(Unplayable, match="which is not there; plug it in, or name another"):
            port_of(log, number)


def test_a_simulated_table_that_ended_with_its_program_is_not_sought(tmp_path: Path) -> None:
    with Log.open(tmp_path / "log.db") as log:
        number = begin(log, "dilemma", {}, seats(3))
        with open_desk(seats(3), virtual=True) as keeper:

            def stop(running: Conductor) -> float:
                raise Stopped

            with pytest.raises(Stopped):
                play_at(keeper, log, number, hook=stop)
        assert last_table(log, number) is None and port_of(log, number) is None
