"""The forms of replies, each once: what a screen sends, and what a table's event holds.

Each function returns one. ``about``: the ``id`` of the question, with the ``seat`` of a screen or the ``place`` at a
table; left out where whoever sends the reply adds that.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

Reply = dict[str, Any]

PLAYED, ANSWERED, PICKED, TALLIED, THROWN, DONE = "played", "answered", "picked", "tallied", "thrown", "done"
LOCKED, OPENED, COMMITTED, REVEALED, LANDED, CLOSED = "locked", "opened", "committed", "revealed", "landed", "closed"


def play(move: str | None, **about: int) -> Reply:
    """``None`` is a pass."""
    return {"event": PLAYED, **about, "move": move}


def answer(yes: bool | int, **about: int) -> Reply:
    """A place says it in a byte, a screen in JSON."""
    return {"event": ANSWERED, **about, "yes": yes}


def pick(option: int, **about: int) -> Reply:
    return {"event": PICKED, **about, "option": option}


def tally(faces: Iterable[int], kept: int = 0, **about: int) -> Reply:
    """``kept``: the dice that are marked, as bits."""
    return {"event": TALLIED, **about, "faces": bytes(faces).hex(), "kept": kept}


def throw(rank: int, **about: int) -> Reply:
    return {"event": THROWN, **about, "rank": rank}


def land(index: int, how: int, **about: int) -> Reply:
    return {"event": LANDED, **about, "index": index, "landing": how, "confidence": 97, "doubts": 0}


def finish(**about: int) -> Reply:
    """Say that a seat throws no more cards; at a place with ``missed``, 1 if a card has missed the arena."""
    return {"event": DONE, **about}


def close(landings: int, **about: int) -> Reply:
    """Close a window in which all have finished."""
    return {"event": CLOSED, **about, "reason": 0, "landings": landings}


def lock(commitment: str, **about: int) -> Reply:
    return {"event": LOCKED, **about, "commitment": commitment}


def open_choice(nonce: str, choice: int, **about: int) -> Reply:
    return {"event": OPENED, **about, "nonce": nonce, "choice": choice}


def commit_roll(commitment: str, **about: int) -> Reply:
    return {"event": COMMITTED, **about, "commitment": commitment}


def reveal_roll(nonce: str, **about: int) -> Reply:
    return {"event": REVEALED, **about, "nonce": nonce}
