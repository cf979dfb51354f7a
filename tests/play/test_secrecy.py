"""Until all choices of a duel are opened, nothing that anybody but the chooser can see depends on what was chosen.

The same duel is played with every combination of choices, with presses at the same moments; everything that goes over
the line, is lit, shown, printed and logged before the opening is compared. The table's entropy and the host's are
seeded, so that all is equal but what hides the choices: commitments and what is computed from them.

These checks were seen to fail with firmware that locks one of the choices with a second press, that tells in its status
which button was pressed, that lights a public pixel by it, or draws its meanings without chance; and with a host that
logs, prints or sends a choice of the keyboard before the opening, or opens before it is bound.
"""

from __future__ import annotations

import json
import random
import shutil
import sqlite3
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from driving import FLAT, Driver, fabricate
from msgspec import to_builtins
from playing import a_table, begin, exported, meant_game, play, seats
from tapping import TappedTable, frames_of

import replies
from ports import console, each
from replying import lock_to, opening_to
from sample import sample
from tablier import messages
from tablier.course.binding import Binder
from tablier.course.seats import AT_SCREEN, Seat
from tablier.games.core.lights import CHOICE_COLOURS
from tablier.games.dilemma.rules import CHOICES
from tablier.judge.audit import audit
from tablier.judge.redaction import story
from tablier.keeper import desk as desks
from tablier.log.chain import Entry
from tablier.log.store import Log
from tablier.messages import Update
from tablier.play import beginning
from tablier.play.game import Conductor
from tablier.simulation.clock import VirtualClock
from tablier.simulation.simulated import SimulatedTable
from tablier.table.client import Client
from tablier.table.incoming import Incoming, TableEvent
from tablier_fw import colours, wire

DUEL = ["p1 offer 8", "p2 throw 3 flat", "table close"]
LIFELESS = [
    *("p1 offer 1", "p2 throw 2 flat", "table close", "p1 duel conflict", "p2 duel peace"),
    *("p2 offer 1", "p1 throw 2 flat", "table close", "p2 duel peace", "p1 duel conflict"),
    *("p3 offer 1", "p1 throw 3 flat", "table close", "p3 duel peace", "p1 duel conflict"),
    *("p1 offer 4", "p2 throw 5 flat", "table close"),
]
"""A duel between p1, who has no life left, and p2."""
TABLE = "table"
SEED = 11


class Enough(Exception):
    """The duel is over."""


class Script:
    """Lets people do things at fixed times: ``deeds`` are (second, what to do); keeps every viewer's updates."""

    def __init__(self, viewers: Sequence[int | None], deeds: list[tuple[float, Callable[[Conductor], None]]]) -> None:
        self.updates: list[tuple[float, int | None, str]] = []
        """When, to whom, and what, as it would go over a line."""
        self.latest: dict[int | None, Update] = {}
        self._viewers = viewers
        self._deeds = sorted(deeds, key=lambda deed: deed[0])
        self._began = False

    def __call__(self, running: Conductor) -> float:
        now = running.clock.now()
        if not self._began:
            self._began = True
            for viewer in self._viewers:
                running.watch((viewer,), each(lambda update, viewer=viewer: self._keep(running, viewer, update)))  # type: ignore[misc]
            return 0.001
        if running.session.question is None or running.session.question.what != "duel":
            raise Enough
        while self._deeds and self._deeds[0][0] <= now:
            self._deeds.pop(0)[1](running)
        return min([1.0, *(max(0.001, due - now) for due, _ in self._deeds[:1])])

    def _keep(self, running: Conductor, viewer: int | None, update: messages.Update) -> None:
        self.updates.append((running.clock.now(), viewer, json.dumps(to_builtins(update), sort_keys=True)))
        self.latest[viewer] = update


class Seen:
    """All that a duel let be seen before its opening."""

    def __init__(self, kept: list[Any], script: Script, entries: list[Entry]) -> None:
        frames = list(frames_of(kept))
        opening = next(n for n, frame in enumerate(frames) if frame.name == replies.OPENED)
        self.openings = [frame.us for frame in frames if frame.name == replies.OPENED]
        self.frames = frames[:opening]
        before = kept[: frames[opening].piece]
        self.bytes = Counter[tuple[int, str]]()  # how many went which way at a time, however they were cut
        for us, what, data in before:
            if what != "pixels":
                self.bytes[us, what] += len(data) // 2
        self.pixels = [(us, data) for us, what, data in before if what == "pixels"]
        plies = [json.loads(update)["ply"] for _, _, update in script.updates]
        self.updates = script.updates[: next((n for n, ply in enumerate(plies) if ply != plies[0]), len(plies))]
        logged = [(e.n, e.game, e.kind, {k: v for k, v in e.body.items() if k != "commitment"}) for e in entries]
        before_duel = max(n for n, e in enumerate(entries) if e.kind == "ask" and e.body["what"] == "duel")
        self.logged = logged[
            : next(n for n, e in enumerate(logged) if n > before_duel and e[3].get("event") == replies.OPENED)
        ]

    def public(self, private: Sequence[int]) -> list[Any]:
        """The pixels over time, but for those under the hoods of some places."""
        hoods = [slice(2 * 3 * (38 + 5 * (place - 1)), 2 * 3 * (38 + 5 * place)) for place in private]
        seen: list[Any] = []
        for us, data in self.pixels:
            for hood in hoods:
                data = data[: hood.start] + "-" * (hood.stop - hood.start) + data[hood.stop :]
            if not seen or seen[-1][1] != data:
                seen.append((us, data))
        return seen


