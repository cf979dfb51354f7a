"""The pictures of D.21: they fit, they are sound, and they show every die once, where it is and as it is."""

import json
import random
import re
import string
from collections import Counter
from xml.etree import ElementTree as ET

import pytest
from rich.cells import cell_len

from sample import sample
from tablier.games import rules_of
from tablier.games.core import Position
from tablier.games.d21 import drawing as d21

NAMES = ["Anne", "Bernard"]
STRANGE = [["<&>\"'", "a\nb\x1b[31m\x00\ud800"], ["x" * 500, "漢字" * 30], ["[bold]b[/bold]", ""]]
SVG = "{http://www.w3.org/2000/svg}"
SIZES = [7, 8, 10, 11, 14, 15, 16, 25, 26]


def spread(size, rng, faces=range(1, 7)):
    """A setup on a board of a size, with three dice a side on outer spaces, corners among them."""
    inner = [f"{string.ascii_lowercase[c]}{r + 1}" for c in range(1, size - 1) for r in range(1, size - 1)]
    last = string.ascii_lowercase[size - 1]
    spaces = rng.sample(inner, 18)
    sides = [["a1", f"{last}2", f"b{size}", *spaces[:9]], ["a2", f"{last}{size}", f"c{size}", *spaces[9:]]]
    return {
        colour: {space: rng.choice(faces) for space in side}
        for colour, side in zip(("red", "green"), sides, strict=True)
    }


def position_of(**options):
    return Position(rules_of("d21", 2, options))


def then(position, *moves):
    for move in moves:
        position.parse_push(move)
    return position


def drawn(position, names=NAMES):
    """The view, the SVG document and the lines of the terminal board."""
    view = json.loads(json.dumps(position.rules.view(position.state, None)))
    document = ET.fromstring(d21.svg(position.rules, view, names))
    return view, document, d21.text(position.rules, view, names).plain.split("\n")


def words(document):
    return [element.text.strip() for element in document.iter(f"{SVG}text") if element.text and element.text.strip()]


@pytest.mark.parametrize("size", sample([7, 16, 26], SIZES))
@pytest.mark.parametrize("names", [NAMES, *STRANGE])
def test_every_size_fits_a_terminal(size, names):
    rng = random.Random(size)
    position = position_of(size=size, setup=spread(size, rng), max_plies=10**30)
    for _ in range(5):
        _, _, lines = drawn(position, names)
        assert len(lines) <= 16
        assert max(map(cell_len, lines)) <= 78
        assert "\x1b" not in "".join(lines)
        if not position.is_over:
            position.push(rng.choice(position.legal_moves))


@pytest.mark.parametrize("size", SIZES)
def test_the_terminal_shows_every_die_on_its_space(size):
    view, _, lines = drawn(position_of(size=size, setup=spread(size, random.Random(size))))
    expected = {space: face for colour in ("red", "green") for space, face in view[colour].items()}
    found = {}
    for line in lines[1:]:
        if size <= 14 and (row := re.match(r"([ \d]\d) ", line)):
            for column in range(size):
                cell = line[3 + 3 * column : 6 + 3 * column]
                space = f"{string.ascii_lowercase[column]}{int(row[1])}"
                if cell[1] != "·":
                    found[space] = int(cell[1])
                    assert cell[0] + cell[2] == ("[]" if space in view["red"] else "()")
        elif size > 14 and (rows := re.match(r"([ \d]\d) ([ \d][ \d]) ", line)):
            for column in range(size):
                for row, digit in zip(rows.groups(), line[6 + 2 * column : 8 + 2 * column], strict=True):
                    if (face := max("˙¹²³⁴⁵⁶".find(digit), ".₁₂₃₄₅₆".find(digit))) > 0:
                        found[f"{string.ascii_lowercase[column]}{int(row)}"] = face
    assert found == expected


def test_colours_in_the_terminal_follow_the_owner():
    rules = rules_of("d21", 2)
    picture = d21.text(rules, rules.view(rules.initial(), None), NAMES)
    styles = Counter(
        str(span.style) for span in picture.spans if picture.plain[span.start : span.end] in ("[1]", "(1)")
    )
    assert sorted(styles.values()) == [12, 12]


@pytest.mark.parametrize("size", SIZES)
def test_the_svg_shows_every_die_with_its_pips(size):
    view, document, _ = drawn(position_of(size=size, setup=spread(size, random.Random(size))))
    pips = sum(len(group.findall(f"{SVG}circle")) for group in document.iter(f"{SVG}g"))
    on_board = sum(sum(view[colour].values()) for colour in ("red", "green"))
    assert pips == on_board + 2 * 21  # and six of each colour beside the names
    places = Counter()
    for group in document.iterfind(f"./{SVG}g[@data-part]//{SVG}g"):
        if group.findall(f"{SVG}circle"):
            die = group.findall(f"{SVG}rect")[-1]
            middle = (
                float(die.get("x")) + float(die.get("width")) / 2,
                float(die.get("y")) + float(die.get("width")) / 2,
            )
            places[round(middle[0], 1), round(middle[1], 1)] += 1
    assert len(places) == 24
    for axis in (0, 1):
        assert len({place[axis] for place in places}) <= size


def test_the_svg_names_columns_and_rows():
    _, document, _ = drawn(position_of())
    shown = words(document)
    assert [letter for letter in "abcdefghij" if shown.count(letter) != 1] == []
    assert {"10", "9", "8", "7"} <= set(shown)


def test_the_winning_row_is_marked_and_the_winner_named():
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
    assert len(document.find(f"{SVG}polyline").get("points").split()) == 6
    assert "Anne wins: 1 to 6 in a row" in words(document)
    assert "★ Anne" in words(document)
    assert lines[0] == "D.21  Anne wins: 1 to 6 in a row"
    assert not any("▶" in word for word in [*words(document), *lines])


def test_turn_repetition_and_draws_are_told():
    position = position_of(max_plies=9)
    there_and_back = ["p1 c3-c4", "p2 c8-c7", "p1 c4-c3", "p2 c7-c8"]
    _, document, lines = drawn(then(position, *there_and_back))
    assert "▶ Anne" in words(document)
    assert lines[0] == "D.21  Anne moves"
    assert "move 5 of 9 · this position for the second time" in words(document)
    assert any("repeated: 2 of 3" in line for line in lines)
    _, document, _ = drawn(then(position, *there_and_back))
    assert "A draw: the same position for the third time" in words(document)
    assert drawn(then(position_of(max_plies=1), "p1 c3-c4"))[2][0] == "D.21  A draw: 1 move without a winner"
    assert drawn(then(position_of(max_plies=2), "p1 c3-c4", "p2 c8-c7"))[2][0].endswith("2 moves without a winner")
