"""Makes everything that is made of the data: drawings, PARTS.md, SUPPLY.md, the diagram for Wokwi.

    python -m hardware.draw

Needs PyYAML; the drawings of the wiring also need WireViz and Graphviz, and are left as they are without them.
Refuses to draw what does not fit together.
"""

from __future__ import annotations

import hashlib
import importlib.util
import re
import shutil
import sys
from pathlib import Path

from hardware import HERE, arena, bill, check, nets, supply, wokwi

DRAWINGS = HERE / "drawings"
SHEETS = HERE / "wiring"
_STAMP = "made of {name}.yml, SHA-256 {digest}"


def documents() -> dict[Path, str]:
    """What needs no other program: path → content."""
    wiring = nets.Wiring(nets.read())
    geometry = arena.read()
    pins = {pin["name"]: pin["gpio"] for pin in check.read_pins()}
    return {
        HERE / "PARTS.md": bill.table(bill.read()),
        HERE / "SUPPLY.md": supply.table(supply.read(), wiring),
        DRAWINGS / "arena.svg": arena.plan(geometry).dumps(),
        DRAWINGS / "arena-cut.svg": arena.cut(geometry).dumps(),
        DRAWINGS / "place-cut.svg": arena.cut_place(geometry).dumps(),
        HERE / "wokwi/diagram.json": wokwi.diagram(pins),
    }


def missing() -> str | None:
    """Which program the drawings of the wiring lack, or None."""
    if importlib.util.find_spec("wireviz") is None:
        return "WireViz is not installed (pip install wireviz)"
    if shutil.which("dot") is None:
        return "Graphviz is not installed (no program called dot)"
    return None


def stamp(name: str) -> str:
    """What a drawing of the wiring says of the file that it was made of."""
    digest = hashlib.sha256((SHEETS / f"{name}.yml").read_bytes()).hexdigest()
    return _STAMP.format(name=name, digest=digest)


def wiring_drawing(name: str) -> str:
    """The SVG of one sheet of the wiring."""
    from wireviz import wireviz

    svg: str = wireviz.parse(SHEETS / f"{name}.yml", return_types="svg")
    svg = re.sub(r"<!--.*?-->\s*", "", svg, flags=re.S)
    svg = re.sub(r"<title>.*?</title>\s*", "", svg, flags=re.S)
    svg = re.sub(r"<!DOCTYPE[^>]*>\s*|<\?xml[^>]*\?>\s*", "", svg)
    # What is drawn without a cable lies on one board: a plain line, not a dashed one.
    svg = svg.replace(' stroke-dasharray="5,2"', "")
    svg = re.sub(r' id="[^"]*"', "", svg)
    svg = re.sub(r"\n+", "\n", svg)
    return svg.replace(">", f">\n<!-- {stamp(name)} -->", 1).strip() + "\n"


def faults() -> list[str]:
    """What does not fit together, of all that is drawn here."""
    wiring, geometry = nets.Wiring(nets.read()), arena.read()
    found = wiring.problems + bill.faults(bill.read(), wiring) + supply.faults(supply.read(), wiring)
    found += arena.faults(geometry)
    return found + arena.cut(geometry).collisions() + arena.cut_place(geometry).collisions()


def main() -> None:
    found = faults()
    if found:
        sys.exit("nothing is drawn, because:\n" + "\n".join(f"  {fault}" for fault in found))
    made = documents()
    lacking = missing()
    if lacking is None:
        made |= {DRAWINGS / f"{path.stem}.svg": wiring_drawing(path.stem) for path in sorted(SHEETS.glob("*.yml"))}
    for path, content in made.items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(content, encoding="utf-8")
    if lacking is not None:
        sys.exit(f"the drawings of the wiring are left as they are: {lacking}")


if __name__ == "__main__":
    main()