class Duels:
    """Plays one duel, again and again, from copies of one log."""

    def __init__(self, tmp_path: Path, moves: list[str], sources: tuple[str, str], monkeypatch: Any) -> None:
        self.sources = sources
        self.seated = [
            Seat(seat.name, seat.place, source) for seat, source in zip(seats(3), (*sources, TABLE), strict=True)
        ]
        self._tmp_path = tmp_path
        self._monkeypatch = monkeypatch
        self._count = 0
        self.more: list[tuple[float, Callable[[Conductor], None]]] = []
        """What else happens, and when."""
        with Log.open(tmp_path / "before.db") as log:
            fabricate(log, beginning.begin(log, "dilemma", {}, self.seated, seed="5e" * 32), moves)
            log.next_id()
        monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent), prepend=":")
        monkeypatch.setenv("TAPPED_SEED", str(SEED))

    def play(self, choices: Sequence[str], at: tuple[tuple[float, float], tuple[float, float]]) -> Seen:
        """``at``: when each duellist presses the button of its choice, and when it locks (or types, at the first)."""
        self._count += 1
        path = self._tmp_path / f"duel{self._count}.db"
        shutil.copy(self._tmp_path / "before.db", path)
        self._monkeypatch.setattr("os.urandom", random.Random(SEED).randbytes)
        with TappedTable(virtual=True) as table, Log.open(path) as log:
            deeds: list[Any] = [*self.more]
            script = Script((None, 1, 2, 3), deeds)
            for seat, (source, choice, (first, then)) in enumerate(zip(self.sources, choices, at, strict=True), 1):
                if source == TABLE:
                    deeds.append((first, self._press(table, seat, choice)))
                    deeds.append((then, lambda _, seat=seat: table.tester.press(self.place(seat), "plus")))
                else:
                    deeds.append(
                        (first, lambda running, seat=seat, choice=choice: _type(script, running, seat, choice))
                    )
            script._deeds = sorted(deeds, key=lambda deed: deed[0])
            with pytest.raises(Enough):
                play(log, 1, table, None, hook=script, people=False)
            kept = table.say("tapped")["kept"]
            entries = list(log.entries())
            log.verify()
        assert [e.body["text"] for e in entries if e.kind == "move"][-2:] == [
            f"p{seat} duel {choice}" for seat, choice in enumerate(choices, 1)
        ]
        opened = [e.kind for e in entries if e.body.get("event") == replies.OPENED][-len(choices) :]
        assert opened == sorted(opened, key=lambda kind: kind != "table"), "the table opens first"
        assert audit(entries).games == 1
        return Seen(kept, script, entries)

    def place(self, seat: int) -> int:
        return self.seated[seat - 1].place

    def _press(self, table: SimulatedTable, seat: int, choice: str) -> Callable[[Conductor], None]:
        place = self.place(seat)

        def press(_: Conductor) -> None:
            """The button under whose pixel the colour of the choice is."""
            hood = table.tester.pixels()[f"hood{place}"]
            colour = bytes(colours.option_look(CHOICE_COLOURS[CHOICES.index(choice)])).hex()
            buttons = [button for button, pixel in (("a", 1), ("b", 3)) if hood[pixel] == colour]
            assert len(buttons) == 1
            table.tester.press(place, buttons[0])

        return press


def _type(script: Script, running: Conductor, seat: int, choice: str) -> None:
    """Choose at a screen, which opens what it is bound to when it is told to."""
    binder = Binder()
    console(running).reply(lock_to(script.latest[seat], binder, CHOICES.index(choice)))

    def deliver(update: Update) -> None:
        if opening := opening_to(update, binder):
            console(running).reply(opening)

    running.watch((seat,), each(deliver))


