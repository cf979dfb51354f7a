"""Direct voltages of a circuit for thousands of tables at once, whose netlists differ in their numbers only.

It reads the same netlists as ngspice: resistors, junctions, transistors, VDMOS, voltage sources and leaks as
:mod:`hardware.spice.netlist` writes them; capacitors carry no direct current. Newton's method, with the steps of
junctions limited; ngspice is asked for some of the tables, and must agree (``turn_on.py``).
"""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

# Small matrices: threads would only wait for each other.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
import numpy as np

from hardware.spice.ngspice import SimulationError

Numbers = Any
"""An array with one number a table."""
_BOLTZMANN = 8.617333262e-5
_NOMINAL_K = 300.15
_GMIN = 1e-12
_ITERATIONS = 40
_STAGES = 200
_TIED = 1e-4
_SUFFIX = {"meg": 1e6, "k": 1e3, "m": 1e-3, "u": 1e-6, "n": 1e-9, "p": 1e-12}
_NUMBER = re.compile(r"([-+]?[\d.]+(?:e[-+]?\d+)?)(meg|k|m|u|n|p)?", re.I)
_LEAK = re.compile(r"I=([-\d.e+]+)\*tanh\(max\(V\((\w+),(\w+)\),0\)/0\.05\)")


def _number(text: str) -> float:
    match = _NUMBER.fullmatch(text)
    if not match:
        raise SimulationError(f"{text} is not a number")
    return float(match[1]) * _SUFFIX.get((match[2] or "").lower(), 1.0)


