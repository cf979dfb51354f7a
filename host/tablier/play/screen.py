"""What a conductor shows; a console overrides it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tablier.games.core import Event, Position
from tablier.play.asking import Ask


class Screen:
    """Shows nothing. Every method may be overridden; none may raise."""

    def asked(self, ask: Ask, position: Position[Any]) -> None:
        """A question is open, for the first time or again."""

    def progressed(self, ask: Ask, event: str, seat: int) -> None:
        """A seat has put something in for the open question, and it is durable; 0 stands for the table itself."""

    def walked(self, ask: Ask, seat: int, option: int) -> None:
        """A seat walks through its menu."""

    def told(self, events: Sequence[Event], position: Position[Any]) -> None:
        """A move was made, and this is told of it. Each event names its audience."""

    def noted(self, text: str) -> None:
        """Something about the table: unplugged, restarted, back again."""

    def over(self, position: Position[Any], head: str) -> None:
        """The game is over; ``head`` is the hash of the log's last entry."""
