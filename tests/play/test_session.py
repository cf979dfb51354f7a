"""Sessions without a table, a screen or a clock: every game, played to its end, logged, and audited from its log."""

from __future__ import annotations

import random
from typing import Any

import pytest
from driving import AT, Driver, driven, session_of
from msgspec.structs import replace

import replies
from positions import then
from sample import sample
from tablier.course.asides import CONSENT
from tablier.course.chance import ALL_HOST
from tablier.course.declined import Declined
from tablier.course.past import Past, position_before
from tablier.course.seats import AT_SCREEN, AT_TABLE, Seat
from tablier.games import rules_of
from tablier.games.core import Move, Position
from tablier.games.core.menus import at_places
from tablier.games.core.questions import Choice, Menu, Picked, Played, Script, Turn
from tablier.games.dilemma.rules import CLOSE
from tablier.judge.audit import audit
from tablier.log.bodies import check
from tablier.log.chain import Entry
from tablier.record import record_of, replay
from tablier.texts import Text, render

GAMES = {"dilemma": (3, 4, 5), "struggle": (2, 3), "dicke-daemonen": (1, 2, 4), "roudalon": (4, 6), "d21": (2,)}
NAMES = ("Anne", "Bernard", "Christine", "Daniel", "Éric", "Françoise")
SESSIONS = sample(4, 200)
SHORT: dict[str, dict[str, Any]] = {"d21": {"max_plies": 8}, "struggle": {"board": "YYYYBYYYYY"}}
"""Options with which games at random end soon; without them D.21 has 400 moves, Struggle twice as many as so."""
LONG = range(sample(1, 2))
"""Sessions of every game that are played without."""


def seated(count: int, seed: int) -> list[Seat]:
    """Return seats of every mixture."""
    sources = (AT_TABLE, AT_SCREEN)
    mixed = [sources[(seed >> number) % len(sources)] for number in range(count)]
    if AT_TABLE in mixed:
        return [Seat(NAMES[n], n + 1, source) for n, source in enumerate(mixed)]
    return [Seat(NAMES[n], 0, source) for n, source in enumerate(mixed)]


@pytest.mark.parametrize("game", GAMES)
def test_whole_sessions_of_every_mixture_run_again(game: str) -> None:
    for seed in range(SESSIONS):
        count, options = GAMES[game][seed % len(GAMES[game])], {} if seed in LONG else SHORT.get(game, {})
        seats = seated(count, seed)
        driver = Driver(session_of(rules_of(game, count, options), seats), seed=seed)
        run = driver.session
        driver.begin(f"{seed:064x}")
        driver.play()
        assert run.over and driver.items[-1][0] == "end"
        assert audit(driver.entries(**options)).games == 1
        assert replay(record_of(run.position, NAMES[:count])) == run.position


@pytest.mark.parametrize("wrong", [{"seat": True}, {"seat": "1"}, {"move": 8}, {"more": 1}, {"salt": "zz"}])
def test_no_session_meets_a_reply_with_a_wrong_field(wrong: dict[str, Any]) -> None:
    """Neither from a connection (test_inbox.py) nor out of a log that is resumed or audited."""
    reply = replies.play("offer 8", id=1, seat=1)
    entry = Entry(3, 1, AT, "reply", reply, "")
    check(entry)
    with pytest.raises(ValueError, match="not what this program writes"):
        check(replace(entry, body=reply | wrong))


def test_a_reply_stands_in_an_entry_of_its_kind() -> None:
    body = replies.lock("ab" * 32, id=1, seat=1)
    check(Entry(3, 1, AT, "commitment", body, ""))
    with pytest.raises(ValueError, match="is of no known kind: 'reply' 'locked'"):
        check(Entry(3, 1, AT, "reply", body, ""))


@pytest.mark.parametrize(
    ("typed", "at_a_screen", "recorded"),
    [
        ("c9-c5", "the die on c9 is Bernard's", "the die on c9 is p2's"),
        ("pass", "Anne passes only when no die can move; 144 moves are legal, such as c2-b2", "such as p1 c2-b2"),
        (
            "hello",
            "'hello' is not a move; the form is: FROM-TO (such as c3-c6), or pass",
            "pN FROM-TO (such as p1 c3-c6)",
        ),
    ],
)
def test_a_refusal_is_a_text(typed: str, at_a_screen: str, recorded: str) -> None:
    """Without seats and actors where people read it, with both in one line for records."""
    with pytest.raises(Declined) as refused:
        alone("d21", 2).reply(1, replies.play(typed))
    assert render(refused.value.text.to_json(), NAMES) == at_a_screen
    assert recorded in str(refused.value)


# -- questions and replies --------------------------------------------------------------------------------------------


