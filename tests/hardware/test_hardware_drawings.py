"""What is made of the data is made of the data as they are now."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from shapely.geometry import Polygon
from wokwi_parts import PINS_OF

from hardware import HERE, arena, check, draw, mechanics, plan, sheets, steps, wokwi
from sample import thorough
from tablier_fw import pins, wire


def test_all_is_up_to_date_and_there_is_no_drawing_of_nothing() -> None:
    """In one test, because it takes seconds to make them."""
    made = draw.documents()
    stale = [path for path, text in made.items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    assert not stale, "python -m hardware.draw"
    assert {path.name for path in draw.DRAWINGS.iterdir() if path.is_file()} <= {path.name for path in made}
    assert set(draw.CUT.iterdir()) <= set(made)


def test_drawings_are_small_and_well_formed() -> None:
    for path in draw.DRAWINGS.glob("*.svg"):
        assert ET.parse(path).getroot().tag.endswith("svg"), path
        assert path.stat().st_size < 150_000, path


@pytest.mark.parametrize("path", sorted(draw.CUT.glob("*.svg")), ids=lambda path: path.name)
def test_what_is_cut_is_in_millimetres(path: Path) -> None:
    """Width and height in mm, and a user unit of one."""
    root = ET.parse(path).getroot()
    assert root.get("viewBox") == f"0 0 {root.get('width')} {root.get('height')}".replace("mm", "")
    assert root.attrib["width"].endswith("mm")


SCENES = {scene.name: scene for scene in steps.scenes(arena.read())}


@pytest.mark.parametrize("name", SCENES)
def test_a_picture_shows_its_step_as_it_is(name: str) -> None:
    picture = (draw.STEPS / f"{name}.svg").read_text(encoding="utf-8")
    assert SCENES[name].stamp() in picture, "python -m hardware.draw"


def test_a_picture_names_each_screw_by_its_length() -> None:
    """Eight screws of one length were drawn where two of that length meet in a stand-off."""
    picture = (draw.STEPS / "bottom.svg").read_text(encoding="utf-8")
    assert "4 × hub screw, M3 × 6" in picture and "4 × hub screw, M3 × 8" in picture


@pytest.mark.parametrize("name", sorted(SCENES))
@thorough
def test_each_name_leads_to_something_of_its_kind_that_is_seen(name: str) -> None:
    """Leaders ended in holes, and on what hid the thing they named: screws below a bottom that showed none."""
    seen = steps.view(SCENES[name], arena.read())
    for label in seen.labels:
        row, column = (math.floor(it * steps.FINE) for it in label.spot[::-1])
        around = seen.owners[row - 2 : row + 3, column - 2 : column + 3]
        assert set(around.flat) & set(seen.numbers[label.kind]), label


@thorough
def test_what_a_picture_hides_is_noticed() -> None:
    scene = SCENES["placebottom"]
    inside = [(item, replace(move, distance=65.0) if "screw" in item.name else move) for item, move in scene.coming]
    with pytest.raises(steps.Hidden, match="placebottom: place bottom screw, M3 × 8 is hidden"):
        steps.view(replace(scene, coming=tuple(inside)), arena.read())


@pytest.mark.parametrize("name", SCENES)
def test_what_comes_stands_off_to_the_side_from_which_it_comes(name: str) -> None:
    """The ledges under the deck were drawn above it, because the deck itself was drawn lower."""
    scene = SCENES[name]
    bonds = {frozenset(pair) for bond in scene.world.bonds for pair in combinations(bond.names, 2)}
    shown: dict[str, tuple[float, ...]] = {item.name: (0.0, 0.0, 0.0) for item in scene.before}
    for item, move in scene.coming:
        away = tuple(-it * steps.off(move) for it in move.toward)
        for other, by in shown.items():
            if frozenset((item.name, other)) in bonds and by != away:
                between = sum((a - b) * way for a, b, way in zip(away, by, move.toward, strict=True))
                assert between < 0, (item.name, other)
        shown[item.name] = away


def test_nothing_is_drawn_that_does_not_fit(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(draw, "faults", lambda: ["the pile is too tall"])
    monkeypatch.setattr(draw, "documents", lambda: {tmp_path / "drawn": "no"})
    with pytest.raises(SystemExit, match="the pile is too tall"):
        draw.main()
    assert not list(tmp_path.iterdir())


# -- the diagram for Wokwi -------------------------------------------------------------------------------------

DIAGRAM = json.loads((HERE / "wokwi/table/diagram.json").read_text(encoding="utf-8"))


def ends_of(end: str) -> set[str]:
    """Return the ends connected to an end directly."""
    return {other for pair in DIAGRAM["connections"] for one, other in (pair[:2], pair[1::-1]) if one == end}


def test_each_end_of_the_diagram_exists() -> None:
    kinds = {part["id"]: part["type"] for part in DIAGRAM["parts"]}
    assert len(kinds) == len(DIAGRAM["parts"])
    for one, other, *_ in DIAGRAM["connections"]:
        for end in (one, other):
            part, _, pin = end.partition(":")
            assert pin in PINS_OF[kinds[part]], end


def test_the_diagram_has_the_pixels_of_the_table_in_their_order() -> None:
    counts = {part["id"]: int(part["attrs"].get("pixels", 1)) for part in DIAGRAM["parts"]}
    (at,) = (end.partition(":")[0] for end in ends_of(f"pico:GP{pins.PLACES_DATA}"))
    chain = [counts[at]]
    while following := [end for end in ends_of(f"{at}:DOUT") if end.endswith(":DIN")]:
        at = following[0].partition(":")[0]
        chain.append(counts[at])
    assert [counts["ring"], *[1] * wire.GROUPS[1], *wire.GROUPS[2:]] == [wire.GROUPS[0], *chain]


def test_the_diagram_has_the_buttons_in_the_order_of_their_bits() -> None:
    (end,) = ends_of(f"pico:GP{pins.BUTTONS_DATA}")
    seen = []
    while end.endswith(":Q7"):
        chip = end.partition(":")[0]
        seen += [ends_of(f"{chip}:D{bit}") for bit in range(7, -1, -1)]
        (end,) = ends_of(f"{chip}:DS")
    buttons = [f"p{place}{name}:1.l" for place in range(1, wire.PLACES + 1) for name in wire.BUTTONS]
    assert seen[:24] == [{button} for button in buttons]
    levels = ["pico:3V3" if pins.PATTERN >> (7 - bit) & 1 else "pico:GND.1" for bit in range(8)]
    assert seen[24:] == [{level} for level in levels]


def test_the_diagram_shows_each_beam_to_its_emitter() -> None:
    for tier, emitter in (("low", pins.EMIT_LOW), ("rim", pins.EMIT_RIM)):
        for n in range(1, 5):
            assert ends_of(f"{tier}{n}:A") == {f"pico:GP{emitter}"}
            assert ends_of(f"{tier}{n}:B") == {f"card{tier}{n}:2"}


def test_the_signals_of_the_diagram_are_all_of_the_wires() -> None:
    names = {pin["name"] for pin in check.read_pins() if pin["gpio"] not in check.ON_BOARD}
    assert set(wokwi.ENDS) == names


@thorough
def test_every_piece_carries_its_name_within_its_edges_where_no_player_sees_it() -> None:
    """Names ran over edges onto the next piece, most pieces had none, and players saw those of panels and walls."""
    data = arena.read()
    assert sheets.text_faults(data) == []
    for plate in {placed.plate for sheet in sheets.sheets(data) for placed in sheet.pieces}:
        said = [words.text for words in sheets.texts(plate)]
        assert said == ([sign.text for sign in plate.signs] or [plate.label or plate.name])
    texts = sum(len(sheets.texts(placed.plate)) for sheet in sheets.sheets(data) for placed in sheet.pieces)
    drawn = sum(content.count("<text") for content in sheets.files(data).values() if content.startswith("<svg"))
    assert drawn == texts + 1  # the coupon's scale


def test_a_cut_file_has_lines_to_cut_and_to_engrave_and_no_other() -> None:
    """A grey frame around each sheet was cut, or asked about, by services that take what is drawn."""
    for name, content in sheets.files(arena.read()).items():
        if name.endswith(".svg"):
            colours = {it.get("stroke") for it in ET.fromstring(content).iter() if it.get("stroke")} - {"none"}
            assert colours <= {plan.CUT, plan.MARK}, name


@pytest.mark.parametrize("letter", ["a", "b"])
def test_nothing_falls_out_of_a_letter_and_nothing_breaks(letter: str) -> None:
    """Two cuts without an island, with a web between them; the b is the higher one and has its stem at the left."""
    stem, bowl = (Polygon(it) for it in mechanics.stencil(letter, 0, 0))
    assert not stem.interiors and not bowl.interiors
    assert stem.distance(bowl) >= arena.read()["sheet"]["web"] - 1e-9
    assert (stem.centroid.x < bowl.centroid.x) == (letter == "b")
    assert (stem.bounds[3] > bowl.bounds[3] + 1.5) == (letter == "b")


def test_each_letter_is_cut_below_the_key_that_it_names() -> None:
    data = arena.read()
    place = data["place"]
    plate = mechanics.place_world(data).items["panel"].plate
    assert plate is not None
    cut = [Polygon(it) for it in plate.openings if not isinstance(it, mechanics.Hole)]
    keys = dict(zip(wire.BUTTONS, place["buttons_x"], strict=True))
    for letter, x in (("a", keys["a"]), ("b", keys["b"] + place["b_aside"])):
        for wanted in mechanics.stencil(letter, x, place["sign_y"]):
            assert any(it.equals(Polygon(wanted)) for it in cut), letter


def test_signs_on_the_box_are_for_players() -> None:
    plates = {placed.plate for sheet in sheets.sheets(arena.read()) for placed in sheet.pieces}
    walls = {
        plate.name: [sign.text for sign in plate.signs] for plate in plates if plate.name.startswith("wall of the box")
    }
    numbers = [text for signs in walls.values() for text in signs if text.isdigit()]
    assert sorted(numbers) == list("123456")
    assert {"USB", "5 V, centre +", "service", "reset", "off / on"} <= set(walls["wall of the box, south"])


@pytest.mark.parametrize(
    "change, fault",
    [
        ({"signs": (mechanics.Sign("1", (-67.0, 80.0), 10.0),)}, "'1' runs over an edge"),
        ({"signs": (mechanics.Sign("hood", (0.0, 85.0), 4.0),)}, "'hood' is hidden"),
        ({"signs": (mechanics.Sign("x", (46.0, 13.5), 4.0),)}, "'x' is hidden"),
        ({"signs": (), "label": "panel, upper face"}, "panel: its name is seen"),
    ],
)
def test_a_text_over_an_edge_under_wood_or_in_sight_is_noticed(
    change: dict[str, Any], fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = arena.read()
    world = mechanics.place_world(data)
    panel = world.items["panel"]
    assert panel.plate is not None
    plate = replace(panel.plate, **change)
    world.items["panel"] = replace(panel, plate=plate)
    placed = sheets.Placed(plate, 0, 0, False)
    monkeypatch.setattr(sheets, "sheets", lambda data: [sheets.Sheet("one", (600, 400), [placed])])
    monkeypatch.setattr(sheets, "worlds", lambda data: (world,))
    assert any(fault in it for it in sheets.text_faults(data))


def test_a_piece_that_would_have_to_be_mirrored_is_noticed() -> None:
    data = arena.read()
    world = mechanics.arena_world(data)
    roof = world.items["cover roof north"]
    with pytest.raises(ValueError, match="engraved face is on the other side"):
        sheets.laid(replace(roof, face=1))


def test_texts_are_as_long_in_a_laser_as_here() -> None:
    """A laser's own letters may be wider: every text of a DXF is fitted between two points."""
    for sheet in sheets.sheets(arena.read()):
        values = sheets.dxf(sheet, arena.read()).splitlines()
        records: list[dict[str, str]] = []
        for code, value in zip(values[::2], values[1::2], strict=True):
            records += [{}] if code == "0" else []
            if records:
                records[-1][code] = value
        for text in (it for it in records if it["0"] == "TEXT"):
            assert text["72"] == "5"
            length = math.dist(*((float(text[a]), float(text[b])) for a, b in (("10", "20"), ("11", "21"))))
            assert 0.3 < length / (len(text["1"]) * float(text["40"])) < 1.2


def test_a_piece_without_room_for_its_name_is_noticed() -> None:
    with pytest.raises(ValueError, match="no room for a name on sliver"):
        sheets.lettering(mechanics.Plate("sliver", mechanics.rectangle(0, 0, 10, 2), (), 3.0))


def test_files_to_cut_say_that_they_are_in_millimetres() -> None:
    for name, content in sheets.files(arena.read()).items():
        if name.endswith(".dxf"):
            assert "$INSUNITS\n70\n4\n" in content and "$MEASUREMENT\n70\n1\n" in content
