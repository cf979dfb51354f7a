"""D.21: the source's worked examples, every ruling R-T1 to R-T7, and an oracle written from the rulings alone."""

from __future__ import annotations

import copy
import itertools
import json
import random
import string
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from positions import played, refusal, then
from sample import THOROUGH, sample
from tablier.games import rules_of
from tablier.games.core import MalformedMove, Move, OptionError, Position, RulesError
from tablier.games.core.drawing import Canvas
from tablier.games.d21 import grid as d21_grid
from tablier.games.d21.drawing import text as d21_text
from tablier.games.d21.rules import D21, turned
from tablier.record import record_of
from tablier.texts import Json

FILLERS = {
    "red": [f"{column}2" for column in "bcdefghijklmno"],
    "green": [f"{column}15" for column in "bcdefghijklmno"],
}
"""Inner spaces of a board of 16, far from the rows 5 to 12 in which the tests play."""


Space = tuple[int, int]
"""Column and row."""
Moves = dict[str, tuple[Space, Space, Space | None] | None]
"""Move text → (origin, target, jumped space or None), or None for a pass."""
play = partial(played, "d21", seats=2)


def dice(text: str) -> dict[str, int]:
    """``"c5:2 d5:3"`` as an object of spaces and faces."""
    return {space: int(face) for space, face in (die.split(":") for die in text.split())}


def board16(red: str = "", green: str = "", **options: Any) -> Position[Any]:
    """A game on a board of 16 with these dice; the others of each side show 1 and stand far away."""
    setup = {}
    for colour, text in (("red", red), ("green", green)):
        given_dice = dice(text)
        fillers = [space for space in FILLERS[colour] if space not in given_dice][: 12 - len(given_dice)]
        setup[colour] = given_dice | dict.fromkeys(fillers, 1)
    return play(size=16, setup=setup, **options)


def seen(position: Position[Any]) -> Json:
    return position.rules.view(position.state, None)


def die_on(position: Position[Any], space: str) -> tuple[str, int] | None:
    """Colour and face of the die on a space, or ``None``."""
    view = seen(position)
    for colour in ("red", "green"):
        if space in view[colour]:
            return colour, view[colour][space]
    return None


def legal(position: Position[Any], prefix: str = "") -> set[str]:
    return {text for text in map(str, position.legal_moves) if text.startswith(prefix)}


def targets(position: Position[Any], origin: str) -> set[str]:
    """Return the spaces that the die on a space may go to."""
    return {str(move).partition("-")[2] for move in position.legal_moves if move.verb.startswith(f"{origin}-")}


def outcome(position: Position[Any]) -> tuple[str | None, tuple[float, ...], tuple[int, ...]]:
    rules, state = position.rules, position.state
    return rules.ending(state), rules.scores(state), rules.winners(state)


def kinds(position: Position[Any]) -> list[str]:
    return [event.kind for event in position.last_events()]


def told(position: Position[Any]) -> str:
    return " ".join(str(event.text) for event in position.last_events())


def setup_of(
    red: Mapping[str, int | None] | None = None, green: Mapping[str, int | None] | None = None
) -> dict[str, dict[str, int]]:
    """The standard setup with changes: a space with ``None`` loses its die."""
    setup: dict[str, dict[str, int | None]] = {
        "red": {**{f"{column}{row}": 1 for row in "23" for column in "cdefgh"}, **(red or {})},
        "green": {**{f"{column}{row}": 1 for row in "89" for column in "cdefgh"}, **(green or {})},
    }
    return {colour: {space: face for space, face in side.items() if face is not None} for colour, side in setup.items()}


# -- the worked examples of the source ---------------------------------------------------------------


def test_worked_example_green_2_over_red_3_becomes_5() -> None:
    position = then(board16(red="h8:3", green="f8:2"), "p1 b2-b3", "p2 f8-i8")
    assert die_on(position, "i8") == ("green", 5)
    assert die_on(position, "h8") == ("red", 3)


def test_worked_example_red_2_over_green_5_becomes_3() -> None:
    position = then(board16(red="f8:2", green="h8:5"), "p1 f8-i8")
    assert die_on(position, "i8") == ("red", 3)
    assert die_on(position, "h8") == ("green", 5)


def test_the_result_of_a_jump_for_all_pairs() -> None:
    table = [[turned(mine, theirs) for theirs in range(1, 7)] for mine in range(1, 7)]
    assert table == [
        [2, 3, 4, 5, 6, 5],
        [3, 4, 5, 6, 3, 4],
        [4, 5, 6, 1, 2, 3],
        [5, 6, 1, 4, 1, 2],
        [6, 3, 2, 1, 5, 1],
        [5, 4, 3, 2, 1, 6],
    ]


README = (Path(d21_grid.__file__).parent / "README.md").read_text(encoding="utf-8")


