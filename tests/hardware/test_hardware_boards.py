"""The circuit boards in the repository are those of the wiring and of the mechanics, and can be made."""

from __future__ import annotations

import copy
import importlib.util
import json
import re
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hardware.boards import check, diagram, drawings, make, model, prints
from hardware.tools import Missing
from hypothesis import given, settings
from hypothesis import strategies as st

from hardware import arena, nets
from sample import each, sample, thorough

WIRING = nets.Wiring(nets.read())
DATA = model.read()

Spot = tuple[float, float]
Install = Callable[..., Path]


@cache
def is_missing(find: Callable[[], object]) -> bool:
    """Return True where a program cannot be found; looked for when the first test needs it."""
    return find() is None


needs_kicad = pytest.mark.skipif("is_missing(make.version)", reason="KiCad is not installed")
needs_cli = pytest.mark.skipif("is_missing(make.kicad_cli)", reason="kicad-cli of 8 or later is not installed")
needs_pcbnew = pytest.mark.skipif("is_missing(make.kicad_python)", reason="KiCad 6 is not installed")


@cache
def board(name: str) -> model.Board:
    return model.board(name, WIRING, DATA)


@pytest.fixture(scope="module")
def reported(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], tuple[list[str], str]]:
    """Have KiCad check a board once: its violations, and the text of its report."""

    @cache
    def of(name: str) -> tuple[list[str], str]:
        folder = tmp_path_factory.mktemp("rules")
        found = make.violations(board(name), folder)
        return found, (folder / f"{name}-rules.txt").read_text(encoding="utf-8")

    return of


@cache
def file(name: str) -> check.File:
    return check.read(board(name).file)


# -- file and wiring -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", model.NAMES)
def test_each_pad_is_on_the_net_of_the_wiring(name: str) -> None:
    assert check.faults(board(name), WIRING, file(name)) == []


def test_each_component_is_on_one_board_or_on_a_cable() -> None:
    assert model.faults(WIRING, DATA) == []


@settings(max_examples=sample(20, 100), deadline=None)
@given(st.data())
def test_a_pad_on_another_net_is_noticed(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(model.NAMES))
    pads = dict(file(name).pads)
    pad = data.draw(st.sampled_from(sorted(pads)))
    other = data.draw(st.sampled_from(sorted({*pads.values()} - {pads[pad]})))
    found = check.faults(board(name), WIRING, replace(file(name), pads=pads | {pad: other}))
    assert any(f"pad {pad[1]} of {pad[0]} " in fault for fault in found)


@settings(max_examples=sample(20, 100), deadline=None)
@given(st.data())
def test_a_part_elsewhere_is_noticed(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(model.NAMES))
    ref = data.draw(st.sampled_from(sorted(file(name).places)))
    x, y, turn = file(name).places[ref]
    moved = data.draw(st.sampled_from([(x + 0.1, y, turn), (x, y - 1, turn), (x, y, (turn + 180) % 360)]))
    found = check.faults(board(name), WIRING, replace(file(name), places=file(name).places | {ref: moved}))
    assert any(f"{ref} is at" in fault for fault in found)


def test_another_wire_makes_another_board() -> None:
    """The names of the nets alone would not tell: the check follows the wiring on each of the six places."""
    sheets = copy.deepcopy(nets.read())
    row = next(row for row in sheets["place"]["connections"] if row[0] == {"P1_J1": 13})
    row[1] = {"P1_SW2": 1}
    other = nets.Wiring(sheets)
    assert check.faults(model.board("place", other, DATA), other, file("place"))


# -- schematics ------------------------------------------------------------------------------------------------


