"""Simulate everything, and write what came out: ``SIMULATION.md`` and its curves.

    python -m hardware.spice.make               beside the hardware's other pages
    python -m hardware.spice.make FOLDER        into another folder

Exit status 1 when a figure is not as it must be, or something could not be simulated; then nothing is written.
"""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path

from hardware import HERE
from hardware.spice import ngspice
from hardware.spice.checks import DRAWS, STUDIES, Study, Table
from hardware.spice.ngspice import SimulationError
from hardware.tools import Missing

REPORT, CURVES = "SIMULATION.md", "simulation"
_PROGRAMS = (
    "analysis.py",
    "bench.py",
    "checks.py",
    "direct.py",
    "netlist.py",
    "ngspice.py",
    "optics.py",
    "rest.py",
    "turn_on.py",
    "values.py",
    "limits.py",
)
_LENGTHS = {
    "tray": ("inner", "sheet", "slot", "sinks", "mass"),
    "pad": ("number", "size", "height", "modulus", "damping"),
    "tiers": ("low", "rim", "body", "emitter", "rim_of_body"),
    "frame": ("opening",),
    "sheet": ("play",),
    "tower": ("inside", "forward"),
    "baffle": ("hole", "length"),
}
"""The parts of the arena that :mod:`hardware.spice.optics` reads."""


def stamp() -> str:
    """Return what the report says of the data and programs that it was made of: only of what changes its figures."""
    table = Table()
    wiring = table.wiring
    nets = sorted((sorted(net.names), sorted(net.pins)) for net in wiring.nets())
    parts = [(it.name, it.tolerance, it.model) for it in table.bill.parts if it.model or it.tolerance]
    data = (
        nets,
        sorted((name, it.kind) for name, it in wiring.components.items()),
        sorted((name, it.length) for name, it in wiring.cables.items()),
        sorted(parts, key=lambda part: part[0]),
        {key: [table.geometry[key][name] for name in names] for key, names in _LENGTHS.items()},
        table.supply,
    )
    digest = hashlib.sha256(json.dumps(data, sort_keys=True).encode())
    for name in _PROGRAMS:
        digest.update((HERE / "spice" / name).read_bytes())
    return f"SHA-256 {digest.hexdigest()}"


def studies() -> list[Study]:
    """Simulate everything. Raise Missing without ngspice, and SimulationError for what it could not simulate."""
    lacking = ngspice.missing()
    if lacking:
        raise Missing(lacking)
    table = Table()
    return [study(table) for study in STUDIES]


def faults(done: list[Study]) -> list[str]:
    """Return every figure that is not as it must be, in words."""
    return [f"{study.title}: {figure.fault}" for study in done for figure in study.figures if figure.fault]


def report(done: list[Study]) -> str:
    """Return the report as a page of Markdown."""
    count = sum(len(study.figures) for study in done)
    lines = [
        "# Simulation",
        "",
        "Made by `python -m hardware.spice.make`, with ngspice, of the wiring, the bill, the supply and the arena. The"
        " netlists are made from them too, so a changed resistor changes its figures here. [What is modelled by its"
        " insides, and what stays ideal](#what-is-modelled-and-what-stays-ideal), stands at the end. **Nothing has been"
        " measured yet.**",
        "",
        f"{count} figures; each has to be between its limits, where it has some, or nothing is written."
        f" *Drawn at random*: every value and data-sheet figure anew, evenly between its limits, {DRAWS} times.",
        "",
        f"<!-- made of: {stamp()} -->",
        "",
    ]
    for study in done:
        lines += [f"## {study.title}", "", study.text, ""]
        for number, row in enumerate(study.rows):
            lines += [f"| {' | '.join(row)} |", *(["|" + " --- |" * len(row)] if not number else [])]
        if not study.figures:
            continue
        lines += ["| figure | value | at least | at most |", "| --- | ---: | ---: | ---: |"]
        for figure in study.figures:
            unit = f" {figure.unit}" if figure.unit else ""
            limits = " | ".join("" if it is None else f"{it:g}{unit}" for it in (figure.least, figure.most))
            lines.append(f"| {figure.name} | {_rounded(figure.value)}{unit} | {limits} |")
        lines.append("")
        for plot in study.plots:
            lines += [f"![{plot.title}]({CURVES}/{plot.name}.svg)", ""]
    return "\n".join(lines).rstrip("\n") + "\n"


def make(out: Path) -> None:
    """Write the report and its curves into a folder. Raise Missing without ngspice.

    Raise SimulationError when something could not be simulated or is not as it must be; nothing is written then.
    """
    done = studies()
    found = faults(done)
    if found:
        raise SimulationError("the circuits do not do what they must:\n" + "\n".join(f"  {fault}" for fault in found))
    folder = out / CURVES
    folder.mkdir(parents=True, exist_ok=True)
    (out / REPORT).write_text(report(done), encoding="utf-8")
    for study in done:
        for plot in study.plots:
            (folder / f"{plot.name}.svg").write_text(plot.svg(), encoding="utf-8")


def _rounded(value: float) -> str:
    text = f"{value:.3g}"
    return f"{float(text):g}" if "e" in text else text


def main(arguments: list[str]) -> str | None:
    """Return what went wrong, or None."""
    try:
        make(Path(arguments[0]) if arguments else HERE)
    except (Missing, SimulationError) as error:
        return str(error)
    return None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
