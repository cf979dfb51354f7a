"""A host that is killed between commit and acknowledgement, and between acknowledgement and showing: at every entry of
a game of each kind, one after the other in the same game: those of a table's events, and those of screens and bots.
What was taken stands, once, and the game ends the same.

``make test`` kills at four of them, at a table in the first moves of a game; ``make thorough`` at each of a whole one.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from chaos import events_by_boot
from playing import a_table

from crowd import crowd_at
from hasty import Hasty
from ports import Stopped, console, each, open_desk, play_at, until
from replying import reply_to
from sample import sample
from tablier.bots.sources import default_bot
from tablier.course.binding import Binder
from tablier.course.chance import Sources
from tablier.course.declined import Declined
from tablier.course.entries import Item
from tablier.course.seats import AT_SCREEN, AT_TABLE, Seat
from tablier.judge.audit import audit
from tablier.keeper import desk as desks
from tablier.log.store import Log
from tablier.messages import Update
from tablier.play.beginning import begin
from tablier.play.game import OPENING_S, Conductor
from tablier.simulation.simulated import SimulatedTable
from tablier.table.client import Client
from tablier.texts import Json

GAMES: dict[str, tuple[int, Json]] = {
    "dilemma": (3, {}),
    "struggle": (2, {"board": "Y" * 14}),
    "dicke-daemonen": (2, {"layout": "ring"}),
    "roudalon": (4, {"first": "p1"}),
    "d21": (2, {"max_plies": 16}),
}
"""Seats and options with which a game is short."""
MOST = sample({"dilemma": 14, "struggle": 9, "dicke-daemonen": 10, "d21": 7}, {})
"""After how many moves a game at a table ends, if not by its rules."""
ROLLS = Sources(("roll", "roll"), "host")
SEED = "5e" * 32
FOREIGN = ("gap", "void", "aborted", "since", "fault")
"""What a log does not hold when nothing has happened but that its host was killed."""
COMMITTED, ACKNOWLEDGED = "committed", "acknowledged"


class Killed(BaseException):
    """The host's process ends here."""


class Killer:
    """Kills the host once for each event of the table, or for one in ``every``, at points of an event's way in turn."""

    def __init__(self, points: Sequence[str], every: int) -> None:
        self._points = points
        self.kills = 0
        self._every = every
        self._count = 0
        self._last: tuple[str, int] | None = None
        self._armed = False

    def acknowledge(self, event: Any, go_on: Callable[[], None]) -> None:
        if not event.number or (event.boot, event.number) == self._last:
            go_on()
            return
        self._last = event.boot, event.number
        self._count += 1
        kills = self._count % self._every == 0
        point = self._points[self.kills % len(self._points)]
        if kills and point == COMMITTED:
            self._kill()
        go_on()
        self._armed = kills and point == ACKNOWLEDGED

    def show(self, update: Update) -> None:
        if self._armed:
            self._armed = False
            self._kill()

    def _kill(self) -> None:
        self.kills += 1
        raise Killed


def play(
    log: Log, table: SimulatedTable, seated: list[Seat], followed: list[str] | None, killer: Killer | None = None
) -> None:
    """Play game 1 to its end, to the last move that it is to have, or until the host is killed."""
    most = MOST.get(log.game(1).game, 10**6)
    minds = {number: default_bot(log.game(1).game) for number in range(1, len(seated) + 1)}
    with open_desk(seated, table.port, virtual=True, seed=7) as running:
        act = crowd_at(running, minds, followed, watch=killer.show if killer else lambda update: None)
        with suppress(Stopped):
            play_at(running, log, 1, hook=until(most, lambda conductor: act()))


