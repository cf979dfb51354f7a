"""A genuine choice and what a host can do to imitate one, side by side as the person under the hood sees it.

    python -m tests.tools.pictures.hoods FILE.svg

A simulated table is asked by an honest host and by evil ones; the pixels are the table's own.
"""

from __future__ import annotations

import sys
from pathlib import Path

from tests.firmware.desk import Desk

from tablier_fw import colours, wire

CHOICE = wire.CHOICE, 0, 1, 0, b"\3" + bytes(5), bytes(6), bytes((colours.AZURE, colours.ORANGE))
LIKE_A_CHOICE = (
    (colours.DARK, 0),
    (colours.AZURE, 160),
    (colours.GREEN, 120),
    (colours.ORANGE, 160),
    (colours.DARK, 0),
)
"""As near as a host can come to it: the nearest colour in the place of the mark."""
ROW, WIDTH, LABEL = 70, 690, 380


def looks() -> list[tuple[str, list[str]]]:
    """Return the pictures under the hood of place 1, as (words, five colours)."""
    found = []
    desk = Desk()
    try:
        desk.ask(*CHOICE)
        found.append(("a genuine choice", desk.pixels("hood1")))
        painted = b"".join(bytes((*look, wire.STEADY)) for look in LIKE_A_CHOICE)
        desk.client.want(wire.SCENE, wire.HOOD, painted)
        for words, question in (
            ("painted, while presses are watched", (wire.WATCH, 0, 1)),
            ("painted, while the sensors are checked", (wire.CHECK, 0)),
            ("painted, in a menu, after a", (wire.MENU, 0, 1, 0, 3, b"\1\2")),
            ("painted, nothing asked, after a press", (wire.IDLE, 0)),
        ):
            desk.ask(*question)
            desk.press(1, "a")
            found.append((words, desk.pixels("hood1")))
    finally:
        desk.close()
    return found


def svg(rows: list[tuple[str, list[str]]]) -> str:
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{ROW * len(rows)}" font-family="sans-serif">',
        '<rect width="100%" height="100%" fill="#181818"/>',
    ]
    for number, (words, pixels) in enumerate(rows):
        y = ROW * number + ROW // 2
        lines.append(f'<text x="16" y="{y + 5}" fill="#ddd" font-size="16">{words}</text>')
        for pixel, colour in enumerate(pixels):
            lines.append(f'<circle cx="{LABEL + 60 * pixel}" cy="{y}" r="20" fill="#{colour}" stroke="#555"/>')
    return "\n".join([*lines, "</svg>\n"])


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(svg(looks()), encoding="utf-8")
