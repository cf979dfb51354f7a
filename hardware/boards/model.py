"""The boards as data: which component of the wiring sits where, on which net each of its legs is.

Connections come from the wiring (`hardware.nets`) alone; ``boards.toml`` says where parts are placed and which
footprint a kind of part has. Places are millimetres from a board's middle, x to the right and y upwards, seen from
the front.
"""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hardware import HERE, arena
from hardware.nets import Net, Pin, Wiring
from hardware.tools import Broken

FOLDER = HERE / "boards"
NAMES = ("place", "side", "hub")


class Fault(Broken):
    """The data of a board contradict themselves or the wiring; the message says where."""


@dataclass(frozen=True)
class Part:
    ref: str
    """As the board names it: without the prefix of its copy."""
    component: str
    """As the wiring names it."""
    value: str
    footprint: str
    at: tuple[float, float]
    turn: float
    back: bool
    pads: Mapping[str, str]
    """Net by pad; empty for a leg that is left free."""
    pins: Mapping[str, str]
    """The wiring's pin by pad."""
    ref_text: tuple[float, float, float] | None
    value_text: tuple[float, float, float] | None
    labels: Mapping[str, str]
    """Names of legs that the silk has, by pad."""
    label_offset: tuple[float, float, float] | None


@dataclass(frozen=True)
class Board:
    name: str
    title: str
    copies: tuple[str, ...]
    """The prefix of the components' names on each of several alike boards; one empty text for a single board."""
    size: tuple[float, float]
    corner: float
    holes: tuple[tuple[float, float], ...]
    parts: tuple[Part, ...]
    texts: tuple[Mapping[str, Any], ...]
    pours: tuple[Mapping[str, Any], ...]
    """Boxes of copper on both layers, beside that of the ground."""
    widths: Mapping[str, tuple[float, float]]
    """By net: the width of its tracks, and the one that it necks down to."""
    rules: Mapping[str, Any]

    @property
    def file(self) -> Path:
        return FOLDER / f"{self.name}.kicad_pcb"

    def nets(self) -> list[str]:
        return sorted({net for part in self.parts for net in part.pads.values() if net})


def read() -> dict[str, Any]:
    return tomllib.loads((FOLDER / "boards.toml").read_text(encoding="utf-8"))


def meeting(geometry: Mapping[str, Any]) -> dict[tuple[str, str], tuple[float | None, float | None]]:
    """Return where the mechanics want parts: x and y by board and part, None where any will do."""
    place, tiers, side = geometry["place"], geometry["tiers"], geometry["board"]["side"]
    low, rim = round(tiers["low"] - side["z"], 3), round(tiers["rim"] - side["z"], 3)
    across = tiers["across"]
    openings = {opening["name"]: opening["x"] for opening in geometry["box"]["opening"]}
    return {
        **{("place", f"SW{number}"): (x, 0.0) for number, x in enumerate(place["buttons_x"], 1)},
        ("side", "D1"): (-across, low),
        ("side", "D4"): (-across, rim),
        ("side", "D3"): (across, low),
        ("side", "D2"): (across, rim),
        ("hub", "SW1"): (openings["service"], None),
        ("hub", "SW2"): (openings["reset"], None),
        ("hub", "A1"): (openings["USB"], None),
        # The jack's mouth is in line with two of its legs, and the third stands aside.
        ("hub", "J16"): (openings["5 V"] + 2.35, None),
    }


def faults(wiring: Wiring, data: Mapping[str, Any]) -> list[str]:
    """Return what the boards lack or have too much of, and which parts miss the mechanics."""
    found = []
    for (board_name, ref), wanted in meeting(arena.read()).items():
        at = data["board"][board_name]["part"].get(ref, {}).get("at", (math.inf, math.inf))
        if any(want is not None and abs(want - have) > 0.05 for want, have in zip(wanted, at, strict=True)):
            found.append(
                f"{board_name}: {ref} is at {at}, and arena.toml wants it at {wanted}: move it and route again"
            )
    loose = set(data["loose"])
    prefixes = [copy for board in data["board"].values() for copy in board["copies"]]
    for name in wiring.components:
        prefix, _, ref = name.rpartition("_")
        boards = [board for board in data["board"].values() if prefix in board["copies"]]
        placed = any(ref in board["part"] for board in boards)
        if prefix not in prefixes:
            found.append(f"{name} belongs to no board")
        elif placed and name in loose:
            found.append(f"{name} is on a board and said to be loose")
        elif not placed and name not in loose:
            found.append(f"{name} is neither placed nor loose")
    for board_name, board in data["board"].items():
        for ref in board["part"]:
            for copy in board["copies"]:
                if (f"{copy}_{ref}" if copy else ref) not in wiring.components:
                    found.append(f"{board_name}: {ref} is not in the wiring")
    return found


