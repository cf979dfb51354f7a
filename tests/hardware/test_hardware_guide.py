"""The pages of the hardware: what they name exists."""

from __future__ import annotations

import re
import shutil
from collections import defaultdict
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("shapely", reason="shapely is not installed; make sets it up")

from hardware.boards import model as boards
from hardware.tools import Missing

from hardware import HERE, bill, book, draw, guide, make, nets, steps
from tablier.cli.common import CommandError
from tablier.cli.main import build_parser

PAGES = {name: (HERE / name).read_text(encoding="utf-8") for name in ("README.md", "BUILD.md")}
NOT_YET = "not available yet"


def anchors(page: str) -> set[str]:
    """The anchors of a page's headings, as the usual renderers make them."""
    return {guide.anchor(heading) for heading in book.headings(page)}


def dead(folder: Path, pages: dict[str, str]) -> list[str]:
    """Return the links of pages in a folder that lead nowhere."""
    found = []
    for name, text in pages.items():
        for target in re.findall(r"\]\(([^)]+)\)", text):
            path, _, anchor = target.partition("#")
            there = folder / path if path else folder / name
            if not target.startswith("https://") and (
                not there.exists() or (anchor and anchor not in anchors(there.read_text(encoding="utf-8")))
            ):
                found.append(f"{name}: {target}")
    return found


def test_links_lead_somewhere() -> None:
    pages = {path.name: path.read_text(encoding="utf-8") for path in HERE.glob("*.md")}
    assert len(pages) > 6 and dead(HERE, pages) == []


@pytest.fixture
def built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that ``make hardware`` writes, with what is drawn by this checkout's files."""
    drawn = [*HERE.glob("*.md"), *draw.DRAWINGS.glob("*.svg")]
    monkeypatch.setattr(draw, "documents", lambda: {path: path.read_text(encoding="utf-8") for path in drawn})
    make._documents(tmp_path)
    for name in ("cut", "drawings/steps", "drawings/boards"):
        shutil.copytree(HERE / name, tmp_path / name)
    return tmp_path


def test_links_of_the_built_copy_lead_somewhere(built: Path) -> None:
    """Many led to data that only the checkout has."""
    pages = {path.name: path.read_text(encoding="utf-8") for path in built.glob("*.md")}
    assert dead(built, pages) == []
    assert "what is measured, and what is enough (`firmware/SELFTEST.md` in the sources)" in pages["BUILD.md"]


def test_links_of_the_book_lead_somewhere(built: Path) -> None:
    pytest.importorskip("markdown_it", reason="markdown-it-py is not installed; make sets it up")
    page = book.html(built)
    named = re.findall(r'id="([^"]*)"', page)
    assert len(named) == len(set(named))
    targets = re.findall(r'href="#([^"]*)"', page)
    assert len(targets) > 60 and set(targets) <= set(named)
    assert 'href="#readme-md--safety"' in page and 'href="#kit-md"' in page
    assert not re.search(r'href="(?!#|https://)', page)
    assert 'class="sheet flat" id="drawings-power-svg"' in page and 'class="sheet" id="drawings-loom-svg"' in page
    for source in re.findall(r'src="([^"]*)"', page):
        assert (built / source).exists(), source
    assert {path.name for path in (built / "drawings").glob("*.svg")} <= {
        source.rsplit("/", 1)[1] for source in re.findall(r'src="([^"]*)"', page)
    }


