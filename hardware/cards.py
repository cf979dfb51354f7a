"""Which cards an arena can be drawn for, and what differs for them.

    python -m hardware.cards                      what follows for the cards of arena.toml
    python -m hardware.cards use NAME             write a preset's numbers into arena.toml: poker, bridge, 59x92, tarot,
                                                  each with ", thin" or ", thick"
    python -m hardware.cards use 63 88 0.31       the same for a size that you measured: width, length, thickness
    python -m hardware.cards table                write CARDS.md: all presets and fifty sizes; takes minutes

Exit status 1 for cards for which no arena can be drawn; it says which number would have to be another.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass

from hardware import HERE, arena, mechanics, sheets
from hardware.arena import Data

FILE = HERE / "CARDS.md"
SIZES = {"poker": (63.0, 88.0), "bridge": (57.0, 89.0), "59x92": (59.0, 92.0), "tarot": (70.0, 120.0)}
THICK = {"thin": 0.28, "thick": 0.4}
PRESETS = {f"{name}, {how}": (*size, mm) for name, size in SIZES.items() for how, mm in THICK.items()}
_WIDTHS = (54.0, 56.0, 57.0, 59.0, 61.0, 63.0, 65.0, 66.0, 68.0, 70.0)
_LENGTHS = (84.0, 92.0, 100.0, 110.0, 120.0)
_THICKNESSES = (0.24, 0.28, 0.32, 0.36, 0.4)


@dataclass(frozen=True)
class Cards:
    """Cards of one size, and the arena that is made for them."""

    width: float
    length: float
    thickness: float

    @property
    def data(self) -> Data:
        read = tomllib.loads((HERE / "arena.toml").read_text(encoding="utf-8"))
        card = {"width": self.width, "length": self.length, "thickness": self.thickness, "others": []}
        return arena.derived(read | {"card": read["card"] | card})

    def faults(self, solids: bool = True) -> list[str]:
        """Return why no arena can be drawn for them, in words; without ``solids``, by the lengths only."""
        data = self.data
        found = arena.faults(data)
        return found if found or not solids else mechanics.faults(data) + sheets.text_faults(data)


def fifty() -> list[Cards]:
    """Return fifty sizes from 54 × 84 to 70 × 120 mm and 0.24 to 0.40 mm."""
    return [
        Cards(width, length, _THICKNESSES[(column + row) % 5])
        for row, width in enumerate(_WIDTHS)
        for column, length in enumerate(_LENGTHS)
    ]


def differs(data: Data) -> str:
    """Return what an arena has in place of what the bill and the guide say, in words."""
    usual, found = arena.read(), []
    for name, one, other in (
        (
            "frame's stand-offs",
            data["tray"]["rim"] - data["tray"]["sheet"],
            usual["tray"]["rim"] - usual["tray"]["sheet"],
        ),
        ("covers' stand-offs", data["cover"]["stand_off_length"], usual["cover"]["stand_off_length"]),
    ):
        if one != other:
            found.append(f"{name} {one - arena.deck_z(data):g} mm" if "frame" in name else f"{name} {one:g} mm")
    if len(data["tray"]["washers"]) != len(usual["tray"]["washers"]):
        found.append(f"{len(data['tray']['washers'])} washers")
    if data["deck"]["size"] != usual["deck"]["size"]:
        found.append(f"deck and box {data['deck']['size']:g} mm")
    return ", ".join(found)


def table() -> str:
    """Return the page of what can be drawn, every row drawn anew."""
    lines = [
        "# Cards",
        "",
        "Made by `python -m hardware.cards table`. For each preset the whole table is drawn, and every part tried for"
        " room; for the fifty sizes all lengths are asked (`make thorough` draws those too). *Tray* is its inner side,"
        " *beams* the height of the low ones above its floor, *wood* the sheets of 600 × 400 mm, the last of which may"
        " be a part of one. The circuit boards are the same for all. *Instead*: what the bill and the guide say"
        " otherwise. A thickness is that of one card: measure forty with a calliper and divide.",
        "",
        "`python -m hardware.cards use tarot, thick` writes a preset's numbers into `arena.toml`, `use 61 92 0.31` your"
        " own; then `python -m hardware.draw` draws it all.",
        "",
        "## Presets",
        "",
        *_HEAD,
    ]
    lines += [_row(f"{name}: {_name(Cards(*it))}", Cards(*it), solids=True) for name, it in PRESETS.items()]
    lines += ["", "## Fifty sizes", "", *_HEAD]
    lines += [_row(_name(it), it, solids=False) for it in fifty()]
    return "\n".join(lines) + "\n"


_HEAD = ("| card | tray | beams | wood | instead |", "| --- | ---: | ---: | ---: | --- |")


def _name(cards: Cards) -> str:
    return f"{cards.width:g} × {cards.length:g} mm, {cards.thickness:g} mm"


def _row(name: str, cards: Cards, solids: bool) -> str:
    found, data = cards.faults(solids), cards.data
    print(name, *found, sep=": ", flush=True)
    if found:
        return f"| {name} | | | | **not drawn**: {'; '.join(found)} |"
    wood = sum(it.kind != sheets.COUPON for it in sheets.sheets(data)) if solids else ""
    return f"| {name} | {data['tray']['inner']:g} mm | {data['tiers']['low']:g} mm | {wood} | {differs(data)} |"


def rewritten(text: str, cards: Cards) -> str:
    """Return ``arena.toml`` with the numbers of some cards."""
    for key in ("width", "length", "thickness"):
        number = f"{getattr(cards, key):.3f}".rstrip("0")
        text = re.sub(rf"(?m)^{key} = [\d.]+", f"{key} = {number}{'0' if number.endswith('.') else ''}", text, count=1)
    return re.sub(r"(?m)^others = \[.*\]$", "others = []", text, count=1)


def _asked(words: list[str]) -> Cards:
    """Return the cards that a command names. Raise ValueError for words that name none."""
    name = " ".join(words).replace(" ,", ",")
    if name in PRESETS:
        return Cards(*PRESETS[name])
    try:
        width, length, thickness = (float(word) for word in words)
    except ValueError:
        raise ValueError(
            f"{name or 'nothing'}: neither a preset ({'; '.join(PRESETS)}) nor three numbers in mm"
        ) from None
    return Cards(width, length, thickness)


def _said(data: Data) -> Iterator[str]:
    card = data["card"]
    yield f"cards of {card['width']:g} × {card['length']:g} mm, {card['thickness']:g} mm thick"
    yield f"tray {data['tray']['inner']:g} mm, low beams {data['tiers']['low']:g} mm above its floor"
    if differs(data):
        yield f"instead of what the bill says: {differs(data)}"


def main(arguments: list[str]) -> int:
    """Run one command; return the exit status."""
    if not arguments:
        found = arena.faults(arena.read())
        print("\n".join(found or _said(arena.read())))
        return 1 if found else 0
    if arguments == ["table"]:
        FILE.write_text(table(), encoding="utf-8")
        return 0
    if arguments[0] != "use":
        print(__doc__, file=sys.stderr)
        return 2
    try:
        cards = _asked(arguments[1:])
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    found = cards.faults(solids=False)
    if found:
        print("\n".join(found))
        return 1
    file = HERE / "arena.toml"
    before = cards.data
    print("\n".join(_said(before)))
    file.write_text(rewritten(file.read_text(encoding="utf-8"), cards), encoding="utf-8")
    print("now: python -m hardware.draw")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
