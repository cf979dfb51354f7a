"""A game that is taken up again goes on as if nothing had happened, wherever it was broken off."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from chaos import check_log
from playing import NAMES, PLACES, a_table, begin, bodies, exported, play, seats

from tablier.games.dilemma import CHOICES
from tablier.log import Entry, Log
from tablier.play import session
from tablier.play.audit import audit
from tablier.play.conductor import Conductor
from tablier.play.course import KEYBOARD, Seat
from tablier.play.desk import Desk, Prompt, TakeBack, read
from tablier.play.game import Setting
from tablier.play.lights import CHOICE_COLOURS
from tablier.play.screen import Screen
from tablier.play.session import Keyboard
from tablier.record import Record, record_of, replay
from tablier.table.client import Client, Incoming, TableEvent
from tablier.table.simulated import SimulatedTable
from tablier_fw import colours, wire


class Died(Exception):
    """The host has died, as far as the log can tell."""


# -- at every entry -----------------------------------------------------------------------------------------------


class Watcher(Keyboard):
    """Remembers which cards lay in the arena when the log ended with each of its entries."""

    def __init__(self, table: SimulatedTable) -> None:
        self.piles: dict[int, list[dict[str, Any]]] = {}
        self._table = table
        self._last = 0

    def work(self, conductor: Conductor) -> float:
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
    db.commit()
    db.close()


def lay(table: SimulatedTable, cards: Sequence[dict[str, Any]]) -> None:
    """Puts cards into the arena, as they lay there before."""
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

    In those the seats get rid of what they do not need, in throws that miss and offers that nobody answers.
    """
    needed = {(move.split()[0], int(move.split()[2])) for move in moves if "offer" in move or "throw" in move}
    spare = {seat: [rank for rank in range(1, 11) if (seat, rank) not in needed] for seat in ("p1", "p2", "p3")}
    before: list[str] = []
    for seat, others in (("p1", ("p2", "p3")), ("p2", ("p1",)), ("p3", ())):
        before.append(f"{seat} offer {spare[seat].pop()}")
        for other in others:
            kept = 1 if seat == "p1" else 0  # for the offer that the seat still has to make
            before += [f"{other} throw {spare[other].pop()} outside" for _ in range(len(spare[other]) - kept)]
        before += ["table close", "table close"] if others else ["table close"]
    game = Record("dilemma", NAMES[:3], (*before, *moves))
    position = replay(game)
    assert position.is_over
    return record_of(position, game.players), len(before)


@pytest.mark.parametrize("part", range(3))
def test_from_every_entry(part: int, tmp_path: Path) -> None:
    """A third of them each: at another table, whose boot is another, with the cards where they lay."""
    meant, made = ending_with(LAST_TURNS)
    path = tmp_path / "log.db"
    with a_table(seed=7) as table, Log.open(path) as log:
        watcher = Watcher(table)
        play(log, begin(log, meant, made), table, meant.moves, keyboard=watcher)
        assert exported(log, 1) == meant
        entries = list(log.entries())
    ends = [n for n in transactions(entries) if n > made]
    assert len(ends) > 40
    with a_table(seed=8) as table:
        for n in ends[part::3]:
            copy = tmp_path / f"cut{n}.db"
            cut(path, copy, n)
            lay(table, watcher.piles.get(n, []))
            with Log.open(copy) as log:
                play(log, 1, table, meant.moves)
                assert exported(log, 1) == meant, f"taken up after entry {n}"
                log.verify()
                audit(log.entries())
            table.say("reset")


# -- taking moves back ----------------------------------------------------------------------------------------------


class TakesBack(Keyboard):
    """At each of some moments somebody at the screen takes moves back: (how it is asked, how many)."""

    def __init__(self, desk: Desk, moments: list[tuple[Callable[[Conductor], bool], int]]) -> None:
        self._desk = desk
        self._moments = moments

    def work(self, conductor: Conductor) -> float:
        if self._moments and self._moments[0][0](conductor):
            self._desk.answers.put(TakeBack(self._moments.pop(0)[1]))
        self._desk.work(conductor)
        return 0.05


def asked(what: str, ply: int, locked: int = 0) -> Callable[[Conductor], bool]:
    """Whether a question is open after so many moves, and so many have locked their choice."""

    def holds(conductor: Conductor) -> bool:
        course = conductor.course
        assert course.ask is not None
        return (course.ask.what, course.position.ply) == (what, ply) and len(course.locked) >= locked

    return holds


