"""Makes what is made of the data and kept beside it: drawings, files to cut by, pages, the diagram for Wokwi.

    python -m hardware.draw

Needs PyYAML, shapely and numpy; the drawings of the wiring also need WireViz and Graphviz, and are left as they are without them.
Refuses to draw what does not fit together.
"""

from __future__ import annotations

import hashlib
import importlib.util
import re
import shutil
import sys
from pathlib import Path

from hardware import HERE, arena, bill, check, mechanics, nets, plan, sheets, steps, supply, wokwi

DRAWINGS = HERE / "drawings"
STEPS = DRAWINGS / "steps"
CUT = HERE / "cut"
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
        DRAWINGS / "arena.svg": plan.plan(geometry).dumps(),
        HERE / "PIECES.md": _pieces(geometry),
        **{CUT / name: content for name, content in sheets.files(geometry).items()},
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
    if found:
        return found
    both = mechanics.worlds(geometry)
    found = mechanics.sight_faults(geometry, both[0])
    for world in both:
        found += mechanics.overlaps(world.items.values()) + mechanics.blocked(world)
        found += mechanics.web_faults(geometry, world.pieces())
    return found


def _pieces(geometry: arena.Data) -> str:
    """Return the page of what is cut."""
    kerf, size = geometry["sheet"]["kerf"], geometry["sheet"]["size"]
    names = [sheet.name for sheet in sheets.sheets(geometry)]
    lines = [
        "# Pieces to cut",
        "",
        "Made of `arena.toml` by `python -m hardware.draw`; change it there.",
        "",
        f"Plywood of {geometry['tray']['sheet']:g} mm, {len(names) - 1} sheets of {size[0]:g} × {size[1]:g} mm, and a coupon."
        f" Kerf allowed for: {kerf:g} mm" + (" (a cutting service does that itself)." if not kerf else "."),
        "Red or layer CUT: cut through, openings first. Blue, or layers MARK and TEXT: engrave, or leave out.",
        "",
        ", ".join(f"{name} ([SVG](cut/{name}.svg), [DXF](cut/{name}.dxf))" for name in [names[-1], *names[:-1]]),
        "",
        sheets.cut_list(geometry),
    ]
    return "\n".join(lines)


def redraw(old: Path, new: Path) -> list[str]:
    """Draw the pictures of the steps into a folder, unless an old one shows the same; return those that were drawn."""
    drawn = []
    for scene in steps.scenes(arena.read()):
        before = old / f"{scene.name}.svg"
        text = before.read_text(encoding="utf-8") if before.exists() else ""
        if scene.stamp() not in text:
            text = steps.picture(scene)
            drawn.append(scene.name)
        new.mkdir(parents=True, exist_ok=True)
        (new / before.name).write_text(text, encoding="utf-8")
    return drawn


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
    redraw(STEPS, STEPS)
    if lacking is not None:
        sys.exit(f"the drawings of the wiring are left as they are: {lacking}")


if __name__ == "__main__":
    main()
