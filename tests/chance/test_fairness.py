"""A short run of the chi-square; ``make chance`` counts a million outcomes of each kind."""

from collections.abc import Callable
from typing import Any

import pytest

from chance.at_table import bend
from chance.fairness import DICE, LIMIT, judge, probability, verdict
from sample import sample
from tablier_fw import rolls


@pytest.mark.parametrize("side", ["table", "host"])
def test_with_the_bytes_of_one_side_fixed_all_outcomes_are_as_likely(side: str) -> None:
    found = judge(side, DICE, sample(10_000, 20_000), 1)
    assert len(found) == 10 and min(it.probability for it in found) > LIMIT, found


@pytest.mark.parametrize("side", ["table", "host"])
def test_what_one_side_alone_decides_is_found(side: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A derivation that forgets one side: with the other's bytes fixed everything is the same."""
    true: Callable[..., list[int]] = rolls.outcomes

    def bent(*parts: Any) -> list[int]:
        *where, nonce, added = parts
        nonce, added = (nonce, nonce) if side == "table" else (added, added)
        return true(*where, nonce, added)

    monkeypatch.setattr(rolls, "outcomes", bent)
    assert min(it.probability for it in judge(side, DICE, 5_000, 1)) < LIMIT


def test_the_bias_of_a_remainder_would_be_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Words below 100, of which the last four are not passed over: 1 to 4 come up more often, 17 times to 16."""
    true: Callable[..., list[int]] = rolls.outcomes

    def bent(*parts: Any) -> list[int]:
        return [outcome % 6 for outcome in true(*parts[:4], b"\x64\0" * 5, *parts[5:])]

    monkeypatch.setattr(rolls, "outcomes", bent)
    assert min(it.probability for it in judge("host", DICE, 60_000, 1)) < LIMIT


def test_the_probability_of_a_chi_square() -> None:
    """Against a table of the distribution."""
    for chi_square, freedom, expected in ((11.07, 5, 0.05), (15.09, 5, 0.01), (49.80, 35, 0.05), (27.88, 9, 0.001)):
        assert probability(chi_square, freedom) == pytest.approx(expected, rel=0.1)
    assert verdict("", [10, 10, 10, 10, 10, 10]).probability > 0.99


def test_what_people_see_is_fair_though_what_an_evil_host_keeps_is_not() -> None:
    """All outcomes stand on the ring, those too that the host drops; and the table counts them."""
    count = sample(28, 40)
    seen = bend(count, 1)
    everything, kept = seen.verdicts()
    assert everything.outcomes == count * 28 and everything.probability > LIMIT
    assert len(seen.kept) >= 3 and kept.probability < LIMIT, "else there was nothing to bend"
    assert seen.abandoned == count - len(seen.kept)
