"""A screen or the keeper is cut off or killed in a duel and comes back: the duel ends, and its log passes the audit."""

from __future__ import annotations

import os
import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from driving import FLAT

import replies
from at_screens import TO_A_DUEL, at_screens
from cli.term import Term
from keeper.seen import Seen
from kept import kept, linked
from sample import sample
from tablier import messages
from tablier.judge.audit import audit
from tablier.keeper import desk
from tablier.keeper.address import address_of
from tablier.keeper.client import GameLink, KeeperError, Link, entries_of
from tablier.keeper.starting import join, rejoin
from tablier.log.chain import Entry
from tablier.log.store import Log
from tablier.messages import Opened
from tablier.play.beginning import begin
from tablier.play.connections import Message
from tablier.play.game import OPENING_S
from tablier.screens.model import Model, send
from tablier.screens.summary import LogName
from tablier.table.clock import LifeClock
from tablier.texts import Json

ANNE, BERNARD, CHRISTINE = 1, 2, 3
"""Anne and Bernard are in the duel; Christine looks on."""
AGAIN = "Anne did not open a choice; everyone chooses again."


class Held(LifeClock):
    """The clock of a keeper's games. It stands until a test sets it."""

    time = 0.0

    def now(self) -> float:
        return self.time


class Screen(Seen):
    """A screen of one seat. Its model decides what is sent, as in the line screen and the full screen."""

    def __init__(self, path: Path, seat: int, key: messages.Entry) -> None:
        self.path = path
        self.seat = seat
        self.model = Model([seat], LogName("log", ""))
        self._turn = threading.RLock()  # the model is not thread-safe
        self.may_return = threading.Event()
        """Set when the screen may connect again after its connection was cut."""
        super().__init__(GameLink(Link(address_of(path)), 1, {seat: key}, again=self._again), seat)

    def _again(self) -> Link:
        self.may_return.wait(20)
        return Link(address_of(self.path))

    def _take(self, message: Message) -> None:
        with self._turn:
            send(self.model.take(message), self.game)
        super()._take(message)

    def type(self, line: str) -> None:
        with self._turn:
            send(self.model.accept(line), self.game)
            assert not self.model.error

    def move(self, line: str) -> None:
        """Type a line when asked; wait for what follows."""
        self.wait(lambda _: self.model.asked)
        heard = len(self.messages)
        self.type(line)
        self.wait(lambda messages: len(messages) > heard)

    def leave(self, link: Link) -> None:
        """Wait until the screen has another connection than this."""
        self.wait(lambda _: self.game.link is not link)

    def cut(self) -> None:
        """Break the connection."""
        self.game.link._socket.shutdown(socket.SHUT_RDWR)

    def lose(self, event: str) -> list[Json]:
        """Lose each reply of a kind on the way, until the connection is another one; return those that were lost."""
        lost: list[Json] = []
        link, reply = self.game.link, self.game.reply

        def send(body: Json) -> None:
            if body["event"] == event and self.game.link is link:
                lost.append(body)
            else:
                reply(body)

        self.game.reply = send  # type: ignore[method-assign]
        return lost

    def kill(self) -> None:
        """End the screen without a word; what its model holds is lost."""
        self.game.link.close()

    def settle(self) -> None:
        """Return when the keeper has done what was due, and this has heard, and replied to, what was sent to it.

        The keeper sends updates after answers, and does what is due in the next round of its loop.
        """
        for _ in range(3):
            self.game.link.call("list")

    @property
    def question(self) -> Any:
        return self.latest["question"]

    @property
    def told(self) -> list[str]:
        return [saying.text for saying in self.model.sayings]

    def asks(self, what: str, *waiting: int) -> None:
        """Wait until this question is open and these seats have not replied."""
        self.wait(lambda _: (self.question["what"], self.question["waiting"]) == (what, list(waiting)))


