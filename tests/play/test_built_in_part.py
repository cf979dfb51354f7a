"""Whole games at tables with two and four places, and at a starter: what is not there takes no part."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from playing import NAMES, a_table, bodies, exported, meant_game, play

import replies
from sample import sample, thorough
from tablier.course.seats import Seat
from tablier.judge.audit import audit
from tablier.log.store import Log
from tablier.play import beginning
from tablier_fw.equipment import Equipment

STARTER = Equipment(0b11, 24, arena=False, starter=True)
CASES = {
    "starter and a bot": (STARTER, {1: "table", 2: "table", 3: "greedy"}),
    "two places and a bot": (Equipment(0b010010), {2: "table", 4: "greedy", 5: "table"}),
    "four places without an arena": (Equipment(0b101011, 24, arena=False), dict.fromkeys((1, 2, 4, 6), "table")),
}


@thorough
@pytest.mark.parametrize(("there", "sources"), list(CASES.values())[: sample(1, 3)], ids=list(CASES)[: sample(1, 3)])
def test_a_whole_dilemma(tmp_path: Path, there: Equipment, sources: Mapping[int, str]) -> None:
    seats = [Seat(name, *at) for name, at in zip(NAMES, sources.items(), strict=False)]
    meant = None if "greedy" in sources.values() else meant_game(len(seats), 2)
    with a_table(seed=3, equipment=there) as table, Log.open(tmp_path / "log.db") as log:
        game = beginning.begin(log, "dilemma", {} if meant is None else meant.settled, seats)
        assert play(log, game, table, None if meant is None else meant.moves).is_over
        assert meant is None or exported(log, 1) == meant
        entries = list(log.entries())
        audit(entries)
    (hello,) = bodies(entries, "table", "hello")
    assert ("by_claim" in hello) != there.arena and bool(bodies(entries, "table", replies.LANDED)) == there.arena
