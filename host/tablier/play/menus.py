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

from tablier.games.core import Json, Move, Text, Who
from tablier.play.questions import (
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

MOST = 12
"""The most options of one menu."""
PASS = "pass"
"""What is typed to do nothing where that is allowed."""

_PART = re.compile("[^ :-]+")


class _Option(NamedTuple):
    text: Text
    moves: tuple[tuple[str, ...], ...]
    """The moves left after it, each as its parts; a single one, and it is decided."""
    depth: int
    """How many parts are settled then."""


def at_places(script: Script, sits: Callable[[int], bool]) -> Script:
    """Return the script with each :class:`Turn` of a seat that sits at a place asked by menus."""
    try:
        question = next(script)
        while True:
            if isinstance(question, Turn) and sits(question.seats[0]):
                reply: Reply = yield from (question.menus or _by_menus)(question)
            else:
                reply = yield question
            question = script.send(reply)
    except StopIteration as end:
        moves: list[str] = end.value
        return moves


@lru_cache(1 << 14)
def parts_of(move: Move) -> tuple[str, ...]:
    """Return a move's notation in the pieces that are picked one after the other."""
    return tuple(_PART.findall(bare(move)))


def options_of(moves: Sequence[tuple[str, ...]], depth: int) -> list[_Option]:
    """Return what can be picked next when ``depth`` parts are settled; no more than one option: it is decided."""
    if len(moves) == 1:
        return [_Option(Text("{move}", {"move": " ".join(moves[0])}), tuple(moves), depth)]
    while len(heads := list(dict.fromkeys(parts[depth : depth + 1] for parts in moves))) == 1 and heads[0]:
        depth += 1
    options = []
    for head in heads:
        under = tuple(parts for parts in moves if parts[depth : depth + 1] == head)
        options.append(_Option(Text("{part}", {"part": head[0]}) if head else Text("nothing more"), under, depth + 1))
    return options


def _ranges(options: list[_Option], most: int) -> list[_Option]:
    """Return the options in at most so many, ranges of them where there are more."""
    if len(options) <= most:
        return options
    size = -(-len(options) // most)
    ranges = []
    for first in range(0, len(options), size):
        group = options[first : first + size]
        if len(group) == 1:
            ranges += group
            continue
        text = Text("{first} to {last}", {"first": group[0].text, "last": group[-1].text})
        ranges.append(_Option(text, tuple(parts for option in group for parts in option.moves), group[0].depth - 1))
    return ranges


def _by_menus(turn: Turn) -> Generator[Question, Reply, Reply]:
    seat = turn.seats[0]
    moves = {parts_of(move): move for move in turn.moves}
    if len(moves) < len(turn.moves):
        raise ValueError(f"moves of {turn.what} that differ in their marks alone cannot be picked by menus")
    path: list[tuple[tuple[tuple[str, ...], ...], int]] = [(tuple(moves), 0)]
    while True:
        under, depth = path[-1]
        first = len(path) == 1
        others = [Text(PASS)] if first and turn.may_pass else [] if first else [Text("back")]
        options = _ranges(options_of(under, depth), MOST - len(others))
        text = (
            turn.text if first else Text("{who}: {so_far} …", {"who": Who(seat), "so_far": " ".join(under[0][:depth])})
        )
        texts = (*(option.text for option in options), *others)
        leads = (*(tuple(bare(moves[parts]) for parts in option.moves) for option in options), *(() for _ in others))
        menu = Menu(turn.what, (seat,), text, options=texts, labels=labels_of(texts), leads=leads)
        picked = yield from pick(menu)
        if isinstance(picked, Restarted):
            continue
        if picked >= len(options):
            if first:
                return Played(seat, None)
            path.pop()
            continue
        option = options[picked]
        if len(option.moves) == 1:
            return Played(seat, moves[option.moves[0]])
        path.append((option.moves, option.depth))


# -- by the steps of a game -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Step:
    """One thing of a move that is picked. What its functions are given is any of the moves that are left."""

    part: Callable[[Move], Hashable]
    """What of the move is picked; ``None`` where there is nothing more to pick."""
    ask: Callable[[Move], Text]
    text: Callable[[Move], Text]
    """The option."""
    hint: Callable[[Move], Json] = lambda move: {}
    """What the option is about, for the lights."""
    label: Callable[[Move], int] | None = None
    """The number for the hood, up to ``MOST - 1``; options come in its order. ``None``: they are counted as the moves
    come."""
    sure: bool = False
    """Whether it is asked even where there is one option, so that people see it before it is done."""


class _Branch(NamedTuple):
    text: Text
    hint: Json
    label: int
    moves: tuple[Move, ...]
    depth: int


@dataclass(frozen=True)
class Secret:
    """The last thing of a move, picked under the hood: the same list whatever the seat holds."""

    part: Callable[[Move], Hashable]
    """What of the move is picked."""
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
    steps: tuple[Step, ...], among: tuple[Move, ...], last: Secret | None, turn: Turn
) -> Generator[Question, Reply, Reply]:
    seat = turn.seats[0]
    path: list[tuple[tuple[Move, ...], int]] = [(among or turn.moves, 0)]
    while True:
        moves, depth = path[-1]
        depth = _next_step(steps, moves, depth)
        if depth == len(steps) and len(path) > 1:
            if last is None:
                (move,) = moves
                return Played(seat, move)
            picked = yield from pick(_secretly(last, moves, turn))
            if isinstance(picked, Restarted):
                continue
            if picked < len(last.parts):
                return Played(seat, _of_part(last, moves, last.parts[picked]))
            path.pop()
            continue
        back = [Text("back")] if len(path) > 1 else []
        named = depth < len(steps) and steps[depth].label is not None
        if depth < len(steps):
            step = steps[depth]
            text, branches = step.ask(moves[0]), _branches(step, moves, depth, MOST - len(back))
        else:
            text, branches = turn.text, [_Branch(Text("{move}", {"move": bare(moves[0])}), {}, 1, moves, depth)]
        labels = tuple(branch.label for branch in branches)
        menu = Menu(
            turn.what,
            (seat,),
            text,
            options=(*(branch.text for branch in branches), *back),
            labels=(*labels, *(MOST if named else len(labels) + 1 for _ in back)),
            leads=(*(tuple(bare(move) for move in branch.moves) for branch in branches), *(() for _ in back)),
            hints=(*(branch.hint for branch in branches), *({} for _ in back)),
        )
        picked = yield from pick(menu)
        if isinstance(picked, Restarted):
            continue
        if picked < len(branches):
            path.append((branches[picked].moves, branches[picked].depth))
        else:
            path.pop()


def _secretly(last: Secret, moves: Sequence[Move], turn: Turn) -> Menu:
    """Return the secret menu. What it tells to all depends on ``moves``, which all may know, and not on the turn's."""
    own = {last.part(move) for move in moves if move in turn.moves}
    leads = [tuple(bare(move) for move in moves if last.part(move) == part) for part in last.parts]
    hint = last.hint(moves[0])
    return Menu(
        turn.what,
        turn.seats,
        last.ask(moves[0]),
        options=(*map(last.text, last.parts), Text("back")),
        labels=last.colours,
        leads=(*leads, ()),
        hints=(hint,) * (len(last.parts) + 1),
        secret=True,
        shut=frozenset(number for number, part in enumerate(last.parts) if part not in own),
    )


def _of_part(last: Secret, moves: Sequence[Move], part: Hashable) -> Move:
    return next(move for move in moves if last.part(move) == part)


def by_answer(ask: Text, no: str, yes: str, hint: Json) -> Menus:
    """Return how a turn of two moves is answered at a place, by no and yes. ``no`` and ``yes`` are the moves' verbs."""
    return partial(_answer, ask, no, yes, hint)


def _answer(ask: Text, no: str, yes: str, hint: Json, turn: Turn) -> Generator[Question, Reply, Reply]:
    moves = [next(move for move in turn.moves if move.verb == verb) for verb in (no, yes)]
    leads = tuple((bare(move),) for move in moves)
    poll = Poll(turn.what, turn.seats, ask, leads=leads, hint=hint)
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
    if len(set(labels)) < len(under) or max(labels) >= MOST:
        labels = list(range(1, len(under) + 1))
    branches = [
        _Branch(step.text(group[0]), step.hint(group[0]), label, tuple(group), depth + 1)
        for label, group in zip(labels, under.values(), strict=True)
    ]
    if len(branches) <= most:
        return branches
    size = -(-len(branches) // most)
    ranges: list[_Branch] = []
    for first in range(0, len(branches), size):
        group_of = branches[first : first + size]
        text = Text("{first} to {last}", {"first": group_of[0].text, "last": group_of[-1].text})
        all_moves = tuple(move for branch in group_of for move in branch.moves)
        ranges.append(_Branch(text, group_of[0].hint, len(ranges) + 1, all_moves, depth))
    return ranges


def labels_of(texts: Sequence[Text]) -> tuple[int, ...]:
    """Return the numbers for the hood: the options' own where all are different numbers up to :data:`MOST`."""
    words = [str(text) for text in texts]
    if all(word.isdigit() and 1 <= int(word) <= MOST for word in words) and len(set(words)) == len(words):
        return tuple(map(int, words))
    return tuple(range(1, len(texts) + 1))


def pick(menu: Menu) -> Generator[Question, Reply, Any]:
    """Return the option that was picked, or :class:`Restarted`."""
    while True:
        reply = yield menu
        if isinstance(reply, Picked):
            return reply.option
        if isinstance(reply, Restarted):
            return reply
