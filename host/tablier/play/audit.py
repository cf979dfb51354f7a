"""Whether the choices that a log holds are what their choosers had bound themselves to.

The chain of a log shows that nothing was changed afterwards. That nobody chose with another's choice before their eyes
follows from the entries: each choice was bound by a commitment before the first one of its question was opened, and
opened as it was bound. A choice that was opened falsely must be void.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tablier.log import Entry
from tablier_fw import wire


class AuditError(ValueError):
    """A choice of a log is not what it must be; the text names the entry and says what is wrong with it."""


def audit(entries: Iterable[Entry]) -> int:
    """How many choices were opened as they were bound. Raises :class:`AuditError` for the first that was not."""
    games: dict[int | None, _Game] = {}
    for entry in entries:
        if entry.kind == "game":
            games[entry.game] = _Game(entry.body)
        elif entry.game in games:
            try:
                games[entry.game].take(entry)
            except (IndexError, KeyError, TypeError, ValueError) as error:
                raise AuditError(f"entry {entry.n}: not what this program writes ({error!r})") from None
    for game in games.values():
        game.end()
    return sum(game.sound for game in games.values())


class _Game:
    def __init__(self, body: dict[str, Any]) -> None:
        self.sound = 0
        self._places = [seat.get("place") for seat in body["seats"]]
        self._board = self._boot = b""
        self._asked: dict[int, list[Any]] = {}  # question → places
        self._bound: dict[tuple[int, Any], bytes] = {}  # (question, place) → commitment
        self._opened: set[tuple[int, Any]] = set()
        self._false = ""  # what the next entry has to make void

    def take(self, entry: Entry) -> None:
        body, event = entry.body, entry.body.get("event")
        if entry.kind == "void":
            self._false = ""
        self.end()
        if entry.kind == "ask":
            self._asked[body["id"]] = [self._places[seat - 1] for seat in body["seats"]]
        elif event == "hello":
            self._board, self._boot = bytes.fromhex(body["board"]), bytes.fromhex(body["boot"])
        elif event in ("locked", "opened"):
            place = body["place"] if "place" in body else self._places[body["seat"] - 1]
            (self._lock if event == "locked" else self._open)(entry.n, body, place)

    def end(self) -> None:
        """Nothing follows that could make void what was false."""
        if self._false:
            raise AuditError(self._false)

    def _lock(self, n: int, body: dict[str, Any], place: Any) -> None:
        key = body["id"], place
        if any(question == body["id"] for question, _ in self._opened):
            raise AuditError(f"entry {n}: place {place} is bound to a choice when another was open already")
        if key in self._bound:
            raise AuditError(f"entry {n}: place {place} is bound to a second choice")
        self._bound[key] = bytes.fromhex(body["commitment"])

    def _open(self, n: int, body: dict[str, Any], place: Any) -> None:
        key = body["id"], place
        unbound = [other for other in self._asked.get(body["id"], [place]) if (body["id"], other) not in self._bound]
        if unbound:
            raise AuditError(f"entry {n}: place {place} opens its choice, but place {unbound[0]} is not bound yet")
        if key in self._opened:
            raise AuditError(f"entry {n}: place {place} opens its choice a second time")
        self._opened.add(key)
        nonce = bytes.fromhex(body["nonce"])
        seat = self._places.index(place) + 1
        bound = wire.commitment(self._board, self._boot, body["id"], place, seat, nonce, body["choice"])
        if self._bound[key] != bound:
            self._false = f"entry {n}: what place {place} opens is not what it was bound to"
        else:
            self.sound += 1
