"""Replies of seats at screens, by what their updates ask; and a game at a keeper whose seats reply so."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any

from msgspec import convert

import replies
from keeper.seen import Seen
from of_kind import of_kind
from tablier import messages
from tablier.course.asides import PAUSED
from tablier.course.binding import Binder
from tablier.keeper.client import GameLink, Link, entries_of
from tablier.texts import Json


def lock_to(update: messages.Update, binder: Binder, option: int) -> Json:
    """Return the reply that binds the viewer of an update to an option of the choice that it asks for."""
    question = of_kind(messages.Choice, update.question)
    mine = of_kind(messages.MyChoice, question.mine)
    return binder.lock(mine.bind, question.id, of_kind(int, update.viewer), option)


def opening_to(update: messages.Update, binder: Binder) -> Json | None:
    """Return the reply that opens what the viewer of an update was bound to; None where that is not to be opened."""
    question = update.question
    if isinstance(question, messages.Choice) and update.viewer in question.to_open:
        return binder.open(question.id, update.viewer)
    return None


Pick = Callable[[Sequence[Any], bool], Any]
"""Returns one of what it is given: moves, options, cards; or None, to pass, if its second argument is True."""


def reply_to(update: messages.Update, binder: Binder, pick: Pick) -> Json | None:
    """Return what a seat at a screen says to an update, by what stands in it; None where it is not asked."""
    question, seat = update.question, update.viewer
    if question is None or seat is None or question.mine is None:
        return None
    if seat in getattr(question, "to_open", ()):
        return binder.open(question.id, seat)
    mine: Any = question.mine
    head = {"id": question.id, "seat": seat}
    if not mine.waits:
        return None
    if isinstance(question, messages.Choice):
        return lock_to(update, binder, question.options.index(pick(mine.moves, False)))
    if isinstance(question, messages.Window):
        rank = pick(mine.cards, True) if mine.cards else None
        return replies.finish(**head) if rank is None else replies.throw(rank, **head)
    if isinstance(question, messages.Poll):
        return replies.answer(not question.first or question.what == PAUSED, **head)
    if isinstance(question, messages.Menu):
        return replies.pick(question.start, **head)
    return replies.play(pick(mine.moves, mine.may_pass) if mine.moves else None, **head)


def first(moves: Sequence[Any], may_pass: bool) -> Any:
    """Pick the first move there is."""
    return moves[0]


def by_chance(dice: random.Random, passes: float = 0.6) -> Pick:
    """Return what picks any move, and passes where it may with this probability."""
    return lambda moves, may_pass: None if may_pass and dice.random() < passes else dice.choice(moves)


class PlayedGame:
    """A game at a keeper; one client replies for these seats, and sees what ``viewers`` may see beside them."""

    def __init__(self, game: GameLink, seats: Sequence[int], *viewers: None, pick: Pick = first) -> None:
        self.link, self.seats, self.number = game, seats, game.game
        self.seen = Seen(game, *seats, *viewers)
        self.binders: dict[int, Binder] = defaultdict(Binder)
        self.pick = pick
        self._replied: dict[int, int] = {}

    @property
    def updates(self) -> dict[int | None, Json]:
        """Return the latest update of each viewer."""
        return {each["viewer"]: each for each in self.seen.updates}

    def reply(self, seat: int, pick: Pick | None = None) -> Json | None:
        """Have a seat reply, and wait until that is shown; return what was sent, None if the seat is not asked."""
        update = convert(self.updates[seat], messages.Update)
        body = reply_to(update, self.binders[seat], pick or self.pick)
        if body is not None:
            self.send(body)
        return body

    def send(self, body: Json) -> None:
        before = len(self.seen.messages)
        self.link.reply(body)
        told = self.seen.wait(lambda told: told[before:])
        assert not any("refused" in each for each in told), (told, body)

    def step(self) -> None:
        """Have the last of the seats that are asked reply; wait if none of them is."""
        before = len(self.seen.messages)
        for seat in reversed(self.seats):
            question = self.updates[seat]["question"]
            if question and (self._replied.get(seat) != question["id"] or seat in question.get("to_open", ())):
                body = self.reply(seat)
                if body is not None:
                    self._replied[seat] = 0 if body["event"] == replies.THROWN else question["id"]
                    return
        self.seen.wait(lambda told: len(told) > before or self.seen.latest["over"])

    def play(self, until: Callable[[Json], object] = lambda update: False, most: int = 2000) -> None:
        """Play until something holds of what the first seat sees, or the game is over."""
        for _ in range(most):
            if until(self.seen.latest) or self.seen.latest["over"]:
                return
            self.step()
        raise AssertionError(self.seen.latest["question"])


def begin(link: Link, game: str, names: Sequence[str], **options: Any) -> Json:
    """Begin a game of people at screens; return what the operator is told of it."""
    seats = [{"name": name, "source": "screen"} for name in names]
    begun: Json = link.call("play", {"game": game, "seats": seats, "options": options})
    return begun


def game_of(link: Link, begun: Json) -> GameLink:
    """Return the game that was begun so, with all its seats."""
    return GameLink(link, begun["game"], entries_of(convert(begun, messages.Opened)))


def finish(link: Link, game: int, seat: int) -> None:
    """Play a seat to the end of its game. Who is connected holds the seat."""
    PlayedGame(GameLink(link, game), [seat]).play()


__all__ = [
    "Pick",
    "PlayedGame",
    "begin",
    "by_chance",
    "finish",
    "first",
    "game_of",
    "lock_to",
    "opening_to",
    "reply_to",
]
