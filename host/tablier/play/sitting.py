"""One sitting of a game: from where it is taken up until its end was seen."""

from __future__ import annotations

from tablier.course.asides import APART_S
from tablier.play.game import Conductor

STAND_S = 5.0
"""The seconds the end stands on the table before people are asked whether they have seen it."""


class Sitting:
    """A game on its way to its end, step by step; several can be stepped in turn.

    With ``linger_s`` the table shows the whole end, and then its last picture for so long, or until somebody there says
    that it was seen; with ``another``, until somebody wants another game, or nobody does.
    """

    def __init__(self, game: Conductor, linger_s: float = 0.0, *, another: bool = False) -> None:
        self._game = game
        self._linger_s = linger_s
        self._another = another
        self._shown_at: float | None = None
        self._ends_at: float | None = None
        self._asked = False
        self.due = 0.0
        """When to go on, by the game's clock."""
        self.ended = False

    def step(self, *, stay: bool = False) -> bool:
        """Do what is due, of what makes an entry one thing; return True if there is more before any time passes, else
        not before :attr:`due`. With ``stay`` there is no end."""
        game = self._game
        if game.act():
            return True
        game.work()
        self.due = game.due
        if not game.over or game.counting or (self._linger_s and game.showing):
            self._shown_at, self._ends_at, self._asked = None, None, False  # also where moves are taken back
        elif not stay:
            now, asks = game.clock.now(), game.session.question is not None
            self._shown_at = now if self._shown_at is None else self._shown_at
            if self._asked and not asks:
                self._ends_at = now + (APART_S if game.session.another else 0.0)
            if now >= (self._shown_at + self._linger_s if self._ends_at is None else self._ends_at):
                game.rest()
                self.ended = True
                return False
            if self._ends_at is not None:
                self.due = min(self.due, self._ends_at)
            elif game.looked_at and not (self._asked or asks) and now >= self._shown_at + STAND_S:
                game.ask_whether_seen(another=self._another)
                asks = True
            self._asked = asks
        return False
