"""Rolls and tallies as sources of chance: what the log holds, and what a log cannot hold."""

from __future__ import annotations

from typing import Any

import pytest
from driving import Driver, driven, headed
from msgspec.structs import replace
from tests.asked import public

import replies
from of_kind import of_kind
from tablier.course.asides import SOURCE
from tablier.course.chance import Sources
from tablier.course.declined import Declined
from tablier.course.seats import AT_SCREEN, AT_TABLE, Seat
from tablier.games.core import OptionError
from tablier.games.core.questions import Poll, Roll, Tally
from tablier.judge.audit import AuditError, audit
from tablier.log.chain import Entry
from tablier.play.beginning import heading
from tablier_fw import rolls, wire

COUNTS = {"struggle": 2, "roudalon": 4, "dicke-daemonen": 2}


def seated(count: int, *sources: str) -> list[Seat]:
    sources = sources or (AT_TABLE,) * count
    return [Seat("ABCDEF"[n], n + 1, source) for n, source in enumerate(sources)]


def played(game: str, seats: list[Seat], sources: Sources, moves: int = 14) -> list[Entry]:
    return driven(game, seats, until=moves, sources=sources).entries(sources)


def at(entries: list[Entry], kind: str, event: str = "", last: bool = False) -> int:
    """Return the index of the first or the last entry of a kind."""
    found = [n for n, it in enumerate(entries) if it.kind == kind and it.body.get("event", "") == event]
    return found[-1 if last else 0]


def changed(entries: list[Entry], n: int, **values: Any) -> list[Entry]:
    return [replace(it, body={**it.body, **values}) if at == n else it for at, it in enumerate(entries)]


def moved(entries: list[Entry], n: int, to: int) -> list[Entry]:
    rest = entries[:n] + entries[n + 1 :]
    return [*rest[:to], entries[n], *rest[to:]]


def by(entries: list[Entry]) -> list[str]:
    """Return the sources of the table's moves."""
    return [it.body["by"] for it in entries if it.kind == "move" and it.body["text"].startswith("table ")]


# -- sources -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", COUNTS)
@pytest.mark.parametrize("bag", ["roll", "host"])
def test_all_chance_of_a_game_can_come_from_rolls(game: str, bag: str) -> None:
    seats = seated(COUNTS[game])
    entries = played(game, seats, Sources(("roll",) * len(seats), bag))
    report = audit(entries)
    assert (report.games, report.aborted) == (1, 0)
    moves = [(it.body["text"], it.body["by"]) for it in entries if it.kind in ("prelude", "move")]
    dice = [source for text, source in moves if text.startswith(("table roll", "table dice", "table throw"))]
    drawn = [source for text, source in moves if text.startswith(("table deal", "table draw", "table lot"))]
    assert set(dice) <= {"roll"} and set(drawn) <= {bag} and dice + drawn
    assert report.rolls == len([it for it in dice + drawn if it == "roll"])


def test_dice_are_mixed_seat_by_seat_and_a_bag_is_one_source() -> None:
    seats = seated(4, AT_TABLE, AT_TABLE, AT_SCREEN, "greedy")
    entries = played("roudalon", seats, Sources(("tally", "roll", "roll", "host")), 60)
    assert audit(entries).games == 1
    asked = {
        (it.body["what"], tuple(it.body["seats"])) for it in entries if it.kind == "ask" and it.body["what"] != "turn"
    }
    assert asked == {("dice", (1,)), ("check", (1,)), ("roll", (2,)), ("roll", ())}, (
        "who sits at no place starts no roll"
    )
    assert set(by(entries)) == {"tally", "roll", "host"}
    seats = seated(3, AT_TABLE, AT_TABLE, "greedy")
    entries = played("struggle", seats, Sources(("tally", "tally", "host"), "roll"), 60)
    assert audit(entries).games == 1 and set(by(entries)) == {"roll", "tally", "host"}


