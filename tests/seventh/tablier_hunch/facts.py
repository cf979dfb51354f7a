"""The facts of Hunch: guesses, and throws of the die."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, cast

from tablier.games.core import TABLE, Rules
from tablier.games.core.facts import Fact, Facts, Step, facts_from
from tablier.texts import Text
from tablier_hunch.rules import Hunch, State


def tell(rules: Rules[Any], steps: Sequence[Step], last: State) -> Iterator[Fact]:
    counts: Counter[tuple[int, str]] = Counter()
    for before, move, _ in steps:
        if move.actor == TABLE:
            counts[cast(Hunch, rules).thrower(before), "threw"] += 1
        else:
            counts[move.actor, move.args[0]] += 1
    return facts_from(counts)


FACTS = Facts(
    seats={"low": Text("low guesses"), "high": Text("high guesses"), "threw": Text("throws of the die")}, tell=tell
)
