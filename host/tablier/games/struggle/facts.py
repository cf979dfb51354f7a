"""The facts of Struggle: objectives dealt and reached, throws, and what the pawns did."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any, cast

from tablier.games.core import Rules
from tablier.games.core.facts import Fact, Facts, Step, facts_from
from tablier.games.struggle.rules import PAWNS, POINTS, SECRET_OBJECTIVE, State, Struggle
from tablier.texts import Text


def tell(rules: Rules[Any], steps: Sequence[Step], last: State) -> Iterator[Fact]:
    """Return the order of arrival, each seat's objective, which is shown at the end, and the counts of a game."""
    struggle = cast(Struggle, rules)
    counts: defaultdict[tuple[int, str], int] = defaultdict(int)
    for before, (actor, verb, args), _ in steps:
        if verb == "roll":
            counts[before.turn, "throws"] += 1
        elif verb == "play":
            counts[actor, "turns"] += 1
            _count_play(counts, struggle, before, args)
    yield Fact(0, "order", "-".join(struggle.arrived(last)))
    for seat, (objective, score) in enumerate(zip(last.objectives, struggle.scores(last), strict=True), 1):
        in_place = int(score) // POINTS
        counts[seat, "in_place"] = in_place
        counts[seat, "reached"] += in_place == len(PAWNS)
        yield Fact(seat, "objective", objective)
    yield from facts_from(counts)


def _count_play(
    counts: defaultdict[tuple[int, str], int], struggle: Struggle, before: State, args: tuple[str, ...]
) -> None:
    """Count what became of each pawn of a play."""
    seat, pawns = before.turn, list(before.pawns)
    was = before.pawns
    for pawn, _, colour in struggle.carry_out(pawns, args):
        at = pawns[pawn]
        if not colour:
            kind = "arrived"
        elif at == was[pawn]:
            kind = "stayed"
        else:
            kind = "exchanged" if at in was else "moved"
        counts[seat, kind] += 1
        was = tuple(pawns)


FACTS = Facts(
    game={"order": Text("order of arrival")},
    seats={
        "objective": SECRET_OBJECTIVE,
        "in_place": Text("pawns on the place that the objective gives them"),
        "reached": Text("objectives reached with all five pawns"),
        "turns": Text("turns"),
        "throws": Text("throws of the dice"),
        "moved": Text("moves to a free space"),
        "exchanged": Text("moves that took a red space from another pawn"),
        "stayed": Text("moves that came to nothing"),
        "arrived": Text("pawns moved to a place"),
    },
    tell=tell,
)