def alone(game: str, count: int, *, practice: bool = False) -> Driver:
    """Return a game of people at screens that has begun."""
    seats = [Seat(NAMES[n], 0, AT_SCREEN) for n in range(count)]
    driver = Driver(session_of(rules_of(game, count), seats, practice=practice), seed=3)
    driver.begin()
    return driver


@pytest.mark.parametrize(
    ("seat", "reply", "why"),
    [
        (2, replies.play("offer 8"), "nothing to answer|provokes"),
        (1, replies.play("offer 11"), "11"),
        (1, replies.play("throw 8 flat"), "window"),
        (1, replies.play(None), "passing is not allowed"),
        (1, replies.pick(0), "a turn is open"),
    ],
)
def test_a_reply_that_does_not_fit_changes_nothing(seat: int, reply: replies.Reply, why: str) -> None:
    driver = alone("dilemma", 3)
    run = driver.session
    before = (run.position.state, run.id, run.question)
    with pytest.raises(Declined, match=why):
        driver.reply(seat, reply)
    assert (run.position.state, run.id, run.question) == before


def test_a_late_reply_is_declined() -> None:
    run = alone("dilemma", 3).session
    with pytest.raises(Declined, match="another question"):
        run.feed("reply", replies.play("offer 8", id=run.id - 1, seat=1))


def test_without_an_arena_seats_are_asked_in_turn_until_all_pass() -> None:
    driver = alone("dilemma", 3)
    run = driver.session
    driver.reply(1, replies.play("offer 8"))
    asked = []
    for move in (None, "throw 3", None, None):
        question = run.question
        assert isinstance(question, Turn) and question.may_pass
        asked.append(question.seats[0])
        driver.reply(asked[-1], replies.play(move))
    assert asked == [2, 3, 2, 3]
    assert isinstance(run.question, Choice) and set(run.question.seats) == {1, 3}


# -- taking back ------------------------------------------------------------------------------------------------------


def test_chance_is_a_function_of_the_seed_and_the_point_in_the_game() -> None:
    """Whoever takes a move back and decides again throws the same dice."""
    driver = alone("struggle", 2, practice=True)
    run = driver.session
    driver.play(12)
    seat = run.open.waiting[0]
    before = [str(move) for move in run.position.moves]
    ply = max(n for n, move in enumerate(run.position.moves) if move.actor == seat)
    run.feed("request", {"to": ply, "seat": seat})
    assert run.position.ply == ply
    driver.reply(seat, replies.play(before[ply].split(" ", 1)[1]))
    again = [str(move) for move in run.position.moves]
    assert len(again) > ply + 1 and again == before[: len(again)]


def test_no_taking_back_past_chance_unless_in_practice() -> None:
    for practice in (True, False):
        driver = alone("struggle", 2, practice=practice)
        run = driver.session
        seat = run.open.waiting[0]
        driver.reply(seat, replies.play("keep none"))
        to = run.past.before_last_of(seat)
        assert to == run.position.ply - 2
        if practice:
            run.feed("request", {"to": to, "seat": seat})
            assert run.position.ply == to
        else:
            with pytest.raises(Declined, match="left to chance"):
                run.feed("request", {"to": to, "seat": seat})


@pytest.mark.parametrize("agrees", [True, False])
def test_others_are_asked_before_a_move_is_taken_back(agrees: bool) -> None:
    driver = alone("d21", 2)
    run = driver.session
    assert isinstance(run.question, Turn)
    move: Move = run.question.moves[0]
    driver.reply(1, replies.play(str(move).split(" ", 1)[1]))
    items = run.feed("request", {"to": 0, "seat": 1}).items
    assert [kind for kind, _ in items] == ["ask"] and run.question.what == CONSENT and run.open.waiting == (2,)
    items = driver.reply(2, replies.answer(agrees)).items
    assert ("takeback" in [kind for kind, _ in items]) == agrees
    assert run.position.ply == (0 if agrees else 1)
    assert run.open.waiting == ((1,) if agrees else (2,)) and isinstance(run.question, Turn)


def test_who_has_agreed_is_not_asked_again_when_the_table_restarts() -> None:
    driver = driven("dilemma", [Seat(NAMES[n], n + 1, AT_TABLE) for n in range(3)], ["p1 offer 8"], until=1)
    run = driver.session
    driver.feed("request", {"to": 0, "seat": 1})
    assert run.question is not None and run.question.what == CONSENT and run.open.waiting == (2, 3)
    driver.reply(2, replies.answer(True))
    driver.reset("c1" * 8)
    assert run.question.what == CONSENT and run.open.asked == (3,)
    driver.reply(3, replies.answer(True))
    assert run.position.ply == 0 and audit(driver.entries()).games == 1


def test_of_a_duel_nothing_is_taken_back_alone() -> None:
    run = alone("dilemma", 3, practice=True).session
    Driver(run, ["p1 offer 8", "p2 throw 3 flat", "table close", "p1 duel peace", "p2 duel peace"]).play(5)
    assert run.past.before_last_of(2) == 3
    run.past.check_takeback(3)
    run.practice = False
    with pytest.raises(Declined):
        run.past.check_takeback(3)


