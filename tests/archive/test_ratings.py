"""Ratings: the order of known strengths is found, and nothing is told apart that is about equal."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from math import exp, log, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openskill.models import PlackettLuce, PlackettLuceRating

from apart import told_apart
from tablier.archive.ratings import START, Place, Rating, places, rated

PLAYERS = ("Anne", "Bernard", "Claire", "Didier", "Eve", "Farid")

ratings = st.builds(Rating, st.floats(0, 50), st.floats(1, 9))
games = st.lists(st.sampled_from(PLAYERS), min_size=1, max_size=6, unique=True).flatmap(
    lambda ids: st.lists(st.integers(1, len(ids)), min_size=len(ids), max_size=len(ids)).map(
        lambda ranks: tuple(map(Place, ids, ranks))
    )
)


def rate(state: Mapping[str, Rating], game: Sequence[Place]) -> dict[str, Rating]:
    """Return the ratings, after a game, of those who have one and played it."""
    after = rated([game], state)
    return {player: after[player] for player in dict.fromkeys(place.player for place in game) if player in after}


def played(dice: random.Random, strengths: Mapping[str, float]) -> tuple[Place, ...]:
    """Play a game in which a player of strength s beats one of strength t with odds of exp(s) to exp(t)."""
    order = sorted(strengths, key=lambda player: dice.expovariate(exp(strengths[player])))
    return tuple(Place(player, rank) for rank, player in enumerate(order, 1))


@pytest.mark.parametrize("count", [2, 3, 4, 6])
def test_the_order_of_known_strengths_is_found(count: int) -> None:
    """Each beats the next four times in five."""
    for seed in range(5):
        dice = random.Random(seed)
        strengths = {player: -log(4) * at for at, player in enumerate(PLAYERS[:count])}
        found = rated(played(dice, strengths) for _ in range(200))
        assert sorted(found, key=lambda player: -found[player].mu) == list(strengths)
        assert sorted(found, key=lambda player: -found[player].ordinal) == list(strengths)
        assert told_apart(found[PLAYERS[0]], found[PLAYERS[count - 1]])


def test_players_of_equal_strength_are_told_apart_in_one_case_of_twenty_at_most() -> None:
    wrong = 0
    for seed in range(50):
        dice = random.Random(seed)
        found = rated(played(dice, dict.fromkeys(PLAYERS[:3], 0)) for _ in range(30))
        wrong += told_apart(found["Anne"], found["Bernard"])
    # The binomial bound of 50 cases at 5 %, with a chance of 1e-3 to fail.
    assert wrong <= 9


@given(st.lists(games, max_size=8))
def test_names_do_not_count(evening: list[tuple[Place, ...]]) -> None:
    renamed = {player: f"Z{at}" for at, player in enumerate(reversed(PLAYERS))}
    other = rated([[Place(renamed[player], rank) for player, rank in game] for game in evening])
    assert other == {renamed[player]: rating for player, rating in rated(evening).items()}


@given(games, st.dictionaries(st.sampled_from(PLAYERS), ratings), st.randoms(use_true_random=False))
def test_only_the_order_of_places_counts(
    game: tuple[Place, ...], state: dict[str, Rating], dice: random.Random
) -> None:
    seats = [Place(player, rank * 10 - 3) for player, rank in dice.sample(game, len(game))]
    moved, plain = rate(state, seats), rate(state, game)
    assert moved.keys() == plain.keys()
    for player, rating in plain.items():
        assert moved[player] == pytest.approx(rating, rel=1e-9)


@given(st.lists(games, max_size=6), st.dictionaries(st.sampled_from(PLAYERS), ratings))
def test_games_are_rated_together_as_one_by_one(evening: list[tuple[Place, ...]], before: dict[str, Rating]) -> None:
    kept, state = dict(before), dict(before)
    for game in evening:
        state.update(rate(state, game))
    assert rated(evening, before) == state
    assert before == kept


@given(ratings, st.integers(2, 6))
def test_a_tie_between_equals_leaves_them_equal(rating: Rating, count: int) -> None:
    state = dict.fromkeys(PLAYERS[:count], rating)
    after = rate(state, [Place(player, 1) for player in state])
    first = after["Anne"]
    assert first.mu == pytest.approx(rating.mu)
    assert all(each == pytest.approx(first) for each in after.values())


@given(st.lists(games, max_size=5))
def test_people_are_rated_as_openskill_rates_them(evening: list[tuple[Place, ...]]) -> None:
    model, found = PlackettLuce(), dict[str, PlackettLuceRating]()
    for game in evening:
        if len(game) > 1:
            entered = [[found.get(place.player) or model.rating()] for place in game]
            teams = model.rate(entered, [place.rank for place in game])
            found.update((place.player, team[0]) for place, team in zip(game, teams, strict=True))
    assert rated(evening) == {player: pytest.approx((it.mu, it.sigma)) for player, it in found.items()}


def test_a_bot_gets_surer_and_a_person_is_followed() -> None:
    """Two who are even for long, until one wins all."""
    even = [[Place("Anne", n % 2), Place("bot", (n + 1) % 2)] for n in range(1000)]
    before = rated(even, learns=lambda player: player == "Anne")
    after = rated([[Place("Anne", 1), Place("bot", 2)]] * 20, before, learns=lambda player: player == "Anne")
    assert before["bot"].sigma < before["Anne"].sigma / 1.5
    assert after["Anne"].mu - before["Anne"].mu > 2 * (before["bot"].mu - after["bot"].mu) > 0


@given(st.sampled_from(PLAYERS), st.integers(0, 3))
def test_a_game_of_one_player_says_nothing(player: str, seats: int) -> None:
    game = [Place(player, rank) for rank in range(seats)]
    assert rate({}, game) == {}
    assert rated([game], {player: Rating(30, 2)}) == {player: Rating(30, 2)}


@given(st.permutations([1, 2, 3, 4]))
def test_who_has_two_seats_gets_the_mean_of_what_they_come_to(ranks: list[int]) -> None:
    bot, rest = Rating(28, 3), {"Anne": Rating(24, 5), "Bernard": START}
    both = rate({"bot": bot, **rest}, list(map(Place, ("bot", "Anne", "bot", "Bernard"), ranks)))
    apart = rate({"one": bot, "two": bot, **rest}, list(map(Place, ("one", "Anne", "two", "Bernard"), ranks)))
    assert list(both) == ["bot", "Anne", "Bernard"]
    assert all(both[player] == apart[player] for player in rest)
    assert both["bot"].mu == pytest.approx((apart["one"].mu + apart["two"].mu) / 2)
    assert both["bot"].sigma == pytest.approx((apart["one"].sigma + apart["two"].sigma) / 2)


def test_what_people_are_told_of_a_rating() -> None:
    assert Rating(25, 25 / 3) == START
    rating = Rating(30.0, 2.0)
    assert rating.ordinal == 24
    assert rating.uncertainty == pytest.approx(3.92, abs=0.001)


@given(ratings, ratings)
def test_ratings_whose_intervals_are_apart_are_told_apart(one: Rating, other: Rating) -> None:
    assert told_apart(one, other) == told_apart(other, one)
    assert not told_apart(one, Rating(one.mu, other.sigma))
    if one.mu - one.uncertainty > other.mu + other.uncertainty:
        assert told_apart(one, other)
    if abs(other.mu - one.mu) < one.uncertainty:
        assert not told_apart(one, other)


def test_the_difference_has_an_interval_of_its_own() -> None:
    """It is √2 as wide as each of two equal ones, not twice."""
    limit = 1.959964 * 2 * sqrt(2)
    assert told_apart(Rating(25 + limit + 0.001, 2), Rating(25, 2))
    assert not told_apart(Rating(25 + limit - 0.001, 2), Rating(25, 2))


def test_winners_share_the_first_place_and_the_others_follow_by_points() -> None:
    ids = ("Anne", "Bernard", "Claire", "Didier")

    def ranks(won: list[bool], points: list[float] | None = None) -> list[float]:
        game = places(ids, won, points)
        assert [place.player for place in game] == list(ids)
        return [place.rank for place in game]

    assert ranks([False, True, False, True]) == [2, 1, 2, 1]
    assert ranks([False, True, False, True], [3, 1, 5, 2]) == [3, 1, 2, 1]
    assert ranks([False, True, False, False], [5, 7, 3, 5]) == [2, 1, 3, 2]
    assert ranks([False] * 4, [1, 2, 3, 3]) == [3, 2, 1, 1]
    assert ranks([False] * 4) == [1, 1, 1, 1]
    with pytest.raises(ValueError, match="zip"):
        places(ids, [True])
