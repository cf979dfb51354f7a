"""An evening as a screen follows it: by a connection to its keeper, or to another one where that has died."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec import convert

from tablier import messages
from tablier.course.seats import AT_SCREEN, AT_TABLE
from tablier.keeper.client import KeeperGone, Link
from tablier.messages import Evening, GameOpen, Listing
from tablier.screens.lines import Typed
from tablier.screens.room import Room
from tablier.texts import Json, Text


class EveningLink:
    """An evening and the connection by which it is followed. What the keeper says between games comes between what is
    typed."""

    def __init__(
        self, room: Room, link: Link, again: Callable[[], Link], kept: Callable[[], bool], typed: Typed
    ) -> None:
        """``again`` returns a connection to another keeper, where this one has died; ``kept``: whether there is one, or
        would be but for its death."""
        self.number, self.room, self.link = room.evening, room, link
        self.last: Evening | None = None
        """How the evening stood when the keeper was asked last."""
        self._again, self._kept, self._typed = again, kept, typed
        self._lost = False
        self._going = ""  # who is seen off from here now, by id
        self.adopt(link)

    @property
    def is_over(self) -> bool:
        """Return whether somebody has ended the evening elsewhere."""
        return self.room.latest is not None and self.room.latest.ended

    def call(self, method: str, **params: Any) -> Json:
        """Return an answer of the keeper about this evening; of a new one where it has died."""
        return self._ask(method, {"evening": self.number, **params})

    def call_of_game(self, method: str, game: int) -> Json:
        """Return an answer of the keeper about a game, which may be another evening's."""
        return self._ask(method, {"game": game})

    def listing(self) -> Listing:
        """Return what is open."""
        return convert(self._ask("list", {}), Listing)

    def look(self) -> Evening:
        """Return how the evening stands."""
        for told in self.listing().evenings:
            if told.evening == self.number:
                self.last = told
        assert self.last is not None
        return self.last

    def adopt(self, link: Link) -> None:
        """Follow the evening by a connection, the first one or that to another keeper."""
        self.link = link
        self.listen()
        self.room.attend(link)

    def listen(self) -> None:
        """Take the news of the connection, which may have gone to a game."""
        self.room.listen(self.link)
        self.room.hear, self.link.on_silence = self._hear, self._typed.say
        self.link.on_lost = self._lose

    def regain(self) -> bool:
        """Follow the evening by another connection if this one was lost and the evening is still kept. Return True if
        so."""
        if not self._lost:
            return False
        self._lost = False  # before the new connection, which may be lost at once
        if not self._kept():
            return False
        self.adopt(self._again())
        return True

    def see_off(self, one: messages.Person) -> None:
        """Have somebody go. Who has come in here is out before the keeper answers; that is not said beside the news
        that somebody has gone."""
        self._going = one.person
        try:
            self.call("go", name=one.name)
        finally:
            self._going = ""

    def _ask(self, method: str, params: Json) -> Json:
        try:
            return self.link.call(method, params)
        except KeeperGone:
            self.adopt(self._again())
            return self.link.call(method, params)

    def _hear(self, notice: messages.Notice) -> None:
        if isinstance(notice, messages.Told):
            self._typed.say(notice.text)
        elif isinstance(notice, messages.Taken) and notice.person:
            if notice.person != self._going:
                self._typed.say(notice.why)
        else:
            self._typed.tell(notice)

    def _lose(self) -> None:
        self._lost = True
        self._typed.say(Text("The connection to the keeper has ended."))


def running(told: Evening) -> int | None:
    """Return the game of an evening that is being played."""
    return next((each.game for each in told.games if each.game == told.game and each.result is None), None)


def left_game(told: Evening) -> int | None:
    """Return the latest game of an evening, where it was left in the middle and its people are here."""
    last = told.games[-1] if told.games else None
    return None if last is None or last.result is not None or running(told) or _gone(told) else last.game


def is_left(game: GameOpen) -> bool:
    """Return whether a game is open, and nobody plays it: the screens of its people have gone. To resume another one
    would stop it elsewhere."""
    at_screen = any(seat.source == AT_SCREEN for seat in game.seats)
    return at_screen and not game.held and not any(seat.source == AT_TABLE for seat in game.seats)


def _gone(told: Evening) -> list[str]:
    """Return those who have played the last game and are not here any more."""
    others = {each.name for each in told.here} | {each.name for each in told.standings if each.bot}
    return [name for name in told.games[-1].seats if name not in others]


__all__ = ["EveningLink", "is_left", "left_game", "running"]
