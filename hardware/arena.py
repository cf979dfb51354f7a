"""The table's geometry: what follows from ``arena.toml``, and whether it works. Solids: ``mechanics.py``."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from hardware import HERE

Point = tuple[float, float]
Data = dict[str, Any]


def read() -> Data:
    """Return the lengths, with those that follow from others."""
    return derived(tomllib.loads((HERE / "arena.toml").read_text(encoding="utf-8")))


def derived(data: Data) -> Data:
    """Return the lengths as the cards make them, with the frame's size and the depth of the receivers."""
    data = _for_cards(data)
    outer = 2 * (data["tower"]["inside"] + data["tray"]["sheet"])
    length = round(receiver_depth(data), 2)
    return data | {"frame": data["frame"] | {"outer": outer}, "baffle": data["baffle"] | {"length": length}}


ROOM = 5.2
"""The tray is so much wider, in mm, than a card that lies slantwise in it needs, where it may be."""
STAND_OFFS = 5.0
"""The step in mm by which beams rise: stand-offs are sold so."""
MOST_LIFT = 5.0
"""Higher beams would let a card lean under them unseen too far, and hide more of the ring."""
_INNER = {  # what moves out, or in, with half of what the tray is wider
    "tower": ("inside",), "frame": ("stand_off",), "cover": ("outside",), "pad": ("at",), "deck": ("ribbon_at",)
}  # fmt: skip
_OUTER = {  # what moves out only: the strips of the ring cannot be shorter
    "place": ("at",), "deck": ("screws",), "box": ("feet",), "ring": ("out", "film", "cap", "packing"),
}  # fmt: skip
_INNER_WHOLE, _OUTER_WHOLE = (
    {"frame": ("opening",), "deck": ("opening",)},
    {"deck": ("size",), "ring": ("inner_rail", "outer_rail")},
)
_HIGHER = {
    "tiers": ("low", "rim"), "tray": ("rim", "wall"), "tower": ("top", "relief_at"),
    "cover": ("top", "stand_off_length"),
}  # fmt: skip


def tray_range(data: Data) -> tuple[float, float]:
    """Return between which lengths the tray's inner side must lie, for all sizes of cards.

    A card lies flat slantwise; two flat cards overlap and cover the middle, by a millimetre.
    """
    card = data["card"]
    both = [(card["width"], card["length"]), *card["others"]]
    return max((w + h) / math.sqrt(2) for w, h in both), min(2 * w - 2 for w, _ in both)


def lift(data: Data) -> float:
    """Return how much higher than drawn the beams, and all that goes with them, must be for the tallest pile."""
    needed: float = pile_height(data) + data["tiers"]["hole"] / 2 - data["tiers"]["low"]
    return min(STAND_OFFS * max(0, math.ceil(needed / STAND_OFFS - 1e-9)), MOST_LIFT)


def _for_cards(data: Data) -> Data:
    """Return the lengths for the cards: the tray as wide, and the beams as high, as they need."""
    least, most = tray_range(data)
    inner = round(2 * max(min(least + ROOM, most - 0.5), least + 0.2)) / 2
    wider, higher = inner - data["tray"]["inner"], lift(data)
    made = {name: dict(it) if isinstance(it, dict) else it for name, it in data.items()}
    made["tray"]["inner"] = inner
    out = max(wider, 0.0)
    for by, moved in (
        (wider / 2, _INNER),
        (wider, _INNER_WHOLE),
        (out / 2, _OUTER),
        (out, _OUTER_WHOLE),
        (higher, _HIGHER),
    ):
        for part, names in moved.items():
            made[part] |= {name: round(made[part][name] + by, 6) for name in names}
    made["tray"]["washers"] = data["tray"]["spots"][: _washers(data, inner, higher)]
    made["cover"]["stand_off"] = [data["cover"]["stand_off"][0], data["cover"]["stand_off"][1] + wider / 2]
    made["ring"]["rails"] = [at + out / 2 for at in data["ring"]["rails"]]
    made["eye"] = [it | {"out": it["out"] + out / 2} for it in data["eye"]]
    side = data["board"]["side"]
    made["board"] = data["board"] | {"side": side | {"z": side["z"] + higher}}
    # Beside the offer, whose card lies as it may.
    widest = max(data["card"]["width"], *(w for w, _ in data["card"]["others"]), 0.0)
    made["floor"]["pile"] = [widest / 2 + data["floor"]["beside"], data["floor"]["pile"][1]]
    return made


