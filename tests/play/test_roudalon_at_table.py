"""Le Roudalon at the table: what is asked, and a pot that people can read off the ring."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from playing import walked
from roudalon_ring import SIDES, look, read

from positions import then
from sample import sample
from tablier.games import rules_of, script_of
from tablier.games.core import TABLE, Move, Position
from tablier.games.core.lights import DARK, Look
from tablier.games.core.menus import at_places
from tablier.games.core.questions import Answered, Conditions, Poll, Restarted
from tablier.games.roudalon import lights
from tablier.games.roudalon.rules import ASKED, CHAIN
from tablier_fw import wire


def played(moves: int, seed: int, seats: int = 4) -> Position[Any]:
    position, dice = Position(rules_of("roudalon", seats)), random.Random(seed)
    while position.ply < moves and not position.is_over:
        verbs = sorted({move.verb for move in position.legal_moves})
        verb = dice.choice(verbs)
        position.push(dice.choice([move for move in position.legal_moves if move.verb == verb]))
    return position


@settings(max_examples=sample(20, 60), deadline=None)
@given(st.integers(0, 80), st.integers(0, 500), st.sampled_from([4, 6]))
def test_what_is_asked_leads_to_each_legal_move_once(moves: int, seed: int, seats: int) -> None:
    position = played(moves, seed, seats)
    if position.is_over or position.to_move == (TABLE,):
        return
    found = []
    for questions, path, move in walked(position):
        found.append(move)
        assert 1 <= len(questions) <= 2
        for question, option in zip(questions, path, strict=True):
            assert move in map(str, question.leads[option])
        assert isinstance(questions[0], Poll) == (position.state.phase in (ASKED, CHAIN))
    assert sorted(found) == sorted(str(move) for move in position.legal_moves)


def test_an_alliance_is_refused_by_a_and_accepted_by_b() -> None:
    position = Position(rules_of("roudalon", 4))
    then(position, "p1 bet 6", "p2 bet 2", "p3 ally")
    said = {path[0]: move for _, path, move in walked(position)}
    assert said == {0: "p4 no", 1: "p4 yes"}
    position.parse_push("p4 yes")
    assert {path[0]: move for _, path, move in walked(position)} == {0: "p4 done", 1: "p4 ally"}


def test_after_a_restart_an_alliance_is_asked_for_again() -> None:
    position = Position(rules_of("roudalon", 4))
    then(position, "p1 bet 6", "p2 bet 2", "p3 ally")
    running = at_places(script_of("roudalon")[0](position, Conditions()), lambda seat: True)
    first = next(running)
    again = running.send(Restarted())
    assert isinstance(again, Poll) and again is not first and again.seats == (4,)
    with pytest.raises(StopIteration) as end:
        running.send(Answered(4, True))
    assert list(map(str, end.value.value)) == ["p4 yes"]


@pytest.mark.parametrize("pot", range(1, 79))
def test_every_pot_is_read_off_each_side_from_where_its_people_sit(pot: int) -> None:
    position = Position(rules_of("roudalon", 6))
    here = look(position, (1, 2, 3, 4, 5, 6))
    ring = lights.ring(Look(here.rules, {**here.view, "pot": pot, "phase": "turn"}, here.places))
    assert [read(ring, side) for side in SIDES] == [pot] * 4


def test_a_stake_is_seen_before_it_is_made_and_counts_up_when_it_is() -> None:
    position = Position(rules_of("roudalon", 4))
    position.parse_push("p1 bet 6")
    before = position.rules.view(position.state, None)
    ring = lights.ring(look(position, hint={"stake": 3}))
    assert read(ring, SIDES[0]) == 9 and {pixel[2] for pixel in ring if pixel != DARK} == {wire.PULSE}
    move = position.parse_push("p2 bet 3")
    assert [read(ring, SIDES[1]) for ring in lights.walk(look(position), move, before)] == [7, 8, 9]


def test_dice_count_down_what_is_lacking_and_stop_at_nothing() -> None:
    position = Position(rules_of("roudalon", 4))
    then(position, "p1 bet 6", "p2 bet 2", "p3 ally", "p4 yes", "p4 done", "p3 roll 1")
    before = position.rules.view(position.state, None)
    position.parse_push("table dice 6")
    assert read(lights.ring(look(position)), SIDES[0]) == 2
    walk = lights.walk(look(position), Move(TABLE, "dice", (6,)), before)
    assert [read(ring, SIDES[0]) for ring in walk] == [7, 6, 5, 4, 3, 2]
    before = position.rules.view(position.state, None)
    walk = lights.walk(look(position), Move(TABLE, "dice", (5,)), before)
    assert [read(ring, SIDES[0]) for ring in walk] == [1, 0]


def test_shares_are_told_in_front_of_those_who_took_them() -> None:
    position = Position(rules_of("roudalon", 4))
    then(position, "p1 bet 6", "p2 bet 2", "p3 ally", "p4 yes", "p4 done", "p3 roll 1", "table dice 6", "p4 roll 1")
    position.parse_push("table dice 2")
    assert position.is_over
    ring = lights.ring(look(position, (1, 2, 4, 6)))  # p3 in the north, p4 in the southern half of the east
    assert read(ring, range(7, -1, -1)) == 6 and read(ring, range(15, 11, -1)) == 2
    assert sum(pixel != DARK for pixel in ring) == len("VI" + "II")


def test_dice_in_hand_are_told_on_public_pixels_and_under_the_hood() -> None:
    position = Position(rules_of("roudalon", 4))
    then(position, "p1 bet 1", "p2 roll 1", "table dice 3")
    here = look(position, (1, 3, 4, 6))
    pixels = lights.public(here)
    assert [pixels[place - 1][:2] for place in (1, 3, 4, 6)] == [lights.TWO_DICE, (11, 16), *[lights.ONE_DIE] * 2]
    assert pixels[1] == pixels[4] == DARK and pixels[3][2] == wire.PULSE
    assert [sum(pixel != DARK for pixel in lights.hood(here, seat, here.view)) for seat in (1, 2, 3, 4)] == [2, 0, 1, 1]


def test_who_is_asked_blinks_and_so_do_allies_while_they_throw() -> None:
    position = Position(rules_of("roudalon", 4))
    then(position, "p1 bet 6", "p2 bet 2", "p3 ally")
    assert lights.public(look(position, hint={"ally": 4}))[4] == lights.TO_ASK
    position.parse_push("p4 yes")
    position.parse_push("p4 done")
    effects = [lights.public(look(position))[place - 1][2] for place in (1, 2, 4, 5)]
    assert effects == [wire.STEADY, wire.STEADY, wire.PULSE, wire.BLINK]


def test_a_pot_that_nobody_can_reach_blinks() -> None:
    position = Position(rules_of("roudalon", 4))
    while not position.is_over:
        position.push(next(move for move in position.legal_moves if str(move).endswith("bet 6")))
    ring = lights.ring(look(position))
    assert read(ring, SIDES[0]) == 54 and {pixel[2] for pixel in ring if pixel != DARK} == {wire.BLINK}
