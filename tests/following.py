"""Simulated people who play the moves of a record as long as the game is the record's.

As a program it is ``tablier`` with such people at its table: ``python following.py RECORD play dilemma …``, where
RECORD is the file with the record.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from itertools import takewhile
from pathlib import Path
from typing import Any

from positions import then
from tablier.cli.main import main as tablier
from tablier.games import rules_of
from tablier.games.core import Position, Rules, seat_name
from tablier.games.core.people import Mind
from tablier.keeper import starting
from tablier.keeper.desk import Desk
from tablier.keeper.server import main as keeper
from tablier.messages import Choice, Update
from tablier.record import Record, replay_file
from tablier.simulation.people import Minds, plain_mind
from tablier.simulation.people import main as people
from tablier.texts import Json


class Followed:
    """A record, move by move, with what a spectator sees before each."""

    def __init__(self, rules: Rules[Any], moves: Sequence[str]) -> None:
        record: Position[Any] = Position(rules)
        then(record, *moves)
        played = record.conducted().moves  # as the session has them
        self._moves = [str(move).split(" ") for move in played]
        self._views = []
        position: Position[Any] = Position(rules.conducted())
        for move in played:
            self._views.append(_unordered(position.rules.view(position.state, None)))
            position.push(move)

    def ahead(self, ply: int, view: Json) -> list[list[str]]:
        """Return the moves from here, in words; none where the record ends, or the game is another."""
        return self._moves[ply:] if ply < len(self._moves) and _unordered(view) == self._views[ply] else []


def _unordered(view: Json) -> Json:
    """Return a view without the order in which cards came to lie beside the pile, which no table can tell."""
    plain: Json = json.loads(json.dumps(view))
    return {**plain, "beside": sorted(plain.get("beside", ()))}


class Follower:
    """A mind that follows a record, and does as its own where that ends."""

    def __init__(self, mind: Mind, followed: Followed) -> None:
        self._mind = mind
        self._own = seat_name(mind.seat)
        self._followed = followed
        self._ahead: list[list[str]] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._mind, name)

    def look(self, update: Update) -> None:
        self._ahead = self._followed.ahead(update.ply, update.view)

    def play(self, update: Update, moves: Sequence[str], may_pass: bool) -> str | None:
        for actor, *words in self._ahead[:1]:
            if actor == self._own and " ".join(words) in moves:
                return " ".join(words)
        return self._mind.play(update, moves, may_pass)

    def choose(self, update: Update) -> str:
        assert isinstance(update.question, Choice)
        for actor, *words in self._ahead:
            if actor == self._own and " ".join(words) in update.question.options:
                return " ".join(words)
        return self._mind.choose(update)

    def throw(self, update: Update, pile: Sequence[tuple[int, int, str]]) -> tuple[int, str] | None:
        throws = self._throws(pile)
        if throws is None:
            return self._mind.throw(update, pile)
        return (int(throws[0][2]), throws[0][3]) if throws and throws[0][0] == self._own else None

    def throws_later(self, pile: Sequence[tuple[int, int, str]]) -> bool:
        return any(move[0] == self._own for move in self._throws(pile) or ())

    def _throws(self, pile: Sequence[tuple[int, int, str]]) -> list[list[str]] | None:
        """Return the throws of this window that are still to come; ``None`` where it goes by no record."""
        throws = list(takewhile(lambda move: move[1] == "throw", self._ahead))
        thrown = [[seat_name(seat), "throw", str(rank), how] for seat, rank, how in pile]
        return throws[len(pile) :] if self._ahead and throws[: len(pile)] == thrown else None


def following(moves: Sequence[str] | None) -> Minds:
    """Return what makes minds that follow these moves, if there are any."""
    if moves is None:
        return plain_mind
    followed: list[Followed] = []

    def made(update: Update, seat: int, source: str, seed: int | None) -> Any:
        if not followed:
            rules = rules_of(update.rules, len(update.seats), update.options)
            followed.append(Followed(rules, moves))
        return Follower(plain_mind(update, seat, source, seed), followed[0])

    return made


def follow(file: Path) -> tuple[str, ...]:
    """Return the program for :attr:`Desk.people` that follows the record in a file."""
    return (__file__, "--people", str(file))


def seated(record: Record) -> list[str]:
    """Return the options by which ``tablier play`` plays such a game, with the record's people."""
    seats = [word for name in record.players for word in ("--seat", f"{name}=people")]
    options = [word for key, value in record.settled.items() for word in ("--option", f"{key}={value}")]
    return [record.game, *seats, *options]


def main(words: Sequence[str]) -> int:
    if words[0] == "--people":
        ((record, _),) = replay_file(words[1])
        return people(words[2:], following(record.moves))
    if words[0] == "--keeper":
        Desk.people = follow(Path(words[1]))
        return keeper(words[2:])
    starting.PROGRAM = (__file__, "--keeper", str(Path(words[0]).absolute()))
    return tablier(list(words[1:]))


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
