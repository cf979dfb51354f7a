"""A game at a simulated table of which everything is kept that anybody could see, so that two runs can be compared.

Two runs of the same presses at the same times are alike to the byte: the table's entropy and the host's are seeded.
"""

from __future__ import annotations

import io
import json
import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from msgspec import to_builtins
from tapping import TappedTable, frames_of

from ports import each, work
from tablier import messages
from tablier.cli.main import main
from tablier.course.chance import Sources
from tablier.course.seats import AT_TABLE, Seat
from tablier.games import rules_of
from tablier.games.core import Move, Position
from tablier.games.core.questions import bare
from tablier.log.chain import Entry
from tablier.log.store import Log
from tablier.play import chairs
from tablier.play.beginning import begin
from tablier.play.game import Conductor
from tablier.play.logged import log_id
from tablier.simulation import tester as hands
from tablier.simulation.clock import VirtualClock
from tablier.table.client import Client
from tablier.table.incoming import TableEvent
from tablier.texts import Json
from tablier_fw import colours, wire

SEED = 11
NAMES = ("Anne", "Bernard", "Christine", "Daniel")
PLACES = {1: (6,), 3: (3, 1, 6), 4: (3, 1, 5, 6)}
"""Where the seats of a game of so many have their places. The last seat is the owner of the secret."""
BOT = 1
"""The seat that a bot has, where one may sit."""
PACE_S = 0.3
"""Between two presses."""


def without_ids(value: Any) -> str:
    """Return a value as JSON without the ids of questions, which are another log's in each run."""
    return re.sub(r'"id": \d+', '"id"', json.dumps(value, sort_keys=True))


class Recorder:
    """A bot that keeps what it is asked, and takes the first move."""

    def __init__(self, asked: list[str]) -> None:
        self._asked = asked

    def decide(self, view: Json, moves: Sequence[Move], may_pass: bool) -> Move | None:
        self._asked.append(json.dumps([view, [bare(move) for move in moves], may_pass], sort_keys=True))
        return moves[0]


@dataclass
class Seen:
    """The observations of a running game, by channel."""

    hoods: list[Any] = field(default_factory=list)
    """Of all places but the owner's: [µs, pixels] for each change."""
    owners_hood: list[Any] = field(default_factory=list)
    public: list[Any] = field(default_factory=list)
    ring: list[Any] = field(default_factory=list)
    wire: list[Any] = field(default_factory=list)
    """[µs, which way, what, how long] for each frame, then how many bytes went which way at each time."""
    updates: dict[int | None, list[str]] = field(default_factory=dict)
    bots: list[str] = field(default_factory=list)
    """What the bot is asked, and all that its seat may see."""
    exports: str = ""
    """What ``tablier log list``, ``show --all`` and ``export`` print while the game runs."""
    pictures: str = ""
    """What ``tablier show`` prints and draws of the record that is exported while the game runs."""
    entries: list[Entry] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    """Of all frames, as they came."""


@contextmanager
def tapped(patch: pytest.MonkeyPatch) -> Iterator[TappedTable]:
    """A table that keeps what goes over its line, the same in every run."""
    patch.setenv("PYTHONPATH", str(Path(__file__).parent), prepend=":")
    patch.setenv("TAPPED_SEED", str(SEED))
    with TappedTable(virtual=True) as table:
        yield table


