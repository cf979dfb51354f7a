"""Another game with the same people: who begins it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablier.course.seats import AT_SCREEN, AT_TABLE, Seat
from tablier.games import GAMES, game_class, rules_of
from tablier.play.rotation import rotated
from tablier.texts import Json

NAMES = ("Anne", "Bernard", "Christine", "Daniel", "Éric", "Françoise")


def seats_named(*names: str, place: int = 0) -> list[Seat]:
    return [Seat(name, place and place + n, AT_TABLE if place else AT_SCREEN) for n, name in enumerate(names)]


def begins(game: str, options: Json, seats: list[Seat]) -> str:
    """Return who begins a game without lots or dice for it."""
    rules = rules_of(game, len(seats), options)
    assert rules.prelude() is None
    first: int = rules.options.get("first", 1)
    return seats[first - 1].name


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("place", [0, 1])
def test_everybody_begins_in_turn(game: str, place: int) -> None:
    counts = game_class(game).seat_counts
    names = NAMES[: max(counts)]
    options: Json = {"first": "p1"} if "first" in game_class(game).OPTIONS else {}
    seats, began = seats_named(*names, place=place), []
    for _ in range(2 * len(names)):
        began.append(begins(game, options, seats))
        options, order = rotated(game, options, [seat.name for seat in seats], seats)
        seats = [seats[number] for number in order]
    fixed = place and not options  # red sits at row 1
    assert began == [names[0]] * len(began) if fixed else began == [*names, *names]


@pytest.mark.parametrize("game", ["struggle", "roudalon"])
def test_lots_and_dice_decide_again(game: str) -> None:
    seats = seats_named(*NAMES[:4])
    assert rotated(game, {}, NAMES[:4], seats) == ({}, (0, 1, 2, 3))


@given(st.integers(1, 5), st.sets(st.sampled_from(NAMES[:5]), min_size=3))
def test_the_next_one_begins_who_is_still_there(first: int, there: set[str]) -> None:
    before, seats = NAMES[:5], seats_named(*(name for name in NAMES[:5] if name in there))
    options, order = rotated("dilemma", {"first": f"p{first}"}, before, seats)
    assert order == tuple(range(len(seats)))
    later = [*before[first:], *before[:first]]
    assert begins("dilemma", options, seats) == next(name for name in later if name in there)
