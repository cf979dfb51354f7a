"""The circuits, simulated: the quicker studies, and parts that must be noticed; `make hardware` runs all of them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hardware.spice import checks, make, ngspice
from hardware.spice.ngspice import SimulationError, run
from hardware.spice.values import Values, drawn
from hardware.tools import Missing

from hardware import bill, nets
from sample import each, sample, thorough

pytestmark = pytest.mark.skipif(ngspice.missing() is not None, reason=str(ngspice.missing()))

CHARGE = "* charge\nV1 in 0 1\nR1 in out 1k\nC1 out 0 1u ic=0"


def table(**kinds: str) -> checks.Table:
    """The data of a table, with some components replaced by other parts of the bill."""
    wiring = nets.Wiring(nets.read())
    for name, kind in kinds.items():
        wiring.components[name].kind = kind
    return checks.Table(wiring, draws=4)


def faults(study: Callable[..., Any], **kinds: str) -> list[str]:
    return make.faults([study(table(**kinds))])


# -- the simulator ---------------------------------------------------------------------------------------------


def test_a_capacitor_charges_as_it_should() -> None:
    waves = run(CHARGE, 5e-3, 10e-6, ["v(out)"])
    assert waves.at("v(out)", 1e-3) == pytest.approx(0.632, abs=0.002)
    assert waves.first("v(out)", 0.5, rising=True) == pytest.approx(0.693e-3, rel=0.01)


def test_a_curve_that_it_did_not_give_is_an_error() -> None:
    with pytest.raises(SimulationError, match=r"nowhere|no curves"):
        run(CHARGE, 1e-3, 1e-5, ["v(out)", "v(nowhere)"])


@pytest.mark.parametrize("broken", each(2, ["R2 out", "X1 out 0 nothing", "Qodd out 0 0 missing"]))
def test_a_netlist_that_it_could_not_read_is_an_error(broken: str) -> None:
    """Its exit status is 0 or 1, as it pleases."""
    with pytest.raises(SimulationError):
        run(f"{CHARGE}\n{broken}", 1e-3, 1e-5, ["v(out)"])


def test_a_circuit_that_did_not_converge_is_an_error() -> None:
    hopeless = "B1 out 0 V=1/(V(out)-V(out))\nB2 x 0 I=V(x)>0 ? 1e30 : -1e30\nC9 x 0 1f"
    with pytest.raises(SimulationError):
        run(f"* hopeless\n{hopeless}", 1e-3, 1e-6, ["v(x)"])


@thorough
def test_a_circuit_that_takes_for_ever_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """By processor time: on a busy machine circuits that are well took longer by the clock than they were given."""
    monkeypatch.setattr(ngspice, "_LIMIT_S", 1)
    with pytest.raises(SimulationError, match="not done after 1 s of processor time"):
        run(CHARGE, 1.0, 1e-8, ["v(out)"])


def test_what_never_happens_is_an_error() -> None:
    with pytest.raises(SimulationError, match="never rises past 2"):
        run(CHARGE, 1e-3, 1e-5, ["v(out)"]).first("v(out)", 2.0, rising=True)


def test_without_the_simulator_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(ngspice, "missing", lambda: "ngspice is not installed")
    with pytest.raises(Missing, match="ngspice"):
        make.make(tmp_path)
    assert not list(tmp_path.iterdir())


def test_nothing_is_written_of_circuits_that_fail(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    bad = checks.Study("Receivers", "", [checks.Figure("margin", 18.0, "%", 25.0)])
    monkeypatch.setattr(make, "STUDIES", (lambda _: bad,))
    with pytest.raises(SimulationError, match="margin: 18 %"):
        make.make(tmp_path)
    assert not list(tmp_path.iterdir())


# -- the circuits ----------------------------------------------------------------------------------------------

QUICK = (checks.sparks, checks.receivers, checks.reflections, checks.knocks, checks.pixels, checks.start, checks.chips)


def test_the_amplifier_rests_where_it_is_computed_to() -> None:
    circuit = checks.amplifier(table())
    for seed in range(4):
        values = Values(circuit.wiring, bill.read(), drawn(seed), warm=True)
        solved, simulated = circuit.rest(values), circuit.simulated(values)
        assert simulated.wave == pytest.approx(solved.wave, abs=0.5e-3)
        # A comparator's input gives a little less or more while the other one is far away.
        assert simulated.upper == pytest.approx(solved.upper, abs=2e-3)
        assert simulated.lower == pytest.approx(solved.lower, abs=2e-3)


@thorough
def test_the_switch_turns_the_table_off_and_on() -> None:
    assert [figure.fault for figure in checks._switched(table()) if figure.fault] == []


@pytest.mark.parametrize("study", each(7, QUICK), ids=lambda study: study.__name__)
def test_they_do_what_they_must(study: Callable[..., Any]) -> None:
    assert faults(study) == []


@thorough
@pytest.mark.parametrize(
    "study, fault, kinds",
    [
        (checks.receivers, "margin", {"B1_R7": "100 kΩ", "B1_R8": "100 kΩ"}),
        (checks.receivers, "hysteresis", {"B1_R7": "220 kΩ"}),
        (checks.pixels, "edge from low to high", {"R1": "4.7 kΩ"}),
        (checks.pixels, "a 0 is high for", {"P1_R1": "4.7 kΩ"}),
        (checks.sparks, "into the 74HC165", {"P1_C2": "100 pF"}),
        (checks.sparks, "RUN: into the Pico", {"C8": "100 pF"}),
        (checks.start, "service, at the start", {"R33": "2.2 MΩ"}),
        (checks.start, "RUN: high after", {"C8": "10 µF"}),
    ][:: sample(5, 1)],
)
def test_another_part_is_noticed(study: Callable[..., Any], fault: str, kinds: dict[str, str]) -> None:
    try:
        found = faults(study, **kinds)
    except SimulationError as error:
        found = [str(error)]
    assert any(fault in it or "never" in it for it in found), found
