"""The names of people, which stand beside the chain: entries name a person by id, so that names can change."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from hashlib import sha256
from typing import NamedTuple

from tablier.names import same_name
from tablier.texts import Text

_DOMAIN = b"tablier name "
SOMEBODY = Text("somebody")
"""The name of a person whose name was forgotten."""


class Person(NamedTuple):
    """Somebody who plays."""

    id: str
    """The id by which entries name the person."""
    name: str
    games: int = 0
    """Games that are over, without those in which a bot decided for the person."""
    won: int = 0
    place: int = 0
    """The place where the person sat last, 0 for none."""
    by_others: int = 0
    """The games that are over in which a bot decided for the person: they count for nothing else."""


class Taken(NamedTuple):
    """Somebody of another log, and what taking the person into this one has changed here. One for each name here."""

    name: str
    """The name there."""
    here: str | None
    """The name that the person had here before; ``None`` for somebody new, and for a name that was forgotten here."""
    changed: bool
    """False where the person was known here by the id that it has there: nothing is changed then."""
    apart: bool = False
    """The person was merged into another one here, and was not there: the two logs have different ids for it."""


def bind(name: str, salt: str) -> str:
    """Return what an entry holds of a name: a hash that says nothing of it to who does not have the salt."""
    return sha256(_DOMAIN + bytes.fromhex(salt) + name.encode(errors="surrogatepass")).hexdigest()


class Names:
    """The table of names, as it stands. Ids that it does not hold are somebody's all the same."""

    def __init__(
        self,
        rows: Iterable[tuple[str, str | None, str | None]] = (),
        played: Iterable[tuple[str, str, str]] = (),
    ) -> None:
        """Take rows of id, name, and the id that it was merged into; and of the names under which each id has played:
        id, name, salt."""
        self._played = {(id, bind(name, salt)): name for id, name, salt in played}
        self._into: dict[str, str] = {}
        self._forgotten: set[str] = set()
        self.known: dict[str, str] = {}
        """The name of each person who has one, by id, in the order in which they were made."""
        for id, name, into in rows:
            if into is not None:
                self._into[id] = into
            elif name is not None:
                self.known[id] = name
            else:
                self._forgotten.add(id)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Names):
            return NotImplemented
        mine, its = ((each.known, each._into, each._forgotten, each._played) for each in (self, other))
        return mine == its

    __hash__ = None  # type: ignore[assignment]  # names change

    def __contains__(self, id: str) -> bool:
        """Return whether the table holds an id, also one that was merged or whose name was forgotten."""
        return id in self.known or id in self._into or id in self._forgotten

    def one(self, id: str) -> str:
        """Return the id of the person that an id of an entry stands for by now."""
        return self._into.get(id, id)

    def ids(self, person: str) -> list[str]:
        """Return the ids that stand for a person by now, the person's own first."""
        return [person, *(id for id, into in self._into.items() if into == person)]

    def of(self, id: str) -> str:
        """Return the name of the person that an id of an entry stands for by now."""
        known = self.known.get(self.one(id))
        return str(SOMEBODY) if known is None else known

    def played(self, id: str, named: str) -> str | None:
        """Return the name under which an id of an entry played; ``None`` where nothing says so.

        ``named``: what the entry holds of it.
        """
        return self._played.get((id, named))

    def find(self, name: str) -> str | None:
        """Return the id of the person of that name; ``None`` if there is none."""
        return self._by_name.get(same_name(name))

    @cached_property
    def _by_name(self) -> dict[str, str]:
        return {same_name(name): id for id, name in reversed(self.known.items())}
