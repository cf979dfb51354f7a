"""How long cables must be, and from which angle on a leaning card is seen."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping

from hardware.arena import Data, deck_z
from hardware.mechanics import box_floor, box_inside, hub_middle, leads

from hardware import HERE


def blind_lean(data: Data, edge: float) -> float:
    """A card that leans with this edge upwards is seen from this angle on, in degrees, on an empty floor."""
    return math.degrees(math.asin((data["tiers"]["low"]) / edge))


def ribbon_lengths(data: Data) -> dict[int, float]:
    """Return the mm of each place's ribbon between the bar on the wall and its plug at the hub, with a tenth to spare
    and 40 mm for the bends."""
    placed = tomllib.loads((HERE / "boards" / "boards.toml").read_text(encoding="utf-8"))["board"]["hub"]["part"]
    (hub_x, hub_y), inner = hub_middle(data), box_inside(data)
    bar = deck_z(data) - data["tray"]["sheet"] - data["clamp"]["below"]
    plug = box_floor(data) + data["board"]["hub"]["stand_off"] + 1.6 + 15
    found = {}
    for ribbon in data["box"]["ribbon"]:
        x, y = placed[f"J{ribbon['place']}"]["at"]
        along = ribbon["at"]
        walls = {"north": (along, inner), "south": (along, -inner), "east": (inner, along), "west": (-inner, along)}
        way = math.dist((hub_x + x, hub_y + y, plug), (*walls[ribbon["wall"]], bar))
        found[ribbon["place"]] = 1.1 * way + 40
    return found


def short_leads(data: Data, metres: Mapping[str, float]) -> list[str]:
    """Return the deck's cables that do not reach the hub while the deck is propped up, with a tenth to spare and 30 mm
    for their bends."""
    found = []
    for lead in leads(data):
        needed = (1.1 * math.dist(lead.start, lead.end) + lead.beyond + 30) / 1000
        if metres[lead.cable] < needed:
            found.append(f"{lead.cable} is {metres[lead.cable]:g} m long; to {lead.header} it needs {needed:.2f} m")
    return found
