"""Seasons that nobody played: clubs whose people decide as bots do, and throw dice of their own, one of them loaded.

``python -m tests.archive.season FOLDER`` writes the logs of five clubs, from September to November, as real sessions
log them; ``tablier archive add`` and ``tablier report`` do the rest.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from unittest import mock

import replies

sys.path += [str(Path(__file__).parents[1]), str(Path(__file__).parents[1] / "play")]

from driving import Driver
from playing import as_the_table_tells

from tablier.bots.campaigns import Campaign, played
from tablier.course.chance import TALLY, HostSeed, Sources
from tablier.course.seats import AT_TABLE, Seat
from tablier.games.core import Move, Position
from tablier.games.core.questions import Question, Tally
from tablier.log.store import Log
from tablier.play.beginning import begin


@dataclass(frozen=True)
class Club:
    """A club, its people with the bots that they decide like, how often its dice show their last face, and how much
    light a beam of its table loses in a week, in percent."""

    name: str
    people: Mapping[str, str]
    six: float = 1 / 6
    dust: float = 0.0

    def margins(self, week: int) -> list[int]:
        """Return what the self-test of a week has measured."""
        return [48, 51, 47, 50, 52, round(49 - week * self.dust), 46, 50]


CLUBS = (
    Club("Beaune", {"Anne": "good", "Bernard": "greedy", "Chloé": "easy", "Denis": "random", "Élise": "greedy"}),
    Club("Dijon", {"Fanny": "greedy", "Gaël": "easy", "Hélène": "random", "Ivan": "good"}, six=0.2),
    Club("Auxerre", {"Jeanne": "easy", "Karim": "easy", "Lucie": "greedy", "Marc": "random"}, dust=2.5),
    Club("Nevers", {"Nina": "good", "Omar": "greedy", "Paula": "greedy", "Rémi": "easy", "Sonia": "random"}),
    Club("Mâcon", {"Théo": "random", "Ursule": "greedy", "Victor": "easy", "Wanda": "good"}),
)
GAMES: dict[str, tuple[int, dict[str, Any]]] = {
    "roudalon": (4, {"first": "p1"}),
    "dilemma": (4, {}),
    "struggle": (3, {"first": "p1"}),
    "d21": (2, {"max_plies": 60}),
}
"""With players and options; where a prelude would settle who begins, it is the first seat, which anybody may have."""
FIRST = datetime(2026, 9, 4, 18, 0, tzinfo=UTC)


class Thrown(Driver):
    """Enters the dice that a record says were thrown."""

    def answer(self, question: Question, seat: int) -> replies.Reply:
        if isinstance(question, Tally) and not question.leads and question.what == "dice":
            rules, state = self.session.position.rules, self.session.position.state
            draw = rules.draw(state)
            faces = [str(face) for face in _faces(draw.move, draw.ranges)]
            thrown = [faces.index(face) for face in self._meant.split(" ")[2:]]
            return replies.tally([*question.given, *thrown])
        return super().answer(question, seat)


def _faces(move: Any, ranges: Sequence[int]) -> list[Any]:
    """Return the faces of a die in their order."""
    return [move((face,) * len(ranges)).args[0] for face in range(ranges[0])]


@contextmanager
def dice(six: float, seed: int) -> Iterator[None]:
    """Throw dice that show their last face that often, instead of the host's."""
    hand, drawn = random.Random(seed), HostSeed.draw

    def throw(source: HostSeed, position: Position[Any]) -> Move:
        if position.rules.chance(position.state) and (draw := position.rules.draw(position.state)).dice:
            others = draw.ranges[0] - 1
            weights = [(1 - six) / others] * others + [six]
            return draw.move([hand.choices(range(draw.ranges[0]), weights)[0] for _ in draw.ranges])
        return drawn(source, position)

    with mock.patch.object(HostSeed, "draw", throw):
        yield


class Clock:
    """A calendar for logs: some milliseconds pass with each entry."""

    def __init__(self, at: datetime) -> None:
        self.at = at

    def __call__(self) -> str:
        self.at += timedelta(milliseconds=400)
        return self.at.isoformat(timespec="microseconds").replace("+00:00", "Z")


def play(path: Path, club: Club, evenings: int, games: Sequence[str], seed: int) -> None:
    """Write the log of a club's season: an evening a week, in which each of these games is played once."""
    hand = random.Random(f"{club.name} {seed}")
    begins = FIRST + timedelta(minutes=hand.randrange(90), microseconds=hand.randrange(1_000_000))
    clock = Clock(begins)
    with Log.open(path, clock=clock) as log:
        for week in range(evenings):
            clock.at = begins + timedelta(days=7 * week)
            there = hand.sample(sorted(club.people), len(club.people) - hand.randrange(len(club.people) - 3))
            places = {name: place for place, name in enumerate(there, 1)}
            evening = log.begin_evening("simulated", [(log.person(name), place) for name, place in places.items()])
            for game in games:
                count, options = GAMES[game]
                names = hand.sample(there, count)
                seats = [Seat(name, places[name], AT_TABLE) for name in names]
                _play_one(log, club, game, options, seats, evening, hand, club.margins(week))
            log.close_evening(evening)


def _play_one(
    log: Log,
    club: Club,
    game: str,
    options: dict[str, Any],
    seats: Sequence[Seat],
    evening: int,
    hand: random.Random,
    margins: Sequence[int],
) -> None:
    names = tuple(seat.name for seat in seats)
    moves, seed = ["p1 throw 1 outside"] * 2, 0
    while _misses_twice(moves):
        seed = hand.randrange(1 << 30)
        meant = Campaign(game, options, tuple(club.people[name] for name in names), names, seed)
        with dice(club.six, seed):
            moves = as_the_table_tells([str(move) for move in played(meant, 1).moves])
    sources = Sources((TALLY,) * len(seats), "host")
    number = begin(log, game, options, seats, sources=sources, evening=evening)
    driver = Thrown.of_log(log, number, moves, sources=sources, seed=seed)
    driver.about_table["margins"] = margins
    driver.begin()
    driver.play()


def _misses_twice(moves: Sequence[str]) -> bool:
    """Return whether somebody throws two cards past the arena in one window, which a place cannot say at once."""
    missed: list[str] = []
    for move in moves:
        if move == "table close":
            missed = []
        elif move.endswith(" outside"):
            missed.append(move.split(" ")[0])
        if len(set(missed)) < len(missed):
            return True
    return False


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for club in CLUBS:
        play(folder / f"{club.name}.db", club, 12, tuple(GAMES), 1)
        print(folder / f"{club.name}.db")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
