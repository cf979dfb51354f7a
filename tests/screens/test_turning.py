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
        "Move 2: Bernard gains 1, now 1 to Anne's 2.",
        "Move 3: Bernard takes the lead from Anne, 3 to 2.",
        "Move 4: Anne takes the lead from Bernard, 9 to 3.",
    ]
    assert told((0, 0), (3, 0), (3, 1), (3, 3), (3, 1))[1:] == [
        "Move 3: Bernard draws level with Anne at 3.",
        "Move 4: Bernard loses 2, now 1 to Anne's 3.",
    ], "Anne leads again, but nobody else has led"
    assert told((5, 0), (5, -2), (5, -4), (5, -4)) == ["Move 2: Bernard loses 2, now −4 to Anne's 5."]
    assert told((0,), (4,), (9,), (9,)) == ["Move 2: Anne gains 5, now 9."]


def test_a_lead_is_taken_from_somebody() -> None:
    course = [(0, 0, 0), (1, 0, 0), (1, 2, 0), (1, 2, 4), (1, 5, 4), (1, 5, 5), (1, 5, 9), (10, 5, 9)]
    assert [str(turn_text(turn, ["Anne", "Bernard", "Christine"])) for turn in turning_points(course, 9)] == [
        "Move 2: Bernard takes the lead from Anne, 2 to 1.",
        "Move 3: Christine takes the lead from Bernard, 4 to 2.",
        "Move 4: Bernard takes the lead from Christine, 5 to 4.",
        "Move 5: Christine draws level with Bernard at 5.",
        "Move 6: Christine takes the lead from Bernard, 9 to 5.",
        "Move 7: Anne takes the lead from Christine, 10 to 9.",
    ]
    course = [(0, 0, 0), (2, 1, 1), (2, 4, 1), (2, 1, 3)]
    assert str(turn_text(turning_points(course)[-1], ["Anne", "Bernard", "Christine"])) == (
        "Move 3: Christine takes the lead from Bernard, 3 to Anne's 2."
    )


def test_first_stakes_and_first_points_are_the_normal_course() -> None:
    stakes = [(0, 0, 0, 0), (-1, 0, 0, 0), (-1, -3, 0, 0), (-1, -3, -2, 0), (-1, -3, -2, -6)]
    assert turning_points([*stakes, stakes[-1]]) == []
    assert [turn.at for turn in turning_points([*stakes, (5, -3, -2, -6), (5, -3, -2, -7)])] == [5, 6]
    assert told((0, 0), (4, 0), (4, 0)) == ["Move 1: Anne takes the lead, 4 to Bernard's 0."], "what decided the game"
    assert told((0, 0), (-1, 0), (-1, 1)) == ["Move 2: Bernard gains 1, now 1 to Anne's −1."]


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
