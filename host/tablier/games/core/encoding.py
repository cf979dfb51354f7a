"""The encoding that every game shares: numbered actions, one actor after another, observations as numbers.

An *encoding* wraps the rules of a game. It keeps to their terms, seats from 1 and :data:`TABLE` for chance, and adds

* a *node*: a state of the rules, with what the encoding itself must remember (Dilemma: who is asked to throw);
* *actions*, what a seat can do, and *outcomes*, what chance can do, both numbered from 0. The numbers depend on the
  game, its seats and its options alone, never on the position;
* *parts*, the pieces of an observation as numbers from 0 to 1, worked out from what a seat may see and nothing else.
"""

from __future__ import annotations

import json
from abc import ABC
from collections.abc import Callable, Iterable, Sequence
from math import inf
from typing import Any, ClassVar, Generic, NamedTuple, TypeVar

from tablier.games.core import TABLE, IllegalMove, Move, OptionError, Rules, RulesError
from tablier.texts import Json, Who

N = TypeVar("N")


class Part(NamedTuple):
    """A piece of an observation."""

    name: str
    shape: tuple[int, ...]
    values: Callable[[Json], Iterable[float]]
    """Its numbers, in the order of the shape, from a view of the game."""
    private: bool = False
    """True if it shows what is the seat's alone. The others are worked out from what a spectator sees."""


def one_hot(size: int, index: int | None) -> list[float]:
    """Return zeros with a 1 at the index; all 0 without one."""
    values = [0.0] * size
    if index is not None:
        values[index] = 1.0
    return values


def place(items: Sequence[Any], item: object) -> int | None:
    """Return where an item is, or ``None``."""
    return items.index(item) if item in items else None


def no_number(number: int, count: int) -> IllegalMove:
    """Return the error of an action or outcome that is not below ``count``."""
    return IllegalMove("there is no number {number}; allowed: 0 to {last}", number=number, last=count - 1)


