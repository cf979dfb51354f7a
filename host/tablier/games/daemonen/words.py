"""The words of Dicke Dämonen besides its rules."""

from collections.abc import Sequence
from typing import Any, cast

from tablier.games.core import Move, Rules, seat_name
from tablier.games.core.words import Parts, Words
from tablier.games.daemonen.colours import NAMES, WHITE
from tablier.games.daemonen.layout import named_alone
from tablier.games.daemonen.rules import EMPTY, STUCK, Daemonen, State
from tablier.games.daemonen.state import PLACE
from tablier.texts import Json, Text, counted, in_turn, word_list

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


def outcome(rules: Rules[Any], view: Json, move: Move) -> Text | None:
    """Return what a placing makes of its field, or where the rest of the fist goes after a prediction."""
    if move.verb == "predict":
        rest = len(view["fists"][seat_name(move.actor)]) - len(move.args)
        if not rest:
            return Text("your fist is then empty")
        gone = counted(rest, "{count} creature leaves the game", "{count} creatures leave the game")
        back = counted(rest, "{count} creature goes back into the bag", "{count} creatures go back into the bag")
        return gone if rules.seats == 1 else back
    if move.verb != "place":
        return Text("you can predict later")
    (colour, spot), board = move.args, cast(Daemonen, rules).board
    field = board.field_of(spot)
    about: dict[str, Any] = {"field": named_alone(field), "colour": NAMES[colour]}
    if colour == WHITE:
        ghosts = len(view["ghosts"]) + 1
        one, many = "it freezes {field}; white has {count} point", "it freezes {field}; white has {count} points"
        return counted(ghosts, one, many, field=field)
    stood = sum(board.bits[each, at] for at, each in view["demons"].items())
    was, now = (board.majorities(placed)[field] for placed in (stood, stood | board.bits[colour, spot]))
    points = next(each.points for each in board.fields if each.name == field)
    if now == was:
        if now is None:
            return Text("nothing changes: {field} stays nobody's", about)
        return Text("nothing changes: {field} stays {owner}'s", {"field": about["field"], "owner": NAMES[now]})
    if now is None:
        assert was is not None
        one, many = "a tie: {owner} loses {field}, {count} point", "a tie: {owner} loses {field}, {count} points"
        return counted(points, one, many, field=about["field"], owner=NAMES[was])
    one, many = "{colour} takes {field}, {count} point", "{colour} takes {field}, {count} points"
    return counted(points, one, many, **about)


def seem(rules: Rules[Any], view: Json, seat: int) -> Sequence[Move]:
    """Return the placings that any creature could make, whatever is in the fist."""
    if view["phase"] != PLACE:
        return ()
    board = cast(Daemonen, rules).board
    placed = sum(board.bits[colour, spot] for spot, colour in view["demons"].items())
    placed += sum(board.bits[WHITE, spot] for spot in view["ghosts"])
    return [Move(seat, "place", slot) for slot in board.slots_in(board.opened(placed))]


def deed(rules: Rules[Any], view: Json, move: Move) -> Text:
    """Return a placing or a prediction as a command."""
    if move.verb == "place":
        field = cast(Daemonen, rules).board.field_of(move.args[1])
        return Text("Place {colour} in {field}", {"colour": NAMES[move.args[0]], "field": named_alone(field)})
    if move.verb == "predict":
        return Text("Predict {colours}", {"colours": in_turn([NAMES[colour] for colour in move.args])})
    return Text("Predict nothing now")


def steps(rules: Rules[Any], move: Move) -> Sequence[Text]:
    """Return what is touched for a move."""
    if move.verb == "place":
        return [Text("a field (it opens large)"), Text("a free place in it"), Text("a creature")]
    return [Text("a colour"), *[Text("the next colour")] * (len(move.args) - 1)] if move.args else []


WORDS = Words(
    aim=Text("Predict the colour that gains most points."),
    turn=Text("Place a creature from your fist into a corner or a field. Once in the game you may predict a colour."),
    help=(
        Text("place white f5: a ghost into field f5. place red f5:g: a red demon into the corner of f5 at crossing g."),
        Text("predict red: lay a red creature down for it, once a game. pass: not now."),
    ),
    overtaken={"creature": ("creature",)},
    untold=("draw",),
    notation=word_list(
        "place", "predict", "pass", "draw", "blue", "green", "red", "white", "yellow", "outer", context="notation"
    ),
    outcome=outcome,
    seem=seem,
    by_hand=("place", "predict"),
    endings={
        EMPTY: Text("the last creature is placed", context="ended by"),
        STUCK: Text("there was no room for any creature of a fist", context="ended by"),
    },
    deed=deed,
    steps=steps,
    course=course,
    counts=Text("points of the predicted colour"),
    weighty=("predict",),
    parts=parts,
)