def test_the_page_for_players_shows_the_same_table_start_and_options() -> None:
    rows = [line.split("|")[2:-1] for line in README.splitlines() if line.startswith("| over a")]
    assert [[int(cell) for cell in row] for row in rows] == [
        [turned(n, jumped) for n in range(1, 7)] for jumped in range(1, 7)
    ]
    plain = d21_text(play().rules, seen(play()), ["Anne", "Bernard"], Canvas(ascii=True)).plain
    board = plain.split("\n")[1:]
    assert "".join(f"    {line[:33].rstrip()}\n" for line in board) in README
    for option, default in play().rules.options.items():
        assert f"| `{option}` | {'as above' if option == 'setup' else f'`{json.dumps(default)}`'} |" in README
    assert all(f"**R-T{number}**" in README for number in range(1, 8))


# -- slides and jumps ----------------------------------------------------------------------------------


def test_a_die_slides_over_any_number_of_empty_spaces_in_eight_directions() -> None:
    position = board16(red="e5:4")
    rays = {
        "f5", "g5", "h5", "i5", "j5", "k5", "l5", "m5", "n5", "o5", "p5", "d5", "c5", "b5", "a5",
        "e6", "e7", "e8", "e9", "e10", "e11", "e12", "e13", "e14", "e4", "e3",
        "f6", "g7", "h8", "i9", "j10", "k11", "l12", "m13", "n14", "o15", "p16", "d4", "c3",
        "d6", "c7", "b8", "a9", "f4", "g3",
    }  # fmt: skip
    # Three lines meet own dice on row 2 and go on to row 1 by a jump; one meets a green die on row 15.
    assert targets(position, "e5") == rays | {"e1", "a1", "i1", "e16"}


def test_a_die_never_jumps_over_two(refused: Callable[..., None]) -> None:
    position = board16(red="e5:1 g5:1", green="h5:1")
    assert targets(position, "e5") & {"f5", "g5", "h5", "i5", "j5"} == {"f5"}
    refused(position, "p1 e5-i5")
    apart = board16(red="e5:1 g5:1", green="i5:1")
    assert targets(apart, "e5") & {"h5", "j5"} == {"h5"}
    refused(apart, "p1 e5-j5")


@pytest.mark.parametrize(
    ("move", "reason"),
    [
        ("p2 c8-c7", "it is p1's turn"),
        ("p1 c5-c6", "there is no die on c5"),
        ("p1 c8-c7", "the die on c8 is p2's"),
        ("p1 c3-c8", "there is a die on c8 already"),
        ("p1 c2-c2", "a die that moves ends on another space"),
        ("p1 c3-d5", "c3 and d5 are not in one straight line (orthogonal or diagonal)"),
        ("p1 pass", "p1 passes only when no die can move; "),
    ],
)
def test_a_refusal_says_why(move: str, reason: str) -> None:
    assert refusal(play(), move).startswith(reason)


@pytest.mark.parametrize(
    "move",
    [
        "p1 c3", "p1 c3c4", "p1 c3-", "p1 -c4", "p1 c3-c4-c5", "p1 C3-c4", "p1 c03-c4", "p1 c3-k4", "p1 c0-c4",
        "p1 c3-c11", "p1 c3 c4", "p1 c3-c4 x", "p1 pass now", "p1 jump c3-c4", "p3 c3-c4", "table c3-c4",
        "table pass", "p1  c3-c4", " p1 c3-c4", "p1 c3-c4 ", "p1 c3-c4\n", "p1 c３-c4", "p1 Pass", "p1", "", "p1 é1-c4",
    ],
)  # fmt: skip
def test_what_is_no_move_of_this_board_is_malformed(move: str) -> None:
    with pytest.raises(MalformedMove):
        play().parse_push(move)


# -- dice on outer spaces ------------------------------------------------------------------------------


def test_at_most_three_dice_of_a_player_on_outer_spaces_after_their_move(refused: Callable[..., None]) -> None:
    three = board16(red="a5:1 a7:1 a9:1 c11:1", green="p5:1 p7:1 p9:1 n11:1")
    assert targets(three, "c11") & {"a11", "b11"} == {"b11"}
    refused(three, "p1 c11-a11")
    assert {"a6", "b5", "b6"} <= targets(three, "a5")  # along the edge, and inwards
    then(three, "p1 a9-b9")
    assert targets(three, "n11") & {"p11", "o11"} == {"o11"}  # each side has its own three
    then(three, "p2 b15-b14", "p1 c11-a11")
    assert die_on(three, "a11") == ("red", 1)


# -- the rulings ---------------------------------------------------------------------------------------


def test_r_t1_default_board_and_start() -> None:
    view = seen(play())
    assert view["red"] == dict.fromkeys(["c2", "d2", "e2", "f2", "g2", "h2", "c3", "d3", "e3", "f3", "g3", "h3"], 1)
    assert view["green"] == dict.fromkeys(["c9", "d9", "e9", "f9", "g9", "h9", "c8", "d8", "e8", "f8", "g8", "h8"], 1)
    assert seen(play())["turn"] == "p1"
    assert play().rules.options["size"] == 10
    assert play(setup=setup_of()) == play(size=10) == play()