def test_dice_that_stay_on_the_table_are_given_and_not_entered_again() -> None:
    driver = driven("struggle", seated(2), sources=Sources(("tally", "tally"), "host"), seed=3)
    given: list[int] = []
    while len(given) < 6:
        question, hand = driver.session.question, driver.session.position.state.hand
        if isinstance(question, Tally) and question.what == "dice":
            assert question.dice == 5 and len(question.given) == len(hand)
            given.append(len(question.given))
        driver.step()
    assert max(given) > 0 and min(given) == 0


def test_the_list_of_a_secret_tally_tells_nothing_of_what_is_left() -> None:
    """With the last creature of a colour in a fist, a shorter list would say so; what is not left is asked again, in
    the words that follow a slip."""
    driver = driven("dicke-daemonen", seated(2), sources=Sources(bag="tally"))
    listed, again = set(), 0
    driver.reply(1, replies.tally([0]))
    driver.reply(1, replies.tally([0], kept=1))  # a slip
    slip, impossible = public(of_kind(Tally, driver.session.question)), set()
    for _ in range(400):
        session = driver.session
        if session.over:
            break
        if isinstance(session.question, Tally):
            listed.add(session.question.faces)
            before, seat = session.position.ply, session.question.seats[0]
            driver.reply(seat, replies.tally([again % 5]))  # one colour until none is left
            driver.step()  # it is right, as far as this seat can tell
            if session.position.ply == before:
                again += 1
                asked = public(of_kind(Tally, session.question))
                impossible.add(asked["text"]["text"])
                assert {**asked, "text": "", "seats": []} == {**slip, "text": "", "seats": []}
        else:
            driver.step()
    assert listed == {5} and again > 0
    assert impossible == {slip["text"]["text"]}
    entries = driver.entries(Sources(bag="tally"))
    assert audit(entries).games == 1


def test_creatures_are_entered_in_a_secret_tally() -> None:
    entries = played("dicke-daemonen", seated(2), Sources(bag="tally"))
    assert audit(entries).games == 1 and set(by(entries)) == {"tally"}
    driver = driven("dicke-daemonen", seated(2), sources=Sources(bag="tally"))
    assert of_kind(Tally, driver.session.question).secret
    driver = driven("dicke-daemonen", seated(2), sources=Sources(bag="roll"))
    drawn = of_kind(Roll, driver.session.question)
    assert drawn.secret and drawn.viewer == driver.session.position.state.turn


@pytest.mark.parametrize(
    ("game", "sources", "dice", "bag", "why"),
    [
        ("roudalon", (AT_TABLE, AT_TABLE, AT_TABLE, "greedy"), ("tally",) * 4, "host", "no place to enter dice"),
        ("roudalon", (AT_TABLE, AT_TABLE, AT_TABLE, AT_SCREEN), ("roll",) * 3, "host", "name one for each"),
        ("roudalon", (AT_SCREEN,) * 4, ("roll",) * 4, "host", "could roll"),
        ("dicke-daemonen", (AT_TABLE, AT_SCREEN), (), "tally", "is electronic"),
        ("dicke-daemonen", (AT_TABLE, "greedy"), (), "tally", "is electronic"),
        ("struggle", (AT_TABLE, AT_TABLE), ("magic",) * 2, "host", "no source of chance 'magic'"),
    ],
)
def test_sources_that_cannot_be_are_refused_before_a_game_begins(
    game: str, sources: tuple[str, ...], dice: tuple[str, ...], bag: str, why: str
) -> None:
    with pytest.raises(OptionError, match=why):
        heading(game, {}, seated(len(sources), *sources), sources=Sources(dice, bag))


def test_a_bag_with_more_kinds_than_a_tally_tells_apart_is_electronic(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire, "MAX_FACES", 3)
    with pytest.raises(OptionError, match="cannot be told apart in a tally"):
        heading("dicke-daemonen", {}, seated(2), sources=Sources(bag="tally"))


