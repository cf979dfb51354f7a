"""When what is open ends by itself, as those who watch are told: what sets that, and what does not."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from pressed import Table, game_at
from pytest import approx

from of_kind import of_kind
from ports import each
from tablier import messages
from tablier.course.asides import APART_S
from tablier.course.seats import AT_TABLE, Seat
from tablier.games.core import Position
from tablier.games.core.questions import Closed, Conditions, Menu, Script, Window
from tablier.log.store import Log
from tablier.messages import Update, ViewedQuestion
from tablier.play.beginning import begin
from tablier.play.game import CALL_S, Conductor
from tablier.table.incoming import Walked
from tablier.texts import Text
from tablier_fw import wire

QUIET_S = 7.0
SEATS = [Seat("Anne", 1, AT_TABLE), Seat("Bernard", 2, AT_TABLE)]


def left(updates: list[Update]) -> float | None:
    """Return the seconds that what is open has left, as the last update says."""
    at = asked(updates).deadline
    return None if at is None else at - updates[-1].now


def asked(updates: list[Update]) -> ViewedQuestion:
    """Return what was asked last."""
    return of_kind(ViewedQuestion, updates[-1].question)


def windows(position: Position[Any], conditions: Conditions) -> Script:
    """Ask for cards twice, as after a restart the second time; then for a pick."""
    window = Window("cards", (1, 2), Text("Throw."), quiet_s=QUIET_S)
    for each_window in (window, replace(window, seen=1)):
        while not isinstance((yield each_window), Closed):
            pass
    while True:
        yield Menu("turn", (1,), Text("Pick."), options=(Text("red"), Text("blue")), labels=(1, 2))


def test_a_window_ends_some_seconds_after_a_card_was_seen_to_land_in_it(tmp_path: Path) -> None:
    """A knock that nothing has seen keeps none open; one that is open again has the time that its card gives it."""
    with Log.open(tmp_path / "log.db") as log:
        game = begin(log, "d21", {}, SEATS)
        with game_at(table := Table(), log, game, partial(Conductor, script=windows)) as (running, turn):
            updates: list[Update] = []
            running.watch((None,), each(updates.append))
            running.start()
            turn()

            def say(message: wire.Message, *values: int) -> None:
                table.number += 1
                table.send(message, table.number, 10**9, running.session.id, *values)
                turn()

            assert left(updates) is None
            say(wire.LANDED, 0, 0, 0, 0, 3, 20, wire.UNSEEN)
            assert left(updates) is None
            say(wire.LANDED, 1, 0, 0, 0, 3, 90, 0)
            assert left(updates) == approx(QUIET_S, abs=0.5)
            say(wire.CLOSED, wire.CLOSE_QUIET, 2)
            assert left(updates) == approx(QUIET_S, abs=0.5) and isinstance(updates[-1].question, messages.Window)
            running.pause(1)
            assert left(updates) is None
            say(wire.ANSWERED, 1, 1)
            assert left(updates) == approx(APART_S + QUIET_S, abs=0.5), "the table asks a second later"
            say(wire.CLOSED, wire.CLOSE_QUIET, 1)
            assert left(updates) is None and isinstance(updates[-1].question, messages.Menu)


def test_a_caller_who_walks_through_the_menu_has_a_minute_again(tmp_path: Path) -> None:
    with Log.open(tmp_path / "log.db") as log:
        game = begin(log, "d21", {}, SEATS)
        with game_at(Table(), log, game) as (running, turn):
            updates: list[Update] = []
            running.watch((None,), each(updates.append))
            running.start()
            turn()
            running.call(1)
            told = [of_kind(float, asked(updates).deadline)]
            assert left(updates) == approx(CALL_S, abs=0.5)
            for place in (1, 2):  # the other one has nothing to say here
                turn()  # which takes its time
                running.take(Walked(running.session.id, place, 1))
                told.append(of_kind(float, asked(updates).deadline))
            assert told[0] < told[1] == told[2]