def test_what_a_place_picks_under_its_hood_is_salted_also_where_it_cannot_be() -> None:
    driver = driven("dicke-daemonen", [Seat(name, n, AT_TABLE) for n, name in enumerate(NAMES[:2], 1)], seed=3)
    run = driver.session
    driver.play(lambda run: isinstance(run.question, Menu) and run.question.secret)
    assert isinstance(run.question, Menu)
    (seat,) = run.question.seats
    for option in (99, 0):
        picked = replies.pick(option, id=run.id, place=seat)
        try:
            ((_, said),) = run.feed("table", picked).taken
        except Declined as declined:
            fault = {"what": replies.PICKED, "event": picked, "why": declined.text.to_json()}
            ((_, body),) = run.feed("fault", fault).taken
            said = body["event"]
        assert {key: value for key, value in said.items() if key != "salt"} == picked
        assert len(bytes.fromhex(said["salt"])) == 16 and picked.keys() == {"event", "id", "place", "option"}


# -- correcting and disputing -----------------------------------------------------------------------------------------


def two_moves_of_d21() -> Driver:
    driver = alone("d21", 2)
    run = driver.session
    for seat in (1, 2):
        assert isinstance(run.question, Turn)
        driver.reply(seat, replies.play(str(run.question.moves[0]).split(" ", 1)[1]))
    return driver


@pytest.mark.parametrize("agrees", [True, False])
def test_what_was_really_played_replaces_a_move_when_others_agree(agrees: bool) -> None:
    """The move after it stands, if it can follow still."""
    driver = two_moves_of_d21()
    run = driver.session
    stood = [str(move) for move in run.position.moves]
    twin = Position(run.position.rules)
    other = next(move for move in reversed(twin.legal_moves) if str(move) != stood[0])
    items = run.feed("correction", {"at": 1, "move": str(other).split(" ", 1)[1], "seat": 2}).items
    assert [kind for kind, _ in items] == ["ask"] and run.open.waiting == (1,)
    assert [str(move) for move in run.position.moves] == stood
    items = driver.reply(1, replies.answer(agrees)).items
    if agrees:
        assert items[0] == ("takeback", {"to": 0, "by": 2, "agreed": [1]})
        assert [body["by"] for kind, body in items if kind == "move"] == ["correction", "correction"]
        assert [str(move) for move in run.position.moves] == [str(other), stood[1]]
    else:
        assert [str(move) for move in run.position.moves] == stood
    assert isinstance(run.question, Turn) and run.open.waiting == (1,)


@pytest.mark.parametrize(("lost", "words"), [(1, "the last move too"), (2, "the last 2 moves too")])
def test_others_are_told_how_many_moves_a_correction_takes_back(lost: int, words: str) -> None:
    driver = alone("d21", 2)
    run = driver.session
    dice = random.Random(lost)
    for _ in range(60):
        assert isinstance(run.question, Turn)
        driver.reply(run.open.waiting[0], replies.play(str(dice.choice(run.question.moves)).split(" ", 1)[1]))
        at = run.position.ply - lost
        if at < 1:
            continue
        before = run.position.copy()
        while before.ply >= at:
            before.pop()
        asking = 3 - before.legal_moves[0].actor
        for move in before.legal_moves:
            text = str(move).split(" ", 1)[1]
            if move != run.position.moves[at - 1] and run.past.correction(asking, at, text).later == []:
                run.feed("correction", {"at": at, "move": text, "seat": asking})
                assert run.question is not None
                assert f". This takes back {words}. Do you agree?" in str(run.question.text)
                return
    pytest.fail("nothing was to be corrected")


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ({"at": 3, "move": "pass"}, "there is no move 3; 2 were made"),
        ({"at": 0, "move": "pass"}, "there is no move 0"),
        ({"at": True, "move": "pass"}, "there is no move"),
        ({"at": 1, "move": "hello"}, "not a move"),
        ({"at": 1, "move": "c9-c5"}, "is p2's"),
        ({"at": 1, "move": "c2-b2"}, "is already that move"),
    ],
)
def test_a_correction_that_cannot_be_changes_nothing(body: dict[str, Any], why: str) -> None:
    run = two_moves_of_d21().session
    before = (run.position.state, run.id, run.question)
    with pytest.raises(Declined, match=why):
        run.feed("correction", {**body, "seat": 1})
    assert (run.position.state, run.id, run.question) == before