def _washers(data: Data, inner: float, higher: float) -> int:
    """Return with how many washers the tray weighs what its pads want, whatever its wood weighs more or less."""
    tray = data["tray"]
    sheet: float = tray["sheet"]
    ballast: int = tray["ballast"]
    grams: float = tray["washer"][3]

    def wood(inner: float, wall: float) -> float:
        outer = inner + 2 * sheet
        return WOOD_DENSITY * sheet * float(outer**2 + 4 * (inner + sheet) * wall)

    more = wood(inner, tray["wall"] + higher) - wood(tray["inner"], tray["wall"])
    return min(max(ballast - round(more / grams), 0), len(tray["spots"]))


# -- what follows ------------------------------------------------------------------------------------------------


def deck_z(data: Data) -> float:
    """Return how high the deck's upper face is, in mm above the tray's floor."""
    return -float(data["tray"]["sheet"] + data["tray"]["foam"])


def sheet_and_foam(data: Data) -> float:
    """Return how high a pad is that stands in its pocket, one sheet deep, and carries the tray."""
    return float(data["tray"]["sheet"] + data["tray"]["foam"])


def slot_middle(data: Data) -> float:
    """Return how high the middle of the slots in the tray's walls is drawn: the tray sinks, and halfway down they are
    level with the low beams."""
    return float(data["tiers"]["low"] + data["tray"]["sinks"] / 2)


def tray_play(data: Data) -> float:
    """Return how far the tray can move to each side, in mm, until it touches the frame."""
    tray = data["tray"]
    return float(data["frame"]["opening"] / 2 - tray["inner"] / 2 - tray["sheet"])


WOOD_DENSITY = 0.68e-3
"""Grams per mm³ of birch plywood."""
HEAD = 2.4
"""Height of the head of a screw M3, ISO 7045, in mm."""


def pile_height(data: Data) -> float:
    """Return the height of the tallest pile above the floor, in mm."""
    height: float = data["pile"]["cards"] * data["card"]["thickness"] * data["pile"]["looseness"]
    return height


def overlap(data: Data) -> float:
    """By how much two flat cards overlap at least, wherever and however they lie in the tray, in mm.

    Two rectangles are apart only if they are along the normal of one of their edges. For each pair of orientations the
    centres can be as far from each other as the tray lets their bounding boxes move.
    """
    inner, width, length = data["tray"]["inner"], data["card"]["width"], data["card"]["length"]
    cosine = [abs(math.cos(math.radians(degree))) for degree in range(360)]  # a negative index is a negative angle
    placings = []
    for degree in range(180):
        cos, sin = cosine[degree], cosine[degree - 90]
        play = inner - length * cos - width * sin, inner - length * sin - width * cos
        if min(play) >= 0:
            placings.append((degree, *play))
    least = math.inf
    for degree, x_play, y_play in placings:
        for axis, half in ((degree, length / 2), (degree + 90, width / 2)):
            x, y = cosine[axis], cosine[axis - 90]
            for other, x_other, y_other in placings:
                both = half + (length * cosine[other - axis] + width * cosine[other - axis - 90]) / 2
                least = min(least, both - (x * (x_play + x_other) + y * (y_play + y_other)) / 2)
    return least


def covered(data: Data) -> float:
    """Return how far from the middle every flat card covers the floor, in mm; negative if not even the middle."""
    inner, width, length = data["tray"]["inner"], data["card"]["width"], data["card"]["length"]
    least = math.inf
    for degree in range(180):
        angle = math.radians(degree)
        cos, sin = abs(math.cos(angle)), abs(math.sin(angle))
        play = (inner - length * cos - width * sin) / 2, (inner - length * sin - width * cos) / 2
        if min(play) >= 0:
            least = min(least, length / 2 - cos * play[0] - sin * play[1], width / 2 - sin * play[0] - cos * play[1])
    return least