def traced(text: str, folder: Path) -> tuple[dict[str, tuple[str, str]], dict[tuple[str, str], str]]:
    """The nets of a schematic, by following its wires: parts with values and footprints, and the net of each pin."""
    from kiutils.schematic import Schematic

    path = folder / "board.kicad_sch"
    path.write_text(text, encoding="utf-8")
    drawn = Schematic.from_file(str(path))
    library = {it.libId: it for it in drawn.libSymbols}
    parts: dict[str, tuple[str, str]] = {}
    pins: dict[tuple[str, str], Spot] = {}
    names: dict[Spot, str] = {}
    joined: dict[Spot, Spot] = {}

    def root(spot: Spot) -> Spot:
        while joined.setdefault(spot, spot) != spot:
            spot = joined[spot]
        return spot

    def at(position: Any, x: float = 0.0, y: float = 0.0) -> Spot:
        return round(position.X + x, 3), round(position.Y - y, 3)

    for symbol in drawn.schematicSymbols:
        kind = library[symbol.libId]
        unit = next(it for it in kind.units if it.unitId == symbol.unit)
        ref = next(it.value for it in symbol.properties if it.key == "Reference")
        for pin in unit.pins:
            spot = at(symbol.position, pin.position.X, pin.position.Y)
            if kind.isPower and symbol.libId != "tablier:PWR_FLAG":
                names[spot] = pin.name
            elif not kind.isPower:
                pins[ref, pin.number] = spot
        if symbol.onBoard and not kind.isPower:
            values = {it.key: it.value for it in symbol.properties}
            parts.setdefault(ref, (values["Value"], values["Footprint"]))
            assert parts[ref] == (values["Value"], values["Footprint"])
    for label in drawn.globalLabels:
        assert names.setdefault(at(label.position), label.text.replace("{slash}", "/"))
    for wire in drawn.graphicalItems:
        if getattr(wire, "type", "") == "wire":
            one, other = (at(point) for point in wire.points)
            joined[root(one)] = root(other)
    nets = {root(spot): name for spot, name in names.items()}
    assert all(nets[root(spot)] == name for spot, name in names.items()), "two names on one net"
    return parts, {pin: nets[root(spot)] for pin, spot in pins.items() if pin[0] in parts and root(spot) in nets}


@pytest.mark.parametrize("name", model.NAMES)
def test_a_schematic_has_the_parts_and_nets_of_its_board(name: str, tmp_path: Path) -> None:
    text = board(name).file.with_suffix(".kicad_sch").read_text(encoding="utf-8")
    assert text == diagram.draw(board(name), WIRING), "python -m hardware.draw"
    parts, nets = traced(text, tmp_path)
    assert parts == {part.ref: (part.value, part.footprint) for part in board(name).parts}
    assert nets == {pad: net for pad, net in file(name).pads.items() if net}


@thorough
def test_another_wire_makes_another_schematic(tmp_path: Path) -> None:
    sheets = copy.deepcopy(nets.read())
    sheets["latch"]["connections"] = [
        it if it != ["GND", {"R24": 1}] else ["3V3", {"R24": 1}] for it in sheets["latch"]["connections"]
    ]
    other = nets.Wiring(sheets)
    _, found = traced(diagram.draw(model.board("hub", other, DATA), other), tmp_path)
    before = {pad: net for pad, net in file("hub").pads.items() if net}
    assert {pad for pad in before if before[pad] != found.get(pad)} == {("R24", "1")}


@needs_cli
@pytest.mark.parametrize("name", model.NAMES)
def test_kicads_electrical_rules_find_no_error_in_a_schematic_and_the_boards_nets(name: str, tmp_path: Path) -> None:
    assert make.circuit_violations(board(name), tmp_path) == []
    assert (tmp_path / f"{name}-schematic-rules.txt").read_text(encoding="utf-8").startswith("KiCad ")


@needs_cli
def test_kicad_notices_two_outputs_that_are_joined(tmp_path: Path) -> None:
    text = board("hub").file.with_suffix(".kicad_sch").read_text(encoding="utf-8")
    joined = tmp_path / "joined.kicad_sch"
    joined.write_text(text.replace('global_label "IMPACT"', 'global_label "VBIAS"'), encoding="utf-8")
    found = make.circuit_violations(board("hub"), tmp_path, joined)
    assert any("pin_to_pin" in it for it in found) and any(it.startswith("[net]") for it in found)


def test_a_part_that_is_not_placed_is_noticed() -> None:
    data = copy.deepcopy(DATA)
    del data["board"]["hub"]["part"]["R33"]
    assert model.faults(WIRING, data) == ["R33 is neither placed nor loose"]


# -- file and mechanics ----------------------------------------------------------------------------------------


def test_a_button_beside_its_hole_is_noticed() -> None:
    """The panel's holes are those of arena.toml: a board whose buttons stand elsewhere fits no panel."""
    data = copy.deepcopy(DATA)
    data["board"]["place"]["part"]["SW1"]["at"][0] = -45.0
    assert any("SW1 is at" in fault for fault in model.faults(WIRING, data))


