"""Chi-square over the outcomes of rolls of which one side's bytes never change.

The other side draws from a generator with a seed, so that every run counts the same outcomes. The outcomes of each
range are counted by themselves, and so are pairs of neighbours in a roll.
"""

from __future__ import annotations

import random
import struct
from itertools import pairwise
from math import erfc, sqrt
from typing import NamedTuple

from tablier_fw import rolls

BOARD, BOOT = bytes.fromhex("e6614103e7452d2f"), bytes.fromhex("0102030405060708")
FIXED = bytes(16)
DICE = (6, 6, 6, 6, 6)
BAG = (25, 24, 23)
WIDE = (1000,)
LIMIT = 1e-4
"""A run of many tests that are all fair finds one in so many thousands below this."""


class Verdict(NamedTuple):
    what: str
    outcomes: int
    chi_square: float
    freedom: int
    probability: float
    """Of a deviation so great or greater, where all outcomes are as likely."""


def probability(chi_square: float, freedom: int) -> float:
    """Return about how likely so great a chi-square is (Wilson and Hilferty; good from three degrees of freedom on)."""
    share = 2 / (9 * freedom)
    return erfc(((chi_square / freedom) ** (1 / 3) - (1 - share)) / sqrt(share) / sqrt(2)) / 2


def verdict(what: str, counts: list[int]) -> Verdict:
    total = sum(counts)
    expected = total / len(counts)
    chi_square = sum((count - expected) ** 2 for count in counts) / expected
    return Verdict(what, total, chi_square, len(counts) - 1, probability(chi_square, len(counts) - 1))


def judge(side: str, ranges: tuple[int, ...], outcomes: int, seed: int) -> list[Verdict]:
    """Roll so many outcomes with the bytes of one side (``table`` or ``host``) held fixed; return what is found."""
    dice = random.Random(seed)
    packed = struct.pack(f"<{len(ranges)}H", *ranges)
    alone = [[0] * count for count in ranges]
    pairs = [[0] * (one * two) for one, two in pairwise(ranges)]
    for _ in range(outcomes // len(ranges)):
        fresh = dice.randbytes(16)
        nonce, added = (FIXED, fresh) if side == "table" else (fresh, FIXED)
        rolled = rolls.outcomes(BOARD, BOOT, 1, 1, packed, nonce, added)
        for at, outcome in enumerate(rolled):
            alone[at][outcome] += 1
            if at:
                pairs[at - 1][rolled[at - 1] * ranges[at] + outcome] += 1
    about = f"{'×'.join(map(str, ranges))}, the {side}'s bytes fixed"
    found = [verdict(f"{about}: number {at + 1}", counts) for at, counts in enumerate(alone)]
    if len(set(ranges)) == 1 < len(ranges):
        found.append(verdict(f"{about}: all numbers", [sum(each) for each in zip(*alone, strict=True)]))
    return found + [verdict(f"{about}: numbers {at + 1} and {at + 2}", counts) for at, counts in enumerate(pairs)]
