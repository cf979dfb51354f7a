"""Dilemma in turn order, which it is not by itself.

In the throwing window all may throw at once, and how a card lands is skill and luck. Here instead

* the seats that can throw are asked one after another, clockwise from the left of the provocateur: throw a card, or
  pass. Who has thrown may be asked again later, who has passed too;
* the window closes when all of them have passed in a row, or none of them holds a card. When it reopens (R-D3) the
  asking begins anew;
* how a thrown card lands is chance, with the weights ``landing``.

The choices in a duel stay simultaneous: two actors at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from tablier.games.core import NOT_NOW, TABLE, IllegalMove, Move, OptionError, Rules, seat_name, shown
from tablier.games.core.encoding import Encoding, Part, no_number, one_hot, place
from tablier.games.dilemma.rules import CHOICES, CLOSE, DUEL, LANDINGS, ODDS, OFFER, OVER, RANKS, WINDOW, State
from tablier.texts import Json

_PHASES = (OFFER, WINDOW, DUEL, OVER)
_THROW = len(RANKS)  # the first throw
_PASS = 2 * len(RANKS)
_DUEL = _PASS + 1
_MOST_LIVES = 3


class Node(NamedTuple):
    state: State
    asked: int = 0
    """The seat that throws or passes; 0 outside the window."""
    passes: int = 0
    """The number of passes in a row."""
    thrown: int = 0
    """The rank of the card that has been thrown and has not come to rest; 0 without one."""


class DilemmaEncoding(Encoding[Node]):
    """Actions are to offer each rank, to throw each rank, to pass, and the choices of a duel. An outcome is how a card
    lands."""

    EXTRAS = ("landing",)
    simultaneous = True

    def __init__(
        self, rules: Rules[State], start: Json | None, landing: Sequence[float] = tuple(ODDS.values())
    ) -> None:
        # How a card lands stands in the notation of a throw, which only both together make.
        super().__init__(rules, start, [("offer", (rank,)) for rank in RANKS])
        self.actions = _DUEL + len(CHOICES)
        self.outcomes = len(LANDINGS)
        if not (
            isinstance(landing, list | tuple)
            and len(landing) == len(LANDINGS)
            and all(type(weight) in (int, float) and 0 <= weight < float("inf") for weight in landing)
            and any(landing)
        ):
            raise OptionError(
                "landing is {landing}; allowed: weights for {allowed}, not all 0",
                landing=shown(landing),
                allowed=list(LANDINGS),
            )
        self._landings = [(n, weight / sum(landing)) for n, weight in enumerate(landing) if weight]
        seats = rules.seats
        # Each card is offered or thrown once. Passes: a round after each offer, and after each throw at most one that
        # reopens the window and one more.
        cards = len(RANKS) * seats
        self.most_actions = cards + 2 * (seats - 1) * cards + 2 * cards
        self.most_outcomes = cards
        self.returns_to = float(sum(RANKS) * seats)
        ranks = len(RANKS)
        self.parts = (
            Part("phase", (len(_PHASES),), lambda view: one_hot(len(_PHASES), _PHASES.index(view["phase"]))),
            Part("turn", (seats,), lambda view: [float(seat_name(seat) == view["turn"]) for seat in self.seats]),
            Part("asked", (seats,), lambda view: [float(seat_name(seat) == view.get("asked")) for seat in self.seats]),
            Part("passes", (seats,), lambda view: one_hot(seats, view.get("passes"))),
            Part("thrown", (ranks,), lambda view: one_hot(ranks, place(RANKS, view.get("thrown")))),
            Part("hands", (seats, ranks), self._hands),
            Part("lives", (seats, _MOST_LIVES + 1), self._lives),
            Part("gained", (seats, ranks), self._gained),
            Part("offer", (ranks,), lambda view: one_hot(ranks, place(RANKS, view.get("offer")))),
            Part("pile", (seats, ranks), lambda view: self._cards(view.get("pile", ()))),
            Part("beside", (seats, ranks), lambda view: self._cards(view.get("beside", ()))),
            Part("duel card", (seats, ranks), self._duel_card),
            Part("fresh", (1,), lambda view: [float(view.get("fresh", False))]),
            Part("made", (seats,), lambda view: [float(self._choice(view, seat) is not None) for seat in self.seats]),
            Part("choice", (seats, len(CHOICES)), self._choices, private=True),
        )

    # -- the course of a game -----------------------------------------------------------------------

    def start(self) -> Node:
        return self._closed(self._asking(self._first), [])

    def state(self, node: Node) -> State:
        return node.state

    def actors(self, node: Node) -> tuple[int, ...]:
        if node.thrown:
            return (TABLE,)
        return (node.asked,) if node.asked else self.rules.to_move(node.state)

    def legal(self, node: Node, seat: int) -> list[int]:
        if seat not in self.actors(node):
            return []
        state = node.state
        if state.phase == DUEL:
            moves = [move for move in self.rules.legal(state) if move.actor == seat]
            return [_DUEL + CHOICES.index(move.args[0]) for move in moves]
        held = [n for n, rank in enumerate(RANKS) if state.hands[seat - 1] >> rank & 1]
        return [*(_THROW + n for n in held), _PASS] if node.asked else held

    def chance(self, node: Node) -> list[tuple[int, float]]:
        return list(self._landings) if node.thrown else []

    def move(self, node: Node, actor: int, number: int) -> Move | None:
        there_are = self.outcomes if actor == TABLE else self.actions
        if not 0 <= number < there_are:
            raise no_number(number, there_are)
        if number not in (dict(self.chance(node)) if actor == TABLE else self.legal(node, actor)):
            raise IllegalMove(NOT_NOW.of(move=self.text(node, actor, number)))
        if actor == TABLE:
            return Move(node.asked, "throw", (node.thrown, LANDINGS[number]))
        if number >= _DUEL:
            return Move(actor, "duel", (CHOICES[number - _DUEL],))
        return Move(actor, "offer", (RANKS[number],)) if number < _THROW else None

    def moves(self, node: Node, actor: int, number: int) -> list[Move]:
        return self._play(node, actor, number)[0]

    def play(self, node: Node, actor: int, number: int) -> Node:
        return self._play(node, actor, number)[1]

    def _play(self, node: Node, actor: int, number: int) -> tuple[list[Move], Node]:
        """Return the moves of the rules that an action or outcome makes, and the node after them."""
        move = self.move(node, actor, number)
        state, asked, passes, _ = node
        if move is None and number != _PASS:
            return [], Node(state, asked, passes, RANKS[number - _THROW])
        moves = [] if move is None else [move]
        for each in moves:
            state = self.checked(state, each)
        node = self._asking(state, asked, passes + 1 if move is None else 0)
        return moves, self._closed(node, moves)

    def _closed(self, node: Node, moves: list[Move]) -> Node:
        """Return the node after all closings that are due; they are added to the moves."""
        while node.state.phase == WINDOW and node.passes >= len(self._throwers(node.state)):
            moves.append(CLOSE)
            node = self._asking(self.checked(node.state, CLOSE))
        return node

    def _asking(self, state: State, asked: int = 0, passes: int = 0) -> Node:
        """Return the node at which the next seat to the left of the one asked last, at first of the provocateur, is
        asked."""
        throwers = self._throwers(state)
        if state.phase != WINDOW or not throwers:
            return Node(state)
        after = asked or state.turn
        following = [seat for seat in throwers if seat > after]
        return Node(state, (following or throwers)[0], passes)

    def _throwers(self, state: State) -> list[int]:
        """Return the seats that can throw."""
        return [seat for seat in self.seats if state.hands[seat - 1] and seat != state.turn]

    # -- who may know what --------------------------------------------------------------------------

    def view(self, node: Node, seat: int | None) -> Json:
        return {**super().view(node, seat), **_asking(node)}

    def describe(self, node: Node) -> Json:
        return {**super().describe(node), **_asking(node)}

    def text(self, node: Node, actor: int, number: int) -> str:
        if actor == TABLE:
            return f"lands {LANDINGS[number]}"
        if number >= _DUEL:
            return f"{seat_name(actor)} duel {CHOICES[number - _DUEL]}"
        if number == _PASS:
            return f"{seat_name(actor)} pass"
        verb = "offer" if number < _THROW else "throw"
        return f"{seat_name(actor)} {verb} {RANKS[number % _THROW]}"

    def told(self, node: Node, actor: int, number: int, seat: int | None) -> list[str]:
        lines = super().told(node, actor, number, seat)
        # Who throws or passes is no move of the rules and has no event; and the event of a choice does not tell it.
        seen_by_all = node.asked and actor != TABLE
        seen_by_actor = number >= _DUEL and actor == seat
        return [self.text(node, actor, number), *lines] if seen_by_all or seen_by_actor else lines

    # -- observations -------------------------------------------------------------------------------

    @staticmethod
    def _hands(view: Json) -> list[float]:
        return [float(rank in hand) for hand in view["hands"].values() for rank in RANKS]

    @staticmethod
    def _lives(view: Json) -> list[float]:
        return [value for lives in view["lives"].values() for value in one_hot(_MOST_LIVES + 1, lives)]

    def _gained(self, view: Json) -> list[float]:
        """Return the share of the cards of each rank that each seat has gained."""
        return [cards.count(rank) / len(self.seats) for cards in view["gained"].values() for rank in RANKS]

    def _cards(self, cards: Any) -> list[float]:
        return [float([seat_name(seat), rank] in cards) for seat in self.seats for rank in RANKS]

    def _duel_card(self, view: Json) -> list[float]:
        return self._cards([card for card in view.get("pile", ()) if card[1] != view["offer"]][:1])

    @staticmethod
    def _choice(view: Json, seat: int) -> Any:
        return view.get("choices", {}).get(seat_name(seat))

    def _choices(self, view: Json) -> list[float]:
        return [float(self._choice(view, seat) == choice) for seat in self.seats for choice in CHOICES]


def _asking(node: Node) -> Json:
    """Return what the encoding adds to the view of a window: all of it public."""
    if not node.asked:
        return {}
    return {"asked": seat_name(node.asked), "passes": node.passes, "thrown": node.thrown or None}


ENCODING = DilemmaEncoding
