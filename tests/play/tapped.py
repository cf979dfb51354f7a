"""A simulated table that keeps what goes over its line and what its pixels show, byte by byte; run it as a program."""

from __future__ import annotations

import os
from typing import Any

from tablier.simulation.simulator import Simulator, end_with_stdin, serve
from tablier_fw import wire


class Tapped(Simulator):
    """One more verb: ``tapped`` tells what has happened so far, as [µs, what, hexadecimal bytes]."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._kept: list[tuple[int, str, str]] = []
        super().__init__(*args, **kwargs)

    def _keep(self, what: str, data: bytes) -> None:
        self._kept.append((self.now(), what, data.hex()))

    def _read_port(self) -> None:
        before = self._to_table
        super()._read_port()
        if len(self._to_table) > len(before):
            self._keep(wire.TO_TABLE, self._to_table[len(before) :])

    def _flush(self) -> None:
        before = self._to_host
        super()._flush()
        if len(self._to_host) < len(before):
            self._keep(wire.TO_HOST, before[: len(before) - len(self._to_host)])

    def _light(self, pixels: bytes) -> None:
        if pixels != self._pixels:
            self._keep("pixels", pixels)
        super()._light(pixels)

    def _verb_tapped(self, args: list[str]) -> dict[str, Any]:
        return {"ok": True, "kept": self._kept}


if __name__ == "__main__":
    end_with_stdin()
    seed = int(os.environ["TAPPED_SEED"])
    raise SystemExit(serve(Tapped(bytes(8), virtual=True, seed=seed)))
