"""Dicke Dämonen at the table: what is asked, and that neither questions nor presses tell of a fist."""

from __future__ import annotations

import random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from playing import walked

from tablier.games import rules_of
from tablier.games.core import TABLE, Position
from tablier.games.daemonen.layout import layout_names
from tablier.play.menus import MOST, at_places
from tablier.play.questions import Conditions, Menu, Question
from tablier.play.scripts import script_of


def played(moves: int, seed: int, seats: int = 3, layout: str = "ring") -> Position[Any]:
    """A game as a session conducts it, at random; few predict."""
    position, dice = Position(rules_of("dicke-daemonen", seats, {"layout": layout})).conducted(), random.Random(seed)
    while position.ply < moves and not position.is_over:
        passes = [move for move in position.legal_moves if move.verb == "pass"]
        position.push(passes[0] if passes and dice.random() < 0.8 else dice.choice(position.legal_moves))
    return position


def asked_first(position: Position[Any]) -> Question:
    return next(at_places(script_of("dicke-daemonen")[0](position, Conditions()), lambda seat: True))


@settings(max_examples=40, deadline=None)
@given(st.integers(12, 160), st.integers(0, 500), st.sampled_from([1, 2, 4]), st.sampled_from(layout_names()))
def test_what_is_asked_leads_to_each_legal_move_once(moves: int, seed: int, seats: int, layout: str) -> None:
    position = played(moves, seed, seats, layout)
    if position.is_over or position.to_move == (TABLE,):
        return
    found = []
    for questions, path, move in walked(position):
        found.append(move)
        for question, option in zip(questions, path, strict=True):
            assert isinstance(question, Menu) and len(question.options) <= MOST
            assert move.split(" ", 1)[1] in question.leads[option]
    assert sorted(found) == sorted(str(move) for move in position.legal_moves)