@pytest.mark.parametrize("size", [7, 11, 26])
def test_r_t1_another_size_needs_a_setup(size: int) -> None:
    with pytest.raises(OptionError, match=f"^option size is {size}; allowed: 10, or another size together with"):
        play(size=size)
    setup = {
        "red": dict.fromkeys([f"{column}{row}" for column in "bcdef" for row in (2, 3)] + ["a1", "b1"], 1),
        "green": dict.fromkeys([f"{column}{row}" for column in "bcdef" for row in (5, 6)] + ["a7", "b7"], 1),
    }
    assert play(size=size, setup=setup).to_move == (1,)


@pytest.mark.parametrize("size", [6, 27, 0, -10, 10.0, "10", True, None, [10]])
def test_r_t1_size_is_a_whole_number_from_7_to_26(size: object) -> None:
    with pytest.raises(OptionError, match="a whole number from 7 to 26"):
        play(size=size)


def test_r_t2_dice_are_jumped_adjacent_or_not() -> None:
    position = board16(red="e5:1 f5:1 e8:1")
    assert {"g5", "e9"} <= targets(position, "e5")


def test_r_t2_with_adjacent_jumps_false_the_letter_holds(refused: Callable[..., None]) -> None:
    position = board16(red="e5:1 f5:1 e8:1", green="d6:1 c3:1", adjacent_jumps=False)
    assert "e9" in targets(position, "e5")
    assert targets(position, "e5") & {"g5", "c7", "b2"} == set()
    refused(position, "p1 e5-g5", "p1 e5-c7")


@pytest.mark.parametrize("value", [1, 0, "true", None, []])
def test_r_t2_adjacent_jumps_is_a_truth_value(value: object) -> None:
    with pytest.raises(OptionError, match="true or false"):
        play(adjacent_jumps=value)


STEPS = [(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)]


def name(space: Space) -> str:
    return f"{string.ascii_lowercase[space[0]]}{space[1] + 1}"


def path(ways: Iterable[int], corner: Space = (4, 5)) -> list[Space]:
    """The six spaces of a way of five steps in these directions; its lowest column and row are those of ``corner``."""
    spaces = [(0, 0)]
    for way in ways:
        spaces.append((spaces[-1][0] + STEPS[way % 8][0], spaces[-1][1] + STEPS[way % 8][1]))
    left, low = (min(space[axis] for space in spaces) for axis in (0, 1))
    return [(column - left + corner[0], row - low + corner[1]) for column, row in spaces]


def completions(spaces: Sequence[Space]) -> Iterator[Position[Any]]:
    """Games after a move that slides a die on the one space that misses of a way showing 1 to 6.

    Every one of the six is moved in turn, from two sides, and the colours vary.
    """
    for missing, (column, row) in enumerate(spaces):
        sides = {"red": "", "green": ""}
        for number, space in enumerate(spaces):
            if number != missing:
                sides["red" if (number + missing) % 3 else "green"] += f" {name(space)}:{number + 1}"
        origins = [(column + right, row + up) for right, up in STEPS]
        befores = []
        for origin in origins:
            if origin not in spaces:
                red = sides["red"] + f" {name(origin)}:{missing + 1}"
                position = then(board16(red=red, green=sides["green"]), "p1 b2-b3")
                if not position.is_over:  # else the way round this corner was a row itself
                    befores.append((position, f"p1 {name(origin)}-{name((column, row))}"))
        for position, move in (befores[0], befores[-1]):
            yield then(position.copy(), "p2 b15-b14", move)


SOME_WAYS = sample((0, 3, 5), range(8))
"""Of the eight: one along a line, and two across."""


@pytest.mark.parametrize("way", SOME_WAYS)
@pytest.mark.parametrize("bend", [0, 2, -2])
def test_r_t3_a_row_is_straight_or_has_one_right_angle(way: int, bend: int) -> None:
    for corner in range(1, 5):
        spaces = path([way] * corner + [way + bend] * (5 - corner))
        for position in completions(spaces):
            assert outcome(position) == ("row", (1, 0), (1,))
            assert seen(position)["row"] == [name(space) for space in spaces]


@pytest.mark.parametrize("way", SOME_WAYS)
@pytest.mark.parametrize("bend", [1, -1, 3, -3])
def test_r_t3_a_mix_of_orthogonal_and_diagonal_does_not_win(way: int, bend: int) -> None:
    for corner in range(1, 5):
        for position in completions(path([way] * corner + [way + bend] * (5 - corner))):
            assert outcome(position) == (None, (0, 0), ())
            assert seen(position)["row"] == []


@pytest.mark.parametrize("first", SOME_WAYS)
@pytest.mark.parametrize("other", [2, -2])
def test_r_t3_one_change_of_direction_wins_and_two_do_not(first: int, other: int) -> None:
    # The sample sees each pattern in four of the eight directions.
    patterns = list(itertools.product([0, other], repeat=4))
    for turns in patterns[first % 2 :: 2] if not THOROUGH else patterns:
        ways = [first, *(first + turn for turn in turns)]
        changes = sum(a != b for a, b in itertools.pairwise(ways))
        endings = {outcome(position)[0] for position in completions(path(ways))}
        assert endings == ({"row"} if changes <= 1 else {None})


TWO_SETS = dict(zip([f"{column}{row}" for row in "23" for column in "cdefgh"], [1, 3, 5, 2, 4, 6] * 2, strict=True))


