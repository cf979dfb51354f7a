"""Games at the simulated table by simulated people in a process of their own, who are given pixels, what lies in the
arena and a spectator's updates; mixed with bots, one of them a program; and at screens."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from driving import FLAT
from playing import bodies, exported, meant_game
from whole_games import COUNTS, GAMES, NAMES, OPTIONS, play

import replies
from at_screens import TO_A_DUEL, Screen, Screens
from ports import Stopped, each, run
from sample import sample, thorough
from tablier.bots.sources import STAND_IN
from tablier.course.seats import AT_SCREEN, AT_TABLE, Seat
from tablier.judge.audit import audit
from tablier.log.store import Log
from tablier.play.beginning import begin
from tablier.play.game import Conductor
from tablier.record import replay
from tablier.table.clock import LifeClock
from tablier.texts import render

EXTERNAL = """
import json, sys
hello = json.loads(sys.stdin.readline())
assert hello["tablier"] == 1 and set(hello) == {"tablier", "game", "seats", "options", "seat"}
for line in sys.stdin:
    asked = json.loads(line)
    print(json.dumps({"move": None if asked["may_pass"] else asked["moves"][-1]}), flush=True)
"""
PLIES = 20


@pytest.fixture
def program(tmp_path: Path) -> str:
    return written(tmp_path, EXTERNAL)


def written(tmp_path: Path, code: str) -> str:
    """The source of a seat for which a program decides, in a folder of its own."""
    (tmp_path / "program").mkdir()
    (tmp_path / "program" / "bot.py").write_text(code)
    return f"bot:{sys.executable} {tmp_path / 'program' / 'bot.py'}"


def seats(game: str, *away: str) -> list[Seat]:
    """Simulated people, the last of whom give their seats to other sources."""
    count = COUNTS[game]
    sources = [AT_TABLE] * (count - len(away)) + list(away)
    return [Seat(NAMES[n], n + 1, source, "random" if source == AT_TABLE else "") for n, source in enumerate(sources)]


@pytest.mark.parametrize(
    "mixed", sample([True], [False, True]), ids=lambda mixed: "with_bots" if mixed else "people_alone"
)
@pytest.mark.parametrize("game", ["roudalon", "struggle", "d21", "dicke-daemonen"][:: sample(4, 1)])
def test_by_buttons_alone(game: str, mixed: bool, tmp_path: Path, program: str) -> None:
    """The log has what they meant, in order, and the audit runs it again."""
    away = ("greedy", program)[: COUNTS[game] - 1] if mixed else ()
    decided = play(tmp_path, game, seats(game, *away), PLIES)
    with Log.read(tmp_path / "log.db") as log:
        moves = log.moves(1)
        assert audit(log.entries()).games == 1
    meant = dict(decided)
    assert meant
    people = {f"p{n}" for n in range(1, COUNTS[game] + 1 - len(away))}
    for ply, move in enumerate(moves):
        if move.split()[0] in people:
            assert move == meant[ply]


@thorough
@pytest.mark.parametrize("number", range(GAMES or 1))
def test_dilemma_through_the_sensors_as_it_was_meant(number: int, tmp_path: Path) -> None:
    meant = meant_game(3, 5 + number)
    seated = [Seat(name, place, AT_TABLE, "greedy") for name, place in zip(meant.players, (1, 2, 4), strict=True)]
    play(tmp_path, "dilemma", seated, 99, meant)
    with Log.read(tmp_path / "log.db") as log:
        assert exported(log, 1) == meant
        assert audit(log.entries()).games == 1
        first = bodies(list(log.entries()), "table", replies.PICKED)[0]
    assert first["time"] < "1970-01-01T00:00:03"  # no time passes before the people are there


def test_a_neighbour_lays_the_cards_of_bots(tmp_path: Path) -> None:
    seated = seats("dilemma", "greedy", "random")
    play(tmp_path, "dilemma", seated, 10**6)
    with Log.read(tmp_path / "log.db") as log:
        moves, entries = log.moves(1), list(log.entries())
        assert replay(exported(log, 1)).is_over
        assert audit(entries).games == 1
    thrown = [body for body in bodies(entries, "reply") if body["event"] == replies.THROWN]
    assert thrown
    for body in thrown:
        assert any(move.startswith(f"p{body['seat']} throw {body['rank']} ") for move in moves)
    outside = [move for move in moves if move.endswith(" outside")]
    assert len(outside) < len(thrown) / 2, "the window was closed before somebody could lay them"


# -- away from the table ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", range(GAMES or 1))
@pytest.mark.parametrize("game", ["dilemma", "roudalon", "struggle", "d21", "dicke-daemonen"][:: sample(5, 1)])
def test_at_screens_beside_a_bot_that_is_a_program(game: str, number: int, tmp_path: Path, program: str) -> None:
    count = COUNTS.get(game, 2)
    seated = [Seat(NAMES[n], 0, AT_SCREEN if n < count - 1 else program) for n in range(count)]
    with Log.open(tmp_path / "log.db") as log:
        running = Conductor(log, begin(log, game, OPTIONS.get(game, {}), seated), LifeClock())
        screens = [Screen(n, running, n + 10 * number) for n in range(1, count)]

        def hook() -> float:
            if not GAMES and running.session.position.ply > 40:
                raise Stopped
            return 0.0

        try:
            run(running, hook=hook)
        except Stopped:
            pass
        finally:
            running.close()
        assert audit(log.entries()).games == 1
        assert running.session.position.ply > 2
    assert all(len(screen.updates) > 2 for screen in screens)


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("raise SystemExit", "ended"),
        ("import sys; [print('x', flush=True) for line in sys.stdin]", "not JSON"),
        ('import sys; [print(\'{"move": "win"}\', flush=True) for line in sys.stdin]', "not one of its moves"),
        ("import time; time.sleep(99)", "more than 0.3 seconds"),
    ],
    ids=["dies", "babbles", "cheats", "hangs"],
)
def test_a_bot_that_fails_loses_its_seat_to_a_built_in_one(
    code: str, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tablier.bots import bots

    if "0.3" in why:  # the others may take as long to start as a busy computer needs
        monkeypatch.setattr(bots.External.__init__, "__defaults__", (0.3,))
    seated = [Seat("Anne", 0, "greedy"), Seat("Bernard", 0, written(tmp_path, code))]
    with Log.open(tmp_path / "log.db") as log:
        running = Conductor(log, begin(log, "struggle", {}, seated), LifeClock())
        news: list[Any] = []
        running.watch((None,), each(lambda update: news.extend(update.news)))
        run(running)
        running.close()
        assert audit(log.entries()).games == 1
        (sits,) = [entry.body for entry in log.entries(1) if entry.kind == "sits"]
    (told,) = [each.text.args for each in news if each.kind == "bot"]
    assert why in render(told["why"], ["Anne", "Bernard"]) and sits["source"] == STAND_IN


# -- what the file holds ---------------------------------------------------------------------------------------------


def test_a_choice_at_a_screen_is_not_in_the_file_before_all_are_bound(tmp_path: Path) -> None:
    seated = [Seat(NAMES[n], 0, AT_SCREEN) for n in range(3)]
    with Log.open(tmp_path / "log.db") as log:
        room = Screens(log, begin(log, "dilemma", {}, seated, seed=FLAT), LifeClock(), (1, 2, 3))
        room.play(*TO_A_DUEL)
        room.lock(1, 1)
        (entry,) = list(log.entries())[-1:]
        assert entry.kind == "commitment"
        assert set(entry.body) == {"event", "id", "seat", "commitment"}
