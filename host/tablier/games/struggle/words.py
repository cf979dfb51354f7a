"""What a screen says of Struggle besides its rules."""

HELP = (
    "keep K K A: keep these dice and throw the others again; keep none: throw all again. Three throws at most.",
    "play J+3 K+1: move the pawns in this order, aces included. What lands on black, or on taken yellow, stays.",
)
"""The moves, by examples."""

OVERTAKEN = {"keep": "roll", "roll": "roll"}
"""By kind of event: the kind that makes it superfluous when it follows in the same turn."""