def test_moves_taken_back_are_played_again(tmp_path: Path) -> None:
    meant, made = ending_with(LAST_TURNS)
    path = tmp_path / "log.db"
    moments = [
        (asked("window", made + 1), 1),  # the offer
        (asked("card", made + 1), 0),  # nothing: no question is lost
        (asked("review", made + 1), 1),
        (asked("duel", made + 6, locked=1), 6),  # the whole turn, with a choice made already
        (asked("duel", made + 6), 2),  # from within the window: one throw and its end
        (asked("offer", made + 8), 1),  # one choice of a duel: the other goes with it
        (asked("offer", made + 8), 99),  # more than there are: nothing
        (asked("window", made + 11), 3),  # from the reopened window to the first
    ]
    with a_table(seed=7) as table, Log.open(path) as log:
        game = begin(log, meant, made)
        with Setting(table.first_port, True, 5.0, meant.moves) as setting:
            desk = setting.desk(lambda prompts: None)
            keyboard = TakesBack(desk, moments)
            setting.play(log, game, Screen(), keyboard)  # type: ignore[arg-type]
        assert not moments
        assert exported(log, game) == meant
        entries = list(log.entries())
        audit(entries)
    tos = [body["to"] for body in bodies(entries, "takeback")]
    assert tos == [made, made, made, made + 4, made + 6, made + 8]
    check_log(path, meant, boots=1)
    # And each time the game goes on from there when it is taken up by another run.
    with a_table(seed=8) as table:
        for entry in entries:
            if entry.kind == "takeback":
                copy = tmp_path / f"cut{entry.n}.db"
                cut(path, copy, entry.n + 1)  # with the next question
                with Log.open(copy) as log:
                    assert len(log.moves(game)) == entry.body["to"]
                    play(log, game, table, meant.moves)
                    assert exported(log, game) == meant
                table.say("reset")
                table.say("clear")


# -- a seat at the keyboard, when the host dies ---------------------------------------------------------------------

DUEL = ["p1 offer 8", "p2 throw 3 flat", "table close"]


class Host:
    """One run of the host after another, at one table; p1 is at the keyboard, the others at their places."""

    def __init__(self, path: Path, table: SimulatedTable, moves: list[str]) -> None:
        self.path = path
        self.table = table
        self.prompts: list[Prompt] = []
        self.notes: list[str] = []
        seated = [seat if n else Seat(seat.name, seat.place, KEYBOARD) for n, seat in enumerate(seats(3, "table"))]
        with Log.open(path) as log:
            game = session.begin(log, "dilemma", {}, seated)
            log.append_all([(game, "move", {"text": move, "by": "table"}) for move in moves])

    def run(self, deeds: list[tuple[float, Callable[[Desk, Conductor], None]]]) -> None:
        """Runs it while deeds are done, each so many seconds after the start, until it dies of one of them."""
        with Setting(self.table.port, True, 5.0, None) as setting, Log.open(self.path) as log:
            start = setting.clock.now()
            desk = setting.desk(self._show)
            left = sorted(deeds, key=lambda deed: deed[0])
            host = self

            class Script(Keyboard):
                def work(self, conductor: Conductor) -> float:
                    while left and setting.clock.now() - start >= left[0][0]:
                        left.pop(0)[1](desk, conductor)
                    desk.work(conductor)
                    return 0.02

            screen = Screen()
            screen.noted = host.notes.append  # type: ignore[method-assign]
            with pytest.raises(Died):
                setting.play(log, 1, screen, Script())  # type: ignore[arg-type]

    def _show(self, prompts: list[Prompt]) -> None:
        self.prompts = prompts

    def type(self, text: str) -> Callable[[Desk, Conductor], None]:
        return lambda desk, conductor: desk.answers.put(read(self.prompts[0], text))

    def press(self, place: int, button: str) -> Callable[[Desk, Conductor], None]:
        return lambda desk, conductor: self.table.tester.press(place, button)

    def choose(self, place: int, choice: str) -> Callable[[Desk, Conductor], None]:
        """The button under whose pixel the colour of the choice is."""
        colour = bytes(colours.option(CHOICE_COLOURS[CHOICES.index(choice)])).hex()

        def press(desk: Desk, conductor: Conductor) -> None:
            hood = self.table.tester.pixels()[f"hood{place}"]
            self.table.tester.press(place, {hood[1]: "a", hood[3]: "b"}[colour])

        return press

    @staticmethod
    def die(desk: Desk, conductor: Conductor) -> None:
        raise Died

    def entries(self) -> list[Entry]:
        with Log.read(self.path) as log:
            log.verify()
            return list(log.entries(1))