@dataclass(frozen=True)
class Beam:
    """One beam: where it begins and ends, and the boards there."""

    name: str
    emitter: str
    receiver: str
    start: Point
    end: Point
    height: float


def beams(data: Data) -> Iterator[Beam]:
    """Yield all eight beams, named as their receivers' pins are."""
    sides, across, distance = data["side"], data["tiers"]["across"], data["tower"]["inside"] + data["tray"]["sheet"]
    for index, side in enumerate(sides):
        facing = sides[(index + 2) % 4]
        for tier, sign in (("low", 1), ("rim", -1)):
            # Seen from the tray, the low receiver is at the right of its side and the rim receiver at the left.
            end = turned((sign * across, distance), index)
            start = turned((sign * across, -distance), index)
            yield Beam(f"beam_{tier}_{side['beam']}", facing["board"], side["board"], start, end, data["tiers"][tier])


def turned(point: Point, quarters: int) -> Point:
    """Return a point turned clockwise: from north to east, and so on."""
    x, y = point
    for _ in range(quarters):
        x, y = y, -x
    return x, y


def ring(data: Data) -> list[Point]:
    """Return the places of the ring's pixels, in their order."""
    count, pitch = data["ring"]["side"], data["ring"]["pitch"]
    along = [(index - (count - 1) / 2) * pitch for index in range(count)]
    return [turned((x, data["ring"]["out"]), quarter) for quarter in range(4) for x in along]


def pillar(data: Data) -> list[Point]:
    """Return the outline of the north-east pillar: a triangle over the corner, cut off before the beams."""
    outer, clear = data["frame"]["outer"] / 2, data["pillar"]["clear"]
    line = data["tray"]["inner"] + 2 * data["tray"]["sheet"] - data["pillar"]["legs"]  # x + y on the long edge
    return [(outer, outer), (clear, outer), (clear, line - clear), (line - clear, clear), (outer, clear)]


def sizes(data: Data) -> list[Data]:
    """Return the data once for each size of card that the arena must do for."""
    card = data["card"]
    others = [{**data, "card": {**card, "width": w, "length": h}} for w, h in card["others"]]
    return [data, *others]


def receiver_depth(data: Data) -> float:
    """Return how far behind a tower's inner face the receivers' tips lie, in mm."""
    return float(data["tower"]["layers"] * data["tray"]["sheet"] - data["tiers"]["emitter"])


def view(data: Data) -> float:
    """Return the angle from its axis, in degrees, beyond which no light reaches a receiver's lens straight."""
    lens = 5.0
    return math.degrees(math.atan((data["baffle"]["hole"] + lens) / 2 / data["baffle"]["length"]))


def faults(data: Data) -> list[str]:
    """Return what does not fit, in words; empty when all does. What needs the solids is checked by ``mechanics``."""
    refused = refusal(data)
    if refused:
        return [refused]
    found = []
    for variant in sizes(data):
        found += [fault for fault in _card_faults(variant) if fault not in found]
    return (
        found
        + _arena_faults(data)
        + _tower_faults(data)
        + _box_faults(data)
        + _place_faults(data)
        + _sight_faults(data)
    )


def refusal(data: Data) -> str:
    """Return the one number to change where no arena does for the cards; empty where one does."""
    card, across = data["card"], 2 * data["tiers"]["across"]
    for which, (width, length) in (
        ("card", (card["width"], card["length"])),
        *(("card.others", it) for it in card["others"]),
    ):
        if width <= across:
            least = math.ceil(across + 0.1)
            return f"{which}.width: {width:g} mm; at least {least} mm, or a card fits between two beams"
        if length < width:
            return f"{which}.length: {length:g} mm; at least its width, {width:g} mm"
        longest = math.sqrt(2) * (2 * width - 2.5) - width
        if length > longest:
            return (
                f"{which}.length: {length:g} mm; at most {math.floor(longest)} mm for cards {width:g} mm wide, or two"
                " lie side by side wherever one lies flat"
            )
    for width, length in card["others"]:
        alone = {**data, "card": {**card, "others": [[width, length]]}}
        least, most = tray_range(alone)
        if least + 0.5 > most:
            return f"card.others: leave out {width:g} × {length:g} mm: no tray does for both sizes"
    clear = data["tiers"]["low"] - data["tiers"]["hole"] / 2
    if pile_height(data) > clear:
        most = math.floor(1000 * clear / (data["pile"]["cards"] * data["pile"]["looseness"])) / 1000
        return f"card.thickness: {card['thickness']:g} mm; at most {most:g} mm"
    return ""


