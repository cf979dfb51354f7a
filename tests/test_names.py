"""Names: which may be a slip of the finger, and those for bots."""

from __future__ import annotations

from itertools import islice

import pytest

from tablier.names import NAMES, free_names, near_name

KNOWN = ("Anne", "Bernard", "Zoé", "Anne-Marie Dupont")


@pytest.mark.parametrize(
    ("typed", "near"),
    [
        *(("ane", "Anne"), ("Annne", "Anne"), ("nAne", "Anne"), ("Anna", "Anne"), ("Zoe", "Zoé"), ("Zeo", "Zoé")),
        *(("Bernadr", "Bernard"), ("Anne-Marie Dupond", "Anne-Marie Dupont"), ("Anne", None), ("ANNE ", None)),
        *(("Mia", None), ("Annette", None), ("Bernadette", None), ("", None)),
    ],
)
def test_one_slip_is_near_a_name(typed: str, near: str | None) -> None:
    assert near_name(typed, KNOWN) == near


def test_bots_get_names_that_nobody_has() -> None:
    assert list(islice(free_names(["anne", "Émile"]), 2)) == list(NAMES[1:3])
    assert list(islice(free_names([*NAMES, "bot 1"]), 2)) == ["Bot 2", "Bot 3"]
