"""Simulated people, by themselves."""

from __future__ import annotations

from typing import Any, cast

from tablier.games.core.people import Sight
from tablier.simulation.hands import Person


class Curious:
    """A mind that notes what it sees under its hood."""

    peeks = True

    def __init__(self) -> None:
        self.seen: list[Any] = []

    def look(self, update: Any) -> None:
        pass

    def see(self, hood: Any) -> None:
        self.seen.append(hood)


class Buttons:
    def __init__(self) -> None:
        self.pressed: list[str] = []

    def press(self, place: int, button: str) -> None:
        self.pressed.append(button)


def test_a_hood_is_looked_at_after_the_press_of_the_same_question() -> None:
    """A table that was reset in between has a dark hood."""
    mind, buttons, dark = Curious(), Buttons(), ["000000"] * 5
    person = Person(1, 1, cast(Any, mind), lambda ply, move: None)

    def act(question: int) -> None:
        asked = {"id": question, "seats": [1], "kind": "menu", "what": "turn", "leads": [["a"]]}
        pixels = {"public": ["ffffff"] * 6, "hood1": dark}
        person.act(Sight({"ply": 0, "rules": "d21", "question": asked}, pixels, (), True, [1]), cast(Any, buttons))

    act(1)
    act(2)
    assert (mind.seen, buttons.pressed) == ([], ["a", "a"])
    act(2)
    assert mind.seen == [dark]