class _Demands(list[str]):
    def __call__(self, fits: bool, text: str) -> None:
        if not fits:
            self.append(text)


def _card_faults(data: Data) -> list[str]:
    demand = _Demands()
    card = data["card"]
    size = f" of {card['width']:g} × {card['length']:g} mm"
    demand(
        overlap(data) > 1, f"two flat cards{size} can lie side by side: the order of the pile is not that of landing"
    )
    demand(
        covered(data) > 1, f"a flat card{size} can leave the sensor in the middle uncovered: make tray.inner smaller"
    )
    demand(
        (card["width"] + card["length"]) / math.sqrt(2) < data["tray"]["inner"],
        f"a card{size} does not lie flat slantwise",
    )
    demand(2 * data["tiers"]["across"] < card["width"], f"a card{size} fits between two parallel beams")
    # The sensor beside the offer is turned: its short side lies across.
    x, window = data["floor"]["pile"][0], data["floor"]["window"][1]
    demand(x - window / 2 > card["width"] / 2, f"an offer{size} that is laid in its place covers the sensor beside it")
    demand(x + window / 2 < data["tray"]["inner"] / 2, "the sensor beside the offer is under the wall")
    return demand


def _arena_faults(data: Data) -> list[str]:
    demand = _Demands()
    tray, tiers, tower, frame = (data[name] for name in ("tray", "tiers", "tower", "frame"))
    outside = tray["inner"] / 2 + tray["sheet"]
    low = tiers["low"] - tiers["hole"] / 2
    high = pile_height(data)
    demand(low >= high, f"the tallest pile, {high:.1f} mm, reaches the low beams, {low:.1f} mm")
    slot = slot_middle(data) - tray["slot"][1] / 2, slot_middle(data) + tray["slot"][1] / 2
    demand(slot[1] < tray["wall"] - 1.5, "the low beams do not pass through the tray's walls")
    demand(slot[0] >= high, f"a card of the tallest pile, {high:.1f} mm, slips into the slots of the walls")
    play, wide, pad = tray_play(data), tray["slot"][0], data["pad"]
    demand(
        wide >= tiers["hole"] + 2 * play + 0.6,
        f"the tray moves {play:g} mm to each side, and its slots of {wide:g} mm shade the low beams",
    )
    demand(
        abs(pad["height"] - sheet_and_foam(data)) < 0.5,
        f"pads of {pad['height']:g} mm do not carry the tray {tray['foam']:g} mm above the deck",
    )
    demand(tray["sinks"] < tray["foam"] - 1, "the tray sinks onto the deck")
    over = tiers["rim"] - tiers["hole"] / 2 - tray["rim"]
    demand(over >= 3, f"the upper beams run only {over:.1f} mm above the frame: one that warps cuts into them")
    top = tower["top"] - tiers["rim"]
    demand(top >= tiers["body"] / 2, "the towers are too low for the upper emitters")
    demand(top <= 3, f"the towers stand {top:.1f} mm over the upper beams: a card on one seldom hangs down to them")
    step = (tiers["rim"] - tiers["low"]) / 2.54
    demand(abs(step - round(step)) < 1e-6, "the tiers are not a multiple of 2.54 mm apart")
    demand(tower["width"] / 2 >= tiers["across"] + tiers["flange"] / 2 + 1.5, "the towers are too narrow")
    demand(data["pillar"]["clear"] > tiers["across"] + tiers["body"] / 2, "the pillars stand in the beams")
    demand(data["pillar"]["clear"] >= tower["width"] / 2, "pillars and towers stand in each other's way")
    demand(frame["opening"] / 2 > outside, "the frame touches the tray")
    demand(tray["wall"] < tray["rim"], "the pillars touch the tray")
    demand(pad["at"] + pad["size"] / 2 <= outside, "the pads stand out from under the tray")
    demand(4 * data["ring"]["side"] == data["ring"]["pixels"], "the sides of the ring do not make its pixels")
    demand(
        2 * data["ring"]["out"] + data["ring"]["strip"] <= data["deck"]["size"],
        "the ring does not fit on the deck",
    )
    face = -tray["sheet"] - data["floor"]["collars"] * tray["sheet"] + data["floor"]["sensor"][2]
    demand(-3 <= face <= -1, f"the floor's sensors lie {-face:.1f} mm deep; 1 to 3 mm is right for them")
    return demand


