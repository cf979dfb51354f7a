"""A simulated table in life's time on a computer with too much to do; run it as a program."""

from __future__ import annotations

import time

from tablier.simulation.process import end_with_stdin, serve
from tablier.simulation.simulator import Simulator

TURN_S = 0.012
"""What a turn of the firmware's loop takes: of 30 ms it sees two or three."""


class Slow(Simulator):
    def await_input(self, until: int) -> None:
        super().await_input(until)
        time.sleep(TURN_S)


if __name__ == "__main__":
    end_with_stdin()
    raise SystemExit(serve(Slow(bytes(8))))
