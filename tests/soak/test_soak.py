"""A little of the soak, and that its verdict is not always the same."""

from __future__ import annotations

import dataclasses
import sys
from pathlib import Path

import pytest

import replies
from harness import Broken
from sample import thorough

from .__main__ import main
from .campaign import DEEDS, Leg, Press

FRAMES, TIMES = 1500, 1


@thorough
@pytest.mark.long
def test_nothing_that_is_shown_as_taken_is_lost_doubled_or_out_of_order(tmp_path: Path) -> None:
    """And that what is wrong would be noticed, with the same leg: to run one is dear."""
    leg = Leg(tmp_path, 1, FRAMES, TIMES)
    leg.run(lambda: None)
    told = leg.told
    assert told.frames >= FRAMES
    assert dict(told.deeds) == dict.fromkeys(DEEDS, TIMES)
    assert all(told.faults.values()), "a fault that never befell anything"
    assert told.gaps >= 1
    assert told.games > 1 and told.events > 100

    for what in ("lacks", "nobody's", "another", "out of order"):
        what_is_wrong_is_noticed(leg, what)


def what_is_wrong_is_noticed(leg: Leg, what: str) -> None:
    presses = leg._presses
    n = next(n for n, press in enumerate(presses) if n > 50 and press.event == replies.ANSWERED and press.taken)
    press = presses[n]
    wrong: list[Press] = {
        "lacks": [press, dataclasses.replace(press, us=press.us + 60_000)],
        "nobody's": [],
        "another": [dataclasses.replace(press, value=1 - (press.value or 0))],
        "out of order": [dataclasses.replace(press, us=press.us + 60_000)],
    }[what]
    leg._presses = [*presses[:n], *wrong, *presses[n + 1 :]]
    try:
        with pytest.raises(Broken):
            leg._check_presses()
    finally:
        leg._presses = presses
    leg._check_presses()


@thorough
def test_the_command_says_what_it_did(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "argv", ["soak", "--frames", "100", "--times", "1", "--seed", "7"])
    assert main() == 0
    out = capsys.readouterr().out
    assert "Cable pulled 1 times, table reset 1 times, host killed 3 times" in out
    assert "Seed 7: nothing shown as taken was lost, doubled or out of order." in out