def _tower_faults(data: Data) -> list[str]:
    demand = _Demands()
    tray, tiers, tower, baffle = (data[name] for name in ("tray", "tiers", "tower", "baffle"))
    board = data["board"]["side"]
    tip = tower["forward"] * tray["sheet"] + tiers["rim_of_body"] - tiers["emitter"]
    demand(tip >= 0.5, f"the emitters stand {-tip:.1f} mm out of the towers, in the frame's way")
    depth = receiver_depth(data)
    demand(depth >= 10, f"the receivers lie {depth:.1f} mm deep: too little to shade them")
    demand(baffle["hole"] <= 2 * 2.0, "the receivers' holes let the other tier's light in from below")
    demand(
        view(data) <= 21,
        f"the receivers see {view(data):.0f}° to each side: lamps over the opposite tower;"
        " make baffle.hole smaller by 0.2",
    )
    demand(board["back"] + 1.6 + tower["inside"] + tower["layers"] * tray["sheet"] < data["cover"]["outside"] - 3,
           "the plugs of the sides touch their covers")  # fmt: skip
    bottom, top = board["z"] - board["outline"][1] / 2, board["z"] + board["outline"][1] / 2
    demand(
        bottom > -tray["sheet"] - tray["foam"] + 1 and top < data["cover"]["top"],
        "the side boards do not fit the towers",
    )
    demand(board["outline"][0] <= tower["width"], "the side boards are wider than the towers")
    plug = (17.3 + 1, 6.5 + 1)
    demand(
        data["deck"]["ribbon"][0] >= plug[0] and data["deck"]["ribbon"][1] >= plug[1],
        "the plug of a side does not pass through the deck's slot",
    )
    return demand


def _box_faults(data: Data) -> list[str]:
    demand = _Demands()
    box, board, tray = data["box"], data["board"]["hub"], data["tray"]
    inside = data["deck"]["size"] - 2 * (box["edge"] + tray["sheet"])
    demand(max(board["outline"]) + board["gap"] < inside, "the hub does not fit into the box")
    below, above = (long - through for long, through in zip(board["screws"], (tray["sheet"], 1.6), strict=True))
    left = board["stand_off"] - below - above
    demand(left >= 1, f"the screws in the hub's stand-offs leave {left:.1f} mm between them: they meet")
    demand(min(below, above) >= 4, "the screws hold the hub's stand-offs by less than 4 mm")
    demand(board["gap"] > 3.5, "the caps of service and reset stop the south wall on its way down")
    demand(box["edge"] >= data["sheet"]["web"] + 1, "the slots of the box's walls break out at the edge")
    reach = tray["rim"] - tray["sheet"] - deck_z(data)
    demand(abs(reach / 5 - round(reach / 5)) < 0.01, f"the frame's stand-offs are {reach:g} mm long, and sold by 5 mm")
    cover = data["cover"]
    reach = cover["top"] - tray["sheet"] - deck_z(data)
    demand(
        abs(reach - cover["stand_off_length"]) < 0.05,
        f"the covers' stand-offs are {reach:g} mm long, not {cover['stand_off_length']:g} mm",
    )
    demand(board["stand_off"] + 1.6 + board["front"] <= box["height"] - 5, "the hub's parts touch the deck")
    demand(
        board["stand_off"] + 1.6 + 20 < box["height"] - data["floor"]["sensor"][2],
        "the hub touches the floor's sensors",
    )
    widest = 16 * 1.27
    demand(box["notch"][0] > widest + 2, "the ribbons of the places do not fit through the box's notches")
    walls = [ribbon["place"] for ribbon in box["ribbon"]]
    demand(sorted(walls) == list(range(1, 7)), "not every place has its notch in the box")
    return demand


