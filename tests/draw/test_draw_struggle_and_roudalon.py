"""The pictures of Struggle and Le Roudalon: they fit, they are sound, they show the position and no secret."""

from __future__ import annotations

import random
import re
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from rich.cells import cell_len

from positions import played
from sample import sample
from tablier.games import drawing_of
from tablier.games.core import Position
from tablier.games.core.drawing import CANVAS, Canvas, column, short
from tablier.languages import find_language
from tablier.texts import ENGLISH, all_of, reading

NAMES = ["Anne", "Bernard", "Christine", "Daniel", "Eric", "Françoise"]
STRANGE = ["<&>\"'", "a\nb\x1b[31m\x00\ud800", "x" * 500, "漢字" * 30, "[bold]b[/bold]", ""]


LARGE = Canvas(columns=118, lines=36, ascii=True)


def picture(
    position: Position[Any], seat: int | None = None, names: list[str] = NAMES, canvas: Canvas | None = None
) -> tuple[list[str], list[str]]:
    """The words of the SVG and of the terminal board, as two lists."""
    rules = position.rules
    draw = drawing_of(rules.name)
    view = rules.view(position.state, seat)
    names = names[: rules.seats]
    words = [element.text for element in ET.fromstring(draw.svg(rules, view, names)).iter() if element.text]
    last, fell = position.lately()
    canvas = replace(canvas or CANVAS, last=last, fell=fell)
    return [word.strip() for word in words if word.strip()], draw.board(rules, view, names, canvas).plain.split("\n")


@pytest.mark.parametrize("names", sample([STRANGE], [NAMES, STRANGE]))
@pytest.mark.parametrize(
    ("name", "seats", "options"),
    [
        ("struggle", 2, {}),
        ("struggle", 4, {"board": "YRBYRBYRBB"}),
        ("struggle", 3, {"board": "YRYRBYRBBY" * 7}),
        ("struggle", 4, {"board": "YRYRBYRBBY" * 10}),
        ("struggle", 4, {"board": "YRYRBYRBBYR" * 40}),
        ("roudalon", 4, {}),
        ("roudalon", 6, {}),
    ],
)
def test_every_position_has_a_sound_picture_that_fits(
    name: str, seats: int, options: dict[str, str], names: list[str]
) -> None:
    rng = random.Random(1)
    position = played(name, seats=seats, **options)
    step = 0
    while not position.is_over:
        position.push_unchecked(rng.choice(position.legal_moves))
        step += 1
        if step < 8 or step % (len(options.get("board", "")) + 17) == 0 or position.is_over:
            canvas = rng.choice([CANVAS, LARGE])
            _, lines = picture(position, rng.choice([None, 1, 2]), names, canvas)
            assert len(lines) <= canvas.lines
            assert max(map(cell_len, lines)) <= canvas.columns
            assert "\x1b" not in "".join(lines)
            assert not canvas.ascii or "".join(lines).isascii() or not "".join(names).isascii()


def test_struggle_shows_track_dice_and_own_objective() -> None:
    deals = ["table deal p1 K-J-9-Q-10", "table deal p2 9-10-J-Q-K"]
    position = played("struggle", *deals, "table roll J J J 10 10", "p1 play J+3 10+2", "table roll K A 9 9 9", seats=2)
    words, lines = picture(position, 1)
    assert words.count("9") == 3 + 1 + 2 + 1, "dice, the pawn, the objective of p1 in two places, the space"
    assert words.count("A") == 1, "a die: the place is not called as an ace is"
    assert [word for word in words if word[1:] in ("st", "nd", "rd", "th")] == ["1st", "2nd", "3rd", "4th", "5th"]
    assert "Bernard keeps or plays (throw 1 of 3)" in words
    assert "the order you want" in words
    assert words.count("?") == 5, "the objective of p2 lies face down"
    assert "Struggle  Bernard keeps or plays (throw 1 of 3)" in lines
    track = next(line for line in lines if "▸[J]" in line)
    assert track.split()[:5] == ["y", "▸[10]y▸[J]", "r", "y", "b"], "the pawns that moved last are marked"
    assert any("K-J-9-Q-10     0 points" in line for line in lines)
    assert [line for line in lines if line.startswith("▶ Bernard") and line.endswith("secret objective")]
    assert words.count("0 points") == 1
    assert any("start K Q 9 " in line for line in lines)
    assert any("dice K 9 9 9 A " in line for line in lines)