class Faithful(Screen):
    """A screen that starts a keeper where its own has been killed, as that of ``tablier play``."""

    def _again(self) -> Link:
        return rejoin(self.path, 1, {})


class Duel:
    """Three screens of a game at a keeper, which are in a duel."""

    def __init__(self, path: Path, clock: type[Held], operator: Link, screen: type[Screen] = Screen) -> None:
        self.path = path
        self._screen = screen
        self._clock = clock
        self._keys = entries_of(operator.ask(Opened, "resume", {"game": 1}))
        self.screens: list[Screen] = []
        self.anne, self.bernard, self.christine = map(self.attach, (ANNE, BERNARD, CHRISTINE))
        for seat, move in TO_A_DUEL:
            self.screens[seat - 1].move(move or "pass")
        self.all_asked("duel", ANNE, BERNARD)

    def attach(self, seat: int) -> Screen:
        """Connect a new screen by a seat's key; return when it shows the game."""
        screen = self._screen(self.path, seat, self._keys[seat])
        self.screens.append(screen)
        assert screen.latest
        return screen

    def kill(self, screen: Screen) -> None:
        self.screens.remove(screen)
        screen.kill()

    def all_asked(self, what: str, *waiting: int) -> None:
        for screen in self.screens:
            screen.asks(what, *waiting)

    def set_time(self, time: float) -> None:
        self._clock.time = time
        self.settle()

    def settle(self) -> None:
        for screen in (self.bernard, self.christine):
            screen.settle()

    def close(self) -> None:
        for screen in self.screens:
            screen.kill()


@contextmanager
def unnoticed(*screens: Screen) -> Iterator[None]:
    """Nothing is sent to these screens meanwhile."""
    before = [len(screen.messages) for screen in screens]
    yield
    for screen in screens:
        screen.settle()
    assert [len(screen.messages) for screen in screens] == before


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "log.db"


@pytest.fixture
def duel(path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Duel]:
    class Clock(Held):
        pass

    monkeypatch.setattr(desk, "LifeClock", Clock)
    with Log.open(path) as log:
        begin(log, "dilemma", {}, at_screens(3), seed=FLAT)
    with kept(path), linked(path) as operator:
        it = Duel(path, Clock, operator)
        try:
            yield it
        finally:
            it.close()


def audited(path: Path) -> list[Entry]:
    """Audit a log; return the entries of its game."""
    with Log.read(path) as log:
        assert audit(log.entries()).games == 1
        return list(log.entries(1))


def bodies(entries: list[Entry], kind: str) -> list[Json]:
    return [entry.body for entry in entries if entry.kind == kind]


def seats(entries: list[Entry], kind: str) -> list[int]:
    return [body["seat"] for body in bodies(entries, kind)]


def chosen(entries: list[Entry]) -> list[str]:
    return [body["text"] for body in bodies(entries, "move") if " duel " in body["text"]]


def test_a_screen_that_was_cut_off_opens_what_it_had_bound(path: Path, duel: Duel) -> None:
    anne, bernard, christine = duel.screens
    anne.type("duel conflict")
    duel.all_asked("duel", BERNARD)
    with unnoticed(bernard, christine):
        anne.cut()
    bernard.type("duel peace")
    christine.asks("duel")
    duel.settle()
    with unnoticed(bernard, christine):
        duel.set_time(OPENING_S - 0.01)
    anne.may_return.set()
    duel.all_asked("offer", BERNARD)
    entries = audited(path)
    assert chosen(entries) == ["p1 duel conflict", "p2 duel peace"]
    assert seats(entries, "commitment") == [ANNE, BERNARD] and sorted(seats(entries, "opening")) == [ANNE, BERNARD]
    assert not bodies(entries, "void") and not bodies(entries, "sits")
    assert bernard.told == christine.told == anne.told, "nothing is told twice"


