"""A turn of each game on an emulated Pico: people press its buttons and read its pixels, nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from driving import fabricate
from playing import bodies, play

import replies
from pico_image import needs_image
from ports import Stopped
from tablier.course.chance import Sources
from tablier.course.seats import AT_TABLE, Seat
from tablier.games import game_class
from tablier.games.core import TABLE
from tablier.judge.audit import audit
from tablier.log.chain import Entry
from tablier.log.store import Log
from tablier.play.beginning import begin
from tablier.play.game import Conductor

pytestmark = [needs_image, pytest.mark.timeout(3600)]

PLACES = (2, 5, 6, 1)
"""Of the seats, so that no seat has the number of its place."""


@pytest.fixture(scope="module")
def table() -> Iterator[Any]:
    pytest.importorskip("rp2040py", reason="rp2040py is not installed; make sets it up")
    from tablier.simulation.emulated import EmulatedTable

    with EmulatedTable(virtual=True, seed=1) as it:
        yield it


class Turn:
    """Stops the game when it is another seat's turn; 0: than that of whoever begins."""

    def __init__(self, seat: int) -> None:
        self._seat = seat

    def __call__(self, running: Conductor) -> float:
        position = running.session.position
        if not self._seat and TABLE not in position.to_move:
            self._seat = position.state.turn
        if self._seat and position.state.turn != self._seat:
            raise Stopped
        return 1.0


def turn(
    table: Any, folder: Path, game: str, seat: int, moves: Sequence[str] = (), made: int = 0, rolls: bool = False
) -> tuple[list[str], list[Entry]]:
    """Have people play the turn of a seat, by ``moves`` as far as these go; the first ``made`` are in the log before.

    Return the moves of the turn and all entries.
    """
    count = max(2, game_class(game).seat_counts[0])
    seats = [Seat("ABCD"[n], PLACES[n], AT_TABLE) for n in range(count)]
    sources = Sources(("roll",) * count) if rolls else None
    with Log.open(folder / "log.db") as log:
        options = {"first": "p1"} if game == "roudalon" else {}
        number = begin(log, game, options, seats, seed="ab" * 32, sources=sources)
        fabricate(log, number, moves[:made])
        with suppress(Stopped):
            play(log, number, table, moves or None, hook=Turn(seat), quiet_s=1.0)
        played, entries = log.moves(number)[made:], list(log.entries())
    assert audit(entries).games == 1
    assert all(move == told for move, told in zip(played, moves[made:], strict=False))
    print(f"{game}: {', '.join(played)}; by {table.tester.time():.1f} s of the Pico's time")
    return played, entries


def test_dilemma(table: Any, tmp_path: Path) -> None:
    """An offer by a menu, a card through the beams, its claim, and a duel under two hoods."""
    meant = ["p1 offer 1", "p2 throw 2 flat", "table close", "p1 duel peace", "p2 duel peace"]
    played, entries = turn(table, tmp_path, "dilemma", 1, meant)
    assert played[:3] == meant[:3] and sorted(played[3:5]) == meant[3:]
    assert len(bodies(entries, "table", replies.LANDED)) == 1 and len(bodies(entries, "table", replies.OPENED)) == 2


def test_struggle(table: Any, tmp_path: Path) -> None:
    """Dice that table and host roll together, marked under the hood, and pawns by menus."""
    played, entries = turn(table, tmp_path, "struggle", 0, rolls=True)  # what is dealt says who begins
    assert any(" play " in move for move in played)
    rolled = [body for body in bodies(entries, "move") if body["by"] == "roll"]
    assert rolled and audit(entries).rolls == len(rolled)


def test_dicke_daemonen(table: Any, tmp_path: Path) -> None:
    """The fist by a peek; a field and a spot in the open; what, and a prediction, in secret menus."""
    played, entries = turn(table, tmp_path, "dicke-daemonen", 1)
    own = [move for move in played if move.startswith("p1 ")]
    assert [move.split()[1] for move in own][:1] == ["place"] and own[1].split()[1] in ("predict", "pass")
    assert all("salt" in body for body in bodies(entries, "table", replies.PICKED)[-2:])


def test_roudalon(table: Any, tmp_path: Path) -> None:
    """A throw by menus, and a die that table and host roll together."""
    count = game_class("roudalon").seat_counts[0]
    stakes = [f"p{seat} bet 1" for seat in (*range(1, count + 1), 1)]
    played, entries = turn(table, tmp_path, "roudalon", 2, [*stakes, "p2 roll 1"], len(stakes), rolls=True)
    assert played[0] == "p2 roll 1" and played[1].startswith("table dice ")
    assert audit(entries).rolls == 1


def test_d21(table: Any, tmp_path: Path) -> None:
    """Which die, which way, how far."""
    played, _ = turn(table, tmp_path, "d21", 1, ["p1 c2-c4"])
    assert played == ["p1 c2-c4"]