class Circuits:
    """Circuits of one shape, with one voltage source, ``source``, which all of them share."""

    def __init__(self, netlists: Sequence[Sequence[str]], source: str) -> None:
        self.count = len(netlists)
        self._index: dict[str, int] = {}
        self._models: dict[str, tuple[str, dict[str, Numbers]]] = {}
        self._read: dict[str, list[tuple[tuple[int, ...], dict[str, Numbers]]]] = defaultdict(list)
        shapes = [[line for line in netlist if line[:1] not in "*C"] for netlist in netlists]
        # The models stand behind what is made of them.
        for lines in sorted(zip(*shapes, strict=True), key=lambda it: not it[0].startswith(".")):
            if lines[0].startswith("."):
                self._model(lines)
            else:
                self._element([line.split() for line in lines], source)
        self._nodes = len(self._index)
        self.size = self._nodes + len(self._read["V"])
        self._prepare()

    def _model(self, lines: Sequence[str]) -> None:
        read = [re.fullmatch(r"\.model (\w+) (\w+)\((.*)\)", line) for line in lines]
        pairs = [dict(re.findall(r"(\w+)=(\S+)", match[3])) for match in read if match]
        first = read[0]
        assert first is not None
        numbers = {key: np.array([_number(it[key]) for it in pairs]) for key in pairs[0]}
        self._models[first[1]] = ("pchan" if "pchan" in first[3] else first[2]), numbers

    def _node(self, name: str) -> int:
        return -1 if name == "0" else self._index.setdefault(name, len(self._index))

    def _element(self, lines: list[list[str]], source: str) -> None:
        first = lines[0]
        kind, count = first[0][0], 3 if first[0][0] in "QM" else 2
        nodes = tuple(self._node(it) for it in first[1 : 1 + count])
        figures: dict[str, Numbers]
        if kind == "R":
            figures = {"siemens": np.array([1 / _number(line[3]) for line in lines])}
        elif kind == "V":
            volts = [np.nan if first[0] == source else _number(line[3]) for line in lines]
            figures = {"volts": np.array(volts)}
        elif kind == "B" and _LEAK.fullmatch(first[3]):
            matches = [_LEAK.fullmatch(line[3]) for line in lines]
            figures = {"amperes": np.array([float(match[1]) for match in matches if match])}
        elif kind in "DQM":
            figures = self._junctions(kind, lines, count)
        else:
            raise SimulationError(f"{first[0]}: no such element can be solved here")
        self._read[kind].append((nodes, figures))

    def _junctions(self, kind: str, lines: list[list[str]], count: int) -> dict[str, Numbers]:
        first, one = lines[0], np.ones(self.count)
        sort, model = self._models[first[1 + count]]
        area = float(first[2 + count]) if kind == "Q" and "=" not in first[2 + count] else 1.0
        celsius = [next((float(word[5:]) for word in line if word.startswith("temp=")), 27.0) for line in lines]
        kelvin = np.array(celsius) + 273.15
        ratio, thermal = kelvin / _NOMINAL_K, _BOLTZMANN * kelvin
        n = model.get("N", one)
        warmer = (ratio**3 * np.exp(1.11 / thermal * (ratio - 1))) ** (1 / n)
        figures = {"is": model["Is"] * warmer * area, "nvt": n * thermal,
                   "sign": -one if sort in ("PNP", "pchan") else one}  # fmt: skip
        if kind == "Q":
            figures |= {"gain": model["Bf"] * ratio ** model.get("Xtb", 0 * one), "early": model["Vaf"]}
        if kind == "M":
            figures |= {"threshold": np.abs(model["Vto"]), "gain": model["Kp"]}
        return figures

    def _prepare(self) -> None:
        """Lay out who drives what: each current flows between two nodes, and grows with voltages between two nodes."""
        size = self.size

        def between(one: int, other: int) -> Numbers:
            row = np.zeros(size)
            for node, sign in ((one, 1.0), (other, -1.0)):
                if node >= 0:
                    row[node] += sign
            return row

        self._figures = {
            kind: {key: np.stack([figures[key] for _, figures in read], axis=1) for key in read[0][1]}
            for kind, read in self._read.items()
            if read
        }
        self._linear = np.zeros((self.count, size, size))
        for (one, other), figures in self._read["R"]:
            row = between(one, other)
            self._linear += figures["siemens"][:, None, None] * np.outer(row, row)
        for branch, ((one, other), _) in enumerate(self._read["V"]):
            row = between(one, other)
            self._linear[:, self._nodes + branch] += row
            self._linear[:, :, self._nodes + branch] += row
        read = self._read
        flows = {  # of each kind, in its order: from where to where
            "B": [[(a, b)] for (a, b), _ in read["B"]],
            "D": [[(a, k)] for (a, k), _ in read["D"]],
            "Q": [[(c, e), (b, e), (b, c)] for (c, b, e), _ in read["Q"]],
            "M": [[(d, s), (s, d)] for (d, _, s), _ in read["M"]],
        }
        drives = {
            "B": [[(a, b)] for (a, b), _ in read["B"]],
            "D": [[(a, k)] for (a, k), _ in read["D"]],
            "Q": [[(b, e), (b, c)] for (c, b, e), _ in read["Q"]],
            "M": [[(g, s), (d, s)] for (d, g, s), _ in read["M"]],
        }
        pairs = {"B": [(0, 0)], "D": [(0, 0)], "Q": [(0, 0), (0, 1), (1, 0), (2, 1)], "M": [(0, 0), (0, 1), (1, 1)]}

        def rows(listed: list[list[tuple[int, int]]], which: int) -> Numbers:
            return np.array([between(*of[which]) for of in listed])

        self._drives = {kind: [rows(it, i) for i in range(len(it[0]))] for kind, it in drives.items() if it}
        self._flows = {kind: [rows(it, i) for i in range(len(it[0]))] for kind, it in flows.items() if it}
        self._stamps = {
            kind: [
                (self._flows[kind][flow][:, :, None] * self._drives[kind][drive][:, None, :]).reshape(-1, size * size)
                for flow, drive in pairs[kind]
            ]
            for kind in self._flows
        }

    def solve(self, volts: float, start: Numbers | None = None) -> Numbers:
        """Return the state of each circuit with these volts at the source, a row a circuit; begin at another state.

        Raise SimulationError for one that finds none.
        """
        state = np.zeros((self.count, self.size)) if start is None else start.copy()
        # At once, where that leads somewhere. Elsewhere as if a capacitor hung on each node: tied to where it was, by
        # less and less, and by more where even that leads nowhere.
        tie = np.full(self.count, _GMIN)
        going = np.arange(self.count)
        for _ in range(_STAGES):
            moved, found = self._newton(volts, state[going], going, tie[going])
            state[going[found]] = moved[found]
            ended = found & (tie[going] <= _GMIN)
            less, more = np.maximum(tie[going] / 10, _GMIN), np.maximum(tie[going] * 30, _TIED)
            tie[going] = np.where(found, less, more)
            going = going[~ended]
            if not len(going):
                return state
        raise SimulationError(f"{len(going)} of {self.count} circuits found no state at {volts:g} V")

    def volts(self, state: Numbers, node: str) -> Numbers:
        """Return a node's voltage in each circuit."""
        return state[:, self._index[node]]

    def _newton(self, volts: float, begun: Numbers, rows: Numbers, tie: Numbers) -> tuple[Numbers, Numbers]:
        """Return where these circuits come to, and which of them came to rest there."""
        state, left = begun.copy(), np.arange(len(rows))
        found = np.zeros(len(rows), dtype=bool)
        before: dict[str, Numbers] = {}
        diagonal = np.arange(self._nodes)
        for _ in range(_ITERATIONS):
            part = state[left]
            jacobian, residual, limited = self._stamp(part, rows[left], volts, before)
            jacobian[:, diagonal, diagonal] += tie[left, None]
            residual[:, : self._nodes] += tie[left, None] * (part - begun[left])[:, : self._nodes]
            step = np.linalg.solve(jacobian, -residual[..., None])[..., 0]
            largest = np.abs(step[:, : self._nodes]).max(axis=1)
            # Far from where it stands the exponentials are drawn out as straight lines, and mean nothing.
            state[left] = part + step * np.minimum(1.0, 1.0 / np.maximum(largest, 1e-30))[:, None]
            going = (largest > 1e-7) | limited
            found[left[~going]] = True
            left = left[going]
            if not len(left):
                break
            before = {key: value[going] for key, value in before.items()}
        return state, found

    def _stamp(self, state: Numbers, rows: Numbers, source: float, before: dict[str, Numbers]) -> Any:
        """Return by how much each node's currents grow, what is left of them, and what a junction did not follow."""
        size = self.size
        jacobian = self._linear[rows]
        residual = np.einsum("nij,nj->ni", jacobian, state)
        given = self._figures["V"]["volts"][rows]
        residual[:, self._nodes :] -= np.where(np.isnan(given), source, given)
        limited = np.zeros(len(rows), dtype=bool)
        for kind, drives in self._drives.items():
            own = {key: value[rows] for key, value in self._figures[kind].items()}
            volts = [state @ drive.T for drive in drives]
            flows, slopes, far = _KINDS[kind](volts, own, before)
            limited |= far
            for flow, amperes in zip(self._flows[kind], flows, strict=True):
                residual += amperes @ flow
            for stamp, slope in zip(self._stamps[kind], slopes, strict=True):
                jacobian += (slope @ stamp).reshape(-1, size, size)
        return jacobian, residual, limited