class Hand:
    """Place 1 of a table, and a host that asks it."""

    def __init__(self, table: TappedTable) -> None:
        self._tester = hands.Tester(table.control)
        self._tester.join()
        self._clock = VirtualClock(self._tester)
        self._cursors: dict[str, int] = {}
        assert table.port is not None
        self._client = Client(table.port, self._clock, lambda boot: self._cursors.get(boot, 0))
        self._client.open()
        self._id = 0

    def close(self) -> None:
        self._client.close()
        self._tester.close()

    def ask(self, message: wire.Message, *values: Any) -> None:
        self._id += 1
        self._client.want(message, self._id, *values)
        self._run(0.1)

    def pixel(self) -> str:
        """Return the first one under the hood; where it blinks, when it is lit."""
        while (colour := self._tester.pixels()["hood1"][0]) == "000000":
            self._run(0.1)
        return str(colour)

    def press(self, button: str) -> list[dict[str, Any]]:
        """Press a button of the place; return the events that come of it."""
        self._tester.press(1, button)
        return self._run(0.12)

    def _run(self, seconds: float) -> list[dict[str, Any]]:
        end, told = self._clock.now() + seconds, []
        while (left := end - self._clock.now()) > 0:
            for incoming in self._client.poll(left):
                if isinstance(incoming, TableEvent):
                    self._cursors[incoming.boot] = incoming.number
                    self._client.acknowledge(incoming)
                    told.append(incoming.values)
        return told


class Sitting:
    """A game that goes on from some moves; ``owner`` is the last seat."""

    def __init__(
        self, log: Log, table: TappedTable, game: str, seats: list[Seat], number: int, seen: Seen, bots: bool
    ) -> None:
        self.owner = len(seats)
        self.table = table
        self.seen = seen
        self._tester = hands.Tester(table.control)
        self._tester.join()
        self._clock = VirtualClock(self._tester)
        assert table.port is not None
        self.client = Client(table.port, self._clock, log.cursor, None, log=log_id(log))
        self.client.open()
        self.running = Conductor(log, number, self._clock, self.client)
        for viewer in (None, *range(1, len(seats) + 1)):
            kept = seen.bots if bots and viewer == BOT else seen.updates.setdefault(viewer, [])
            self.running.watch((viewer,), each(lambda update, kept=kept: self._keep(kept, update)))  # type: ignore[misc]
        self._places = [seat.place for seat in seats]

    def _keep(self, kept: list[str], update: messages.Update) -> None:
        kept.append(f"{self._clock.now():.6f} {without_ids(to_builtins(update))}")

    def close(self) -> None:
        self.running.close()
        self.client.close()
        self._tester.close()

    def draw(self, bytes_: str) -> None:
        """Settle what the firmware draws next of that many bytes."""
        self.table.say(f"draw {bytes_}")

    def start(self) -> None:
        self.running.start()
        self.wait(0.5)

    def wait(self, seconds: float) -> None:
        end = self._clock.now() + seconds
        while (left := end - self._clock.now()) > 0:
            for incoming in self.client.poll(min(work(self.running), left)):
                self.running.take(incoming)

    def press(self, seat: int, *buttons: str) -> None:
        for button in buttons:
            self._tester.press(self._places[seat - 1], button)
            self.wait(PACE_S)

    def peek(self) -> None:
        """Have everybody at the table look under the hood who is not asked."""
        question = self.running.session.question
        for seat, at in enumerate(self.running.session.seats, 1):
            if at.at_table and (question is None or seat not in question.seats):
                self.press(seat, "plus")

    def hood(self) -> list[str]:
        """Return the owner's."""
        hood: list[str] = self._tester.pixels()[f"hood{self._places[-1]}"]
        return hood

    def walk_to(self, colour: int) -> None:
        """Walk the owner's secret menu to an option, and confirm it."""
        for _ in range(wire.MAX_FACES):
            if self.hood()[0] == bytes(colours.option_look(colour)).hex():
                break
            self.press(self.owner, "plus")
        self.press(self.owner, "b")

    def choose(self, colour: int) -> None:
        """Press the button under whose pixel the colour is, and lock."""
        shown = bytes(colours.option_look(colour)).hex()
        (button,) = [button for button, pixel in (("a", 1), ("b", 3)) if self.hood()[pixel] == shown]
        self.press(self.owner, button, "plus")

    def commit(self, starter: int = 0) -> None:
        """Bring a roll to where both sides are bound, and no further; without a starter it begins with the game."""
        self.running._table.contribute = lambda: None  # type: ignore[method-assign]
        if starter:
            self.press(starter, "b")
        else:
            self.start()
        self.wait(1.5)  # it tumbles for a second
        assert self.running.session.open.rolling and self.running.session.open.contribution