def test_two_sets_of_own_dice_win_wherever_they_are() -> None:
    faces: dict[str, int | None] = {**TWO_SETS, "c3": None, "c6": 1}
    faces["h3"] = 2  # a 2 that becomes the second 6 over a green 4
    setup = setup_of(faces, {"c8": None, "h4": 4})
    position = play(setup=setup)
    assert outcome(then(position.copy(), "p1 c6-c5")) == (None, (0, 0), ())
    assert outcome(then(position, "p1 h3-h5")) == ("sets", (1, 0), (1,))
    assert told(position).endswith("p1's dice show two full sets: p1 wins.")


def test_r_t4_goals_met_by_the_start_do_not_count_until_a_move_is_made() -> None:
    red = "e8:1 f8:2 g8:3 h8:4 i8:5 j8:6"
    position = board16(red=red)
    assert outcome(position) == (None, (0, 0), ())
    assert outcome(then(position.copy(), "p1 b2-b3")) == ("row", (1, 0), (1,))
    assert outcome(then(position.copy(), "p1 e8-e9")) == (None, (0, 0), ())
    assert outcome(then(position.copy(), "p1 e8-e9", "p2 b15-b14", "p1 e9-e8")) == ("row", (1, 0), (1,))

    sets = play(setup=setup_of(TWO_SETS))
    assert outcome(sets) == (None, (0, 0), ())
    assert outcome(then(sets, "p1 c3-c4")) == ("sets", (1, 0), (1,))


def test_r_t4_only_the_player_who_has_just_moved_can_win() -> None:
    # Red's move leaves red's two sets standing, and it is red that has just moved; green's would not.
    green = {f"{space[0]}{11 - int(space[1])}": face for space, face in TWO_SETS.items()}
    with pytest.raises(OptionError, match="green shows two sets of 1 to 6 already"):
        play(setup=setup_of({}, green))


BLOCKED_RED = {"a1": 1, "a2": 1, "b1": 1} | {f"{column}{row}": 1 for column in "bcd" for row in "234"}
BLOCKING_GREEN = dict.fromkeys(["c1", "a3", "b5", "c5", "d5", "e2", "e3", "e4", "e5", "f2", "e6", "f6"], 1)


def blocked(
    red: Mapping[str, int] | None = None, green: Mapping[str, int] | None = None, **options: Any
) -> Position[Any]:
    """A game in which red cannot move: its outer dice are three, and no space next to its dice is empty and inner."""
    setup = {"red": {**BLOCKED_RED, **(red or {})}, "green": {**BLOCKING_GREEN, **(green or {})}}
    return play(size=7, adjacent_jumps=False, setup=setup, **options)


def test_r_t4_a_pass_never_wins() -> None:
    # a2 b2 c2 d2 e2 f2 show 1 to 6 from the start, and red shows two sets.
    row = {"b2": 2, "c2": 3, "d2": 4, "b3": 5, "c3": 6, "d3": 2, "b4": 3, "c4": 4, "d4": 5, "b1": 6, "a1": 1}
    position = then(blocked(row, {"e2": 5, "f2": 6}), "p1 pass")
    assert outcome(position) == (None, (0, 0), ())
    assert outcome(then(position.copy(), "p2 f6-f7")) == ("row", (0, 1), (2,))
    freed = then(position, "p2 f2-f3")
    assert outcome(freed)[0] is None


def there_and_back(times: int) -> list[str]:
    return ["p1 c3-c4", "p2 c8-c7", "p1 c4-c3", "p2 c7-c8"] * times


def test_r_t5_the_third_time_is_a_draw_and_the_start_counts(refused: Callable[..., None]) -> None:
    position = then(play(), *there_and_back(1))
    assert seen(position)["times"] == 2
    assert outcome(position) == (None, (0, 0), ())
    assert kinds(position) == ["slide", "repeated"]
    then(position, *there_and_back(2)[4:7])
    assert outcome(position)[0] is None
    then(position, "p2 c7-c8")
    assert outcome(position) == ("repetition", (0.5, 0.5), ())
    assert position.is_over
    assert position.legal_moves == []
    refused(position, "p1 c3-c4")
    assert kinds(position) == ["slide", "over"]


def test_r_t5_dice_are_told_apart_by_owner_and_face_only() -> None:
    # c3 and d3 change places.
    moves = ["p1 c3-c4", "p2 c8-c7", "p1 d3-c3", "p2 c7-c8", "p1 c4-d4", "p2 c8-c7", "p1 d4-d3", "p2 c7-c8"]
    assert seen(then(play(), *moves))["times"] == 2
    different = play(setup=setup_of({"d3": 2}))
    assert seen(then(different, *moves))["times"] == 1


def test_r_t5_max_plies_moves_without_a_winner_are_a_draw() -> None:
    position = then(play(max_plies=3), "p1 c3-c4", "p2 c8-c7")
    assert not position.is_over
    then(position, "p1 c4-c3")
    assert outcome(position) == ("max_plies", (0.5, 0.5), ())
    assert told(position).endswith("3 moves without a winner: a draw.")


