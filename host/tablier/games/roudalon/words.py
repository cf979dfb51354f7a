"""What is said of Le Roudalon besides its rules."""

from tablier.games.core.words import Words

WORDS = Words(
    help=(
        "bet 3: pay 3 into the pot and take a die. roll 2: throw two dice, for exactly the pot.",
        "ally: ask your left neighbour. yes, no: answer. done: ask nobody else.",
    ),
    overtaken={"roll": "dice"},
)
