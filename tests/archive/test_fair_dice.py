"""Tests of dice and bags: exact against enumeration by fractions, fair seasons, biased dice, laws of the power."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache
from math import comb, factorial, prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import bdtrc, chdtrc

from sample import each, sample, thorough
from tablier.archive import fairness
from tablier.archive.fairness import Fairness, accused, throws_needed
from tablier.archive.questions import throws_enough

SEASONS = 1000
LEVEL = 0.01
SURE = 1e-6
"""The chance that a season's bound fails, were its dice drawn anew."""

odds = st.lists(st.integers(1, 4), min_size=2, max_size=4)
p_values = st.dictionaries(st.integers(1, 9).map(str), st.floats(0, 1) | st.floats(0, 0.02), max_size=8)


def all_counts(n: int, faces: int) -> Iterator[tuple[int, ...]]:
    if faces == 1:
        yield (n,)
        return
    for count in range(n + 1):
        for rest in all_counts(n - count, faces - 1):
            yield count, *rest


@cache
def enumerated(n: int, weights: tuple[int, ...]) -> dict[tuple[int, ...], tuple[Fraction, Fraction]]:
    """Return Pearson's statistic and the chance of all counts of so many throws."""
    shares = [Fraction(weight, sum(weights)) for weight in weights]
    found = {}
    for counts in all_counts(n, len(weights)):
        statistic = sum((c - n * share) ** 2 / (n * share) for c, share in zip(counts, shares, strict=True))
        ways = factorial(n) // prod(map(factorial, counts))
        chance = ways * prod(share**c for c, share in zip(counts, shares, strict=True))
        found[counts] = Fraction(statistic), Fraction(chance)
    return found


@given(odds, st.integers(1, 7), st.randoms(use_true_random=False))
def test_the_exact_p_is_that_of_an_enumeration(weights: list[int], n: int, dice: random.Random) -> None:
    everything = enumerated(n, tuple(weights))
    counts = dice.choice(list(everything))
    expected = sum(chance for statistic, chance in everything.values() if statistic >= everything[counts][0])
    found = fairness.test_faces(counts, weights)
    assert found.method == "exact" and found.n == n
    assert found.p == pytest.approx(float(expected), rel=1e-9)


@pytest.mark.parametrize("n, weights", [(6, (1, 1, 1)), (8, (1, 1, 1, 1)), (5, (1, 2, 3)), (4, (1,) * 6)])
def test_a_fair_die_is_never_accused_more_often_than_the_level_says(n: int, weights: tuple[int, ...]) -> None:
    chances = [
        (fairness.test_faces(counts, weights).p, float(chance))
        for counts, (_, chance) in enumerated(n, weights).items()
    ]
    assert sum(chance for _, chance in chances) == pytest.approx(1)
    for level in {p for p, _ in chances}:
        assert sum(chance for p, chance in chances if p <= level) <= level * (1 + 1e-9)


def test_many_throws_are_judged_by_the_chi_square() -> None:
    assert fairness.test_faces((10,) * 6).method == "exact"
    # Of five degrees of freedom a table of the distribution has 11.07 for 5 % and 15.09 for 1 %.
    for counts, p in (((120, 80, 112, 88, 103, 97), 0.05), ((125, 75, 111, 89, 103, 97), 0.01)):
        found = fairness.test_faces(counts)
        assert found.method == "chi-square" and found.n == 600
        assert found.p == pytest.approx(p, rel=0.05)


def test_where_the_exact_test_ends_the_chi_square_agrees() -> None:
    assert fairness.test_faces((3, 8, 11, 12, 9, 18)).method == "chi-square"
    for counts in ((3, 8, 11, 12, 9, 17), (11, 9, 8, 12, 10, 10), (2, 7, 10, 12, 10, 19)):
        found = fairness.test_faces(counts)
        assert found.method == "exact" and sum(counts) == 60
        statistic = sum((count - 10) ** 2 for count in counts) / 10
        assert found.p == pytest.approx(chdtrc(5, statistic), rel=0.1)


def test_rare_kinds_are_counted_as_one() -> None:
    """One draw of a kind that hardly ever comes is no proof, though its chi-square alone would be."""
    found = fairness.test_faces((500, 499, 1), (0.499995, 0.499995, 0.00001))
    assert found.method == "chi-square" and found.p > 0.9 and found.face == 2
    assert fairness.test_faces((1, 2), (0.1, 0.3)) == Fairness(3, 1.0, "chi-square", 0)


@pytest.mark.parametrize(
    "counts, weights, face",
    [
        ((10, 10, 10, 10, 10, 16), None, 5),
        ((6, 8, 10), (1, 1, 1), 0),
        ((0, 53, 49), (2, 50, 50), 0),
        ((0, 0), None, None),
    ],
)
def test_the_face_that_deviates_most(counts: Sequence[int], weights: Sequence[int] | None, face: int | None) -> None:
    assert fairness.test_faces(counts, weights).face == face


