"""What typed lines mean, and what is said to be typed next: strings only."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from tablier.games import GAMES, game_class, rules_of
from tablier.games.core import TABLE, Position
from tablier.games.core.questions import bare
from tablier.screens.typed import choices, complete, outline, read_line, summary

OFFERS = [f"offer {rank}" for rank in range(1, 11)]
THROWS = [f"throw {rank} {how}" for rank in (1, 3, 10) for how in ("flat", "leaning", "rim", "outside")]
WINDOW = [*THROWS, "pass"]
HAND = ["keep none", "keep K", "keep J", "keep K J", "keep K 10", "play K+1 J+2", "play J+2 K+1"]
CORNERS = ["place white f1", "place white f2", "place red f1:a", "place red f1:b", "place red f2:a", "predict red"]
SPACES = ["c2-c3", "c2-c4", "c2-c10", "d2-d3"]


@pytest.mark.parametrize(
    ("texts", "typed", "move"),
    [
        (OFFERS, "offer 1", "offer 1"),  # exactly that, though offer 10 begins like it
        (OFFERS, "1", "offer 1"),
        (OFFERS, "  OFFER   10 ", "offer 10"),
        (WINDOW, "t 1 f", "throw 1 flat"),
        (WINDOW, "p", "pass"),
        (HAND, "keep k", "keep K"),
        (HAND, "keep j k", "keep K J"),
        (HAND, "10 k", "keep K 10"),
        (HAND, "k K", "keep K"),  # exactly that, though others begin like it
        (["keep 10 10", "keep K 10 10"], "K 10 10", "keep K 10 10"),
        (["keep 10 10", "keep K 10 10"], "k 10 10", "keep 10 10"),
        (OFFERS, "o1", "offer 1"),
        (HAND, "j2k1", "play J+2 K+1"),
        (CORNERS, "red f1b", "place red f1:b"),
        (CORNERS, "pr", "predict red"),
        (SPACES, "c2c4", "c2-c4"),
        (["play none"], "", "play none"),
    ],
)
def test_one_move_is_meant(texts: list[str], typed: str, move: str) -> None:
    assert read_line(texts, typed) == [move]


@pytest.mark.parametrize(
    ("texts", "typed", "count"),
    [
        (OFFERS, "", 0),
        (HAND, "k10", 1),
        (HAND, "k+10", 0),
        (OFFERS, "offer", 10),
        (WINDOW, "throw 3", 4),
        (HAND, "keep q", 0),
        (HAND, "play", 2),
        (SPACES, "c2-c", 3),
        (SPACES, "c2-c3-c4", 0),
    ],
)
def test_several_moves_are_meant_or_none(texts: list[str], typed: str, count: int) -> None:
    assert len(read_line(texts, typed)) == count


@pytest.mark.parametrize(
    ("texts", "typed", "whole"),
    [
        (OFFERS, "", "offer "),
        (OFFERS, "offer 1", "offer 1"),
        (WINDOW, "throw 3 f", "throw 3 flat"),
        (HAND, "PLAY J", "play J+2 K+1"),
        (CORNERS, "pl", "place "),
        (CORNERS, "nothing", "nothing"),
        (SPACES, "c2c10", "c2-c10"),
    ],
)
def test_tab_adds_what_can_only_follow(texts: list[str], typed: str, whole: str) -> None:
    assert complete(texts, typed) == whole


@pytest.mark.parametrize(
    ("texts", "typed", "lines"),
    [
        (OFFERS, "", ["offer ▸ 1  2  3  4  5  6  7  8  9  10"]),
        (OFFERS, "offer 1", ["offer ▸ 1  10"]),
        (WINDOW, "t", ["throw ▸ 1 3 10 then flat|leaning|rim|outside"]),
        (WINDOW, "throw 3 ", ["throw 3 ▸ flat  leaning  rim  outside"]),
        (HAND, "", ["keep none|K|J · play K+1|J+2"]),
        (HAND, "keep K", ["keep K ▸ ↵  J  10"]),
        (CORNERS, "", ["place white|red · predict red"]),
        (CORNERS, "place red ", ["place red ▸ f1:a|b  f2:a"]),
        (SPACES, "", ["c2-c3|c4|c10  d2-d3"]),
        (SPACES, "x", []),
    ],
)
def test_what_can_be_typed_next(texts: list[str], typed: str, lines: list[str]) -> None:
    assert outline(texts, typed, 78, 2) == lines


def test_what_does_not_fit_is_counted() -> None:
    texts = [f"go to{number:03}" for number in range(200)]
    lines = outline(texts, "", 40, 2)
    assert len(lines) == 2 and max(map(len, lines)) <= 40
    shown = sum(line.count("to") for line in lines)
    assert lines[-1].endswith(f"and {200 - shown} more")


def test_a_place_from_which_much_can_be_reached_fits_a_line() -> None:
    texts = [
        f"{start}-{end}" for start in ("f5", "f8") for end in (f"{x}{y}" for x in "abcdefghij" for y in (1, 2, 10))
    ]
    lines = outline(texts, "f", 78, 2)
    assert len(lines) <= 2 and all(cell_len(line) <= 78 for line in lines)
    assert lines == ["f5-  f8-"]


def position_texts(game: str, seed: int) -> tuple[list[str], random.Random]:
    """Return the moves of a seat in some position, as they are typed; none where the game is over."""
    dice = random.Random(seed)
    position = Position(rules_of(game, dice.choice(game_class(game).seat_counts)))
    for _ in range(dice.randrange(40)):
        if not position.is_over:
            position.push(dice.choice(list(position.legal_moves)))
    while position.to_move == (TABLE,):
        position.push(dice.choice(list(position.legal_moves)))
    seat = next(iter(position.to_move), None)
    return [bare(move) for move in position.legal_moves if move.actor == seat], dice


@settings(max_examples=25, deadline=None)
@given(st.sampled_from(sorted(GAMES)), st.integers(0, 2**32 - 1))
def test_every_move_of_every_game_can_be_typed(game: str, seed: int) -> None:
    """Its notation means it, Tab leads to it, and each step on the way is among what is said to come next."""
    texts, dice = position_texts(game, seed)
    for text in dice.sample(texts, min(5, len(texts))):
        assert read_line(texts, text) == [text]
        assert read_line(texts, text.upper()) in ([text], [text.upper()])
        typed = ""
        while (typed := complete(texts, typed)) != text:
            stands, found = choices(texts, typed)
            assert stands.startswith(typed.strip()) or typed.startswith(stands)
            assert any(text.startswith((stands + part, f"{stands} {part}")) for part, _ in found)
            assert all(cell_len(line) <= 78 for line in outline(texts, typed, 78, 2))
            assert not found or 0 < cell_len(summary(texts, typed, 18)) <= 18
            typed = text[: len(typed) + 1]
        assert outline(texts, text, 78, 2)


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(sorted(GAMES)), st.integers(0, 2**32 - 1))
def test_all_that_follows_a_verb_means_that_move_alone(game: str, seed: int) -> None:
    """``k Q`` fitted eleven moves: whatever begins alike, arguments that are typed in full are those of no other."""
    texts, dice = position_texts(game, seed)
    for text in dice.sample(texts, min(8, len(texts))):
        verb, _, rest = text.partition(" ")
        for length in range(1, len(verb) + 1) if rest else ():
            alike = [each for each in texts if each.partition(" ")[2] == rest and each.startswith(verb[:length])]
            assert read_line(texts, f"{verb[:length]} {rest}") == alike
