"""Run ngspice, and believe nothing that it has not written down.

It exits with 0 for a netlist that it could not read and for a circuit that did not converge, and takes a resistor
without a value for 1 mΩ, with a warning. So a warning is an error, and each wanted curve must be in its file, finite,
and reach to the end of the simulated time.
"""

from __future__ import annotations

import math
import re
import resource
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from hardware.tools import Broken

_LIMIT_S = 120
"""Processor time for one circuit; on a busy machine that may be much longer by the clock."""
_TRANSIENT = "reltol=1e-3 trtol=1"
"""Without the second, steps over an edge are so long that a released output seems to overshoot its supply."""
_DONE = 0.999
"""Of the simulated time: the last step may end a rounding early."""


class SimulationError(Broken):
    """ngspice has not simulated what it was given; says what is missing, and what it printed."""


def missing() -> str | None:
    """Return what is to be installed before anything can be simulated, or None."""
    return None if shutil.which("ngspice") else "ngspice is not installed (apt-get install ngspice)"


@dataclass(frozen=True)
class Waves:
    """Curves over time, in seconds."""

    times: list[float]
    curves: dict[str, list[float]]

    def at(self, name: str, time: float) -> float:
        """Return a curve's value at a time, between its points in a straight line."""
        low, high = 0, len(self.times) - 1
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self.times[middle] <= time else (low, middle)
        t0, t1 = self.times[low], self.times[high]
        y0, y1 = self.curves[name][low], self.curves[name][high]
        return y0 if t1 <= t0 else y0 + (y1 - y0) * min(max((time - t0) / (t1 - t0), 0), 1)

    def crossings(self, name: str, level: float, rising: bool) -> Iterator[float]:
        """Yield the times at which a curve passes a level, upwards or downwards."""
        curve = self.curves[name]
        for i in range(1, len(curve)):
            before, after = (curve[i - 1], curve[i]) if rising else (-curve[i - 1], -curve[i])
            limit = level if rising else -level
            if before < limit <= after:
                share = (limit - before) / (after - before)
                yield self.times[i - 1] + share * (self.times[i] - self.times[i - 1])

    def first(self, name: str, level: float, rising: bool, after: float = 0.0) -> float:
        """Return the first such time after another one. Raise SimulationError where there is none."""
        for time in self.crossings(name, level, rising):
            if time >= after:
                return time
        raise SimulationError(f"{name} never {'rises' if rising else 'falls'} past {level:g} after {after:g} s")

    def between(self, name: str, start: float, stop: float) -> list[float]:
        """Return the values of a curve from one time to another."""
        inside = [y for t, y in zip(self.times, self.curves[name], strict=True) if start <= t <= stop]
        return [self.at(name, start), *inside, self.at(name, stop)]


def run(netlist: str, stop: float, step: float, wanted: Sequence[str]) -> Waves:
    """Simulate ``stop`` seconds from initial conditions, in steps of at most ``step``; return the wanted curves.

    A wanted curve is a vector of ngspice, ``v(out)`` or ``i(vsupply)``. Raise SimulationError if anything is missing.
    """
    commands = (
        f"set wr_singlescale\nset wr_vecnames\ntran {step:g} {stop:g} 0 {step:g} uic\nwrdata curves {' '.join(wanted)}"
    )
    with tempfile.TemporaryDirectory() as folder:
        printed = _simulate(netlist, commands, _TRANSIENT, Path(folder))
        file = Path(folder) / "curves"
        if not file.exists():
            file = Path(folder) / "curves.data"
        if not file.exists():
            raise SimulationError(f"ngspice wrote no curves: {_gist(printed)}")
        return _read(file, stop, wanted, printed)