def test_an_opening_that_is_lost_with_its_connection_is_sent_again(
    path: Path, duel: Duel, monkeypatch: pytest.MonkeyPatch
) -> None:
    anne, bernard, _ = duel.screens
    anne.type("duel conflict")
    duel.all_asked("duel", BERNARD)
    lost: list[Json] = []

    with monkeypatch.context() as once:

        def lose(body: Json) -> None:
            once.undo()
            lost.append(body)
            anne.cut()

        anne.may_return.set()
        once.setattr(anne.game, "reply", lose)
        bernard.type("duel peace")
        duel.all_asked("offer", BERNARD)
    assert [body["event"] for body in lost] == [replies.OPENED]
    entries = audited(path)
    assert chosen(entries) == ["p1 duel conflict", "p2 duel peace"] and not bodies(entries, "void")
    assert anne.told == bernard.told and not anne.model.error


def test_what_is_typed_while_the_way_to_the_keeper_is_lost_reaches_it(path: Path, duel: Duel) -> None:
    """It was refused, as if nobody sat or watched there."""
    anne, bernard = duel.anne, duel.bernard
    link = anne.game.link
    anne.cut()
    link._reader.join(20)
    anne.type("duel conflict")
    anne.may_return.set()
    duel.all_asked("duel", BERNARD)
    bernard.type("duel peace")
    duel.all_asked("offer", BERNARD)
    assert chosen(audited(path)) == ["p1 duel conflict", "p2 duel peace"] and not anne.model.error


def test_what_a_killed_screen_had_bound_is_void_after_30_s_and_everyone_chooses_again(path: Path, duel: Duel) -> None:
    bernard, christine = duel.bernard, duel.christine
    duel.anne.type("duel conflict")
    duel.all_asked("duel", BERNARD)
    first, told, view = bernard.question["id"], christine.told, christine.latest["view"]
    with unnoticed(bernard, christine):
        duel.kill(duel.anne)
        anne = duel.attach(ANNE)
    assert anne.question["id"] == first and not anne.question["mine"]["waits"] and anne.model.asked is None
    assert anne.model.question.endswith("Waiting for Bernard …")
    bernard.type("duel peace")
    duel.all_asked("duel")
    duel.settle()
    assert anne.question["to_open"] == [ANNE] and anne.question["deadline"] == OPENING_S == 30
    for screen in duel.screens:
        assert screen.model.question.endswith("All have chosen; waiting for Anne … [■■■■■■■■■■] 30 s")
    with unnoticed(*duel.screens):
        duel.set_time(OPENING_S - 0.01)
    assert anne.latest["view"] == view, "what Bernard has opened is not shown"
    duel.set_time(OPENING_S)
    duel.all_asked("duel", ANNE, BERNARD)
    for screen in duel.screens:
        assert (screen.told, screen.latest["view"]) == ([*told, AGAIN], view) and screen.question["id"] != first
    anne.type("duel peace")
    duel.all_asked("duel", BERNARD)
    bernard.type("duel peace")
    duel.all_asked("offer", BERNARD)
    entries = audited(path)
    (void,) = bodies(entries, "void")
    assert (void["id"], void["seats"]) == (first, [ANNE])
    assert chosen(entries) == ["p1 duel peace", "p2 duel peace"]
    assert seats(entries, "commitment") == [ANNE, BERNARD] * 2
    assert seats(entries, "opening")[0] == BERNARD and sorted(seats(entries, "opening")[1:]) == [ANNE, BERNARD]
    assert len({body["nonce"] for body in bodies(entries, "opening")}) == 3, "Bernard has drawn a new one"


