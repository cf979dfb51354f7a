"""The words of D.21 besides its rules."""

from typing import Any

from tablier.games.core import Move, Rules
from tablier.games.core.words import Parts, Words
from tablier.games.d21.rules import PASS
from tablier.texts import Text


def parts(rules: Rules[Any], move: Move) -> Parts:
    """Return the space of the die, then the one that it goes to."""
    origin, _, target = move.verb.partition("-")
    return () if move.verb == PASS else ((origin,), (target,))


WORDS = Words(
    help=(
        Text("c3-c6: the die on c3 goes to c6, sliding over empty spaces or jumping over one die (c3c6 will do)."),
        Text("pass: only when no die can move."),
    ),
    by_hand=("slide", "jump"),
    parts=parts,
)
