"""The pages of the hardware: what they name exists."""

import re
from collections import defaultdict

import pytest

from hardware import HERE
from tablier.cli.common import CommandError
from tablier.cli.main import build_parser

PAGES = {name: (HERE / name).read_text(encoding="utf-8") for name in ("README.md", "BUILD.md")}
NOT_YET = "not available yet"


def anchors(page):
    """The anchors of a page's headings, as the usual renderers make them."""
    headings = re.findall(r"^#+ (.*)$", page, re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("name", PAGES)
def test_links_lead_somewhere(name):
    for target in re.findall(r"\]\(([^)]+)\)", PAGES[name]):
        if target.startswith("https://"):
            continue
        path, _, anchor = target.partition("#")
        there = HERE / path if path else HERE / name
        assert there.exists(), target
        if anchor:
            assert anchor in anchors(there.read_text(encoding="utf-8")), target


@pytest.mark.parametrize("name", PAGES)
def test_components_are_in_the_wiring(name, wiring):
    found = re.findall(r"`((?:[A-Z]\d_)?(?:[A-Z]{1,3})\d{1,2})`", PAGES[name])
    places = {place for pair in wiring.components for place in (pair.split("_")[0],)}
    for designator in found:
        assert designator in wiring.components or designator in wiring.cables or designator in places, designator
    assert name != "BUILD.md" or len(set(found)) > 60


def test_every_component_of_the_hub_has_its_step(wiring):
    """Those of the places and sides are drawn with them; on the hub the order matters."""
    named = set(re.findall(r"`([A-Z]{1,3}\d{1,2})`", PAGES["BUILD.md"]))
    for first, last in re.findall(r"`([A-Z]{1,3}\d{1,2})` to\s+`([A-Z]{1,3}\d{1,2})`", PAGES["BUILD.md"]):
        kind = first.rstrip("0123456789")
        assert last.startswith(kind)
        named |= {f"{kind}{n}" for n in range(int(first[len(kind) :]), int(last[len(kind) :]) + 1)}
    hub = {name for name in wiring.components if "_" not in name} - {"G1", "K1", "K2", "K3", "K4"}
    around_the_piezo = {f"R{n}" for n in (*range(14, 17), *range(18, 25))} | {"C5", "C6", "C7", "D3", "D4", "J13"}
    assert hub - named - around_the_piezo == set()


@pytest.mark.parametrize("name", PAGES)
def test_commands_exist_or_are_marked(name):
    for line in PAGES[name].splitlines():
        for command in re.findall(r"`tablier ((?:table |log )?[a-z]+)", line):
            words = command.split()
            try:
                build_parser().parse_args([*words, "--help"])
            except SystemExit:
                assert NOT_YET not in line, f"tablier {command} is there: the page says that it is not"
            except CommandError:
                assert NOT_YET in line, f"there is no tablier {command}"


def test_steps_are_in_order():
    steps = [int(number) for number in re.findall(r"^## (\d+)\. ", PAGES["BUILD.md"], re.M)]
    assert steps == list(range(len(steps)))
    for number in re.findall(r"steps? (\d+)", PAGES["BUILD.md"]):
        assert int(number) in steps


def test_it_is_said_that_nothing_was_built():
    assert "not been built" in PAGES["BUILD.md"] and "Nothing here has been built" in PAGES["README.md"]


def test_the_rules_for_linux_are_for_the_board_that_the_host_looks_for():
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


def test_the_rules_are_well_formed():
    """Each line is keys with an operator and a quoted value, separated by commas."""
    rules = (HERE / "udev/70-tablier.rules").read_text(encoding="utf-8")
    key = r'[A-Z_]+(\{[\w/]+\})?(==|!=|=|\+=|:=)"[^"]*"'
    for line in rules.splitlines():
        if line and not line.startswith("#"):
            assert re.fullmatch(rf"{key}(, {key})*", line), line
    labels = re.findall(r'LABEL="(\w+)"', rules)
    assert re.findall(r'GOTO="(\w+)"', rules) == labels == ["tablier_end"]


def test_the_selftest_names_steps_that_are_about_its_faults():
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
    assert diagnosis.remedy("pixels", ring) == "see step 11 of hardware/BUILD.md" and "ring" in steps["11"]
    assert diagnosis.remedy("pixels", hood) == "see step 9 of hardware/BUILD.md"
    record = defaultdict(int, measured=1, held=2, margins=[], blinded=[])
    (held,) = diagnosis.measured(record)["buttons"]
    assert diagnosis.remedy("buttons", held) == "see step 8 of hardware/BUILD.md" and "counts as pressed" in steps["8"]


def test_every_step_that_builds_ends_in_a_measurement_and_says_what_to_do():
    for number, text in re.findall(r"^## (\d+)\. (.*?)(?=^## |\Z)", PAGES["BUILD.md"], re.M | re.S):
        if 1 <= int(number) <= 17 and int(number) != 4:
            assert "*Off:*" in text and ("expect |" in text or "must count one" in text), number


def test_pictures_of_the_guide_exist_and_all_are_shown():
    shown = re.findall(r"!\[\]\((drawings/steps/[a-z]+\.svg)\)", PAGES["BUILD.md"])
    assert len(shown) == len(set(shown))
    assert set(shown) == {f"drawings/steps/{path.name}" for path in (HERE / "drawings/steps").iterdir()}


def test_costs_in_the_guide_are_those_of_the_bill():
    from hardware import bill, order

    listed, page = bill.read(), PAGES["BUILD.md"]
    assert listed.date in page
    groups = {"circuit board": 0.0, "plywood": 0.0, "": 0.0}
    for part in listed.parts:
        groups[next(name for name in groups if part.name.startswith(name))] += part.cost
    named = [float(it) for it in re.findall(r"\| (\d+) EUR \|", page)]
    for said, cost in zip(named, (groups[""], groups["circuit board"], groups["plywood"]), strict=True):
        assert abs(said - cost) < 10, (said, cost)
    assert abs(float(re.search(r"about (\d+) EUR for one table", page)[1]) - listed.cost) < 10
    assert abs(float(re.search(r"are about (\d+) EUR\s+each", page)[1]) - order.cost(5) / 5) < 10
    assert abs(float(re.search(r"\((\d+) EUR\)", page)[1]) - sum(it.price for it in listed.tools)) < 10
