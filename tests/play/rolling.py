"""Games of people at a simulated table, whose chance may be rolled there, until so many moves are made."""

from __future__ import annotations

from tablier.course.chance import Sources
from tablier.course.seats import AT_TABLE, Seat
from tablier.play.game import Conductor

NAMES = ("Anne", "Bernard", "Christine", "Daniel")


ROLLS = Sources(("roll",) * 2, "roll")


def seats(count: int, last: str = AT_TABLE) -> list[Seat]:
    return [Seat(NAMES[n], n + 1, AT_TABLE if n < count - 1 else last) for n in range(count)]


def leave(running: Conductor) -> float:
    """Kill the host as soon as the table has committed to a roll."""
    if running.session.open.rolling:
        raise KeyboardInterrupt
    return 0.01