def test_a_correction_from_before_a_roll_or_a_secret_is_noted_only() -> None:
    driver = alone("struggle", 2)
    run = driver.session
    seat = run.open.waiting[0]
    driver.reply(seat, replies.play("keep none"))
    before = (run.position.state, run.id, run.question)
    at = max(n for n, move in enumerate(run.position.moves, 1) if move.actor == seat)
    one = next(
        str(move)
        for move in position_before(run.position, at).legal_moves
        if move.verb == "keep" and move.args != ("none",)
    )
    for number, move in ((at, one), (1, str(run.position.moves[0]))):  # of fewer dice the roll would not stand
        assert run.past.correction(seat, number, move).later is None
        assert run.feed("correction", {"at": number, "move": move, "seat": seat}).items == []
    assert (run.position.state, run.id, run.question) == before


def test_before_a_choice_that_is_still_secret_a_correction_is_noted_only() -> None:
    position = Position(rules_of("dilemma", 3))
    then(position, "p1 offer 8", "p2 throw 3 flat", "table close")
    past = Past(position.copy(), 3, ALL_HOST, practice=False, arena=True)
    assert past.correction(2, 2, "throw 4 flat").later == [CLOSE]
    position.parse_push("p1 duel peace")
    assert Past(position, 4, ALL_HOST, practice=False, arena=True).correction(2, 2, "throw 4 flat").later is None


def test_what_was_played_is_no_correction_of_itself() -> None:
    driver = alone("struggle", 2)
    run = driver.session
    driver.reply(run.open.waiting[0], replies.play("keep none"))
    at = max(n for n, move in enumerate(run.position.moves, 1) if move.actor)
    with pytest.raises(Declined, match="is already that move"):
        run.feed("correction", {"at": at, "move": "keep none", "seat": 1})


def test_nobody_learns_by_correcting_what_others_could_have_done() -> None:
    """Where moves show what a seat holds, another seat's correction is taken as it is, and refused for no rule."""
    driver = alone("dicke-daemonen", 2)
    run = driver.session
    driver.play(run.position.ply + 3)
    at = max(n for n, move in enumerate(run.position.moves, 1) if move.actor)
    actor = run.position.moves[at - 1].actor
    assert run.past.correction(3 - actor, at, str(run.position.moves[at - 1])).later is None
    for move in ("stop", *(str(legal) for legal in run.position.legal_moves)):
        try:
            assert run.feed("correction", {"at": at, "move": move, "seat": 3 - actor}).items == []
        except Declined as declined:
            assert "not a move" in str(declined) or "no move" in str(declined) or "form" in str(declined)


def test_a_dispute_changes_nothing() -> None:
    run = two_moves_of_d21().session
    before = (run.position.state, run.id, run.question)
    assert run.feed("dispute", {"at": 1, "text": "It touched the rim.", "seat": 2}).items == []
    assert (run.position.state, run.id, run.question) == before
    for bad in ({"at": 3, "text": "x"}, {"at": 1, "text": " "}, {"at": 1, "text": "x" * 201}):
        with pytest.raises(Declined):
            run.feed("dispute", {**bad, "seat": 2})


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("practice", [True, False])
def test_games_that_are_corrected_at_random_run_again(game: str, practice: bool) -> None:
    replaced = 0
    for seed in range(sample(6, 12)):
        dice, count = random.Random(seed), GAMES[game][0]
        seats = [Seat(NAMES[n], 0, AT_SCREEN if n == 0 or not practice else "random") for n in range(count)]
        driver = Driver(session_of(rules_of(game, count), seats, practice=practice), seed=seed)
        run = driver.session
        driver.begin(f"{seed:064x}")
        for _ in range(6):
            driver.play(run.position.ply + dice.randrange(1, 6))
            ply = run.position.ply
            if not ply:
                continue
            at = max(1, ply - dice.randrange(3))
            before = run.position.copy()
            while before.ply >= at:
                before.pop()
            body = {"at": at, "move": str(dice.choice(before.legal_moves)), "seat": dice.randrange(1, count + 1)}
            try:
                items = driver.feed("correction", body).items
            except Declined:
                continue
            replaced += any(kind in ("ask", "takeback") for kind, _ in items)
            while run.question is not None and run.question.what == CONSENT:
                driver.step()
        assert audit(driver.entries(practice=practice)).games == 1
        assert replay(record_of(run.position, NAMES[:count])) == run.position
    assert replaced or (game in ("dicke-daemonen", "struggle", "roudalon") and not practice)


def test_a_seat_with_nothing_to_do_but_to_pass_is_asked_at_its_place() -> None:
    def asking() -> Script:
        reply = yield Turn("pass", (1,), Text("Pass, please."), may_pass=True)
        assert reply == Played(1, None)
        return [CLOSE]

    asked = at_places(asking(), lambda seat: True)
    menu = next(asked)
    assert isinstance(menu, Menu) and list(map(str, menu.options)) == ["pass"]
    with pytest.raises(StopIteration) as end:
        asked.send(Picked(1, 0))
    assert end.value.value == [CLOSE]
