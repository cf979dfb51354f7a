"""Games brought to what a person meets in them: to wait, to be asked, to choose, to choose in secret, the end."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from evenings import key_of
from served import Served, served

from kept import kept, linked
from replying import PlayedGame, begin, by_chance, game_of
from tablier.keeper.client import Link
from tablier.texts import Json

NAMES = ("Anne", "Bernard", "Christine", "Daniel", "Emma", "Farid")
Holds = Callable[[Json], bool]


class Situation(NamedTuple):
    """What a person meets: whose page shows it, and what holds of an update then."""

    seat: int
    holds: Holds


def asks(seat: int, ply: int = 0, what: str = "", kind: str = "", phase: str = "") -> Situation:
    """Return the situation in which a question like this is put to a seat."""

    def holds(update: Json) -> bool:
        question = update["question"] or {"waiting": (), "what": "", "kind": ""}
        return (
            seat in question["waiting"]
            and update["ply"] >= ply
            and question["what"].startswith(what)
            and question["kind"].startswith(kind)
            and str(update["view"].get("phase", "")).startswith(phase)
        )

    return Situation(seat, holds)


def names_many(update: Json) -> bool:
    """Return whether the first seat can move four pawns, each by two counts, or throw again."""
    thrown = update["view"].get("hand", ())
    return (
        asks(1).holds(update) and update["view"].get("throws") == 1 and len({*thrown}) == len(thrown) and "A" in thrown
    )


SITUATIONS: Mapping[str, tuple[int, Mapping[str, Any], Mapping[str, Situation]]] = {
    "d21": (2, {}, {"turn": asks(1, 16), "second": asks(2, 17)}),
    "dicke-daemonen": (
        4,
        {"first": "p1"},
        {"turn": asks(1, 16, phase="place"), "predict": asks(1, 8, phase="predict")},
    ),
    "dilemma": (
        4,
        {"first": "p1"},
        {"turn": asks(1), "window": asks(2, 3, what="window"), "duel": asks(1, kind="choice")},
    ),
    "roudalon": (
        4,
        {"first": "p1"},
        {"turn": asks(1), "asked": asks(1, 3, phase="asked"), "throw": asks(1, 8, phase="throw")},
    ),
    "struggle": (4, {"first": "p1"}, {"turn": asks(1, 18), "pawns": Situation(1, names_many)}),
}
"""By game: seats, options, and the situations."""
SHORT: Mapping[str, Mapping[str, Any]] = {"d21": {"max_plies": 14}, "struggle": {"board": "Y" * 10}}
"""Options with which a game is over soon."""


class Driven(PlayedGame):
    """A game all of whose seats are screens, played here by chance."""

    def __init__(self, link: Link, name: str, seats: int, options: Mapping[str, Any], seed: int = 1) -> None:
        begun = begin(link, name, NAMES[:seats], **options)
        self.keys = {seat: key_of(begun, seat) for seat in range(1, seats + 1)}
        super().__init__(game_of(link, begun), [*self.keys], pick=by_chance(random.Random(seed), 0.5))
        self.name = name
        self._operator = link

    @property
    def update(self) -> Json:
        """Return what the first seat sees."""
        update: Json = self.seen.latest
        return update

    def stop(self) -> None:
        if any(each["game"] == self.number for each in self._operator.call("list")["games"]):
            self._operator.call("stop", {"game": self.number})


END = "end"
"""The situation in which a game is over."""


def bring(link: Link, name: str, situation: str) -> Driven:
    """Return a game in which a situation is there; of the end, one that has not begun, and is over soon."""
    seats, options, situations = SITUATIONS[name]
    if situation == END:
        return Driven(link, name, seats, {**options, **SHORT.get(name, {})})
    for seed in range(1, 60):
        game = Driven(link, name, seats, options, seed)
        game.play(situations[situation].holds)
        if not game.update["over"]:
            return game
    raise AssertionError(f"{name}: {situation}")


@contextmanager
def room(log: Path) -> Iterator[tuple[Served, Link]]:
    """The pages of a log, and the operator's connection."""
    with kept(log), served(log) as pages, linked(log) as link:
        yield pages, link


__all__ = ["END", "SITUATIONS", "Driven", "Situation", "asks", "bring", "room"]