TIMES = {
    "one after the other": ((1.0, 1.4), (2.0, 2.3)),
    "together": ((1.0, 1.6), (1.0, 1.6)),
    "second first": ((1.5, 2.5), (1.0, 1.2)),
}
ALL = list(product(CHOICES, CHOICES))
SOME = sample(ALL[::3], ALL)
"""Those in which both have chosen otherwise; all of them in the case in which most happens at once."""
CASES = [
    *(
        pytest.param(DUEL, (TABLE, TABLE), ALL if name == "together" else SOME, at, id=f"both at the table, {name}")
        for name, at in TIMES.items()
    ),
    pytest.param(LIFELESS, (TABLE, TABLE), ALL[:2], TIMES["together"], id="one without a life"),
    pytest.param(DUEL, (AT_SCREEN, TABLE), SOME, TIMES["second first"], id="one at a screen, who is last"),
    pytest.param(DUEL, (AT_SCREEN, TABLE), SOME, ((1.0, 0.0), (1.2, 1.6)), id="one at a screen, who is first"),
    pytest.param(DUEL, (AT_SCREEN, TABLE), SOME, ((1.3, 0.0), (1.0, 1.6)), id="one at a screen, in between"),
    pytest.param(LIFELESS, (TABLE, AT_SCREEN), ALL[:2], TIMES["together"], id="no life, against a screen"),
]


