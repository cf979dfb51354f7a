"""What ``tablier table linetest`` prints at a simulated table, in virtual time. ``python -m tests.golden.linetest``
writes the file."""

from __future__ import annotations

import io
from contextlib import redirect_stdout
from pathlib import Path

from tablier.cli.main import main
from tablier.simulation.simulated import SimulatedTable

GOLDEN = Path(__file__).parent / "tables" / "linetest.txt"
BOARD = "00000000000000a1"


def printed() -> tuple[int, str]:
    """Return the exit status, and what is printed."""
    out = io.StringIO()
    with SimulatedTable(virtual=True, seed=7, board=BOARD) as table, redirect_stdout(out):
        status = main(["table", "linetest", "--port", table.first_port, "--seconds", "4"])
    return status, out.getvalue()


if __name__ == "__main__":
    GOLDEN.write_text(printed()[1])
