"""A transaction in the making: entries that become durable together, and the news of them."""

from __future__ import annotations

from tablier.course.entries import Body, Item
from tablier.course.session import Made, Note, Session
from tablier.texts import Text


class Change:
    """What the conductor is about to commit, in the order in which it happened.

    An input that the session declines leaves nothing behind when its change is dropped: no entry, no news.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self.items: list[Item] = []
        self.news: list[Note | Made] = []

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

    def log(self, kind: str, body: Body) -> None:
        """Add an entry that is not for the session."""
        self.items.append((kind, body))

    def note(self, kind: str, text: Text, audience: tuple[int | None, ...] | None = None) -> None:
        """Add a piece of news. ``audience``: for whom it is, ``None`` for all."""
        self.news.append(Note(kind, text, audience))
