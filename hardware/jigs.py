"""The tables of ``JIG.md`` and what holds ``jig.toml`` to the table: its pins, its wiring, the jig's firmware."""

from __future__ import annotations

import ast
import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from hardware import HERE
from hardware.nets import Wiring

CHAIN = "buttons_data"
"""The input of the table at which all its buttons arrive."""
LATCHED = {"impact": "/HIT"}
"""Signals that are driven at another net than their own: what sets the latch."""
CHIPS = ("U4", "U3", "U2")
"""The button chain's chips in the order in which they are shifted out."""
START, END = "<!-- from jig.toml -->\n", "<!-- to here -->\n"


def read() -> dict[str, Any]:
    return tomllib.loads((HERE / "jig.toml").read_text(encoding="utf-8"))


def firmware_gpios() -> dict[str, int]:
    """Return the GPIOs that the jig's firmware names, by signal."""
    found = {}
    for node in ast.parse((HERE / "jig/main.py").read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            name = node.targets[0].id
            if isinstance(node.value, ast.Constant) and type(node.value.value) is int and name[0] != "_":
                found[name.lower()] = node.value.value
    return found


def faults(jig: Mapping[str, Any], pins: Sequence[Mapping[str, Any]], wiring: Wiring) -> list[str]:
    """Return every disagreement, in words."""
    lines, found = jig["line"], []
    for what in ("name", "gpio", "end"):
        counted = Counter(line[what] for line in lines)
        found += [f"{what} {value} stands {times} times in jig.toml" for value, times in counted.items() if times > 1]
    mine = {line["name"]: line["gpio"] for line in lines}
    other = firmware_gpios()
    found += [
        f"{name} is GP{mine.get(name)} in jig.toml and GP{other.get(name)} in jig/main.py"
        for name in sorted(mine.keys() | other.keys())
        if mine.get(name) != other.get(name)
    ]
    found += [f"{line['name']}: there is no way {line['by']!r}" for line in lines if line["by"] not in jig["how"]]
    inputs = {pin["name"] for pin in pins if pin["direction"] in ("in", "analogue")}
    driven = Counter(line["drives"] for line in lines if "drives" in line and line["drives"] != "reset")
    driven += Counter(jig["undriven"].keys()) + Counter({CHAIN} if jig["button"] else ())
    found += [f"{name} is driven {driven[name]} times" for name in sorted(inputs | driven.keys()) if driven[name] != 1]
    found += [f"{name} is no input of the table" for name in sorted(driven.keys() - inputs)]
    for line in lines:
        signal = line.get("drives") or line.get("reads")
        if signal and not _leads(wiring, line["end"], signal):
            found.append(f"{line['name']} leads to {line['end']}, which is not {signal}")
    return found + _button_faults(jig["button"], wiring)


def _leads(wiring: Wiring, end: str, signal: str) -> bool:
    """Return whether a pin is on the net of a signal, or behind one resistor or gate of it."""
    nodes = [wiring.net(*end.split())]
    if LATCHED.get(signal, signal) in nodes[0].names:
        return True
    near = {name for name, _ in nodes[0].pins}
    return any(
        signal in wiring.net(name, pin).names
        for name in near
        if name[0] == "R" and len(wiring.components[name].pins) == 2
        for pin in wiring.components[name].pins
    ) or any(_fed(wiring, name, signal) for name in near)


def _fed(wiring: Wiring, resistor: str, signal: str) -> bool:
    """Return whether a resistor is fed by a gate of the level shifter whose input is the signal."""
    if resistor[0] != "R":
        return False
    for pin in wiring.components[resistor].pins:
        for name, out in wiring.net(resistor, pin).pins:
            label = wiring.components[name].label(out)
            if label.endswith("Y") and signal in wiring.net(name, label.replace("Y", "A")).names:
                return True
    return False


def _button_faults(buttons: Sequence[Mapping[str, Any]], wiring: Wiring) -> list[str]:
    """Follow each button from its plug through its resistor to the chain: its bit is its place there."""
    found = []
    if sorted(it["bit"] for it in buttons) != list(range(24)):
        found.append("the buttons' bits are not 0 to 23, each once")
    for it in buttons:
        name, pin = it["end"].split()
        what = f"{it['name']} of place {it['place']}"
        if wiring.components[name].label(pin) != it["name"].upper() or name != f"J{it['place']}":
            found.append(f"{what} leads to {it['end']}, which is another button")
        shifted = _chain_bit(wiring, name, pin)
        if shifted != it["bit"]:
            found.append(f"{what} is bit {it['bit']}, but {it['end']} is shifted out as {shifted}")
    return found


def _chain_bit(wiring: Wiring, name: str, pin: str) -> int | None:
    for series, end in wiring.net(name, pin).pins:
        if series not in ("RN4", "RN5", "RN6"):
            continue
        for chip, at in wiring.net(series, 17 - int(end)).pins:
            if chip in CHIPS:
                return CHIPS.index(chip) * 8 + "HGFEDCBA".index(wiring.components[chip].label(at))
    return None


def tables(jig: Mapping[str, Any]) -> str:
    """Return the page's tables."""
    rows = ["| jig | leads to | for | by |", "| --- | --- | --- | --- |"]
    for line in jig["line"]:
        uses = [f"{verb} `{line[verb]}`" for verb in ("drives", "reads") if verb in line] or ["the registers"]
        rows.append(f"| GP{line['gpio']} `{line['name']}` | {line['end']} | {uses[0]} | {line['by']} |")
    rows += ["", "| by | that is |", "| --- | --- |", *(f"| {name} | {text} |" for name, text in jig["how"].items())]
    rows += ["", "| drain | " + " | ".join(f"DRAIN{drain}" for drain in range(8)) + " |", "| --- |" + " --- |" * 8]
    ends = {it["bit"]: f"{it['end']} ({it['place']} {it['name']})" for it in jig["button"]}
    for number, register in enumerate(jig["registers"]["names"]):
        rows.append(f"| {register} | " + " | ".join(ends[number * 8 + drain] for drain in range(8)) + " |")
    rows += ["", f"Registers: {jig['registers']['type']}, {jig['registers']['use']}."]
    rows += ["", *(f"Not driven: `{name}`, {text}." for name, text in jig["undriven"].items())]
    return "\n".join(rows) + "\n"


def page(text: str, jig: Mapping[str, Any]) -> str:
    """Return the page with its tables made anew."""
    before, _, rest = text.partition(START)
    return before + START + "\n" + tables(jig) + "\n" + END + rest.partition(END)[2]


if __name__ == "__main__":
    path = HERE / "JIG.md"
    path.write_text(page(path.read_text(encoding="utf-8"), read()), encoding="utf-8")