def sweep(netlist: str, source: str, volts: Sequence[float], wanted: Sequence[str]) -> list[dict[str, float]]:
    """Return the wanted vectors at each of a source's voltages, which rise, each solved from the one before.

    Raise SimulationError if one is missing.
    """
    commands = ["set wr_singlescale", "set wr_vecnames"]
    for index, it in enumerate(volts):
        commands += [f"dc {source} {it:g} {it:g} 1", f"wrdata point{index} {' '.join(wanted)}"]
    found = []
    with tempfile.TemporaryDirectory() as folder:
        printed = _simulate(netlist, "\n".join(commands), "reltol=1e-4", Path(folder))
        for index, it in enumerate(volts):
            file = next(
                (f for f in (Path(folder) / f"point{index}", Path(folder) / f"point{index}.data") if f.exists()), None
            )
            if file is None:
                raise SimulationError(f"ngspice found no state at {it:g} V: {_gist(printed)}")
            point = _read(file, it, wanted, printed)
            found.append({name: curve[-1] for name, curve in point.curves.items()})
    return found


def operating_point(netlist: str, wanted: Sequence[str]) -> dict[str, float]:
    """Return the wanted vectors when nothing changes any more. Raise SimulationError if one is missing."""
    with tempfile.TemporaryDirectory() as folder:
        printed = _simulate(netlist, f"op\nprint {' '.join(wanted)}", "reltol=1e-6 gmin=1e-13", Path(folder))
    found = {name: float(number) for name, number in re.findall(r"(?m)^(\S+) = (\S+)$", printed)}
    missing = [name for name in wanted if name.lower() not in found or not math.isfinite(found[name.lower()])]
    if missing:
        raise SimulationError(f"ngspice gave no {', '.join(missing)}: {_gist(printed)}")
    return {name: found[name.lower()] for name in wanted}


def _simulate(netlist: str, commands: str, options: str, folder: Path) -> str:
    """Run a netlist in a folder; return what ngspice printed. Raise SimulationError if it complained."""
    control = f"{netlist}\n.options {options}\n.control\n{commands}\nquit\n.endc\n.end\n"
    (folder / "circuit.cir").write_text(control, encoding="ascii")
    done = subprocess.run(
        ["ngspice", "-b", "circuit.cir"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=partial(resource.setrlimit, resource.RLIMIT_CPU, (_LIMIT_S, _LIMIT_S + 1)),
    )
    if done.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        raise SimulationError(f"ngspice was not done after {_LIMIT_S} s of processor time")
    printed = done.stdout + done.stderr
    # On its way to a state it may say that it takes smaller steps.
    printed = re.sub(
        r"Warning: (Further gmin increment|Dynamic gmin stepping failed|True gmin stepping failed)", r"\1", printed
    )
    if re.search(r"^\s*(warning|error)", printed, re.I | re.M):
        raise SimulationError(f"ngspice complained: {_gist(printed)}")
    return printed


def _read(file: Path, stop: float, wanted: Sequence[str], printed: str) -> Waves:
    head, *lines = file.read_text(encoding="ascii").splitlines()
    found = [name.lower() for name in head.split()][1:]
    missing = [name for name in wanted if name.lower() not in found]
    if missing:
        raise SimulationError(f"ngspice gave no {', '.join(missing)}: {_gist(printed)}")
    rows = [[float(word) for word in line.split()] for line in lines]
    if not rows or rows[-1][0] < _DONE * stop:
        reached = rows[-1][0] if rows else 0.0
        raise SimulationError(f"ngspice stopped at {reached:g} of {stop:g} s: {_gist(printed)}")
    if not all(math.isfinite(number) for row in rows for number in row):
        raise SimulationError("ngspice gave something that is not a number")
    times = [row[0] for row in rows]
    return Waves(times, {name: [row[1 + found.index(name.lower())] for row in rows] for name in wanted})


def _gist(printed: str) -> str:
    lines = [line.strip() for line in printed.splitlines()]
    told = [
        line
        for line in lines
        if any(word in line.lower() for word in ("error", "warning", "unknown", "can't", "too small"))
    ]
    return "; ".join(told[:4]) or "it printed no error"
