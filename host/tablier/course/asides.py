"""Questions beside the game: whether people agree, whether the game continues, whether its end was seen.

Each is a generator that asks and returns what is to be done then; ``None`` leaves everything as it was, and the script
that was suspended is resumed.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from dataclasses import replace
from typing import Any

from tablier.course import chance
from tablier.course.past import Past
from tablier.games.core import TABLE, Move
from tablier.games.core.lights import CALLED
from tablier.games.core.menus import by_notation, pick
from tablier.games.core.questions import (
    Answered,
    Menu,
    Played,
    Poll,
    Question,
    Reply,
    Restarted,
    Tallied,
    Tally,
    Turn,
)
from tablier.texts import Json, Text, Who

CONSENT = "back"
"""The subject of a question: do the others agree that moves are taken back or corrected?"""
MISTAKE = "mistake"
"""The subject of a question: which draw did a seat enter, and which did it make?"""
RESUME = "resume"
"""The subject of a question: does a game continue whose log has lost confirmed input?"""
PAUSED = "paused"
"""The subject of a question: does a game that was paused go on?"""
SEEN = "seen"
"""The subject of a question: has the end of the game been seen?"""
ANOTHER = "another"
"""The subject of a question: do the same people play another game?"""
ENDED_BY_ONE = (PAUSED,)
"""The subjects of questions that one press ends and others of the game follow."""
APART_S = 1.0
"""The seconds after such a question for which the table asks nothing: a person who presses a moment after somebody else
answers nothing that comes next."""
SOURCE = "source"
"""The subject of a question: where does chance come from when the table does not reveal its rolls?"""

ASIDES = (CONSENT, MISTAKE, RESUME, PAUSED, SEEN, ANOTHER, SOURCE, CALLED)
"""The subjects of questions that are no part of the game."""

MOST_LISTED = 10
"""The most moves that a caller can name."""
_GO_ON, _PAUSE = 0, 1

Then = Callable[[], list[tuple[str, dict[str, Any]]]]
"""Changes the game; returns the entries that follow."""
Aside = Generator[Question, Reply, Then | None]


def consent(text: Text, others: tuple[int, ...], then: Then) -> Aside:
    """Ask other people whether they agree to a change."""
    return then if (yield from _all_agree(Poll(CONSENT, others, text, first=False))) else None


def resume(text: Text, seats: tuple[int, ...]) -> Aside:
    """Ask until all say yes. After a no, ask everybody again."""
    poll = Poll(RESUME, seats, text, first=False)
    while not (yield from _all_agree(poll)):
        poll = replace(poll)
    return None


def pause(people: Callable[[], tuple[int, ...]]) -> Aside:
    """Ask until somebody resumes the game. After a no, and when other people play, ask everybody again."""
    text = Text("The game is paused. Go on?")
    while seats := people():
        reply = yield Poll(PAUSED, seats, text, first=True)
        if isinstance(reply, Answered) and reply.yes:
            break
    return None


def call(seat: int, past: Past, pause: Then, correct: Callable[[int, Move], Then]) -> Aside:
    """Ask a seat for what it has stopped play: to go on, for a pause, or for a move that was played otherwise.

    Only moves are named that all may know; ``correct`` returns what follows where one of them is to be another.
    """
    told = past.correctable(MOST_LISTED)
    texts = (Text("go on"), Text("pause"), *(_numbered(at, past.move(at)) for at in told))
    hints: tuple[Json, ...] = ({}, {}, *({"called": at} for at in told))
    if told:
        you = "You stopped play. Which move was wrong?"
        text = Text("{who}, you stopped play. Which move was wrong?", {"who": Who(seat)}, you=you)
    else:
        text = Text("{who}, you stopped play. What now?", {"who": Who(seat)}, you="You stopped play. What now?")
    labels = tuple(range(1, len(texts) + 1))
    menu = Menu(CALLED, (seat,), text, options=texts, labels=labels, hints=hints)
    while True:
        picked = yield from pick(menu)
        if isinstance(picked, Restarted):
            menu = replace(menu)
        elif picked == _GO_ON:
            return None
        elif picked == _PAUSE:
            return pause
        else:
            at = told[picked - _PAUSE - 1]
            args = {"who": Who(seat), "at": at, "move": past.move(at).typed}
            you = "What was move {at} really, not {move}?"
            really = Text("{who}: what was move {at} really, not {move}?", args, you=you)
            turn = Turn(CALLED, (seat,), really, moves=tuple(past.instead(at)), may_pass=True)
            played = yield from by_notation(turn, {"called": at})
            if isinstance(played, Played) and played.move is not None:
                return correct(at, played.move)
            menu = replace(menu, start=picked)


def _numbered(at: int, move: Move) -> Text:
    """Return a move with its number and whose it was, so that it can be told from all others."""
    if move.actor == TABLE:
        return Text("move {at}, the table: {move}", {"at": at, "move": move.typed})
    return Text("move {at}, {who}: {move}", {"at": at, "who": Who(move.actor), "move": move.typed})


def until_seen(seats: tuple[int, ...]) -> Aside:
    """Ask until somebody says that the end of the game was seen."""
    poll = Poll(SEEN, seats, Text("That is the end. Have you seen it?"))
    while not (isinstance(reply := (yield poll), Answered) and reply.yes):
        if isinstance(reply, Restarted):
            poll = replace(poll)
    return None


def another(seats: tuple[int, ...], then: Then) -> Aside:
    """Ask whether the same people play another game, until the first says yes, or all have said no."""
    poll = Poll(ANOTHER, seats, Text("That is the end. Another game with the same people?"))
    undecided = set(seats)
    while undecided:
        reply = yield poll
        if isinstance(reply, Restarted):
            poll = replace(poll, seats=tuple(sorted(undecided)))
        elif isinstance(reply, Answered) and reply.yes:
            return then
        elif isinstance(reply, Answered):
            undecided.discard(reply.seat)
    return None


def another_source(people: tuple[int, ...], offers: Iterable[tuple[Text, Then]]) -> Aside:
    """Offer other sources of chance one after the other; where people agree to none, the table rolls again."""
    for text, then in offers:
        if (yield from _all_agree(Poll(SOURCE, people, text, first=False))):
            return then
    return None


def mistake(seat: int, kinds: list[tuple[Any, ...]], fit: Callable[[Any, Any], Then | None]) -> Aside:
    """Ask a seat for what it had entered, and for what it drew, until the one can stand for the other.

    It hears the same words whatever does not fit: others may not know whether it was a slip, and what they hold may be
    the reason. The same twice changes nothing. ``fit`` returns the change, ``None`` where something would not stand.
    """
    you = "What had you entered, and what did you draw? Enter both."
    text = Text("{who}: what had you entered, and what did you draw? Enter both.", {"who": Who(seat)}, you=you)
    tally = Tally(MISTAKE, (seat,), text, dice=2, faces=len(kinds), secret=True)
    while True:
        reply = yield tally
        if isinstance(reply, Restarted):
            tally = replace(tally)
        if not isinstance(reply, Tallied) or not (yield from chance.confirmed(tally, reply.faces, MISTAKE)):
            continue
        old, new = (kinds[face] for face in reply.faces)
        if old == new:
            return None
        if (then := fit(old, new)) is not None:
            return then


def _all_agree(poll: Poll) -> Generator[Question, Reply, bool]:
    """Ask all seats of a poll; return whether all said yes, as soon as one says no."""
    everybody, agreed = poll.seats, set[int]()
    while len(agreed) < len(everybody):
        reply = yield poll
        if isinstance(reply, Restarted):
            poll = replace(poll, seats=tuple(seat for seat in everybody if seat not in agreed))
        elif isinstance(reply, Answered) and reply.yes:
            agreed.add(reply.seat)
        elif isinstance(reply, Answered):
            return False
    return True


__all__ = [
    "ANOTHER",
    "ASIDES",
    "CALLED",
    "CONSENT",
    "MISTAKE",
    "PAUSED",
    "RESUME",
    "SEEN",
    "SOURCE",
    "Aside",
    "Then",
    "another",
    "another_source",
    "call",
    "consent",
    "mistake",
    "pause",
    "resume",
    "until_seen",
]