def test_a_log_cannot_claim_sources_that_cannot_be() -> None:
    entries = played("dicke-daemonen", seated(2), Sources(bag="tally"))
    sources = [
        {"person": "01" * 8, "named": "02" * 32, "place": 1, "source": AT_TABLE},
        {"name": "B", "place": 2, "source": "greedy"},
    ]
    with pytest.raises(AuditError, match="is electronic"):
        audit(changed(entries, 1, seats=sources))


def test_a_version_of_draws_that_was_never_released_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    entries = played("struggle", seated(2), Sources(("roll", "roll"), "roll"))
    claimed = {**entries[1].body, "chance": {**entries[1].body["chance"], "version": 3}}
    with pytest.raises(AuditError, match="version 3 of the draws"):
        audit(headed(entries, claimed))


# -- what an evil table or host cannot put into a log --------------------------------------------------------------


@pytest.fixture
def rolled() -> list[Entry]:
    return played("struggle", seated(2), Sources(("roll", "roll"), "roll"))


def late(entries: list[Entry]) -> list[Entry]:
    """The host contributes when it has seen the nonce."""
    n = at(entries, "contribution")
    return moved(entries, n, n + 1)


def before_the_commitment(entries: list[Entry]) -> list[Entry]:
    """The host is bound before the table: the table could choose its nonce by it."""
    n = at(entries, "contribution")
    return moved(entries, n, n - 1)


def changed_contribution(entries: list[Entry]) -> list[Entry]:
    return changed(entries, at(entries, "contribution"), bytes="11" * 16)


def short_contribution(entries: list[Entry]) -> list[Entry]:
    return changed(entries, at(entries, "contribution"), bytes="11" * 15)


def repeated_contribution(entries: list[Entry]) -> list[Entry]:
    n = at(entries, "contribution")
    other = replace(entries[n], body={**entries[n].body, "bytes": "22" * 16})
    return [*entries[: n + 1], other, *entries[n + 1 :]]


def replayed_contribution(entries: list[Entry]) -> list[Entry]:
    """The bytes of the roll before: they were known when the table committed."""
    first, n = at(entries, "contribution"), at(entries, "contribution", last=True)
    return changed(entries, n, bytes=entries[first].body["bytes"])


def no_contribution(entries: list[Entry]) -> list[Entry]:
    n = at(entries, "contribution")
    return entries[:n] + entries[n + 1 :]


def changed_nonce(entries: list[Entry]) -> list[Entry]:
    return changed(entries, at(entries, "table", replies.REVEALED), nonce="33" * 16)


def changed_commitment(entries: list[Entry]) -> list[Entry]:
    return changed(entries, at(entries, "table", replies.COMMITTED), commitment="44" * 32)


def repeated_commitment(entries: list[Entry]) -> list[Entry]:
    n = at(entries, "table", replies.COMMITTED)
    other = replace(entries[n], body={**entries[n].body, "commitment": "44" * 32})
    return [*entries[: n + 1], other, *entries[n + 1 :]]


def no_commitment(entries: list[Entry]) -> list[Entry]:
    n = at(entries, "table", replies.COMMITTED)
    return entries[:n] + entries[n + 1 :]


def revealed_before_the_contribution(entries: list[Entry]) -> list[Entry]:
    n = at(entries, "table", replies.REVEALED)
    return moved(entries, n, n - 1)


def unopened(entries: list[Entry]) -> list[Entry]:
    """A move that follows from no opening."""
    n = at(entries, "table", replies.REVEALED)
    return entries[:n] + entries[n + 1 :]


def replayed_roll(entries: list[Entry]) -> list[Entry]:
    """Commitment, contribution and nonce of the first roll once more, for the second."""
    swapped = entries
    for kind, event in (("table", replies.COMMITTED), ("contribution", ""), ("table", replies.REVEALED)):
        found = [n for n, it in enumerate(entries) if it.kind == kind and it.body.get("event", "") == event]
        body = {**entries[found[0]].body, "id": entries[found[1]].body["id"]}
        swapped = [replace(it, body=body) if n == found[1] else it for n, it in enumerate(swapped)]
    return swapped


