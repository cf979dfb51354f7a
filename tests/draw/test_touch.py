"""What can be touched: every part that a legal move names is in the drawing, and touching them says that move alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any
from xml.etree import ElementTree

import pytest

from draw.random_games import NAMES, positions
from sample import sample
from tablier.games import GAMES, drawing_of, words_of
from tablier.games.core import TABLE, Move, Position
from tablier.games.core.drawing import HAND, LETTERS, Note, Surface
from tablier.games.core.questions import bare

LEAST = 44.0 * HAND / 302
"""What a part measures on a phone at least, in units of a hand; a narrow one leaves 302 pixels for it."""


def drawn(game: str, position: Position[Any], seat: int) -> list[ElementTree.Element]:
    """What a seat is shown on a phone: the board as everybody sees it, and what it has before it."""
    rules, drawing = position.rules, drawing_of(game)
    pictures = [drawing.svg(rules, rules.view(position.state, None), NAMES[: rules.seats], Surface.PHONE)]
    if drawing.hand is not None:
        pictures.append(drawing.hand(rules, rules.view(position.state, seat), NAMES[: rules.seats], seat))
    roots = [ElementTree.fromstring(each) for each in pictures]
    assert all(root.get("width") == f"{HAND:g}" for root in roots)
    return roots


def parts_of(roots: list[ElementTree.Element]) -> list[ElementTree.Element]:
    return [part for root in roots for part in root.iter() if part.get("data-part")]


def written(root: ElementTree.Element) -> Iterator[ElementTree.Element]:
    """The texts of a drawing, without those that are seen nearer alone."""
    for each in root:
        if each.get("class") == "near":
            continue
        if each.tag.endswith("}text"):
            yield each
        yield from written(each)


def beside(position: Position[Any]) -> Sequence[Note]:
    lines = drawing_of(position.rules.name).beside
    assert lines is not None
    return lines(position.rules, position.rules.view(position.state, None), NAMES[: position.rules.seats])


def attempts(position: Position[Any], seat: int) -> list[Move]:
    """What a seat can say: of a move of which chance decides a part, the attempt."""
    moves = (position.rules.attempt(move) for move in position.legal_moves if move.actor == seat)
    return list(dict.fromkeys(moves))


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("seed", range(sample(1, 3)))
def test_touching_parts_of_the_drawing_says_every_legal_move_and_no_other(game: str, seed: int) -> None:
    words, asked = words_of(game), 0
    for position in positions(game, seed):
        for seat in position.to_move:
            if seat == TABLE:
                continue
            roots = drawn(game, position, seat)
            parts = parts_of(roots)
            assert all(part.get("aria-label") for part in parts)
            assert not [part.get("data-part") for part in parts if part[0].tag.endswith(("}g", "}text"))], "it is lit"
            small = [text for root in roots for text in written(root) if float(text.get("font-size", 0)) < LETTERS]
            assert not [text.text for text in small], "nobody can read that"
            names = [part.get("data-part") for part in parts]
            names += [line.part for line in beside(position)]
            said: dict[Any, Move] = {}
            loose: list[str] = []
            moves = attempts(position, seat)
            for move in moves:
                groups = words.parts_of(position.rules, seat, bare(move))
                touched = [part for group in groups for part in group]
                if len(touched) == 1 and touched[0] not in names:
                    loose.append(touched[0])  # a page gives it a button of its own, which says the move
                    touched = []
                for part in touched:
                    most = max(group.count(part) for group in groups)
                    assert names.count(part) >= most, (str(move), part)
                key = tuple(tuple(sorted(group)) for group in groups)
                assert key not in said, (str(move), str(said[key]))
                said[key] = move
                asked += 1
            assert () not in said or len(moves) == 1
            assert len(loose) <= 1, "what can be done is drawn"
    assert asked


def boxes(part: ElementTree.Element) -> tuple[float, float]:
    """The width and the height of what a part has that can be touched: its first shape."""
    shape = part[0] if part[0].tag.endswith("rect") else part[0][1]
    return float(shape.get("width", 0)), float(shape.get("height", 0))


@pytest.mark.parametrize("game", [game for game in GAMES if drawing_of(game).hand])
def test_what_a_seat_has_before_it_is_large_enough_for_a_thumb(game: str) -> None:
    hand, seen = drawing_of(game).hand, 0
    assert hand is not None
    for position in positions(game, 5):
        rules = position.rules
        for seat in range(1, rules.seats + 1):
            picture = hand(rules, rules.view(position.state, seat), NAMES[: rules.seats], seat)
            for part in ElementTree.fromstring(picture).iter():
                if part.get("data-part"):
                    assert min(boxes(part)) >= LEAST, (str(position), part.get("data-part"))
                    seen += 1
    assert seen


def test_a_hand_marks_what_others_may_not_see() -> None:
    for game, phrase in (("struggle", "the order you want"), ("dicke-daemonen", "your fist")):
        hand = drawing_of(game).hand
        assert hand is not None
        looks = ((each, seat) for each in positions(game, 2) for seat in range(1, each.rules.seats + 1))
        rules, view, seat = next(
            (each.rules, view, seat)
            for each, seat in looks
            if phrase in hand(each.rules, (view := each.rules.view(each.state, seat)), NAMES[: each.rules.seats], seat)
        )
        tree = ElementTree.fromstring(hand(rules, view, NAMES[: rules.seats], seat))
        (secret,) = [each for each in tree.iter() if each.get("class") == "secret"]
        assert phrase in "".join(secret.itertext())
        open_words = "".join(tree.itertext()).replace("".join(secret.itertext()), "")
        assert phrase not in open_words
