"""The words of Hunch beside its rules."""

from tablier.games.core.words import Words
from tablier.texts import Text

WORDS = Words(help=(Text("guess low: the die will show 1 to 3. guess high: 4 to 6."),))