def of_another_boot(entries: list[Entry]) -> list[Entry]:
    n = at(entries, "table", replies.REVEALED)
    return [replace(it, boot="dd" * 8) if at == n else it for at, it in enumerate(entries)]


def another_outcome(entries: list[Entry]) -> list[Entry]:
    n = next(n for n, it in enumerate(entries) if it.kind == "move" and it.body["text"].startswith("table roll"))
    faces = entries[n].body["text"].split()[2:]
    other = [faces[0]] * 5 if len(set(faces)) > 1 else ["ace"] * 5
    return changed(entries, n, text=" ".join(["table", "roll", *other]))


def by_the_host(entries: list[Entry]) -> list[Entry]:
    """The log says that the outcome was the host's after all."""
    n = next(n for n, it in enumerate(entries) if it.kind == "move" and it.body["by"] == "roll")
    return changed(entries, n, by="host")


def invented_abort(entries: list[Entry]) -> list[Entry]:
    """A roll that was not committed to cannot be aborted."""
    n = at(entries, "table", replies.COMMITTED)
    aborted = replace(entries[n], kind="aborted", body={"id": entries[n].body["id"]}, boot=None, number=None)
    return [*entries[:n], aborted, *entries[n:]]


@pytest.mark.parametrize(
    ("deviate", "why"),
    [
        (late, "a contribution must come first"),
        (before_the_commitment, "no roll waits"),
        (changed_contribution, "should stand there"),
        (short_contribution, "16 bytes"),
        (repeated_contribution, "no roll waits"),
        (replayed_contribution, "used before"),
        (no_contribution, "a contribution must come first"),
        (changed_nonce, "false opening"),
        (changed_commitment, "false opening"),
        (repeated_commitment, "a contribution must come first"),
        (no_commitment, "no roll waits"),
        (revealed_before_the_contribution, "a contribution must come first"),
        (unopened, "does not follow"),
        (replayed_roll, "used before|false opening"),
        (of_another_boot, "another boot"),
        (another_outcome, "should stand there"),
        (by_the_host, "should stand there"),
        (invented_abort, "does not follow"),
    ],
    ids=lambda it: getattr(it, "__name__", ""),
)
def test_a_log_with_a_roll_that_was_bent_is_refused(rolled: list[Entry], deviate: Any, why: str) -> None:
    assert audit(rolled).rolls > 2
    with pytest.raises(AuditError, match=why):
        audit(deviate(rolled))


# -- aborts --------------------------------------------------------------------------------------------------------


def committed(driver: Driver) -> None:
    """Bring the open roll to where the table has committed and the host has contributed."""
    driver.commit_roll(b"4" * 16)


def test_a_roll_that_a_reset_voids_is_logged_and_counted_and_asked_again() -> None:
    driver = driven("struggle", seated(2), sources=Sources(("roll", "roll"), "host"))
    asked = driver.session.id
    driver.reset("c1" * 8)
    assert driver.session.id != asked and not any(kind == "aborted" for kind, _ in driver.items), "none was bound"
    committed(driver)
    asked = driver.session.id
    driver.reset("c2" * 8)
    assert [body for kind, body in driver.items if kind == "aborted"] == [{"id": asked}]
    assert isinstance(driver.session.question, Roll) and driver.session.id != asked
    assert not driver.session.open.rolling
    driver.play(8)
    entries = driver.entries(Sources(("roll", "roll"), "host"))
    report = audit(entries)
    assert (report.games, report.aborted) == (1, 1)
    n = at(entries, "aborted")
    with pytest.raises(AuditError, match="should stand there"):
        audit(entries[:n] + entries[n + 1 :])


