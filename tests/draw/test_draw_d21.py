"""The pictures of D.21: they fit, they are sound, and they show every die once, where it is and as it is."""

from __future__ import annotations

import json
import random
import re
import string
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from rich.cells import cell_len

from positions import then
from sample import each, sample
from tablier.games import rules_of
from tablier.games.core import Position
from tablier.games.core.drawing import CANVAS, Canvas
from tablier.games.d21 import drawing as d21

NAMES = ["Anne", "Bernard"]
STRANGE = [["<&>\"'", "a\nb\x1b[31m\x00\ud800"], ["x" * 500, "漢字" * 30], ["[bold]b[/bold]", ""]]
SVG = "{http://www.w3.org/2000/svg}"
SIZES = [7, 8, 10, 11, 14, 15, 16, 25, 26]


def spread(size: int, rng: random.Random, faces: Sequence[int] = range(1, 7)) -> dict[str, dict[str, int]]:
    """A setup on a board of a size, with three dice a side on outer spaces, corners among them."""
    inner = [f"{string.ascii_lowercase[c]}{r + 1}" for c in range(1, size - 1) for r in range(1, size - 1)]
    last = string.ascii_lowercase[size - 1]
    spaces = rng.sample(inner, 18)
    sides = [["a1", f"{last}2", f"b{size}", *spaces[:9]], ["a2", f"{last}{size}", f"c{size}", *spaces[9:]]]
    return {
        colour: {space: rng.choice(faces) for space in side}
        for colour, side in zip(("red", "green"), sides, strict=True)
    }


def position_of(**options: Any) -> Position[Any]:
    return Position(rules_of("d21", 2, options))


def drawn(
    position: Position[Any], names: list[str] = NAMES, canvas: Canvas = CANVAS
) -> tuple[dict[str, Any], ET.Element, list[str]]:
    """The view, the SVG document and the lines of the terminal board."""
    view = json.loads(json.dumps(position.rules.view(position.state, None)))
    document = ET.fromstring(d21.svg(position.rules, view, names))
    return view, document, d21.DRAWING.board(position.rules, view, names, canvas).plain.split("\n")


def spaces(lines: list[str], size: int) -> dict[str, list[str]]:
    """By name, the lines of each space of a terminal board whose spaces have lines of their own."""
    letters = next(line for line in lines if line.split()[:size] == list(string.ascii_lowercase[:size]))
    at = {name: letters.index(name, 3) for name in string.ascii_lowercase[:size]}
    wide = at["b"] - at["a"]
    left = at["a"] - (wide - 1) // 2
    rows = lines[1 : lines.index(letters)]
    high = len(rows) // size
    return {
        f"{name}{size - row}": [line[left + wide * n :][:wide] for line in rows[high * row : high * (row + 1)]]
        for row in range(size)
        for n, name in enumerate(at)
    }


def pips(text: str) -> int:
    """Count the pips of a die, each of them a dot, or 2 × 2 dots of braille."""
    dots = sum((ord(sign) - 0x2800).bit_count() for sign in text if 0x2800 <= ord(sign) < 0x2900)
    return dots // 4 or text.count("●")


def words(document: ET.Element) -> list[str]:
    return [element.text.strip() for element in document.iter(f"{SVG}text") if element.text and element.text.strip()]


@pytest.mark.parametrize("size", sample([7, 26], SIZES))
@pytest.mark.parametrize("names", sample([[STRANGE[0][1], STRANGE[1][0]]], [NAMES, *STRANGE]))
def test_every_size_fits_a_terminal(size: int, names: list[str]) -> None:
    rng = random.Random(size)
    position = position_of(size=size, setup=spread(size, rng), max_plies=10**30)
    for _ in range(5):
        for canvas in (CANVAS, Canvas(columns=90, lines=30), Canvas(columns=118, lines=38, ascii=True)):
            _, _, lines = drawn(position, names, canvas)
            assert len(lines) <= canvas.lines
            assert max(map(cell_len, lines)) <= canvas.columns
            assert "\x1b" not in "".join(lines)
        if not position.is_over:
            position.push(rng.choice(position.legal_moves))


@pytest.mark.parametrize("size", each(3, SIZES))
def test_the_terminal_shows_every_die_on_its_space(size: int) -> None:
    view, _, lines = drawn(position_of(size=size, setup=spread(size, random.Random(size))))
    expected = {space: face for colour in ("red", "green") for space, face in view[colour].items()}
    found = {}
    if size <= 14:
        for space, (cell, *more) in spaces(lines, size).items():
            if more and (face := pips(cell + more[0])):
                found[space] = face
                assert cell[0] == more[0][0] == ("[" if space in view["red"] else "(")
            elif not more and cell.strip() != "·":
                die = re.fullmatch(r"[\[(](.?)(\d)[\])]", cell)
                assert die and die[1] in ("", "⚀⚁⚂⚃⚄⚅"[int(die[2]) - 1])
                found[space] = int(die[2])
                assert cell[0] + cell[-1] == ("[]" if space in view["red"] else "()")
    for line in lines[1:] if size > 14 else ():
        if rows := re.match(r"([ \d]\d) ([ \d][ \d]) ", line):
            for column in range(size):
                for row, digit in zip(rows.groups(), line[6 + 2 * column : 8 + 2 * column], strict=True):
                    if (face := max("˙¹²³⁴⁵⁶".find(digit), ".₁₂₃₄₅₆".find(digit))) > 0:
                        found[f"{string.ascii_lowercase[column]}{int(row)}"] = face
    assert found == expected


