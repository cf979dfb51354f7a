"""A secret choice that screens have bound, and a host that is killed before it has opened: they open it to the next."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from driving import FLAT, Driver
from playing import bodies

from at_screens import TO_A_DUEL, HandClock, Screens, at_screens
from tablier.course.declined import Declined
from tablier.course.seats import Seat
from tablier.judge.audit import audit
from tablier.judge.redaction import story
from tablier.log.store import Log
from tablier.play.beginning import begin
from tablier.play.game import OPENING_S
from tablier.texts import Json

PEACE, CONFLICT = 0, 1
STEPS: tuple[Callable[[Screens], None], ...] = (
    lambda room: room.lock(1, CONFLICT),
    lambda room: room.lock(2, PEACE),
    lambda room: room.open(2),
    lambda room: room.open(1),
)
"""The first duel of :data:`TO_A_DUEL`: p1 and p2 are in it, p3 looks on."""


@pytest.fixture
def log(tmp_path: Path) -> Iterator[Log]:
    with Log.open(tmp_path / "log.db") as log:
        yield log


def a_duel(log: Log) -> Screens:
    room = Screens(log, begin(log, "dilemma", {}, at_screens(3), seed=FLAT), HandClock(), (1, 2, 3))
    room.play(*TO_A_DUEL)
    assert room.choice(3)
    return room


def restarted(log: Log, room: Screens, *, screens: bool = True) -> Screens:
    """Kill the host and start another; ``screens``: they live on."""
    room.running.close()  # which logs nothing
    return Screens(log, 1, room.running.clock, (1, 2, 3), room if screens else None)


def audited(log: Log, kind: str) -> list[Json]:
    """Audit the log; return the bodies of the entries of a kind."""
    log.verify()
    entries = list(log.entries())
    audit(entries)
    return bodies(entries, kind)


def duels(log: Log) -> list[str]:
    return [body["text"] for body in audited(log, "move") if " duel " in body["text"]]


@pytest.mark.parametrize("kills", [(0,), (1,), (2,), (3,), (0, 1, 2, 3), (1, 1, 3, 3)])
def test_what_screens_have_bound_they_open_to_the_next_host(log: Log, kills: tuple[int, ...]) -> None:
    """``kills``: after how many steps the host is killed."""
    room = a_duel(log)
    asked, bind = room.choice(1).id, room.bind(1)
    for n, step in enumerate(STEPS):
        for _ in range(kills.count(n)):
            room = restarted(log, room)
            again = room.choice(1)
            assert (again.id, room.bind(1)) == (asked, bind)
            assert again.waiting == [1, 2][n:] and again.to_open == [[], [], [1, 2], [1]][n]
        step(room)
    assert duels(log) == ["p1 duel conflict", "p2 duel peace"]
    assert [body["seat"] for body in audited(log, "opening")] == [2, 1]
    assert not audited(log, "void") and "void" not in room.told
    assert len({body["seat"] for body in audited(log, "commitment")}) == len(audited(log, "commitment")) == 2
    room.running.close()


@pytest.mark.parametrize("steps", [2, 3])
def test_screens_have_30_s_from_the_restart_and_then_everyone_chooses_again(log: Log, steps: int) -> None:
    room = a_duel(log)
    for step in STEPS[:steps]:
        step(room)
    room.running.clock.wait(OPENING_S - 1, None)
    room = restarted(log, room, screens=False)
    clock, asked = room.running.clock, room.running.session.id
    assert room.choice(None).deadline == clock.now() + OPENING_S
    clock.wait(OPENING_S - 1, None)
    room.running.work()
    assert room.running.session.id == asked
    clock.wait(1, None)
    room.running.work()
    assert room.running.session.id != asked and room.choice(None).waiting == [1, 2]
    late = [1, 2] if steps == 2 else [1]
    assert [(body["id"], body["seats"]) for body in audited(log, "void")] == [(asked, late)]
    for step in STEPS:
        step(room)
    assert duels(log) == ["p1 duel conflict", "p2 duel peace"]
    room.running.close()


def test_what_was_bound_to_an_earlier_question_opens_no_later_one(log: Log) -> None:
    """The run of the host is the same, so the number of the question alone keeps them apart."""
    room = a_duel(log)
    for step in STEPS[:2]:
        step(room)
    first, bind = room.choice(1), room.bind(1)
    old = {seat: room.binder(seat).open(first.id, seat) for seat in (1, 2)}
    room = restarted(log, room)
    room.running.clock.wait(OPENING_S, None)
    room.running.work()
    second = room.choice(1)
    assert second.id != first.id and room.bind(1) == bind
    for step in STEPS[:2]:
        step(room)
    for opening in old.values():
        assert opening is not None
        room.send({**opening, "id": second.id})
    assert len(room.refused) == 2 and not audited(log, "opening")
    for step in STEPS[2:]:
        step(room)
    assert duels(log) == ["p1 duel conflict", "p2 duel peace"]
    room.running.close()


@pytest.mark.parametrize("opened", [False, True])
def test_what_a_bot_had_bound_and_not_opened_is_lost_with_the_host(log: Log, opened: bool) -> None:
    """Then everyone chooses again; else what the screen has bound stands."""
    seats = [at_screens(1)[0], Seat("Bernard", 0, "good"), at_screens(3)[2]]
    room = Screens(log, begin(log, "dilemma", {}, seats, seed=FLAT), HandClock(), (1, 3))
    session, clock = room.running.session, room.running.clock
    while not (session.question is not None and session.question.what == "duel" and 2 in session.question.seats):
        room.reply_one(lambda moves, may_pass: None if may_pass else moves[0])
    (person,) = set(session.question.seats) - {2}
    while 2 not in (session.open.opened if opened else session.open.locked):
        clock.wait(1.0, None)
        room.running.work()
        if opened and person not in session.open.locked:
            room.lock(person, CONFLICT)
    asked, bind = session.id, session.open.bind(2)
    room.running.close()
    room = Screens(log, 1, clock, (1, 3), room)
    session = room.running.session
    if opened:
        assert (session.id, session.open.bind(2), session.open.to_open) == (asked, bind, (person,))
        room.open(person)
        assert f"p{person} duel conflict" in duels(log) and not audited(log, "void")
    else:
        assert session.id != asked and session.open.bind(2).boot != bind.boot and "void" in room.told
        why = "a choice was lost when the host restarted"
        assert [(body["id"], body["why"]) for body in audited(log, "void")] == [(asked, why)]
    room.running.close()


def test_what_one_has_opened_of_a_choice_that_is_void_is_withheld_for_good(log: Log) -> None:
    game = begin(log, "dilemma", {}, at_screens(3))
    driver = Driver.of_log(log, game)
    session = driver.session
    driver.begin()
    while not session.open.all_bound:
        driver.step()
    void, (first, second) = session.id, session.open.asked
    driver.open_choice(first)
    for other in ([first], [first, second], []):
        with pytest.raises(Declined, match="the seats differ from those whose choice is not open yet"):
            driver.feed("void", {"id": void, "why": "a choice was not opened in time", "seats": other})
    driver.feed("void", {"id": void, "why": "a choice was not opened in time", "seats": [second]})
    driver.play()
    told = story(log, log.game(game))
    openings = [each for each in told.told if each.entry.kind == "opening"]
    assert told.over and len(openings) > 2
    assert [each.entry.body["id"] for each in openings if each.withheld] == [void]
