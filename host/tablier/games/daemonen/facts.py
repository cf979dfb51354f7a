"""The facts of Dicke Dämonen: creatures placed, fields frozen, and predictions that came true."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any, cast

from tablier.games.core import Rules
from tablier.games.core.facts import Fact, Facts, Step, facts_from
from tablier.games.daemonen.colours import COLOURS, NAMES, WHITE
from tablier.games.daemonen.rules import Daemonen, State
from tablier.texts import Text

_SEVERAL = "several"
_POINTS = {colour: "_".join(("points", colour)) for colour in COLOURS}


def tell(rules: Rules[Any], steps: Sequence[Step], last: State) -> Iterator[Fact]:
    """Return the colours' points, the predictions, and the counts of a game; nothing of what fists held."""
    daemonen = cast(Daemonen, rules)
    counts: defaultdict[tuple[int, str], int] = defaultdict(int)
    for before, (actor, verb, args), _ in steps:
        if verb == "place":
            _count_placing(counts, daemonen, before, actor, *args)
        elif verb == "predict":
            counts[actor, "before_predicting"] = counts[actor, "ghosts"] + counts[actor, "demons"]
            yield Fact(actor, "predicted", " ".join(args))
    for seat in daemonen.winners(last):
        counts[seat, "came_true"] = 1
    for colour, points in daemonen.points(last).items():
        counts[0, _POINTS[colour]] = points
    leading = daemonen.leading(last)
    yield Fact(0, "leading", leading[0] if len(leading) == 1 else _SEVERAL)
    yield from facts_from(counts)


def _count_placing(
    counts: defaultdict[tuple[int, str], int], daemonen: Daemonen, before: State, seat: int, colour: str, spot: str
) -> None:
    if colour == WHITE:
        caught = (before.placed & daemonen.board.of_field[spot]).bit_count()
        counts[seat, "ghosts"] += 1
        counts[seat, "empty_frozen"] += not caught
        counts[seat, "caught"] += caught
    else:
        counts[seat, "demons"] += 1
        counts[seat, "outer"] += daemonen.board.field_of(spot) == daemonen.layout.outer


FACTS = Facts(
    game={
        "leading": Text("colour that ruled in the end"),
        **{_POINTS[colour]: Text("points of {colour}", {"colour": name}) for colour, name in NAMES.items()},
    },
    seats={
        "predicted": Text("prediction"),
        "came_true": Text("predictions come true"),
        "before_predicting": Text("creatures placed before the prediction"),
        "demons": Text("demons placed"),
        "outer": Text("demons placed in the outer field"),
        "ghosts": Text("ghosts placed"),
        "empty_frozen": Text("fields frozen without a demon in them"),
        "caught": Text("demons caught in fields that a ghost froze"),
    },
    values={**NAMES, _SEVERAL: Text("several colours")},
    tell=tell,
)
