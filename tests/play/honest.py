"""Four honest logs for forgers: games that a real conductor played, in which as much happened as can happen.

At a table in virtual time whose openings are bent once and that is reset, with a bot; with rolls of a table that is
reset while it rolls; at screens, with a take-back, a dispute, a choice that is not opened and a host that dies; in
evenings at the same time, with a series and people who come and go.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest import mock

from driving import FLAT
from playing import a_table, play, seats

import replies
from at_screens import NAMES, HandClock, Screens, at_screens
from ports import Stopped, console
from tablier.course.asides import CONSENT
from tablier.course.chance import Sources
from tablier.course.seats import AT_SCREEN, Seat
from tablier.games.core.questions import Choice
from tablier.keeper import desk as desks
from tablier.log.chain import Entry
from tablier.log.store import Log
from tablier.play.beginning import begin
from tablier.play.game import CALL_S, OPENING_S, Conductor
from tablier.table.client import Client
from tablier.table.incoming import Incoming, TableEvent
from tablier_fw import wire


class _Bent(Client):
    """Hears the first opening as another choice, so that it is a fault and all choose again."""

    bent = False

    def poll(self, seconds: float | None) -> list[Incoming]:
        return [self._bend(incoming) for incoming in super().poll(seconds)]

    def _bend(self, incoming: Incoming) -> Incoming:
        if self.bent or not isinstance(incoming, TableEvent) or incoming.message is not wire.OPENED:
            return incoming
        self.bent = True
        return replace(incoming, values={**incoming.values, "choice": 1 - incoming.values["choice"]})


def at_a_table(folder: Path) -> list[Entry]:
    """Dilemma: two at the table and a bot, with a reset, a false opening and a disputed move."""
    done: list[str] = []
    with mock.patch.object(desks, "Client", _Bent), a_table(seed=3) as table, Log.open(folder / "log.db") as log:
        game = begin(log, "dilemma", {}, [*seats(2), Seat("Christine", 5, "greedy")])

        def work(running: Conductor) -> float:
            session = running.session
            if session.open.locked and "reset" not in done:
                done.append("reset")
                table.say("reset")
            elif session.ply > 8 and "dispute" not in done:
                done.append("dispute")
                console(running).command({"command": "dispute", "seat": 0, "text": "It touched the rim."})
            elif session.ply > 40 and not isinstance(session.question, Choice):
                raise Stopped
            return 0.05

        with suppress(Stopped):
            play(log, game, table, None, hook=work)
        return list(log.entries())


def with_rolls(folder: Path) -> list[Entry]:
    """Struggle: dice and objectives rolled by the table, which is reset while it rolls the first and a later time.

    After the second time its people take another source.
    """
    done: list[int] = []
    revealed_between = 4
    with a_table(seed=4) as table, Log.open(folder / "log.db") as log:
        sources = Sources(("roll", "roll"), "roll")
        game = begin(log, "struggle", {"board": "YYYYBYYYYY"}, seats(2), sources=sources)

        def work(running: Conductor) -> float:
            if running.session.open.rolling and len(done) < 2 and running.session.id not in done:
                revealed = sum(entry.body.get("event") == replies.REVEALED for entry in log.entries(game))
                if not done or revealed >= revealed_between:
                    done.append(running.session.id)
                    table.say("reset")
            elif len(done) == 2 and running.session.ply > 12:
                raise Stopped
            return 0.02

        with suppress(Stopped):
            play(log, game, table, None, hook=work)
        return list(log.entries())


def at_screens_only(folder: Path) -> list[Entry]:
    """Dilemma, Le Roudalon and D.21 in one log, at screens: whatever people say and fail to do there."""
    with Log.open(folder / "log.db") as log:
        clock = HandClock()
        game = begin(log, "dilemma", {}, at_screens(3), seed=FLAT)
        room = Screens(log, game, clock, (1, 2, 3))
        room.play((1, "offer 7"))
        _agree(room, {"command": "back", "seat": 1})
        room.command("pause", seat=2)
        room.say(3, replies.answer(False))
        room.say(1, replies.answer(True))
        room.play((1, "offer 8"), (2, "throw 3"), (3, None), (2, None))
        console(room.running).command({"command": "dispute", "seat": 3, "at": 1, "text": "He showed it."})
        room.lock(1, 1)
        room.lock(2, 1)
        room.open(1)
        clock.time += OPENING_S
        room.running.work()  # p2 does not open
        room.lock(1, 0)
        room.running.close()  # the host dies, and the screens with it: what p1 has bound is never opened
        room = Screens(log, game, clock, (1, 2, 3))
        room.lock(2, 0)
        clock.time += OPENING_S
        room.running.work()
        console(room.running).obey({"command": "source", "seat": 3, "source": "random"})
        session = room.running.session
        # Who throws first hangs on how long the bot takes; it leaves its seat only when no secret choice of it is open.
        while session.ply < 16 or (session.open.choosing and 3 in session.open.asked):
            room.running.work()
            if set(session.open.waiting) - {3}:
                room.play_first()
        console(room.running).obey({"command": "source", "seat": 3, "source": "screen"})
        room.play_until(24)
        room.running.close()
        other = begin(log, "roudalon", {}, [*at_screens(3), Seat("Daniel", 0, "greedy")], seed="5e" * 32)
        room = Screens(log, other, clock, (1, 2, 3))
        while room.running.session.ply < 6:
            room.running.work()
            if room.running.session.open.waiting[0] != 4:
                room.play_first()
        room.running.close()
        room = Screens(log, begin(log, "d21", {"max_plies": 6}, at_screens(2)), clock, (1, 2))
        room.play_first()
        for seat, picks in ((1, (0,)), (2, (2, 0, 0, 0)), (1, ())):
            room.command("call", seat=seat)
            for option in picks:
                room.say(seat, replies.pick(option))
            while room.running.session.calling and picks:
                room.say(seat, replies.pick(0))
            if picks[1:]:
                room.say(1, replies.answer(True))
        clock.time += CALL_S
        room.running.work()  # p1 has walked away
        room.play_until()
        kinds = {entry.kind for entry in log.entries()}
        assert kinds >= {
            "request",
            "takeback",
            "dispute",
            "pause",
            "call",
            "elapsed",
            "void",
            "run",
            "opening",
            "prelude",
            "end",
        }
        return list(log.entries())


def in_evenings(folder: Path) -> list[Entry]:
    """Short games of D.21: two evenings that overlap, one with a series, and a game of its own in between."""
    with Log.open(folder / "log.db") as log:
        clock = HandClock()
        anne, bernard, christine = (log.person(name) for name in ("Anne", "Bernard", "Christine"))

        def play_d21(first: int = 0, **where: Any) -> None:
            people = [Seat(NAMES[first + n], 0, AT_SCREEN) for n in range(2)]
            room = Screens(log, begin(log, "d21", {"max_plies": 2}, people, **where), clock, (1, 2))
            room.play_until()

        one = log.begin_evening("simulated", [(anne, 1), (bernard, 4)])
        play_d21(evening=one)
        series = log.begin_series(one, ["d21"], count=2)
        play_d21(evening=one, series=series)
        two = log.begin_evening("", [(bernard, 0)])
        log.come(two, christine, 0)
        play_d21()
        play_d21(1, evening=two)
        log.come(one, christine, 2)
        log.come(one, anne, 3)
        play_d21(evening=one, series=series)
        log.go(one, christine)
        log.close_evening(one)
        series = log.begin_series(two, ["d21"], wins=3)
        play_d21(1, evening=two, series=series)
        log.close_evening(two)
        assert [each.number for each in log.evenings() if each.alone] == [3]
        return list(log.entries())


def _agree(room: Screens, command: dict[str, Any]) -> None:
    """Have a seat ask for something, and all others agree."""
    room.send(command)
    while (question := room.running.session.question) is not None and question.what == CONSENT:
        room.say(room.running.session.open.waiting[0], replies.answer(True))


LOGS: dict[str, Callable[[Path], list[Entry]]] = {
    "at a table": at_a_table,
    "with rolls": with_rolls,
    "at screens": at_screens_only,
    "in evenings": in_evenings,
}
