"""Games with every stream of every browser searched at every step for what its reader may not see."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from served import Served, Stream, served

from keeper.seen import Seen
from kept import kept, linked, opened
from tablier.games.core import seat_name
from tablier.keeper.client import Link
from tablier.play.binding import Binder

NAMES = ("Anne", "Bernard", "Christine")


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Served, Link]]:
    log = tmp_path_factory.mktemp("secrets") / "log.db"
    with kept(log), linked(log) as link, served(log) as pages:
        yield pages, link


class Reader(Stream):
    """A browser's stream that is read beside the test."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._heard = threading.Condition()
        self.states: dict[str, Any] = {}
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        try:
            while True:
                event = self.next()
                with self._heard:
                    self.states[event["name"]] = event["state"]
                    self._heard.notify_all()
        except Exception:
            return  # the test closes it

    def until(self, name: str, ply: int) -> None:
        """Wait until a channel has come as far as this move."""
        with self._heard:
            assert self._heard.wait_for(lambda: self.states.get(name, {}).get("ply", -1) >= ply, 20), (name, ply)

    @property
    def text(self) -> str:
        """Return all that has come, without what stands between words: tags of a drawing among it."""
        return marks("".join(self.raw))


def marks(text: str) -> str:
    return re.sub(r"<[^>]*>|[^0-9A-Za-z]", "", text)


class Game:
    """A game whose three seats are played here, while a spectator and two browsers with a seat each look on."""

    def __init__(self, pages: Served, link: Link, stack: ExitStack, game: str, **options: Any) -> None:
        seats = [{"name": name, "source": "screen"} for name in NAMES]
        self.link = opened(link, "play", game=game, seats=seats, options=options)
        self.number = self.link.game
        self.seen = Seen(self.link, 1, 2, 3, None)
        self.binders: dict[int, Binder] = {}
        self.readers: dict[int | None, Reader] = {}
        for viewer in (None, 2, 3):
            browser = stack.enter_context(pages.browser())
            if viewer is not None:
                key = self.link.keys[viewer]
                entered = browser.post("/enter", json={"game": self.number, "seat": viewer, "key": key})
                assert entered.is_success
            self.readers[viewer] = stack.enter_context(Reader(browser, "public,mine,table"))

    @property
    def updates(self) -> dict[int | None, Any]:
        return {each["viewer"]: each for each in self.seen.updates}

    def settle(self) -> None:
        """Wait until all readers have the position that stands."""
        ply = self.updates[None]["ply"]
        for viewer, reader in self.readers.items():
            reader.until(f"game-{self.number}", ply)
            if viewer is not None:
                reader.until(f"{self.number}-{viewer}", ply)

    def told(self, viewer: int | None) -> str:
        """Return all that a browser got of this game."""
        own = (f'"name":"game-{self.number}"', f'"name":"{self.number}-')
        return "".join(line for line in self.readers[viewer].raw if any(name in line for name in own))

    def reply(self, seat: int, pick: int = 0) -> Any:
        """Have a seat answer the open question, and wait until that is shown; return what was sent."""
        update = self.updates[seat]
        question, mine = update["question"], update["question"]["mine"]
        head: dict[str, Any] = {"id": question["id"], "seat": seat}
        if question["kind"] == "choice":
            self.binders[seat] = Binder()
            body = self.binders[seat].lock(question, seat, question["options"].index(mine["moves"][pick]))
        elif question["kind"] == "poll":
            body = {**head, "event": "answered", "yes": False}
        elif question["kind"] == "menu":
            body = {**head, "event": "picked", "option": pick}
        else:
            moves = mine["moves"]
            body = {**head, "event": "played", "move": moves[pick % len(moves)] if moves else None}
        self._send(body)
        return body

    def open(self, seat: int) -> Any:
        """Open what a seat is bound to."""
        body = self.binders.pop(seat).open(self.updates[seat]["question"], seat)
        assert body is not None
        self._send(body)
        return body

    def _send(self, body: Any) -> None:
        before = len(self.seen.messages)
        self.link.reply(body)
        self.seen.wait(lambda told: len(told) > before and told)
        assert "refused" not in self.seen.messages[-1], self.seen.messages[-1]


def test_objectives_of_others_reach_no_browser(pages: tuple[Served, Link]) -> None:
    with ExitStack() as stack:
        while True:
            game = Game(*pages, stack, "struggle")
            game.seen.wait(lambda told: told and told[-1].get("updates", [{}])[0].get("question"))
            objectives = {n: marks(game.updates[n]["view"]["objectives"][seat_name(n)]) for n in (1, 2, 3)}
            assert len(set(objectives.values())) == 3
            if "KQJ109" not in objectives.values():  # in this order pawns stand on every board
                break
            game.link.stop()
        for step in range(12):
            game.settle()
            for viewer, reader in game.readers.items():
                text = reader.text
                for seat, objective in objectives.items():
                    shown = objective in text or objective in marks(json.dumps(reader.states))
                    assert shown == (seat == viewer), (step, viewer, seat)
            game.reply(game.updates[None]["question"]["waiting"][0], step)
        game.link.stop()


@pytest.mark.parametrize("choices", [(0, 0), (0, 1), (1, 0), (1, 1)])
def test_a_duel_reaches_no_browser_before_it_is_opened(pages: tuple[Served, Link], choices: tuple[int, int]) -> None:
    with ExitStack() as stack:
        game = Game(*pages, stack, "dilemma")
        while game.updates[None]["question"] is None or game.updates[None]["question"]["kind"] != "choice":
            game.reply(game.updates[None]["question"]["waiting"][0])
        secret = []
        duellists = list(game.updates[None]["question"]["seats"])
        for seat, choice in zip(duellists, choices, strict=True):
            secret.append(game.reply(seat, choice)["commitment"])
        game.settle()
        question = game.updates[None]["question"]
        assert question["open"]
        first = game.open(duellists[0])
        secret += [first["nonce"], game.binders[duellists[1]]._held[1].hex()]  # type: ignore[index]
        game.settle()
        for viewer, reader in game.readers.items():
            raw = "".join(reader.raw)
            assert not [each for each in secret if each in raw], viewer
            reading = reader.states[f"game-{game.number}"]["reading"].splitlines()
            assert all(f"{NAMES[seat - 1]}: has not chosen." in reading for seat in duellists)
            assert not re.search("(Anne|Bernard|Christine): (peace|conflict)", game.told(viewer)), viewer
        ply = game.updates[None]["ply"]
        game.open(duellists[1])
        assert game.updates[None]["ply"] > ply
        game.settle()
        told = game.told(None)
        words = ("conflict", "peace")
        chosen = [question["options"][choice] for choice in choices]
        assert all(f": {word}" in told for word in words if any(word in each for each in chosen))
        game.link.stop()
