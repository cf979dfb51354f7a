"""Simulated people, by themselves."""

from __future__ import annotations

from typing import Any, cast

from tests.heard import an_update

from tablier.games.core.people import Sight
from tablier.messages import Menu
from tablier.simulation.hands import Person
from tablier.texts import Text


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
        about: Any = {"id": question, "what": "turn", "seats": [1], "text": Text("?"), "waiting": [1]}
        asked = Menu(**about, options=[Text("a")], labels=[1], start=0, leads=[["a"]])
        pixels = {"public": ["ffffff"] * 6, "hood1": hood}
        person.act(Sight(an_update(question=asked), pixels, (), True, [1]), cast(Any, buttons))

    act(1)
    act(2)
    assert (mind.seen, buttons.pressed) == ([], ["a", "a"])
    act(2)
    assert (mind.seen, buttons.pressed) == ([dark], ["a", "a", "a"])
    act(2, lit)
    assert (mind.seen, buttons.pressed) == ([dark, lit], ["a", "a", "a", "a"])
