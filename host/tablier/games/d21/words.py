"""The words of D.21 besides its rules."""

from tablier.games.core.words import Words
from tablier.texts import Text

WORDS = Words(
    help=(
        Text("c3-c6: the die on c3 goes to c6, sliding over empty spaces or jumping over one die (c3c6 will do)."),
        Text("pass: only when no die can move."),
    ),
    by_hand=("slide", "jump"),
)
