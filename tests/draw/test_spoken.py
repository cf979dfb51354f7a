"""Boards in words: all that lies open is said, and nothing that the viewer may not know."""

from __future__ import annotations

import random

import pytest

from tablier.games import GAMES, drawing_of, game_class, rules_of
from tablier.games.core import Position
from tablier.html.boards import read

NAMES = ["Anne", "Bernard", "Christine", "Daniel"]
SIGNS = set("·▶★♥■□●∞[]{}…–")


@pytest.mark.parametrize("game", GAMES)
def test_a_board_is_said_in_sentences_and_without_signs(game: str) -> None:
    rng = random.Random(5)
    seats = max(count for count in game_class(game).seat_counts if count <= len(NAMES))
    names = NAMES[:seats]
    position = Position(rules_of(game, seats, {}))
    assert drawing_of(game).spoken is not None
    while True:
        for seat in (None, *range(1, seats + 1)):
            said = read(position.rules, position.rules.view(position.state, seat), names).splitlines()
            assert len(said) > 2 and all(line.endswith(".") for line in said)
            assert not SIGNS & set("".join(said)), said
            assert all(name in " ".join(said) for name in names)
        if position.is_over or position.ply > 120:
            return
        position.push(rng.choice(list(position.legal_moves)))


def test_a_secret_is_said_to_its_seat_alone() -> None:
    position = Position(rules_of("struggle", 3, {}))
    rng = random.Random(1)
    while len(position.state.objectives) < 3:
        position.push(rng.choice(list(position.legal_moves)))
    position.push(rng.choice(list(position.legal_moves)))
    said = {
        seat: read(position.rules, position.rules.view(position.state, seat), NAMES[:3]) for seat in (None, 1, 2, 3)
    }
    own = {seat: position.rules.view(position.state, seat)["objectives"][f"p{seat}"] for seat in (1, 2, 3)}
    for seat, card in own.items():
        assert [viewer for viewer, text in said.items() if card in text] == [seat]