def _place_faults(data: Data) -> list[str]:
    demand = _Demands()
    place, board, sheet = data["place"], data["board"]["place"], data["tray"]["sheet"]
    width, depth = place["panel"]
    keys = list(place["buttons_x"])
    half = place["button"] / 2
    reach = max(abs(x) for x in keys) + 6
    demand(len(keys) == 4 and keys == sorted(keys), "the four buttons are not in order from left to right")
    demand(
        reach + 1 <= board["outline"][0] / 2, f"the buttons reach {2 * reach:.0f} mm, and the board of a place does not"
    )
    demand(max(abs(x) for x in keys) + half + 3 <= width / 2, "the buttons do not fit on the panel")
    demand(all(b - a >= place["button"] + 3 for a, b in pairwise(keys)), "the buttons are too near")
    steps = [x / 1.27 for x in keys]
    demand(all(abs(it - round(it)) < 1e-6 for it in steps), "the buttons are not on the grid of 1.27 mm")
    top = place["key"] - place["spacer"] - sheet
    demand(1 <= top <= 4, f"the keys stand {top:.1f} mm out of the panel; 1 to 4 mm is right")
    demand(place["body"] < place["spacer"], "the switches touch the panel")
    demand(place["spacer"] >= board["joints"], "the board's solder joints touch the panel")
    wall = place["edge"] + sheet
    low = place["buttons_y"] - board["outline"][1] / 2
    demand(low >= wall + 1, "the board of a place touches the front wall")
    demand(place["edge"] >= data["sheet"]["web"] + 1, "the slots of a place's walls break out at the edge")
    demand(
        place["foot"][1] >= HEAD + 0.5,
        f"a place stands on the heads of its screws: they are {HEAD:g} mm high, and its feet {place['foot'][1]:g} mm",
    )
    demand(place["buttons_y"] + half + 2 <= place["hood_y"], "the hood stands over the buttons")
    demand(board["back"] + 2 <= place["height"], "the plug of a place touches its bottom")
    demand(place["notch"][0] > 16 * 1.27 + 2, "the ribbon does not fit through the notch of a place")
    w, h = place["window"]
    demand(w >= place["pitch"] * (place["pixels"] - 1) + 5, "the window is narrower than its pixels")
    hood_width, hood_depth, hood_height = place["hood"]
    demand(hood_width <= width and place["hood_y"] + hood_depth < depth - wall, "the hood does not fit on the panel")
    ear_w, ear_d = place["hood_ear"]
    demand(
        place["hood_y"] + hood_depth + 1 <= place["public_y"] - place["public"] / 2
        and place["public_y"] + place["public"] / 2 + data["sheet"]["web"] <= place["hood_y"] + hood_depth + ear_d
        and ear_w >= place["public"] + 2 * data["sheet"]["web"],
        "the rod of the public light does not pass behind the hood, through the roof's ear",
    )
    demand(0 <= place["public"] - place["rod"] <= 0.4, "the rod of the public light does not sit in its holes")
    demand(20 <= hood_height <= 60, f"a hood of {hood_height:g} mm: 20 to 60 mm can be looked into, and not past")
    demand(h < hood_depth and place["hood_y"] < place["window_y"] - h / 2, "the hood does not cover the window")
    well_y, (well_w, well_d) = place["well_y"], place["well"]
    low = place["buttons_y"] + board["outline"][1] / 2
    demand(low + 1 <= well_y - well_d / 2 and well_y + well_d / 2 < depth - wall, "wells, board and wall overlap")
    demand(well_w < width - 2 * wall, "the wells do not fit between the walls")
    demand(w <= place["hood_well"][0] and h <= place["hood_well"][1], "the hood's well is smaller than its window")
    return demand


# -- what is seen ------------------------------------------------------------------------------------------------

