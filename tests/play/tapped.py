"""A simulated table that keeps what goes over its line and what its pixels show, byte by byte; run it as a program."""

from __future__ import annotations

import os
import sys
from typing import Any

from tablier.simulation.process import end_with_stdin, serve
from tablier.simulation.simulator import Simulator
from tablier_fw import wire


class Tapped(Simulator):
    """Two more verbs: ``tapped`` tells what has happened so far, as [µs, what, hexadecimal bytes]; ``draw HEX``
    settles what the firmware draws next of that many bytes."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._kept: list[tuple[int, str, str]] = []
        self.port.on_read = lambda data: self._keep(wire.TO_TABLE, data)
        self.port.on_sent = lambda data: self._keep(wire.TO_HOST, data)
        self.board.on_picture = lambda pixels: self._keep("pixels", pixels)
        self._draw = self.functions["entropy"]
        self.functions["entropy"] = lambda count: self._settled.pop(int(count), "") or self._draw(count)
        self._settled: dict[int, str] = {}
        self.verbs.add({"tapped": lambda args: {"ok": True, "kept": self._kept}, "draw": self._settle}, None)

    def _settle(self, args: list[str]) -> dict[str, Any]:
        self._settled[len(args[0]) // 2] = args[0]
        return {"ok": True}

    def _keep(self, what: str, data: bytes) -> None:
        self._kept.append((self.timeline.now(), what, data.hex()))


def table_of(arguments: list[str]) -> Tapped:
    """Return a table in virtual time, whatever the arguments are; ``TAPPED_SEED`` makes it repeatable."""
    end_with_stdin()
    return Tapped(bytes(8), virtual=True, every_turn=True, seed=int(os.environ["TAPPED_SEED"]))


if __name__ == "__main__":
    raise SystemExit(serve(table_of(sys.argv[1:])))