class Encoding(ABC, Generic[N]):
    """A game in turn order. Immutable once made; made by :func:`tablier.games.encoding_of` alone.

    This class does for games in which never more than one actor can move, and whose node is the state of the rules.
    """

    EXTRAS: ClassVar[tuple[str, ...]] = ()
    """Arguments of its own that an encoding takes beside those of the rules."""
    secrets: ClassVar[bool] = False
    """True if a seat may know what others do not."""
    simultaneous: ClassVar[bool] = False
    """True if several seats may be asked at the same time."""

    made_from: tuple[Callable[[str], Encoding[Any]], str]
    """A function that every process can import, and its argument: together they make this encoding again, for a copy or
    in another process. The registry sets both."""

    def __init__(
        self,
        rules: Rules[Any],
        start: Json | None,
        actions: Iterable[tuple[str, tuple[Any, ...]]],
        outcomes: Iterable[Sequence[Move]] = (),
    ) -> None:
        """``actions`` are verbs and arguments, ``outcomes`` moves of the table, one for each :meth:`recipient`."""
        self.rules = rules
        self.seats = range(1, rules.seats + 1)
        self._first = rules.initial() if start is None else rules.restore(start)
        actions = list(actions)
        self._actions = {
            seat: [rules.canonical(Move(seat, verb, args)) for verb, args in actions] for seat in self.seats
        }
        self._outcomes = [list(map(rules.canonical, moves)) for moves in outcomes]
        self._numbers = {
            move: number
            for moves in (*self._actions.values(), *zip(*self._outcomes, strict=True))
            for number, move in enumerate(moves)
        }
        self.actions = len(actions)
        """The number of actions."""
        self.outcomes = len(self._outcomes)
        """The number of outcomes."""
        self.most_actions = 0
        """A bound of how often seats act in a game; of simultaneous actions each counts."""
        self.most_outcomes = 0
        """A bound of how often chance acts in a game."""
        self.returns_from = 0.0
        self.returns_to = 1.0
        """Bounds of what a seat can get."""
        self.returns_sum: float | None = None
        """The sum of all seats' returns, where that is always the same."""
        self.parts: tuple[Part, ...] = ()
        """The parts of an observation, beside who observes."""

    def __reduce__(self) -> tuple[Any, ...]:
        make, key = self.made_from
        return make, (key,)

    def __deepcopy__(self, memo: object) -> Encoding[N]:
        return self

    # -- the course of a game -----------------------------------------------------------------------

    def start(self) -> N:
        """Return the node at which a game begins."""
        node: N = self._first
        return node

    def state(self, node: N) -> Any:
        """Return the state of the rules at a node."""
        return node

    def actors(self, node: N) -> tuple[int, ...]:
        """Return who acts: one seat, several at the same time, chance as ``(TABLE,)``, or nobody when the game is
        over."""
        return self.rules.to_move(self.state(node))

    def cut_short(self, node: N) -> bool:
        """Return whether the game was broken off by the encoding, not ended by its rules."""
        return False

    def legal(self, node: N, seat: int) -> list[int]:
        """Return the actions that a seat can take, ascending; empty when it is not to act."""
        if seat not in self.actors(node):
            return []
        numbers = self._numbers
        return sorted([numbers[move] for move in self.rules.legal(self.state(node)) if move.actor == seat])

    def chance(self, node: N) -> list[tuple[int, float]]:
        """Return every outcome with its probability, ascending; empty when chance does not act."""
        if self.actors(node) != (TABLE,):
            return []
        outcomes = self.rules.chance(self.state(node))
        total = sum(weight for _, weight in outcomes)
        return sorted((self._numbers[move], weight / total) for move, weight in outcomes)

    def recipient(self, state: Any) -> int:
        """Return which of the moves of an outcome happens: 0, or a seat less 1 where it is dealt to seats."""
        return 0

    def move(self, node: N, actor: int, number: int) -> Move | None:
        """Return the move of the rules that an action or outcome is; ``None`` where it is none by itself.

        Raises ``IllegalMove`` for a number that there is not.
        """
        moves: Sequence[Any] = self._outcomes if actor == TABLE else self._actions[actor]
        if not 0 <= number < len(moves):
            raise no_number(number, len(moves))
        found = moves[number]
        move: Move = found[self.recipient(self.state(node))] if actor == TABLE else found
        return move

    def moves(self, node: N, actor: int, number: int) -> list[Move]:
        """Return the moves of the rules that an action or outcome makes, in order."""
        move = self.move(node, actor, number)
        return [] if move is None else [move]

    def play(self, node: N, actor: int, number: int) -> N:
        """Return the node after an action or outcome. Raise ``IllegalMove`` when it is not legal; checks always."""
        state = self.state(node)
        for move in self.moves(node, actor, number):
            state = self.checked(state, move)
        after: N = state
        return after

    def checked(self, state: Any, move: Move) -> Any:
        """Return the state after a move. Raise ``IllegalMove``."""
        reason = self.rules.refuse(state, move)
        if reason is not None:
            raise IllegalMove(reason)
        return self.rules.apply(state, move)

    def returns(self, node: N) -> tuple[float, ...]:
        """Return what each seat gets: its score when the game is over, 0 before."""
        if self.actors(node):
            return (0.0,) * len(self.seats)
        return tuple(map(float, self.rules.scores(self.state(node))))

    # -- who may know what --------------------------------------------------------------------------

    def view(self, node: N, seat: int | None) -> Json:
        """Return what a seat may see; ``None`` is a spectator."""
        return self.rules.view(self.state(node), seat)

    def describe(self, node: N) -> Json:
        """Return all there is, secrets included."""
        return self.rules.describe(self.state(node))

    def text(self, node: N, actor: int, number: int) -> str:
        """Return the notation of an action or outcome; different for each that is legal at a node."""
        return str(self.move(node, actor, number))

    def told(self, node: N, actor: int, number: int, seat: int | None) -> list[str]:
        """Return what a seat learns from an action or outcome; ``None`` is a spectator. The actor learns which one it
        was."""
        lines = []
        state = self.state(node)
        for move in self.moves(node, actor, number):
            after = self.rules.apply(state, move)
            events = self.rules.events(state, move, after)
            lines += [str(event.text) for event in events if event.audience is None or seat in event.audience]
            state = after
        return lines