@pytest.mark.parametrize("name", model.NAMES)
def test_outline_and_holes_are_those_of_the_mechanics(name: str) -> None:
    shape = arena.read()["board"][name]
    text = board(name).file.read_text(encoding="utf-8")
    ends = re.findall(r"\(gr_(?:line|arc) \(start (\S+) (\S+)\).*?\(end (\S+) (\S+)\) \(layer \"Edge.Cuts\"\)", text)
    xs = [float(x) for a, _, b, _ in ends for x in (a, b)]
    ys = [float(y) for _, a, _, b in ends for y in (a, b)]
    assert [max(xs) - min(xs), max(ys) - min(ys)] == pytest.approx(shape["outline"])
    assert file(name).holes == {tuple(hole) for hole in shape["holes"]}


def test_only_buttons_are_on_the_front_of_a_place() -> None:
    assert {part.ref for part in board("place").parts if not part.back} == {"SW1", "SW2", "SW3", "SW4"}


def test_only_emitters_and_receivers_are_on_the_front_of_a_side() -> None:
    assert {part.ref for part in board("side").parts if not part.back} == {"D1", "D2", "D3", "D4"}


# -- holes and makers' drawings --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", model.NAMES)
def test_the_holes_are_those_of_the_makers_drawings(name: str) -> None:
    assert drawings.faults(board(name), WIRING, board(name).file) == []


def test_every_drawing_says_where_its_figures_are_from_and_is_needed() -> None:
    kinds = {WIRING.components[part.component].kind for name in model.NAMES for part in board(name).parts}
    used = [drawings.entry(drawings.read(), kind) for kind in kinds]
    for part in drawings.read():
        assert part["source"].startswith(("read: ", "library: ", "recalled", "own")) and part["drawing"]
        assert part in used, part["kinds"]


def test_a_button_without_holes_for_its_pegs_is_noticed(tmp_path: Path) -> None:
    """The footprint that the first boards had: Omron's switch has two pegs, and would have stood on them."""
    text = board("place").file.read_text(encoding="utf-8")
    bare = re.sub(r'\n    \(pad "" np_thru_hole circle [^\n]*\(drill 1\.8\)[^\n]*', "", text)
    assert bare != text
    (tmp_path / "place.kicad_pcb").write_text(bare, encoding="utf-8")
    found = drawings.faults(board("place"), WIRING, tmp_path / "place.kicad_pcb")
    assert len(found) == 4 and all("0 holes for 2 pegs (Omron" in fault for fault in found)


@pytest.mark.parametrize("number", range(0, len(drawings.read()), sample(12, 1)))
def test_another_pitch_or_a_thicker_leg_is_noticed(number: int) -> None:
    for change in ("pitch", "lead"):
        parts = copy.deepcopy(drawings.read())
        part = parts[number]
        form = next(key for key in ("legs", "line", "zigzag", "dip") if key in part)
        if change == "lead":
            part["lead"] += 0.7
        elif form == "legs":
            part["legs"][0][0] -= 0.2
        else:
            part[form][1] += 10 if part.get("bent") else 0.2
        found = [
            fault for name in model.NAMES for fault in drawings.faults(board(name), WIRING, board(name).file, parts)
        ]
        assert found and all(part["drawing"] in fault for fault in found), change


# -- what a builder sees ---------------------------------------------------------------------------------------


def test_connectors_are_keyed_and_all_parts_go_through_the_board() -> None:
    for name in model.NAMES:
        for part in board(name).parts:
            kind = WIRING.components[part.component].kind
            if part.ref.startswith("J") and kind != "DC jack":
                assert part.footprint.startswith(("Connector_IDC:", "Connector_JST:")), part
        assert "(attr smd)" not in board(name).file.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", model.NAMES)
def test_the_silk_names_every_part(name: str) -> None:
    text = board(name).file.read_text(encoding="utf-8")
    shown = re.findall(r'\(fp_text reference "([^"]+)" \(at [^)]*\) \(layer "[FB]\.SilkS"\)(?! hide)', text)
    assert {part.ref for part in board(name).parts} <= set(shown)


# -- with KiCad ------------------------------------------------------------------------------------------------


@needs_kicad
@pytest.mark.parametrize("name", each(3, model.NAMES))
def test_kicads_rules_find_no_error_and_nothing_unconnected(
    name: str, reported: Callable[[str], tuple[list[str], str]]
) -> None:
    assert reported(name)[0] == []


