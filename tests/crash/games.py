"""Games whose log is watched, and what has to hold of a log that a crash has left."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

import replies
from crowd import crowd_at
from hasty import Hasty
from ports import Stopped, console, open_desk, play_at
from tablier.course.binding import Binder
from tablier.course.seats import AT_SCREEN, AT_TABLE, Seat
from tablier.games.core.questions import Choice, Turn, bare
from tablier.judge.audit import audit
from tablier.log.chain import LogError
from tablier.log.connection import connect
from tablier.log.errors import explain_errors
from tablier.log.files import beside, size_of
from tablier.log.fold import standing
from tablier.log.opening import _check_unclosed
from tablier.log.store import Log
from tablier.play import beginning, logged
from tablier.play.game import OPENING_S, Conductor
from tablier.simulation.simulated import SimulatedTable

LOG = "log.db"
BACKUP = "backup.db"
KINDS: dict[str, tuple[int, dict[str, Any]]] = {
    "dilemma": (3, {}),
    "struggle": (2, {"board": "Y" * 14}),
    "dicke-daemonen": (2, {}),
    "roudalon": (4, {}),
    "d21": (2, {"max_plies": 60}),
}
"""The five games: seats, and options with which a game is short."""

_GO = 5  # decisions
_TAKE_BACK_EVERY = 7  # decisions


class History(NamedTuple):
    """All that was ever written to a log."""

    hashes: tuple[str, ...]
    """After each number of entries."""
    moves: tuple[int, ...]
    """The moves that stand after each number of entries."""


class Clock:
    """Tells the same times in every run, so that the same game has the same hashes."""

    def __init__(self) -> None:
        self._now = datetime(2026, 1, 1, tzinfo=UTC)

    def __call__(self) -> str:
        self._now += timedelta(seconds=1)
        return self._now.isoformat(timespec="microseconds").replace("+00:00", "Z")


def begin(log: Log, kind: str) -> int:
    """Begin a game with a person at a screen among bots."""
    count, options = KINDS[kind]
    seats = [Seat(f"Seat {number}", 0, "random" if number > 1 else AT_SCREEN) for number in range(1, count + 1)]
    return beginning.begin(log, kind, options, seats, practice=True)


def play(log: Log, game: int, dice: random.Random, decisions: int | None = None) -> bool:
    """Resume a game, until its person has decided so often or to its end. Return True when it is over."""
    clock = Hasty()
    running = Conductor(log, game, clock, dice=dice)
    running.start()
    session, binder, made = running.session, Binder(), 0
    assert [str(move) for move in session.position.moves] == log.moves(game), "the game resumes from somewhere else"
    while not running.over:
        running.work()
        if session.open.all_bound and 1 not in session.open.opened:
            opening = binder.open(session.id, 1)
            if opening is not None:
                console(running).reply(opening)
            else:  # bound before this run, by a person's screen that was killed with the last
                clock.ahead += OPENING_S
        elif 1 in session.open.waiting:
            if made == decisions:
                break
            made += 1
            question = session.question
            if isinstance(question, Choice):
                choice = dice.choice(question.allowed[1])
                console(running).reply(binder.lock(session.open.bind(1), session.id, 1, choice))
            else:
                assert isinstance(question, Turn)
                move = bare(dice.choice(question.moves))
                console(running).reply(replies.play(move, id=session.id, seat=1))
                if made % _TAKE_BACK_EVERY == 0:
                    console(running).command({"command": "back", "seat": 1})
        running.work()
    return running.over


@contextmanager
def repeatable(seed: int) -> Iterator[None]:
    """Draw all that a game leaves to entropy from a seed."""
    dice = random.Random(seed)
    with mock.patch("os.urandom", dice.randbytes), mock.patch("secrets.randbelow", dice.randrange):
        yield


def course(
    folder: Path,
    kind: str,
    seed: int,
    *,
    opened: Callable[[], None] = lambda: None,
    failed: Callable[[LogError], bool] = lambda error: False,
    **options: Any,
) -> None:
    """Play a game in three goes, and copy its log in the second. ``options`` are those of :meth:`Log.open`.

    ``opened`` is called whenever the log was opened, ``failed`` when it could not be written to: the same log is
    written on when that returns True.
    """
    with repeatable(seed):
        _course(folder, kind, random.Random(seed), opened, failed, options)


def _course(
    folder: Path,
    kind: str,
    dice: random.Random,
    opened: Callable[[], None],
    failed: Callable[[LogError], bool],
    options: dict[str, Any],
) -> None:
    over = False
    for number in range(3):
        with Log.open(folder / LOG, clock=Clock(), **options) as log:
            opened()
            game = log.game().id if log.games() else begin(log, kind)
            try:
                over = play(log, game, dice, _GO)
                if number == 1:
                    log.backup(folder / BACKUP)
                if number == 2 and not over:
                    play(log, game, dice)
            except LogError as error:
                if not failed(error):
                    raise
                play(log, game, dice)
    with Log.read(folder / LOG, **options) as log:
        log.verify()


Pile = list[dict[str, Any]]
"""The cards in the arena of a simulated table, as its testers are told."""


def course_at_table(
    folder: Path, seed: int, table: SimulatedTable, opened: Callable[[], None], **options: Any
) -> list[Pile]:
    """Play a game of Dilemma at a simulated table, by simulated people. Return what lay in the arena after each number
    of entries."""
    seats = [Seat(f"Seat {number}", number, AT_TABLE) for number in (1, 2, 3)]
    piles: list[Pile] = [[]]

    def look(running: Conductor) -> None:
        count = running.log.entry_with(running.log.head)
        assert count is not None
        piles.extend([table.say("pile")["cards"]] * (count + 1 - len(piles)))

    with Log.open(folder / LOG, clock=Clock(), **options) as log:
        opened()
        play_at_table(log, beginning.begin(log, "dilemma", {}, seats), table, seed, look)
        piles.extend([[]] * (log.verify() + 1 - len(piles)))
    return piles


def play_at_table(
    log: Log,
    game: int,
    table: SimulatedTable,
    seed: int,
    look: Callable[[Conductor], None] = lambda running: None,
    moves: int | None = None,
) -> bool:
    """Resume a game at a table, for about that number of moves or to its end. Return True when it is over.

    Its people see pixels and cards and a spectator's updates, and know nothing of the run before.
    """
    seated = logged.seats_of(log.game(game))
    before: int | None = None

    with open_desk(seated, table.port, virtual=True, seed=seed) as keeper:
        act = crowd_at(keeper, dict.fromkeys(range(1, len(seated) + 1), "random"), seed=seed)

        def hook(running: Conductor) -> float:
            nonlocal before
            ply = running.session.position.ply
            before = ply if before is None else before
            if moves is not None and ply >= before + moves and not running.over:  # its end is still shown
                raise Stopped
            look(running)
            return act()

        try:
            return play_at(keeper, log, game, hook=hook).over
        except Stopped:
            return False


def lay(table: SimulatedTable, pile: Pile) -> None:
    """Start a table again, with these cards in its arena."""
    table.say("reset")
    table.say("clear")
    for card in pile:
        table.tester.land(card["how"], card["tag"])
    table.tester.wait(1.0)


def history_of(path: Path) -> History:
    """Return the history of the only game of a log."""
    with Log.read(path) as log:
        entries = list(log.checked(0, log.last_entry))
    kinds = [
        [entry for entry in entries[:count] if entry.kind in ("move", "takeback")] for count in range(len(entries) + 1)
    ]
    return History(("00" * 32, *(entry.hash for entry in entries)), tuple(len(standing(each)) for each in kinds))


def _open_for_a_keeper(path: Path, seen: int, hashes: Sequence[str]) -> None:
    """Open a log that was not closed as a keeper does, who has most of it checked later, and leave it as it is."""
    before = path.read_bytes()
    with explain_errors(path):
        unchecked = _check_unclosed(path, path, connect, lambda text: None, later=True)
        if unchecked is not None:
            end = unchecked.execute("SELECT n, hash FROM entry ORDER BY n DESC LIMIT 1").fetchone()
            assert end == (seen, bytes.fromhex(hashes[seen])), "a keeper sees other entries than a reader"
            unchecked.close()
    assert path.read_bytes() == before, "the file has changed"


def check(
    folder: Path,
    hashes: Sequence[str],
    least: int,
    most: int,
    *,
    made: bool = True,
    resume: Callable[[Log, int, int], None],
) -> int:
    """Check what a crash has left in a folder; return how many entries there are.

    ``hashes``: what was written. There must be at least ``least`` entries of it, at most ``most``, and none else; the
    game must go on with ``resume``, which is called with the log, the game and the number of entries. ``made``: the log
    must be there.
    """
    path = folder / LOG
    try:
        with Log.read(path) as log:
            seen = log.verify()
            assert least <= seen <= most, f"a reader sees {seen} entries; {least} were durable, {most} were written"
            assert log.head == hashes[seen], "a reader sees what was not written"
            assert not log.losses, "a reader is told of losses, and there are none"
    except LogError as error:
        assert not made and "there is no such file" in str(error), error
        seen = 0
    if seen and size_of(beside(path, "-wal")):
        _open_for_a_keeper(path, seen, hashes)
    with Log.open(path, create=not made) as log:
        count = log.verify()
        assert count == seen, f"{seen} entries were read, then {count}"
        assert log.head == hashes[count], "what was not written is there"
        assert not log.losses, "a writer is told of losses, and there are none"
        audit(log.entries())
        if not log.games():
            begin(log, "d21")
            resume = go_on  # the process died before there was a game: another begins, without a table
        game = log.game()
        if game.ended is None:
            resume(log, game.id, count)
    with Log.read(path) as log:
        assert log.verify() > count or game.ended is not None, "the game did not resume"
        assert log.entry_with(hashes[count]) == count
        audit(log.entries())
    if (folder / BACKUP).exists():
        with Log.read(folder / BACKUP) as log:
            copied = log.verify()
            assert 0 < copied <= most and log.head == hashes[copied], "the copy is not of this log"
            assert not log.losses, "the copy tells of losses, and there are none"
    return count


def go_on(log: Log, game: int, count: int, *, to_end: bool = False) -> None:
    """Resume a game without a table, for some decisions or to its end."""
    over = play(log, game, random.Random(count), None if to_end else 2)
    assert over or not to_end
    assert (log.game(game).ended is not None) == over


def go_on_at(table: SimulatedTable, piles: Sequence[Pile], log: Log, game: int, count: int, *, to_end: bool) -> None:
    """Resume a game at a table that was started again, with the same cards in its arena: for a move or two, or to its
    end."""
    lay(table, piles[count])
    over = play_at_table(log, game, table, count, moves=None if to_end else 2)
    assert over or not to_end
    assert (log.game(game).ended is not None) == over


def write_on(log: Log, game: int, count: int) -> None:
    """See that the moves of a game lead somewhere, and that its log can be written to."""
    logged.position_of(log, log.game(game))
    log.append(game, "reveal", {"by": "a test"})
