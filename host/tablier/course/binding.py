"""Binding a source away from the table to a secret choice.

It keeps nonce and choice to itself until all are bound.
"""

from __future__ import annotations

import os

from tablier.messages import Bind
from tablier.texts import Json
from tablier_fw import wire


def commitment(bind: Bind, question: int, seat: int, nonce: bytes, choice: int) -> bytes:
    """Return what binds a seat to a choice of a question. ``bind``: the board and its boot, and the seat's place."""
    board, boot = bytes.fromhex(bind.board), bytes.fromhex(bind.boot)
    return wire.commitment(board, boot, question, bind.place, seat, nonce, choice)


class Binder:
    """Binds one seat; holds its choice in memory only."""

    def __init__(self) -> None:
        self._held: tuple[int, bytes, int] | None = None  # question, nonce, choice

    def lock(self, bind: Bind, question: int, seat: int, choice: int) -> Json:
        """Return the reply that binds a seat to an option of an open choice. ``question``: its number; ``bind``: of
        what an update says of it."""
        nonce = os.urandom(16)
        bound = commitment(bind, question, seat, nonce, choice)
        self._held = question, nonce, choice
        return {"event": "locked", "id": question, "seat": seat, "commitment": bound.hex()}

    def open(self, question: int, seat: int) -> Json | None:
        """Return the reply that opens the choice of a question, if this is bound to one; the same one each time, since
        it may be lost on the way."""
        if self._held is None or self._held[0] != question:
            return None
        _, nonce, choice = self._held
        return {"event": "opened", "id": question, "seat": seat, "nonce": nonce.hex(), "choice": choice}
