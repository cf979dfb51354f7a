"""The words of Dicke Dämonen besides its rules."""

from typing import Any, cast

from tablier.games.core import Move, Rules
from tablier.games.core.words import Parts, Words
from tablier.games.daemonen.rules import Daemonen, State
from tablier.texts import Text

NONE = "none"
"""The part that stands for no prediction."""


def field_part(name: str) -> str:
    """Return the part that is a whole field; its middle, for a ghost, has the field's own name."""
    return " ".join(("field", name))


def parts(rules: Rules[Any], move: Move) -> Parts:
    """Return field, spot and creature of a placing; of a prediction the creatures one after the other."""
    if move.verb == "place":
        colour, spot = move.args
        return (field_part(cast(Daemonen, rules).board.field_of(spot)),), (spot,), (colour,)
    return tuple((colour,) for colour in move.args or (NONE,))


def course(rules: Rules[Any], state: State, last: State) -> tuple[float, ...]:
    """Return the points of the colour that each seat has predicted in the end; of several, of all of them."""
    points = cast(Daemonen, rules).points(state)
    return tuple(float(sum(points[colour] for colour in named)) for named in last.predictions)


WORDS = Words(
    aim=Text("Predict the colour that has the most points in the end."),
    turn=Text("Place a creature from your fist into a corner or a field. Once in the game you may predict a colour."),
    help=(
        Text("place white f5: a ghost into field f5. place red f5:g: a red demon into the corner of f5 at crossing g."),
        Text("predict red: lay a red creature down for it, once a game. pass: not now."),
    ),
    overtaken={"creature": "creature"},
    untold=("draw",),
    by_hand=("place", "predict"),
    course=course,
    counts=Text("points of the predicted colour"),
    weighty=("predict",),
    parts=parts,
)
