"""A short end of a game of Dilemma, and what it takes to break it off at any entry and take it up again."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from playing import NAMES

from tablier.log.chain import Entry
from tablier.play.game import Conductor
from tablier.record import Record, record_of, replay
from tablier.simulation.simulated import SimulatedTable


class Watcher:
    """Remembers which cards lay in the arena when the log ended with each of its entries."""

    def __init__(self, table: SimulatedTable) -> None:
        self.piles: dict[int, list[dict[str, Any]]] = {}
        self._table = table
        self._last = 0

    def __call__(self, conductor: Conductor) -> float:
        last = conductor.log.entry_with(conductor.log.head)
        assert last is not None
        pile = self._table.say("pile")["cards"]
        for n in range(self._last + 1, last + 1):
            self.piles[n] = pile
        self._last = last
        return 1.0


def transactions(entries: Sequence[Entry]) -> list[int]:
    """The last entry of each transaction: all of its entries were logged at the same moment."""
    return [one.n for one, two in pairwise(entries) if one.at != two.at]


def cut(path: Path, copy: Path, n: int) -> None:
    """A copy of a log as it was when entry ``n`` was the last."""
    shutil.copy(path, copy)
    db = sqlite3.connect(copy)
    db.execute("DELETE FROM entry WHERE n > ?", (n,))
    for kept in ("ended", "evening", "evenings"):  # they are kept again when it is opened for writing
        db.execute(f"DELETE FROM {kept}")
    db.commit()
    db.close()


def lay(table: SimulatedTable, cards: Sequence[dict[str, Any]]) -> None:
    """Put cards into the arena, as they lay there before."""
    table.say("clear")
    for card in cards:
        table.tester.land(card["how"], card["tag"])
    table.tester.wait(1.0)


LAST_TURNS = [
    *("p1 offer 8", "p2 throw 8 flat", "p3 throw 1 leaning", "p2 throw 4 flat", "p3 throw 5 outside", "table close"),
    *("p1 duel conflict", "p2 duel peace"),
    *("p2 offer 3", "p1 throw 9 rim", "table close", "table close"),
    *("p3 offer 9", "p1 throw 2 flat", "table close", "p3 duel peace", "p1 duel conflict"),
]
"""Three seats end a game: in one turn cards of each kind are thrown, one is reopened and left unanswered."""


def ending_with(moves: list[str]) -> tuple[Record, int]:
    """A game of three seats that ends with some moves of which the first is p1's, and how many moves come before.

    In those the seats get rid of what they do not need, in throws that land on the rim and offers that nobody answers.
    """
    needed = {(move.split()[0], int(move.split()[2])) for move in moves if "offer" in move or "throw" in move}
    spare = {seat: [rank for rank in range(1, 11) if (seat, rank) not in needed] for seat in ("p1", "p2", "p3")}
    before: list[str] = []
    for seat, others in (("p1", ("p2", "p3")), ("p2", ("p1",)), ("p3", ())):
        before.append(f"{seat} offer {spare[seat].pop()}")
        for other in others:
            kept = 1 if seat == "p1" else 0  # for the offer that the seat still has to make
            before += [f"{other} throw {spare[other].pop()} rim" for _ in range(len(spare[other]) - kept)]
        before += ["table close", "table close"] if others else ["table close"]
    game = Record("dilemma", NAMES[:3], (*before, *moves))
    position = replay(game)
    assert position.is_over
    return record_of(position, game.players), len(before)
