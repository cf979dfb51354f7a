"""What a screen says of D.21 besides its rules."""

HELP = (
    "c3-c6: the die on c3 goes to c6, sliding over empty spaces or jumping over one die (c3c6 will do).",
    "pass: only when no die can move.",
)
"""The moves, by examples."""

BY_HAND = ("slide", "jump")
"""Kinds of events that somebody carries out on the table; of a seat away from it, the next one clockwise."""
