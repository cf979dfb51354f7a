"""Dicke Dämonen at the table: what is asked, and that neither questions nor presses tell of a fist."""

from __future__ import annotations

import random
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from playing import along, exported, walked
from tests.asked import private, public
from whole_games import SHORT, play, reference

from of_kind import of_kind
from sample import sample, thorough
from tablier.course.seats import AT_TABLE, Seat
from tablier.games import rules_of
from tablier.games.core import TABLE, Position
from tablier.games.core.lights import DARK, INITIATIVE, Look, Pixel
from tablier.games.core.menus import MOST
from tablier.games.core.questions import Menu
from tablier.games.daemonen import lights
from tablier.games.daemonen.colours import COLOURS, creatures, pack, size
from tablier.games.daemonen.layout import layout_names
from tablier.games.daemonen.rules import Daemonen
from tablier.games.daemonen.state import PLACE
from tablier.judge.audit import audit
from tablier.log.store import Log
from tablier.record import record_of, replay
from tablier.texts import Json
from tablier_fw import colours, wire

NAMES = ("Anne", "Bernard", "Christine", "Daniel")


def played(moves: int, seed: int, seats: int = 3, layout: str = "ring") -> Position[Any]:
    """A game as a session conducts it, at random; few predict."""
    position, dice = Position(rules_of("dicke-daemonen", seats, {"layout": layout})).conducted(), random.Random(seed)
    while position.ply < moves and not position.is_over:
        passes = [move for move in position.legal_moves if move.verb == "pass"]
        position.push(passes[0] if passes and dice.random() < 0.8 else dice.choice(position.legal_moves))
    return position


@settings(max_examples=sample(12, 40), deadline=None)
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
            assert move in map(str, question.leads[option])
    assert sorted(found) == sorted(str(move) for move in position.legal_moves)


# -- secrets ----------------------------------------------------------------------------------------------------------


def with_another_fist(position: Position[Any], seed: int) -> Position[Any] | None:
    """The position with creatures of the fist of whoever is asked exchanged for others; ``None`` where none can be."""
    state, dice = position.state, random.Random(seed)
    fist = creatures(state.fists[state.turn - 1])
    out = pack(dice.sample(fist, dice.randint(1, len(fist))))
    left = creatures(state.bag)
    if len(left) < size(out):
        return None
    taken = pack(dice.sample(left, size(out)))
    fists = list(state.fists)
    fists[state.turn - 1] += taken - out
    twin = state._replace(fists=tuple(fists), bag=state.bag + out - taken)
    if state.phase == PLACE and not twin.open & of_kind(Daemonen, position.rules).board.reach[fists[state.turn - 1]]:
        return None  # the game would be over
    return Position(position.rules, twin)


def asked_along(position: Position[Any], picks: list[int]) -> list[Menu]:
    """All that a place is asked when it picks these options, counted round, in all menus that follow one another."""
    return [question for question in along(position, picks)[0] if isinstance(question, Menu)]


@settings(max_examples=sample(50, 150), deadline=None)
@given(
    st.integers(12, 150),
    st.integers(0, 500),
    st.sampled_from([1, 2, 4]),
    st.integers(0, 99),
    st.lists(st.integers(0, 11), max_size=7),
)
def test_nothing_of_a_question_that_others_hear_depends_on_the_fist(
    moves: int, seed: int, seats: int, exchanged: int, picks: list[int]
) -> None:
    position = played(moves, seed, seats)
    if position.is_over or position.to_move == (TABLE,):
        return
    other = with_another_fist(position, exchanged)
    if other is None:
        return
    here, there = asked_along(position, picks), asked_along(other, picks)
    for one, two in zip(here, there, strict=False):
        assert public(one) == public(two)
        assert one.secret or private(one, 1) == {}
        if one.secret:
            assert [str(option) for option in one.options[:-1]] == list(COLOURS)
            assert len(one.labels) == len(COLOURS) + 1 and len(COLOURS) not in one.shut
    assert len(here) == len(there)


@pytest.mark.parametrize("seats", [1, 2, 3, 4])
def test_who_has_not_predicted_is_asked_after_each_placing_and_the_record_has_what_the_rules_have(seats: int) -> None:
    idle = 0
    for seed in range(12):
        position = played(10**6, seed, seats)
        assert position.is_over
        before = Position(position.rules)
        for move, after in pairwise((*position.moves, None)):
            assert move is not None
            predicted = bool(move.actor and before.state.predictions[move.actor - 1])
            before.push(move)
            if move.verb == "place" and not before.is_over:
                assert (after is not None and after.verb in ("predict", "pass")) == (not predicted)
        record = record_of(position, NAMES[:seats])
        idle += position.ply - len(record.moves)
        plain = replay(record)
        assert plain.state == position.state and record.result is not None
        assert [str(move) for move in plain.conducted().moves] == [str(move) for move in position.moves]
    assert (idle > 0) == (seats > 1)  # alone every colour is free until the prediction


def test_a_game_of_an_older_log_goes_on_where_nobody_was_asked_in_vain() -> None:
    plain = Position(rules_of("dicke-daemonen", 2))
    dice = random.Random(2781)
    while not plain.is_over:
        plain.push(dice.choice(plain.legal_moves))
    lenient = Position(plain.rules.conducted())
    for move in plain.moves:
        lenient.parse_push(str(move))
    assert lenient.ply == plain.ply and lenient.state == plain.state


