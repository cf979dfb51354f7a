"""The rolls of a table in a log, boot by boot: what is missing, and the seal that the table shows.

The table numbers the rolls of a boot, and keeps a chain of hashes over all rolls and openings ("The seal" in
``firmware/PROTOCOL.md``). A log that holds every event of the boot leads to the same chain.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from tablier.log.chain import Entry
from tablier.texts import Json, Text
from tablier_fw import seal, wire

Body = dict[str, Any]
_UNREADABLE = (KeyError, TypeError, ValueError, OverflowError, struct.error)


@dataclass
class Boot:
    """A boot of a table, as a log knows it."""

    board: str
    boot: str
    seal: bytes
    event: int = 0
    """The number of the last event."""
    roll: int = 0
    """The number of the last roll."""
    begun: int = 0
    """The rolls that the table has committed to."""
    revealed: int = 0
    missing_events: list[tuple[int, int]] = field(default_factory=list)
    """First and last of each row of events that are not in the log."""
    older: set[int] = field(default_factory=set)
    """The last of each row that the table had told of as logged: the log was an older copy, or damaged."""
    lost: int = 0
    """The events that went with a restart of the table: none of them had been taken, and their questions were asked
    again."""
    missing_rolls: list[tuple[int, int]] = field(default_factory=list)
    misnumbered: list[int] = field(default_factory=list)
    """The numbers of rolls that do not follow on the one before."""
    counted: list[list[int]] = field(default_factory=list)
    """The table's counts where the log's differ: begun, revealed, acknowledged, abandoned."""
    uncounted: int = 0
    """The rolls that the table has counted beyond those of the log and those missing by their numbers."""

    @classmethod
    def of(cls, board: str, boot: str) -> Boot:
        """Return a boot of which nothing is known yet; both ids are hexadecimal."""
        ids = bytes.fromhex(board), bytes.fromhex(boot)
        return cls(ids[0].hex(), ids[1].hex(), seal.begin(*ids))

    @property
    def picture(self) -> list[int]:
        """Return what the pixels of the ring show of the seal: numbers from 0 to 7."""
        return list(seal.picture(self.seal))

    def take(self, entry: Entry, added: Mapping[int, bytes]) -> None:
        """Take an event of this boot; of one that this program would not write its number alone is taken.

        ``added``: what the host contributed, by question; only the seal needs it.
        """
        if entry.number is None:
            return
        if entry.kind == "since":  # events up to here are another log's
            self.missing_events.append((self.event + 1, entry.number))
            self.older |= {entry.number} if "lost" in entry.body else set()
            self.event = entry.number
            return
        if entry.number > self.event + 1:
            self.missing_events.append((self.event + 1, entry.number - 1))
        self.event = entry.number
        with suppress(*_UNREADABLE):
            if entry.kind == "table":
                self._link(entry.number, entry.body, added)
            elif entry.kind == "fault":  # the table has said it all the same
                self._link(entry.number, entry.body["event"] if "event" in entry.body else _decoded(entry.body), added)

    def _link(self, number: int, body: Body, added: Mapping[int, bytes]) -> None:
        event = body["event"]
        if event == "committed":
            roll = body.get("roll", 0)
            said = bytes.fromhex(body["commitment"]) + struct.pack("<I", roll)
            if roll > self.roll + 1:
                self.missing_rolls.append((self.roll + 1, roll - 1))
            elif roll <= self.roll and self.roll:  # firmware of version 2.1 counts none
                self.misnumbered.append(roll)
            self.roll = max(self.roll, roll)
            self.begun += 1
            message = wire.COMMITTED
        elif event == "revealed":
            said = bytes.fromhex(body["nonce"]) + added.get(body["id"], b"")
            self.revealed += 1
            message = wire.REVEALED
        elif event == "opened":
            said = bytes.fromhex(body["nonce"]) + bytes((body["choice"],))
            message = wire.OPENED
        else:
            return
        self.seal = seal.link(self.seal, message.code, number, body["id"], body["place"], said)

    def counts(self, rolling: bool) -> list[int]:
        """Return what an honest table counts in a boot whose events are all in the log, when they are acknowledged:
        rolls begun, revealed, acknowledged and abandoned. ``rolling``: the last one is still open."""
        return [self.begun, self.revealed, self.revealed, self.begun - self.revealed - rolling]

    def gaps(self) -> list[Text]:
        """Return a sentence for each thing that is missing or wrong, by the numbers of events and rolls, without its
        full stop."""
        boot = {"boot": self.boot}
        wrong = []
        for first, last in self.missing_events:
            several = Text("events {first} to {last} of boot {boot} are not in this log", row(first, last) | boot)
            one = Text("event {first} of boot {boot} is not in this log", row(first, last) | boot)
            told = several if last > first else one
            older = Text("{missing}: it was older than the table", {"missing": told})
            wrong.append(older if last in self.older else told)
        for first, last in self.missing_rolls:
            several = Text("rolls {first} to {last} are missing from boot {boot} in this log", row(first, last) | boot)
            one = Text("roll {first} is missing from boot {boot} in this log", row(first, last) | boot)
            wrong.append(several if last > first else one)
        for number in self.misnumbered:
            wrong.append(
                Text("a roll of boot {boot} has the number {number} after a later one", boot | {"number": number})
            )
        for counts in self.counted:
            text = (
                "the table counted {counts} rolls begun, revealed, acknowledged and abandoned in boot {boot}, and this"
                " log had others"
            )
            wrong.append(Text(text, boot | {"counts": counts}))
        return wrong


class Boots:
    """The boots of all tables in a log, the latest last. Feed it every entry in order."""

    def __init__(self, entries: Iterable[Entry] = ()) -> None:
        self._boots: dict[str, Boot] = {}
        self._added: dict[int, bytes] = {}  # what the host contributed, by question: no two games share an id
        for entry in entries:
            self.take(entry)

    def gaps(self) -> list[Text]:
        """Return a sentence, without its full stop, for each row of events and of rolls that is not in the log."""
        return [sentence for boot in self._boots.values() for sentence in boot.gaps()]

    @property
    def missing(self) -> tuple[int, int]:
        """Return how many events and how many rolls are not in the log."""
        boots = self._boots.values()
        events = sum(_rows_total(boot.missing_events) for boot in boots)
        return events, sum(_rows_total(boot.missing_rolls) + boot.uncounted for boot in boots)

    @property
    def lost(self) -> int:
        """Return how many events went with restarts of tables."""
        return sum(boot.lost for boot in self._boots.values())

    def of(self, boot: str) -> Boot | None:
        """Return a boot; ``None`` for one that the log does not know."""
        return self._boots.get(boot)

    @property
    def latest(self) -> Boot | None:
        """Return the boot that was played at last; ``None`` for a log without a table."""
        return next(reversed(self._boots.values()), None)

    def take(self, entry: Entry) -> None:
        """Take what an entry says; one that this program would not write says nothing."""
        with suppress(*_UNREADABLE):
            self._take(entry)

    def _take(self, entry: Entry) -> None:
        body = entry.body
        if entry.kind == "table" and body["event"] == "hello":
            board, boot = body["board"], body["boot"]
            known = self._boots.pop(boot, None) or Boot.of(board, boot)
            self._boots[boot] = known  # the latest last
        elif entry.kind == "contribution":
            self._added[body["id"]] = bytes.fromhex(body["bytes"])
        elif entry.kind == "warning" and "counts" in body:
            of, counts = self._boots[body["boot"]], [int(count) for count in body["counts"]]
            of.counted.append(counts)
            of.uncounted = max(of.uncounted, counts[0] - of.begun - _rows_total(of.missing_rolls))
        elif entry.kind == "gap" and body["lost"]:
            self._boots[body["boot"]].lost += body["lost"]
        if entry.boot in self._boots:
            self._boots[entry.boot].take(entry, self._added)


def _decoded(body: Body) -> Body:
    """Return what a payload that was no message of the open question says, as an entry would have it."""
    message = wire.BY_CODE[body["code"]]
    values = zip(message.names, message.decode(bytes.fromhex(body["payload"])), strict=True)
    return {"event": message.name} | {key: it.hex() if isinstance(it, bytes) else it for key, it in values}


def _rows_total(rows: Iterable[tuple[int, int]]) -> int:
    return sum(last - first + 1 for first, last in rows)


def row(first: int, last: int) -> Json:
    """Return the ends of a row of numbers as arguments of a text; the last one only where it is another."""
    return {"first": first} | ({"last": last} if last > first else {})


__all__ = ["Boot", "Boots", "row"]
