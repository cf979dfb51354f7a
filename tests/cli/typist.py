"""Somebody who plays at a screen: reads the log to know what is legal, types, and watches."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from cli.term import Term
from tablier.games.core import TABLE, Move, Position
from tablier.games.core.questions import bare
from tablier.log.store import Log
from tablier.play import logged

SHORT = {
    "dilemma": [],
    "struggle": ["board=" + "R" * 10, "first=p1"],
    "dicke-daemonen": ["layout=ring"],
    "roudalon": [],
    "d21": ["max_plies=14"],
}
"""Options with which a game is soon over."""


Moves = Sequence[Move]


def position_of(log: Path) -> Position[Any]:
    """Return where the latest game of a log stands."""
    with Log.read(log) as reader:
        return logged.position_of(reader, reader.game())


class Typist:
    """Plays all seats at the screen of a program in a terminal."""

    def __init__(self, term: Term, log: Path, names: dict[int, str], seed: int) -> None:
        self.term = term
        self.log = log
        self.names = names
        """The seats at the screen."""
        self.dice = random.Random(seed)
        self.looking: int | None = None
        """The seat that has said last that it looks."""
        self.asked: int | None = None
        """The seat whose turn the screen says it is."""

    @property
    def over(self) -> bool:
        return "The game is over." in self.term.text

    def wait(self) -> None:
        """Wait for a turn or the end of the game; confirm for players who are asked to look."""
        self.term.until(lambda: self.over or self._turn() or self._passed_to(), "somebody's turn")
        if not self.over and (seat := self._passed_to()):
            self.looking = seat
            self.term.type(self.names[seat][:2].lower())
            self.term.until(lambda: self._turn() == seat, f"the turn of p{seat}")

    def _turn(self) -> int | None:
        """The seat whose turn it is and that may type: what the last lines of the screen say."""
        lines = self.term.lines
        for seat, name in self.names.items():
            if lines[-3] == f"{name}>" and f"Pass the screen to {name}." not in self.term.text:
                return seat
        return None

    def _passed_to(self) -> int | None:
        return next((s for s, name in self.names.items() if f"Pass the screen to {name}." in self.term.text), None)

    def move(self, choose: Callable[[Moves], Move | None] | None = None) -> None:
        """Wait for a turn and make a move in it, a random one if none is given."""
        self.wait()
        if self.over:
            return
        seat = self._turn()
        position = position_of(self.log)
        moves = [move for move in position.legal_moves if move.actor == seat]
        assert moves, f"the screen says it is p{seat}'s turn, the log does not"
        move = choose(moves) if choose else self._any(moves, TABLE in position.to_move)
        stood = self._stand()
        self.term.type("pass" if move is None else bare(position.rules.attempt(move)))  # chance may do the rest
        self.term.until(
            lambda: self._stand() != stood and (self.over or self._turn() or self._passed_to()), f"{move} was taken"
        )

    def _stand(self) -> str | None:
        """How many moves the screen says stand."""
        said = re.search("[0-9]+ moves?", self.term.lines[0])
        return said and said[0]

    def _any(self, moves: list[Move], may_pass: bool) -> Move | None:
        if may_pass and self.dice.random() < 0.5:
            return None
        verb = self.dice.choice(sorted({move.verb for move in moves}))
        return self.dice.choice([move for move in moves if move.verb == verb])
