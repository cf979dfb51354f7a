"""The power budget: what ``supply.toml`` adds up to, whether the supply and its fuses carry it, and the table."""

from __future__ import annotations

import tomllib
from typing import Any

from hardware import HERE
from hardware.bill import expanded
from hardware.nets import Wiring

Data = dict[str, Any]


def read() -> Data:
    return tomllib.loads((HERE / "supply.toml").read_text(encoding="utf-8"))


def pixels(data: Data, group: Data, capped: bool) -> float:
    """Return the most that one of a group's members draws, in mA: as the firmware caps it, or all white."""
    white, idle = group["each"] * data["pixel"]["white"], group["each"] * data["pixel"]["idle"]
    most: float = idle + (min(group["cap"], white) if capped else white)
    return most


def through(data: Data, fuse: str, capped: bool) -> float:
    """Return the most that flows through one fuse, in mA; everything flows through F1."""
    total = 0.0
    for group in data["pixels"]:
        members = group["count"] if fuse == "F1" else group["count"] / len(list(expanded(group["fuse"])))
        if fuse in ("F1", group["fuse"]):
            total += members * pixels(data, group, capped)
    for load in data["load"]:
        if fuse in ("F1", load.get("fuse")):
            total += load["count"] * load["each"]
    return total


def drop(data: Data, lead: Data, wiring: Wiring) -> float:
    """Return the drop between the rail and the end of a lead, in volts: its fuse, and both ways."""
    fuse = next(it for it in data["fuse"] if it["designator"] == lead["fuse"])
    milliamps = through(data, lead["fuse"], capped=True)
    length = wiring.cables[lead["cable"]].length
    both_ways = length * lead["ohms_per_metre"] * (1 / lead["plus"] + 1 / lead["minus"])
    volts: float = milliamps / 1000 * (fuse["ohms"] + lead["share"] * both_ways)
    return volts


def faults(data: Data, wiring: Wiring) -> list[str]:
    """Return what the supply cannot carry, and where it differs from the wiring; empty when all is well."""
    found = []
    total = through(data, "F1", capped=True)
    if total > 0.8 * data["adapter"]["milliamps"]:
        found.append(f"{total:.0f} mA are more than four fifths of what the adapter gives")
    for fuse in data["fuse"]:
        carried = through(data, fuse["designator"], capped=True)
        if carried > 0.85 * fuse["holds"]:
            found.append(f"{fuse['designator']} carries {carried:.0f} mA and holds {fuse['holds']} mA")
        for name in expanded(fuse["designator"]):
            if name not in wiring.components:
                found.append(f"there is no {name} in the wiring")
            elif f"{fuse['holds'] / 1000:g} A" not in wiring.components[name].kind:
                found.append(f"{name} is {wiring.components[name].kind} in the wiring, and holds {fuse['holds']} mA")
    lowest = data["adapter"]["volts"] * (1 - data["adapter"]["tolerance"])
    for lead in data["lead"]:
        left = lowest - drop(data, lead, wiring) - _main_drop(data)
        if left < data["pixel"]["least_volts"]:
            found.append(f"{lead['to']} gets {left:.2f} V")
    low = sum(it["milliamps"] for it in data["low_volts"])
    if low > data["low_volts_limit"]["milliamps"]:
        found.append(f"the Pico's 3.3 V would have to give {low} mA")
    drawn = sum(group["count"] * group["each"] for group in data["pixels"])
    wired = sum(int(it.subtype.split()[0]) for it in wiring.components.values() if it.kind.startswith("WS2812B"))
    if drawn != wired:
        found.append(f"{drawn} pixels in the budget, {wired} in the wiring")
    found += [
        f"there is no {name} in the wiring" for name in data["guard"]["designators"] if name not in wiring.components
    ]
    for name in [data["adapter"]["designator"]]:
        kind = wiring.components[name].kind
        if f"{data['adapter']['volts']:g} V {data['adapter']['milliamps'] / 1000:g} A" not in kind:
            found.append(f"{name} is {kind} in the wiring")
    return found