def test_r_t5_a_player_with_no_legal_move_passes_and_a_pass_counts(refused: Callable[..., None]) -> None:
    position = blocked()
    assert legal(position) == {"p1 pass"}
    then(position, "p1 pass")
    assert seen(position)["passed"] is True
    assert kinds(position) == ["pass"]
    assert position.to_move == (2,)
    assert outcome(then(blocked(max_plies=1), "p1 pass"))[0] == "max_plies"
    refused(position, "p2 pass")
    back = ["p1 pass", "p2 f6-f7", "p1 pass", "p2 f7-f6"]
    assert outcome(then(blocked(), *back, *back[:3]))[0] is None
    assert outcome(then(blocked(), *back, *back))[0] == "repetition"


def test_r_t5_two_passes_in_a_row_are_a_draw() -> None:
    # No board has room for it: 24 dice leave an inner space empty, and the dice next to it can slide there.
    position = blocked()
    rules = position.rules
    state = rules.apply(rules.apply(position.state, Move(1, "pass")), Move(2, "pass"))
    assert (rules.ending(state), rules.scores(state), rules.winners(state)) == ("passes", (0.5, 0.5), ())
    apart = rules.apply(rules.apply(rules.apply(position.state, Move(1, "pass")), Move(2, "f6-f7")), Move(1, "pass"))
    assert rules.ending(apart) is None


def test_r_t6_scores_are_whole_where_they_can_be() -> None:
    won = then(board16(red="e8:1 f8:2 g8:3 h8:4 i8:5 j9:6"), "p1 j9-j8")
    assert json.dumps(record_of(won, ("A", "B")).result) == '{"scores": {"p1": 1, "p2": 0}, "winners": ["p1"]}'
    drawn = then(play(max_plies=1), "p1 c3-c4")
    assert json.dumps(record_of(drawn, ("A", "B")).result) == '{"scores": {"p1": 0.5, "p2": 0.5}, "winners": []}'
    assert json.dumps(play().rules.scores(play().state)) == "[0, 0]"


@pytest.mark.parametrize("value", [0, -1, 1.0, "400", True, None])
def test_r_t7_max_plies_is_at_least_1(value: object) -> None:
    with pytest.raises(OptionError, match="a whole number from 1"):
        play(max_plies=value)


@pytest.mark.parametrize(
    ("setup", "reason"),
    [
        (None, "a setup is an object with red and green, not None"),
        ({}, "red is missing; green is missing"),
        (setup_of() | {"blue": {}}, "'blue' is not known"),
        (setup_of() | {"red": []}, "red is an object of spaces and faces, not []"),
        (setup_of({"c2": None}), "red has 11 dice instead of 12"),
        (setup_of({"c2": None, "c11": 1}), "red has a die on 'c11'; the spaces are a1 to j10"),
        (setup_of({"c2": None, "c8": 1}), "two dice are on 'c8'"),
        (setup_of({"c2": 0}), "the red die on 'c2' shows 0; dice show 1 to 6"),
        (
            setup_of({"c2": None, "d2": None, "e2": None, "f2": None, "a1": 1, "a2": 1, "j10": 1, "e10": 1}),
            "red has 4 dice on outer spaces; at most 3 are allowed",
        ),
    ],
)
def test_r_t7_what_is_no_setup(setup: object, reason: str) -> None:
    with pytest.raises(OptionError) as caught:
        play(setup=setup)
    assert str(caught.value).startswith("option setup is not allowed: ")
    assert reason in str(caught.value)


def test_r_t7_all_faults_of_a_setup_are_named_on_one_short_line() -> None:
    setup: Json = setup_of({"c2": 9, "x9": 1, "d2": None, "e2": None}, {})
    setup["green"]["c9"] = "\n" * 10_000
    with pytest.raises(OptionError) as caught:
        play(setup=setup | {"blue": 1})
    text = str(caught.value)
    for part in ("blue", "'c2' shows 9", "'x9'", "11 dice", "'c9' shows"):
        assert part in text
    assert "\n" not in text
    with pytest.raises(OptionError) as caught:
        play(setup=setup_of({f"x{n}": 9 for n in range(10_000)}))
    assert len(str(caught.value)) < 5_000


@pytest.mark.parametrize("seats", [0, 1, 3])
def test_two_play(seats: int) -> None:
    with pytest.raises(OptionError, match="played by 2 players"):
        rules_of("d21", seats)


def test_an_unknown_option_is_an_error() -> None:
    with pytest.raises(OptionError, match="no option 'Size'; its options: size, setup, adjacent_jumps, max_plies"):
        play(Size=10)


# -- what people are told --------------------------------------------------------------------------------


def test_people_are_told_what_a_move_did() -> None:
    position = then(board16(red="f8:2 f6:1", green="h8:5 h10:4"), "p1 f8-e8")
    assert told(position) == "p1 slides the 2 from f8 to e8."
    then(position, "p2 h8-h11")
    assert told(position) == "p2 jumps with the 5 from h8 over a die of their own on h10 to h11."
    position = then(board16(red="f8:2", green="h8:5"), "p1 f8-i8")
    assert told(position) == "p1 jumps with the 2 from f8 over the 5 on h8 to i8: it turns to 3."
    stays = then(board16(red="f8:4", green="g8:4"), "p1 f8-h8")
    assert told(stays) == "p1 jumps with the 4 from f8 over the 4 on g8 to h8: it stays 4."
    assert told(then(blocked(), "p1 pass")) == "p1 cannot move and passes."


