"""The turning points of a game, from the course of its points."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tablier.screens.turning import MOST, turn_text, turning_points

COURSES = st.integers(1, 4).flatmap(
    lambda seats: st.lists(st.tuples(*[st.integers(-9, 9)] * seats), min_size=1, max_size=30)
)


def told(*course: tuple[float, ...]) -> list[str]:
    return [str(turn_text(turn, ["Anne", "Bernard"])) for turn in turning_points(course)]


def test_a_new_leader_and_the_largest_changes_are_told_in_the_order_of_the_game() -> None:
    course = [(0, 0), (2, 0), (2, 1), (2, 3), (9, 3), (9, 4)]
    assert told(*course) == [
        "Move 1: Anne takes the lead, 2 to Bernard's 0.",
        "Move 3: Bernard takes the lead, 3 to Anne's 2.",
        "Move 4: Anne takes the lead, 9 to Bernard's 3.",
    ]
    assert told((0, 0), (3, 0), (3, 3), (3, 1))[1:] == [
        "Move 2: Bernard draws level with Anne at 3.",
        "Move 3: Anne takes the lead, 3 to Bernard's 1.",
    ]
    assert told((5, 0), (5, -2), (5, -2))[0] == "Move 1: Bernard loses 2, now −2 to Anne's 5."
    assert told((0,), (4,), (4,)) == ["Move 1: Anne gains 4, now 4."]


def test_points_that_come_with_the_last_move_alone_have_no_turning_point() -> None:
    assert told((0, 0), (0, 0), (0, 1)) == []
    assert told() == []


@given(COURSES)
def test_a_turning_point_is_a_move_that_changes_points(course: list[tuple[int, ...]]) -> None:
    turns = turning_points(course)
    assert len(turns) <= MOST and [turn.at for turn in turns] == sorted({turn.at for turn in turns})
    for turn in turns:
        before, after = course[turn.at - 1], course[turn.at]
        assert tuple(turn.points) == after != before
        assert turn.gained == after[turn.seat - 1] - before[turn.seat - 1]
        others = [points for seat, points in enumerate(after, 1) if seat != turn.seat]
        if turn.leads:
            ahead = [points for seat, points in enumerate(before, 1) if seat != turn.seat]
            assert after[turn.seat - 1] > max(others, default=-99)
            assert not ahead or before[turn.seat - 1] <= max(ahead)
        if others:
            assert after[turn.rival - 1] == max(others)
