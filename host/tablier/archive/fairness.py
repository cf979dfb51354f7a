"""Tests of dice and bags: do the counts of faces fit the odds?

:func:`test_faces` judges one die by Pearson's chi-square (Pearson 1900), :func:`accused` several of them at once by
Holm's step-down (Holm 1979), and :func:`throws_needed` says how many throws it takes to see a given bias (Cohen 1988).

References:

- K. Pearson (1900): On the criterion that a given system of deviations … can be reasonably supposed to have arisen
  from random sampling. Philosophical Magazine 50, 157–175.
- W. G. Cochran (1954): Some methods for strengthening the common χ² tests. Biometrics 10, 417–451.
- S. J. Haberman (1973): The analysis of residuals in cross-classified tables. Biometrics 29, 205–220.
- S. Holm (1979): A simple sequentially rejective multiple test procedure. Scandinavian Journal of Statistics 6, 65–70.
- W. C. Guenther (1977): Power and sample size for approximate chi-square tests. American Statistician 31, 83–85.
- J. Cohen (1988): Statistical power analysis for the behavioral sciences, 2nd edition, chapter 7.

The distributions are those of ``scipy.special``: ``scipy.stats`` computes the same numbers, but takes a hundred times
as long for one test, and most of a second to import. Only a test of dice imports them: they take longer than any other
question takes to be answered.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from math import inf, isclose, lcm, log, log1p, sqrt
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

LEVEL = 0.01
"""The chance of accusing somebody where all dice are fair."""
POWER = 0.9
"""The chance of seeing the bias that is looked for."""
EXPECTED_LEAST = 5
"""The chi-square distribution fits where each face is expected at least this often (Cochran 1954)."""
_CELLS_MOST = 220_000
"""Throws left times values of the statistic, for an exact distribution: 60 throws of a die with six equal faces, which
take a tenth of a second."""


class Fairness(NamedTuple):
    """The result of a test of a die's counts."""

    n: int
    """The number of throws."""
    p: float
    """The chance of counts that fit as badly or worse, of a fair die."""
    method: Literal["exact", "chi-square"]
    face: int | None
    """The index of the face that deviates most, up or down, in its standard deviations (Haberman 1973); None where no
    face deviates. Of faces that deviate equally, the first."""


def test_faces(counts: Sequence[int], weights: Sequence[float] | None = None) -> Fairness:
    """Test whether faces come up as often as they should.

    :param counts: how often each face was thrown.
    :param weights: the odds of the faces, in any unit; all alike by default. For a bag, how often each kind was to be
        expected. Where the odds change from draw to draw, as without replacement, counts vary less than those of
        throws do: ``p`` then tends to be too large.

    Where throws are few and weights are small whole numbers, ``p`` is exact: the distribution of Pearson's statistic
    over all possible counts. Beyond, it is that of the chi-square distribution, after neighbours have been
    counted as one face until each is expected five times (Cochran 1954); 1 if that leaves a single face. The method
    depends on the number of throws and the weights, never on what was thrown.

    Raise ``ValueError`` if there are not as many weights as counts, a count is negative or a weight not positive.
    """
    weights = [1] * len(counts) if weights is None else weights
    if len(weights) != len(counts) or not counts:
        raise ValueError(f"{len(counts)} counts with {len(weights)} weights")
    if min(counts) < 0 or not all(0 < weight < inf for weight in weights):
        raise ValueError(f"a count is negative or a weight is not positive: {counts}, {weights}")
    n, face = sum(counts), _most_deviant(counts, weights)
    odds = _whole(weights)
    if (n + 1) * _size(n, odds) > _CELLS_MOST:
        return Fairness(n, _chi_square(*_pooled(counts, weights)), "chi-square", face)
    statistic = sum(scale * count**2 for scale, count in zip(_scales(odds), counts, strict=True))
    return Fairness(n, float(_tails(n, odds)[statistic]), "exact", face)


def throws_needed(faces: int, share: float, level: float = LEVEL, power: float = POWER) -> int:
    """Return how many throws it takes to see that a die favours or avoids one face.

    :param faces: the number of faces, at least two; without the bias all would be equally likely.
    :param share: how often the one face comes up, from 0 to 1; the others share the rest equally.
    :param level: the chance of accusing a fair die.
    :param power: the chance of accusing this one, above ``level``.

    The statistic of a biased die has about a non-central chi-square distribution, whose non-centrality is the number
    of throws times Cohen's w² (Guenther 1977; Cohen 1988). It fits the less, the fewer throws are needed.

    Raise ``ValueError`` for values out of range, and for a share that a fair die has.
    """
    if faces < 2 or not 0 <= share <= 1 or not 0 < level < power < 1:
        raise ValueError(f"faces {faces}, share {share}, level {level}, power {power}")
    if isclose(share, 1 / faces):
        raise ValueError(f"a fair die shows each of {faces} faces with a share of {share}")
    from scipy.special import chdtri, chndtr

    freedom = faces - 1
    w_squared = (faces * share - 1) ** 2 / freedom
    critical = chdtri(freedom, level)

    def seen(n: int) -> bool:
        return bool(1 - chndtr(critical, freedom, n * w_squared) >= power)

    most = 1
    while not seen(most):
        most *= 2
    return bisect_left(range(most), True, key=seen)


