"""Makes everything for building a table into a folder: ``python -m hardware.make build/hardware``.

Each part of it needs its own tools. What a machine lacks is named at the end, with how to get it, and is left out; the
rest is made all the same. The same data give the same files. Exit status 1 when the data do not fit together.
"""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Callable, Collection
from pathlib import Path

from hardware import HERE, arena, book, draw, order, sheets, solids
from hardware.boards import make as boards
from hardware.spice import make as spice
from hardware.tools import Broken, Missing


def _documents(out: Path) -> None:
    """Write pages and drawings; those that are written by hand, or by a simulation, are copied."""
    made = draw.documents()
    kept = [path for path in (*HERE.glob("*.md"), *draw.DRAWINGS.glob("*.svg")) if path not in made]
    contents = made | {path: path.read_text(encoding="utf-8") for path in kept}
    for path, content in contents.items():
        if path.suffix == ".md" or path.is_relative_to(draw.DRAWINGS):
            target = out / path.relative_to(HERE)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(_linked(content) if path.suffix == ".md" else content, encoding="utf-8")
    for name in SOURCES:
        copy = shutil.copytree if (HERE / name).is_dir() else shutil.copy
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        copy(HERE / name, out / name)


SOURCES = (
    "LICENSE",
    "arena.toml",
    "boards/boards.toml",
    "boards/drawings.toml",
    "boards/hub.kicad_sch",
    "boards/place.kicad_sch",
    "boards/side.kicad_sch",
    "guide.toml",
    "jig.toml",
    "jig/main.py",
    "jig/words.py",
    "parts.toml",
    "pins.toml",
    "schematics.toml",
    "simulation",
    "starter.toml",
    "supply.toml",
    "udev",
    "wiring",
    "wokwi",
)
"""The targets of the pages' links besides other pages and what is made."""


def _linked(page: str) -> str:
    """Return a page for the folder, where links out of ``hardware`` would lead nowhere: they say where it is."""
    return re.sub(r"\[([^\]]+)\]\(\.\./([^)#]+)[^)]*\)", r"\1 (`\2` in the sources)", page)


def _cut(out: Path) -> None:
    folder = out / "cut"
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in sheets.files(arena.read()).items():
        (folder / name).write_text(content, encoding="utf-8")


def _pictures(out: Path) -> None:
    draw.redraw(draw.STEPS, out / "drawings/steps")


def _solids(out: Path) -> None:
    solids.make(arena.read(), out / "solids")


def _orders(out: Path) -> None:
    for name, content in order.files().items():
        (out / "order").mkdir(parents=True, exist_ok=True)
        # The mark at the start lets spreadsheets read Ω and × right.
        (out / "order" / name).write_text(content, encoding="utf-8-sig")


MAKERS: dict[str, Callable[[Path], None]] = {
    "pages and drawings": _documents,
    "files to cut by": _cut,
    "pictures of the steps": _pictures,
    "order sheets": _orders,
    "solids": _solids,
    "circuit boards": boards.make,
    "rules of the schematics": boards.circuits,
    "pictures of the boards": boards.pictures,
    "lists of parts to tick off": boards.bills,
    "simulated circuits": spice.make,
    "guide as PDF": book.make,
}


def make(out: Path, without: Collection[str] = ()) -> list[str]:
    """Make everything into a folder that is emptied first, ``without`` some of it; return what was left out, and why.

    Raise Broken when the data do not fit together, or what is made of them is not as it must be.
    """
    found = draw.faults()
    if found:
        raise Broken("\n".join(("nothing is made, because:", *(f"  {fault}" for fault in found))))
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    left_out = []
    for title, part in MAKERS.items():
        if title in without:
            continue
        try:
            part(out)
            print(f"{title}: done", flush=True)
        except Missing as missing:
            left_out.append(f"{title}: {missing}")
        except Broken as broken:
            raise Broken(f"{title}: {broken}") from broken
    return left_out


def main(arguments: list[str]) -> int:
    """Make everything; return the exit status."""
    out = Path(arguments[0]) if arguments else Path("build/hardware")
    try:
        left_out = make(out)
    except Broken as broken:
        print(broken, file=sys.stderr)
        return 1
    count = sum(1 for path in out.rglob("*") if path.is_file())
    print(f"{count} files in {out}")
    for line in left_out:
        print(f"left out: {line}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
