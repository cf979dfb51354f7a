"""The words of D.21 besides its rules."""

from collections.abc import Sequence
from typing import Any, cast

from tablier.games.core import Move, Rules
from tablier.games.core.words import Parts, Words
from tablier.games.d21.rules import (
    COLOURS,
    D21,
    DICE,
    MAX_PLIES,
    PASS,
    PASSES,
    REPETITION,
    ROW,
    SETS,
    State,
    as_red,
    in_sets,
)
from tablier.texts import Json, Text


def parts(rules: Rules[Any], move: Move) -> Parts:
    """Return the space of the die, then the one that it goes to."""
    origin, _, target = move.verb.partition("-")
    return () if move.verb == PASS else ((origin,), (target,))


def outcome(rules: Rules[Any], view: Json, move: Move) -> Text | None:
    """Return what a jump turns its die to, and how many dice of its side then fit two sets of 1 to 6; or that the game
    is over with the move."""
    if move.verb == PASS:
        return None
    twin = as_red(cast(D21, rules), view, move.actor)
    start = twin.initial()._replace(ply=view["ply"])  # so only a row through the die is looked for
    after = twin.apply(start, move._replace(actor=1))
    if twin.winners(after):
        return Text("the game is won") if 1 in twin.winners(after) else Text("the game is lost")
    origin, target = twin.grid.paths[move.verb].origin, twin.grid.paths[move.verb].target
    face = after.board[target] & 7
    if face == start.board[origin] & 7:
        return None
    about = {"face": face, "count": in_sets(after.faces[0]), "dice": DICE}
    return Text("it turns to {face}; {count} of {dice} dice fit 1 to 6 twice", about)


def deed(rules: Rules[Any], view: Json, move: Move) -> Text:
    """Return a move as a command."""
    if move.verb == PASS:
        return Text("Pass", context="command")
    (origin, _, target), grid = move.verb.partition("-"), cast(D21, rules).grid
    about = {"origin": origin, "target": target}
    path = grid.paths[move.verb]
    jumps = path.over != path.origin and any(grid.names[path.over] in view[side] for side in COLOURS)
    return Text("Jump from {origin} to {target}", about) if jumps else Text("Slide from {origin} to {target}", about)


def steps(rules: Rules[Any], move: Move) -> Sequence[Text]:
    """Return what is touched for a move."""
    return [] if move.verb == PASS else [Text("the die to move"), Text("where it goes")]


def course(rules: Rules[Any], state: State, last: State) -> tuple[float, ...]:
    """Return how many dice of each side fit two sets of 1 to 6."""
    return tuple(float(in_sets(faces)) for faces in state.faces)


WORDS = Words(
    aim=Text("Show 1 to 6 in a row, or twice in all."),
    turn=Text(
        "Move one of your dice: slide it, or jump over one die. Over the other side's die, yours turns to their sum; "
        "above 6, to their difference."
    ),
    help=(
        Text("c3-c6: the die on c3 goes to c6, sliding over empty spaces or jumping over one die (c3c6 will do)."),
        Text("pass: only when no die can move."),
    ),
    by_hand=("slide", "jump"),
    endings={
        ROW: Text("a row of six", context="ended by"),
        SETS: Text("two sets of 1 to 6", context="ended by"),
        REPETITION: Text("the same position for the third time", context="ended by"),
        PASSES: Text("two passes in a row", context="ended by"),
        MAX_PLIES: Text("the limit of moves is reached", context="ended by"),
    },
    outcome=outcome,
    deed=deed,
    steps=steps,
    course=course,
    counts=Text("dice that fit 1 to 6 twice"),
    parts=parts,
)
