"""An evening whose people come in by browsers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import httpx
from msgspec import convert
from served import Stream

from tablier.keeper.client import Link
from tablier.messages import Evening, Opened
from tablier.texts import Json

NAMES = ("Anne", "Bernard", "Christine")


def key_of(begun: Json, seat: int) -> Json:
    """Return by what a browser enters as the person of a seat: ``begun`` is what the operator is told of a game."""
    person = begun["people"][str(seat)]
    return {"evening": begun["evening"], "person": person, "key": begun["enter"][person]}


def in_address(key: Json) -> str:
    """Return how such a key stands in an address."""
    return f"#person={key['evening']}-{key['person']}-{key['key']}"


def enter(browser: httpx.Client, key: Json) -> httpx.Response:
    """Have a browser come in by a key."""
    answer = browser.post("/enter", json=key)
    assert answer.status_code == 200, answer.text
    return answer


class Room:
    """An open evening, as the operator has it."""

    def __init__(self, link: Link, names: Sequence[str] = NAMES, **more: Any) -> None:
        self.link = link
        begun = link.call("evening", {"people": [{"name": name} for name in names], **more})
        self.number: int = begun["evening"]
        self.keys: dict[str, Json] = {}
        """By name: with what those enter who were named at its beginning."""
        for name, entry in zip(names, begun["people"], strict=True):
            self.keys[name] = {"evening": self.number, "person": entry["person"], "key": entry["key"]}

    def told(self) -> Evening:
        """Return how it stands for the operator."""
        return evening_of(self.link, self.number)

    @property
    def code(self) -> str:
        inside = self.told().inside
        assert inside is not None and inside.code is not None
        return inside.code

    @property
    def wishes(self) -> list[tuple[str, str]]:
        """Return who waits to be let in, and as what."""
        inside = self.told().inside
        assert inside is not None
        return [(wish.kind, wish.name) for wish in inside.wishes]

    def decide(self, *, yes: bool) -> None:
        """Let in who waits, or turn away."""
        inside = self.told().inside
        assert inside is not None
        self.call("decide", wish=inside.wishes[0].wish, yes=yes)

    def join(self, browser: httpx.Client, name: str, **more: Any) -> Json:
        """Have a browser come in by the code; return what it is answered."""
        answer = browser.post("/join", json={"code": self.code, "name": name, **more})
        assert answer.status_code == 200, answer.text
        told: Json = answer.json()
        return told

    def call(self, method: str, **params: Any) -> Json:
        return self.link.call(method, {"evening": self.number, **params})

    def play(self, game: str = "dilemma", **params: Any) -> Opened:
        """Begin a game, as somebody who looks on."""
        opened = convert(self.call("next", game=game, **params), Opened)
        self.link.call("watch", {"game": opened.game, "viewers": [None]})
        return opened

    def by(self) -> Mapping[str, str]:
        """Return how each person is here."""
        return {person.name: person.by for person in self.told().here}

    def close(self) -> None:
        game = self.told().game
        if game is not None:
            self.link.call("stop", {"game": game})
        self.call("close")


def evening_of(link: Link, number: int) -> Evening:
    """Return how an evening stands for a connection."""
    heard: list[Any] = []
    before, link.on_notice = link.on_notice, heard.append
    link.call("follow", {"evening": number, "games": False})
    while not (found := [each for each in heard if isinstance(each, Evening) and each.evening == number]):
        link.call("ping", {})
    link.on_notice = before
    return found[-1]


def private(browser: httpx.Client) -> set[str]:
    """Return the private channels of which a browser is told by a stream, at once and after a state of the keeper."""
    with Stream(browser, "mine,public") as stream:
        stream.wait("keeper")
        return {name for topic, name in stream.names if topic == "mine"}


def cookie_of(browser: httpx.Client) -> tuple[str, str]:
    """Return the name and the value of a browser's only cookie."""
    ((name, value),) = browser.cookies.items()
    return name, value


__all__ = ["NAMES", "Room", "cookie_of", "enter", "evening_of", "in_address", "key_of", "private"]
