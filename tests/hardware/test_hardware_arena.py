"""The arena: what the beams must see they see, what follows from the cards fits, and all pieces lie on the sheet."""

from __future__ import annotations

import copy
import math
from itertools import pairwise
from typing import Any

import pytest
from reach import blind_lean

from hardware import HERE, arena, nets
from sample import each, sample
from tablier_fw import wire

DATA = arena.read()


def with_changes(**changes: Any) -> arena.Data:
    """The data with some values changed: ``card__width`` is the width of the card."""
    data = copy.deepcopy(DATA)
    for path, value in changes.items():
        table, key = path.split("__")
        data[table][key] = value
    return data


def test_everything_fits() -> None:
    assert arena.faults(DATA) == []


@pytest.mark.parametrize(
    "changes, fault",
    [
        ({"card__thickness": 0.4}, "card.thickness: 0.4 mm; at most 0.325 mm"),
        ({"pile__cards": 50}, "card.thickness: 0.32 mm; at most 0.266 mm"),
        ({"card__width": 54.0}, "card.others: leave out 63 × 88 mm: no tray does for both sizes"),
        ({"card__width": 50.0}, "fits between two beams"),
        ({"card__length": 110.0}, "card.length: 110 mm; at most 104 mm for cards 59 mm wide, or two lie side by side"),
        ({"tray__inner": 120.0}, "side by side"),
        ({"tiers__low": 30.0}, "low beams do not pass"),
        ({"tiers__rim": 34.7}, "0.7 mm above the frame"),
        ({"tiers__rim": 37.0}, "not a multiple of 2.54"),
        ({"tower__top": 38.0}, "too low for"),
        ({"tower__top": 43.0}, "seldom hangs down"),
        ({"tower__width": 54.0}, "too narrow"),
        ({"tower__forward": 1}, "stand 4.7 mm out of the towers, in the frame's way"),
        ({"tower__layers": 3}, "too little to shade them"),
        ({"baffle__hole": 5.2}, "let the other tier's light in"),
        ({"deck__ribbon": [36.0, 6.0]}, "plug of a side does not pass"),
        ({"pillar__clear": 27.0}, "stand in the beams"),
        ({"frame__opening": 117.0}, "touches the tray"),
        ({"tray__wall": 32.0}, "touch the tray"),
        ({"deck__size": 270.0}, "does not fit on the deck"),
        ({"floor__pile": [30.0, 0.0]}, "covers the sensor beside it"),
        ({"floor__collars": 1}, "the floor's sensors lie -1.0 mm deep"),
        ({"card__others": [[54.0, 86.0]]}, "card.others: leave out 54 × 86 mm: no tray does for both sizes"),
        ({"box__height": 40.0}, "the hub's parts touch the deck"),
        ({"tray__slot": [4.0, 4.5]}, "its slots of 4 mm shade the low beams"),
        ({"pad__height": 3.0}, "do not carry the tray"),
        ({"tray__sinks": 2.5}, "sinks onto the deck"),
        ({"pad__at": 56.0}, "stand out from under the tray"),
        ({"box__edge": 0.0}, "break out at the edge"),
        ({"place__edge": 0.0}, "break out at the edge"),
        ({"place__foot": [8.0, 2.0]}, "stands on the heads of its screws"),
        ({"tray__rim": 33.0}, "stand-offs are 36 mm long, and sold by 5 mm"),
        ({"cover__top": 43.0}, "stand-offs are 46 mm long"),
        ({"place__buttons_x": [-45.0, -15.0, 15.0, 45.0]}, "not on the grid"),
        ({"place__buttons_x": [-200.0, -100.0, 100.0, 200.0]}, "do not fit on the panel"),
        ({"place__spacer": 9.0}, "the keys stand -0.5 mm out of the panel"),
        ({"place__hood": [96.0, 40.0, 500.0]}, "a hood of 500 mm"),
        ({"place__hood": [96.0, 40.0, 15.0]}, "of the pixels under the own hood"),
        ({"place__hood": [240.0, 24.0, 60.0], "place__hood_y": 65.5}, "pixels under the hood of place"),
        ({"place__window": [60.0, 8.0]}, "narrower than its pixels"),
        ({"ring__pixels": 30}, "do not make its pixels"),
    ][:: sample(20, 1)],
)
def test_what_does_not_fit_is_noticed(changes: dict[str, Any], fault: str) -> None:
    found = arena.faults(with_changes(**changes))
    assert any(fault in it for it in found), found


def test_the_pile_is_as_high_as_its_cards() -> None:
    assert arena.pile_height(DATA) == pytest.approx(41 * 0.32 * 1.5)
    assert DATA["pile"]["cards"] == 1 + 4 * 10, "an offer, and all the cards of four others"


def test_there_are_four_beams_a_tier_and_they_make_a_grid() -> None:
    beams = list(arena.beams(DATA))
    assert len(beams) == 8
    for tier in ("low", "rim"):
        lines = [beam for beam in beams if f"_{tier}_" in beam.name]
        along_y = sorted(beam.start[0] for beam in lines if beam.start[0] == beam.end[0])
        along_x = sorted(beam.start[1] for beam in lines if beam.start[1] == beam.end[1])
        across = DATA["tiers"]["across"]
        assert along_x == along_y == [-across, across]
    for beam in beams:
        same_line = [it for it in beams if {it.start, it.end} == {beam.start, beam.end}]
        assert len(same_line) == 2 and same_line[0].start == same_line[1].end, "both tiers shine the same way"


