"""Whatever happens to host, cable, table and line, the game ends with the record that was meant.

Each campaign plays one record with simulated people at a simulated table in virtual time, and breaks something again
and again. The people repeat what is not shown as taken, and contest what the review lists wrongly. A campaign that
fails says its seed; the same seed breaks the same things, at the same moments of table time where the host is not
killed.
"""

from __future__ import annotations

import fcntl
import os
import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from chaos import FAULTS, Chaos, check_log
from playing import a_table, begin, meant_game, play

import following
from sample import sample, thorough
from tablier.games.dilemma.rules import CHOICES
from tablier.log.store import Log
from tablier.record import Record
from tablier.simulation.simulated import SimulatedTable
from taken import Durable

GAMES = ((3, 5), (4, 30))
CAMPAIGNS = [pytest.param(*game, id="{} seats, seed {}".format(*game)) for game in sample(GAMES[:1], GAMES)]
TIMES = sample(2, 26)  # a campaign; two whole ones are more than fifty
PAUSE = sample(0.6, 1.2)  # seconds of table time between two deeds, at most
LOST = sample(1, 6)  # resets just after a card has landed
KILLS = 12
ALONE = 26  # kills of a host while nothing else is broken
STUCK_S = 60
TURNS = sample(3, 99)
"""How many of a game's turns are played; it is resumed after those before."""


def test_the_meant_games_hold_everything_that_can_happen() -> None:
    text = " | ".join(move for game in GAMES for move in meant_game(*game).moves)
    for how in ("flat", "leaning", "rim", "outside"):
        assert text.count(f" {how} |") >= 6
    turns = [turn.split(" | ") for turn in text.split(" offer ")[1:]]
    assert any(turn[1] == "table close" for turn in turns)  # nobody answers
    assert any(turn.count("table close") > 1 and "throw" in turn[1] for turn in turns)  # reopened
    assert any(f" throw {turn[0]} flat" in move for turn in turns for move in turn)  # a card of the rank on offer
    assert any(sum("throw" in move for move in turn) >= 5 for turn in turns)
    misses = [[move.split()[0] for move in turn if move.endswith(" outside")] for turn in turns]
    assert any(len(set(seats)) < len(seats) for seats in misses)  # two of the same seat
    duels = {tuple(move.split()[-1] for move in turn if " duel " in move) for turn in turns}
    assert duels - {()} == {(one, other) for one in CHOICES for other in CHOICES}


def turns_before(meant: Record) -> int:
    """Return the number of moves before the turns that are played."""
    offers = [ply for ply, move in enumerate(meant.moves) if " offer " in move]
    return offers[-TURNS] if len(offers) > TURNS else 0


def campaign(tmp_path: Path, count: int, seed: int, deeds: dict[str, int], pause: float, line: str = "") -> None:
    """Play a game to its end while deeds are done to it, and check its log."""
    meant, path = meant_game(count, seed), tmp_path / "log.db"
    with a_table(seed=seed) as table, Log.open(path) as log:
        if line:
            table.say(line)
        chaos = Chaos(table, path, seed, deeds, pause)
        made = turns_before(meant)
        play(log, begin(log, meant, made), table, meant.moves, hook=chaos)
        assert chaos.done == deeds
    # Over a bad line the table may have been reset twice before the host heard of the first.
    check_log(path, meant, boots=None if line else bool(made) + 1 + deeds.get("reset", 0) + deeds.get("lose", 0))


@thorough
@pytest.mark.parametrize(("count", "seed"), CAMPAIGNS)
def test_cable_pulled(count: int, seed: int, tmp_path: Path) -> None:
    campaign(tmp_path, count, seed, {"unplug": TIMES}, PAUSE)


@pytest.mark.parametrize(("count", "seed"), CAMPAIGNS)
def test_table_reset(count: int, seed: int, tmp_path: Path) -> None:
    campaign(tmp_path, count, seed, {"reset": TIMES - LOST, "lose": LOST}, PAUSE)


@thorough
@pytest.mark.parametrize(("count", "seed"), CAMPAIGNS)
def test_bad_line(count: int, seed: int, tmp_path: Path) -> None:
    campaign(tmp_path, count, seed, {}, 1.0, f"{FAULTS} seed={seed}")


@thorough
def test_cable_reset_and_line(tmp_path: Path) -> None:
    campaign(
        tmp_path,
        3,
        19,
        {"unplug": 10, "reset": 6, "lose": 4},
        1.25 * PAUSE,
        f"{FAULTS} seed=3",
    )


# -- the host, killed --------------------------------------------------------------------------------------------


