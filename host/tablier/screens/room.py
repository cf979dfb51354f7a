"""An evening as a terminal is in it: who has come in here, who else comes and goes, and how others come in."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from msgspec import structs

from tablier import messages, waiting
from tablier.keeper.client import KeeperError, KeeperGone, Link
from tablier.messages import Entry, Evening, Inside, Listing, Opened
from tablier.screens.phrases import way_in
from tablier.texts import ENGLISH, Text, language

Hear = Callable[[messages.Notice], None]
_NEWS_S = 5.0
"""The seconds in which a keeper says how an evening stands."""


class Room:
    """An evening at this terminal."""

    def __init__(self, evening: int) -> None:
        self.evening = evening
        self.latest: Evening | None = None
        """How the evening stands, as far as it is known here."""
        self.served: Callable[[], Sequence[str]] = lambda: ()
        """Returns the addresses of its pages: on this computer, and that which others are told."""
        self._told = waiting.signal()
        self.hear: Hear = lambda notice: None
        """Called in the connection's thread with news of the evening."""
        self._keys: dict[str, str] = {}  # by person who has come in here

    @property
    def address(self) -> str:
        """Return where its pages are; empty where they are not served."""
        return next(iter(self.served()[:2][-1:]), "")

    @property
    def way_in(self) -> Text | None:
        """Return how others come in."""
        return way_in(self.address, None if self.inside is None else self.inside.code)

    @property
    def scanned(self) -> str:
        """Return the address by which a phone comes in that scans it; empty where no other device can."""
        code = None if self.inside is None else self.inside.code
        return "" if code is None or len(self.served()) < 2 else f"{self.address}in#{code}"

    @property
    def inside(self) -> Inside | None:
        """Return what only those may know who are in."""
        return None if self.latest is None else self.latest.inside

    @property
    def people(self) -> set[str]:
        """Return the ids of those who have come in here."""
        return set(self._keys)

    def attend(self, link: Link) -> Link:
        """Follow the evening by a connection, the first one or that to another keeper, as those who have come in here.
        Return the connection."""
        self.listen(link)
        link.call("follow", {"evening": self.evening, "games": False})
        for person, key in list(self._keys.items()):
            try:
                self._enter(link, person, key)
            except KeeperGone:
                raise
            except KeeperError:  # meanwhile the person has gone, or has come in elsewhere
                self._keys.pop(person, None)
        return link

    def listen(self, link: Link) -> None:
        """Take the news of a connection that follows the evening already."""
        link.on_notice = self._take

    def await_news(self) -> None:
        """Wait until the keeper has said how the evening stands, which it does at once."""
        self._told.wait(_NEWS_S)

    def enter(self, link: Link, entries: Iterable[Entry]) -> None:
        """Have people come in here, but for those who are in elsewhere."""
        evenings = link.ask(Listing, "list").evenings
        free = {one.person for each in evenings if each.evening == self.evening for one in each.here if not one.by}
        for each in entries:
            if each.key is not None and each.person in free:
                self._enter(link, each.person, each.key)
                self._keys[each.person] = each.key

    def enter_seated(self, link: Link, opened: Opened) -> None:
        """Have those come in here who have seats of a game that was opened."""
        keys = opened.enter.items()
        self.enter(link, [Entry(evening=self.evening, person=person, key=key) for person, key in keys])

    def own(self, opened: Opened) -> Opened:
        """Return a game that was opened, with the keys of those alone who have come in here."""
        keys = {person: key for person, key in self._keys.items() if person in opened.people.values()}
        return structs.replace(opened, enter=keys)

    def _enter(self, link: Link, person: str, key: str) -> None:
        known = link.call("enter", {"evening": self.evening, "person": person, "key": key, "by": "terminal"})
        if "language" not in known and language() is not ENGLISH:  # else a phone in another one was switched to that
            link.call("speak", {"evening": self.evening, "person": person, "language": language().tag})

    def _take(self, notice: messages.Notice) -> None:
        if isinstance(notice, Evening) and notice.evening == self.evening:
            self.latest = notice
            self._told.set()
        elif isinstance(notice, messages.Taken) and notice.evening == self.evening:
            self._keys.pop(notice.person, None)
        self.hear(notice)


__all__ = ["Room"]
