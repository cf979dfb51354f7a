"""The parts that all bots share, and the bot that plays every game.

A bot knows the rules, as everybody does. Of the game it gets its seat's view and its seat's moves, nothing else: its
rules are a copy of its own, which has met no position but those that the bot made up itself. It plays one game, and may
remember what it was shown in it; one that comes in the middle of a game, as for a hint, knows what it finds there.

A game's ``BOTS`` may hold ``greedy``, which looks at the next move alone and is the yardstick for the others; ``easy``,
which plays like it but is careless; ``good`` and ``strong``, which search.
"""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from tablier.games.core import Move, Rules
from tablier.games.core.parts import called, one_of
from tablier.games.core.questions import bare
from tablier.games.core.search import Budget
from tablier.texts import Json, Text

TRIED_OUT = Text("It did best in games tried out")
"""The reason of a bot that plays on to the end."""


class Bot(ABC):
    """Decides for one seat. All that it leaves to chance comes from its dice, so that a seed repeats a game."""

    WORTH: ClassVar[Text | None] = None
    """What its estimates say (:attr:`worths`); ``None`` if it makes none that could be told."""
    WHY: ClassVar[Text] = Text("It looks best")
    """Why it advises the move with the best estimate: a short sentence to a player, without its full stop."""
    CHANCES: ClassVar[bool] = False
    """True if its estimates are probabilities: only such numbers tell a player something."""

    def __init__(self, rules: Rules[Any], seat: int, dice: random.Random) -> None:
        self.rules = rules
        self.seat = seat
        self.dice = dice
        self.worths: Mapping[Any, float] = {}
        """Its estimates, as far as it has any, of the moves between which it has decided last, ``None`` for a pass;
        more is better."""
        self.because: Text | None = None
        """Why it has decided so last, in a sentence, where its estimates do not say it."""

    @abstractmethod
    def decide(self, view: Json, moves: Sequence[Move], may_pass: bool) -> Move | None:
        """Return one of the moves, or ``None`` to pass where that is allowed."""


def decide(game: str, bot: Bot, view: Json, moves: Sequence[Move], may_pass: bool) -> Move | None:
    """Return what a built-in bot decides. Raise :class:`~tablier.games.core.parts.PartError` if it raises anything, or
    decides on what is not open to it."""
    name = f"{type(bot).__name__}.decide"
    decided = called(game, "bots", name, lambda: bot.decide(view, moves, may_pass))
    open_ = (*moves, None) if may_pass else moves
    return one_of(game, "bots", name, decided, open_, lambda move: "None" if move is None else bare(move))


class RandomBot(Bot):
    """Takes any kind of move as often as any other, and of that kind any move."""

    def decide(self, view: Json, moves: Sequence[Move], may_pass: bool) -> Move | None:
        if may_pass and self.dice.random() < 0.5:
            return None
        verb = self.dice.choice(sorted({move.verb for move in moves}))
        return self.dice.choice([move for move in moves if move.verb == verb])


class Careless(Bot):
    """Decides as one bot does, and now and then as another, which knows less."""

    KIND: ClassVar[type[Bot]]
    SLIP: ClassVar[type[Bot]] = RandomBot
    SLIPS = 1 / 3
    """The probability that a decision is a slip."""

    def __init__(self, rules: Rules[Any], seat: int, dice: random.Random) -> None:
        super().__init__(rules, seat, dice)
        self._kind, self._slip = self.KIND(rules, seat, dice), self.SLIP(rules, seat, dice)

    def decide(self, view: Json, moves: Sequence[Move], may_pass: bool) -> Move | None:
        bot = self._slip if self.dice.random() < self.SLIPS else self._kind
        decided = bot.decide(view, moves, may_pass)
        self.worths = bot.worths
        return decided


class Searching(Bot):
    """Tries things out before it decides."""

    WORK: ClassVar[int] = 0
    """The budget of a decision, in units of the search."""
    SECONDS: ClassVar[float] = 0.9
    """The budget of a decision in processor time; on a slow machine the search is cut short."""

    def budget(self) -> Budget:
        """Return what the decision that is due may cost."""
        return Budget(self.WORK, self.SECONDS)


BOTS: dict[str, type[Bot]] = {"random": RandomBot}
"""The bots that every game has."""
