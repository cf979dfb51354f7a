"""The steps of the guide: time, difficulty and parts of each, from ``guide.toml``, held against wiring and bill."""

from __future__ import annotations

import re
import tomllib
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from hardware import HERE
from hardware.bill import Bill, expanded
from hardware.nets import Wiring

DIFFICULTIES = ("easy", "careful", "hard")


@dataclass(frozen=True)
class Step:
    """A step of ``BUILD.md``."""

    number: int
    hours: float
    difficulty: str
    why: str
    wired: tuple[str, ...] = ()
    uses: Mapping[str, float] = field(default_factory=dict)
    also: Mapping[str, str] = field(default_factory=dict)
    parted: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """What is wired in it by sitting, where it has several."""

    @property
    def names(self) -> list[str]:
        """Return the components and cables that are soldered or made in it."""
        return [name for _, names in self.sittings() for name in names]

    def sittings(self) -> list[tuple[str, list[str]]]:
        """Return the number of each of its sittings, and the components and cables that are soldered or made in it."""
        listed = {f"{self.number}{letter}": patterns for letter, patterns in self.parted.items()}
        whole = {str(self.number): self.wired} if self.wired or not listed else {}
        return [
            (number, [name for pattern in patterns for name in expanded(pattern)])
            for number, patterns in {**whole, **listed}.items()
        ]


def read() -> tuple[Step, ...]:
    """Return the steps."""
    data = tomllib.loads((HERE / "guide.toml").read_text(encoding="utf-8"))
    return tuple(Step(**{**entry, "wired": tuple(entry.get("wired", ()))}) for entry in data["step"])


def titles(page: str) -> dict[int, str]:
    """Return the headings of the steps of a page."""
    return {int(number): title for number, title in re.findall(r"^## (\d+)\. (.*)$", page, re.M)}


def faults(steps: Sequence[Step], bill: Bill, wiring: Wiring) -> list[str]:
    """Return what has no step, or several, and what a step uses that the bill does not have."""
    found = []
    times = Counter(name for step in steps for name in step.names)
    wired = {*wiring.components, *wiring.cables}
    for name in sorted(wired | times.keys()):
        if name not in wired:
            found.append(f"guide.toml: there is no {name} in the wiring")
        elif times[name] != 1:
            found.append(f"guide.toml: {name} is in {times[name]} steps")
    loose = {part.name: part for part in bill.parts if not part.designators}
    used: dict[str, float] = defaultdict(float)  # metres are halves
    for step in steps:
        found += [f"guide.toml: step {step.number} is {step.difficulty!r}"] * (step.difficulty not in DIFFICULTIES)
        for name, count in step.uses.items():
            used[name] += count
            if name not in loose:
                found.append(f"guide.toml: step {step.number} uses {name}, which the bill does not have")
        for name in step.also.keys() - {part.name for part in bill.parts}:
            found.append(f"guide.toml: step {step.number} also needs {name}, which the bill does not have")
    for name, part in loose.items():
        if used[name] != part.quantity:
            found.append(f"guide.toml: the steps use {used[name]:g} of {name}, the bill has {part.quantity:g}")
    return found


def table(steps: Sequence[Step], bill: Bill, page: str) -> str:
    """Return time, difficulty and parts of each step as a page of Markdown."""
    named = titles(page)
    kinds = {place: part.name for part in bill.parts for place in part.places}
    units = {part.name: part.unit for part in bill.parts}
    lines = [
        "# Time and parts, step by step",
        "",
        "Made of `guide.toml` by `python -m hardware.draw`; change it there.",
        "",
        "Hours are estimates, for one person who has soldered before, without the time that glue and paint need.",
        "Nobody has built a table yet. Somebody who solders for the first time doubles those of the boards.",
        "Parts without a number are counted in another step, and needed here as well.",
        "",
        "| step | | hours | difficulty | |",
        "| ---: | --- | ---: | --- | --- |",
    ]
    lines += [
        f"| {step.number} | [{named[step.number]}](BUILD.md#{anchor(f'{step.number}. {named[step.number]}')}) "
        f"| {step.hours:g} | {step.difficulty} | {step.why} |"
        for step in steps
    ]
    lines += [f"| | **in all** | **{sum(step.hours for step in steps):g}** | | |", ""]
    for step in steps:
        if not step.names and not step.uses and not step.also:
            continue
        lines += [f"## {step.number}. {named[step.number]}", "", "| | part | where |", "| ---: | --- | --- |"]
        places: dict[str, list[str]] = {}
        for name in step.names:
            places.setdefault(kinds[name], []).append(name)
        # Of what is bought by the metre or in strips a step takes so many pieces.
        lines += [
            f"| {len(names)} | {'piece of ' if units[kind] in CUT else ''}{kind} | {_where(names)} |"
            for kind, names in places.items()
        ]
        lines += [f"| {count:g}{' m' if units[name] == 'm' else ''} | {name} | |" for name, count in step.uses.items()]
        lines += [f"| | {name} | {why} |" for name, why in step.also.items()]
        lines.append("")
    return "\n".join(lines)


CUT = ("m", "pixels")
"""Units of what is cut to length."""


def _where(names: Sequence[str]) -> str:
    """Return where parts of a kind go: by name on the hub, by their name on the board on places and sides."""
    boards = {"P": "each place", "B": "each side"}
    found: list[str] = []
    for letter, board in boards.items():
        here = dict.fromkeys(name.split("_")[1] for name in names if re.match(rf"{letter}\d_", name))
        if here:
            found.append(f"{', '.join(here)} of {board}")
    hub = [name for name in names if "_" not in name]
    return "; ".join([*([", ".join(hub)] if hub else []), *found])


def anchor(heading: str) -> str:
    """Return the anchor of a heading, as the usual renderers make it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