CLAIMED = (
    *(f"table draw p1 {colour}" for colour in ("white", "red", "red")),
    "table draw p1 {}",
    *(f"table draw p2 {colour}" for colour in ("red", "blue", "green", "yellow")),
    *(f"table draw p3 {colour}" for colour in ("blue", "blue", "green", "yellow")),
    *("p2 place blue f1:c", "p2 predict red", "table draw p2 yellow"),
    *("p3 place blue f4:c", "p3 predict blue", "table draw p3 yellow"),
)
"""p1 is to place; the last creature of its fist is open."""


# -- whole games --------------------------------------------------------------------------------------------------


@thorough
def test_two_people_to_the_end_who_are_asked_twice_in_vain(tmp_path: Path) -> None:
    """By buttons and what is under their hoods; the record is what the reference game has."""
    options, _ = SHORT["dicke-daemonen"]
    meant = reference("dicke-daemonen", options, 2, 2481)
    seats = [Seat(name, place, AT_TABLE, "random") for name, place in zip(meant.players, (2, 6), strict=True)]
    play(tmp_path, "dicke-daemonen", seats, 10**6, meant, 2481, options)
    with Log.read(tmp_path / "log.db") as log:
        assert exported(log, 1) == meant
        assert len(log.moves(1)) == len(meant.moves) + 2
        assert audit(log.entries()).games == 1


# -- lights -------------------------------------------------------------------------------------------------------


def look(position: Position[Any], hint: Json | None = None, places: tuple[int, ...] = (1, 3, 5)) -> Look:
    rules, state = position.rules, position.state
    view = rules.view(state, None)
    return Look(rules, view, places, hint=hint or {}, over=position.is_over, winners=rules.winners(state))


def arc(ring: list[Pixel], colour: str) -> list[Pixel]:
    first = lights.ARCS[COLOURS.index(colour)]
    return ring[first : first + lights.ARC]


def bright(ring: list[Pixel], colour: str) -> int:
    return sum(pixel[1] >= lights.POINT for pixel in arc(ring, colour))


@settings(max_examples=sample(20, 60), deadline=None)
@given(st.integers(12, 160), st.integers(0, 500), st.sampled_from([1, 2, 4]), st.sampled_from(layout_names()))
def test_the_arcs_tell_how_the_colours_stand(moves: int, seed: int, seats: int, layout: str) -> None:
    position = played(moves, seed, seats, layout)
    here = look(position, places=(1, 2, 3, 4)[:seats])
    ring, points = lights.ring(here), here.view["points"]
    each = max(1, -(-max(points.values()) // lights.ARC))
    for colour in COLOURS:
        assert bright(ring, colour) == points[colour] // each
        swells = any(pixel[2] == wire.PULSE for pixel in arc(ring, colour))
        assert swells == (colour in here.view["leading"] and points[colour] > 0)


@pytest.mark.parametrize("layout", layout_names())
def test_each_field_and_each_crossing_lights_two_columns_and_two_rows(layout: str) -> None:
    rules = Daemonen(2, {"layout": layout})
    position = Position(rules)
    seen = set()
    for field in rules.board.field_names:
        ring = lights.ring(look(position, {"field": field}, (1, 4)))
        lit = tuple(n for n, pixel in enumerate(ring) if pixel != DARK)
        assert len(lit) == (8 if field == rules.layout.outer else 4)
        seen.add(lit)
    assert len(seen) > 0.6 * len(rules.board.field_names)  # some are smaller than a pixel
    for corner, (_, crossing) in rules.board.corners.items():
        ring = lights.ring(look(position, {"spot": corner}, (1, 4)))
        assert len([pixel for pixel in ring if pixel != DARK]) == 4
        assert {pixel[0] for pixel in ring if pixel != DARK} == {
            lights.DRAWN[COLOURS.index(line)] for line in rules.board.crossings[crossing]
        }


def test_a_layout_without_a_drawing_is_named_by_the_screen_alone() -> None:
    plain = Daemonen(2).layout
    fields = {name: {"corners": list(corners), "knots": list(knots)} for name, corners, knots in plain.fields}
    crossings = {name: list(lines) for name, lines in plain.crossings}
    layout = {"outer": plain.outer, "crossings": crossings, "fields": fields}
    position = Position(rules_of("dicke-daemonen", 2, {"layout": layout}))
    assert lights.ring(look(position, {"field": "f1"}, (1, 4))) == [DARK] * 32


def test_the_count_goes_field_by_field_to_the_points_as_they_are() -> None:
    position = played(10**6, 5, 2)
    twin = position.copy()
    move = twin.pop()
    before = twin.rules.view(twin.state, None)
    rings = lights.walk(look(position, places=(1, 4)), move, before)
    crosses = [ring for ring in rings if sum(pixel[1] >= lights.SPOT or pixel == lights.NOBODY for pixel in ring) >= 4]
    assert len(crosses) >= len(of_kind(Daemonen, position.rules).board.field_names)
    points = position.rules.view(position.state, None)["points"]
    each = max(1, -(-max(points.values()) // lights.ARC))
    last = [bright(rings[-1], colour) for colour in COLOURS]
    assert last == [points[colour] // each for colour in COLOURS]


def test_a_fist_is_under_its_own_hood_alone_and_predictions_on_public_pixels() -> None:
    position: Position[Any] = Position(rules_of("dicke-daemonen", 3, {"first": "p2"})).conducted()
    for move in CLAIMED:
        position.parse_push(move.format("green"))
    here = look(position)
    own = lights.hood(here, 1, position.rules.view(position.state, 1))
    assert [pixel[0] for pixel in own] == [colours.WHITE, colours.RED, colours.RED, colours.JADE, colours.DARK]
    pixels = lights.public(here)
    assert [pixels[place - 1][0] for place in (1, 3, 5)] == [INITIATIVE[0], colours.RED, colours.AZURE]
