"""The self-test at a table of any kind: a good one passes, and what is wrong with it is named."""

from __future__ import annotations

import pytest

from hil.rig import Rig
from sample import thorough
from tablier.service import diagnosis
from tablier.service.selftest import Examination
from tablier_fw import wire


def examined(rig: Rig, *, guided: bool) -> Examination:
    it = Examination(rig.client, rig.durable, rig.new_id, rig.hands.person(rig.client.clock, rig.there))
    it.begin()
    it.measure()
    if guided:
        it.guide()
    assert it.keep()
    return it


def texts(examination: Examination) -> list[str]:
    return [str(finding.text) for finding in examination.findings]


@thorough
def test_a_table_passes_its_self_test_and_keeps_the_result(rig: Rig) -> None:
    rig.hands.clear()
    it = examined(rig, guided=True)
    assert texts(it) == []
    kept = diagnosis.fetch(rig.client)
    assert kept == it.record
    fit = diagnosis.fitness(kept, rig.client.board or "", rig.client.version, there=rig.there)
    assert (fit.barred, fit.faults, fit.advice, fit.places) == ({}, (), None, tuple(rig.places))
    assert (fit.by_claim is None) == rig.there.arena and (fit.missing is None) == rig.there.whole
    if rig.kind != "real" and rig.there.arena:  # where the trimmers stand is known
        assert all(45 <= margin <= 50 for margin in it.record["margins"])


def test_beams_and_buttons_that_fail_are_named(rig: Rig) -> None:
    if not rig.hands.spoil("defect beam 2 60"):
        pytest.skip("nobody breaks a real table to see whether it notices")
    place = rig.places[-1]
    rig.hands.spoil("shine 16")
    rig.hands.spoil(f"defect button {place} a closed")
    rig.run(0.2)
    it = examined(rig, guided=False)
    stuck = f"button a of place {place} counts as pressed though nobody presses it"
    beams = [
        "beam low 3 (south) fails when it loses 16 % of its light; allowed: 25 % or more",
        "beam rim 1 (north) sees light from elsewhere for 100 % of the time; allowed: 2 %",
    ]
    assert texts(it) == [stuck, *(beams if rig.there.arena else [])]
    rig.hands.spoil("mend")
    rig.hands.spoil("shine 0")
    rig.run(0.2)
    assert texts(examined(rig, guided=False)) == []


def test_after_the_self_test_landings_are_told_as_before(rig: Rig) -> None:
    rig.need_arena()
    examined(rig, guided=False)
    rig.ask(wire.WINDOW, 0, 0b000011, 0, 5000, 500, 0)
    rig.land("leaning")
    assert rig.event("landed")["landing"] == 1
    rig.hands.clear()