# -- an oracle, written from the rulings -------------------------------------------------------------------


class Oracle:
    """The rulings played on a plain dictionary, slowly: (column, row) from 0 → (owner, face)."""

    def __init__(self, size: int, setup: Json, adjacent_jumps: bool, max_plies: int) -> None:
        self.size, self.adjacent_jumps, self.max_plies = size, adjacent_jumps, max_plies
        self.board: dict[Space, tuple[int, int]] = {}
        for owner, colour in enumerate(("red", "green"), 1):
            for space, face in setup[colour].items():
                self.board[string.ascii_lowercase.index(space[0]), int(space[1:]) - 1] = owner, face
        self.turn, self.plies, self.passes, self.over = 1, 0, 0, False
        self.winner: int | None = None
        self.listed: Moves | None = None
        self.past = [self.position()]

    def position(self) -> tuple[int, frozenset[tuple[Space, tuple[int, int]]]]:
        return self.turn, frozenset(self.board.items())

    def on_board(self, space: Space) -> bool:
        return 0 <= space[0] < self.size and 0 <= space[1] < self.size

    def is_outer(self, space: Space) -> bool:
        return space[0] in (0, self.size - 1) or space[1] in (0, self.size - 1)

    def moves(self) -> Moves:
        """Return the moves; every call but the first of a position is quick."""
        if self.listed is None:
            self.listed = self.list_moves()
        return self.listed

    def list_moves(self) -> Moves:
        found: Moves = {}
        for origin, (owner, _) in self.board.items():
            if owner != self.turn:
                continue
            for right, up in STEPS:
                line = [(origin[0] + n * right, origin[1] + n * up) for n in range(1, self.size)]
                line = [space for space in line if self.on_board(space)]
                for place, target in enumerate(line):
                    between = [space for space in line[:place] if space in self.board]
                    if target in self.board or len(between) > 1:
                        continue
                    if between and between != line[place - 1 : place]:
                        continue
                    if between and place == 1 and not self.adjacent_jumps:
                        continue
                    mine = [space for space, die in self.board.items() if die[0] == self.turn and space != origin]
                    if sum(map(self.is_outer, [*mine, target])) > 3:
                        continue
                    found[f"p{self.turn} {name(origin)}-{name(target)}"] = origin, target, [*between, None][0]
        return found or {f"p{self.turn} pass": None}

    def rows(self) -> list[list[Space]]:
        """All rows of six, each as its spaces from 1 to 6."""
        found = []
        for start, (_, face) in self.board.items():
            for first, second in itertools.product(STEPS, STEPS) if face == 1 else ():
                right_angle = first[0] * second[0] + first[1] * second[1] == 0
                for straight in range(1, 6) if first == second or right_angle else ():
                    spaces = [start]
                    for step in [first] * straight + [second] * (5 - straight):
                        spaces.append((spaces[-1][0] + step[0], spaces[-1][1] + step[1]))
                    if [self.board.get(space, (0, 0))[1] for space in spaces] == [1, 2, 3, 4, 5, 6]:
                        found.append(spaces)
        return found

    def push(self, text: str) -> None:
        move, self.listed = self.moves()[text], None
        self.plies += 1
        if move is None:
            self.passes += 1
        else:
            self.passes = 0
            origin, target, jumped = move
            owner, face = self.board.pop(origin)
            if jumped and self.board[jumped][0] != owner:
                other = self.board[jumped][1]
                if face + other <= 6:
                    face += other
                elif face != other:
                    face = max(face, other) - min(face, other)
            self.board[target] = owner, face
            own = sorted(face for who, face in self.board.values() if who == owner)
            if self.rows() or own == [1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6]:
                self.over, self.winner = True, owner
        self.turn = 3 - self.turn
        self.past.append(self.position())
        drawn = self.past.count(self.past[-1]) >= 3 or self.plies >= self.max_plies or self.passes >= 2
        self.over = self.over or drawn

    def scores(self) -> tuple[float, float]:
        if not self.over:
            return 0, 0
        scores: dict[int | None, tuple[float, float]] = {None: (0.5, 0.5), 1: (1, 0), 2: (0, 1)}
        return scores[self.winner]


ALL_FACES = [1, 2, 3, 4, 5, 6] * 2