@pytest.mark.parametrize("canvas", [CANVAS, Canvas(columns=78, lines=26), LARGE])
@pytest.mark.parametrize("spaces", [26, 32, 41])
def test_struggle_draws_its_track_as_a_ring_with_its_colours_explained(canvas: Canvas, spaces: int) -> None:
    position = played("struggle", seats=4, board=("YRBYYR" * 7)[:spaces])
    _, lines = picture(position, canvas=canvas)
    numbers = [
        (int(word[0]), row, word.start())
        for row, line in enumerate(lines)
        for word in re.finditer(r"\d+", line.replace("J 10 9", ""))
    ]
    assert sorted(number for number, _, _ in numbers) == list(range(1, spaces + 1))
    at = {number: (row, column) for number, row, column in numbers}
    steps = "".join(_way(at[number], at[number + 1]) for number in range(1, spaces))
    assert re.fullmatch("→+↓+←+↑+", steps), "clockwise from the upper left"
    for explained in ("y yellow: ", "r red: ", "b black: "):
        assert sum(explained in line for line in lines) == 1
    with reading(find_language("fr") or ENGLISH):
        _, french = picture(position, canvas=canvas)
    for explained in ("j jaune", "r rouge", "n noire"):
        assert sum(explained in line for line in french) == 1
    track = " ".join(french[2:]).partition("Anne")[0]
    assert set(re.findall(r"(?<![\w'’])[a-z](?= {3})", track)) <= set("jrn")


@pytest.mark.parametrize("canvas", [CANVAS, Canvas(columns=78, lines=26), LARGE, Canvas(ascii=True)])
@pytest.mark.parametrize("spaces", [16, 32, 60, 150])
def test_struggle_tells_pawns_from_numbers_of_spaces(canvas: Canvas, spaces: int) -> None:
    deals = ["table deal p1 K-J-9-Q-10", "table deal p2 9-10-J-Q-K", "table roll A A 10 9 9"]
    position = played("struggle", *deals, seats=2, board=("YRBYYR" * 25)[:spaces])
    rules, state = position.rules, position.state._replace(pawns=(0, 5, 0, 9, 10))  # K Q J 10 9
    board = drawing_of("struggle").board(rules, rules.view(state, 1), NAMES[:2], canvas).plain
    assert "[9]" in board and "[Q]" in board and ("[10]" in board or "10 b" in board)
    assert "A to E: in the order" in board or (canvas.lines, spaces) != (26, 32)
    assert "home A" in board


def _way(at: tuple[int, int], there: tuple[int, int]) -> str:
    if at[0] == there[0]:
        return "→" if at[1] < there[1] else "←"
    return "↓" if at[0] < there[0] else "↑"


def test_struggle_lights_what_is_typed() -> None:
    deals = ["table deal p1 K-J-9-Q-10", "table deal p2 9-10-J-Q-K"]
    position = played("struggle", *deals, "table roll J J J 10 10", seats=2)
    _, lines = picture(position, canvas=Canvas(lit=["J+3", "10+2"]))
    assert next(line for line in lines if "◇r" in line).split()[:3] == ["y", "◇y", "◇r"]
    assert any("start K Q ◆J ◆10 9" in line for line in lines)
    _, lines = picture(position, canvas=Canvas(lines=26, lit=["J+3", "10+2"]))
    assert any("◇ goes there, if it can" in line for line in lines)
    _, lines = picture(position, canvas=Canvas(lit=["die J"]))
    assert any("dice ◆J ◆J ◆J 10 10" in line for line in lines)


def test_struggle_pictures_of_others_do_not_depend_on_an_objective() -> None:
    deals = ["table deal p1 K-J-9-Q-10", "table deal p2 {}", "table roll K K K K K", "p1 keep K K"]
    one = played("struggle", *[deal.format("9-10-J-Q-K") for deal in deals], seats=2)
    other = played("struggle", *[deal.format("10-J-Q-K-9") for deal in deals], seats=2)
    for seat in (None, 1):
        assert picture(one, seat) == picture(other, seat)
    assert picture(one, 2) != picture(other, 2)


def test_struggle_shows_the_winner_and_all_objectives_at_the_end() -> None:
    position = played("struggle", "table deal p1 K-J-9-Q-10", "table deal p2 9-10-J-Q-K", seats=2)
    rng = random.Random(2)
    while not position.is_over:
        position.push_unchecked(rng.choice(position.legal_moves))
    words, lines = picture(position)
    best = max(position.rules.scores(position.state))
    names = [NAMES[seat - 1] for seat in position.rules.winners(position.state)]
    assert f"{all_of(names)} {'wins' if len(names) == 1 else 'win'} with {best} points" in words
    assert {f"★ {name}" for name in names} <= set(words)
    assert any("9-10-J-Q-K" in line for line in lines)


