"""What is said of Dilemma besides its rules."""

from tablier.games.core.words import Words

WORDS = Words(
    help=(
        "offer 8: put your 8 on offer. throw 3 flat: the 3 lies flat in the arena; leaning, rim, outside: out of play.",
        "pass: throw nothing now. The window closes when all have passed in a row. duel peace, duel conflict.",
    ),
    help_at_table=(
        "offer 8: put your 8 on offer. throw 3: a neighbour lays your 3 in the arena. done: throw no more.",
        "The window closes a few seconds after the last card, or when all throw no more. duel peace, duel conflict.",
    ),
    overtaken={"choice": "opened"},
)
