"""The rulebook's two worked examples: played through the sensors and buttons of a table, and as records."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path

import pytest
from playing import PLACES, a_table, as_the_table_tells, begin, bodies, meant_game, play

import replies
from ports import Stopped, until
from sample import each
from tablier.cli.main import main
from tablier.games.dilemma.rules import duel_card
from tablier.log.store import Log
from tablier.record import Record, replay

FIRST = ["p1 offer 8", "p2 throw 10 outside", "p3 throw 8 flat", "p4 throw 8 flat", "p5 throw 3 flat", "table close"]
SECOND = ["p1 offer 6", "p2 throw 6 flat", "p2 throw 3 flat", "p3 throw 5 flat", "table close"]
EXAMPLES = [
    pytest.param(5, FIRST, (1, 5), 3, id="first"),
    pytest.param(4, SECOND, (1, 2), 3, id="second"),
]


@pytest.mark.parametrize(("count", "example", "duellists", "card"), each(2, EXAMPLES))
def test_at_the_table(count: int, example: list[str], duellists: tuple[int, int], card: int, tmp_path: Path) -> None:
    followed = meant_game(count, 3, example)
    meant = meant_game(count, 3, as_the_table_tells(example)).moves[: len(example) + 2]
    with Log.open(tmp_path / "log.db") as log, a_table() as table:
        game = begin(log, followed)
        with suppress(Stopped):
            play(log, game, table, followed.moves, hook=until(len(meant)))
        assert log.moves(game) == list(meant)
        entries = list(log.entries(game))
        log.verify()
    # The table felt what could be felt, and asked those two for their choices.
    window = entries[: next(n for n, entry in enumerate(entries) if entry.body.get("text") == "table close")]
    landed = bodies(window, "table", replies.LANDED)
    assert [body["landing"] for body in landed] == [0] * sum(" flat" in move for move in example)
    places = {PLACES[seat - 1] for seat in duellists}
    duel = next(entry.body for entry in entries if entry.body.get("what") == "duel")
    assert tuple(duel["seats"]) == duellists
    for event in (replies.LOCKED, replies.OPENED):
        assert {body["place"] for body in bodies(entries, "table", event) if body["id"] == duel["id"]} == places


@pytest.mark.parametrize("told", [list, as_the_table_tells], ids=["as it happened", "as a table tells it"])
@pytest.mark.parametrize(("count", "example", "duellists", "card"), EXAMPLES)
def test_as_a_record(
    count: int,
    example: list[str],
    duellists: tuple[int, int],
    card: int,
    told: object,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    moves = told(example)  # type: ignore[operator]
    names = tuple("ABCDE"[:count])
    record = Record("dilemma", names, tuple(moves))
    state = replay(record).state
    assert duel_card(state.offer, state.pile) == (duellists[1], card)
    file = tmp_path / "example.json"
    both = [f"p{duellists[0]} duel conflict", f"p{duellists[1]} duel peace"]
    records = [record, Record("dilemma", names, (*moves, *both)), meant_game(count, 4, moves)]
    file.write_text("".join(each.dumps() + "\n" for each in records), encoding="utf-8")
    assert main(["replay", str(file)]) == 0
    duel, after, end = map(json.loads, capsys.readouterr().out.splitlines())
    assert duel["to_move"] == [f"p{seat}" for seat in duellists]
    assert set(duel["scores"].values()) == {0}
    # Offer and duel card go to the one who chose conflict; everything else that was thrown is gone.
    assert after["scores"] == {f"p{n}": (int(example[0][-1]) + card if n == 1 else 0) for n in range(1, count + 1)}
    assert after["to_move"] == ["p2"]
    assert end["terminal"] and end["winners"]


def test_example_is_said_to_be_a_duel_and_its_other_cards_are_gone() -> None:
    for count, example in ((5, FIRST), (4, SECOND)):
        whole = Record(
            "dilemma", tuple("ABCDE"[:count]), (*example, "p1 duel peace", f"p{5 if count == 5 else 2} duel peace")
        )
        state = replay(whole).state
        assert sorted(card for cards in state.gained for card in cards) == sorted([3, int(example[0][-1])])
        assert not state.pile
