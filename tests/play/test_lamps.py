"""What the lights show of a game: rows of rings, hoods, and who sees what."""

from __future__ import annotations

from pathlib import Path

import playing
import pytest
from pressed import Table, game_at

from tablier.course.seats import AT_SCREEN, AT_TABLE, Seat
from tablier.games import rules_of
from tablier.games.core import Position
from tablier.games.core import lights as core
from tablier.games.core.lights import packed
from tablier.games.core.questions import Window
from tablier.games.dilemma import lights
from tablier.log.store import Log
from tablier.play.beginning import begin
from tablier.play.lights import STEP_S, Lamps
from tablier.texts import Text
from tablier_fw import wire


def work(lamps: Lamps, now: float) -> float | None:
    """Show what is due; return when the next picture is."""
    lamps.work(now)
    return lamps.due


def test_what_moves_is_a_row_of_rings_and_the_last_one_stands() -> None:
    shown: list[tuple[float, bytes]] = []
    now = 10.0

    def scene(group: int, pixels: bytes) -> None:
        if group == wire.RING:
            shown.append((round(now, 3), pixels))

    position = Position(rules_of("d21", 2))
    lamps = Lamps(scene, (1, 4))
    lamps.show(position, None, None, now)
    move = position.parse_push("p1 c3-c7")
    lamps.moved(move, position)
    lamps.show(position, None, None, now)
    while (due := work(lamps, now)) is not None:
        now = due
    times = [at for at, _ in shown]
    assert times == [10.0, *(round(10.0 + STEP_S * step, 3) for step in range(6))]  # c3 c4 c5 c6 c7, how things stand
    assert len({pixels for _, pixels in shown}) == 7


def test_a_menu_that_is_walked_is_not_kept_waiting_by_a_walk() -> None:
    shown: list[bytes] = []
    position = Position(rules_of("d21", 2))
    lamps = Lamps(lambda group, pixels: shown.append(pixels) if group == wire.RING else None, (1, 4))
    lamps.moved(position.parse_push("p1 c3-c7"), position)
    lamps.show(position, None, None, 0.0)
    lamps.cancel_animations()
    lamps.show(position, None, None, 0.01)
    assert len(shown) == 2 and work(lamps, 9.0) is None


def test_the_flashes_of_a_window_begin_at_once_where_it_is_open_again() -> None:
    shown: list[bytes] = []
    position = Position(rules_of("dilemma", 3))
    position.parse_push("p1 offer 5")
    lamps = Lamps(lambda group, pixels: shown.append(pixels) if group == wire.RING else None, (1, 3, 5))
    lamps.closed(position)
    lamps.show(position, Window("window", (2, 3), Text("Throw!"), quiet_s=60.0, seen=1), None, 10.0, 70.0)
    assert shown == [packed([lights.FLASH] * core.RING)]
    assert work(lamps, 10.0) == pytest.approx(10.0 + STEP_S)


def test_what_moves_after_a_roll_waits_until_the_table_shows_the_ring_again() -> None:
    """A bot's pawn would have walked under the dice."""
    shown: list[bytes] = []
    position = Position(rules_of("d21", 2))
    lamps = Lamps(lambda group, pixels: shown.append(pixels) if group == wire.RING else None, (1, 4))
    lamps.hold(12.0)
    lamps.moved(position.parse_push("p1 c3-c7"), position)
    lamps.show(position, None, None, 10.0)
    assert shown == [] and work(lamps, 10.0) == pytest.approx(12.0)
    assert work(lamps, 12.0) == pytest.approx(12.0 + STEP_S) and len(shown) == 1


def hoods(table: Table) -> dict[int, bool]:
    """Return by place whether anything was painted under its hood at last."""
    table.act()
    shown = {}
    for name, _, values in table.heard:
        if name == "scene" and values[0] >= wire.HOOD:
            levels = values[1][1::3]
            shown[values[0] - wire.HOOD + 1] = any(levels)
    return shown


def test_a_hood_is_painted_for_who_sits_at_it_and_dark_for_anybody_else(tmp_path: Path) -> None:
    """Neither a seat at a screen that has this place nor a seat of a former game, which may be the same log's."""
    others = [Seat("Christine", 5, AT_TABLE), Seat("Daniel", 6, AT_TABLE)]
    with Log.open(tmp_path / "log.db") as log:
        for second in (Seat("Bernard", 4, AT_TABLE), Seat("Bernard", 2, AT_SCREEN)):
            game = begin(log, "roudalon", {}, [Seat("Anne", 1, AT_TABLE), second, *others])
            with game_at(table := Table(), log, game) as (running, turn):
                running.start()
                turn()
                lit = {1, 5, 6} | ({4} if second.at_table else set())
                assert hoods(table) == {place: place in lit for place in range(1, 7)}


def test_a_window_that_a_table_cannot_have_closed_is_not_shown_closed(tmp_path: Path) -> None:
    for reason, closed in ((wire.CLOSE_DONE, False), (wire.CLOSE_QUIET, True)):  # nobody has done
        with Log.open(tmp_path / f"{reason}.db") as log:
            game = playing.begin(log, playing.meant_game(3, seed=1), 1)
            with game_at(table := Table(), log, game) as (running, turn):
                running.start()
                turn()
                question = running.session.question
                assert isinstance(question, Window)
                table.send(wire.CLOSED, 1, 10**9, running.session.id, reason, 0)
                turn()
                faults = [entry for entry in log.entries(game) if entry.kind == "fault"]
                assert (running.session.question is question, bool(faults), running.showing) == (
                    not closed,
                    not closed,
                    closed,
                )
