"""The facts of Dilemma: offers, throws, and peace and conflict in duels."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

from tablier.games.core import Rules
from tablier.games.core.facts import Fact, Facts, Step, facts_from
from tablier.games.dilemma.rules import OFFER, OVER, State, duel_card
from tablier.texts import Text

_OUTCOMES = {
    ("peace", "peace"): "duels_peace",
    ("peace", "conflict"): "duels_mixed",
    ("conflict", "peace"): "duels_mixed",
    ("conflict", "conflict"): "duels_conflict",
}


def tell(rules: Rules[Any], steps: Sequence[Step], last: State) -> Iterator[Fact]:
    """Return the counts of a game. A duel is counted when both choices are open."""
    counts: defaultdict[tuple[int, str], int] = defaultdict(int)
    for before, (actor, verb, args), after in steps:
        if verb == "throw":
            counts[actor, "throws"] += 1
            counts[actor, "missed"] += args[1] != "flat"
        elif verb == "offer":
            counts[actor, "offers"] += 1
        elif verb == "close":
            counts[before.turn, "unanswered"] += after.phase in (OFFER, OVER)
        elif after.phase in (OFFER, OVER):
            _count_duel(counts, before, actor, args[0])
    return facts_from(counts)


def _count_duel(counts: defaultdict[tuple[int, str], int], before: State, actor: int, second: str) -> None:
    """Count a duel, from the state before its second choice, which ``actor`` makes."""
    card = duel_card(before.offer, before.pile)
    assert card is not None
    duellists = before.turn, card[0]
    mine, theirs = (second, before.choices[1]) if actor == before.turn else (before.choices[0], second)
    counts[0, "duels"] += 1
    counts[0, _OUTCOMES[mine, theirs]] += 1
    for seat, own in zip(duellists, (mine, theirs), strict=True):
        counts[seat, own] += 1
        counts[seat, "lifeless"] += not before.lives[seat - 1]


FACTS = Facts(
    game={
        "duels": Text("duels"),
        "duels_peace": Text("duels that ended in peace"),
        "duels_mixed": Text("duels of peace against conflict"),
        "duels_conflict": Text("duels of two conflicts"),
    },
    seats={
        "offers": Text("cards offered"),
        "unanswered": Text("offers that nobody answered"),
        "throws": Text("cards thrown"),
        "missed": Text("cards thrown that did not land flat"),
        "peace": Text("times peace was chosen"),
        "conflict": Text("times conflict was chosen"),
        "lifeless": Text("duels without a life, where peace is the only choice"),
    },
    tell=tell,
)
