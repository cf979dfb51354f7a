"""Games of Dilemma at a simulated table in virtual time, and the words in which the tests speak of them."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from driving import fabricate

from crowd import crowd_at
from ports import Hook, open_desk, play_at
from positions import then
from tablier.course.seats import Seat
from tablier.games import script_of
from tablier.games.core import Position, seat_name
from tablier.games.core.menus import at_places
from tablier.games.core.questions import QUIET_S, Answered, Conditions, Menu, Picked, Poll, Reply, Tallied, Tally
from tablier.games.dilemma.rules import Dilemma, choices_allowed, duel_card, ranks_of
from tablier.judge.redaction import record
from tablier.log.chain import Entry
from tablier.log.store import Log
from tablier.messages import Update
from tablier.play import beginning, logged
from tablier.play.game import Conductor
from tablier.record import Record, record_of
from tablier.simulation.simulated import SimulatedTable

NAMES = ("Anne", "Bernard", "Christine", "Daniel", "Éric")
PLACES = (1, 2, 4, 5, 6)
"""Where the seats of a test sit: not every seat has the number of its place."""


def seats(count: int, source: str = "table") -> list[Seat]:
    return [Seat(NAMES[n], PLACES[n], source) for n in range(count)]


# -- records to follow ---------------------------------------------------------------------------------------


def meant_game(count: int, seed: int, moves: Sequence[str] = (), options: dict[str, Any] | None = None) -> Record:
    """A whole game that goes on from some moves: duels of every kind, reopened windows, unanswered offers, cards that
    lean, sit on the rim and miss.

    Its throws are in the order in which a table tells them: what was felt first to last, then what missed, by seat.
    """
    dice = random.Random(seed)
    position: Position[Any] = Position(Dilemma(count, options))
    then(position, *moves)
    while not position.is_over:
        then(position, *_next(position, dice))
    return record_of(position, NAMES[:count])


def _next(position: Position[Any], dice: random.Random) -> list[str]:
    state = position.state
    if state.phase == "offer":
        return [f"{seat_name(state.turn)} offer {dice.choice(ranks_of(state.hands[state.turn - 1]))}"]
    if state.phase == "window":
        return [*throws_of(state, dice), "table close"]
    card = duel_card(state.offer, state.pile)
    assert card is not None
    return [
        f"{seat_name(seat)} duel {dice.choice(choices_allowed(state.lives[seat - 1]))}"
        for seat, choice in zip((state.turn, card[0]), state.choices, strict=True)
        if not choice
    ]


def throws_of(state: Any, dice: random.Random) -> list[str]:
    """The throws of one window; fewer where it was reopened, so that it comes to an end."""
    hands = {seat: ranks_of(hand) for seat, hand in enumerate(state.hands, 1) if hand and seat != state.turn}
    felt: list[str] = []
    missed: list[tuple[int, int]] = []
    if dice.random() < (0.5 if state.pile or state.beside else 0.12):
        return []
    for _ in range(dice.choice((1, 1, 2, 3, 4, 5))):
        hands = {seat: hand for seat, hand in hands.items() if hand}
        if not hands:
            break
        seat = dice.choice(sorted(hands))
        rank = dice.choice([rank for rank in hands[seat] if rank == state.offer and dice.random() < 0.4] or hands[seat])
        how = dice.choices(("flat", "leaning", "rim", "outside"), (60, 14, 13, 13))[0]
        if how != "outside":
            felt.append(f"{seat_name(seat)} throw {rank} {how}")
        elif len(missed) < 3 and [other for other, _ in missed].count(seat) < 1 + (not _twice(missed)):
            missed.append((seat, rank))
        else:
            continue
        hands[seat].remove(rank)
    # A place says once that a card has missed; a second one is contested for, after all others were named.
    first = dict(reversed(missed))
    second = [card for n, card in enumerate(missed) if card[0] in [seat for seat, _ in missed[:n]]]
    return felt + [f"{seat_name(seat)} throw {rank} outside" for seat, rank in (*sorted(first.items()), *second)]


def _twice(missed: list[tuple[int, int]]) -> bool:
    return len({seat for seat, _ in missed}) < len(missed)


def as_the_table_tells(moves: Sequence[str]) -> list[str]:
    """Moves with the throws of each window in the order in which a table tells them: no sensor feels a card that
    misses, so these are named at the end, by seat."""
    told: list[str] = []
    missed: list[str] = []
    for move in moves:
        if move.endswith(" outside"):
            missed.append(move)
            continue
        if move == "table close":
            told += sorted(missed)
            missed = []
        told.append(move)
    return told


Asked = Menu | Poll | Tally


def walked(position: Position[Any]) -> Iterator[tuple[list[Asked], list[int], str]]:
    """Every way through what a place is asked in a turn: the questions, the answer to each, the move. Of a secret menu
    only what is open."""
    paths: list[list[int]] = [[]]
    while paths:
        path = paths.pop()
        asked, moves = along(position, path)
        if moves:
            yield asked, path, moves[0]
            continue
        question = asked[-1]
        answers = (1,) if question.what == "again" else range(2)  # no asks the same once more
        options = {Menu: getattr(question, "options", ()), Poll: answers, Tally: range(32)}[type(question)]
        shut = question.shut if isinstance(question, Menu) else ()
        given = answers if isinstance(question, Poll) else range(len(options))
        paths += [[*path, n] for n, text in zip(given, options, strict=True) if str(text) != "back" and n not in shut]


def along(position: Position[Any], answers: Sequence[int]) -> tuple[list[Asked], list[str]]:
    """Return what a place is asked when it answers like this, and to which moves it comes; none, and the last question
    is not answered yet. What is shut is picked, too, which no table lets through."""
    running = at_places(script_of(position.rules.name)[0](position, Conditions()), lambda seat: True)
    asked: list[Asked] = []
    try:
        question = next(running)
        for answer in answers:
            assert isinstance(question, Asked)
            asked.append(question)
            question = running.send(_answer(question, answer))
    except StopIteration as end:
        return asked, list(map(str, end.value))
    assert isinstance(question, Asked)
    return [*asked, question], []


def _answer(question: Asked, option: int) -> Reply:
    """The reply that a number stands for, counted round; to a tally that marks dice it says which, bit by bit."""
    if isinstance(question, Menu):
        return Picked(0, option % len(question.options))
    if isinstance(question, Poll):
        return Answered(0, bool(option))
    return Tallied(0, question.given, tuple(die for die in range(question.dice) if option >> die & 1))


# -- playing them ----------------------------------------------------------------------------------------------


@contextmanager
def a_table(**options: Any) -> Iterator[SimulatedTable]:
    """A simulated table in virtual time, in a process of its own."""
    with SimulatedTable(virtual=True, **options) as table:
        yield table


def play(
    log: Log,
    game: int,
    table: SimulatedTable,
    followed: Sequence[str] | None,
    *,
    watch: Callable[[Update], object] = lambda update: None,
    hook: Hook = lambda running: 1.0,
    people: bool = True,
    quiet_s: float = QUIET_S,
) -> Position[Any]:
    """Play a logged game to its end, or resume it. Those who sit at the table are simulated people, in this process for
    speed, who follow ``followed``; ``watch`` gets a spectator's updates."""
    seated = logged.seats_of(log.game(game))
    minds = {number: "greedy" for number, seat in enumerate(seated, 1) if seat.at_table} if people else {}
    with open_desk(seated, table.port, virtual=True, quiet_s=quiet_s, seed=7) as keeper:
        act = crowd_at(keeper, minds, followed, watch=watch)

        def work(running: Conductor) -> float:
            wait = hook(running)
            return min(wait, act()) if minds else wait

        return play_at(keeper, log, game, hook=work).session.position


def begin(log: Log, meant: Record, made: int = 0, *, mind: str = "") -> int:
    """Log that a game begins, and how it came to its first moves. ``mind``: of simulated people, for each seat."""
    seated = [Seat(seat.name, seat.place, seat.source, mind) for seat in seats(len(meant.players))]
    game = beginning.begin(log, meant.game, meant.settled, seated)
    fabricate(log, game, meant.moves[:made])
    return game


def exported(log: Log, game: int) -> Record:
    """The record that ``tablier log export`` writes."""
    told, withheld = record(log, log.game(game))
    assert not withheld
    return told


def bodies(entries: Sequence[Entry], kind: str, event: str | None = None) -> list[dict[str, Any]]:
    return [e.body for e in entries if e.kind == kind and (event is None or e.body.get("event") == event)]