@pytest.mark.filterwarnings("ignore")
def test_the_book_is_the_same_twice_wherever_it_is_made(built: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    try:
        book.load()
    except Missing as missing:
        pytest.skip(str(missing))
    shutil.rmtree(built / "drawings")
    for path in built.glob("*.md"):
        path.write_text(re.sub(r"!\[[^\]]*\]\([^)]*\)", "", path.read_text(encoding="utf-8")[:3000]), encoding="utf-8")
    (built / "drawings").mkdir()
    (built / "boards").mkdir(exist_ok=True)
    (built / "boards/hub-front.png").write_bytes(steps._png(np.zeros((steps.HEIGHT, steps.WIDTH, 3))))
    elsewhere = tmp_path_factory.mktemp("elsewhere") / "build"
    shutil.copytree(built, elsewhere)
    book.make(built)
    book.make(elsewhere)
    first = (built / "guide.pdf").read_bytes()
    assert first.startswith(b"%PDF") and (elsewhere / "guide.pdf").read_bytes() == first


# -- time and parts --------------------------------------------------------------------------------------------

STEPS = guide.read()


def test_each_part_has_one_step_and_all_that_is_bought_is_used(wiring: nets.Wiring) -> None:
    assert guide.faults(STEPS, bill.read(), wiring) == []


@pytest.mark.parametrize(
    "number, change, fault",
    [
        (7, {"parted": {"a": ("Q{1-2}",)}}, "RV1 is in 0 steps"),
        (6, {"wired": ("U5", "C15", "R{1-4}", "J7", "C2", "RV1")}, "RV1 is in 2 steps"),
        (6, {"wired": ("R99",)}, "there is no R99"),
        (10, {"uses": {"screw M3 × 25 mm": 11}}, "use 11 of screw M3 × 25 mm, the bill has 12"),
        (10, {"uses": {"rivet": 1}}, "uses rivet, which the bill does not have"),
        (10, {"difficulty": "odd"}, "step 10 is 'odd'"),
    ],
)
def test_a_step_that_uses_something_else_is_noticed(
    number: int, change: dict[str, Any], fault: str, wiring: nets.Wiring
) -> None:
    steps = [replace(step, **change) if step.number == number else step for step in STEPS]
    assert any(fault in it for it in guide.faults(steps, bill.read(), wiring))


def test_each_step_of_the_guide_has_its_time() -> None:
    assert [step.number for step in STEPS] == list(guide.titles(PAGES["BUILD.md"]))
    assert 28 <= sum(step.hours for step in STEPS) <= 34 and "thirty hours" in PAGES["BUILD.md"]


def test_components_are_in_the_step_that_solders_them() -> None:
    """KIT.md says so, and so does the text: each component of the hub is named in its step."""
    texts = dict(re.findall(r"^## (\d+)\. .*?\n(.*?)(?=^## |\Z)", PAGES["BUILD.md"], re.M | re.S))
    for step in STEPS:
        if 2 <= step.number <= 7:
            named = set(re.findall(r"`([A-Z]{1,3}\d{1,2})`", texts[str(step.number)]))
            for first, last in re.findall(
                r"`([A-Z]{1,3}\d{1,2})`\s+to\s+`([A-Z]{1,3}\d{1,2})`", texts[str(step.number)]
            ):
                kind = first.rstrip("0123456789")
                named |= {f"{kind}{n}" for n in range(int(first[len(kind) :]), int(last[len(kind) :]) + 1)}
            assert set(step.names) - named <= {"G1"}, step.number


# -- what a builder asked, and what was wrong -------------------------------------------------------------------


def found(pattern: str, page: str, group: int = 1) -> str:
    """Return what a group of a pattern matches on a page."""
    match = re.search(pattern, page)
    assert match, pattern
    return str(match[group])


def step_of(number: int) -> str:
    return found(rf"(?ms)^## {number}\. .*?(?=^## )", PAGES["BUILD.md"], 0)


def test_there_is_wire_enough_of_each_colour(wiring: nets.Wiring) -> None:
    """Of red and black there was less than ring, floor, switch and the strips of the places take."""
    (part,) = (part for part in bill.read().parts if part.name == "hook-up wire")
    bought: dict[str, int] = {}
    for metres, colours in re.findall(r"(\d) m (?:each )?of ([a-z]+(?: and [a-z]+)?)", part.use):
        bought |= dict.fromkeys(colours.split(" and "), int(metres))
    assert sum(bought.values()) == part.quantity
    needed = dict.fromkeys(bought, 0.0)
    named = {"RD": "red", "BK": "black", "GN": "green", "YE": "yellow", "OG": "orange", "VT": "violet"}
    for cable in wiring.cables.values():
        for colour in cable.colours if cable.kind == part.name else ():
            needed[named[colour]] += cable.length
    assert "four hook-up wires of 10 cm: red" in " ".join(step_of(9).split())
    for colour in ("red", "green", "black", "yellow"):
        needed[colour] += 2 * 6 * 0.1
    for colour, metres in needed.items():
        assert 0 < metres < 0.95 * bought[colour], (colour, metres)


@pytest.mark.parametrize("name", PAGES)
def test_components_are_in_the_wiring(name: str, wiring: nets.Wiring) -> None:
    found = re.findall(r"`((?:[A-Z]\d_)?(?:[A-Z]{1,3})\d{1,2})`", PAGES[name])
    places = {place for pair in wiring.components for place in (pair.split("_")[0],)}
    for designator in found:
        assert designator in wiring.components or designator in wiring.cables or designator in places, designator
    assert name != "BUILD.md" or len(set(found)) > 60


@pytest.mark.parametrize("name", PAGES)
def test_commands_exist_or_are_marked(name: str) -> None:
    for line in PAGES[name].splitlines():
        for command in re.findall(r"`tablier ((?:table |log )?[a-z]+)", line):
            words = command.split()
            try:
                build_parser().parse_args([*words, "--help"])
            except SystemExit:
                assert NOT_YET not in line, f"tablier {command} is there: the page says that it is not"
            except CommandError:
                assert NOT_YET in line, f"there is no tablier {command}"


def test_steps_are_in_order() -> None:
    steps = [int(number) for number in re.findall(r"^## (\d+)\. ", PAGES["BUILD.md"], re.M)]
    assert steps == list(range(len(steps)))
    for number in re.findall(r"steps? (\d+)", PAGES["BUILD.md"]):
        assert int(number) in steps


def test_it_is_said_that_nothing_was_built() -> None:
    assert "not been built" in PAGES["BUILD.md"] and "Nothing here has been built" in PAGES["README.md"]


def test_the_rules_for_linux_are_for_the_board_that_the_host_looks_for() -> None:
    from tablier.table import ports

    rules = (HERE / "udev/70-tablier.rules").read_text(encoding="utf-8")
    vendor, product = ports._MICROPYTHON
    lines = [line for line in rules.splitlines() if "idVendor" in line]
    assert len(lines) == 2
    for line in lines:
        assert f'{{idVendor}}=="{vendor:04x}"' in line and f'{{idProduct}}=="{product:04x}"' in line
    usb, tty = lines
    assert 'ENV{ID_MM_DEVICE_IGNORE}="1"' in usb and 'ENV{MTP_NO_PROBE}="1"' in usb
    assert 'SYMLINK+="tablier-$attr{serial}"' in tty and 'TAG+="uaccess"' in tty
    assert list((HERE / "udev").glob("7[0-2]-*.rules")), "uaccess is given by the rules of number 73"


def test_the_rules_are_well_formed() -> None:
    """Each line is keys with an operator and a quoted value, separated by commas."""
    rules = (HERE / "udev/70-tablier.rules").read_text(encoding="utf-8")
    key = r'[A-Z_]+(\{[\w/]+\})?(==|!=|=|\+=|:=)"[^"]*"'
    for line in rules.splitlines():
        if line and not line.startswith("#"):
            assert re.fullmatch(rf"{key}(, {key})*", line), line
    labels = re.findall(r'LABEL="(\w+)"', rules)
    assert re.findall(r'GOTO="(\w+)"', rules) == labels == ["tablier_end"]


def test_the_selftest_names_steps_that_are_about_its_faults() -> None:
    """Each step that it names has a heading and measurements for what failed, and says what to do when they are off."""
    from tablier.service import diagnosis

    steps = dict(re.findall(r"^## (\d+)\. (.*?)(?=^## |\Z)", PAGES["BUILD.md"], re.M | re.S))
    words = {
        "memory": "firmware",
        "buttons": "probe/buttons.py",
        "beams": "B1_RV2",
        "floor": "OS2",
        "impact": "probe/impact.py",
        "pixels": "probe/pixels.py",
        "buttons pressed": "each button, pressed",
        "hoods": "under each hood",
        "beams with a card": "Move a card through each beam",
        "floor with a card": "probe/floor.py",
        "impact of a card": "Let a card fall",
        "buzzer": "probe/buzzer.py",
    }
    assert set(diagnosis.GUIDE) == set(words) == {"memory", *diagnosis.MEASURED, *diagnosis.GUIDED.values()}
    for step, number in diagnosis.GUIDE.items():
        text = steps[str(number)]
        assert words[step] in text and "*Off:*" in text, (step, number)
    ring, hood = diagnosis._dark(3), diagnosis._dark(50)
    assert str(diagnosis.remedy("pixels", ring)) == "see step 11 of hardware/BUILD.md" and "ring" in steps["11"]
    assert str(diagnosis.remedy("pixels", hood)) == "see step 9 of hardware/BUILD.md"
    record = defaultdict(int, measured=1, held=2, margins=[], blinded=[])
    (held,) = diagnosis.measured(record)["buttons"]
    assert (
        str(diagnosis.remedy("buttons", held)) == "see step 8 of hardware/BUILD.md"
        and "counts as pressed" in steps["8"]
    )


def test_every_step_that_builds_ends_in_a_measurement_and_says_what_to_do() -> None:
    for number, text in re.findall(r"^## (\d+)\. (.*?)(?=^## |\Z)", PAGES["BUILD.md"], re.M | re.S):
        if 1 <= int(number) <= 17 and int(number) != 4:
            assert "*Off:*" in text and ("expect |" in text or "must count one" in text), number


def sitting_of(page: str, number: str) -> str:
    """The text of a step, or of one of its sittings."""
    return found(rf"(?ms)^##+ {number}\. .*?(?=^##+ \d|\Z)", page, 0)


def test_each_sitting_shows_its_boards_with_the_parts_that_are_soldered_in_it(wiring: nets.Wiring) -> None:
    placed = [boards.board(name, wiring, boards.read()) for name in boards.NAMES]
    shown = set()
    for step in guide.read():
        for number, names in step.sittings():
            wanted = {part.ref for board in placed for part in board.parts if part.component in names}
            if wanted:
                path = f"drawings/boards/step-{number}.svg"
                drawn = re.findall(r'class="now" data-part="(\w+)"', (HERE / path).read_text(encoding="utf-8"))
                assert sorted(drawn) == sorted(wanted)
                assert f"![]({path})" in sitting_of(PAGES["BUILD.md"], number)
                shown.add(path)
    assert shown == {f"drawings/boards/{path.name}" for path in (HERE / "drawings/boards").iterdir()}
    assert len(shown) >= 9


def test_a_part_of_an_earlier_step_is_there_and_one_of_a_later_is_not(wiring: nets.Wiring) -> None:
    picture = (HERE / "drawings/boards/step-5.svg").read_text(encoding="utf-8")
    kinds = {ref: kind for kind, ref in re.findall(r'class="(\w+)" data-part="(\w+)"', picture)}
    assert (kinds["Q5"], kinds["U4"], kinds["U8"]) == ("there", "now", "later")
    hub = boards.board("hub", wiring, boards.read())
    assert kinds.keys() == {part.ref for part in hub.parts}


def test_pictures_of_the_guide_exist_and_all_are_shown() -> None:
    shown = re.findall(r"!\[\]\((drawings/steps/[a-z]+\.svg)\)", PAGES["BUILD.md"])
    assert len(shown) == len(set(shown))
    assert set(shown) == {f"drawings/steps/{path.name}" for path in (HERE / "drawings/steps").iterdir()}


def test_costs_in_the_guide_are_those_of_the_bill() -> None:
    from hardware import bill, order

    listed, page = bill.read(), PAGES["BUILD.md"]
    assert listed.date in page
    groups = {"circuit board": 0.0, "plywood": 0.0, "": 0.0}
    for part in listed.parts:
        groups[next(name for name in groups if part.name.startswith(name))] += part.cost
    named = [float(it) for it in re.findall(r"\| (\d+) EUR \|", page)]
    for said, cost in zip(named, (groups[""], groups["circuit board"], groups["plywood"]), strict=True):
        assert abs(said - cost) < 10, (said, cost)
    assert abs(float(found(r"about (\d+) EUR for one table", page)) - listed.cost) < 10
    assert abs(float(found(r"are about (\d+) EUR\s+each", page)) - order.cost(5) / 5) < 10
    assert abs(float(found(r"\((\d+) EUR\)", page)) - sum(it.price for it in listed.tools)) < 10


def test_the_table_of_other_picos_names_every_register_that_the_firmware_uses_by_address() -> None:
    files = (HERE.parent / "firmware/tablier_fw/pico").glob("*.py")
    written = {it for path in files for it in re.findall(r"0x[45]0[0-9A-F]{6}", path.read_text(encoding="utf-8"))}
    assert written and written == set(re.findall(r"`(0x[0-9A-F]{8})`", PAGES["README.md"]))


# -- the book --------------------------------------------------------------------------------------------------


@pytest.fixture
def page(built: Path) -> str:
    pytest.importorskip("markdown_it", reason="markdown-it-py is not installed; make sets it up")
    (built / "boards").mkdir(exist_ok=True)
    (built / "boards/hub-front.png").write_bytes(b"")
    return book.html(built)


def test_a_reader_on_paper_finds_the_page_that_is_meant(page: str) -> None:
    """A link was blue letters and no more; there was no list of contents."""
    contents = found(r'(?s)<div id="contents">(.*?)</div>', page)
    entries = dict(re.findall(r'<a href="#([^"]*)">([^<]*)</a>', contents))
    for number, title in guide.titles(PAGES["BUILD.md"]).items():
        assert f"{number}. {title}" in map(unescape, entries.values())
    assert "drawings-power-svg" in entries and entries["boards-hub-front-png"] == "board: hub, front"
    assert set(entries) <= set(re.findall(r'id="([^"]*)"', page))
    assert 'a[href^="#"]::after { content: " (p. " target-counter(attr(href), page)' in page