class Host:
    """``tablier play`` as a process, and ``tablier resume`` when it was killed."""

    def __init__(self, tmp_path: Path, meant: Record, table: SimulatedTable, *options: str) -> None:
        self.log = tmp_path / "log.db"
        self._table = table
        self._options = options
        self._seated = following.seated(meant)
        self._followed = tmp_path / "meant.json"
        self._followed.write_text(meant.dumps() + "\n", encoding="utf-8")
        if made := turns_before(meant):
            with Log.open(self.log) as log:
                begin(log, meant, made, mind="greedy")

    def run(self, until: Callable[[], bool]) -> bool:
        """Run it until something holds, then kill it. Returns whether it came to the game's end before."""
        verb = ["resume"] if self.log.exists() and self._begun() else ["play", *self._seated]
        port = self._table.port
        options = ["--port", str(port), "--virtual", "--plain", *self._options]
        options += ["--log", str(self.log)]
        command = [sys.executable, following.__file__, str(self._followed), *verb, *options]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            began = time.time()
            try:
                while process.poll() is None and not until():
                    assert time.time() - max(began, self._written()) < STUCK_S, "nothing is logged any more"
                    time.sleep(0.01)
            finally:
                process.kill()  # whatever happens: leaving waits for its end
                self._kill_keeper()
            _, complaint = process.communicate()
        # Pulled before it had begun to play: it says so in one line.
        pulled_too_early = self._table.port != port and re.fullmatch(r"tablier: [^\n]*\n", complaint)
        assert process.returncode in (0, -signal.SIGKILL) or pulled_too_early, complaint
        if self.log.exists():
            durable = Durable(self.log)
            durable.check(self._table.tester.pixels())
            durable.close()
        return process.returncode == 0

    def _kill_keeper(self) -> None:
        """Kill what conducts the game, and wait until it has let go of the log."""
        lock = self.log.with_name(f"{self.log.name}-lock")
        if not lock.exists():
            return
        with lock.open("rb") as file:
            while True:
                try:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    return
                except BlockingIOError:
                    with suppress(ProcessLookupError, ValueError):
                        os.kill(int(file.readline()), signal.SIGKILL)
                    file.seek(0)
                    time.sleep(0.01)

    def _written(self) -> float:
        """Return when something was logged last."""
        at = 0.0
        for file in (self.log, self.log.with_name(f"{self.log.name}-wal")):
            with suppress(FileNotFoundError):
                at = max(at, file.stat().st_mtime)
        return at

    def _begun(self) -> bool:
        with Log.read(self.log) as log:
            return bool(log.games())


def kill_again_and_again(host: Host, table: SimulatedTable, seed: int, times: int, pause: float) -> int:
    """Kill the host so often, at any moment between its start and ``pause`` seconds of table time later."""
    dice = random.Random(seed)
    for killed in range(times):
        if dice.random() < 0.1:  # while it is starting
            over = host.run(after(time.monotonic, dice.uniform(0, 0.4)))
        else:
            over = host.run(after(table.tester.time, dice.uniform(0, pause)))
        if over:
            return killed
    assert host.run(lambda: False)
    return times


def after(clock: Callable[[], float], seconds: float) -> Callable[[], bool]:
    goal = clock() + seconds
    return lambda: clock() > goal


@thorough
@pytest.mark.parametrize(("count", "seed"), CAMPAIGNS)
def test_host_killed(count: int, seed: int, tmp_path: Path) -> None:
    meant = meant_game(count, seed)
    with a_table(seed=seed) as table:
        host = Host(tmp_path, meant, table)
        assert kill_again_and_again(host, table, seed, ALONE, PAUSE) == ALONE
    check_log(host.log, meant, boots=1 + bool(turns_before(meant)))


@thorough
@pytest.mark.parametrize("seed", range(10))
def test_all_at_once(seed: int, tmp_path: Path) -> None:
    """Over a bad line: while the host runs the cable is pulled and the table is reset, then the host is killed.

    The people come and go with the host, so they give each other a minute to throw.
    """
    meant, dice = meant_game(3, 19), random.Random(seed)
    with a_table(seed=seed) as table:
        table.say(f"{FAULTS} seed={seed}")
        host = Host(tmp_path, meant, table, "--quiet", "60")
        over, times = False, 0
        while not over:
            deeds = dice.sample(("reset", "unplug", "unplug", "reset"), dice.randrange(3)) if times < KILLS else []
            over = host.run(one_after_the_other(table, dice, deeds, kill=times < KILLS))
            table.say("plug")
            if dice.random() < 0.2:
                table.say("reset")  # while there is no host
            times += 1
        assert times > KILLS
    check_log(host.log, meant)


def one_after_the_other(
    table: SimulatedTable, dice: random.Random, deeds: list[str], *, kill: bool
) -> Callable[[], bool]:
    """Do deeds some time after each other, a cable pulled being plugged in again, and say when to kill the host."""
    steps = [step for deed in deeds for step in ([deed, "plug"] if deed == "unplug" else [deed])]
    due = after(table.tester.time, dice.uniform(0.3, 1.0))

    def until() -> bool:
        nonlocal due
        if not due():
            return False
        if not steps:
            return kill
        table.say(steps.pop(0))
        due = after(table.tester.time, dice.uniform(0.05, 0.6))
        return False

    return until