def some_dice(rng: random.Random, size: int, kind: str) -> tuple[list[Space], list[int]]:
    """The spaces of two times twelve dice, red first, and a face for each."""
    lines = range(1, size - 1)
    inner = [(column, row) for column in lines for row in lines]
    outer = [space for space in itertools.product(range(size), range(size)) if not set(space) <= set(lines)]
    rng.shuffle(inner)
    rng.shuffle(outer)
    most = 3 if kind == "crowded" else rng.randrange(4)
    faces = [rng.randint(1, 6) for _ in range(24)]
    if kind == "crowded":
        centre = rng.choice(inner)
        inner.sort(key=lambda space: max(abs(space[0] - centre[0]), abs(space[1] - centre[1])))
    if kind == "sets":
        faces = [*ALL_FACES, *ALL_FACES[:-1], rng.randint(1, 5)]
        faces[rng.randrange(12)] = rng.randint(1, 6)
    if kind == "row":  # with one die or none away from its place
        way, bend, corner = rng.randrange(8), rng.choice([0, 1, 2, -2]), rng.randrange(1, 5)
        spaces = path([way] * corner + [way + bend] * (5 - corner), (rng.choice([0, 1]), rng.choice([0, 1])))
        if sum(space in outer for space in spaces) <= 3:
            others = [space for space in inner if space not in spaces]
            spaces[rng.randrange(6)] = others.pop()
            return [*spaces[:3], *others[:9], *spaces[3:], *others[9:18]], [1, 2, 3, *faces[3:12], 4, 5, 6, *faces[15:]]
    red, green = outer[:most], outer[most : most + rng.randrange(most + 1)]
    for side in (red, green):
        while len(side) < 12:
            side.append(inner.pop(0))
    return red + green, faces


def some_game(rng: random.Random, kinds: Sequence[str] = ("anywhere", "crowded", "row", "sets", "blocked")) -> D21:
    """The rules of a game near a goal, crowded, with a player who cannot move, or just so."""
    kind = rng.choice(kinds)
    size = 7 if kind == "blocked" else rng.choice([7, 7, 7, 8, 9, 10, 12, 26])
    if kind == "blocked":
        flip, turn = rng.random() < 0.5, rng.random() < 0.5
        spaces = [(ord(space[0]) - ord("a"), int(space[1]) - 1) for space in (*BLOCKED_RED, *BLOCKING_GREEN)]
        spaces = [(6 - column, row) if flip else (row, column) for column, row in spaces]
        spaces = spaces[12:] + spaces[:12] if turn else spaces
        faces = [rng.randint(1, 6) for _ in spaces]
    else:
        spaces, faces = some_dice(rng, size, kind)
    if sorted(faces[12:]) == sorted(ALL_FACES):  # R-T4
        faces[12] = faces[12] % 6 + 1
    pairs = [(name(space), face) for space, face in zip(spaces, faces, strict=True)]
    options = {
        "size": size,
        "setup": {"red": dict(pairs[:12]), "green": dict(pairs[12:])},
        "adjacent_jumps": kind != "blocked" and rng.random() < 0.5,
        "max_plies": rng.choice([1, 2, 5, 30]),
    }
    return D21(2, options)


def back(text: str) -> str:
    """The move there and back again."""
    seat, _, way = text.partition(" ")
    return f"{seat} {'-'.join(reversed(way.split('-')))}"


@settings(max_examples=sample(14, 40), deadline=None)
@given(st.integers(0, 2**32))
def test_the_engine_plays_as_the_oracle_does(seed: int) -> None:
    rng = random.Random(seed)
    rules = some_game(rng)
    position, oracle = Position(rules), Oracle(**rules.options)
    restless = rng.random() < 0.7  # the others go back and forth, and repeat positions
    while not oracle.over:
        expected = oracle.moves()
        listed = [str(move) for move in position.legal_moves]
        assert len(listed) == len(set(listed))
        assert set(listed) == set(expected)
        past = [str(move) for move in position.moves]
        move = rng.choice(listed)
        if not restless and len(past) > 1 and back(past[-2]) in expected:
            move = back(past[-2])
        position.parse_push(move)
        oracle.push(move)
        assert position.is_over == oracle.over
        assert rules.scores(position.state) == oracle.scores()
        assert rules.winners(position.state) == ((oracle.winner,) if oracle.winner else ())
        assert seen(position)["times"] == oracle.past.count(oracle.past[-1])
    assert position.legal_moves == []


@settings(max_examples=sample(2, 5), deadline=None)
@given(st.integers(0, 2**32))
def test_every_first_move_near_a_goal_ends_as_the_oracle_says(seed: int) -> None:
    rules = some_game(random.Random(seed), ["row", "sets"])
    oracle = Oracle(**rules.options)
    oracle.moves()
    for move in rules.legal(rules.initial()):
        state, twin = rules.apply(rules.initial(), move), copy.copy(oracle)
        twin.board, twin.past = dict(oracle.board), list(oracle.past)
        twin.push(str(move))
        assert rules.scores(state) == twin.scores()
        assert rules.describe(state)["red"].keys() == {name(space) for space, die in twin.board.items() if die[0] == 1}


