"""The icon of the pages, as SVG and PNG, and what a phone is told that puts them on its home screen."""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Callable, Mapping
from functools import partial
from math import hypot

from tablier.games.core.drawing import DARK, GROUND

SIDE = 32
SHAPES = ((32.0, 7.0, "#7c5a3c"), (20.0, 4.0, "#2f5d50"), (10.0, 5.0, "#f4c95d"))
"""One in another, by side, radius of the corners and colour: the table, the arena, a light."""
SIZES = (180, 192, 512)
"""Of the pictures: for iOS, and two that a manifest has to have."""
SVG, MANIFEST, TOUCH = "icon.svg", "manifest.json", f"icon-{SIZES[0]}.png"
LIGHT_GROUND, DARK_GROUND = GROUND, DARK[GROUND]


def svg() -> bytes:
    """Return the icon as SVG."""
    shapes = "".join(
        f'<rect x="{(SIDE - side) / 2:g}" y="{(SIDE - side) / 2:g}" width="{side:g}" height="{side:g}" rx="{radius:g}"'
        f' fill="{colour}"/>'
        for side, radius, colour in SHAPES
    )
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {SIDE} {SIDE}">{shapes}</svg>'.encode()


def png(size: int) -> bytes:
    """Return the icon as PNG, up to its edges: a phone cuts corners off as it likes."""
    half, unit = (size + 1) // 2, SIDE / size
    rows = []
    for y in range(half):  # it is the same from all sides: a quarter is reckoned
        left = [_colour_at((x + 0.5) * unit - SIDE / 2, (y + 0.5) * unit - SIDE / 2, unit) for x in range(half)]
        rows.append(b"\0" + b"".join(left) + b"".join(reversed(left[: size - half])))
    data = b"".join([*rows, *reversed(rows[: size - half])])
    head = struct.pack(">IIBBBBB", size, size, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", head), (b"IDAT", zlib.compress(data, 9)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(name, body) for name, body in chunks)


def manifest() -> bytes:
    """Return what a browser is told to install the pages by: it begins with the seat."""
    icons = [{"src": f"icon-{size}.png", "sizes": f"{size}x{size}", "type": "image/png"} for size in SIZES]
    drawn = {"src": SVG, "sizes": "any", "type": "image/svg+xml"}
    whole = {**icons[-1], "purpose": "maskable"}
    told = {
        "name": "Tablier",
        "short_name": "Tablier",
        "id": "/seat",
        "start_url": "/seat",
        "scope": "/",
        "display": "standalone",
        "background_color": LIGHT_GROUND,
        "theme_color": LIGHT_GROUND,
        "icons": [*icons, drawn, whole],
    }
    return json.dumps(told).encode()


FILES: Mapping[str, Callable[[], bytes]] = {
    SVG: svg,
    MANIFEST: manifest,
    **{f"icon-{size}.png": partial(png, size) for size in SIZES},
}
"""By name: makes the file. The large pictures take a quarter of a second of processor."""


def _colour_at(x: float, y: float, unit: float) -> bytes:
    """Return the colour at a place, counted from the middle; ``unit``: how wide a pixel is."""
    colour = _parts(SHAPES[0][2])
    for side, radius, inner in SHAPES[1:]:
        away = [max(abs(each) - side / 2 + radius, 0) for each in (x, y)]
        covered = min(max((radius - hypot(*away)) / unit + 0.5, 0.0), 1.0)
        if covered:
            colour = [old + (new - old) * covered for old, new in zip(colour, _parts(inner), strict=True)]
    return bytes(round(each) for each in colour)


def _parts(colour: str) -> list[float]:
    return [float(each) for each in bytes.fromhex(colour[1:])]


def _chunk(name: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))


__all__ = ["DARK_GROUND", "FILES", "LIGHT_GROUND", "MANIFEST", "SVG", "TOUCH", "manifest", "png", "svg"]
