"""Bots that think until a test lets them decide."""

from __future__ import annotations

from collections import deque
from multiprocessing import get_context

from tablier.bots.thinking import Call, Done, Here

BESIDE = get_context("fork")
"""What a test shares with bots that think in processes of its keeper comes from here."""


class Held(Here):
    """Where bots that give advice think; the one that was asked first decides when :meth:`let` is called."""

    def __init__(self) -> None:
        self.asked: deque[tuple[Call, Done]] = deque()

    def ask(self, call: Call, done: Done) -> None:
        self.asked.append((call, done))

    def let(self) -> None:
        super().ask(*self.asked.popleft())
