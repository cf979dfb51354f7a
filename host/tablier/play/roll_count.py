"""Comparing the table's count of its rolls with the log's."""

from __future__ import annotations

from tablier.course.chance import Sources
from tablier.course.entries import Body
from tablier.log.boots import Boot
from tablier.log.store import Log
from tablier.table.client import Client
from tablier.texts import Text
from tablier_fw import rolls, wire

COUNT_S = rolls.STAND_MS / 1000 + 1.0
"""The seconds the end of a game waits for the table's count of its rolls, of which the last may still stand."""

AT_ONCE = 200
"""The events of a boot that are read in one go: others wait meanwhile."""


class RollCount:
    """Compares the table's count of its rolls with the log's: when a game is resumed, when the table comes back, and at
    the end."""

    def __init__(self, client: Client | None, log: Log) -> None:
        self._client = client
        self._log = log
        self._due = False
        self._until = 0.0
        self._boot: Boot | None = None  # of the table, as far as the log was read
        self._reads = False
        self._beside: list[int] | None = None  # what the table is known to count beside the rolls of this log

    def compare_soon(self) -> None:
        """Have the counts compared once nothing is on its way."""
        self._due = True

    def compare_at_end(self, now: float, sources: Sources) -> None:
        """Have the counts compared for a game that is over, which waits for it. ``sources``: those of its chance."""
        if self._client is not None and self._may_roll(sources):
            self._due, self._until = True, now + COUNT_S

    def forget(self) -> None:
        """Forget the known difference: events are missing, or the boot is another."""
        self._beside = None

    def waits(self, now: float) -> bool:
        """Return whether the table is about to say how many rolls it counts, after the end of the game."""
        client = self._client
        return self._due and client is not None and client.connected and now < self._until

    @property
    def reads(self) -> bool:
        """Return whether there is more to be read in the log before the counts can be compared."""
        return self._reads

    def _read_on(self, board: str, boot: str) -> Boot:
        """Return the table's boot as far as the log was read, some events further than before."""
        if self._boot is None or self._boot.boot != boot:
            self._boot = Boot.of(board, boot)
        events = list(self._log.events(boot, self._boot.event, AT_ONCE))
        for entry in events:
            self._boot.take(entry, {})
        self._reads = len(events) == AT_ONCE
        return self._boot

    def compare(self, sources: Sources, *, rolling: bool) -> tuple[Text, Body] | None:
        """Return a difference that is not known yet, in words and for the log, if the counts are due and there is one.

        ``sources``: those of the game's chance; ``rolling``: the table has committed to a roll that is not revealed.
        """
        client, self._reads = self._client, False
        if not self._due or client is None or not client.abilities & wire.CAN_TUMBLE:  # older firmware does not count
            self._due = False
            return None
        status = client.settled
        if status is None:
            return None
        if not self._may_roll(sources):
            self._due = False
            return None
        assert client.board is not None and client.boot is not None
        of = self._read_on(client.board, client.boot)
        if self._reads:
            return None
        self._due = False
        counts = [status[name] for name in ("begun", "revealed", "acknowledged", "abandoned")]
        ours = of.counts(rolling)
        beside = [theirs - own for theirs, own in zip(counts, ours, strict=True)]
        if self._beside is None:  # rolls among events of which the log says that it has not got them are known of
            self._beside = beside if of.missing_events else [0, 0, 0, 0]
        if beside == self._beside:
            return None
        self._beside = beside
        args = {"table": ", ".join(map(str, counts)), "log": ", ".join(map(str, ours))}
        text = Text(
            "The table and this log count its rolls differently. Begun, revealed, acknowledged, abandoned: {table} at"
            " the table, {log} in the log.",
            args,
        )
        return text, {"what": "rolls", "why": text.to_json(), "boot": client.boot, "counts": counts}

    def _may_roll(self, sources: Sources) -> bool:
        """Return whether there may be rolls to count: the game rolls, or the table has rolled since it started."""
        assert self._client is not None
        return bool(sources.abilities & wire.CAN_ROLL or self._client.status.get("begun"))
