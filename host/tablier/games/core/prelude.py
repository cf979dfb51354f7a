"""Preludes: draws before the first position of a game, which settle some of its options.

An example is the roll-off for the first turn. A prelude has rules of its own, by which only the table moves. A session
conducts it like a game, with the same sources of chance and the same questions. It then begins the game with the
options that were settled, and a record holds these options only. A game that is given them at the start has no prelude
(:meth:`tablier.games.core.Rules.prelude`).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, TypeVar

from tablier.games.core import Move, Rules
from tablier.texts import Json, Text

S = TypeVar("S", bound="tuple[Any, ...]")


SETTLED = Text("it is settled who begins")


class Prelude(Rules[S]):
    """The rules of a prelude to a game; they bear the game's name."""

    IN_PRELUDE = True
    OPTIONS = {}
    TEXT: ClassVar[Text]
    """The announcement with which it begins."""
    SETTLES: ClassVar[tuple[str, ...]]
    """The options of the game that it settles."""

    def __init__(self, game: Rules[Any]) -> None:
        super().__init__(game.seats)
        self.game = game
        """The rules of the game, with the options that were named."""
        self.given = game.given

    @abstractmethod
    def settled(self, state: S) -> Json:
        """Return the options that a state gives in which nothing is left to be done."""

    def begun(self, state: S) -> Rules[Any]:
        """Return the rules of the game that begins then."""
        return self.game.after_prelude(self.settled(state))

    # -- chance alone moves ---------------------------------------------------------------------

    def legal(self, state: S) -> Sequence[Move]:
        return [move for move, _ in self.chance(state)]

    # -- nothing is won in it, and nobody sets one up --------------------------------------------

    def scores(self, state: S) -> tuple[float, ...]:
        return (0,) * self.seats

    def winners(self, state: S) -> tuple[int, ...]:
        return ()

    def describe(self, state: S) -> Json:
        return self.view(state, None)


__all__ = ["Prelude"]