@pytest.mark.parametrize(
    "killed", ["after all locks", *sample([], ["after the first lock", "after the first opening"])]
)
def test_a_keeper_that_is_killed_costs_no_screen_its_choice(path: Path, killed: str) -> None:
    """The screens start another one by themselves, and open to it what they had bound."""
    with Log.open(path) as log:
        begin(log, "dilemma", {}, at_screens(3), seed=FLAT)
    operator = join(path)
    duel = Duel(path, Held, operator, Faithful)
    anne, bernard, christine = duel.screens
    try:
        lost = anne.lose(replies.OPENED)
        if killed == "after all locks":
            bernard.lose(replies.OPENED)
        asked = bernard.question["id"]
        anne.type("duel conflict")
        duel.all_asked("duel", BERNARD)
        if killed != "after the first lock":
            bernard.type("duel peace")
            duel.all_asked("duel")
            left = [ANNE] if killed == "after the first opening" else [ANNE, BERNARD]
            christine.wait(lambda _: christine.question.get("to_open", []) == left)
            anne.settle()
            assert [body["id"] for body in lost] == [asked]
        links = [screen.game.link for screen in duel.screens]
        os.kill(operator.keeper["pid"], signal.SIGKILL)
        for screen, link in zip(duel.screens, links, strict=True):
            link._reader.join(20)
            screen.leave(link)
        if killed == "after the first lock":
            duel.all_asked("duel", BERNARD)
            assert bernard.question["id"] == asked
            bernard.type("duel peace")
        duel.all_asked("offer", BERNARD)
        assert anne.told == bernard.told == christine.told and not anne.model.error and not bernard.model.error
    finally:
        duel.close()
        operator.close()
        last = join(path)
        with suppress(KeeperError):
            last.call("quit")
        last.close()
    entries = audited(path)
    assert chosen(entries) == ["p1 duel conflict", "p2 duel peace"] and not bodies(entries, "void")
    assert seats(entries, "commitment") == [ANNE, BERNARD] and sorted(seats(entries, "opening")) == [ANNE, BERNARD]


def test_a_screen_that_was_killed_before_it_has_chosen_is_asked_the_same(path: Path, duel: Duel) -> None:
    bernard, christine = duel.bernard, duel.christine
    bernard.type("duel peace")
    duel.all_asked("duel", ANNE)
    asked = duel.anne.latest
    with unnoticed(bernard, christine):
        duel.kill(duel.anne)
        duel.set_time(2 * OPENING_S)
        anne = duel.attach(ANNE)
    assert {**anne.latest, "news": [], "now": 0.0} == {**asked, "news": [], "now": 0.0}
    anne.type("duel conflict")
    duel.all_asked("offer", BERNARD)
    entries = audited(path)
    assert chosen(entries) == ["p1 duel conflict", "p2 duel peace"]
    assert not bodies(entries, "void") and not bodies(entries, "sits")
    assert anne.told == bernard.told == christine.told


def test_somebody_whose_program_was_killed_attaches_and_chooses_again(path: Path, duel: Duel) -> None:
    """Another program cannot open what the first one had bound: that is void then."""
    attach = ("attach", "--seat", "Anne", "--log", path)
    bernard, christine = duel.bernard, duel.christine
    duel.screens.remove(duel.anne)
    with Term(*attach) as term:
        term.shows("Anne>")
        term.type("duel conflict")
        duel.all_asked("duel", BERNARD)
        term.process.send_signal(signal.SIGKILL)
        term.process.wait()
    bernard.type("duel peace")
    duel.all_asked("duel")
    with Term(*attach) as term:
        term.until(lambda: "waiting for Anne" in " ".join(term.text.split()))
        duel.set_time(OPENING_S)
        duel.all_asked("duel", ANNE, BERNARD)
        term.until(lambda: AGAIN in " ".join(term.text.split()) and "Anne>" in term.text)
        term.type("duel peace")
        duel.all_asked("duel", BERNARD)
        bernard.type("duel peace")
        duel.all_asked("offer", BERNARD)
        term.shows("Waiting for Bernard …")
    entries = audited(path)
    assert chosen(entries) == ["p1 duel peace", "p2 duel peace"]
    assert [void["seats"] for void in bodies(entries, "void")] == [[ANNE]]
    assert AGAIN in christine.told