def accused(p_values: Mapping[str, float], level: float = LEVEL) -> tuple[str, ...]:
    """Return the dice or bags that are not fair, the clearest case first.

    :param p_values: what each was tested to, by name.
    :param level: the chance that any fair one is accused, however many are tested and however they depend on each other
        (Holm 1979).
    """
    ranked = sorted(p_values, key=lambda name: p_values[name])
    found: list[str] = []
    for rest, name in zip(range(len(ranked), 0, -1), ranked, strict=True):
        if p_values[name] > first_level(rest, level):
            break
        found.append(name)
    return tuple(found)


def first_level(tested: int, level: float = LEVEL) -> float:
    """Return the level that the smallest p of some tests has to pass, for :func:`accused`; of none, that of one."""
    return level / max(1, tested)


def _most_deviant(counts: Sequence[int], weights: Sequence[float]) -> int | None:
    n, shares = sum(counts), [weight / sum(weights) for weight in weights]
    deviations = [
        abs(count - n * share) / sqrt(share * (1 - share)) if share < 1 else 0.0
        for count, share in zip(counts, shares, strict=True)
    ]
    largest = max(deviations)
    # Deviations that are equal, or none, may differ in the last digits.
    return next(at for at, each in enumerate(deviations) if isclose(each, largest)) if largest > 1e-9 * n else None


def _chi_square(counts: Sequence[int], weights: Sequence[float]) -> float:
    from scipy.special import chdtrc

    n, whole = sum(counts), sum(weights)
    expected = [n * weight / whole for weight in weights]
    statistic = sum((count - each) ** 2 / each for count, each in zip(counts, expected, strict=True))
    return float(chdtrc(len(counts) - 1, statistic)) if len(counts) > 1 else 1.0


def _pooled(counts: Sequence[int], weights: Sequence[float]) -> tuple[list[int], list[float]]:
    """Count neighbours as one face until each is expected often enough.

    In the order in which they were given, not by how rare they are: of a bag that is drawn from without replacement,
    what was drawn is expected less from then on, so the rarest kinds would be those that came most.
    """
    enough = EXPECTED_LEAST * sum(weights) / sum(counts)
    pools = [(0, 0.0)]
    for count, weight in zip(counts, weights, strict=True):
        last, expected = pools[-1]
        if expected >= enough:
            pools.append((count, weight))
        else:
            pools[-1] = last + count, expected + weight
    if len(pools) > 1 and pools[-1][1] < enough:
        (count, weight), (last, expected) = pools.pop(), pools.pop()
        pools.append((last + count, expected + weight))
    return [count for count, _ in pools], [weight for _, weight in pools]


def _whole(weights: Sequence[float]) -> tuple[int, ...]:
    """Return the same odds as whole numbers."""
    exact = [Fraction(weight) for weight in weights]
    common = lcm(*(each.denominator for each in exact))
    return tuple(int(each * common) for each in exact)


def _scales(odds: Sequence[int]) -> list[int]:
    """Return what the square of each face's count is worth in the exact statistic.

    Pearson's statistic is the sum of (W / n) count² / weight, less n; W is the sum of the weights. It rises and falls
    with the sum of scale × count², a whole number, so that equal statistics are equal in every digit.
    """
    common = lcm(*odds)
    return [common // each for each in odds]


def _size(n: int, odds: Sequence[int]) -> int:
    """Return how many values the exact statistic of some throws lies among: from 0 to all throws on the rarest face."""
    return max(_scales(odds)) * n**2 + 1


@lru_cache(maxsize=64)
def _tails(n: int, odds: tuple[int, ...]) -> NDArray[np.float64]:
    """Return the chance of a statistic as large as each value or larger, from 0 to the largest possible one.

    Face by face: given how many throws are left for the faces that follow, and the statistic of those before, a face's
    count is binomial.
    """
    import numpy as np

    size = _size(n, odds)
    chances = np.zeros((n + 1, size))  # throws left × statistic
    chances[n, 0] = 1
    for at, scale in enumerate(_scales(odds)):
        after = np.zeros_like(chances)
        share = odds[at] / sum(odds[at:])
        for count in range(n + 1):
            step = scale * count**2
            if step < size:
                after[: n + 1 - count, step:] += _binomial(n, count, share)[:, None] * chances[count:, : size - step]
        chances = after
    tails = np.cumsum(chances[0, ::-1])[::-1]
    return np.minimum(tails, 1.0)


def _binomial(most: int, count: int, share: float) -> NDArray[np.float64]:
    """Return the chance of ``count`` hits in ``count`` to ``most`` throws."""
    import numpy as np
    from scipy.special import gammaln

    throws = np.arange(count, most + 1)
    if share == 1:  # the last face takes all that is left
        return np.where(throws == count, 1.0, 0.0)
    ways = gammaln(throws + 1) - gammaln(count + 1) - gammaln(throws - count + 1)
    chances: NDArray[np.float64] = np.exp(ways + count * log(share) + (throws - count) * log1p(-share))
    return chances
