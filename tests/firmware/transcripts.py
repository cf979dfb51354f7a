"""All that passes over the line in a short game."""

from __future__ import annotations

from typing import Any

from tests.firmware.desk import Desk

from tablier.texts import Json
from tablier_fw import wire


def transcript() -> list[tuple[float, bool, str, Json]]:
    """All that passes over the line in a short game of presses and cards."""
    desk = Desk(11, board="00112233445566ff")
    lines: list[tuple[float, bool, str, Json]] = []

    def tap(inward: bool, message: wire.Message, values: tuple[Any, ...]) -> None:
        fields = dict(zip(message.names, values, strict=True))
        # The collector takes some bytes for pointers, and the id of this run of the host is among them. What is left
        # over decides when memory is short, and so when it is collected again.
        for name in ("heap_used", "heap_free", "collections"):
            fields.pop(name, None)
        lines.append((desk.clock.now(), inward, message.name, fields))

    desk.client.trace = tap
    try:
        desk.ask(wire.WINDOW, 0, 0b111, 0, 2000, 1000, 0)
        for how in ("flat", "rim"):
            desk.tester.land(how)
            desk.press(1, "plus")
        desk.run(3)
        desk.ask(wire.CHOICE, 0, 0b11, 0, b"\3\3\0\0\0\0", bytes(6), b"\3\7")
        for place in (1, 2):
            desk.press(place, "a", "plus")
        desk.run(1)
    finally:
        desk.close()
    return lines
