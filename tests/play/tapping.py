"""A simulated table that keeps what goes over its line, and the frames of what it has kept."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from tablier.simulation.simulated import SimulatedTable
from tablier_fw import wire


class TappedTable(SimulatedTable):
    program = "tapped"


class Frame(NamedTuple):
    """A frame that went over the line."""

    us: int
    way: str
    name: str
    values: tuple[Any, ...]
    """All but hashes."""
    length: int
    piece: int
    """Which of the pieces that were kept has its end."""


def frames_of(kept: list[Any]) -> Iterator[Frame]:
    splitters = {wire.TO_TABLE: wire.Splitter(), wire.TO_HOST: wire.Splitter()}
    for piece, (us, what, data) in enumerate(kept):
        if what == "pixels":
            continue
        lines: list[bytes] = []
        splitters[what].feed(bytes.fromhex(data), lines)
        for line in lines:
            message, _, _, payload = wire.unframe(line)
            values = dict(zip(message.names, message.decode(payload), strict=True))
            values.pop("commitment", None)
            if message is wire.STATUS:  # revisions of what the host has committed to are computed from it
                held = values["held"]
                values["held"] = held[: 4 * wire.OUTSIDE_SLOT] + held[4 * wire.TONE_SLOT :]
            yield Frame(us, what, message.name, tuple(values.items()), len(line), piece)
