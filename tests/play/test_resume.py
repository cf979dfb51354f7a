"""A resumed game continues as if nothing had happened, wherever it was interrupted."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import pytest
from broken_off import LAST_TURNS, Watcher, cut, ending_with, lay, transactions
from chaos import check_log
from driving import fabricate
from playing import PLACES, a_table, begin, bodies, exported, meant_game, play, seats

import replies
from at_screens import Screens
from ports import Stopped, console, each, until
from replying import by_chance, lock_to, opening_to
from sample import sample, thorough
from tablier.course.asides import PAUSED
from tablier.course.binding import Binder
from tablier.course.seats import AT_SCREEN, Seat
from tablier.games.core.lights import CHOICE_COLOURS
from tablier.games.core.questions import Turn, bare
from tablier.games.dilemma.rules import CHOICES
from tablier.judge.audit import audit
from tablier.keeper import desk as desks
from tablier.log.chain import Entry
from tablier.log.store import Log
from tablier.messages import News, Update
from tablier.play import beginning
from tablier.play.game import Conductor
from tablier.play.logged import Logged
from tablier.play.resuming import Resumption
from tablier.simulation.simulated import SimulatedTable
from tablier.table.client import Client
from tablier.table.clock import Clock, LifeClock
from tablier.table.events import Cursor
from tablier.table.incoming import Incoming, Rebooted, TableEvent
from tablier.texts import Json
from tablier_fw import colours, wire


class Died(Exception):
    """The host has died, as far as the log can tell."""


# -- at every entry -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("part", range(sample(1, 3)))
def test_from_every_entry(part: int, tmp_path: Path) -> None:
    """A third of them each, or a ninth of all: at another table with another boot, the cards where they lay."""
    meant, made = ending_with(LAST_TURNS)
    path = tmp_path / "log.db"
    with a_table(seed=7) as table, Log.open(path) as log:
        watcher = Watcher(table)
        begin(log, meant, made)
        before = log.entry_with(log.head) or 0
        play(log, 1, table, meant.moves, hook=watcher)
        assert exported(log, 1) == meant
        entries = list(log.entries())
    ends = [n for n in transactions(entries) if n > before]
    assert len(ends) > 40
    with a_table(seed=8) as table:
        for n in ends[part :: sample(60, 3)]:
            copy = tmp_path / f"cut{n}.db"
            cut(path, copy, n)
            lay(table, watcher.piles.get(n, []))
            with Log.open(copy) as log:
                play(log, 1, table, meant.moves)
                assert exported(log, 1) == meant, f"taken up after entry {n}"
                log.verify()
                audit(log.entries())
            table.say("reset")


def test_a_long_game_is_resumed_without_what_is_over(tmp_path: Path) -> None:
    """However long it was played: a keeper that takes up many of them needs no more memory for that."""
    with Log.open(tmp_path / "log.db") as log:
        game = beginning.begin(log, "d21", {}, [Seat(name, 0, AT_SCREEN) for name in "AB"])
        pick, needed = by_chance(Random(1)), []
        for moves in (5, 40):
            room = Screens(log, game, LifeClock(), (1, 2))
            room.play_until(moves, pick)
            room.running.close()
            needed.append(len(Resumption(log, Logged(log, game), None)._entries))
        assert sum(entry.game == game for entry in log.entries()) > 120
        assert needed[1] - needed[0] <= 1, "the run is named again"
        assert log.game(game).moves == 40
        audit(log.entries())


def test_a_roll_that_was_not_revealed_is_told_of_once(tmp_path: Path) -> None:
    """When it happened: who resumes the game later is not told that of a move long past."""
    with Log.open(tmp_path / "log.db") as log:
        game = beginning.begin(log, "d21", {}, [Seat(name, 0, AT_SCREEN) for name in "AB"])
        for resumed in (False, True):
            room = Screens(log, game, LifeClock(), (1, 2))
            session = room.running.session
            assert isinstance(session.question, Turn) and "unrevealed" not in room.told
            assert session.unrevealed == resumed
            log.append(game, "aborted", {"id": session.id})
            room.say(session.question.seats[0], replies.play(bare(session.question.moves[0])))
            room.running.close()


# -- taking moves back ----------------------------------------------------------------------------------------------


class TakesBack:
    """At each of some moments somebody asks for a move back: (how it is asked, which seat)."""

    def __init__(self, moments: list[tuple[Callable[[Conductor], bool], int]]) -> None:
        self._moments = moments

    def __call__(self, running: Conductor) -> float:
        if self._moments and self._moments[0][0](running):
            console(running).command({"command": "back", "seat": self._moments.pop(0)[1]})
        return 0.05


def asked(what: str, ply: int, locked: int = 0) -> Callable[[Conductor], bool]:
    """Return True if a question is open after these moves and this many choices are locked."""

    def holds(running: Conductor) -> bool:
        session = running.session
        assert session.question is not None
        return (session.question.what, session.position.ply) == (what, ply) and len(session.open.locked) >= locked

    return holds


@thorough
def test_moves_taken_back_are_played_again(tmp_path: Path) -> None:
    """With the consent of the others, who are asked at their places; never past a duel, and not while one is open."""
    meant, made = ending_with(LAST_TURNS)
    path = tmp_path / "log.db"
    moments = [
        (asked("window", made + 1), 1),  # the offer
        (asked("card", made + 1), 1),  # the offer, while cards are claimed
        (asked("duel", made + 6, locked=1), 1),  # refused: it is open
        (asked("offer", made + 8), 2),  # refused: a duel was opened since then
        (asked("window", made + 11), 1),  # a throw, from the reopened window
    ]
    told: list[News] = []
    with a_table(seed=7) as table, Log.open(path) as log:
        game = begin(log, meant, made)
        play(log, game, table, meant.moves, hook=TakesBack(moments), watch=lambda update: told.extend(update.news))
        assert not moments
        assert exported(log, game) == meant
        entries = list(log.entries())
    assert [body["to"] for body in bodies(entries, "takeback")] == [made, made, made + 9]
    assert len([body for body in bodies(entries, "ask") if body["what"] == "back"]) == 3
    check_log(path, meant, boots=2)
    # And each time the game goes on from there when another run resumes it.
    with a_table(seed=8) as table:
        for entry in [entry for entry in entries if entry.kind == "takeback"][sample(3, 0) :]:
            copy = tmp_path / f"cut{entry.n}.db"
            cut(path, copy, entry.n + 1)  # with the next question
            with Log.open(copy) as log:
                assert len(log.moves(game)) == entry.body["to"]
                play(log, game, table, meant.moves)
                assert exported(log, game) == meant
                audit(log.entries())
            table.say("reset")
            table.say("clear")


# -- a seat at a screen, when the host dies --------------------------------------------------------------------------

DUEL = ["p1 offer 8", "p2 throw 3 flat", "table close"]
OPEN = ["p1 offer 8", "table close", "p2 offer 5"]


class Host:
    """One run of the host after another, at one table; p1 is at a screen, the others at their places."""

    def __init__(self, path: Path, table: SimulatedTable, moves: list[str]) -> None:
        self.path = path
        self.table = table
        self.notes: list[str] = []
        self._update: Update
        self._binder = Binder()
        self._running: Conductor
        seated = [seat if n else Seat(seat.name, seat.place, AT_SCREEN) for n, seat in enumerate(seats(3))]
        with Log.open(path) as log:
            fabricate(log, beginning.begin(log, "dilemma", {}, seated), moves)

    def run(self, deeds: list[tuple[float, Callable[[], object]]]) -> None:
        """Run it while deeds are done, each so many seconds after the start, until it dies of one of them."""
        left = sorted(deeds, key=lambda deed: deed[0])
        host, started = self, 0.0
        self._binder = Binder()

        def work(running: Conductor) -> float:
            nonlocal started
            if not started:
                started = running.clock.now()
                host._running = running
                console(running).watch((1,), each(host._deliver))
            while left and running.clock.now() - started >= left[0][0]:
                left.pop(0)[1]()
            return 0.02

        with Log.open(self.path) as log, pytest.raises(Died):
            play(log, 1, self.table, None, hook=work, people=False)

    def _deliver(self, update: Update) -> None:
        self._update = update
        self.notes += [news.text.template for news in update.news]
        if opening := opening_to(update, self._binder):
            console(self._running).reply(opening)

    def choose_here(self, choice: str) -> Callable[[], None]:
        def choose() -> None:
            console(self._running).reply(lock_to(self._update, self._binder, CHOICES.index(choice)))

        return choose

    def done_here(self) -> None:
        console(self._running).reply(replies.finish(id=self._running.session.id, seat=1))

    def pause(self) -> None:
        console(self._running).obey({"command": "pause", "seat": 0})

    def press(self, place: int, button: str) -> Callable[[], None]:
        return lambda: self.table.tester.press(place, button)

    def choose(self, place: int, choice: str) -> Callable[[], None]:
        """The button under whose pixel the colour of the choice is."""
        colour = bytes(colours.option_look(CHOICE_COLOURS[CHOICES.index(choice)])).hex()

        def press() -> None:
            hood = self.table.tester.pixels()[f"hood{place}"]
            self.table.tester.press(place, {hood[1]: "a", hood[3]: "b"}[colour])

        return press

    @staticmethod
    def die() -> None:
        raise Died

    def entries(self) -> list[Entry]:
        with Log.read(self.path) as log:
            log.verify()
            return list(log.entries(1))


def die_when(monkeypatch: pytest.MonkeyPatch, dying: Callable[[Incoming], bool]) -> None:
    """The host dies when it hears something, before it has taken it."""

    class Mortal(Client):
        def poll(self, seconds: float | None) -> list[Incoming]:
            heard = super().poll(seconds)
            if any(map(dying, heard)):
                raise Died
            return heard

    monkeypatch.setattr(desks, "Client", Mortal)


@pytest.mark.parametrize("moment", ["only the screen had chosen", "both had", "the place was opening"])
def test_a_choice_at_a_screen_dies_with_the_host_and_is_asked_again(
    moment: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the screen was bound to was only ever in that run's memory. What the place chose may be known by now, so
    it chooses again too."""
    second = PLACES[1]
    with a_table(seed=3) as table:
        host = Host(tmp_path / "log.db", table, DUEL)
        place = [(0.3, host.choose(second, "peace")), (0.6, host.press(second, "plus"))]
        if moment == "only the screen had chosen":
            host.run([(0.5, host.choose_here("conflict")), (0.7, host.die)])
        elif moment == "both had":
            # The host dies of the table's opening, before that is in the log.
            die_when(monkeypatch, lambda it: isinstance(it, TableEvent) and it.message is wire.OPENED)
            host.run([*place, (1.0, host.choose_here("conflict"))])
            monkeypatch.undo()
        else:
            die_when(monkeypatch, lambda it: isinstance(it, TableEvent) and it.message is wire.LOCKED)
            host.run([(0.1, host.choose_here("conflict")), *place])
            monkeypatch.undo()
        before = host.entries()
        host.run(
            [
                (0.3, host.choose(second, "conflict")),
                (0.6, host.press(second, "plus")),
                (0.9, host.choose_here("peace")),
                (1.5, host.die),
            ]
        )
    entries = host.entries()
    assert len(bodies(entries, "void")) == 1
    assert len(host.notes) >= 1
    first, again = [body["id"] for body in bodies(entries, "ask") if body["what"] == "duel"][1:]
    assert len(bodies(before, "commitment")) == 1
    # The screen does not open before what the table has opened is in the log.
    assert {body["id"] for body in bodies(entries, "opening")} == {again}
    assert {body["id"] for body in bodies(entries, "commitment")} == {first, again}
    moves = [body["text"] for body in bodies(entries, "move")]
    assert sorted(moves[len(DUEL) :]) == ["p1 duel peace", "p2 duel conflict"]
    with Log.read(host.path) as log:
        assert audit(log.entries()).choices >= 2


