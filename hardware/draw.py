"""Makes what is made of the data and kept beside it: drawings, files to cut by, pages, the diagram for Wokwi.

    python -m hardware.draw

Needs PyYAML, shapely and numpy. Refuses to draw what does not fit together.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

from hardware import (
    HERE,
    arena,
    bill,
    check,
    guide,
    joints,
    mechanics,
    nets,
    order,
    page,
    plan,
    schematic,
    sheets,
    starter,
    steps,
    supply,
    wokwi,
)
from hardware.boards import diagram, pictures
from hardware.boards import model as boards

DRAWINGS = HERE / "drawings"
STEPS = DRAWINGS / "steps"
BOARDS = DRAWINGS / "boards"
CUT = HERE / "cut"


def documents() -> dict[Path, str]:
    """Return all files that need no other program: path → content."""
    wiring = nets.Wiring(nets.read())
    geometry = arena.read()
    schematics = schematic.read()
    pins = {pin["name"]: pin["gpio"] for pin in check.read_pins()}
    placed = [boards.board(name, wiring, boards.read()) for name in boards.NAMES]
    return {
        **{board.file.with_suffix(".kicad_sch"): diagram.draw(board, wiring) for board in placed},
        HERE / "PARTS.md": bill.table(bill.read(), wiring),
        HERE / "KIT.md": guide.table(guide.read(), bill.read(), (HERE / "BUILD.md").read_text(encoding="utf-8")),
        HERE / "SUPPLY.md": supply.table(supply.read(), wiring),
        **{BOARDS / name: content for name, content in pictures.files(placed, guide.read()).items()},
        DRAWINGS / "arena.svg": plan.plan(geometry).dumps(),
        DRAWINGS / "joints.svg": joints.drawing().dumps(),
        DRAWINGS / "loom.svg": plan.loom(wiring).dumps(),
        HERE / "PIECES.md": _pieces(geometry),
        **{DRAWINGS / f"{name}.svg": schematic.draw(name, schematics, wiring) for name in schematics},
        **{CUT / name: content for name, content in sheets.files(geometry).items()},
        HERE / "wokwi/table/diagram.json": wokwi.diagram(pins),
        **starter.documents(),
        page.FILE: page.measures(geometry),
    }


def faults() -> list[str]:
    """Return what does not fit together of all that is drawn here, in words."""
    wiring, geometry = nets.Wiring(nets.read()), arena.read()
    found = wiring.problems + bill.faults(bill.read(), wiring) + supply.faults(supply.read(), wiring)
    loose = boards.read()["loose"]
    found += boards.faults(wiring, boards.read()) + schematic.faults(schematic.read(), wiring, loose)
    found += starter.faults(starter.read(), check.read_pins())
    found += arena.faults(geometry) + guide.faults(guide.read(), bill.read(), wiring)
    if found:
        return found
    return mechanics.faults(geometry) + sheets.text_faults(geometry)


def _pieces(geometry: arena.Data) -> str:
    """Return the page of what is cut."""
    kerf = geometry["sheet"]["kerf"]
    cut = sheets.sheets(geometry)
    names = [sheet.name for sheet in cut]
    sizes = Counter(f"{sheet.size[0]:g} × {sheet.size[1]:g} mm" for sheet in cut)
    lines = [
        "# Pieces to cut",
        "",
        "Made of `arena.toml` by `python -m hardware.draw`; change it there.",
        "",
        f"Plywood of {geometry['tray']['sheet']:g} mm: "
        + ", ".join(f"{count} of {it}" for it, count in sizes.items())
        + f". Kerf allowed for: {kerf:g} mm"
        + (" (a cutting service does that itself)." if not kerf else "."),
        "Red or layer CUT: cut through, openings first. Blue: engrave. Layer MARK is needed: the guide's steps go"
        " by it; layer TEXT may be left out, and the names written by pencil.",
        "",
        ", ".join(f"{name} ([SVG](cut/{name}.svg), [DXF](cut/{name}.dxf))" for name in [names[-1], *names[:-1]]),
        "",
        sheets.cut_list(geometry),
        *_metres(geometry),
    ]
    return "\n".join(lines)


def _metres(geometry: arena.Data) -> list[str]:
    """Return how much is cut of each sheet, and what a metre of it costs by the bill."""
    prices = {part.name: part.price for part in bill.read().parts}
    lines = ["## What is cut", "", "| sheet | mm | pieces | metres of cut | about, with its wood |",
             "| --- | --- | ---: | ---: | ---: |"]  # fmt: skip
    metres = cost = 0.0
    for sheet in sheets.sheets(geometry):
        price, long = prices[order.PLYWOOD[sheet.kind]], sheets.metres(sheet)
        metres, cost = metres + long, cost + price
        size = f"{sheet.size[0]:g} × {sheet.size[1]:g}"
        lines.append(f"| {sheet.name} | {size} | {len(sheet.pieces)} | {long:.1f} | {price:.0f} EUR |")
    lines.append(f"| in all | | | {metres:.0f} | {cost:.0f} EUR |")
    return [
        *lines,
        "",
        f"By these estimates a metre of cut costs {cost / metres:.2f} EUR with its wood. Services that charge by time"
        " ask for the metres.",
        "",
    ]


def redraw(old: Path, new: Path) -> list[str]:
    """Draw the pictures of the steps into a folder, unless an old one shows the same; return those that were drawn."""
    drawn = []
    for scene in steps.scenes(arena.read()):
        before = old / f"{scene.name}.svg"
        text = before.read_text(encoding="utf-8") if before.exists() else ""
        if scene.stamp() not in text:
            text = steps.picture(scene, arena.read())
            drawn.append(scene.name)
        new.mkdir(parents=True, exist_ok=True)
        (new / before.name).write_text(text, encoding="utf-8")
    return drawn


def main() -> None:
    found = faults()
    if found:
        sys.exit("nothing is drawn, because:\n" + "\n".join(f"  {fault}" for fault in found))
    made = documents()
    for path, content in made.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    redraw(STEPS, STEPS)


if __name__ == "__main__":
    main()
