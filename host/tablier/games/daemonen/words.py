"""What a screen says of Dicke Dämonen besides its rules."""

HELP = (
    "place white f5: a ghost into field f5. place red f5:g: a red demon into the corner of f5 at crossing g.",
    "predict red: lay a red creature down for it, once in the game. pass: predict nothing now.",
)
"""The moves, by examples."""

OVERTAKEN = {"creature": "creature"}
"""By kind of event: the kind that makes it superfluous when it follows in the same turn."""

UNTOLD = ("draw",)
"""Kinds of events that happen in every turn and show on the board."""

BY_HAND = ("place", "predict")
"""Kinds of events that somebody carries out on the table; of a seat away from it, the next one clockwise."""
