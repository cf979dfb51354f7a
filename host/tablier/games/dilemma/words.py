"""The words of Dilemma besides its rules."""

from tablier.games.core.words import Words
from tablier.texts import Text

WORDS = Words(
    help=(
        Text("offer 8: put your 8 on offer. throw 3 flat: the 3 lies flat; leaning, rim, outside: out of play."),
        Text("pass: throw nothing now. The window closes when all have passed in a row. duel peace, duel conflict."),
    ),
    help_at_table=(
        Text("offer 8: put your 8 on offer. throw 3: a neighbour lays your 3 in the arena. done: throw no more."),
        Text(
            "The window closes a few seconds after the last card, or when all throw no more. duel peace, duel conflict."
        ),
    ),
    overtaken={"choice": "opened"},
)
