"""What a screen says of Dilemma besides its rules."""

HELP = (
    "offer 8: put your 8 on offer. throw 3 flat: the 3 lies flat in the arena; leaning, rim, outside: out of play.",
    "pass: throw nothing now. The window closes when all have passed in a row. duel peace, duel conflict.",
)
"""The moves, by examples."""

HELP_AT_TABLE = (
    "offer 8: put your 8 on offer. throw 3: a neighbour lays your 3 in the arena. done: throw no more.",
    "The window closes a few seconds after the last card, or when all throw no more. duel peace, duel conflict.",
)
"""The moves of a seat at a screen beside a table."""

OVERTAKEN = {"choice": "opened"}
"""By kind of event: the kind that makes it superfluous when it follows in the same turn."""
