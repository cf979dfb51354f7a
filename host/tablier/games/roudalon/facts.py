"""The facts of Le Roudalon: stakes, throws, and alliances asked for, granted and dissolved."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any, cast

from tablier.games.core import Rules
from tablier.games.core.facts import Fact, Facts, Step, facts_from
from tablier.games.roudalon.rules import OVER, THROW, Roudalon, State
from tablier.texts import Text

_ANSWERS = {"yes": "granted", "no": "refused"}


def tell(rules: Rules[Any], steps: Sequence[Step], last: State) -> Iterator[Fact]:
    """Return the counts of a game. An alliance counts with its throw, whatever the number of its members."""
    roudalon = cast(Roudalon, rules)
    counts: defaultdict[tuple[int, str], int] = defaultdict(int)
    for before, (actor, verb, args), after in steps:
        if verb == "bet":
            counts[actor, "stakes"] += 1
            counts[actor, "staked"] += args[0]
        elif verb == "roll":
            counts[actor, "joint_throws" if before.allies > 1 else "lone_throws"] += 1
        elif verb == "ally":
            counts[actor, "asked"] += 1
        elif verb in _ANSWERS:
            counts[actor, _ANSWERS[verb]] += 1
        elif verb == "dice" and before.allies > 1 and after.phase != THROW:
            counts[0, "alliances"] += 1
            counts[0, "alliances_won" if after.phase == OVER else "alliances_dissolved"] += 1
    taken = roudalon.taken(last)
    for seat, (took, staked) in enumerate(zip(taken, last.staked, strict=True), 1):
        counts[seat, "took"] = took
        counts[seat, "left"] = 0 if any(taken) else staked
    return facts_from(counts)


FACTS = Facts(
    game={
        "alliances": Text("alliances that threw"),
        "alliances_won": Text("alliances that took the pot"),
        "alliances_dissolved": Text("alliances dissolved after a failure"),
    },
    seats={
        "stakes": Text("stakes"),
        "staked": Text("units staked"),
        "lone_throws": Text("throws alone"),
        "joint_throws": Text("throws in an alliance"),
        "asked": Text("alliances asked for"),
        "granted": Text("alliances granted"),
        "refused": Text("alliances refused"),
        "took": Text("units taken out of the pot"),
        "left": Text("units staked that nobody took"),
    },
    tell=tell,
)
