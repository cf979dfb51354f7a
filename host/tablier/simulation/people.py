"""Simulated people: they sit at the places of a simulated table, look at its pixels and cards, and press its buttons.

They see only the pixels, the cards in the arena, and a spectator's updates, and use the table as people do: they read a
menu off the hood and walk through it, choose by the colours under the hood, throw cards into the arena and recognise
them by their print. They repeat what is not shown as taken. Run as a program, they read updates from standard input,
one JSON value a line, and write their decisions to standard output.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import socket
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import msgspec

from tablier import waiting
from tablier.course.asides import PAUSED
from tablier.course.seats import AT_TABLE
from tablier.games import bots_of, mind_of, rules_of
from tablier.games.core.parts import PartError, called
from tablier.games.core.people import Card, Mind, Sight
from tablier.messages import Update, Window
from tablier.simulation.clock import VirtualClock
from tablier.simulation.eyes import is_marked, tag_of
from tablier.simulation.hands import Person
from tablier.simulation.tester import Gone, Tester
from tablier.table.clock import Clock, LifeClock

LIFE_PACE, LIFE_THINK = 0.3, 0.9  # seconds that people take for a press, and to make up their minds
QUICK_PACE = 0.12
_SETTLE_US = 150_000  # how long after a card's landing the next may be thrown
_BLINK_S = 0.7
"""The sign of an abandoned roll that has not been seen for so long is gone: it is dark for half a second at a time."""

Minds = Callable[[Update, int, str, int | None], Mind]
"""Makes the mind of a seat, from the first update, the seat, its source and a seed."""


def plain_mind(update: Update, seat: int, source: str, seed: int | None) -> Mind:
    """Return a mind that decides as the built-in bot does that the source names."""
    game, seats, options = update.rules, len(update.seats), update.options
    bot = bots_of(game)[source](rules_of(game, seats, options), seat, random.Random(seed))
    return mind_of(game)(rules_of(game, seats, options), seat, bot)


class People:
    """All simulated people of a table.

    ``minds``: the sources of their seats. ``pace``: seconds of table time for one action, more than a press and release
    take; ``think``: about how many seconds before the first action of each question. ``made`` makes their minds.
    """

    def __init__(
        self,
        tester: Tester,
        minds: Mapping[int, str],
        made: Minds = plain_mind,
        *,
        pace: float = QUICK_PACE,
        think: float = 0.0,
        seed: int | None = None,
        noted: Callable[[int, str], None] = lambda ply, move: None,
    ) -> None:
        self._tester = tester
        self._minds = dict(minds)
        self._made = made
        self._people: list[Person] = []
        self._pace = pace
        self._think = think
        self._seed = seed
        self._noted = noted
        self._random = random.Random(0 if seed is None else seed)
        self._swept_at = -1
        self._question = 0
        self._marked_at = -_BLINK_S

    def _sit_down(self, update: Update) -> None:
        for seat, source in self._minds.items():
            seed = None if self._seed is None else self._seed + seat
            place = update.seats[seat - 1].place
            made = partial(self._made, update, seat, source, seed)
            mind = called(update.rules, "people", "MIND", made)
            self._people.append(Person(seat, place, mind, self._noted))

    def act(self, now: float, latest: Callable[[], Update | None]) -> float:
        """Let everybody who is ready do one action; return the seconds until the next may be due.

        ``latest`` returns the latest update. It is called after the pixels were read, so it is never older than they.
        """
        pixels = self._tester.pixels()
        update = latest()
        if update is None or update.question is None:
            return self._pace
        if not self._people:
            self._sit_down(update)
        if self._unmark(now, pixels["ring"]):
            return self._pace
        self._sweep(update)
        question = update.question
        if question.id != self._question:
            self._question = question.id
            for person in self._people:
                person.ready_at = max(person.ready_at, now + self._think * self._random.uniform(0.6, 1.6))
        sight = self.look(update, pixels)
        if self._lay(sight):
            return self._pace
        asked = [person for person in self._people if person.seat in question.seats and person.seat in sight.at_table]
        if question.what == PAUSED:  # a second one would press for the next question already
            asked = asked[:1]
        for person in asked:
            if now >= person.ready_at:
                person.ready_at = now + self._pace
                if person.act(sight, self._tester):
                    sight = self.look(update, self._tester.pixels())
        return max(0.001, min([self._pace, *(person.ready_at - now for person in asked)]))

    def _unmark(self, now: float, ring: Sequence[str]) -> bool:
        """Press the mark of an abandoned roll away; return whether it may still stand."""
        if is_marked(ring):
            self._marked_at = now
            self._tester.press(self._people[0].place, "a")
        return now - self._marked_at < _BLINK_S

    def _lay(self, sight: Sight) -> bool:
        """Lay a card for somebody who is not at the table."""
        if not isinstance(sight.question, Window) or not sight.settled:
            return False
        lying = {(card.seat, card.rank) for card in sight.pile}
        for seat, rank in sight.question.to_lay:
            if (seat, rank) not in lying:
                game = sight.update.rules
                how = called(game, "people", "land", partial(mind_of(game).land, self._random))
                self._tester.land(how, tag_of(seat, rank, sight.update.ply))
                return True
        return False

    def look(self, update: Update, pixels: dict[str, Any]) -> Sight:
        """Return what is visible now."""
        pile = self._tester.say("pile")
        cards = []
        for card in pile["cards"]:
            tag, _, window = card["tag"].partition("@")
            if window == str(update.ply):
                seat, _, rank = tag.partition(":")
                cards.append(Card(int(seat[1:]), int(rank), card["how"]))
        settled = all(pile["now"] - card["time"] > _SETTLE_US for card in pile["cards"])
        at_table = [number for number, seat in enumerate(update.seats, 1) if seat.source == AT_TABLE]
        return Sight(update, pixels, tuple(cards), settled, at_table)

    def _sweep(self, update: Update) -> None:
        """Take cards that are out of play out of the arena, once moves were made."""
        ply, game = update.ply, update.rules
        mind = mind_of(game)
        if ply == self._swept_at:
            return
        self._swept_at = ply
        if called(game, "people", "clears", lambda: mind.clears(update.view)):
            self._tester.say("clear")
            return
        for card in self._tester.say("pile")["cards"]:
            how = card["how"]
            if called(game, "people", "removes", partial(mind.removes, how)) and not card["tag"].endswith(f"@{ply}"):
                self._tester.say(f"take {card['tag']}")


class _Reader:
    """Updates from a pipe, the latest one."""

    def __init__(self, file: int) -> None:
        self.file = file
        self.open = True
        self._lock = threading.Lock()
        self._rest = self._line = b""
        self._latest: Update | None = None

    def read_always(self) -> None:
        """Read also while the people wait for table time, so that the pipe never fills up."""
        waiting.beside(self._read_always, "updates")

    def latest(self) -> Update | None:
        self._read()
        with self._lock:
            line, self._line = self._line, b""
        if line:
            self._latest = msgspec.json.decode(line, type=Update)
        return self._latest

    def _read_always(self) -> None:
        while self.open:
            waiting.wait([self.file], (), math.inf)
            self._read()

    def _read(self) -> None:
        """Read all input that has come; safe from both threads."""
        with self._lock:
            while self.open and waiting.wait([self.file]):
                data = os.read(self.file, 1 << 16)
                self.open = bool(data)
                *lines, self._rest = (self._rest + data).split(b"\n")
                if lines:
                    self._line = lines[-1]


def _say(ply: int, move: str) -> None:
    sys.stdout.write(json.dumps([ply, move]) + "\n")
    sys.stdout.flush()


def main(argv: Sequence[str] | None = None, made: Minds = plain_mind) -> int:
    parser = argparse.ArgumentParser(description="Simulated people at a simulated table.")
    parser.add_argument("table", type=int, help="an open connection to the table's control socket, as a file's number")
    parser.add_argument("people", help="JSON: for each seat what decides for it")
    parser.add_argument("--seed", type=int)
    parser.add_argument("--failure", type=int, help="a pipe, as a file's number, for why a mind has failed, as JSON")
    args = parser.parse_args(argv)
    try:
        _live(Tester(socket.socket(fileno=args.table)), args, made)
    except Gone:
        pass  # the program that started the table says why
    except PartError as error:
        if args.failure is None:
            raise
        os.write(args.failure, json.dumps(error.text.to_json()).encode())
        return 1
    return 0


def _live(tester: Tester, args: argparse.Namespace, made: Minds) -> None:
    """Play until standard input ends."""
    time = tester.say("time")
    quick = bool(time["virtual"] or time["own"])
    clock: Clock = VirtualClock(tester, own=bool(time["own"])) if quick else LifeClock()
    people = People(
        tester,
        {int(seat): source for seat, source in json.loads(args.people).items()},
        made,
        pace=QUICK_PACE if quick else LIFE_PACE,
        think=0.0 if quick else LIFE_THINK,
        seed=args.seed,
        noted=_say,
    )
    reader = _Reader(sys.stdin.fileno())
    if quick:
        reader.read_always()
    while reader.open:
        wait = people.act(clock.now(), reader.latest)
        clock.wait(wait, reader.file if isinstance(clock, LifeClock) else None)


if __name__ == "__main__":
    raise SystemExit(main())