@pytest.mark.parametrize(("moves", "sources", "combinations", "at"), sample(CASES[1::2], CASES))
def test_nothing_before_the_opening_depends_on_a_choice(
    moves: list[str],
    sources: tuple[str, str],
    combinations: list[tuple[str, str]],
    at: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    duels = Duels(tmp_path, moves, sources, monkeypatch)
    first, *others = [duels.play(choices, at) for choices in combinations]
    at_the_table = [duels.place(seat) for seat, source in enumerate(sources, 1) if source == TABLE]
    assert len(first.frames) > 20 and len(first.openings) == len(at_the_table)
    for other in others:
        assert [frame[:5] for frame in other.frames] == [frame[:5] for frame in first.frames]
        assert other.bytes == first.bytes
        assert other.openings == first.openings
        assert other.public(at_the_table) == first.public(at_the_table)
        assert other.updates == first.updates and len(first.updates) > 8
        assert other.logged == first.logged
    # The hood of a place shows nothing of the other's choice.
    for place in at_the_table:
        for one, two in product(zip(combinations, [first, *others], strict=True), repeat=2):
            seat = 1 + [seat.place for seat in duels.seated].index(place)
            if one[0][seat - 1] == two[0][seat - 1]:
                rest = [other for other in range(1, 7) if other != place and other in at_the_table]
                assert one[1].public(rest) == two[1].public(rest)
    order = [frame.name for frame in first.frames]
    if AT_SCREEN in sources:
        assert order.count("outside") == 1  # what a screen is bound to went to the table before the opening


def test_places_wait_for_the_screen_to_be_bound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However long it takes."""
    duels = Duels(tmp_path, DUEL, (AT_SCREEN, TABLE), monkeypatch)
    seen = duels.play(("conflict", "peace"), ((61.0, 0.0), (1.0, 1.5)))
    assert min(seen.openings) >= 61e6


# -- the finger says nothing -------------------------------------------------------------------------------------

ROUNDS = sample(40, 60)


@pytest.mark.parametrize("allowed", sample([0b11], [0b11, 0b01]))
def test_which_button_means_what_is_chance_whatever_is_chosen(allowed: int) -> None:
    """Two presses lock every choice, and the first is as often the one button as the other."""
    dice = random.Random(5)
    pressed: list[tuple[int, int]] = []  # (which of the two buttons, which choice)
    nonces: set[bytes] = set()
    alike = 0  # neighbours whose buttons mean the same
    with a_table(seed=5) as table:
        table.tester.join()
        clock = VirtualClock(table.tester)
        cursors: dict[str, int] = {}
        client = Client(table.first_port, clock, lambda boot: cursors.get(boot, 0))
        client.open()

        def run(seconds: float) -> list[TableEvent]:
            until, events = clock.now() + seconds, []
            while clock.now() < until:
                for incoming in client.poll(until - clock.now()):
                    if isinstance(incoming, TableEvent):
                        cursors[incoming.boot] = incoming.number
                        client.acknowledge(incoming)
                        events.append(incoming)
            return events

        shades = [bytes(colours.option_look(index)).hex() for index in CHOICE_COLOURS[:2]]
        for question in range(1, ROUNDS + 1):
            client.want(wire.CHOICE, question, 0, 0b111111, 0, bytes([allowed] * 6), bytes(6), CHOICE_COLOURS[:2])
            run(0.1)
            pixels = table.tester.pixels()
            first: list[int] = []
            for place in range(1, 7):
                choice = dice.randrange(2) if allowed == 0b11 else 0
                hood = pixels[f"hood{place}"]
                button = [hood[1], hood[3]].index(shades[choice])
                table.tester.press(place, "ab"[button])
                pressed.append((button, choice))
                first.append(button ^ choice)
            alike += sum(one == other for one, other in zip(first[::2], first[1::2], strict=True))
            run(0.1)
            for place in range(1, 7):
                table.tester.press(place, "plus")
            events = run(0.2)
            assert [event.message.name for event in events] == [replies.LOCKED] * 6 + [replies.OPENED] * 6
            nonces |= {event.values["nonce"] for event in events[6:]}
            opened = [event.values["choice"] for event in events[6:]]
            assert opened == [choice for _, choice in pressed[-6:]]
        client.close()
    assert len(nonces) == len(pressed)  # else equal commitments would tell of equal choices
    for choice in (0, 1) if allowed == 0b11 else (0,):
        _is_a_fair_coin([button for button, chosen in pressed if chosen == choice])
    _is_a_fair_coin([1] * alike + [0] * (3 * ROUNDS - alike))


def _is_a_fair_coin(tosses: list[int]) -> None:
    """Within four standard deviations."""
    assert len(tosses) > 100
    assert abs(2 * sum(tosses) - len(tosses)) < 4 * len(tosses) ** 0.5


# -- a table or a host that is false --------------------------------------------------------------------------------


class FalseTable(Client):
    """Hears one of the table's openings as the other choice."""

    true_before = 0

    def poll(self, seconds: float | None) -> list[Incoming]:
        return [self._bend(incoming) for incoming in super().poll(seconds)]

    def _bend(self, incoming: Incoming) -> Incoming:
        if isinstance(incoming, TableEvent) and incoming.message is wire.OPENED:
            FalseTable.true_before -= 1
            if FalseTable.true_before == -1:
                return replace(incoming, values={**incoming.values, "choice": 1 - incoming.values["choice"]})
        return incoming


@pytest.mark.parametrize("which", [0, 1], ids=["the first opening", "the last opening"])
def test_a_false_opening_is_void_and_all_choose_again(
    which: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    meant = meant_game(3, 19)
    before_the_last_duel = max(n for n, move in enumerate(meant.moves) if " duel " in move) - 1
    monkeypatch.setattr(FalseTable, "true_before", which)
    monkeypatch.setattr(desks, "Client", FalseTable)
    notes: list[str] = []
    path = tmp_path / "log.db"
    with a_table(seed=3) as table, Log.open(path) as log:
        game = begin(log, meant, before_the_last_duel)
        watch = lambda update: notes.extend(news.kind for news in update.news)  # noqa: E731
        play(log, game, table, meant.moves, watch=watch)
        assert exported(log, game) == meant
        entries = list(log.entries(game))
        assert audit(log.entries()).games == 1
    assert "void" in notes
    void = next(n for n, entry in enumerate(entries) if entry.kind == "fault")
    assert entries[void].body["what"] == replies.OPENED and entries[void].body["why"]["text"] == "a false opening"
    assert entries[void + 1].kind == "ask" and entries[void + 1].body["what"] == "duel"
    # Taken up right there, the game does not count the false opening either.
    monkeypatch.undo()
    db = sqlite3.connect(path)
    db.execute("DELETE FROM entry WHERE n > ?", (entries[void + 1].n,))
    for kept in ("ended", "evening", "evenings"):
        db.execute(f"DELETE FROM {kept}")
    db.commit()
    db.close()
    with a_table(seed=4) as table, Log.open(path) as log:
        play(log, game, table, meant.moves)
        assert exported(log, game) == meant


def test_a_screen_is_bound_to_its_first_choice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    duels = Duels(tmp_path, DUEL, (AT_SCREEN, TABLE), monkeypatch)
    heads: list[str] = []

    def again(running: Conductor) -> None:
        heads.append(running.log.head)
        session = running.session
        console(running).reply(Binder().lock(session.open.bind(1), session.id, 1, 0))

    duels.more = [(1.2, again), (1.4, lambda running: heads.append(running.log.head))]
    duels.play(("conflict", "peace"), ((1.0, 0.0), (1.1, 1.6)))
    assert len(heads) == 2 and heads[0] == heads[1]


def test_a_secret_move_that_was_taken_back_is_still_withheld(tmp_path: Path) -> None:
    seated = [Seat("Anne", 0, AT_SCREEN), Seat("Zoe", 0, "greedy")]
    with Log.open(tmp_path / "log.db") as log:
        game = beginning.begin(log, "dicke-daemonen", {}, seated, practice=True, seed=FLAT)
        driver = Driver.of_log(log, game, practice=True)
        driver.begin()
        while not (drawn := [entry for entry in log.entries(game, "move") if "salt" in entry.body]):
            driver.step()
        driver.feed("request", {"to": 0, "seat": 1})
        (told,) = [each for each in story(log, log.game(game)).told if each.entry.n == drawn[0].n]
        assert told.undone and told.withheld and told.text is None