class GenericEncoding(Encoding[Any]):
    """The encoding of a game without one of its own: an action is an index in what ``Rules.legal`` lists for its seat,
    an outcome one in ``Rules.chance``.

    The numbers mean something else in every position, and an observation only says whose turn it is: enough for
    algorithms that search, too little for one that learns. Seats that choose at the same time decide one after another,
    unseen by each other. A game in which seats and the table can move at the same time needs an encoding of its own.
    """

    secrets = True  # for all that is known

    def __init__(self, rules: Rules[Any], start: Json | None) -> None:
        """Raise :class:`OptionError` for rules that do not declare ``most_legal`` and ``longest``."""
        if rules.most_legal is None or rules.longest is None:
            raise OptionError(
                "{game} has no encoding; without one its rules have to declare most_legal and longest",
                game=rules.shown_title(),
            )
        super().__init__(rules, start, ())
        self.actions = rules.most_legal
        self.most_actions = rules.longest
        if type(rules).chance is not Rules.chance:
            self.outcomes, self.most_outcomes = rules.most_legal, rules.longest
        self.returns_from, self.returns_to = -inf, inf
        self.parts = (
            Part("to move", (rules.seats,), lambda view: [float(seat in view["to_move"]) for seat in self.seats]),
        )

    def actors(self, node: Any) -> tuple[int, ...]:
        to_move = self.rules.to_move(node)
        if len(to_move) > 1 and TABLE in to_move:
            raise RulesError(
                "{game}: seats and the table can move at the same time; it needs an encoding",
                game=self.rules.shown_title(),
            )
        return to_move[:1]

    def legal(self, node: Any, seat: int) -> list[int]:
        return list(range(len(self._moves(node, seat)))) if seat in self.actors(node) else []

    def chance(self, node: Any) -> list[tuple[int, float]]:
        weights = [weight for _, weight in self.rules.chance(node)]
        return [(number, weight / sum(weights)) for number, weight in enumerate(weights)]

    def move(self, node: Any, actor: int, number: int) -> Move:
        moves = self._moves(node, actor)
        if not 0 <= number < len(moves):
            raise IllegalMove(
                "there is no action {number} here; {who} has {count} actions, from 0",
                number=number,
                who=Who(actor),
                count=len(moves),
            )
        return moves[number]

    def _moves(self, node: Any, actor: int) -> list[Move]:
        if actor == TABLE:
            return [move for move, _ in self.rules.chance(node)]
        return [move for move in self.rules.legal(node) if move.actor == actor]

    def view(self, node: Any, seat: int | None) -> Json:
        return {**super().view(node, seat), "to_move": list(self.actors(node))}


class Step(Generic[N]):
    """A game in progress, never changed: a node and how it came about. Copies are the step itself."""

    __slots__ = ("_told", "actor", "actors", "before", "encoding", "node", "number")

    def __init__(
        self, encoding: Encoding[N], node: N, before: Step[N] | None = None, actor: int = TABLE, number: int = 0
    ) -> None:
        self.encoding = encoding
        self.node = node
        self.before = before
        self.actor = actor
        self.number = number
        """The action or outcome that led here from ``before``, and whose it was."""
        self.actors = encoding.actors(node)
        self._told: dict[int | None, list[str]] = {}

    @classmethod
    def first(cls, encoding: Encoding[N]) -> Step[N]:
        return cls(encoding, encoding.start())

    def play(self, actor: int, number: int) -> Step[N]:
        """Return the step after an action or outcome. Raise ``IllegalMove``."""
        if actor not in self.actors:
            raise IllegalMove("{who} does not act now", who=Who(actor))
        return Step(self.encoding, self.encoding.play(self.node, actor, number), self, actor, number)

    def course(self) -> list[tuple[int, int]]:
        """Return all actions and outcomes so far with their actors, first to last."""
        course = []
        step: Step[N] = self
        while step.before is not None:
            course.append((step.actor, step.number))
            step = step.before
        course.reverse()
        return course

    def moves(self) -> list[Move]:
        """Return all moves of the rules so far, as a record holds them."""
        moves: list[list[Move]] = []
        step: Step[N] = self
        while (before := step.before) is not None:
            moves.append(step.encoding.moves(before.node, step.actor, step.number))
            step = before
        return [move for some in reversed(moves) for move in some]

    def told(self, seat: int | None) -> list[list[str]]:
        """Return what a seat has learnt so far, step by step; ``None`` is a spectator."""
        lines: list[list[str]] = []
        step: Step[N] = self
        while (before := step.before) is not None:
            if seat not in step._told:
                step._told[seat] = step.encoding.told(before.node, step.actor, step.number, seat)
            lines.append(step._told[seat])
            step = before
        lines.reverse()
        return lines

    def __copy__(self) -> Step[N]:
        return self

    def __deepcopy__(self, memo: object) -> Step[N]:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return _played, (self.encoding, self.course())

    def __str__(self) -> str:
        return "\n".join(text_of(self.encoding.describe(self.node)))


def _played(encoding: Encoding[Any], course: list[tuple[int, int]]) -> Step[Any]:
    step: Step[Any] = Step.first(encoding)
    for actor, number in course:
        step = step.play(actor, number)
    return step


def text_of(description: Json) -> list[str]:
    """Return a description or a view as text, a line for each thing that it says."""
    return [f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in description.items()]


ENCODING = GenericEncoding
