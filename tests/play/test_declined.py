"""What a session declines changes nothing of it: neither what is open, nor what it remembers."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import pytest
from driving import BOARD, Driver, driven
from msgspec import structs

import replies
from sample import sample
from tablier.course.chance import ALL_HOST, Sources
from tablier.course.declined import Declined
from tablier.course.seats import AT_SCREEN, AT_TABLE, Seat
from tablier.course.session import Effects, Session
from tablier.games.core.questions import Roll
from tablier_fw import rolls

GAMES = {"dilemma": 3, "struggle": 2, "dicke-daemonen": 2, "roudalon": 4, "d21": 2}
OF_GAME = {
    "dilemma": {replies.LANDED, replies.CLOSED, replies.DONE, replies.LOCKED, replies.OPENED},
    "struggle": {replies.PICKED, replies.TALLIED},
    "dicke-daemonen": {replies.PICKED},
    "roudalon": {replies.PICKED, replies.ANSWERED},
    "d21": {replies.PICKED},
}
"""Some of what a table says in each."""
ROLLED = Sources(("roll", "roll"), "host")
NONCE = "66" * 16


def driver_of(game: str, sources: Sources = ALL_HOST, source: str = AT_TABLE, seed: int = 0) -> Driver:
    seats = [Seat(name, n, source) for n, name in enumerate("ABCD"[: GAMES[game]], 1)]
    return driven(game, seats, sources=sources, seed=seed)


def remembered(session: Session) -> dict[str, Any]:
    """Return all that a session knows, but for its suspended generators and what the last entry has led to."""
    passing = ("_script", "_suspended", "_supply", "_notes", "_made", "_tells_secret")
    known = {}
    for name, value in [*vars(session).items(), *structs.asdict(session.open).items()]:
        if name not in passing and not callable(value):
            known[name] = copy.copy(value) if isinstance(value, dict | set | list) else value
    known["position"] = list(session.position.moves)
    known.pop("open", None)
    return known


def inputs(driver: Driver) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield what nobody should say now, and some of what may be said."""
    session = driver.session
    for id in (session.id, session.id + 1, max(0, session.id - 1)):
        for place in (1, 2, 6):
            about = {"id": id, "place": place}
            yield "table", replies.reveal_roll(NONCE, **about)
            yield "table", replies.commit_roll("44" * 32, **about)
            yield "table", replies.lock("44" * 32, **about)
            yield "table", replies.open_choice(NONCE, 0, **about)
            yield "table", replies.pick(11, **about)
        yield "contribution", {"id": id, "bytes": NONCE}
        yield "contribution", {"id": id, "bytes": "55"}
        yield "opening", replies.open_choice(NONCE, 1, id=id, seat=1)
        yield "reply", replies.play("nonsense", id=id, seat=1)
        yield "void", {"id": id, "seats": [1, 2, 3, 4]}
        yield "elapsed", {"id": id}
    yield "table", {"event": "hello", "board": "c5" * 8, "boot": session.boot.hex(), "version": "0"}
    yield "run", {"run": "77" * 8}
    yield "gap", {"boot": "99" * 8, "after": 1, "lost": 0}
    yield "correction", {"at": 1, "move": "nonsense", "seat": 1}
    yield "request", {"to": 99, "seat": 1}
    yield "mistake", {"seat": 1}
    yield "dispute", {"at": 1, "text": " ", "seat": 0}
    yield "sits", {"seat": 1, "source": session.source_of(1), "by": 1}
    yield "sits", {"seat": 1, "source": "greedy", "by": 2}
    yield "shown", {}


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("source", [AT_TABLE, AT_SCREEN])
def test_a_declined_input_changes_nothing(game: str, source: str) -> None:
    declined = 0
    for turn in range(sample(10, 30)):
        driver = driver_of(game, source=source, seed=turn)
        driver.play(turn)
        if driver.session.over:
            break
        declined += tried(driver)
    assert declined > sample(40, 100)


def test_a_declined_input_changes_nothing_while_dice_roll() -> None:
    driver = driver_of("struggle", ROLLED)
    driver.play(lambda session: isinstance(session.question, Roll))
    assert tried(driver) > 20 and driver.session.open.rolling, "what the table commits to is taken meanwhile"
    assert tried(driver) > 20