Spot = tuple[float, float, float]
"""A point in the table's frame: x and y from the tray's middle, z up from the table top on which everything stands."""
PLACES = 6


def panel_top(data: Data) -> float:
    """Return how high a place's panel is above the table top, in mm."""
    place, sheet = data["place"], data["tray"]["sheet"]
    return float(place["foot"][1] + 2 * sheet + place["height"] + 1.6 + place["spacer"])


def floor_top(data: Data) -> float:
    """Return how high the tray's floor is above the table top, in mm."""
    box, sheet = data["box"], data["tray"]["sheet"]
    return float(box["foot"][1] + sheet + box["height"] - deck_z(data) + sheet)


def around(point: Point, seat: int) -> Point:
    """Return a point before place 1 as it lies before another place: they stand clockwise around the arena."""
    angle = -2 * math.pi * (seat - 1) / PLACES
    x, y = point
    return x * math.cos(angle) - y * math.sin(angle), x * math.sin(angle) + y * math.cos(angle)


def eyes(data: Data, seat: int) -> dict[str, Spot]:
    """Return where the eyes of a place's player may be, by posture."""
    return {it["name"]: (*around((0.0, -it["out"]), seat), it["up"]) for it in data["eye"]}


def _at_place(data: Data, seat: int, x: float, y: float, z: float) -> Spot:
    """Return a point of a place, whose panel's top is 0, in the table's frame."""
    return (*around((x, y - data["place"]["at"]), seat), z + panel_top(data))


Block = tuple[Point, Point, Point]
"""From where to where, along x, y and z."""


def _hides(block: Block, one: Spot, other: Spot) -> bool:
    """Return True when a block stands between two points."""
    low, high = 0.0, 1.0
    for axis, (start, end) in enumerate(block):
        way = other[axis] - one[axis]
        if abs(way) < 1e-9:
            if not start < one[axis] < end:
                return False
            continue
        near, far = (start - one[axis]) / way, (end - one[axis]) / way
        if way < 0:
            near, far = far, near
        low, high = max(low, near), min(high, far)
        if low >= high:
            return False
    return True


def _hood(data: Data) -> list[Block]:
    """Return the hood of a place, its roof too, in the place's frame."""
    place, sheet = data["place"], data["tray"]["sheet"]
    (width, depth, height), front = place["hood"], place["hood_y"]
    half, ear = width / 2, place["hood_ear"]
    return [
        ((-half, -half + sheet), (front, front + depth), (0, height)),
        ((half - sheet, half), (front, front + depth), (0, height)),
        ((-half, half), (front + depth - sheet, front + depth), (0, height)),
        ((-half, half), (front, front + depth), (height, height + sheet)),
        ((-ear[0] / 2, ear[0] / 2), (front + depth, front + depth + ear[1]), (height, height + sheet)),
    ]


def _middle(data: Data) -> list[Block]:
    """Return what stands on the deck: frame, towers, covers, and pillars as squares."""
    frame, tower, cover, sheet = data["frame"]["outer"] / 2, data["tower"], data["cover"], data["tray"]["sheet"]
    up = floor_top(data)
    base = up + deck_z(data)
    blocks: list[Block] = [((-frame, frame), (-frame, frame), (base, up + data["tray"]["rim"]))]
    for quarter in range(4):
        for half, near, far, top in (
            (tower["width"] / 2, tower["inside"], tower["inside"] + tower["layers"] * sheet, tower["top"]),
            (cover["width"] / 2, tower["inside"], cover["outside"], cover["top"]),
        ):
            (x0, y0), (x1, y1) = turned((-half, near), quarter), turned((half, far), quarter)
            blocks.append(((min(x0, x1), max(x0, x1)), (min(y0, y1), max(y0, y1)), (base, up + top)))
    clear = frame - data["pillar"]["legs"]
    top = up + data["tray"]["rim"] + data["pillar"]["layers"] * sheet
    ends = ((-frame, -clear), (clear, frame))
    return blocks + [(x, y, (up + data["tray"]["rim"], top)) for x in ends for y in ends]


