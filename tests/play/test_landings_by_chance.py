"""Without an arena chance decides how a card lands: the same for people and bots, and nobody can bend it."""

from __future__ import annotations

import hmac
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest
from driving import FLAT, Driver, entries_of, session_of
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

import replies
from ports import each, run
from sample import sample
from tablier.bots.campaigns import Campaign, play_one
from tablier.course.chance import HostSeed
from tablier.course.declined import Declined
from tablier.course.seats import AT_SCREEN, AT_TABLE, Seat
from tablier.course.session import Session
from tablier.games import rules_of
from tablier.games.core import Move
from tablier.games.core.questions import Turn, bare
from tablier.games.dilemma.rules import LANDINGS, ODDS
from tablier.judge.audit import AuditError, audit
from tablier.log.chain import Entry
from tablier.log.store import Log
from tablier.play.beginning import begin, heading
from tablier.play.game import Conductor
from tablier.table.clock import LifeClock

OUTSIDE = "5e" * 32
"""A seed with which the first card that p2 throws after the offer lands outside."""
SEATED = [Seat(name, 0, AT_SCREEN) for name in ("Anne", "Bernard", "Christine")]


def unbegun(state: Any = None, *, seats: Sequence[Seat] = SEATED, practice: bool = False) -> Session:
    return session_of(rules_of("dilemma", 3), seats, state=state, practice=practice)


def begun(seed: str = FLAT, state: Any = None, *, practice: bool = False) -> Driver:
    driver = Driver(unbegun(state, practice=practice))
    driver.begin(seed)
    return driver


def play(driver: Driver, seat: int, move: str | None) -> Any:
    return driver.reply(seat, replies.play(move))


# -- who decides what ------------------------------------------------------------------------------------------------


def test_a_seat_decides_which_card_it_throws_and_chance_how_it_lands() -> None:
    driver = begun()
    play(driver, 1, "offer 8")
    question = driver.session.question
    assert isinstance(question, Turn)
    assert list(map(bare, question.moves)) == [f"throw {rank}" for rank in range(1, 11)]
    assert "Chance decides how it lands." in str(question.text)
    for landing in LANDINGS:
        with pytest.raises(Declined, match=f"chance decides a part of p2 throw 3 {landing}; type throw 3"):
            play(driver, 2, f"throw 3 {landing}")
    with pytest.raises(Declined, match=r"'throw 11' cannot be played now; type throw 1, throw 2,.* or pass"):
        play(driver, 2, "throw 11")
    with pytest.raises(Declined, match="p2 has thrown the 9 already; cards in hand: 1, 2, 3"):
        hands = driver.session.position.state.hands
        state = driver.session.position.state._replace(hands=(hands[0], hands[1] & ~(1 << 9), hands[2]), pile=((2, 9),))
        play(begun(state=state), 2, "throw 9")
    (kind, body), *_ = play(driver, 2, "throw 3").items
    assert (kind, body) == ("move", {"text": "p2 throw 3 flat", "by": AT_SCREEN, "chance": "host"})


def test_a_program_that_chooses_how_its_card_lands_loses_its_seat(tmp_path: Path) -> None:
    code = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    if "moves" in asked:
        move = asked["moves"][0]
        print(json.dumps({"move": move + " flat" if move.startswith("throw") else move}), flush=True)