def test_a_false_opening_changes_nothing_and_is_void() -> None:
    driver = driven("struggle", seated(2), sources=Sources(("roll", "roll"), "host"))
    committed(driver)
    session = driver.session
    before = session.position.ply
    with pytest.raises(Declined, match="false opening"):
        session.feed("table", replies.reveal_roll("66" * 16, id=session.id, place=session.open.starter))
    assert session.position.ply == before and session.open.rolling
    assert session.feed("void", {"id": session.id}).items[0] == ("aborted", {"id": session.id - 1})


def test_while_the_dice_roll_nothing_is_taken_back() -> None:
    seats = [Seat("A", 1, AT_TABLE), Seat("B", 2, "greedy")]
    driver = driven("struggle", seats, sources=Sources(("roll", "roll"), "host"))
    driver.session.practice = True
    committed(driver)
    with pytest.raises(Declined, match="rolling"):
        driver.session.feed("request", {"to": 0, "seat": 1})


def test_outcomes_need_both_sides() -> None:
    """With one side's part the same, the other's changes everything."""
    board, boot, ranges = bytes(8), bytes(8), b"\6\0" * 5
    outcomes = {tuple(rolls.outcomes(board, boot, 1, 1, ranges, bytes(16), bytes([n] * 16))) for n in range(40)}
    assert len(outcomes) > 30
    outcomes = {tuple(rolls.outcomes(board, boot, 1, 1, ranges, bytes([n] * 16), bytes(16))) for n in range(40)}
    assert len(outcomes) > 30


# -- tables that reset instead of revealing -------------------------------------------------------------------------


def unrevealed(driver: Driver) -> None:
    """Have the table commit to the open roll, and restart instead of revealing it."""
    driver.play(lambda session: isinstance(session.question, Roll))
    driver.commit_roll(b"a" * 16)
    driver.reset(f"{int(driver.boot, 16) + 1:016x}")


def say(driver: Driver, *answers: bool) -> None:
    """Have the seats that are asked answer, one after the other."""
    for yes in answers:
        driver.reply(driver.session.open.waiting[0], replies.answer(yes))


@pytest.mark.parametrize(
    ("answers", "source"),
    [
        ((True, True), "host"),
        ((False, True, True), "tally"),
        ((True, False, True, True), "tally"),
        ((False, False), "roll"),
        ((False, True, False), "roll"),
    ],
)
def test_a_table_that_leaves_two_rolls_unrevealed_is_replaced_if_all_agree(
    answers: tuple[bool, ...], source: str
) -> None:
    seats, sources = seated(2), Sources(("roll", "roll"))
    driver = driven("struggle", seats, sources=sources)
    driver.play(6)
    unrevealed(driver)
    question = driver.session.question
    assert isinstance(question, Roll) and driver.session.unrevealed == 1, "after the first it is rolled again"
    unrevealed(driver)
    question = driver.session.question
    assert isinstance(question, Poll) and question.what == SOURCE and question.seats == (1, 2)
    assert "2 rolls" in str(question.text)
    say(driver, *answers)
    chosen = [body for kind, body in driver.items if kind == "source"]
    assert chosen == ([] if source == "roll" else [{"dice": [source, source], "bag": "host"}])
    if source == "roll":
        assert isinstance(driver.session.question, Roll)
        unrevealed(driver)
        again = driver.session.question
        assert isinstance(again, Poll) and again.what == SOURCE and "3 rolls" in str(again.text)
        say(driver, True, True)
    driver.play()
    entries = driver.entries(sources)
    report = audit(entries)
    aborted = 3 if source == "roll" else 2
    assert report.games == 1 and report.aborted == aborted
    assert [it.body["unrevealed"] for it in entries if it.kind == "end"] == [aborted]
    thrown = by(entries)[-1]
    assert thrown == {"tally": "tally"}.get(source, "host")
    for n, it in enumerate(entries):
        if it.kind == "source":  # nobody chose that
            with pytest.raises(AuditError):
                audit(entries[:n] + entries[n + 1 :])
            with pytest.raises(AuditError):
                audit(changed(entries, n, dice=["roll", "roll"]))