def board(name: str, wiring: Wiring, data: Mapping[str, Any]) -> Board:
    """Return a board with all its nets. Raise `Fault` if the wiring has a part that the board cannot take."""
    spec, shape = data["board"][name], arena.read()["board"][name]
    copy = spec["copies"][0]
    refs = {(f"{copy}_{ref}" if copy else ref): ref for ref in spec["part"]}
    names = _net_names(wiring, copy, set(refs))
    parts = []
    for component, ref in refs.items():
        parts.append(_part(component, ref, spec["part"][ref], wiring, names, data))
    nets = {net for part in parts for net in part.pads.values() if net}
    widths = {}
    for net in nets:
        rule = next((rule for rule in data["width"] if any(re.fullmatch(it, net) for it in rule["nets"])), None)
        if rule is None:
            raise Fault(f"{name}: no width for the net {net}")
        widths[net] = float(rule["width"]), float(rule["neck"])
    return Board(
        name,
        spec["title"],
        tuple(spec["copies"]),
        (float(shape["outline"][0]), float(shape["outline"][1])),
        float(spec["corner"]),
        tuple((float(x), float(y)) for x, y in shape["holes"]),
        tuple(parts),
        tuple(spec.get("text", ())),
        tuple(spec.get("pour", ())),
        widths,
        data["rules"],
    )


def _part(
    component: str,
    ref: str,
    place: Mapping[str, Any],
    wiring: Wiring,
    names: Mapping[Pin, str],
    data: Mapping[str, Any],
) -> Part:
    wired = wiring.components[component]
    package = next((it for it in data["package"] if any(re.fullmatch(kind, wired.kind) for kind in it["kinds"])), None)
    if package is None:
        raise Fault(f"{component}: boards.toml has no package for {wired.kind!r}")
    given = package.get("pads", {})
    pins = {str(given.get(pin, number)): pin for number, pin in enumerate(wired.pins, 1)}
    if len(pins) != len(wired.pins):
        raise Fault(f"{component}: two pins on one pad of {package['footprint']}")
    at, turn, back = (
        (float(place["at"][0]), float(place["at"][1])),
        float(place.get("turn", 0)),
        place.get("back", False),
    )

    def text(key: str, at: tuple[float, float] = at) -> tuple[float, float, float] | None:
        offset = place.get(key, package.get(key))
        if not offset:
            return None
        x, y = (-offset[0] if back else offset[0]), offset[1]
        angle = math.radians(turn)
        upright = (turn + (offset[2] if len(offset) > 2 else 0)) % 180
        return (
            round(at[0] + x * math.cos(angle) - y * math.sin(angle), 4),
            round(at[1] + x * math.sin(angle) + y * math.cos(angle), 4),
            upright,
        )

    pads = {pad: names.get((component, pin), "") for pad, pin in pins.items()}
    value = place.get("value", _short(wired.kind))
    return Part(
        ref,
        component,
        value,
        place.get("footprint", package["footprint"]),
        at,
        turn,
        back,
        pads,
        pins,
        text("ref"),
        text("value_at"),
        {pad: wired.label(pin) for pad, pin in pins.items()},
        text("labels", (0.0, 0.0)),
    )


def _short(kind: str) -> str:
    """Return a value as a board prints it."""
    text = kind.replace(" × ", "x").removeprefix("trimmer ").removeprefix("PTC ")
    return re.sub(r" (?:([kMmµnp])(?:Ω|F)|(Ω)|(A))$", lambda it: it[1] or ("R" if it[2] else "A"), text)


def _net_names(wiring: Wiring, copy: str, components: set[str]) -> dict[Pin, str]:
    """Return a name for each net of a board, by pin; pins that are alone on the board have none."""
    names: dict[Pin, str] = {}
    used: dict[str, Net] = {}
    for net in wiring.nets():
        pins = sorted(pin for pin in net.pins if pin[0] in components)
        if not pins or (len(net.pins) < 2 and not net.names):
            continue
        name = _name(net, pins, copy, wiring)
        if name in used:
            name = f"{name} {pins[0][0].rpartition('_')[2]}.{pins[0][1]}"
        used[name] = net
        names |= dict.fromkeys(pins, name)
    return names


def _name(net: Net, pins: list[Pin], copy: str, wiring: Wiring) -> str:
    """Return the name that a reader expects: the net's own, or that of a plug's pin, or of a leg."""
    if copy:
        signs = [name.removeprefix(f"{copy}_") for name in net.names if name.startswith(f"{copy}_")]
    else:
        signs = [name for name in net.names if not re.match(r"[PB]\d+_", name)]
    if signs:
        return min(signs)
    for component, pin in pins:
        if re.fullmatch(r"J\d+", component.rpartition("_")[2]):
            label = wiring.components[component].label(pin)
            return label if copy else f"{component} {label}"
    component, pin = pins[0]
    return f"{component.rpartition('_')[2]}.{pin}"
