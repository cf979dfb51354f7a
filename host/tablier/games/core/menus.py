"""Turns at a place: a move is composed step by step, by menus of at most :data:`MOST` options.

The steps are those of the game (:func:`by_steps`), else the words of the moves' notation. What all moves have in common
is skipped. A longer list is split into ranges, repeatedly.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Hashable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Any, NamedTuple

from tablier.games.core import Move
from tablier.games.core.questions import (
    Answered,
    Menu,
    Menus,
    Picked,
    Played,
    Poll,
    Question,
    Reply,
    Restarted,
    Script,
    Turn,
    bare,
)
from tablier.texts import Json, Text, Who, span

MOST = 12
"""The most options of one menu."""
PASS = "pass"
"""The line that is typed to do nothing where that is allowed."""
_PASS = Text(PASS)

_PART = re.compile("[^ :-]+")


def at_places(script: Script, sits: Callable[[int], bool]) -> Script:
    """Return the script with each :class:`Turn` of a seat that sits at a place asked by menus."""
    try:
        question = next(script)
        while True:
            if isinstance(question, Turn) and sits(question.seats[0]):
                turn = question.whole
                reply: Reply = yield from (turn.menus or _by_words)(turn)
            else:
                reply = yield question
            question = script.send(reply)
    except StopIteration as end:
        moves: list[Move] = end.value
        return moves


@lru_cache(1 << 12)
def parts_of(move: Move) -> tuple[str, ...]:
    """Return a move's notation in the pieces that are picked one after the other."""
    return tuple(_PART.findall(bare(move)))


def _by_words(turn: Turn) -> Generator[Question, Reply, Reply]:
    """Compose a turn by the words of its moves' notation."""
    if not _told_apart(turn.moves):
        raise ValueError(f"moves of {turn.what} that differ in their marks alone cannot be picked by menus")
    return (yield from by_steps(*map(_word, range(_longest(turn.moves))))(turn))


def by_notation(turn: Turn, hint: Json) -> Generator[Question, Reply, Reply]:
    """Compose a turn whose moves may be those of several seats, by who moves and by the words of the notation.

    In its first menu one can go back, as by a pass. ``hint``: the subject of all options, for the lights.
    """
    actor = Step(lambda move: move.actor, text=lambda move: Text("{who}", {"who": Who(move.actor)}))
    words = [*map(_word, range(_longest(turn.moves)))] if _told_apart(turn.moves) else [_WHOLE_MOVE]

    def ask(number: int, move: Move) -> Text:
        """Return the question, and what is settled of the move before a word of it."""
        args = {"question": turn.text, "who": Who(move.actor), "so_far": " ".join(parts_of(move)[:number])}
        if not number:
            return turn.text
        return Text("{question} {who}: {so_far} …", args) if move.actor else Text("{question} {so_far} …", args)

    def label(number: int, move: Move) -> int:
        """Return the number that a word is, else 1: options are counted where that does not tell them apart."""
        word = parts_of(move)[number] if 0 <= number < len(parts_of(move)) else ""
        return int(word) if word in _NUMBERS else 1

    steps = [
        replace(step, hint=lambda move: hint, ask=partial(ask, max(0, number)), label=partial(label, number))
        for number, step in enumerate((actor, *words), -1)
    ]
    return (yield from _compose(tuple(steps), (), None, turn, goes_back=True))


def _longest(moves: Sequence[Move]) -> int:
    return max((len(parts_of(move)) for move in moves), default=0)


def _told_apart(moves: Sequence[Move]) -> bool:
    """Return whether the words of moves tell them apart, seat by seat."""
    return len({(move.actor, parts_of(move)) for move in moves}) == len(moves)


def _word(number: int) -> Step:
    """Return the step in which a word of the notation is picked, as counted from 0."""

    def word(move: Move) -> str | None:
        return next(iter(parts_of(move)[number:]), None)

    return Step(word, text=lambda move: Text("{part}", {"part": word(move)}) if word(move) else Text("nothing more"))


