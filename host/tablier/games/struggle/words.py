"""The words of Struggle besides its rules."""

from tablier.games.core.words import Words
from tablier.texts import Text

WORDS = Words(
    help=(
        Text(
            "keep K K A: keep these dice and throw the others again; keep none: throw all again. Three throws at most."
        ),
        Text(
            "play J+3 K+1: move the pawns in this order, aces included. What lands on black, or on taken yellow, stays."
        ),
    ),
    overtaken={"keep": "roll", "roll": "roll"},
)
