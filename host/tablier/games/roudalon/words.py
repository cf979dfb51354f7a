"""The words of Le Roudalon besides its rules."""

from tablier.games.core.words import Words
from tablier.texts import Text

WORDS = Words(
    help=(
        Text("bet 3: stake 3 units and take a die. roll 2: throw two dice, for exactly the pot."),
        Text("ally: ask your left neighbour. yes, no: answer. done: ask nobody else."),
    ),
    overtaken={"roll": "dice"},
)
