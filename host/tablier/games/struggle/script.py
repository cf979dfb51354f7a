"""The script of Struggle: mark the dice to keep, or all of them to play; then pawn after pawn, each with its aces.

At a place the hand is five dice that are given: those that are marked are kept, the others thrown again; all five
marked, and the hand is played. A play is picked pawn by pawn: which one moves next, then how many aces go with it. The
ring shows where each would come to stand before it is confirmed, the moves picked before it as made.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace
from typing import Any

from tablier.games.core import Move, Position
from tablier.games.core.menus import Step, by_steps
from tablier.games.core.questions import (
    Answered,
    Conditions,
    Menus,
    Played,
    Poll,
    Question,
    Reply,
    Restarted,
    Script,
    Tallied,
    Tally,
    Turn,
)
from tablier.games.core.scripts import GameScript, ask, later
from tablier.games.struggle.rules import (
    ACE,
    DICE,
    FACES,
    NAMES,
    NONE,
    PAWNS,
    PLACES,
    THROWS,
    State,
    Struggle,
    faces_text,
)
from tablier.games.struggle.words import ARRIVES, NOTHING, parts
from tablier.texts import Json, Text, Who, word_list
from tablier_fw import wire

_NOTHING = Step(
    part=lambda move: move.args,
    text=lambda move: NOTHING,
    hint=lambda move: {},
    label=lambda move: 1,
    sure=True,
)
"""The one answer of a turn in which no pawn can move."""


def script(position: Position[Any], conditions: Conditions) -> Script:
    """Return the script that this position needs next."""
    state: State = position.state
    rules = position.rules
    assert isinstance(rules, Struggle)
    return ask(later("turn", position, state.turn, lambda: _turn(rules, state)))


def _turn(rules: Struggle, state: State) -> Turn:
    about, moves = {"who": Who(state.turn), "hand": faces_text(state.hand)}, tuple(rules.legal(state))
    text = Text("{who}, your turn: {hand}.", about, you="You have thrown {hand}. Move the pawns that the dice name.")
    if state.throws < THROWS:
        text = text.of(**about, throw=state.throws, most=THROWS)
        text = text.to_you(Text("Throw {throw} of {most}: {hand}. Keep, or move."))
    elif moves[0].args == NONE:
        text = text.to_you(Text("You have thrown {hand}. No pawn can move."))
    return Turn("turn", (state.turn,), text, moves=moves, menus=_menus(rules, state))


def _menus(rules: Struggle, state: State) -> Menus:
    def compose(turn: Turn) -> Generator[Question, Reply, Reply]:
        keeps = {move.args: move for move in turn.moves if move.verb == "keep"}
        if keeps:
            kept = yield from _kept(state, turn)
            while not kept and not (yield from _sure(turn)):
                kept = yield from _kept(state, turn)
            if len(kept) < DICE:
                return Played(turn.seats[0], keeps[kept or ("none",)])
        playing = replace(turn, moves=tuple(move for move in turn.moves if move.verb == "play"))
        if playing.moves[0].args == ("none",):
            return (yield from by_steps(_NOTHING)(playing))
        steps = (step for number in range(len(PAWNS)) for step in _steps(rules, state, number))
        return (yield from by_steps(*steps)(playing))

    return compose


def _kept(state: State, turn: Turn) -> Generator[Question, Reply, tuple[str, ...]]:
    """Ask which dice of the hand are kept."""
    text = Text("{who}: mark what you keep of {hand}, or all to play.", turn.text.args)
    given = tuple(FACES.index(face) for face in state.hand)
    tally = Tally("keep", turn.seats, text, dice=DICE, faces=len(FACES), given=given, mark=True, leads=(turn.moves,))
    while True:
        reply = yield tally
        if isinstance(reply, Restarted):
            tally = replace(tally)  # another object is asked again
        elif isinstance(reply, Tallied):
            return tuple(state.hand[die] for die in reply.kept)


def _sure(turn: Turn) -> Generator[Question, Reply, bool]:
    """Ask whether all dice are thrown again: nothing was marked, which may have been a slip."""
    text = Text("{who} keeps nothing: throw all five dice again?", {"who": Who(turn.seats[0])})
    poll = Poll("again", turn.seats, text)
    while True:
        reply = yield poll
        if isinstance(reply, Restarted):
            poll = replace(poll)  # another object is asked again
        elif isinstance(reply, Answered):
            return reply.yes


def _steps(rules: Struggle, state: State, number: int) -> tuple[Step, Step]:
    """Return the two steps of a move: which pawn moves, as the number given, from 0, and how far."""
    who = Who(state.turn)
    natural = {figure: state.hand.count(figure) for figure in PAWNS}

    def figure(move: Move) -> str | None:
        return move.args[number].partition("+")[0] if _has(move, number) else None

    def certain(move: Move) -> tuple[str, ...]:
        """Return what of the play is certain when the pawn is picked: all aces that are left go with the last one."""
        given = sum(int(word.partition("+")[2]) - natural[word.partition("+")[0]] for word in move.args[:number])
        steps = natural[figure(move) or ""]
        if number == len(move.args) - 1:
            steps += state.hand.count(ACE) - given
        return (*move.args[:number], f"{figure(move)}+{steps}")

    return (
        Step(
            part=figure,
            ask=lambda move: Text("{who}: which pawn moves {so_far}?", {"who": who, "so_far": _ORDINALS[number]}),
            text=lambda move: _told(rules, state, certain(move)),
            hint=lambda move: _hint(rules, state, certain(move)),
            label=lambda move: PAWNS.index(figure(move) or PAWNS[0]) + 1,
            sure=True,
        ),
        Step(
            part=lambda move: parts(rules, move)[number] if _has(move, number) else None,
            ask=lambda move: Text("{who}: how far does the {pawn} go, with aces?", {"who": who, **_pawn(move, number)}),
            text=lambda move: _told(rules, state, move.args[: number + 1]),
            hint=lambda move: _hint(rules, state, move.args[: number + 1]),
            label=lambda move: int(move.args[number].partition("+")[2]),
        ),
    )


def _has(move: Move, number: int) -> bool:
    return move.args != ("none",) and len(move.args) > number


_ORDINALS = word_list("first", "second", "third", "fourth", "fifth", context="order of moves")


def _pawn(move: Move, number: int) -> Json:
    return {"pawn": NAMES[move.args[number].partition("+")[0]]}


def _hint(rules: Struggle, state: State, args: tuple[str, ...]) -> Json:
    """Return where all pawns stand after these moves, and which one moved last, from where, how far."""
    pawns = list(state.pawns)
    for _ in rules.carry_out(pawns, args[:-1]):
        pass
    mover, steps = args[-1].split("+")
    origin = pawns[PAWNS.index(mover)]
    if max(pawns) == rules.length + len(PLACES):  # the game is over before: the rest is not carried out
        return {"pawn": mover, "from": origin, "target": origin, "pawns": dict(zip(PAWNS, pawns, strict=True))}
    for _ in rules.carry_out(pawns, args[-1:]):
        pass
    return {"pawn": mover, "from": origin, "target": origin + int(steps), "pawns": dict(zip(PAWNS, pawns, strict=True))}


def _told(rules: Struggle, state: State, args: tuple[str, ...]) -> Text:
    hint = _hint(rules, state, args)
    pawn, at = {"pawn": NAMES[hint["pawn"]]}, hint["pawns"][hint["pawn"]]
    if at > rules.length:
        return ARRIVES.of(**pawn, place=PLACES[at - rules.length - 1])
    if at == hint["from"]:
        return Text("{pawn} stays: it cannot stop on {space}", {**pawn, "space": hint["target"]})
    return Text("{pawn} to {space}", {**pawn, "space": at})


# Version 1 was the generic one.
SCRIPT = GameScript(script=script, version=3, abilities=wire.CAN_TALLY | wire.CAN_GIVE)
