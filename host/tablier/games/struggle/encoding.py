"""Number the actions and observations of Struggle, whose games need not end."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations, combinations_with_replacement, permutations, product
from typing import NamedTuple

from tablier.games.core import TABLE, Move, Rules, seat_name
from tablier.games.core.encoding import Encoding, Part, one_hot, place
from tablier.games.struggle.rules import FACES, OBJECTIVES, PAWNS, PLACES, State
from tablier.texts import Json

DICE, THROWS = 5, 3
MOST_ACTIONS = 1_000
"""A game is cut short after this number of actions, and counts as it stands. Random play takes one or two hundred."""

_PHASES = ("deal", "roll", "choose", "over")


class Node(NamedTuple):
    state: State
    acted: int
    """The number of actions taken so far."""


class StruggleEncoding(Encoding[Node]):
    """Actions are to keep, by the number of dice, and to play, by the number of pawns. Outcomes are the objectives, and
    the throws by the number of dice."""

    secrets = True

    def __init__(self, rules: Rules[State], start: Json | None) -> None:
        super().__init__(rules, start, [*_keeps(), *_plays()], _outcomes(rules.seats))
        self.most_actions = MOST_ACTIONS
        self.most_outcomes = MOST_ACTIONS + rules.seats + 1
        self.returns_to = 10.0 * len(PAWNS)
        spaces = len(rules.options["board"]) + 1 + len(PLACES)
        seats = rules.seats
        self.parts = (
            Part("phase", (len(_PHASES),), lambda view: one_hot(len(_PHASES), _PHASES.index(view["phase"]))),
            Part("turn", (seats,), lambda view: [float(seat_name(seat) == view["turn"]) for seat in self.seats]),
            Part("pawns", (len(PAWNS), spaces), self._pawns),
            Part("throws", (THROWS + 1,), lambda view: one_hot(THROWS + 1, view["throws"])),
            Part("hand", (len(FACES),), lambda view: [view["hand"].count(face) / DICE for face in FACES]),
            Part("objectives", (seats, len(OBJECTIVES)), self._objectives, private=True),
        )

    def start(self) -> Node:
        return Node(self._first, 0)

    def state(self, node: Node) -> State:
        return node.state

    def actors(self, node: Node) -> tuple[int, ...]:
        return () if node.acted >= MOST_ACTIONS else self.rules.to_move(node.state)

    def cut_short(self, node: Node) -> bool:
        return node.acted >= MOST_ACTIONS and bool(self.rules.to_move(node.state))

    def recipient(self, state: State) -> int:
        return len(state.objectives) if state.phase == "deal" else 0

    def play(self, node: Node, actor: int, number: int) -> Node:
        (move,) = self.moves(node, actor, number)
        return Node(self.checked(node.state, move), node.acted + (actor != TABLE))

    def _pawns(self, view: Json) -> Iterable[float]:
        """For each pawn where it is: the start, a space, a place."""
        spaces = len(self.rules.options["board"]) + 1 + len(PLACES)
        at = {**view["pawns"], **{pawn: spaces - len(PLACES) + n for n, pawn in enumerate(view["places"])}}
        return [value for pawn in PAWNS for value in one_hot(spaces, at[pawn])]

    @staticmethod
    def _objectives(view: Json) -> Iterable[float]:
        """For each seat its objective, where it is known."""
        cards = view["objectives"].values()
        return [value for card in cards for value in one_hot(len(OBJECTIVES), place(OBJECTIVES, card))]


def _keeps() -> Iterator[tuple[str, tuple[str, ...]]]:
    yield "keep", ("none",)
    for dice in range(1, DICE):
        yield from (("keep", faces) for faces in combinations_with_replacement(FACES, dice))


def _plays() -> Iterator[tuple[str, tuple[str, ...]]]:
    """Pawns in every order, and every number of steps that five dice allow."""
    yield "play", ("none",)
    for count in range(1, len(PAWNS) + 1):
        steps = [some for some in product(range(1, DICE + 1), repeat=count) if sum(some) <= DICE]
        for pawns in combinations(PAWNS, count):
            for order in permutations(pawns):
                for some in steps:
                    yield "play", tuple(f"{pawn}+{number}" for pawn, number in zip(order, some, strict=True))


def _outcomes(seats: int) -> Iterator[list[Move]]:
    for card in OBJECTIVES:
        yield [Move(TABLE, "deal", (seat_name(seat), card)) for seat in range(1, seats + 1)]
    for dice in range(1, DICE + 1):
        for faces in combinations_with_replacement(FACES, dice):
            yield [Move(TABLE, "roll", faces)] * seats


ENCODING = StruggleEncoding