def test_a_screen_that_was_done_is_still_done_after_the_host_has_died(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Even if the table had not heard of it: the window closes when the others are done too."""

    class Mute(Client):
        def want(self, message: wire.Message, *values: Any) -> None:
            if message is wire.OUTSIDE:
                raise Died
            super().want(message, *values)

    with a_table(seed=3) as table:
        host = Host(tmp_path / "log.db", table, OPEN)
        monkeypatch.setattr(desks, "Client", Mute)
        host.run([(0.3, host.done_here)])
        monkeypatch.undo()
        assert bodies(host.entries(), "reply", replies.DONE)
        # The table has another boot than before: the pile is reviewed.
        agree = [(1.0, host.press(PLACES[seat], "b")) for seat in (1, 2)]
        host.run([(0.3, host.press(PLACES[2], "a")), *agree, (2.0, host.die)])
    assert [body["text"] for body in bodies(host.entries(), "move")][-1] == "table close"


def test_a_screen_that_is_done_just_after_a_pause_is_done_at_the_table(tmp_path: Path) -> None:
    """The table asks nothing for a second after a pause; a screen is asked at once."""
    second, third = PLACES[1:3]
    with a_table(seed=3) as table:
        host = Host(tmp_path / "log.db", table, OPEN)
        goes_on = [(0.3, host.pause), (0.6, host.press(second, "b")), (0.9, host.done_here)]
        # The table has another boot than before: the pile is reviewed.
        agree = [(3.5, host.press(place, "b")) for place in (second, third)]
        host.run([*goes_on, (2.5, host.press(third, "a")), *agree, (5.0, host.die)])
    entries = host.entries()
    paused, again = [body for body in bodies(entries, "ask") if body["what"] in (PAUSED, "window")][-2:]
    (done,) = bodies(entries, "reply", replies.DONE)
    assert (paused["what"], done["id"]) == (PAUSED, again["id"])
    assert [body["text"] for body in bodies(entries, "move")][-1] == "table close"


@thorough
def test_a_table_that_is_reset_twice_before_a_game_is_resumed_is_greeted_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once while there was no host, once while the next one waited for it: the boot between them was never used."""

    class Late(Client):
        """Is used for a game only when the table has restarted once more."""

        def __init__(self, port: str, clock: Clock, cursor: Cursor, boot: str | None = None, **more: Any) -> None:
            super().__init__(port, clock, cursor, boot, **more)
            self.known = boot

        def ready(self, seconds: float | None) -> bool:
            if not super().ready(seconds):
                return False
            if self.known is not None and not early:
                boot = self.boot
                table.say("reset")
                while self.boot == boot:
                    early.extend(super().poll(0.05))
            return super().ready(seconds)

        def poll(self, seconds: float | None) -> list[Incoming]:
            if self.known is None or handed:
                return super().poll(seconds)
            handed.extend(early)
            return list(handed)

    def die(running: Conductor) -> float:
        if running.session.position.ply > made + 6:
            raise Died
        return 1.0

    (meant, made), path, news = ending_with(LAST_TURNS), tmp_path / "log.db", list[News]()
    early: list[Incoming] = []
    handed: list[Incoming] = []
    with a_table(seed=7) as table, Log.open(path) as log:
        game = begin(log, meant, made)
        with pytest.raises(Died):
            play(log, game, table, meant.moves, hook=die)
        table.say("reset")
        monkeypatch.setattr(desks, "Client", Late)
        play(log, game, table, meant.moves, watch=lambda update: news.extend(update.news))
    assert [type(it) for it in handed if isinstance(it, Rebooted)] == [Rebooted] * 2
    check_log(path, meant, boots=3)
    assert [each.kind for each in news].count("restarted") == 1


@pytest.mark.parametrize("people", [1, 2])
def test_moves_that_stand_after_some_were_taken_back_stand_in_the_next_run(people: int, tmp_path: Path) -> None:
    """In a game without a table: taken back alone, or with the consent of somebody else."""
    seated = [Seat("Anne", 0, AT_SCREEN), Seat("Bob", 0, AT_SCREEN if people == 2 else "random")]

    def play_on(log: Log, *deeds: Json) -> Conductor:
        running = Conductor(log, 1, LifeClock())
        running.start()
        running.work()
        for deed in deeds:
            if "command" in deed:
                console(running).command(deed)
            else:
                console(running).reply({"id": running.session.id, **deed})
            running.work()
        return running

    def move(running: Conductor, seat: int) -> Json:
        question = running.session.question
        assert isinstance(question, Turn) and question.seats == (seat,)
        return replies.play(bare(question.moves[0]), seat=seat)

    with Log.open(tmp_path / "log.db") as log:
        beginning.begin(log, "d21", {"max_plies": 60}, seated)
        first = play_on(log)
        play_on(log, move(first, 1), {"command": "back", "seat": 1})
        if people == 2:
            play_on(log, replies.answer(True, seat=2))
        assert list(log.entries(1, "takeback")) and log.moves(1) == []
        play_on(log, move(play_on(log), 1))
        stand = log.moves(1)
        assert stand
        resumed = play_on(log)
        assert [str(each) for each in resumed.session.position.moves] == stand
        assert audit(log.entries()).games == 1


def test_another_table_is_not_taken_for_one_that_has_restarted(tmp_path: Path) -> None:
    meant, news = meant_game(3, 5), list[News]()

    with Log.open(tmp_path / "log.db") as log:
        game = begin(log, meant)
        for _ in range(2):
            news.clear()
            moves = len(log.moves(game))
            with a_table() as table, suppress(Stopped):
                play(
                    log, game, table, meant.moves, hook=until(moves + 1), watch=lambda update: news.extend(update.news)
                )
    (told,) = [each.text.template for each in news if each.kind == "restarted"]
    assert told == "This is another table than before; asking again."
