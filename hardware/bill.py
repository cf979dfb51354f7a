"""The bill of materials: ``parts.toml`` read, held against the wiring, and as a table."""

from __future__ import annotations

import math
import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from hardware import HERE
from hardware.nets import Wiring

COLOURS = {
    "BN": "brown",
    "RD": "red",
    "OG": "orange",
    "YE": "yellow",
    "GN": "green",
    "BU": "blue",
    "VT": "violet",
    "GY": "grey",
    "WH": "white",
    "BK": "black",
}
"""Colours of wires, as IEC 60757 abbreviates them."""


@dataclass(frozen=True)
class Part:
    name: str
    number: str
    quantity: float
    price: float
    alternates: tuple[str, ...]
    use: str
    maker: str = ""
    designators: tuple[str, ...] = ()
    """The places where it is wired, as in the file."""
    fits: tuple[str, ...] = ()
    """The places where it sits without being wired, as in the file."""
    per: int = 1
    unit: str = ""
    pack: float = 1
    once: bool = False
    """Bought once, for however many tables."""
    tolerance: float | None = None
    """Percent; None where its unit's holds."""
    model: Mapping[str, Any] = field(default_factory=dict)
    """Values of its data sheet, for simulation."""

    @property
    def places(self) -> list[str]:
        return [name for pattern in self.designators for name in expanded(pattern)]

    @property
    def seats(self) -> list[str]:
        return [name for pattern in self.fits for name in expanded(pattern)]

    @property
    def items(self) -> float:
        """Return how many of the part number are bought."""
        return math.ceil(self.quantity / self.pack) if self.pack != 1 else self.quantity

    @property
    def cost(self) -> float:
        return self.items * self.price


@dataclass(frozen=True)
class Tool:
    """A tool: needed, and not built in."""

    name: str
    price: float


@dataclass(frozen=True)
class Bill:
    parts: tuple[Part, ...]
    tools: tuple[Tool, ...]
    tolerance: dict[str, float]
    """Of the parts that give none of their own: in percent, by the end of their kind."""
    drift: dict[str, float]
    """With temperature, in millionths a kelvin, by the end of their kind."""
    currency: str
    date: str
    note: str

    @property
    def cost(self) -> float:
        return sum(part.cost for part in self.parts)


def read() -> Bill:
    return parse(tomllib.loads((HERE / "parts.toml").read_text(encoding="utf-8")))


def parse(data: dict[str, Any]) -> Bill:
    """Return the bill of parsed TOML. Raise TypeError for a part with a missing or an unknown key."""
    lists = ("alternates", "designators", "fits")
    parts = []
    for entry in data["part"]:
        fields: dict[str, Any] = {key: tuple(it) if key in lists else it for key, it in entry.items()}
        parts.append(Part(**fields))
    return Bill(
        tuple(parts), tuple(Tool(**entry) for entry in data["tool"]), data["tolerance"], data["drift"], **data["basis"]
    )


def expanded(pattern: str) -> Iterator[str]:
    """``P{1-2}_R1`` is P1_R1, P2_R1."""
    match = re.search(r"\{(\d+)-(\d+)\}", pattern)
    if not match:
        yield pattern
        return
    for number in range(int(match[1]), int(match[2]) + 1):
        yield from expanded(pattern[: match.start()] + str(number) + pattern[match.end() :])


def faults(bill: Bill, wiring: Wiring) -> list[str]:
    """Return where bill and wiring disagree, in words."""
    found = []
    kinds = {name: it.kind for name, it in wiring.components.items()} | {n: it.kind for n, it in wiring.cables.items()}
    listed = Counter(place for part in bill.parts for place in part.places)
    found += [f"{name} is in the wiring and not in the bill" for name in kinds if not listed[name]]
    found += [f"{name} is in the bill {times} times" for name, times in listed.items() if times > 1]
    for part in bill.parts:
        for place in part.places:
            if place not in kinds:
                found.append(f"{part.name}: there is no {place} in the wiring")
            elif kinds[place] != part.name:
                found.append(f"{place} is {part.name} in the bill and {kinds[place]} in the wiring")
        found += [f"{part.name}: nothing called {seat} is wired" for seat in part.seats if seat not in kinds]
        needed = _needed(part, wiring)
        if part.quantity < needed:
            found.append(f"{part.name}: {part.quantity:g} in the bill, {needed:g} needed")
    names = Counter(part.name for part in bill.parts)
    found += [f"{name} has {times} entries" for name, times in names.items() if times > 1]
    return found


def _needed(part: Part, wiring: Wiring) -> float:
    places = [place for place in part.places if place in wiring.components or place in wiring.cables]
    if part.unit == "m":
        return sum(wiring.cables[place].metres() for place in places)
    if part.unit == "pixels":
        return sum(int(wiring.components[place].subtype.split()[0]) for place in places)
    return len(part.places) + part.per * len(part.seats)


def _cables(wiring: Wiring) -> list[str]:
    """Return the cables as a section of Markdown: what each is cut of, and what it joins."""
    lines = [
        "## Cables",
        "",
        "Lengths are those of each wire. Colours in the order of the pins: "
        + ", ".join(f"{short} {name}" for short, name in COLOURS.items())
        + ".",
        "",
        "| cable | of | metres | from | to | colours |",
        "| --- | --- | ---: | --- | --- | --- |",
    ]
    for cable in wiring.cables.values():
        here, there = (
            " and ".join(dict.fromkeys(component for component, _ in side))
            for side in zip(*cable.ends.values(), strict=True)
        )
        lines.append(
            f"| {cable.name} | {cable.kind} | {cable.length:g} | {here} | {there} | {' '.join(cable.colours)} |"
        )
    return [*lines, ""]


def table(bill: Bill, wiring: Wiring) -> str:
    """Return the bill, the list of cables and the tools as a page of Markdown."""
    lines = [
        "# Parts",
        "",
        "Made of `parts.toml` by `python -m hardware.draw`; change it there.",
        "",
        f"**{bill.note}** In {bill.currency}, as of {bill.date}. Nothing has been built from this bill yet.",
        "",
        "| part | number | maker | needed | bought | each | in all | where | used for | alternates |",
        "| --- | --- | --- | ---: | ---: | ---: | ---: | --- | --- | --- |",
    ]
    for part in bill.parts:
        where = ", ".join(part.designators) or ("on " + ", ".join(part.fits) if part.fits else "")
        unit = f" {part.unit}" if part.unit else ""
        bought = f"{part.items:g}" + (f" × {part.pack:g}" if part.pack != 1 else "")
        lines.append(
            f"| {part.name} | {part.number} | {part.maker} | {part.quantity:g}{unit} | {bought} | {part.price:.2f} "
            f"| {part.cost:.2f} | {where} | {part.use} | {'; '.join(part.alternates)} |"
        )
    lines += [
        "",
        f"Estimated sum: about {5 * round(bill.cost / 5)} {bill.currency}. Order sheets: `make hardware`.",
        "",
    ]
    lines += _cables(wiring)
    lines += ["## Tools", "", "Not in the sum; borrow them.", "", "| tool | about |", "| --- | ---: |"]
    lines += [f"| {tool.name} | {tool.price:.0f} |" for tool in bill.tools]
    lines.append("")
    return "\n".join(lines)
