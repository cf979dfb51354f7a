"""A transaction in the making: entries that become durable together, and the news of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from tablier.course.entries import Body, Item
from tablier.course.session import Made, Note, Session
from tablier.table.incoming import TableEvent, Unfit
from tablier.texts import ENGLISH, Text, render

if TYPE_CHECKING:
    from tablier.bots.bots import BotError


class Failed(NamedTuple):
    """A bot that has failed: what it wrote last is for the operator."""

    seat: int
    error: BotError


class Change:
    """What is about to be committed, in the order in which it happened.

    An input that the session declines leaves nothing behind when its change is dropped: no entry, no news.
    """

    def __init__(self, session: Session, event: TableEvent | Unfit | None = None) -> None:
        """``event``: what of the table's it comes from."""
        self._session = session
        self.event = event
        self.cursor = (event.boot, event.number) if event is not None and event.number else None
        """What the log keeps of the table's events with the first entry."""
        self.items: list[Item] = []
        self.news: list[Note | Made | Failed] = []
        self.stirs = False
        """Whether something has happened that begins the time limit of the open question anew."""

    def feed(self, kind: str, body: Body, boot: str | None = None) -> None:
        """Feed the session an entry; add it, and all that follows from it. Raise :class:`Declined`."""
        effects = self._session.feed(kind, body, boot)
        self.items += [*effects.taken, *effects.items]
        self.news += [*effects.notes, *effects.made]

    def begin(self) -> None:
        """Open the session's first question; add all that follows from it."""
        effects = self._session.begin()
        self.items += effects.items
        self.news += effects.made

    def void(self, text: Text, why: Text, **more: Any) -> None:
        """Make void what the open question has gathered, and tell people; ``why`` and ``more`` are for the log."""
        self.note("void", text)
        self.feed("void", {"id": self._session.id, "why": render(why, read=ENGLISH), **more})

    def log(self, kind: str, body: Body) -> None:
        """Add an entry that is not for the session."""
        self.items.append((kind, body))

    def note(self, kind: str, text: Text, audience: tuple[int | None, ...] | None = None) -> None:
        """Add a piece of news. ``audience``: for whom it is, ``None`` for all."""
        self.news.append(Note(kind, text, audience))

    def fail(self, seat: int, error: BotError) -> None:
        """Add what a program that has failed wrote last, for the operator."""
        if error.last_lines:
            self.news.append(Failed(seat, error))