def _main_drop(data: Data) -> float:
    """Return what is lost before the rail, in volts: in F1 and the guard behind it."""
    main = next(it for it in data["fuse"] if it["designator"] == "F1")
    volts: float = through(data, "F1", capped=True) / 1000 * (main["ohms"] + data["guard"]["ohms"])
    return volts


def table(data: Data, wiring: Wiring) -> str:
    """The budget as a page of Markdown."""
    lines = [
        "# Supply",
        "",
        "Made of `supply.toml` by `python -m hardware.draw`; change it there. Computed, not measured.",
        "Currents in mA at 5 V.",
        "",
        "## Pixels",
        "",
        f"White is {data['pixel']['white']} mA a pixel, dark {data['pixel']['idle']} mA. The firmware dims each group"
        " to a cap of its own: what lights up under one hood changes nothing elsewhere.",
        "",
        "| group | how many | pixels of each | all white | cap of each | idle | at most, all of them |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    sums = [0.0, 0.0]
    for group in data["pixels"]:
        count, each = group["count"], group["each"]
        white, most = count * pixels(data, group, capped=False), count * pixels(data, group, capped=True)
        sums = [sums[0] + white, sums[1] + most]
        idle = each * data["pixel"]["idle"]
        lines.append(f"| {group['group']} | {count} | {each} | {white:.0f} | {group['cap']} | {idle} | {most:.0f} |")
    lines += [f"| all | | | {sums[0]:.0f} | | | **{sums[1]:.0f}** |", ""]
    lines += [
        "## Everything",
        "",
        "| what | peak | mean |",
        "| --- | ---: | ---: |",
        f"| pixels | {sums[1]:.0f} | {sums[1]:.0f} |",
    ]
    mean = sums[1]
    for load in data["load"]:
        peak = load["count"] * load["each"]
        mean += peak * load["duty"]
        lines.append(f"| {load['name']} | {peak:.0f} | {peak * load['duty']:.0f} |")
    total, gives = through(data, "F1", capped=True), data["adapter"]["milliamps"]
    lines += [
        f"| all | **{total:.0f}** | {mean:.0f} |",
        "",
        f"The adapter gives {gives} mA: {100 * total / gives:.0f} % of it are used at worst.",
        "",
        "## Fuses",
        "",
        "| fuse | holds | carries at most | if a fault made its pixels white |",
        "| --- | ---: | ---: | ---: |",
    ]
    for fuse in data["fuse"]:
        name = fuse["designator"]
        lines.append(
            f"| {name} | {fuse['holds']} | {through(data, name, capped=True):.0f} "
            f"| {through(data, name, capped=False):.0f} |"
        )
    lines += [
        "",
        "The last column is what a firmware without its caps could do. The adapter can give that much, and F1 does not"
        " blow for it: a time-lag fuse carries half as much again for an hour. F2 gives way after some minutes, the"
        " places' PTCs do not. What the fuses are for is a short circuit; a wrong adapter stops at Q5 and Q6.",
        "",
        "## Leads",
        "",
        "| lead | cable | lost on it and its fuse | left of an adapter that is 5 % low |",
        "| --- | --- | ---: | ---: |",
    ]
    lowest = data["adapter"]["volts"] * (1 - data["adapter"]["tolerance"]) - _main_drop(data)
    for lead in data["lead"]:
        lost = drop(data, lead, wiring)
        lines.append(f"| to {lead['to']} | {lead['cable']} | {lost:.2f} V | {lowest - lost:.2f} V |")
    low = sum(it["milliamps"] for it in data["low_volts"])
    lines += [
        "",
        f"A WS2812B needs {data['pixel']['least_volts']} V.",
        "",
        "## 3.3 V",
        "",
        f"The Pico's own regulator feeds the logic: {low} mA of the {data['low_volts_limit']['milliamps']} mA that it"
        " may give.",
        "",
        "| what | mA |",
        "| --- | ---: |",
    ]
    lines += [f"| {it['name']} | {it['milliamps']} |" for it in data["low_volts"]]
    return "\n".join(lines) + "\n"
