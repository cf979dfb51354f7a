"""Waiting until something holds, in the time of an emulated Pico or of a simulated table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tablier.simulation.chip import Chip, PicoError
from tablier.simulation.tester import Tester, TesterError


def await_pico(pico: Chip, condition: Callable[[], bool], seconds: float = 10.0, what: str = "that") -> None:
    """Let time pass until a condition holds. Raise :class:`PicoError` if it does not in time."""
    end = pico.now + seconds * 1e6
    while not condition():
        if pico.now >= end:
            raise PicoError("waited {seconds} s of the Pico's time for {what}", seconds=seconds, what=what)
        pico.run_until(pico.now + 500)


def await_pixels(
    tester: Tester, condition: Callable[[dict[str, Any]], bool], seconds: float = 10.0, what: str = "a picture"
) -> dict[str, Any]:
    """Wait, in table time, until a condition on the pixels holds. Raise :class:`TesterError` if it does not."""
    deadline = tester.time() + seconds
    while True:
        pixels = tester.pixels()
        if condition(pixels):
            return pixels
        left = deadline - tester.time()
        if left <= 0:
            about = {"seconds": seconds, "what": what, "pixels": pixels}
            raise TesterError("waited {seconds} s of table time for {what}; the pixels are {pixels}", **about)
        tester.wait(left, pixels["pictures"])
