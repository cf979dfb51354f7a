"""A simulated table whose firmware fails: its board answers a word of ``BROKEN`` where it expects a number."""

from __future__ import annotations

import os

from tablier.simulation.process import end_with_stdin
from tablier.simulation.simulator import Simulator


def table_of(arguments: list[str]) -> Simulator:
    """Return the table, whatever the arguments are."""
    end_with_stdin()
    table = Simulator(bytes(8), virtual=True)
    table.functions["wait"] = lambda request: os.environ["BROKEN"]
    return table
