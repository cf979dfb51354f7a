"""The words of Struggle besides its rules."""

from typing import Any

from tablier.games.core import Move, Rules
from tablier.games.core.words import Parts, Words
from tablier.games.struggle.rules import NONE
from tablier.texts import Text


def die_part(face: str) -> str:
    """Return the part that is any die of the hand with this face."""
    return " ".join(("die", face))


def parts(rules: Rules[Any], move: Move) -> Parts:
    """Return the dice that are kept, in any order; of a play pawn after pawn, each with its steps."""
    if move.args == NONE:
        return ((" ".join((move.verb, *NONE)),),)
    return (tuple(map(die_part, move.args)),) if move.verb == "keep" else tuple((step,) for step in move.args)


WORDS = Words(
    aim=Text("Bring shared pawns home in the order that only you know."),
    turn=Text("Throw five dice up to three times, keep what you like, then move the pawns that they name."),
    help=(
        Text("keep K K A: keep these, throw the rest; keep none: throw all. Three throws."),
        Text(
            "play J+3 K+1: move the pawns in this order, aces included. What lands on black, or on taken yellow, stays."
        ),
    ),
    overtaken={"keep": "roll", "roll": "roll"},
    parts=parts,
)