@pytest.mark.parametrize("points", sample([(COMMITTED, ACKNOWLEDGED)], [(COMMITTED,), (ACKNOWLEDGED,)]), ids="+".join)
@pytest.mark.parametrize(
    ("game", "sources"),
    [*((game, None) for game in sample([], list(GAMES))), ("struggle", ROLLS)],
)
def test_a_host_killed_on_an_events_way_loses_nothing_and_doubles_nothing(
    game: str, sources: Sources | None, points: Sequence[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the host's own chance the killed game is move by move the whole one; a table that rolls rolls otherwise."""
    count, options = GAMES[game]
    seated = [Seat(name, place, AT_TABLE) for name, place in zip("ABCD"[:count], (1, 2, 4, 5), strict=False)]
    whole, killed = tmp_path / "whole.db", tmp_path / "killed.db"
    with a_table(seed=3) as table, Log.open(whole) as log:
        begin(log, game, options, seated, seed=SEED, sources=sources)
        play(log, table, seated, None)
        meant, result = log.moves(1), log.game(1).result
        events = sum(entry.number is not None for entry in log.entries(1))
    killer = Killer(points, sample(max(1, events // 4), 1))

    class Mortal(Client):
        def acknowledge(self, event: Any) -> None:
            killer.acknowledge(event, lambda: super(Mortal, self).acknowledge(event))

    monkeypatch.setattr(desks, "Client", Mortal)
    with a_table(seed=3) as table:
        with Log.open(killed) as log:
            begin(log, game, options, seated, seed=SEED, sources=sources)
        while True:
            try:
                with Log.open(killed) as log:
                    play(log, table, seated, meant, killer)
                break
            except Killed:
                continue
    assert killer.kills > sample(2, events // 2)
    with Log.read(killed) as log:
        assert sources or (log.moves(1), log.game(1).result) == (meant, result)
        assert log.verify() and audit(log.entries()).games == 1
        assert not [
            entry.kind for entry in log.entries(1) if entry.kind in ("gap", "void", "aborted", "since", "fault")
        ]
    ((_, numbers),) = events_by_boot(killed).items()
    assert numbers == list(range(1, len(numbers) + 1))


# -- at screens and bots -----------------------------------------------------------------------------------------


class ScreenKiller:
    """Kills the host once for each transaction, or for one in ``every``: when it is durable and nothing else has
    happened, or when the first viewer is to be shown it."""

    def __init__(self, point: str, every: int) -> None:
        self.killed: Counter[str] = Counter()
        """By kind of the first entry."""
        self._point = point
        self._every = every
        self._count = 0
        self._armed = ""
        self._chosen: set[tuple[str, int, int]] = set()

    def durable(self, items: Sequence[Item], moves: int) -> None:
        """``moves``: how many the game has then."""
        kind, body = items[0]
        if kind in ("run", "ids"):  # each start of the host writes them: it would never get any further
            return
        if kind in ("commitment", "opening"):  # a restart voids the choice: the same one comes again
            if (kind, body["seat"], moves) in self._chosen:
                return
            self._chosen.add((kind, body["seat"], moves))
        self._count += 1
        if self._count % self._every == 0:
            self._armed = kind
            if self._point == COMMITTED:
                self.kill()

    def kill(self) -> None:
        if self._armed:
            self.killed[self._armed] += 1
            self._armed = ""
            raise Killed


class Loaded(random.Random):
    """Always throws the same, so that a bot decides the same in each run of the host."""

    def random(self) -> float:
        return 0.4


def play_at_screens(log: Log, killer: ScreenKiller | None = None) -> None:
    """Play game 1 to its end, or until the host is killed. Screens decide by how far the game is, dispute a move, and
    take one back as soon as they may."""
    clock = Hasty()
    running = Conductor(log, 1, clock, dice=Loaded())
    session, binders, latest = running.session, dict[int, Binder](), dict[int | None, Update]()

    def deliver(update: Update) -> None:
        if killer:
            killer.kill()
        latest[update.viewer] = update

    def say(body: Json) -> None:
        (console(running).command if "command" in body else console(running).reply)(body)
        running.work()

    try:
        screens = [number for number, seat in enumerate(session.seats, 1) if seat.at_screen]
        for seat in screens:
            running.watch((seat,), each(deliver))
        running.start()
        running.work()
        while not running.over:
            kinds = {entry.kind for entry in log.entries(1)}
            if session.ply > 1 and "dispute" not in kinds:
                say({"command": "dispute", "seat": screens[0], "at": 1, "text": "Really?"})
            for seat in screens:
                if session.ply > 2 and not kinds & {"request", "takeback"} and _may_go_back(running, seat):
                    say({"command": "back", "seat": seat, "count": 1})
                    break
            if not _reply(running, screens, binders, latest, say):
                clock.ahead += OPENING_S  # what a screen had bound went with the host: the choice becomes void
                running.work()
    finally:
        running.close()


def _may_go_back(running: Conductor, seat: int) -> bool:
    session = running.session
    try:
        session.past.check_takeback(session.past.before_last_of(seat))
    except Declined:
        return False
    return session.question is not None and session.question.kind == "turn"


def _reply(
    running: Conductor,
    screens: Sequence[int],
    binders: dict[int, Binder],
    latest: Mapping[int | None, Update],
    say: Callable[[Json], None],
) -> bool:
    """Have the first screen that is asked reply; return False where it cannot open what another one had bound."""
    session = running.session
    seat = next(seat for seat in (*session.open.waiting, *session.open.to_open) if seat in screens)
    dice = random.Random(f"{session.ply} {seat}")
    reply = reply_to(
        latest[seat],
        binders.setdefault(seat, Binder()),
        lambda moves, may_pass: dice.choice([*moves, *([None] if may_pass else [])]),
    )
    if reply is not None:
        say(reply)
    else:
        assert seat in session.open.to_open
    return reply is not None


@pytest.mark.parametrize("point", [COMMITTED, ACKNOWLEDGED])
@pytest.mark.parametrize("game", sample(["dilemma", "struggle"], list(GAMES)))
def test_a_host_killed_at_entries_of_screens_and_bots_loses_nothing_and_doubles_nothing(
    game: str, point: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Replies, bots' moves, a dispute, a take-back and the consent to it. A choice that only a screen or a bot knew of
    is made again, and the log says so."""
    count, options = GAMES[game]
    seated = [Seat("ABCD"[n], 0, AT_SCREEN if n < max(2, count - 1) else "random") for n in range(count)]
    whole, killed = tmp_path / "whole.db", tmp_path / "killed.db"
    with Log.open(whole) as log:
        begin(log, game, options, seated, seed=SEED)
        play_at_screens(log)
        meant, result = log.moves(1), log.game(1).result
        entries = list(log.entries(1))
    replies = sum(entry.kind in ("reply", "commitment", "opening", "request", "dispute") for entry in entries)
    killer = ScreenKiller(point, sample(max(1, replies // 4), 1))
    append_all = Log.append_all

    def append(self: Log, items: Sequence[Any], cursor: tuple[str, int] | None = None) -> list[int]:
        numbers = append_all(self, items, cursor)
        if self.path == killed:
            killer.durable([(kind, body) for _, kind, body in items], len(self.moves(1)))
        return numbers

    with Log.open(killed) as log:
        begin(log, game, options, seated, seed=SEED)
    monkeypatch.setattr(Log, "append_all", append)
    kept: list[str] = []
    while True:
        try:
            with Log.open(killed) as log:
                play_at_screens(log, killer)
            break
        except Killed:
            with Log.read(killed) as log:
                hashes = [entry.hash for entry in log.checked(0, log.last_entry)]
            assert hashes[: len(kept)] == kept
            kept = hashes
    assert killer.killed.total() >= sample(3, replies)
    with Log.read(killed) as log:
        assert (log.moves(1), log.game(1).result) == (meant, result)
        assert log.verify() and audit(log.entries()).games == 1
        logged = list(log.entries(1))
    said = Counter(
        (it.body["event"], it.body["id"], it.body["seat"]) for it in logged if it.kind in ("reply", "opening")
    )
    assert set(said.values()) == {1}, "no reply is logged twice"
    assert not [entry.kind for entry in logged if entry.kind in FOREIGN and entry.kind != "void"]
    for kind in ("dispute", "request", "takeback"):
        assert sum(entry.kind == kind for entry in logged) == sum(entry.kind == kind for entry in entries)
    if sample(False, True):
        told = {entry.kind for entry in entries} & {"reply", "commitment", "opening", "request", "dispute"}
        assert told <= set(killer.killed)