def _junction(key: str, volts: Numbers, own: dict[str, Numbers], before: dict[str, Numbers]) -> Any:
    """Return current and slope of junctions, at a voltage that does not jump, drawn out to where they are.

    And that voltage, and in which circuits one jumped.
    """
    thermal, saturation = own["nvt"], own["is"]
    critical = thermal * np.log(thermal / (1.4142 * saturation))
    last = before.get(key)
    if last is None:
        limited = np.minimum(volts, critical)
    else:
        up = 1 + (volts - last) / thermal
        rising = np.where(up > 0, last + thermal * np.log(np.maximum(up, 1e-30)), critical)
        raised = np.where(last > 0, rising, thermal * np.log(np.maximum(volts, 1e-30) / thermal))
        limited = np.where((volts > critical) & (np.abs(volts - last) > 2 * thermal), raised, volts)
    before[key] = limited
    grown = saturation * np.exp(np.clip(limited / thermal, -80.0, 100.0))
    slope = grown / thermal
    far = (np.abs(limited - volts) > 1e-6).any(axis=1)
    return grown - saturation + slope * (volts - limited), slope, limited, far


def _leaks(volts: list[Numbers], own: dict[str, Numbers], _: dict[str, Numbers]) -> Any:
    bent = np.tanh(np.maximum(volts[0], 0) / 0.05)
    return [own["amperes"] * bent], [own["amperes"] * (1 - bent**2) / 0.05 * (volts[0] > 0)], False


def _diodes(volts: list[Numbers], own: dict[str, Numbers], before: dict[str, Numbers]) -> Any:
    amperes, slope, _, far = _junction("diode", volts[0], own, before)
    return [amperes], [slope], far


def _transistors(volts: list[Numbers], own: dict[str, Numbers], before: dict[str, Numbers]) -> Any:
    """Gummel and Poon's, with nothing but gains and Early's voltage."""
    sign, reverse = own["sign"], own["sign"] * volts[1]
    on, on_slope, _, far = _junction("emitter", sign * volts[0], own, before)
    back, back_slope, back_at, far_back = _junction("collector", reverse, own, before)
    early = np.maximum(1 - back_at / own["early"], 0.1)
    by_back = -back_slope * early - (on - back) / own["early"]
    through = (on - back) * early - (on - back) / own["early"] * (reverse - back_at)
    return (
        [sign * through, sign * on / own["gain"], sign * back],
        [on_slope * early, by_back, on_slope / own["gain"], back_slope],
        far | far_back,
    )


def _fets(volts: list[Numbers], own: dict[str, Numbers], before: dict[str, Numbers]) -> Any:
    """VDMOS: a channel that works both ways, and the diode beside it."""
    sign, soft = own["sign"], 0.1
    gate, across = sign * volts[0], sign * volts[1]
    turned = across < 0
    above = (np.where(turned, gate - across, gate) - own["threshold"]) / soft
    over, over_slope = soft * np.logaddexp(0, above), 1 / (1 + np.exp(-np.clip(above, -60, 60)))
    wide = np.abs(across)
    linear = wide < over
    amperes = own["gain"] * np.where(linear, wide * (over - wide / 2), over**2 / 2)
    by_wide = own["gain"] * np.where(linear, over - wide, 0.0) + 1e-12
    by_drive = own["gain"] * np.where(linear, wide, over) * over_slope
    way = np.where(turned, -1.0, 1.0)
    leak, slope, _, far = _junction("body", -across, own, before)
    return (
        [sign * way * amperes, sign * leak],
        [way * by_drive, by_wide + np.where(turned, by_drive, 0.0), -slope],
        far,
    )


_KINDS = {"B": _leaks, "D": _diodes, "Q": _transistors, "M": _fets}