def die_when(monkeypatch: pytest.MonkeyPatch, dying: Callable[[Incoming], bool]) -> None:
    """The host dies when it hears something, before it has taken it."""

    class Mortal(Client):
        def poll(self, seconds: float) -> list[Incoming]:
            heard = super().poll(seconds)
            if any(map(dying, heard)):
                raise Died
            return heard

    monkeypatch.setattr(session, "Client", Mortal)


@pytest.mark.parametrize("moment", ["only the keyboard had chosen", "both had", "the place was opening"])
def test_a_choice_at_the_keyboard_dies_with_the_host_and_is_asked_again(
    moment: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the keyboard was bound to was only ever in that run's memory. What the place chose may be known by now, so
    it chooses again too."""
    second = PLACES[1]
    with a_table(seed=3) as table:
        host = Host(tmp_path / "log.db", table, DUEL)
        place = [(0.3, host.choose(second, "peace")), (0.6, host.press(second, "plus"))]
        if moment == "only the keyboard had chosen":
            host.run([(0.5, host.type("conflict")), (0.7, host.die)])
        elif moment == "both had":
            # The host dies of the table's opening, before that is in the log.
            die_when(monkeypatch, lambda it: isinstance(it, TableEvent) and it.message is wire.OPENED)
            host.run([*place, (1.0, host.type("conflict"))])
            monkeypatch.undo()
        else:
            die_when(monkeypatch, lambda it: isinstance(it, TableEvent) and it.message is wire.LOCKED)
            host.run([(0.1, host.type("conflict")), *place])
            monkeypatch.undo()
        before = host.entries()
        host.run(
            [
                (0.3, host.choose(second, "conflict")),
                (0.6, host.press(second, "plus")),
                (0.9, host.type("peace")),
                (1.5, host.die),
            ]
        )
    entries = host.entries()
    assert [body["why"] for body in bodies(entries, "void")] == [
        "the host was restarted with a choice of the keyboard in it"
    ]
    assert len(host.notes) >= 1
    first, again = [body["id"] for body in bodies(entries, "ask") if body["what"] == "duel"]
    assert len(bodies(before, "commitment")) == 1
    assert {body["id"] for body in bodies(entries, "key", "opened")} == {again}
    assert {body["id"] for body in bodies(entries, "commitment")} == {first, again}
    moves = [body["text"] for body in bodies(entries, "move")]
    assert moves[len(DUEL) :] == ["p1 duel peace", "p2 duel conflict"]
    assert audit(entries) >= 2


def test_a_keyboard_that_was_done_is_still_done_after_the_host_has_died(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Even if the table had not heard of it: the window closes when the others are done too."""

    class Mute(Client):
        def want(self, message: wire.Message, *values: Any) -> None:
            if message is wire.OUTSIDE:
                raise Died
            super().want(message, *values)

    with a_table(seed=3) as table:
        host = Host(tmp_path / "log.db", table, ["p1 offer 8", "table close", "p2 offer 5"])
        monkeypatch.setattr(session, "Client", Mute)
        host.run([(0.3, host.type("done"))])
        monkeypatch.undo()
        assert bodies(host.entries(), "key", "done")
        host.run([(0.3, host.press(PLACES[2], "a")), (2.0, host.die)])
    assert [body["text"] for body in bodies(host.entries(), "move")][-1] == "table close"


def test_a_table_that_was_reset_while_there_was_no_host_leaves_one_gap(tmp_path: Path) -> None:
    meant, made = ending_with(LAST_TURNS)
    path = tmp_path / "log.db"
    with a_table(seed=7) as table, Log.open(path) as log:
        game = begin(log, meant, made)

        class Dies(Keyboard):
            def work(self, conductor: Conductor) -> float:
                if conductor.course.position.ply > made + 6:
                    raise Died
                return 1.0

        with pytest.raises(Died):
            play(log, game, table, meant.moves, keyboard=Dies())
        table.say("reset")
        play(log, game, table, meant.moves)
    check_log(path, meant, boots=2)
