"""Windows of Dilemma, whose questions a test replies to one by one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from tablier.games.core import Position
from tablier.games.core.questions import (
    Answered,
    Closed,
    Conditions,
    Landed,
    Menu,
    Picked,
    Question,
)
from tablier.games.dilemma.rules import Dilemma
from tablier.games.dilemma.script import script
from tablier.texts import render

NAMES = ("Anne", "Bernard", "Christine")


def window(
    holders: Sequence[int] = (1, 2),
    more: Mapping[int, Sequence[int]] = MappingProxyType({}),
    offer: int = 8,
    pile: Sequence[Sequence[Any]] = (),
) -> Position[Any]:
    """A window at seat 1's offer, with two cards or ``more`` in the hands of these seats, and a pile from when it was
    open before."""
    rules = Dilemma(3)
    hands = {f"p{seat}": [*more.get(seat, (3, 5))] if seat in holders else [] for seat in (1, 2, 3)}
    gained: dict[str, list[int]] = {"p1": [], "p2": [], "p3": []}
    lives = dict.fromkeys(hands, 3)
    description = {"phase": "window", "turn": "p1", "hands": hands, "lives": lives, "gained": gained, "offer": offer}
    state = rules.read({**description, "pile": pile, "beside": [], "fresh": False})
    return Position(rules, state)


class Course:
    """The script of a window, replied to one by one."""

    def __init__(self, position: Position[Any], arena: tuple[int, ...] = (1, 2, 3)) -> None:
        self.position = position
        self._script = script(position, Conditions(arena=frozenset(arena)))
        self.question: Question = next(self._script)
        self.moves: list[str] | None = None

    def reply(self, *replies: Any) -> Course:
        for reply in replies:
            try:
                self.question = self._script.send(reply)
            except StopIteration as end:
                self.moves = list(map(str, end.value))
        return self

    def card(self, seat: int, how: int, option: int = 0) -> Course:
        """A card of a seat lands, the window closes, and the seat claims it."""
        self.reply(Landed(0, 0, how, 97), Closed(), Answered(seat, True))
        assert isinstance(self.question, Menu)
        return self.reply(Picked(seat, option))

    def agree(self) -> Course:
        """No card missed besides, and the list is right."""
        while self.moves is None and self.question.what in ("beside", "review"):
            right = self.question.what == "review"
            for seat in self.question.seats:
                self.reply(Answered(seat, right))
        return self

    @property
    def text(self) -> str:
        return render(self.question.text.to_json(), NAMES)