# -- by the steps of a game -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Step:
    """One thing of a move that is picked. What its functions are given is any of the moves that are left."""

    part: Callable[[Move], Hashable]
    """The part of the move that is picked; ``None`` where there is nothing more to pick."""
    text: Callable[[Move], Text]
    """The option."""
    ask: Callable[[Move], Text] | None = None
    """``None``: the turn's own text, and what has been chosen so far."""
    hint: Callable[[Move], Json] | None = None
    """The subject of the option, for the lights."""
    label: Callable[[Move], int] | None = None
    """The number for the hood, up to ``MOST - 1``; options come in its order. ``None``: they are counted as the moves
    come."""
    sure: bool = False
    """True if it is asked even where there is one option, so that people see it before it is done."""


def _own_number(move: Move) -> int:
    """Return the number that a move ends with, as the rank of a card; 1 where it has none that a hood shows."""
    word = parts_of(move)[-1]
    return int(word) if word in _NUMBERS else 1


_NUMBERS = frozenset(map(str, range(1, MOST)))
_WHOLE_MOVE = Step(bare, text=lambda move: Text("{move}", {"move": bare(move)}))
_WHOLE = Step(lambda move: None, text=lambda move: Text("{move}", {"move": bare(move)}), label=_own_number)
"""The step of a turn in which one move is open."""


class _Branch(NamedTuple):
    """An option of a menu."""

    text: Text
    moves: tuple[Move, ...]
    """The moves left after it; none, and it leads back, or passes."""
    depth: int
    """The number of steps that are settled then."""
    hint: Json
    label: int


@dataclass(frozen=True)
class Secret:
    """The last thing of a move, picked under the hood: the same list whatever the seat holds."""

    part: Callable[[Move], Hashable]
    """The part of the move that is picked."""
    parts: tuple[Hashable, ...]
    """All that could be picked."""
    colours: tuple[int, ...]
    """Of the palette: for each of these, and for going back."""
    ask: Callable[[Move], Text]
    text: Callable[[Any], Text]
    hint: Callable[[Move], Json] = lambda move: {}


def by_steps(*steps: Step, among: Sequence[Move] = (), last: Secret | None = None) -> Menus:
    """Return how a turn is composed at a place step by step. What all moves have in common is skipped.

    ``among``: the moves of which the steps are made, where those of the seat would tell what it holds; then ``last``
    says what is picked in secret. That step is asked in any case, and one before it must be ``sure``.
    """
    return partial(_compose, steps, tuple(among), last)


def _compose(
    steps: tuple[Step, ...], among: tuple[Move, ...], last: Secret | None, turn: Turn, *, goes_back: bool = False
) -> Generator[Question, Reply, Reply]:
    seat = turn.seats[0]
    path: list[tuple[tuple[Move, ...], int]] = [(among or turn.moves, 0)]
    taken: list[int] = []  # the option that was picked in each menu before this one
    start = 0
    while True:
        moves, settled = path[-1]
        first = len(path) == 1
        depth = _next_step(steps, moves, settled)
        if depth >= len(steps) and not first:
            if last is None or depth > len(steps):
                (move,) = moves
                return Played(seat, move)
            menu, branches = _secretly(last, moves, depth, turn)
        else:
            step = steps[depth] if depth < len(steps) else _WHOLE
            text = turn.text
            if step.ask is not None:
                text = step.ask(moves[0])
            elif not first:
                so_far = " ".join(parts_of(moves[0])[:settled])
                text = Text("{who}: {so_far} …", {"who": Who(seat), "so_far": so_far})
            others = (
                []
                if first and not turn.may_pass
                else [_Branch(_PASS if first and not goes_back else Text("back"), (), 0, {}, MOST)]
            )
            branches = [*_branches(step, moves, depth, MOST - len(others)), *others]
            labels = tuple(branch.label for branch in branches) if step.label else None
            menu = _menu(turn, text, branches, labels, bool(steps) and steps[0].hint is not None, start=start)
        picked = yield from pick(menu)
        if isinstance(picked, Restarted):
            continue
        branch = branches[picked]
        start = 0
        if branch.moves:
            path.append((branch.moves, branch.depth))
            taken.append(picked)
        elif first:
            return Played(seat, None)
        else:
            path.pop()
            start = taken.pop()  # it goes back to where it was


def _menu(
    turn: Turn,
    text: Text,
    branches: Sequence[_Branch],
    labels: tuple[int, ...] | None,
    hinted: bool = True,
    **more: Any,
) -> Menu:
    options = tuple(branch.text for branch in branches)
    return Menu(
        turn.what,
        turn.seats,
        text,
        options=options,
        labels=labels or labels_of(options),
        leads=tuple(branch.moves for branch in branches),
        hints=tuple(branch.hint for branch in branches) if hinted else (),
        **more,
    )


