"""What a screen says of Dilemma besides its rules."""

HELP = (
    "offer 8: put your 8 on offer. throw 3 flat: the 3 lies flat in the arena; leaning, rim, outside: out of play.",
    "pass: throw nothing now. The window closes when all have passed in a row. duel peace, duel conflict.",
)
"""The moves, by examples."""

OVERTAKEN = {"choice": "opened"}
"""By kind of event: the kind that makes it superfluous when it follows in the same turn."""
