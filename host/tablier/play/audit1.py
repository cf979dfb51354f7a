"""The audit of games of schema 1: that secret choices are what their choosers had bound themselves to.

Kept to verify older games only. Each choice was bound by a commitment before the first one of its question was opened,
and opened as it was bound. A choice that was opened falsely must be void.
"""

from __future__ import annotations

import struct
from hashlib import sha256
from typing import Any

from tablier.log import Entry


def _commitment(board: bytes, boot: bytes, question: int, place: int, nonce: bytes, choice: int) -> bytes:
    """Return what bound a place to a choice when the protocol was 1."""
    head = struct.pack("<16sH8s8sIB", b"tablier choice", 1, board, boot, question, place)
    return sha256(head + nonce + bytes((choice,))).digest()


class AuditError(ValueError):
    """An entry of a log does not follow from what came before; the text names it and says what is wrong."""


class FirstSchema:
    """One game, entry by entry."""

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
        if self._bound[key] != _commitment(self._board, self._boot, body["id"], place, nonce, body["choice"]):
            self._false = f"entry {n}: what place {place} opens is not what it was bound to"
        else:
            self.sound += 1
