"""What is wrong with the buttons is told at once, not only by a self-test."""

from __future__ import annotations

import pytest
from tests.firmware.desk import Desk

from tablier.table.health import fault_texts, health_texts
from tablier.table.incoming import Ailing
from tablier_fw import wire
from tablier_fw.buttons import STILL_MS

STILL_S = STILL_MS / 1000


def told(desk: Desk) -> list[int]:
    return [it.faults for it in desk.seen if isinstance(it, Ailing)]


def test_buttons_that_are_no_longer_sampled_are_told_after_a_second(desk: Desk) -> None:
    desk.ask(wire.WATCH, 0, 0b111111)
    desk.run(2)
    assert not told(desk), "nothing is wrong with buttons that nobody presses"
    desk.tester.say("defect sampler")
    desk.run(STILL_S - 0.1)
    assert not told(desk), "it may be a long turn"
    desk.run(0.1 + 0.3)
    assert told(desk) == [wire.NO_SAMPLES]
    assert desk.press(3, "a") == []
    desk.tester.say("mend")
    desk.run(0.3)
    assert told(desk) == [wire.NO_SAMPLES, 0]
    assert [it.values["place"] for it in desk.press(3, "a")] == [3]
    desk.run(2)
    assert told(desk) == [wire.NO_SAMPLES, 0], "once each"


def test_a_chain_of_buttons_that_does_not_answer_is_told(desk: Desk) -> None:
    desk.tester.say("defect chain")
    desk.run(0.3)
    assert told(desk) == [wire.NO_CHAIN]
    desk.tester.say("mend")
    desk.run(0.3)
    assert told(desk) == [wire.NO_CHAIN, 0]


@pytest.mark.parametrize(("fault", "cure"), [(wire.NO_CHAIN, "cable"), (wire.NO_SAMPLES, "switch it off and on")])
def test_a_fault_is_told_in_a_line_with_its_cure(desk: Desk, fault: int, cure: str) -> None:
    (text,) = fault_texts(fault)
    assert cure in str(text) and "\n" not in str(text)
    flags = {"flags": fault << wire.FAULTS_SHIFT}
    assert str(text) in str(health_texts({**desk.status(), **flags})[-1])
    assert not any("fault" in str(line) for line in health_texts(desk.status()))
