"""The pictures of Dilemma: they fit, they are sound, they show every card and no choice before its time."""

from __future__ import annotations

import random
import re
from functools import partial
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from rich.cells import cell_len

from positions import played
from sample import each, sample
from tablier.games.core import Position
from tablier.games.core.drawing import CANVAS, Canvas
from tablier.games.dilemma import drawing as dilemma

NAMES = ["Anne", "Bernard", "Christine", "Daniel", "Éric"]
STRANGE = ["<&>\"'", "a\nb\x1b[31m\x00\ud800", "x" * 500, "漢字" * 30, "[bold]b[/bold]"]


play = partial(played, "dilemma", seats=3)


def picture(
    position: Position[Any], seat: int | None = None, names: list[str] = NAMES, canvas: Canvas = CANVAS
) -> tuple[list[str], list[str]]:
    """The words of the SVG, and the lines of the terminal board."""
    rules = position.rules
    view, names = rules.view(position.state, seat), names[: rules.seats]
    words = [element.text.strip() for element in ET.fromstring(dilemma.svg(rules, view, names)).iter() if element.text]
    return [word for word in words if word], dilemma.DRAWING.board(rules, view, names, canvas).plain.split("\n")


@pytest.mark.parametrize("names", sample([STRANGE], [NAMES, STRANGE]))
@pytest.mark.parametrize("seats", each(2, [3, 4, 5]))
def test_every_position_has_a_sound_picture_that_fits(seats: int, names: list[str]) -> None:
    for seed in range(2):
        rng = random.Random(seed)
        position = play(seats=seats)
        while True:
            if rng.random() < 0.4 or position.is_over:
                _, lines = picture(position, rng.choice([None, 1, 2]), names)
                assert len(lines) <= 16
                assert max(map(cell_len, lines)) <= 78
                assert "\x1b" not in "".join(lines)
            if position.is_over:
                break
            actor = rng.choice(position.to_move)
            position.push(rng.choice([move for move in position.legal_moves if move.actor == actor]))


def test_cards_that_were_thrown_have_left_the_hand() -> None:
    position = play("p1 offer 8", "p2 throw 3 flat")
    canvas = Canvas(thrown=[(2, 5), (3, 10)], last=position.lately()[0], lit=["p3 4"])
    lines = picture(position, canvas=canvas)[1]
    hands = {
        line[2:].split()[0]: line[23:46].replace("◆", " ◆").split()
        for line in lines
        if line[:1] in "▶▸ " and "♥" in line
    }
    assert hands["Bernard"] == ["1", "2", "·", "4", "·", "6", "7", "8", "9", "10"]
    assert hands["Christine"] == ["1", "2", "3", "◆4", "5", "6", "7", "8", "9", "·"]
    assert next(line for line in lines if line.startswith("thrown")).split() == [
        "thrown",
        "5",
        "Bernard",
        "10",
        "Christine",
    ]
    assert any("8  Anne  ▸ 3  Bernard" in line for line in lines), "the last card that landed is marked"


def test_in_a_tall_terminal_the_pile_stands_upright() -> None:
    position = play("p1 offer 8", "p2 throw 3 flat", "p3 throw 4 flat")
    lines = picture(position, canvas=Canvas(lines=24))[1]
    cards = [line.split() for line in lines if re.search(r"\d  (Anne|Bernard|Christine)", line)]
    assert [card[-2:] for card in cards[:2]] == [["4", "Christine"], ["duel", "card"]]
    assert cards[1][:2] == ["3", "Bernard"] and cards[2] == ["offer", "8", "Anne"]


def test_all_cards_thrown_at_once_still_fit() -> None:
    throws = [f"p{seat} throw {rank} {how}" for how, ranks in (("flat", range(1, 8)), ("rim", (8, 9, 10)))
              for rank in ranks for seat in (2, 3, 4, 5)]  # fmt: skip
    words, lines = picture(play("p1 offer 8", *throws, seats=5))
    assert len(lines) <= 16
    assert max(map(cell_len, lines)) <= 78
    assert "and 20 more on top" in words  # nine of the 29 are drawn
    assert any(line.rstrip().endswith("more") for line in lines)


def test_the_arena_shows_the_pile_with_owners_and_what_counts() -> None:
    position = play(
        "p1 offer 8", "p2 throw 10 outside", "p3 throw 8 flat", "p5 throw 3 flat", "p4 throw 1 flat", seats=5
    )
    words, lines = picture(position)
    assert "Bernard, Christine, Daniel and Éric may throw at Anne's 8" in words
    assert words.index("↓ offer") >= 0 and words.index("↓ duel card") >= 0
    board = "\n".join(lines)
    assert "offer   8  Anne   8  Christine not valid   3  Éric ◀ duel card   1  Daniel\n" in board
    assert "beside   10  Bernard" in board
    assert words.count("✗") == 2  # the eight of Christine, and what the mark means


def test_each_seat_shows_hand_lives_gained_cards_and_points() -> None:
    moves = ["p1 offer 8", "p2 throw 3 flat", "table close", "p1 duel peace", "p2 duel conflict", "p2 offer 10"]
    words, lines = picture(play(*moves))
    (line,) = [line for line in lines if "Bernard" in line and "♥" in line]
    assert line.split() == ["Bernard", "♥♥", *"12·456789·", "8", "3", "11"]
    assert words.count("11") == 1
    assert lines[0] == "Dilemma  Anne and Christine may throw at Bernard's 10"
    assert [line[0] for line in lines[-3:]] == ["▶", " ", "▶"]


def test_the_winners_are_named_and_marked() -> None:
    position = play()
    while not position.is_over:
        position.push(position.legal_moves[-1])
    words, lines = picture(position)
    scores = position.rules.scores(position.state)
    marked = [name for name in NAMES[:3] if f"★ {name}" in words]
    assert marked == [name for name, score in zip(NAMES, scores, strict=False) if score == max(scores)]
    assert [line[0] == "★" for line in lines[-3:]] == [name in marked for name in NAMES[:3]]
    assert f"win with {max(scores)} points" in lines[0]


def test_a_choice_shows_to_its_owner_alone_until_both_are_made() -> None:
    def shown(choice: str, seat: int | None) -> tuple[list[str], list[str]]:
        return picture(play("p1 offer 8", "p3 throw 3 flat", "table close", f"p3 duel {choice}"), seat)

    for seat in (None, 1, 2):
        assert shown("peace", seat) == shown("conflict", seat)
        assert "has chosen" in shown("peace", seat)[0]
    words, lines = shown("conflict", 3)
    assert "conflict" in words
    assert any("Christine: conflict" in line for line in lines)
