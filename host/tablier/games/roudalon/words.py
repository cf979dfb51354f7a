"""The words of Le Roudalon besides its rules."""

from typing import Any

from tablier.games.core import Move, Rules
from tablier.games.core.words import Parts, Words
from tablier.texts import Text


def parts(rules: Rules[Any], move: Move) -> Parts:
    """Return the row of coins, the throw, or the answer: all that a seat decides is one thing."""
    return ((" ".join(map(str, (move.verb, *move.args))),),)


WORDS = Words(
    aim=Text("Take more from the pot than you stake."),
    turn=Text("Stake 1 to 6 units and gain a die, or throw your dice: who throws exactly the pot takes it."),
    help=(
        Text("bet 3: stake 3 units and take a die. roll 2: throw two dice, for exactly the pot."),
        Text("ally: ask your left neighbour. yes, no: answer. done: ask nobody else."),
    ),
    overtaken={"roll": "dice"},
    weighty=("bet", "roll"),
    parts=parts,
)
