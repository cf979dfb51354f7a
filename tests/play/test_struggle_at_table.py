"""Struggle at the table: dice are marked, pawns picked and shown where they would stand; the ring is the track."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import groupby
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from playing import walked

from of_kind import of_kind
from tablier.games import rules_of, script_of
from tablier.games.core import Position
from tablier.games.core.lights import DARK, Look, Pixel
from tablier.games.core.menus import at_places
from tablier.games.core.questions import Answered, Conditions, Menu, Poll, Restarted, Tallied, Tally
from tablier.games.struggle import lights
from tablier.games.struggle.rules import CHOOSE, OBJECTIVES, PAWNS, State, Struggle
from tablier.play.lights import Lamps
from tablier.texts import Json
from tablier_fw import colours, wire


def at(
    hand: str, pawns: tuple[int, ...] = (0,) * 5, throws: int = 1, options: Json | None = None, objective: int = 0
) -> Position[State]:
    """A position of two players, the first of whom has thrown."""
    rules = rules_of("struggle", 2, options)
    objectives = (OBJECTIVES[objective], OBJECTIVES[7])
    return Position(rules, State(CHOOSE, 1, objectives, pawns, throws, tuple(hand.split())))


def look(position: Position[Any], hint: Json | None = None) -> Look:
    rules, state = position.rules, position.state
    return Look(rules, rules.view(state, None), (1, 4), hint=hint or {}, over=position.is_over)


def chosen(questions: Sequence[object], path: Sequence[int]) -> list[tuple[Menu, int]]:
    """Return the menus of a way, with the option that was picked in each."""
    return [(of_kind(Menu, question), option) for question, option in zip(questions, path, strict=True)]


def pawns_on(ring: list[Pixel]) -> dict[str, int]:
    """Return the pawns' spaces on the ring, found by colour and brightness."""
    return {
        PAWNS[colours.FACES.index(pixel[0])]: n
        for n, pixel in enumerate(ring)
        if pixel[0] in colours.FACES[:5] and pixel[1] > 100
    }


HANDS = st.lists(st.sampled_from(["K", "Q", "J", "10", "9", "A"]), min_size=5, max_size=5)


@settings(max_examples=12, deadline=None)
@given(HANDS, st.integers(1, 3), st.integers(0, 99))
def test_marks_and_menus_lead_to_each_legal_move_and_to_nothing_else(dice: list[str], throws: int, seed: int) -> None:
    order = ("K", "Q", "J", "10", "9", "A")
    spaces = random.Random(seed).sample([n for n, colour in enumerate(Struggle(2).board, 1) if colour != "B"], 5)
    position = at(" ".join(sorted(dice, key=order.index)), tuple(spaces), throws)
    found = set()
    for questions, path, move in walked(position):
        found.add(move)
        assert isinstance(questions[0], Tally) == (throws < 3)
        for question, option in zip(questions, path, strict=True):
            if isinstance(question, Menu):
                assert move in map(str, question.leads[option])
    assert found == {str(move) for move in position.legal_moves}


def test_what_is_marked_is_kept_and_all_marked_is_played() -> None:
    moves: dict[int, set[str]] = {}
    for questions, path, move in walked(at("K K J 10 A", throws=2)):
        assert isinstance(questions[0], Tally) and questions[0].given == (0, 0, 2, 3, 5)
        moves.setdefault(path[0], set()).add(move.split(" ", 1)[1])
    assert moves[0b10011] == {"keep K K A"} and moves[0] == {"keep none"}
    assert all(move.startswith("play") for move in moves[0b11111])


def test_pawn_first_then_aces_and_the_last_pawn_is_confirmed_too() -> None:
    ways = {move: (questions, path) for questions, path, move in walked(at("K Q A A A", throws=3))}
    questions, path = ways["p1 play Q+2 K+3"]
    assert [str(question.text).split(": ")[1] for question in questions] == [
        "which pawn moves first?",
        "how far does the queen go, with aces?",
        "which pawn moves second?",
    ]
    assert [menu.labels[option] for menu, option in chosen(questions, path)] == [2, 2, 1]
    hints = [menu.hints[option] for menu, option in chosen(questions, path)]
    assert [(hint["pawn"], hint["target"]) for hint in hints] == [("Q", 1), ("Q", 2), ("K", 3)]


def test_the_example_of_the_rulebook_is_seen_before_it_is_played() -> None:
    """The jack stays before a black space; the queen takes its space and sends it back."""
    board = "YYYRYBYYYYYY"
    position = at("Q J A A A", (0, 1, 4, 0, 0), 3, {"board": board})
    ways = {move: (questions, path) for questions, path, move in walked(position)}
    questions, path = ways["p1 play J+2 Q+3"]
    hints = [menu.hints[option] for menu, option in chosen(questions, path)]
    stays = lights.ring(look(position, hints[1]))
    assert stays[5] == lights.NO_STOP and stays[3][2] == wire.BLINK
    swapped = lights.ring(look(position, hints[2]))
    assert pawns_on(swapped) == {"Q": 3, "J": 0}
    assert swapped[3][2] == swapped[0][2] == wire.PULSE
    before = position.rules.view(position.state, None)
    move = position.parse_push("p1 play J+2 Q+3")
    rings = lights.walk(look(position), move, before)
    assert sum(lights.FLASH in ring for ring in rings) == lights._FLASHES
    assert pawns_on(rings[-1]) == {"Q": 3, "J": 0}
    assert [pawns_on(ring).get("Q") for ring in rings[-4:]] == [1, 2, 3, 3]


