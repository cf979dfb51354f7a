"""The table of an evening, which stays where it is between the games."""

from __future__ import annotations

from tablier.keeper.playable import SIMULATED
from tablier.keeper.protocol import Table
from tablier.log.evenings import Evening
from tablier.simulation.simulated import SimulatedTable

VIRTUAL = "virtual"
"""What a log calls a simulated table whose time passes as fast as it can; before its port where that has one."""


class EveningTable:
    """A table for several games, one after the other: at a port, a simulated one, or none."""

    def __init__(self, table: Table) -> None:
        """``table``: as it was asked for; its port is ``None`` where an evening has no table."""
        self.table = table
        self._simulated: SimulatedTable | None = None

    @staticmethod
    def read(evening: Evening) -> EveningTable:
        """Return the table of an evening of the log."""
        first, _, port = evening.table.partition(" ")
        virtual = first == VIRTUAL
        port = (port or SIMULATED) if virtual else evening.table
        return EveningTable(Table(port=port or None, virtual=virtual, quiet_s=evening.quiet_s, pace_s=evening.pace_s))

    @property
    def name(self) -> str:
        """Return the name of the table in the log; empty for none."""
        port = self.table.port or ""
        if not self.table.virtual:
            return port
        return VIRTUAL if port == SIMULATED else f"{VIRTUAL} {port}"

    @property
    def paces(self) -> dict[str, float]:
        """Return what the log keeps of it besides, for all games of the evening."""
        paces = {"quiet_s": self.table.quiet_s, "pace_s": self.table.pace_s}
        return {key: seconds for key, seconds in paces.items() if seconds is not None}

    @property
    def port(self) -> str | None:
        """Return the port of a table that is not the keeper's own."""
        return None if self.table.port == SIMULATED else self.table.port

    def simulated(self) -> SimulatedTable:
        """Return the simulated table, which is started for the first game; call from the thread that sets a game up."""
        if self._simulated is None:
            self._simulated = SimulatedTable(virtual=self.table.virtual)
        return self._simulated

    def close(self) -> None:
        """Take a simulated table away."""
        if self._simulated is not None:
            self._simulated.close()
            self._simulated = None