def _to_place(data: Data, seat: int, spot: Spot) -> Spot:
    """Return a point of the table's frame in a place's."""
    angle = 2 * math.pi * (seat - 1) / PLACES
    x, y = spot[0] * math.cos(angle) - spot[1] * math.sin(angle), spot[0] * math.sin(angle) + spot[1] * math.cos(angle)
    return x, y + data["place"]["at"], spot[2] - panel_top(data)


def hood_pixels_seen(data: Data, eye: Spot, seat: int) -> int:
    """Return how many pixels under a place's hood an eye sees: light on the window's surface, above each pixel."""
    place, there = data["place"], _to_place(data, seat, eye)
    spots = [((n - (place["pixels"] - 1) / 2) * place["pitch"], place["window_y"], 0.0) for n in range(place["pixels"])]
    return sum(not any(_hides(block, spot, there) for block in _hood(data)) for spot in spots)


def public_share(data: Data, eye: Spot, seat: int) -> float:
    """Return how much of a place's public light an eye sees, from 0 to 1: of the end of its rod, around and on top."""
    place, blocks = data["place"], _middle(data)
    top = light_top(data)
    low = top - max(place["rod_tip"] - 1, 0.0)
    radius = place["rod"] / 2
    spots = [(0.0, place["public_y"], top)]
    for n in range(12):
        x, y = radius * math.cos(n * math.pi / 6), place["public_y"] + radius * math.sin(n * math.pi / 6)
        spots += [
            (1.01 * x, place["public_y"] + 1.01 * (y - place["public_y"]), z) for z in (low, (low + top) / 2, top)
        ]
    there, seen = _to_place(data, seat, eye), 0
    rod: Block = (
        (-0.7 * radius, 0.7 * radius),
        (place["public_y"] - 0.7 * radius, place["public_y"] + 0.7 * radius),
        (0.0, top - 0.01),
    )
    own = (*_hood(data), rod)
    for spot in spots:
        if not any(_hides(block, spot, there) for block in own):
            at = _at_place(data, seat, *spot)
            seen += not any(_hides(block, at, eye) for block in blocks)
    return seen / len(spots)


def light_top(data: Data) -> float:
    """Return how high the public light's rod ends above the panel."""
    place = data["place"]
    return float(place["hood"][2] + data["tray"]["sheet"] + place["rod_tip"])


def ring_seen(data: Data, eye: Spot) -> set[int]:
    """Return the ring's pixels that an eye sees, on their film."""
    up, blocks = floor_top(data) + deck_z(data) + data["tray"]["sheet"], _middle(data)
    return {n for n, (x, y) in enumerate(ring(data)) if not any(_hides(block, (x, y, up), eye) for block in blocks)}


def own_ring(data: Data, seat: int) -> set[int]:
    """Return the ring's pixels nearest to a place: those that speak to its player."""
    x0, y0 = around((0.0, -data["place"]["at"]), seat)
    near = sorted(range(data["ring"]["pixels"]), key=lambda n: math.dist((x0, y0), ring(data)[n]))
    return set(near[: data["ring"]["pixels"] // PLACES])


LEAST_RING = 16
"""The least number of the ring's pixels that an eye sees: parts in the middle hide some on the far side."""


def _sight_faults(data: Data) -> list[str]:
    demand = _Demands()
    places = range(1, PLACES + 1)
    for seat in places:
        for posture, eye in eyes(data, seat).items():
            who = f"the player at place {seat}, {posture},"
            if posture in data["sees_hood"]:
                seen = hood_pixels_seen(data, eye, seat)
                demand(seen == data["place"]["pixels"], f"{who} sees {seen} of the pixels under the own hood")
            for other in places:
                share = public_share(data, eye, other)
                demand(share >= 0.3, f"{who} sees {100 * share:.0f} % of the public light of place {other}")
                if other != seat:
                    seen = hood_pixels_seen(data, eye, other)
                    demand(not seen, f"{who} sees {seen} pixels under the hood of place {other}")
            seen_ring = ring_seen(data, eye)
            demand(own_ring(data, seat) <= seen_ring, f"{who} does not see the ring before that place")
            demand(len(seen_ring) >= LEAST_RING, f"{who} sees {len(seen_ring)} of the ring's pixels")
    return demand
