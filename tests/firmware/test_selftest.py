"""The self-test and the calibration at a simulated table: every fault is found and named, and what is kept lasts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from unittest.mock import patch

import pytest
from tests.firmware.desk import Desk

from helping import Helper
from marked import MARKED, english
from sample import each, thorough
from tablier.log.bodies import TEXT
from tablier.service import diagnosis
from tablier.service.selftest import Examination, SelftestError
from tablier.texts import Text, reading
from tablier_fw import result, wire
from tablier_fw.equipment import Equipment


class Exam:
    """A table and whoever tests it."""

    def __init__(self) -> None:
        self.desk = Desk()
        self.say = self.desk.tester.say
        self.helper = Helper(self.desk.tester, self.desk.clock)

    def examination(self) -> Examination:
        it = Examination(self.desk.client, self.desk.cursors, self.desk.new_id, self.helper)
        it.begin()
        return it

    def alone(self) -> Examination:
        it = self.examination()
        it.measure()
        assert it.keep()
        return it

    def whole(self) -> Examination:
        it = self.examination()
        it.measure()
        it.guide()
        assert it.keep()
        return it

    def kept(self) -> diagnosis.Record:
        kept = diagnosis.fetch(self.desk.client)
        assert kept is not None
        return kept

    def fitness(self) -> diagnosis.Fitness:
        return diagnosis.fitness(self.kept(), self.desk.client.board or "", self.desk.client.version)


@pytest.fixture
def exam() -> Iterator[Exam]:
    it = Exam()
    yield it
    it.desk.close()


def texts(examination: Examination) -> list[str]:
    return [str(finding.text) for finding in examination.findings]


# -- a table as it is built -----------------------------------------------------------------------------------------


def test_a_table_as_it_is_built_passes_and_says_by_how_much(exam: Exam) -> None:
    it = exam.whole()
    assert texts(it) == []
    assert [step.name for step in it.steps] == ["memory", *diagnosis.MEASURED, *diagnosis.GUIDED.values()]
    record = exam.kept()
    assert all(45 <= margin <= 50 for margin in record["margins"]), "the comparators are set to half of the light"
    assert record["blinded"] == bytes(8) and record["impacts"] == 0
    assert record["hoods"] == bytes(range(1, 7)) and record["dead"] == record["unseen"] == 0
    assert record["offer_card"] - record["offer_bare"] > diagnosis.APART_LEAST
    fit = exam.fitness()
    assert replace(fit, margins=()) == diagnosis.Fitness() and fit.margins == tuple(record["margins"])


def test_afterwards_the_table_is_dark_and_asks_nothing(exam: Exam) -> None:
    exam.whole()
    exam.desk.run(0.3)
    pixels = exam.desk.tester.pixels()
    assert not {colour for name in ("ring", "public", "hood1", "hood6") for colour in pixels[name]} - {"000000"}
    assert exam.desk.holds(wire.QUESTION_SLOT)
    assert exam.desk.press(2, "b") == []
    assert exam.desk.status()["number"] == exam.desk.status()["acked"]


def test_what_is_kept_survives_a_reset_and_has_its_date(exam: Exam) -> None:
    before = diagnosis.now_s(exam.desk.client)
    exam.whole()
    after = diagnosis.now_s(exam.desk.client)
    exam.say("reset")
    exam.desk.run(2)
    kept = exam.kept()
    assert before <= kept["measured"] <= kept["guided"] <= after
    assert kept["board"].hex() == exam.desk.client.board
    assert diagnosis.text(kept["measured_by"]) == exam.desk.client.version.partition(";")[0]


# -- what the table finds out alone ---------------------------------------------------------------------------------

ALONE = {
    "defect beam 2 60": "beam low 3 (south) fails when it loses 16 % of its light",
    "defect beam 7 40": "beam rim 4 (west) reads broken though nothing is in it",
    "defect beam 0 1000": "beam low 1 (north) still reads clear with 8 % of its light",
    "shine 32": "beam rim 2 (east) sees light from elsewhere for 100 % of the time",
    "defect button 4 plus closed": "button plus of place 4 counts as pressed",
    "defect chain": "the chain of buttons does not answer",
    "land flat": "the floor's offer sensor sees 21845 where nothing lies",
}


@pytest.mark.parametrize("verb", each(4, ALONE))
def test_a_fault_is_found_without_people(exam: Exam, verb: str) -> None:
    exam.say(verb)
    exam.desk.run(0.5)
    found = texts(exam.alone())
    assert any(ALONE[verb] in text for text in found), found
    assert all(ALONE[verb] in text or "floor" in text for text in found), "and nothing else"
    exam.say("mend")
    exam.say("shine 0")
    exam.say("clear")
    exam.desk.run(0.5)
    assert texts(exam.alone()) == []


def test_knocks_while_nothing_should_happen_are_counted(exam: Exam) -> None:
    it = exam.examination()

    def knock(came: bool, message: wire.Message, values: tuple[object, ...]) -> None:
        if message is wire.SENSED:
            exam.say("bump")

    exam.desk.client.trace = knock
    it.measure()
    assert any("impact sensor reacts though nothing happens" in text for text in texts(it))
    assert exam.examination().record["measured"] == 0, "nothing is kept until it is kept"


def test_a_game_whose_events_wait_in_the_table_is_not_disturbed(exam: Exam) -> None:
    exam.desk.acking = False
    exam.desk.ask(wire.POLL, 0, 0b11)
    exam.desk.press(1, "b")
    with pytest.raises(SelftestError, match="1 event of a game waits"):
        exam.examination()
    exam.desk.run(0.5)
    assert exam.desk.status()["acked"] == 0 and exam.desk.public(2) != "000000"


# -- what people find out -------------------------------------------------------------------------------------------

GUIDED = {
    "defect pixel ring 7": "pixel 7 of the ring is dark or wrong",
    "defect pixel public 4": "the public pixel of place 4 is dark or wrong",
    "defect pixel hood5 2": "pixel 2 under hood 5 is dark or wrong",
    "defect button 2 a open": "button a of place 2 does not react",
    "defect impact": "a card that fell into the tray was not felt",
    "defect floor 1 20": "the floor's pile sensor sees 2979 without a card and 4369 with one",
}


@pytest.mark.parametrize("verb", each(6, GUIDED))
def test_a_fault_is_found_with_people(exam: Exam, verb: str) -> None:
    exam.say(verb)
    found = texts(exam.whole())
    assert len(found) == 1 and GUIDED[verb] in found[0], found
    assert [str(finding.text) for finding in diagnosis.findings(exam.kept())] == found


@thorough
def test_two_hoods_that_are_plugged_in_as_each_other_are_named(exam: Exam) -> None:
    exam.say("defect hoods 2 5")
    found = texts(exam.whole())
    assert "hood 2 is seen at place 5: no secret may be shown under it" in found
    assert "hood 5 is seen at place 2: no secret may be shown under it" in found
    assert set(exam.fitness().barred) == {2, 5} and not exam.fitness().by_claim


def test_a_beam_that_does_not_notice_a_card_is_named(exam: Exam) -> None:
    it = exam.examination()
    it.measure()
    exam.say("shine 8")
    exam.desk.run(0.5)
    it.guide()
    assert texts(it) == ["beam low 4 (west) did not react to what was moved through it"]
    it.keep()
    assert "beam low 4 (west)" in str(exam.fitness().by_claim)


# -- calibration ----------------------------------------------------------------------------------------------------


def test_the_floor_is_calibrated_between_its_two_extremes(exam: Exam) -> None:
    exam.say("defect floor 0 50")  # cards that reflect half as much as was computed
    it = exam.examination()
    it.measure()
    it.calibrate()
    assert it.keep() and not texts(it)
    for place, (full, empty) in zip(("offer", "pile"), result.thresholds(exam.kept()), strict=True):
        bare, card = it.record[f"{place}_bare"], it.record[f"{place}_card"]
        assert bare + 1000 < empty < full < card - 1000
    assert result.thresholds(exam.kept())[0][0] < result.FULL
    assert texts(exam.alone()) == [] and exam.kept()["calibrated"] > 0


# -- keeping --------------------------------------------------------------------------------------------------------


def test_nothing_is_written_while_a_question_is_open(exam: Exam) -> None:
    exam.alone()
    before = exam.kept()
    packed = result.pack({**before, "measured": 1})
    for ask in ((wire.POLL, 0, 1), (wire.WATCH, 0, 1), (wire.CHECK, 0)):
        exam.desk.ask(*ask)
        assert diagnosis.store(exam.desk.client, packed) == (wire.ASKS_STILL, before)
    exam.desk.ask(wire.IDLE, 0)
    refusal, after = diagnosis.store(exam.desk.client, packed)
    assert (refusal, after and after["measured"]) == (wire.KEEPS, 1)


@pytest.mark.parametrize(
    "spoil", each(2, [lambda it: it[:20] + b"x" + it[21:], lambda it: it[:-1], lambda it: b"\2" + it[1:]])
)
def test_what_is_no_result_is_not_kept(exam: Exam, spoil: Callable[[bytes], bytes]) -> None:
    exam.alone()
    before = exam.kept()
    packed = result.pack({**before, "measured": 1})
    assert diagnosis.store(exam.desk.client, spoil(packed)) == (wire.CANNOT_KEEP, before)


# -- what play may rely on ------------------------------------------------------------------------------------------


def test_a_table_that_was_not_tested_is_advised_to_be(exam: Exam) -> None:
    fit = diagnosis.fitness(diagnosis.fetch(exam.desk.client), exam.desk.client.board or "", "0.1.0")
    assert "has not been tested" in str(fit.advice) and not fit.by_claim and not fit.barred


def test_a_result_of_another_board_counts_for_nothing(exam: Exam) -> None:
    exam.say("defect beam 1 55")
    exam.alone()
    fit = diagnosis.fitness(exam.kept(), "00" * 8, exam.desk.client.version)
    assert exam.desk.client.board and exam.desk.client.board in str(fit.advice) and not fit.by_claim


def test_a_result_by_older_firmware_is_named_as_such(exam: Exam) -> None:
    exam.say("defect beam 1 55")
    exam.alone()
    fit = diagnosis.fitness(exam.kept(), exam.desk.client.board or "", "9.9.9; MicroPython 1.28.0")
    assert "was tested with firmware 0.1.0" in str(fit.advice) and "beam low 2" in str(fit.by_claim)


def test_what_is_wrong_can_stand_in_a_log() -> None:
    """As the reason why people enter their cards it is part of a logged hello, which has a template and arguments."""
    record = result.new(bytes(8))
    record |= {"measured": 1, "margins": bytes(8), "blinded": bytes([9] * 8), "impacts": 3, "held": 1, "faults": 1}
    record |= {"offer_bare": 60_000, "pile_bare": 60_000, "parts": sum(diagnosis.GUIDED), "dark": bytes([1] * 9)}
    record |= {"dead": 1, "unseen": 1, "felt": 0, "heard": 0, "hoods": bytes(6)}
    found = diagnosis.findings(record)
    assert len(found) > 20
    fit = diagnosis.fitness({**record, "board": bytes(8), "unseen": 0, "margins": bytes([50] * 8)}, "00" * 8, "0.1.0")
    for text in (*(finding.text for finding in found), fit.by_claim):
        assert text is not None and TEXT.allows(text.to_json()), text


def test_a_starter_is_led_to_its_own_page_and_not_asked_for_what_it_lacks() -> None:
    record = result.new(bytes(8)) | {"measured": 1, "margins": bytes(8), "blinded": bytes(8), "held": 1}
    record |= {"parts": sum(diagnosis.GUIDED), "dark": bytes([1, *bytes(8)]), "felt": 0, "heard": 0}
    record |= {"hoods": bytes([1, 2, 3, 4, 5, 6]), "board": bytes(8)}
    there = Equipment(0b11, 24, arena=False, starter=True)
    cures = [str(fault.cure) for fault in diagnosis.fitness(record, "00" * 8, "0.1.0", there=there).faults]
    assert cures == [f"see step {step} of hardware/STARTER.md" for step in (4, 3)]


# -- in another language --------------------------------------------------------------------------------------------


def test_nothing_that_is_asked_or_found_goes_past_the_catalogue(exam: Exam) -> None:
    read: list[str] = []

    def note(text: Text) -> None:
        with reading(MARKED):
            read.append(str(text))

    tell, ask = exam.helper.tell, exam.helper.ask

    def told(text: Text) -> None:
        note(text)
        tell(text)

    def asked(text: Text) -> None:
        note(text)
        ask(text)

    exam.say("defect pixel ring 30")
    exam.say("defect beam 0 1000")
    with patch.object(exam.helper, "tell", told), patch.object(exam.helper, "ask", asked):
        for finding in exam.whole().findings:
            note(finding.text)
    assert len(read) > 20 and [text for text in read if english(text)] == []
