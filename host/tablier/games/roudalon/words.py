"""What a screen says of Le Roudalon besides its rules."""

HELP = (
    "bet 3: pay 3 into the pot and take a die. roll 2: throw two dice, for exactly the pot.",
    "ally: ask your left neighbour. yes, no: answer. done: ask nobody else.",
)
"""The moves, by examples."""

OVERTAKEN = {"roll": "dice"}
"""By kind of event: the kind that makes it superfluous when it follows in the same turn."""