@needs_kicad
@pytest.mark.parametrize("name", each(3, model.NAMES))
def test_nothing_that_is_printed_lies_on_a_pad_or_on_another_print(
    name: str, reported: Callable[[str], tuple[list[str], str]]
) -> None:
    """Of names and values, that is; the outlines of bought footprints are cut off at their own pads."""
    _, text = reported(name)
    assert not re.findall(r"(?m)^.*(?:Reference|Value|PCB Text) '.*$", text)


@needs_kicad
@pytest.mark.parametrize("name", each(3, model.NAMES))
def test_no_print_is_cut_off_by_bare_copper_or_the_edge(
    name: str, reported: Callable[[str], tuple[list[str], str]]
) -> None:
    _, text = reported(name)
    assert "[silk_" not in text


@thorough
@needs_kicad
def test_a_missing_track_is_an_error(tmp_path: Path) -> None:
    """Cut the track of a button: the rules must say so, or the test above says nothing."""
    text = board("place").file.read_text(encoding="utf-8")
    net = re.search(r'\(net (\d+) "MINUS"\)', text)
    assert net
    cut = re.sub(rf"\n  \(segment [^\n]*\(net {net[1]}\)[^\n]*", "", text)
    assert cut != text
    for path in board("place").file.parent.glob("place.kicad_pro"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    (tmp_path / "place.kicad_pcb").write_text(cut, encoding="utf-8")
    found = make.violations(board("place"), tmp_path / "report", file=tmp_path / "place.kicad_pcb")
    assert any("unconnected" in entry.lower() for entry in found)


@needs_kicad
def test_a_relative_folder_gets_all_files_as_well(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """KiCad takes a relative folder to be beside the board: the copper went astray, and the archive had only drills."""
    monkeypatch.chdir(tmp_path)
    make.fabricate(board("side"), Path("build/boards"))
    with zipfile.ZipFile(tmp_path / "build/boards/side.zip") as archive:
        names = set(archive.namelist())
    assert names == {f"side-{layer}.gbr" for layer in make.LAYERS} | {"side-PTH.drl", "side-NPTH.drl"}


@needs_pcbnew
def test_no_archive_is_made_of_a_part_of_the_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(make, "LAYERS", (*make.LAYERS, "F_Paste"))
    monkeypatch.setattr(make, "kicad_cli", lambda: None)
    with pytest.raises(model.Fault, match="KiCad failed at plot"):
        make.fabricate(board("side"), tmp_path)
    monkeypatch.setattr(make, "kicad", lambda command, job: {})
    with pytest.raises(model.Fault, match=r"has not written side-B_Cu\.gbr.*cannot be ordered"):
        make.fabricate(board("side"), tmp_path)
    assert not (tmp_path / "side.zip").exists()


@thorough
@needs_kicad
def test_two_runs_give_the_same_files(tmp_path: Path) -> None:
    for run in ("one", "two"):
        make.fabricate(board("side"), tmp_path / run)
    one, two = (
        {path.relative_to(tmp_path / run): path.read_bytes() for path in (tmp_path / run).rglob("*") if path.is_file()}
        for run in ("one", "two")
    )
    assert one == two
    assert len(one) >= 9
    assert not [path for path, content in one.items() if path.suffix != ".zip" and b"CreationDate" in content]


@needs_pcbnew
@pytest.mark.skipif(importlib.util.find_spec("numba") is None, reason="Numba is not installed")
def test_the_router_makes_the_file_in_the_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    committed = board("place").file
    (tmp_path / "tablier.pretty").symlink_to(committed.parent / "tablier.pretty")
    monkeypatch.setattr(model, "FOLDER", tmp_path)
    make.route_board(board("place"), report=lambda text: None)
    assert (tmp_path / "place.kicad_pcb").read_bytes() == committed.read_bytes()


# -- with a newer KiCad ----------------------------------------------------------------------------------------

CLI = """#!/bin/sh
echo "$@" >> "{log}"
case "$1 $2 $3" in
version*) echo {version} ;;
"pcb drc "*) while [ "$1" != --output ]; do shift; done; cat > "$2" < "{found}" ;;
"pcb export gerbers") while [ "$1" != --output ]; do shift; done
    for it in {layers}; do echo "G04 Created by KiCad (PCBNEW {version}) date now*" > "$2/side-$it.gbr"; done
    echo > "$2/side-job.gbrjob" ;;
"pcb export drill") while [ "$1" != --output ]; do shift; done
    for it in PTH NPTH; do echo M48 > "$2/side-$it.drl"; done ;;
esac
"""


@pytest.fixture
def newer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """A kicad-cli that notes what it is asked; its options are those of KiCad 9.0.8, with which all this was run."""

    def install(version: str, found: Sequence[Any] = ()) -> Path:
        folder = tmp_path / "newer"
        folder.mkdir()
        (folder / "found.json").write_text(
            json.dumps({"kicad_version": version, "violations": list(found), "unconnected_items": []})
        )
        program = folder / "kicad-cli"
        text = CLI.format(
            log=folder / "log", version=version, found=folder / "found.json", layers=" ".join(make.LAYERS)
        )
        program.write_text(text)
        program.chmod(0o755)
        monkeypatch.setenv("KICAD_CLI", str(program))
        make.kicad_cli.cache_clear()
        return folder / "log"

    yield install
    monkeypatch.undo()
    make.kicad_cli.cache_clear()


def test_a_newer_kicad_makes_the_boards(newer: Install, tmp_path: Path) -> None:
    log = newer("9.0.8")
    make.fabricate(board("side"), tmp_path)
    with zipfile.ZipFile(tmp_path / "side.zip") as archive:
        assert set(archive.namelist()) == {f"side-{it}.gbr" for it in make.LAYERS} | {"side-PTH.drl", "side-NPTH.drl"}
        assert b"date" not in archive.read("side-F_Cu.gbr")
    asked = log.read_text()
    assert "--layers F.Cu,B.Cu,F.Mask,B.Mask,F.Silkscreen,B.Silkscreen,Edge.Cuts" in asked
    assert "--no-protel-ext" in asked and "--excellon-separate-th" in asked
    assert make.version() == "9.0.8" and "by KiCad 9.0.8" in make.order([board("side")])


def test_what_a_newer_kicad_finds_is_told(newer: Install, tmp_path: Path) -> None:
    item = {"description": "Pad 1 [GND] of R1", "pos": {"x": 150.0, "y": 100.0}}
    near = {"type": "clearance", "severity": "error", "description": "too near", "items": [item]}
    cut = {"type": "silk_overlap", "severity": "warning", "description": "cut off", "items": [item]}
    newer("8.0.1", [near, cut])
    found = make.violations(board("side"), tmp_path)
    assert [entry.splitlines()[0] for entry in found] == ["[clearance]: too near"]
    assert "Pad 1 [GND] of R1" in found[0]
    assert "[silk_overlap]: cut off" in (tmp_path / "side-rules.txt").read_text()


def test_without_any_kicad_it_says_which_would_do(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Each named the other's: that boards need KiCad 6, and the lists of parts any."""
    monkeypatch.setattr(make, "kicad_cli", lambda: None)
    monkeypatch.setattr(make, "kicad_python", lambda: None)
    with pytest.raises(Missing, match=r"neither KiCad 6 .* nor kicad-cli of 8 or later"):
        make.make(tmp_path)
    with pytest.raises(Missing, match=r"^KiCad 6 with its Python module pcbnew is not installed"):
        make.bill(board("side"), tmp_path)
    assert not list(tmp_path.iterdir())


def test_kicad_7_is_not_used_and_whoever_has_it_is_told_what_to_do(
    newer: Install, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    newer("7.0.11")
    assert make.kicad_cli() is None
    monkeypatch.setattr(make, "kicad_python", lambda: None)
    with pytest.raises(Missing, match=r"KiCad 7\.0\.11 is installed.*order by the archive.*ppa:kicad"):
        make.make(tmp_path)


# -- from the command line -------------------------------------------------------------------------------------


def test_a_board_that_there_is_not() -> None:
    done = subprocess.run([sys.executable, "-m", "hardware.boards", "check", "lid"], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (2, "there is no board 'lid'; there are place, side, hub\n")


# -- what is printed -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", model.NAMES)
def test_a_board_prints_what_the_data_say(name: str) -> None:
    assert prints.faults(board(name)) == [], "python -m hardware.boards print"


def test_a_value_a_text_and_a_revision_of_before_are_noticed_and_written() -> None:
    hub = board("hub")
    file = hub.file.read_text(encoding="utf-8")
    old = (
        file.replace('"470R"', '"4.7k"')
        .replace("TABLIER HUB rev D", "TABLIER HUB rev C")
        .replace('(rev "D")', '(rev "C")')
    )
    made, found = prints.printed(hub, old)
    assert made == file
    assert [it.partition(" is")[0] for it in found] == ["hub: R31", "hub: a text", "hub: rev"]