@pytest.mark.parametrize(("game", "sources"), [*((game, ALL_HOST) for game in GAMES), ("struggle", ROLLED)])
def test_an_event_that_is_no_fault_changes_nothing_where_it_is_fed_as_one(game: str, sources: Sources) -> None:
    """It is taken as itself afterwards."""
    driver = driver_of(game, sources)
    session, feed, doubted = driver.session, driver.feed, set()

    def doubt(kind: str, body: dict[str, Any]) -> Effects:
        if kind == "table":
            event = {**body, "time": "1970-01-01T00:00:00.000+00:00"}
            before, why = remembered(session), {"template": "it is false"}
            with pytest.raises(Declined, match="not the fault"):
                session.feed("fault", {"what": body["event"], "event": event, "why": why}, driver.boot)
            now = remembered(session)
            assert now == before, (body, [name for name in now if now[name] != before.get(name)])
            doubted.add(body["event"])
        return feed(kind, body)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(driver, "feed", doubt)
        driver.play(60)
    assert doubted >= ({replies.COMMITTED, replies.REVEALED} if sources is ROLLED else OF_GAME[game])


def tried(driver: Driver) -> int:
    """Feed what is declined, each by itself, and compare; return how much was."""
    session, declined = driver.session, 0
    for kind, body in inputs(driver):
        before = remembered(session)
        try:
            session.feed(kind, body, driver.boot if kind == "table" else None)
        except Declined:
            declined += 1
            now = remembered(session)
            assert now == before, (kind, body, [name for name in now if now[name] != before.get(name)])
    return declined


def test_bytes_of_a_declined_contribution_and_a_declined_opening_are_not_used_up() -> None:
    driver = driver_of("struggle", ROLLED)
    session = driver.session
    driver.play(lambda session: isinstance(session.question, Roll))
    assert isinstance(session.question, Roll)
    place = session.open.starter
    ranges = b"".join(faces.to_bytes(2, "little") for faces in session.question.ranges)
    bound = rolls.commitment(session.board, session.boot, session.id, place, ranges, bytes.fromhex(NONCE)).hex()
    opening = replies.reveal_roll(NONCE, id=session.id, place=place)
    with pytest.raises(Declined, match="before the host has contributed"):
        session.feed("table", opening, driver.boot)
    driver.feed("table", replies.commit_roll(bound, id=session.id, place=place))
    with pytest.raises(Declined, match="no roll waits"):
        session.feed("contribution", {"id": session.id + 1, "bytes": "55" * 16})
    driver.feed("contribution", {"id": session.id, "bytes": "55" * 16})
    driver.feed("table", opening)
    assert session.ply > 0 or not isinstance(session.question, Roll)


def test_what_a_fault_has_laid_open_is_used_up() -> None:
    """A table that shows its part of a roll before the host has added to it shall not roll with it."""
    driver = driver_of("struggle", ROLLED)
    session = driver.session
    driver.play(lambda session: isinstance(session.question, Roll))
    assert isinstance(session.question, Roll)
    place, ranges = session.open.starter, b"".join(faces.to_bytes(2, "little") for faces in session.question.ranges)
    opening = replies.reveal_roll(NONCE, id=session.id, place=place)
    with pytest.raises(Declined) as declined:
        session.feed("table", opening, driver.boot)
    session.feed(
        "fault", {"what": replies.REVEALED, "event": opening, "why": declined.value.text.to_json()}, driver.boot
    )
    bound = rolls.commitment(session.board, session.boot, session.id, place, ranges, bytes.fromhex(NONCE)).hex()
    about = {"id": session.id, "place": place}
    driver.feed("table", replies.commit_roll(bound, **about))
    driver.feed("contribution", {"id": session.id, "bytes": "55" * 16})
    with pytest.raises(Declined, match="used before"):
        session.feed("table", {**opening, **about}, driver.boot)


def test_the_same_hello_stays_the_same_after_a_declined_one() -> None:
    driver = driver_of("struggle", ROLLED)
    session = driver.session
    hello = driver._hello(driver.boot)
    assert hello["board"] == BOARD
    with pytest.raises(Declined, match="another board"):
        session.feed("table", {**hello, "board": "c5" * 8})
    with pytest.raises(Declined, match="a second time"):
        session.feed("table", hello)