@settings(max_examples=sample(40, 100), deadline=None)
@given(st.integers(0, 2**32))
def test_rows_are_found_as_the_oracle_finds_them(seed: int) -> None:
    # Walks that go on from 1 to 6 and turn a little make rows, near rows and rows that cross.
    rng = random.Random(seed)
    oracle = Oracle(**play().rules.options)
    oracle.board.clear()
    while len(oracle.board) < 24:
        space, way = (rng.randrange(10), rng.randrange(10)), rng.randrange(8)
        for face in range(1, 7):
            if not oracle.on_board(space) or len(oracle.board) == 24:
                break
            oracle.board[space] = rng.choice([1, 2]), face
            way += rng.choice([0, 0, 0, 2, -2, 1])
            space = (space[0] + STEPS[way % 8][0], space[1] + STEPS[way % 8][1])
    board = bytearray(100)
    for (column, row), (owner, face) in oracle.board.items():
        board[row * 10 + column] = face + 8 * (owner - 1)
    rules = D21(2)
    rows = [tuple(row * 10 + column for column, row in spaces) for spaces in oracle.rows()]
    assert rules.row(bytes(board)) in (rows or [()])
    for number in range(100):
        if board[number]:
            assert rules.row_through(bytes(board), number) in ([row for row in rows if number in row] or [()])


@settings(max_examples=sample(10, 25), deadline=None)
@given(st.integers(0, 2**32))
def test_refuse_agrees_with_legal_on_every_pair_of_spaces(seed: int) -> None:
    rng = random.Random(seed)
    rules = some_game(rng)
    position = Position(rules)
    names = rules.grid.names
    for _ in range(rng.randrange(4)):
        if not position.is_over:
            position.push(rng.choice(position.legal_moves))
    moves = set(position.legal_moves)
    pairs = [(rng.choice(names), rng.choice(names)) for _ in range(300)]
    pairs += [(space, rng.choice(names)) for colour in ("red", "green") for space in seen(position)[colour]]
    others = [Move(seat, f"{origin}-{target}") for origin, target in pairs for seat in (1, 2)]
    for move in [*moves, *others, Move(1, "pass"), Move(2, "pass")]:
        reason = rules.refuse(position.state, move)
        assert (reason is None) == (move in moves), move
        assert reason is None or str(reason) == str(reason).strip() != ""


# -- states as values --------------------------------------------------------------------------------------


@settings(max_examples=sample(5, 15), deadline=None)
@given(st.integers(0, 2**32))
def test_dice_are_conserved_and_a_description_is_the_state(seed: int) -> None:
    rng = random.Random(seed)
    rules = some_game(rng)
    position = Position(rules)
    while not position.is_over:
        before = position.state
        position.push(rng.choice(position.legal_moves))
        state = position.state
        assert [len(own) for own in state.dice] == [12, 12]
        assert max(state.outer) <= 3
        changed = [n for n in range(len(state.board)) if state.board[n] != before.board[n]]
        assert len(changed) == (0 if state.passed else 2)
        description = json.loads(json.dumps(rules.describe(state)))
        restored = rules.restore(description)
        assert restored == state
        assert hash(restored) == hash(state)
        assert rules.legal(restored) == rules.legal(state)
    while position.ply:
        position.pop()
    assert position.state == rules.initial()


def test_what_is_remembered_stays_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = d21_grid.lines_of(10, True)
    expected = legal(play())
    lines.forget()
    monkeypatch.setattr(d21_grid, "_ENTRIES_MAX", 50)
    position, rng = play(), random.Random(2)
    for _ in range(30):
        position.push(rng.choice(position.legal_moves))
        assert lines.entries <= 50
    assert legal(play()) == expected


def test_patterns_of_long_lines_stay_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(d21_grid, "_PATTERNS_MAX", 3)
    position, rng = board16(red="e8:3", adjacent_jumps=False), random.Random(2)
    oracle = Oracle(**position.rules.options)
    for _ in range(30):
        assert legal(position) == set(oracle.moves())
        move = rng.choice(position.legal_moves)
        position.push(move)
        oracle.push(str(move))
    reach = d21_grid.reach_of(16, 9, False)
    for pattern in range(20):
        assert reach[1 << 9 | pattern] == d21_grid._reach(1 << 9 | pattern, 16, 9, False)
    assert len(reach) <= 3


# -- positions that are set up -------------------------------------------------------------------------------


def described(**changes: object) -> Json:
    position = then(play(), *there_and_back(1)[:2])
    return position.rules.describe(position.state) | changes


def test_a_description_shows_the_state() -> None:
    start = play()
    assert start.rules.describe(start.state) == {
        "turn": "p1",
        "ply": 0,
        **setup_of(),
        "passed": False,
        "ending": None,
        "seen": {"p1 10/2aaaaaa2/2aaaaaa2/10/10/10/10/2AAAAAA2/2AAAAAA2/10": 1},
    }


START = "p1 10/2aaaaaa2/2aaaaaa2/10/10/10/10/2AAAAAA2/2AAAAAA2/10"


@pytest.mark.parametrize(
    "description",
    [None,
"x",
described(turn=1),
described(ply=True),
described(ending=0),
described(green={"k1": 1}),
described(seen=[]),
described(seen={START: True}),
described(seen={START.replace("10", "9."): 1}),
described(seen={START.replace("p1", "table"): 1}),],
)  # fmt: skip
def test_what_is_no_description_is_refused(description: Any) -> None:
    with pytest.raises(RulesError) as caught:
        play().rules.restore(description)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 2_000