def test_a_pawn_walks_space_by_space_and_an_arrival_lights_the_whole_ring() -> None:
    position = at("K K K K A", (30, 0, 0, 0, 0), 3)
    before = position.rules.view(position.state, None)
    move = position.parse_push("p1 play K+5")
    rings = lights.walk(look(position), move, before)
    assert [pawns_on(ring) for ring in rings[:2]] == [{"K": 30}, {"K": 31}]
    assert rings[2] == [(colours.FACES[0], lights.PAWN_LEVEL, wire.STEADY)] * 32 and rings[3] == [DARK] * 32


def test_a_longer_board_is_scrolled_around_the_pawn_that_moves() -> None:
    board = {"board": "Y" * 60}
    position = at("K K K J J", (40, 0, 5, 0, 0), 3, board)
    assert pawns_on(lights.ring(look(position))) == {"K": 16}  # the foremost, in the middle
    ways = {move: (questions, path) for questions, path, move in walked(position)}
    questions, path = ways["p1 play J+2 K+3"]
    jack = lights.ring(look(position, chosen(questions, path)[0][0].hints[path[0]]))
    assert pawns_on(jack) == {"J": 6}  # from the first space on, for it stands near the beginning
    king = lights.ring(look(position, chosen(questions, path)[1][0].hints[path[1]]))
    assert pawns_on(king) == {"K": 16}


def test_a_shorter_board_leaves_pixels_dark() -> None:
    ring = lights.ring(look(at("K K K J J", (4, 0, 0, 0, 0), 3, {"board": "YYYYYYYYYYRR"})))
    assert pawns_on(ring) == {"K": 3} and ring[12:] == [DARK] * 20 and DARK not in ring[:12]


@pytest.mark.parametrize("objective", range(20))
def test_a_hood_shows_the_objective_in_order(objective: int) -> None:
    position = at("K K K J J", objective=objective if objective != 7 else 8)
    own = position.rules.view(position.state, 1)
    pixels = lights.hood(look(position), 1, own)
    assert [PAWNS[colours.FACES.index(pixel[0])] for pixel in pixels] == own["objectives"]["p1"].split("-")


def test_only_the_hood_of_its_seat_depends_on_an_objective() -> None:
    shown = []
    for objective in (0, 3):
        scenes: dict[int, bytes] = {}
        Lamps(scenes.__setitem__, (1, 4)).show(at("K K K J J", objective=objective), None, None, 0.0)
        shown.append(scenes)
    assert {group for group in shown[0] if shown[0][group] != shown[1][group]} == {wire.HOOD}
    assert set(shown[0]) == set(shown[1]) == set(range(len(wire.GROUPS)))


def test_what_has_arrived_elsewhere_is_dim_under_the_hood() -> None:
    position = at("K K K J J", (3, 33, 4, 0, 0))  # the queen is on A; wanted are K-Q-J-10-9
    levels = [pixel[1] for pixel in lights.hood(look(position), 1, position.rules.view(position.state, 1))]
    assert levels[1] == lights.MISSED_LEVEL and len(set(levels)) == 2


def test_the_end_tells_the_places_by_numbers_of_lights() -> None:
    position = at("K K K J J", throws=3)
    position.state = position.state._replace(phase="over", throws=0, hand=(), pawns=(36, 33, 34, 35, 37))
    ring = lights.ring(look(position))
    runs = [(colour, len(list(same))) for colour, same in groupby(pixel[0] for pixel in ring)]
    assert [PAWNS[colours.FACES.index(colour)] for colour, _ in runs if colour] == ["Q", "J", "10", "K", "9"]
    assert [count for colour, count in runs if colour] == [1, 2, 3, 4, 5]


def test_all_five_are_thrown_again_only_after_a_yes() -> None:
    running = at_places(script_of("struggle")[0](at("K K J 10 A"), Conditions()), lambda seat: True)
    next(running)
    asked = running.send(Tallied(1, (0, 0, 2, 3, 5), ()))
    assert isinstance(asked, Poll) and "throw all five dice again?" in str(asked.text)
    assert isinstance(running.send(Answered(1, False)), Tally)
    running.send(Tallied(1, (0, 0, 2, 3, 5), ()))
    with pytest.raises(StopIteration) as end:
        running.send(Answered(1, True))
    assert list(map(str, end.value.value)) == ["p1 keep none"]


def test_after_a_restart_dice_are_marked_again() -> None:
    running = at_places(script_of("struggle")[0](at("K K J 10 A"), Conditions()), lambda seat: True)
    first = of_kind(Tally, next(running))
    again = running.send(Restarted())
    assert isinstance(again, Tally) and again is not first and again.given == first.given


def test_what_follows_the_fourth_arrival_is_not_carried_out_and_can_be_looked_at() -> None:
    position = at("K Q J 10 9", (32, 33, 34, 35, 32 - 1), 3)
    ways = {move: (questions, path) for questions, path, move in walked(position)}
    assert set(ways) == {str(move) for move in position.legal_moves}
    questions, path = ways["p1 play K+1 9+1"]
    last = of_kind(Menu, questions[-1]).hints[path[-1]]
    assert last["pawns"] == {"K": 36, "Q": 33, "J": 34, "10": 35, "9": 37} and last["target"] == last["from"] == 37
    assert pawns_on(lights.ring(look(position, last))) == {}