@pytest.mark.parametrize("canvas", [Canvas(columns=78, lines=22), Canvas(columns=93, lines=32)])
def test_where_there_is_room_dice_have_pips(canvas: Canvas) -> None:
    view, _, lines = drawn(position_of(setup=spread(10, random.Random(3))), canvas=canvas)
    faces = {space: face for colour in ("red", "green") for space, face in view[colour].items()}
    for space, cell in spaces(lines, 10).items():
        shown = "".join(cell)
        assert pips(shown) == faces.get(space, 0)
        assert ("[" in shown, "(" in shown) == (space in view["red"], space in view["green"])
        assert ("]" in shown, ")" in shown) == (space in view["red"], space in view["green"])
        if len(cell) == 2 and space in faces:
            assert cell[1].endswith(str(faces[space])), "pips so small are hard to count"


@pytest.mark.parametrize("canvas", [CANVAS, Canvas(columns=78, lines=22), Canvas(columns=93, lines=32)])
def test_the_last_move_and_what_can_be_reached_are_marked(canvas: Canvas) -> None:
    position = then(position_of(), "p1 c3-c4")
    marked = replace(canvas, last=position.lately()[0], lit=["d4", "d8"])
    shown = {space: "".join(cell) for space, cell in spaces(drawn(position, canvas=marked)[2], 10).items()}
    signs = {sign: sorted(space for space, cell in shown.items() if sign in cell) for sign in "○▸◇◆"}
    assert signs == {"○": ["c3"], "▸": ["c4"], "◇": ["d4"], "◆": ["d8"]}
    assert "]" in shown["c4"] or "[" in shown["c4"], "the side is still told"


def test_a_board_in_ascii_has_no_other_signs() -> None:
    position = then(position_of(), "p1 c3-c4")
    for lines in (16, 34):
        canvas = Canvas(columns=118, lines=lines, ascii=True, last=position.lately()[0], lit=["d4"])
        assert "\n".join(drawn(position, canvas=canvas)[2]).isascii()


def test_colours_in_the_terminal_follow_the_owner() -> None:
    rules = rules_of("d21", 2)
    picture = d21.text(rules, rules.view(rules.initial(), None), NAMES)
    dice = [(picture.plain[span.start : span.end], str(span.style)) for span in picture.spans]
    styles = {die: {style for text, style in dice if text == die} for die in ("[⚀1]", "(⚀1)")}
    assert sum(text in styles for text, _ in dice) == 24
    assert all(styles.values()) and not styles["[⚀1]"] & styles["(⚀1)"]


@pytest.mark.parametrize("size", each(3, SIZES))
def test_the_svg_shows_every_die_with_its_pips(size: int) -> None:
    view, document, _ = drawn(position_of(size=size, setup=spread(size, random.Random(size))))
    dots = sum(len(group.findall(f"{SVG}circle")) for group in document.iter(f"{SVG}g"))
    on_board = sum(sum(view[colour].values()) for colour in ("red", "green"))
    assert dots == on_board + 2 * 21  # and six of each colour beside the names
    places: Counter[tuple[float, float]] = Counter()
    for group in document.iterfind(f"./{SVG}g[@data-part]//{SVG}g"):
        if group.findall(f"{SVG}circle"):
            die = group.findall(f"{SVG}rect")[-1]
            half = float(die.attrib["width"]) / 2
            middle = float(die.attrib["x"]) + half, float(die.attrib["y"]) + half
            places[round(middle[0], 1), round(middle[1], 1)] += 1
    assert len(places) == 24
    for axis in (0, 1):
        assert len({place[axis] for place in places}) <= size


def test_the_svg_names_columns_and_rows() -> None:
    _, document, _ = drawn(position_of())
    shown = words(document)
    assert [letter for letter in "abcdefghij" if shown.count(letter) != 1] == []
    assert {"10", "9", "8", "7"} <= set(shown)


def test_the_winning_row_is_marked_and_the_winner_named() -> None:
    gone = dict.fromkeys(["c2", "d2", "e2", "f2", "h2"])
    red = {f"{column}{row}": 1 for column in "cdefgh" for row in "23"} | {"c5": 1, "d6": 2, "e7": 3, "f6": 4, "g4": 5}
    setup = {
        "red": {space: face for space, face in red.items() if space not in gone},
        "green": {f"{column}{row}": 1 for column in "cdefgh" for row in "89" if column + row != "c8"} | {"h4": 6},
    }
    position = position_of(setup=setup)
    _, before, _ = drawn(position)
    assert before.find(f"{SVG}polyline") is None
    _, document, lines = drawn(then(position, "p1 g4-g5"))
    row = document.find(f"{SVG}polyline")
    assert row is not None and len(row.attrib["points"].split()) == 6
    assert "Anne wins: 1 to 6 in a row" in words(document)
    assert "★ Anne" in words(document)
    assert lines[0] == "D.21  Anne wins: 1 to 6 in a row"
    assert not any("▶" in word for word in [*words(document), *lines])


def test_turn_repetition_and_draws_are_told() -> None:
    position = position_of(max_plies=9)
    there_and_back = ["p1 c3-c4", "p2 c8-c7", "p1 c4-c3", "p2 c7-c8"]
    _, document, lines = drawn(then(position, *there_and_back))
    assert "▶ Anne" in words(document)
    assert lines[0] == "D.21  Anne moves"
    assert "4 of 9 moves · this position for the second time" in words(document)
    assert any("repeated: 2 of 3" in line for line in lines)
    _, document, _ = drawn(then(position, *there_and_back))
    assert "A draw: the same position for the third time" in words(document)
    assert drawn(then(position_of(max_plies=1), "p1 c3-c4"))[2][0] == "D.21  A draw: 1 move without a winner"
    assert drawn(then(position_of(max_plies=2), "p1 c3-c4", "p2 c8-c7"))[2][0].endswith("2 moves without a winner")