@pytest.mark.parametrize(
    "counts, weights", [((), None), ((1, 2), (1,)), ((-1, 2), None), ((1, 2), (1, 0)), ((1, 2), (1, float("nan")))]
)
def test_counts_and_weights_that_cannot_be_are_refused(counts: Sequence[int], weights: Sequence[float] | None) -> None:
    with pytest.raises(ValueError, match=r"weight"):
        fairness.test_faces(counts, weights)


def most_of(times: int, chance: float) -> int:
    """Return what a count of so many trials exceeds with a chance of :data:`SURE` at most."""
    return next(count for count in range(times) if bdtrc(count, times, chance) <= SURE)


def test_of_a_thousand_fair_seasons_few_accuse_anybody() -> None:
    """Five dice each, thirty throws a die: at most 28 seasons, the binomial bound of 1 % of a thousand."""
    thrown = np.random.default_rng(1).multinomial(30, [1 / 6] * 6, size=(SEASONS, 5))
    wrong = sum(
        bool(accused({str(die): fairness.test_faces(counts).p for die, counts in enumerate(season)}, LEVEL))
        for season in thrown.tolist()
    )
    assert most_of(SEASONS, LEVEL) == 28
    assert 0 < wrong <= 28


def test_a_six_in_five_throws_is_found_as_often_as_promised() -> None:
    n = throws_needed(6, 1 / 5, LEVEL, 0.9)
    assert n == 2754
    thrown = np.random.default_rng(2).multinomial(n, [0.16] * 5 + [0.2], size=SEASONS)
    found = [fairness.test_faces(counts) for counts in thrown.tolist()]
    seen = sum(each.p <= LEVEL for each in found)
    assert SEASONS - most_of(SEASONS, 0.1) <= seen <= most_of(SEASONS, 0.9)
    assert sum(each.face == 5 for each in found) > 0.95 * SEASONS


@thorough
@pytest.mark.parametrize("tested", each(3, [1, 2, 4, 30]))
def test_a_loaded_die_is_found_as_often_as_promised_beside_others(tested: int) -> None:
    """By the quantiles of another implementation of the distributions, and by dice of which one is loaded."""
    n = throws_enough(tested)
    from scipy.stats import chi2, ncx2  # which takes each worker half a second to load

    critical = chi2.isf(LEVEL / tested, 5)
    w_squared = sum((share - 1 / 6) ** 2 for share in [0.16] * 5 + [0.2]) * 6
    assert ncx2.sf(critical, 5, n * w_squared) >= 0.9 > ncx2.sf(critical, 5, (n - 1) * w_squared)
    dice, seasons = np.random.default_rng(tested), sample(200, SEASONS)
    shares = [[0.16] * 5 + [0.2], *[[1 / 6] * 6] * (tested - 1)]
    thrown = np.stack([dice.multinomial(n, share, size=seasons) for share in shares], axis=1)
    seen = sum(
        "0" in accused({str(at): fairness.test_faces(counts).p for at, counts in enumerate(season)})
        for season in thrown.tolist()
    )
    assert seasons - most_of(seasons, 0.1) <= seen <= most_of(seasons, 0.92)


def test_a_coin_needs_what_the_binomial_distribution_says() -> None:
    """Another way to the same number: a coin's heads are binomial, and nearly normal."""
    n = throws_needed(2, 0.6, 0.05, 0.8)
    assert n == 197
    seen = [heads for heads in range(n + 1) if fairness.test_faces((heads, n - heads)).p <= 0.05]
    assert sum(comb(n, heads) * 0.6**heads * 0.4 ** (n - heads) for heads in seen) == pytest.approx(0.8, abs=0.03)


@pytest.mark.parametrize(
    "values",
    [
        (1, 0.5, 0.01, 0.9),
        (6, 1.1, 0.01, 0.9),
        (6, 0.2, 0.5, 0.4),
    ],
)
def test_what_no_number_of_throws_shows_is_refused(values: tuple[int, float, float, float]) -> None:
    with pytest.raises(ValueError, match="face"):
        throws_needed(*values)


@given(p_values, st.floats(0.001, 0.2))
def test_holm_accuses_no_fewer_than_bonferroni_and_no_more_than_the_level(ps: dict[str, float], level: float) -> None:
    found = accused(ps, level)
    assert {name for name, p in ps.items() if p <= level / len(ps)} <= set(found)
    assert {name for name, p in ps.items() if p <= level} >= set(found)
    assert list(found) == sorted(found, key=lambda name: ps[name])
    assert set(accused(ps, level / 2)) <= set(found)


@pytest.mark.parametrize(("games", "kinds"), [(12, 24), (12, 10), (40, 60)])
def test_a_bag_from_which_is_drawn_without_replacement_is_not_accused_for_that(games: int, kinds: int) -> None:
    """What was drawn is expected less from then on: pooled by rarity, the kinds that came most would be one."""
    dice, seasons, wrong = random.Random(3), 250, 0
    for _ in range(seasons):
        seen, expected = [0] * kinds, [0.0] * kinds
        for _ in range(games):
            left = list(range(kinds))
            for _ in range(3):
                for kind in left:
                    expected[kind] += 1 / len(left)
                seen[left.pop(dice.randrange(len(left)))] += 1
        wrong += fairness.test_faces(seen, expected).p <= LEVEL
    assert wrong <= most_of(seasons, LEVEL)