STAKES = ["p1 bet 4", "p2 bet 6", "p3 bet 3", "p4 bet 5", "p1 roll 1", "table dice 2"]


def test_roudalon_shows_pot_dice_and_stakes() -> None:
    words, lines = picture(played("roudalon", *STAKES, seats=4))
    assert "18" in words
    assert "Bernard stakes, throws or asks for an alliance" in words
    assert {"staked 4", "staked 6", "staked 3", "staked 5", "−4", "−6", "−3", "−5"} <= set(words)
    assert any(line.split()[:4] == ["▸", "Anne", "■", "□"] for line in lines)
    assert any(line.split()[:4] == ["▶", "Bernard", "■", "■"] for line in lines)
    assert any(line.split()[:2] == ["pot", "18"] for line in lines)


@pytest.mark.parametrize(
    ("moves", "status"),
    [
        (["p2 ally"], "Bernard asks Christine for an alliance"),
        (["p2 ally", "p3 no"], "Bernard stakes or throws"),
        (["p2 ally", "p3 yes"], "Christine asks another player, or is done"),
        (["p2 ally", "p3 yes", "p3 done"], "Bernard throws next for the alliance"),
        (["p2 ally", "p3 yes", "p3 done", "p2 roll 1"], "Bernard throws a die"),
        (["p2 ally", "p3 yes", "p3 done", "p2 roll 1", "table dice 3"], "Christine throws next for the alliance"),
    ],
)
def test_roudalon_says_what_it_waits_for(moves: list[str], status: str) -> None:
    words, lines = picture(played("roudalon", *STAKES, *moves, seats=4))
    assert status in words
    assert lines[0] == f"Le Roudalon  {status}"


def test_roudalon_shows_the_alliance_and_what_it_threw() -> None:
    moves = ["p2 ally", "p3 yes", "p3 done", "p2 roll 2", "table dice 5 6", "p3 roll 2"]
    words, lines = picture(played("roudalon", *STAKES, *moves, seats=4))
    assert "thrown 11" in words
    allied = {line.strip("▶ ").split()[0]: line for line in lines if "∞" in line}
    assert set(allied) == {"Bernard", "Christine"}
    assert allied["Bernard"].endswith("⚄5  ⚅6")
    assert allied["Christine"].endswith("?  ?")
    assert allied["Christine"].startswith("▶")
    words, _ = picture(played("roudalon", *STAKES, *moves, "table dice 1 6", seats=4))
    assert "Bernard wins with 5" in words
    assert {"staked 6, took 11", "staked 3, took 7", "staked 4", "★ Bernard"} <= set(words)


def test_roudalon_shows_a_throw_that_missed_until_somebody_else_decides() -> None:
    position = played("roudalon", *STAKES, seats=4)
    anne = next(line for line in picture(position)[1] if "Anne" in line)
    assert anne.startswith("▸ Anne") and anne.endswith("⚁2  missed, dice lost")
    _, lines = picture(position, canvas=Canvas(columns=78, lines=24))
    dice = next(row for row, line in enumerate(lines) if line.split() == ["Anne"])
    assert "".join(lines[dice + 1 : dice + 4]).count("●") == 2
    position.parse_push("p2 bet 3")
    lines = picture(position)[1]
    assert not any("missed" in line for line in lines)
    assert next(line for line in lines if line.split()[:1] == ["pot"]).endswith(f"{'●' * 18}◆◆◆  +3")


def test_roudalon_shows_each_die_once_in_hand_or_on_the_table() -> None:
    def missing(position: Position[Any]) -> int:
        view = position.rules.view(position.state, None)
        return drawing_of("roudalon").svg(position.rules, view, NAMES[:4]).count('stroke-dasharray="4 3"')

    position = played("roudalon", *STAKES, seats=4)
    assert missing(position) == 8 - sum(position.state.dice)
    position.parse_push("p2 roll 2")
    assert missing(position) == 8 - sum(position.state.dice) + 2


def test_words() -> None:
    assert short("Bernard", 7) == "Bernard"
    assert short("Bernard", 6) == "Berna…"
    assert short("a\nb", 9) == "a�b"
    assert column("漢字漢字", 5) == "漢字…"
    assert column("Eric", 6) == "Eric  "
