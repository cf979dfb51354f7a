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

    def see(self, update: Any, hood: Any) -> bool:
        self.seen.append(hood)
        return any(each != "000000" for each in hood)


class Buttons:
    def __init__(self) -> None:
        self.pressed: list[str] = []

    def press(self, place: int, button: str) -> None:
        self.pressed.append(button)


def test_a_hood_is_looked_at_after_the_press_of_the_same_question() -> None:
    """A table that was reset in between has a dark hood, and so has one whose host is slow: it is looked at again."""
    mind, buttons, dark, lit = Curious(), Buttons(), ["000000"] * 5, ["ffffff"] * 5
    person = Person(1, 1, cast(Any, mind), lambda ply, move: None)

    def act(question: int, hood: list[str] = dark) -> None:
        asked = {"id": question, "seats": [1], "kind": "menu", "what": "turn", "leads": [["a"]]}
        pixels = {"public": ["ffffff"] * 6, "hood1": hood}
        person.act(Sight({"ply": 0, "rules": "d21", "question": asked}, pixels, (), True, [1]), cast(Any, buttons))

    act(1)
    act(2)
    assert (mind.seen, buttons.pressed) == ([], ["a", "a"])
    act(2)
    assert (mind.seen, buttons.pressed) == ([dark], ["a", "a", "a"])
    act(2, lit)
    assert (mind.seen, buttons.pressed) == ([dark, lit], ["a", "a", "a", "a"])
