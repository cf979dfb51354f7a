"""Cards: usual sizes all draw, and for others the one number that would have to be another is named."""

from __future__ import annotations

import re

import pytest

from hardware import HERE, arena, cards
from sample import THOROUGH, each, thorough

PAGE = (HERE / "CARDS.md").read_text(encoding="utf-8")
ROWS = {row.split(" |")[0].removeprefix("| "): row for row in PAGE.splitlines() if re.match(r"\| .*\d × \d", row)}


@pytest.mark.parametrize("name", each(5, cards.PRESETS))
def test_every_preset_can_be_drawn(name: str) -> None:
    assert cards.Cards(*cards.PRESETS[name]).faults(solids=False) == []
    assert "not drawn" not in ROWS[f"{name}: {cards._name(cards.Cards(*cards.PRESETS[name]))}"]


@pytest.mark.parametrize("name", cards.PRESETS)
@thorough
def test_the_solids_of_a_preset_fit_together(name: str) -> None:
    assert cards.Cards(*cards.PRESETS[name]).faults() == []


@pytest.mark.parametrize("thickness", each(3, [0.324, 0.325, 0.326, 0.33]))
def test_cards_a_hair_thicker_are_no_obstacle(thickness: float) -> None:
    """0.324 mm passed and 0.326 did not, and the advice went in circles."""
    assert cards.Cards(59, 92, thickness).faults(solids=False) == []


def one_number(found: list[str]) -> tuple[str, float]:
    """Return what a refusal asks to change, and to what: exactly one number."""
    (fault,) = found
    match = re.match(r"card\.(width|length|thickness): [\d.]+ mm; at (most|least) ([\d.]+) mm", fault)
    assert match, fault
    return match[1], float(match[3])


@pytest.mark.parametrize("size", each(13, cards.fifty()), ids=lambda it: f"{it.width:g}x{it.length:g}x{it.thickness:g}")
def test_a_size_is_drawn_or_refused_with_the_one_number_to_change(size: cards.Cards) -> None:
    """And when it is changed, the size is drawn: no advice leads to another."""
    found = size.faults(solids=THOROUGH)
    row = ROWS[cards._name(size)]
    assert ("not drawn" in row) == bool(found)
    if found:
        name, number = one_number(found)
        assert found[0] in row
        changed = cards.Cards(**{**vars(size), name: number})
        assert changed.faults(solids=False) == []


@pytest.mark.parametrize(
    "size, fault",
    [
        ((59.0, 92.0, 0.45), "card.thickness: 0.45 mm; at most 0.406 mm"),
        ((50.0, 84.0, 0.3), "card.width: 50 mm; at least 51 mm"),
        ((54.0, 120.0, 0.3), "card.length: 120 mm; at most 95 mm for cards 54 mm wide"),
        ((63.0, 55.0, 0.3), "card.length: 55 mm; at least its width"),
    ],
)
def test_what_no_arena_does_for_is_refused(size: tuple[float, float, float], fault: str) -> None:
    (found,) = cards.Cards(*size).faults(solids=False)
    assert found.startswith(fault)


def test_two_sizes_that_no_tray_does_for() -> None:
    data = arena.read()
    data["card"] = {**data["card"], "width": 70.0, "length": 120.0, "others": [[59.0, 92.0]]}
    assert arena.faults(data) == ["card.others: leave out 59 × 92 mm: no tray does for both sizes"]


def test_there_are_fifty_rows_and_the_presets() -> None:
    sizes = cards.fifty()
    assert len(set(sizes)) == 50 and len(ROWS) == 50 + len(cards.PRESETS)
    assert {min(it.width for it in sizes), max(it.length for it in sizes)} == {54, 120}
    assert {it.thickness for it in sizes} == {0.24, 0.28, 0.32, 0.36, 0.4}


def test_thicker_and_larger_cards_need_other_stand_offs_and_wood_and_no_other_boards() -> None:
    usual, thick, tarot = arena.read(), cards.Cards(59, 92, 0.4).data, cards.Cards(70, 120, 0.3).data
    assert cards.differs(usual) == ""
    assert cards.differs(thick) == "frame's stand-offs 40 mm, covers' stand-offs 50 mm, 4 washers"
    assert "deck and box" in cards.differs(tarot)
    for data in (thick, tarot):
        assert data["tiers"]["rim"] - data["tiers"]["low"] == usual["tiers"]["rim"] - usual["tiers"]["low"]
        assert data["tiers"]["across"] == usual["tiers"]["across"]
        boards = {name: {**it, "z": 0} for name, it in data["board"].items()}
        assert boards == {name: {**it, "z": 0} for name, it in usual["board"].items()}


def test_a_preset_is_written_into_the_file() -> None:
    text = cards.rewritten(
        (HERE / "arena.toml").read_text(encoding="utf-8"), cards.Cards(*cards.PRESETS["tarot, thick"])
    )
    assert re.search(r"(?m)^width = 70\.0$", text) and re.search(r"(?m)^length = 120\.0$", text)
    assert re.search(r"(?m)^thickness = 0\.4$", text) and re.search(r"(?m)^others = \[\]$", text)
    assert re.search(r"(?m)^width = 64\.0", text), "the tower's"


def test_a_name_that_there_is_not_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert cards.main(["use", "pinochle"]) == 2
    assert capsys.readouterr().err.startswith("pinochle: neither a preset (poker, thin;")
    assert cards.main(["use", "54", "120", "0.3"]) == 1