"""
    (tmp_path / "program").mkdir()
    (tmp_path / "program" / "bot.py").write_text(code)
    source = f"bot:{sys.executable} {tmp_path / 'program' / 'bot.py'}"
    seated = [Seat("Anne", 0, "greedy"), Seat("Bernard", 0, source), Seat("Zoe", 0, "greedy")]
    told: list[Any] = []
    with Log.open(tmp_path / "log.db") as log:
        running = Conductor(log, begin(log, "dilemma", {}, seated), LifeClock())
        running.watch((None,), each(lambda update: told.extend(update.news)))
        run(running)
        running.close()
        assert audit(log.entries()).games == 1
    (why,) = [news.text.args["why"].args["move"] for news in told if news.kind == "bot"]
    assert why.startswith('"throw ') and why.endswith(' flat"')


# -- the same for all ------------------------------------------------------------------------------------------------


def chi_square(counts: Counter[str]) -> float:
    total = sum(counts.values())
    means = {landing: total * weight / sum(ODDS.values()) for landing, weight in ODDS.items()}
    return sum((counts[landing] - mean) ** 2 / mean for landing, mean in means.items())


def landings(moves: Iterable[str]) -> Counter[str]:
    return Counter(move.rsplit(" ", 1)[1] for move in moves if " throw " in move)


def of_people(number: int) -> list[str]:
    driver = Driver(unbegun(), seed=number)
    driver.begin(f"{number:064x}")
    driver.play()
    return [str(move) for move in driver.session.position.moves]


def of_bots(number: int) -> Sequence[str]:
    campaign = Campaign("dilemma", {}, ("random", "greedy", "easy"), ("Anne", "Bernard", "Christine"), 3)
    return play_one(campaign, number).record.moves


@pytest.mark.parametrize("moves_of", [of_people, of_bots])
def test_cards_of_people_and_of_bots_land_alike(moves_of: Callable[[int], Sequence[str]]) -> None:
    """By chi-square with fixed seeds; 16.27 is passed once in a thousand."""
    counts = Counter[str]()
    for number in range(1, sample(60, 1200) + 1):
        counts += landings(moves_of(number))
    assert sum(counts.values()) > sample(500, 1000)
    assert chi_square(counts) < 16.27, counts


@given(st.binary(min_size=32, max_size=32), st.integers(1, 10), st.integers(1, 10))
def test_who_takes_a_throw_back_and_throws_again_sees_the_same_landing(seed: bytes, first: int, second: int) -> None:
    """Whichever card: else a better landing could be looked for."""
    driver = begun(seed.hex(), practice=True)
    play(driver, 1, "offer 8")
    seen = []
    for rank in (first, second):
        play(driver, 2, f"throw {rank}")
        seen.append(str(driver.session.position.moves[-1]).rsplit(" ", 1)[1])
        driver.feed("request", {"to": 1, "seat": 2})
    assert seen[0] == seen[1]


# -- what it is treated like: any outcome of chance -------------------------------------------------------------------


def test_a_landing_by_chance_is_neither_taken_back_nor_corrected() -> None:
    driver = begun(OUTSIDE)
    play(driver, 1, "offer 8")
    play(driver, 2, "throw 3")
    assert str(driver.session.position.moves[-1]) == "p2 throw 3 outside"
    with pytest.raises(Declined, match="left to chance"):
        driver.feed("request", {"to": 1, "seat": 2})
    for move in ("throw 3 flat", "throw 4 outside"):
        effects = driver.feed("correction", {"at": 2, "move": move, "seat": 2})
        assert not effects.items and "noted" in str(effects.notes[0].text)
    assert str(driver.session.position.moves[-1]) == "p2 throw 3 outside"


def test_nobody_bends_a_landing_by_leaving_the_table() -> None:
    """Where cards land in an arena somebody stays there, and to a game without one nobody brings one."""
    seated = [Seat("Anne", 1, AT_TABLE), *SEATED[1:]]
    driver = Driver(unbegun(seats=seated))
    driver.begin()
    with pytest.raises(Declined, match="somebody has to stay there"):
        driver.feed("sits", {"seat": 1, "source": "greedy", "by": 1})
    with pytest.raises(Declined, match="played without a table"):
        begun().feed("sits", {"seat": 1, "source": AT_TABLE, "by": 0})


def test_a_card_that_missed_by_chance_is_nobodys_to_judge() -> None:
    first = rules_of("dilemma", 3, {}).initial()
    driver = begun(OUTSIDE, first._replace(hands=(*first.hands[:2], 0)))
    play(driver, 1, "offer 8")
    effects = play(driver, 2, "throw 3")
    assert str(driver.session.position.moves[-1]) == "p2 throw 3 outside"
    assert [event.kind for made in effects.made for event in made.events] == ["throw"]
    assert [kind for kind, _ in effects.items] == ["move", "ask"]


def test_a_card_that_missed_in_an_arena_is_noted_for_people_to_judge() -> None:
    first = rules_of("dilemma", 3, {}).initial()
    seats = [Seat(seat.name, place, AT_TABLE) for place, seat in enumerate(SEATED, 1)]
    session = unbegun(first._replace(hands=(*first.hands[:2], 0)), seats=seats)
    driver = Driver(session, ["p1 offer 8", "p2 throw 3 outside", "table close"])
    driver.begin()
    driver.play(2)
    kinds = [(kind, body.get("text") if kind == "move" else body.get("kind")) for kind, body in driver.items]
    assert kinds[kinds.index(("move", "p2 throw 3 outside")) + 1] == ("note", "judge")


# -- no host bends it ------------------------------------------------------------------------------------------------


def logged() -> list[Entry]:
    driver = Driver(unbegun(), ["p1 offer 8", "p3 throw 5 flat", "p2 throw 3 flat", "table close"], seed=1)
    driver.begin(FLAT)
    driver.play(4)
    return entries_of(heading("dilemma", {}, SEATED), driver.items)


def edited(entries: list[Entry], move: str, **values: Any) -> list[Entry]:
    """A log in which a move has other values; ``None`` takes a key away."""
    out = []
    for entry in entries:
        if entry.body.get("text") == move:
            body = {key: value for key, value in {**entry.body, **values}.items() if value is not None}
            entry = replace(entry, body=body)
        out.append(entry)
    return out


@pytest.mark.parametrize(
    "values",
    [
        *({"text": f"p2 throw 3 {landing}"} for landing in LANDINGS if landing != "flat"),
        {"chance": None},
        {"text": "p2 throw 3 rim", "chance": None},
    ],
    ids=lambda values: " ".join(map(str, values.values())),
)
def test_the_audit_refuses_a_landing_that_chance_did_not_give(
    values: Any,
) -> None:
    true = logged()
    audit(true)
    with pytest.raises(AuditError, match=r"p2 throw 3"):
        audit(edited(true, "p2 throw 3 flat", **values))


def test_the_audit_refuses_another_card_than_was_thrown() -> None:
    with pytest.raises(AuditError, match="should stand there"):
        audit(edited(logged(), "p2 throw 3 flat", text="p2 throw 4 flat"))


def test_numbers_from_the_seed_are_all_as_likely(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of three outcomes, the last number of 256 bits belongs to a group of one: it is drawn again."""
    drawn: list[int] = []

    class Drawn:
        def copy(self) -> Drawn:
            return self

        def update(self, point: bytes) -> None:
            assert point.startswith(b"here ")

        def digest(self) -> bytes:
            return drawn.pop(0).to_bytes(32, "big")

    monkeypatch.setattr(hmac, "new", lambda *given, **named: Drawn())
    outcomes = [(Move(0, "dice", (face,)), 1) for face in range(3)]
    last = (1 << 256) - 1
    for numbers, face in (([0], 0), ([last - 1], 2), ([last, 4], 1), ([last, last, 5], 2)):
        drawn[:] = numbers
        assert HostSeed(bytes(32))._one_of(outcomes, "here") == outcomes[face][0]
        assert not drawn
    drawn[:] = [last]
    assert HostSeed(bytes(32))._one_of(outcomes[:2], "here") == outcomes[1][0], "all groups of two are whole"