def _secretly(last: Secret, moves: Sequence[Move], depth: int, turn: Turn) -> tuple[Menu, list[_Branch]]:
    """Return the secret menu. What it tells to all depends on ``moves``, which all may know, and not on the turn's."""
    own = {last.part(move) for move in moves if move in turn.moves}
    shut = frozenset(number for number, part in enumerate(last.parts) if part not in own)
    under = [tuple(move for move in moves if last.part(move) == part) for part in last.parts]
    texts, hint = (*map(last.text, last.parts), Text("back")), last.hint(moves[0])
    branches = [
        _Branch(text, left, depth + 1, hint, colour)
        for text, left, colour in zip(texts, (*under, ()), last.colours, strict=True)
    ]
    return _menu(turn, last.ask(moves[0]), branches, last.colours, secret=True, shut=shut), branches


def by_answer(ask: Text, no: str, yes: str, hint: Json) -> Menus:
    """Return how a turn of two moves is answered at a place, by no and yes. ``no`` and ``yes`` are the moves' verbs."""
    return partial(_answer, ask, no, yes, hint)


def _answer(ask: Text, no: str, yes: str, hint: Json, turn: Turn) -> Generator[Question, Reply, Reply]:
    moves = [next(move for move in turn.moves if move.verb == verb) for verb in (no, yes)]
    poll = Poll(turn.what, turn.seats, ask, leads=tuple((move,) for move in moves), hint=hint)
    while True:
        reply = yield poll
        if isinstance(reply, Answered):
            return Played(turn.seats[0], moves[reply.yes])
        if isinstance(reply, Restarted):
            poll = replace(poll)  # another object is asked again


def _next_step(steps: Sequence[Step], moves: Sequence[Move], depth: int) -> int:
    """Return the step that is asked next, ``len(steps)`` if there is none."""
    while depth < len(steps):
        parts = {steps[depth].part(move) for move in moves}
        if len(parts) > 1 or (steps[depth].sure and parts != {None}):
            return depth
        depth += 1
    return depth


def _branches(step: Step, moves: Sequence[Move], depth: int, most: int) -> list[_Branch]:
    under: dict[Hashable, list[Move]] = {}
    for move in sorted(moves, key=step.label) if step.label else moves:
        under.setdefault(step.part(move), []).append(move)
    labels = [step.label(group[0]) for group in under.values()] if step.label else []
    if len(set(labels)) < len(under) or max(labels, default=0) >= MOST:
        labels = list(range(1, len(under) + 1))
    branches = [
        _Branch(step.text(group[0]), tuple(group), depth + 1, step.hint(group[0]) if step.hint else {}, label)
        for label, group in zip(labels, under.values(), strict=True)
    ]
    if len(branches) <= most:
        return branches
    size = -(-len(branches) // most)
    return [
        _range(branches[first : first + size], depth, number, step.sure)
        for number, first in enumerate(range(0, len(branches), size), 1)
    ]


def _range(group: Sequence[_Branch], depth: int, label: int, sure: bool) -> _Branch:
    """Return the option that stands for several."""
    first, last = group[0], group[-1]
    if len(group) == 1 and not sure:
        return first._replace(label=label)
    text = span(first.text, last.text)
    return _Branch(text, tuple(move for branch in group for move in branch.moves), depth, first.hint, label)


def is_pass(option: Text) -> bool:
    """Return whether an option of a menu is a pass."""
    return option == _PASS


def labels_of(texts: Sequence[Text]) -> tuple[int, ...]:
    """Return the numbers for the hood: the options' own where all are different numbers up to :data:`MOST`."""
    numbers = []
    for text in texts:
        word = str(text)
        if not word.isdigit() or not 1 <= int(word) <= MOST:
            break
        numbers.append(int(word))
    if len(set(numbers)) == len(texts):
        return tuple(numbers)
    return tuple(range(1, len(texts) + 1))


def pick(menu: Menu) -> Generator[Question, Reply, Any]:
    """Return the option that was picked, or :class:`Restarted`."""
    while True:
        reply = yield menu
        if isinstance(reply, Picked):
            return reply.option
        if isinstance(reply, Restarted):
            return reply
