"""What table and keyboard are asked, and what comes back: the words between a game's flow and its conductor.

A *flow* is a generator that brings a game from one position to the next moves. It yields an :class:`Ask` and is sent
an :class:`Input`, as often as it needs, and returns the moves. It knows seats, never places, and it does not know
whether a seat's source is a person at the table, a person at the keyboard or a player program: an answer has the same
form from all of them. A flow depends on nothing but its position and its inputs, so the conductor can run it again
from the log.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, field
from typing import Any

CHOICE, WINDOW, POLL, MENU, TALLY = "choice", "window", "poll", "menu", "tally"
"""The kinds of questions; what each means at the table is documented with the firmware."""


@dataclass(frozen=True, eq=False)
class Ask:
    """A question. A flow that yields the same object again goes on waiting; another object is another question."""

    kind: str
    what: str
    """What it is about, as the game's flow names it; for screens and players."""
    seats: tuple[int, ...]
    """Who is asked."""
    text: str
    """The question for the screen; ``{p1}`` stands for the name of seat 1."""
    options: tuple[str, ...] = ()
    """Menu and choice: what each option means, in order."""
    labels: tuple[int, ...] = ()
    """Menu: the number that the hood shows for each option."""
    start: int = 0
    """Menu: the option that is proposed."""
    allowed: dict[int, tuple[int, ...]] = field(default_factory=dict)
    """Choice: the options open to each seat."""
    first: bool = False
    """Poll: the first yes ends it."""
    seen: int = 0
    """Window: landings logged before a restart of the table."""
    quiet_s: float = 5.0
    """Window: it closes so long after the last landing."""
    listed: tuple[tuple[int, int, str], ...] = ()
    """Review: the cards as they are claimed, from below, as (seat or 0, rank, how it lies)."""
    subject: int | None = None
    """Which landing of the window is asked about, counted from 0."""


@dataclass(frozen=True)
class Input:
    """Something that came in for the open question.

    Kinds and values: ``locked`` seat; ``opened`` seat, choice; ``landed`` index, landing, confidence, doubts;
    ``moved`` index (that landing lies otherwise now); ``done`` seat, missed; ``closed``; ``answered`` seat, yes;
    ``picked`` seat, option; ``tallied`` seat, faces, kept; ``restarted`` (the table: what the open question had
    gathered in it is void).
    """

    kind: str
    values: dict[str, Any] = field(default_factory=dict)

    def __getattr__(self, name: str) -> Any:
        try:
            return self.values[name]
        except KeyError:
            raise AttributeError(name) from None


Flow = Generator[Ask, Input, list[str]]
"""Yields questions, is sent inputs, returns the moves in notation."""
