"""A turn as people are told it: what is superfluous once more has happened is left out."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import count
from textwrap import wrap
from typing import Any

from positions import at_random
from tablier.course.session import Made
from tablier.games import game_class, rules_of, words_of
from tablier.games.core import Position
from tablier.play.telling import pieces_of
from tablier.screens.story import Saying, Story
from tablier.texts import render

NAMES = ("Anne", "Bernard", "Christine", "Daniel", "Éric", "Fanny")
PHONE = 45
"""The letters in a line of a small phone."""


def told(game: str, seed: int) -> Iterator[str]:
    """Yield the paragraph of the turn after each move of a random game with all its seats."""
    rng = random.Random(seed)
    position: Position[Any] = Position(rules_of(game, max(game_class(game).seat_counts), {}))
    words, numbers = words_of(game), count()
    story = Story(words.overtaken, words.untold)
    for move in at_random(position, rng):
        for piece in pieces_of(Made(move, position)):
            if piece.audience is None:
                story.say(Saying(next(numbers), piece.kind, render(piece.text, NAMES), piece.turn))
        if story.sayings:
            yield story.paragraphs()[-1][1]


def test_a_turn_of_a_card_game_takes_three_lines_at_most() -> None:
    """Whatever five people throw, miss and choose."""
    lengths = {text: len(wrap(text, PHONE)) for seed in range(60) for text in told("dilemma", seed)}
    assert {text: lines for text, lines in lengths.items() if lines > 3} == {}


def test_an_alliance_is_told_by_its_last_throw() -> None:
    """Six people ask each other, and throw one after the other: the last throw says what they have together."""
    longest = max((text for seed in range(20) for text in told("roudalon", seed)), key=len)
    assert len(wrap(longest, PHONE)) <= 5, longest