@contextmanager
def sitting(
    folder: Path,
    game: str,
    moves: Sequence[str],
    *,
    seats: int = 3,
    options: Json | None = None,
    sources: Sources | None = None,
    seed: int = 1,
) -> Iterator[Sitting]:
    """A game at a table of a person, a bot and the owner (all of them people where a bag is entered by hand), after
    ``moves``. What was seen of it is complete when it is left."""
    folder.mkdir()
    options = options or ({"first": "p1"} if game == "struggle" else {})  # else a lot says who begins
    position: Position[Any] = Position(rules_of(game, seats, options)).conducted()
    bots = seats > 1 and not (sources and sources.bag == "tally")
    seen, path = Seen(), folder / "log.db"
    seated = [
        Seat(NAMES[n], place, "random" if bots and n + 1 == BOT else AT_TABLE) for n, place in enumerate(PLACES[seats])
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("os.urandom", random.Random(SEED).randbytes)
        patch.setattr(chairs, "bot_for", lambda *_: Recorder(seen.bots))
        with tapped(patch) as table, Log.open(path) as log:
            number = begin(log, game, options, seated, seed=f"{seed:064x}", sources=sources)
            for text in moves:
                before = position.state
                move = position.parse_push(text)
                salt = {"salt": "5a" * 16} if position.rules.secret(before, move, position.state) else {}
                log.append(number, "move", {"text": text, "by": "host" if move.actor == 0 else AT_TABLE, **salt})
            it = Sitting(log, table, game, seated, number, seen, bots)
            try:
                yield it
                assert not it.running.over
            finally:
                it.close()
            _look(seen, table.say("tapped")["kept"], PLACES[seats][-1])
            seen.entries += log.entries()
        _print(seen, path)


def _look(seen: Seen, kept: list[Any], private: int) -> None:
    """Take the picture apart: the ring, the public pixels, the hoods."""
    frames = list(frames_of(kept))
    seen.names += [frame.name for frame in frames]
    sent = Counter[tuple[int, str]]()
    for us, what, data in kept:
        if what != "pixels":
            sent[us, what] += len(data) // 2
            continue
        ring, public = data[: 6 * 32], data[6 * 32 : 6 * 38]
        hoods = [data[6 * at : 6 * (at + 5)] for at in range(38, 68, 5)]
        for channel, shown in (
            (seen.ring, ring),
            (seen.public, public),
            (seen.owners_hood, hoods[private - 1]),
            (seen.hoods, "".join(hoods[: private - 1] + hoods[private:])),
        ):
            if not channel or channel[-1][1] != shown:
                channel.append((us, shown))
    seen.wire += [(frame.us, frame.way, frame.name, frame.length) for frame in frames]
    seen.wire += sorted((*key, count) for key, count in sent.items())


def _print(seen: Seen, path: Path) -> None:
    record, svg = path.with_name("record.json"), path.with_name("board.svg")
    seen.exports = "".join(
        _said("log", *words, "--log", str(path))
        for words in (("list",), ("show", "--all"), ("export",), ("export", "--out", str(record)))
    )
    if record.exists():  # else the game has not begun, which was said
        seen.exports += record.read_text()
        seen.pictures = _said("show", str(record), "--svg", str(svg)) + svg.read_text()
    seen.exports = seen.exports.replace(str(path), "the log")
    seen.exports = re.sub(r"\d\d:\d\d(:\d\d)?", "time", seen.exports)  # the games began when they began


def _said(*words: str) -> str:
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        status = main(list(words))
    return f"{status} {out.getvalue()}{err.getvalue()}"
