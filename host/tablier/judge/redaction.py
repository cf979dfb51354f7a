"""The redaction of a game in the log: its record, and its story.

A move is told when everybody may know it by now, which :meth:`Rules.secret` decides for the position in which the game
stands; so a choice is withheld until all are opened, and a card that was dealt to one seat until the rules lay it open.
A choice that was taken back before it was opened is never opened, and is withheld for good. Of the other entries of a
unfinished game, only those are told in full whose bodies cannot hold a secret; of what came raw from the table, or
was noted, only that it came.

Revealing lifts all that. To reveal, call :meth:`Log.append` with kind ``reveal`` first.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from tablier.course.chance import told_of
from tablier.course.seats import Seat, seated, seated_text, sits
from tablier.games.core import Event, Move, Position, Prelude, RulesError
from tablier.log.chain import Entry, LogError
from tablier.log.fold import GameInfo, kept
from tablier.log.store import Log
from tablier.record import Record, record_of
from tablier.texts import render, text_from

_OPEN_KINDS = frozenset(
    (
        "game",
        "run",
        "prelude",
        "begins",
        "request",
        "correction",
        "dispute",
        "mistake",
        "pause",
        "call",
        "elapsed",
        "shown",
        "takeback",
        "end",
        "gap",
        "void",
        "aborted",
        "source",
        "sits",
        "since",
        "reveal",
    )
)


class Told(NamedTuple):
    """One entry of a game's story."""

    entry: Entry
    text: str | None
    """The move, for a move that may be told; ``None`` for any other entry."""
    sentences: tuple[str, ...]
    """The news of a move as people are told it, with names."""
    withheld: bool
    """The move, or the body of the entry, must not be shown."""
    undone: bool
    """The move was taken back."""


class Story(NamedTuple):
    """A game, entry by entry."""

    info: GameInfo
    over: bool
    told: tuple[Told, ...]


def sentence(event: Event, names: Sequence[str]) -> str:
    """Return the text of an event with the names of the players, first seat first."""
    return render(event.text.to_json(), names)


def record(log: Log, game: GameInfo, *, reveal: bool = False) -> tuple[Record, int]:
    """Return the record of a game, and how many of its moves are missing at the end.

    The record ends before the first move that is still secret, so that what is left is a record too. Raises
    :class:`LogError` when the moves are not those of a game, and when its prelude is not over: a record would say how
    the game begins.
    """
    position, _, moves = _replayed(log, game)
    if isinstance(position.rules, Prelude):
        where = f"{log.path}: game {game.id}"
        raise LogError("{where} has not begun, so it has no record yet", where=where)
    kept_moves = [step for step in moves if not step.undone]
    if not reveal:
        for number, step in enumerate(kept_moves):
            if step.secret:
                told = tuple(str(step.move) for step in kept_moves[:number])
                return Record(game.game, game.names, told, game.options), len(kept_moves) - number
    return record_of(position, game.names), 0


def story(log: Log, game: GameInfo, *, reveal: bool = False) -> Story:
    """Return all entries of a game, of each what may be told. Raise :class:`LogError` as :func:`record` does."""
    position, prelude, moves = _replayed(log, game)
    steps = {step.entry.n: step for step in (*prelude, *moves)}
    told = []
    void = set(map(_made_void, log.entries(game.id))) - {None}
    first = seats = tuple(map(Seat.read, game.seats))
    for entry in log.entries(game.id):
        step = steps.get(entry.n)
        if step is None:
            ended = position.is_over and _opening_of(entry) not in void
            reason = (
                "why" in entry.body and entry.kind == "sits"
            )  # what a bot did wrong may tell what it was about to do
            hidden = not (reveal or ended or (entry.kind in _OPEN_KINDS and not reason))
            said: tuple[str, ...] = ()
            if sits(entry.kind, entry.body, len(seats)):
                seat, source, by = (entry.body[key] for key in ("seat", "source", "by"))
                why = text_from(entry.body["why"]) if reason and not hidden else None
                text_ = seated_text(seats[seat - 1], source, seat, by, why, failed=reason)
                said = (render(text_.to_json(), game.names),)
                seats = seated(seats, first, seat, source)
            told.append(Told(entry, None, said, hidden, False))
            continue
        hidden = step.secret and not reveal
        events = [event for event in step.events if reveal or event.audience is None]
        text = None if hidden else str(step.move)
        told.append(Told(entry, text, tuple(sentence(event, game.names) for event in events), hidden, step.undone))
    return Story(game, position.is_over, tuple(told))


def _made_void(entry: Entry) -> int | None:
    """Return the question that an entry makes void."""
    id = entry.body.get("id") if entry.kind == "void" else _opening_of(entry) if entry.kind == "fault" else None
    return id if type(id) is int else None


def _opening_of(entry: Entry) -> int | None:
    """Return the question whose choice or roll an entry opens, falsely or not; -1 for none."""
    body = entry.body.get("event") if entry.kind == "fault" else entry.body
    id = body.get("id") if isinstance(body, dict) and body.get("event") in ("opened", "revealed") else None
    return id if type(id) is int else -1


class _Step:
    """A move of the log: where it was played, and what became of it."""

    def __init__(self, entry: Entry, move: Move, before: Any, events: list[Event]) -> None:
        self.entry = entry
        self.move = move
        self.before = before
        self.events = events
        self.undone = False
        self.secret = False


def _replayed(log: Log, game: GameInfo) -> tuple[Position[Any], list[_Step], list[_Step]]:
    """Return the position in which the game stands, the moves of its prelude, and every one ever played after it."""
    where = f"{log.path}: game {game.id}"
    entries = list(log.entries(game.id))
    try:
        rules = Record(game.game, game.names, (), entries[0].body["options"]).rules()
        first = rules.prelude() if entries[0].body.get("prelude") else None
        position: Position[Any] = Position(first or rules.conducted())
    except RulesError as error:
        raise LogError("{where}: {error}", where=where, error=error) from None
    prelude: list[_Step] = []
    played: list[_Step] = []
    standing: list[_Step] = []
    for entry in entries:
        try:
            if entry.kind in ("prelude", "move"):
                before = position.state
                move = position.parse_push(str(entry.body.get("text")))
                events = told_of(position.last_events(), completed="chance" in entry.body)
                step = _Step(entry, move, before, events)
                if entry.kind == "prelude":
                    prelude.append(step)
                else:
                    standing.append(step)
                    played.append(step)
            elif entry.kind == "begins":
                position = Position(Record(game.game, game.names, (), game.options).rules().conducted())
            elif entry.kind == "takeback":
                to = kept(entry, position.ply)
                _judge(position, standing[to:])
                while position.ply > to:
                    position.pop()
                    standing.pop().undone = True
        except ValueError as error:
            raise LogError(
                "{where}: entry {n}, move {move}: {error}", where=where, n=entry.n, move=position.ply + 1, error=error
            ) from None
    _judge(position, standing)
    return position, prelude, played


def _judge(position: Position[Any], steps: list[_Step]) -> None:
    """Settle which of the moves are secret as the position stands."""
    for step in steps:
        step.secret = position.rules.secret(step.before, step.move, position.state)