@pytest.mark.parametrize("edge", (59.0, 92.0))
def test_a_card_that_leans_is_seen_from_some_angle_on(edge: float) -> None:
    """The part of it above the beams is then as long as it is cut off; below that only a claim can tell."""
    angle = math.radians(blind_lean(DATA, edge))
    assert edge * math.sin(angle) == pytest.approx(DATA["tiers"]["low"])
    assert math.degrees(angle) < 23


def test_no_card_can_lie_level_on_the_rim() -> None:
    """Level on the frame, no beam would see it. The pillars and towers leave no place where it would not tip."""
    geometry = pytest.importorskip("shapely", reason="shapely is not installed; make sets it up")
    from shapely import affinity
    from shapely.ops import unary_union

    def resting(pillars: bool) -> tuple[int, int, int] | None:
        outer, inner = DATA["frame"]["outer"] / 2, DATA["tray"]["inner"] / 2
        near, half = DATA["tower"]["inside"], DATA["tower"]["width"] / 2
        higher = [geometry.box(-half, near, half, outer)] + ([geometry.Polygon(arena.pillar(DATA))] if pillars else [])
        high = unary_union([affinity.rotate(it, 90 * turn, origin=(0, 0)) for it in higher for turn in range(4)])
        rim = geometry.box(-outer, -outer, outer, outer).difference(geometry.box(-inner, -inner, inner, inner))
        rim = rim.difference(high)
        length, width = DATA["card"]["length"] / 2, DATA["card"]["width"] / 2
        for degree in range(0, 180, 15):
            card = affinity.rotate(geometry.box(-length, -width, length, width), degree, origin=(0, 0))
            for x in range(0, 90, 6):
                for y in range(0, 90, 6):
                    there = affinity.translate(card, x, y)
                    if there.intersection(high).area > 1:
                        continue
                    support = there.intersection(rim).convex_hull
                    if support.buffer(-0.5).contains(geometry.Point(x, y)):
                        return degree, x, y
        return None

    assert resting(pillars=True) is None
    assert resting(pillars=False), "the pillars are not needed, or this test does not see why"


def test_the_ring_goes_around_clockwise_at_even_distances() -> None:
    ring = arena.ring(DATA)
    assert len(ring) == wire.GROUPS[wire.RING]
    around = [abs(x2 - x1) + abs(y2 - y1) for (x1, y1), (x2, y2) in zip(ring, ring[1:] + ring[:1], strict=True)]
    assert around == pytest.approx([DATA["ring"]["pitch"]] * len(ring))
    angles = [math.atan2(x, y) for x, y in ring]  # from north, clockwise
    turns = [(after - before) % (2 * math.pi) for before, after in pairwise(angles)]
    assert all(0 < turn < 0.5 for turn in turns)


def test_boards_and_headers_are_those_of_the_wiring(sheets: dict[str, nets.Sheet]) -> None:
    repeat = sheets["side"]["repeat"]
    assert [side["board"] for side in DATA["side"]] == repeat["B1"]
    assert [side["header"] for side in DATA["side"]] == repeat["J8"]


def test_a_place_has_as_many_pixels_as_the_wire_says() -> None:
    assert {DATA["place"]["pixels"]} == set(wire.GROUPS[wire.HOOD :])
    assert DATA["place"]["window"][0] >= DATA["place"]["pitch"] * (DATA["place"]["pixels"] - 1) + 5


SEATS = range(1, 7)


@pytest.mark.parametrize("posture", [it["name"] for it in DATA["eye"]])
@pytest.mark.parametrize("seat", SEATS)
def test_an_eye_sees_the_own_pixels_all_public_lights_and_no_other_hood(seat: int, posture: str) -> None:
    eye = arena.eyes(DATA, seat)[posture]
    under = [arena.hood_pixels_seen(DATA, eye, other) for other in SEATS]
    assert under == [5 * (other == seat and posture != "standing") for other in SEATS]
    assert min(arena.public_share(DATA, eye, other) for other in SEATS) > 0.5
    assert arena.own_ring(DATA, seat) <= arena.ring_seen(DATA, eye)


def test_what_stands_in_the_middle_hides_a_part_of_the_ring() -> None:
    """Known, and said in README.md: no eye of somebody who sits sees all of it."""
    page = " ".join((HERE / "README.md").read_text(encoding="utf-8").split())
    seen = {
        name: min(len(arena.ring_seen(DATA, arena.eyes(DATA, seat)[name])) for seat in SEATS)
        for name in arena.eyes(DATA, 1)
    }
    assert all(count >= arena.LEAST_RING for count in seen.values())
    for name, count in seen.items():
        assert f"{count} of the ring's 32 pixels ({name})" in page
    taller = with_changes(cover__top=100.0, cover__width=250.0)
    assert any("of the ring's pixels" in it for it in arena.faults(taller))


@pytest.mark.parametrize("lengths", each(2, [{"tray__sheet": 3.2}, {"tiers__emitter": 8.2}]))
def test_another_sheet_or_emitter_needs_no_other_number(lengths: dict[str, float]) -> None:
    """What follows from them follows: the frame's size, the depth of the receivers."""
    data = arena.derived(with_changes(**lengths))
    assert arena.faults(data) == []
    assert (data["frame"]["outer"], data["baffle"]["length"]) != (DATA["frame"]["outer"], DATA["baffle"]["length"])
