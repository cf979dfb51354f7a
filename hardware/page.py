"""The measures by which the table is drawn on a page: a file of the host, which has no other way to ``arena.toml``."""

from __future__ import annotations

import json
from typing import Any

from hardware import HERE
from hardware.arena import Data, pillar, ring, turned

FILE = HERE.parent / "host" / "tablier" / "web" / "measures.json"
APART = 30.0
"""mm between box and places, and between the two places at a wall: assumed, ribbons of 0.6 m allow more."""
_WALLS = ("south", "west", "north", "east")
"""Clockwise, from that of place 1."""


def measures(data: Data) -> str:
    """Return what is seen of the table from above, as JSON: lengths in mm from the middle of the tray, y to the north.

    A place's own are from the middle of the player's edge, y away from the player.
    """
    tower, cover, place, tray = data["tower"], data["cover"], data["place"], data["tray"]
    depth = tower["layers"] * tray["sheet"]
    pixels = [
        [(index - (place["pixels"] - 1) / 2) * place["pitch"], place["window_y"]] for index in range(place["pixels"])
    ]
    found: dict[str, Any] = {
        "deck": data["deck"]["size"],
        "frame": data["frame"]["outer"],
        "tray": tray["inner"],
        "card": [data["card"]["width"], data["card"]["length"]],
        "tower": [tower["width"], tower["inside"], depth],
        "cover": [cover["width"], tower["inside"] + depth, cover["outside"]],
        "pillars": [[turned(point, turn) for point in pillar(data)] for turn in range(4)],
        "film": [data["ring"]["out"], data["ring"]["strip"]],
        "ring": ring(data),
        "places": [_stand(data, each["place"], each["wall"]) for each in data["box"]["ribbon"]],
        "panel": place["panel"],
        "hood": [place["hood"][0], place["hood"][1], place["hood_y"]],
        "window": [*place["window"], place["window_y"]],
        "hood_pixels": pixels,
        "public": [0, place["public_y"], place["public"]],
        "buttons": [[x, place["buttons_y"]] for x in place["buttons_x"]],
        "key": place["key"],
        "sign": [*place["sign"], place["sign_y"]],
        "number": place["number"],
    }
    lines = [f"  {json.dumps(key)}: {json.dumps(_plain(value))}" for key, value in found.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _stand(data: Data, number: int, wall: str) -> dict[str, float]:
    """Return where a place stands before its wall: how many quarters clockwise from the south, the middle along the
    wall, to the right of who sits there, and how far its player's edge is from the table's middle."""
    width, depth = data["place"]["panel"]
    there = [each["place"] for each in data["box"]["ribbon"] if each["wall"] == wall]
    # Clockwise, each place is to the left of the one before it, as those see it who sit at that wall.
    along = ((len(there) - 1) / 2 - sorted(there).index(number)) * (width + APART)
    return {"quarters": _WALLS.index(wall), "along": along, "edge": data["deck"]["size"] / 2 + APART + depth}


def _plain(value: Any) -> Any:
    """Return a value with lengths as short as they can be written."""
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    rounded = round(float(value), 2)
    return int(rounded) if rounded == int(rounded) else rounded
