"""The words of Struggle besides its rules."""

from collections.abc import Sequence
from typing import Any, cast

from tablier.games.core import Move, Rules
from tablier.games.core.words import Parts, Words
from tablier.games.struggle.rules import DICE, NONE, PAWNS, PLACES, THROWS, Struggle, faces_text
from tablier.texts import Json, Text, counted, word_list

ARRIVES = Text("{pawn} arrives on {place}")
NOTHING = Text("nothing to play")


def die_part(face: str) -> str:
    """Return the part that is any die of the hand with this face."""
    return " ".join(("die", face))


def parts(rules: Rules[Any], move: Move) -> Parts:
    """Return the dice that are kept, in any order; of a play pawn after pawn, each with its steps."""
    if move.args == NONE:
        return ((" ".join((move.verb, *NONE)),),)
    return (tuple(map(die_part, move.args)),) if move.verb == "keep" else tuple((step,) for step in move.args)


def outcome(rules: Rules[Any], view: Json, move: Move) -> Text | None:
    """Return how many dice a ``keep`` throws again; of a ``play``, where its pawns then stand."""
    if move.verb == "keep":
        about = {"throw": view["throws"] + 1, "most": THROWS}
        again = DICE if move.args == NONE else DICE - len(move.args)
        one = "{count} die again, in throw number {throw} of {most}"
        many = "{count} dice again, in throw number {throw} of {most}"
        return counted(again, one, many, **about)
    if move.args == NONE:
        return Text("no pawn moves")
    struggle = cast(Struggle, rules)
    length, track = struggle.length, view["pawns"]
    before = [track[pawn] if pawn in track else length + 1 + view["places"].index(pawn) for pawn in PAWNS]
    after = before.copy()
    for _ in struggle.carry_out(after, move.args):
        pass
    named = {word.partition("+")[0] for word in move.args}
    stands = []
    for pawn, was, at in zip(PAWNS, before, after, strict=True):
        about = {"pawn": faces_text([pawn])}
        if at != was and at > length:
            stands.append(ARRIVES.of(**about, place=PLACES[at - length - 1]))
        elif at != was:
            stands.append(Text("{pawn} goes to {space}" if at else "{pawn} goes to the start", {**about, "space": at}))
        elif pawn in named:
            stands.append(Text("{pawn} stays", about))
    return Text("{pawns}", {"pawns": stands})


def deed(rules: Rules[Any], view: Json, move: Move) -> Text:
    """Return the dice that are kept and the number thrown again, or the steps of the pawns, as a command."""
    if move.verb == "keep":
        if move.args == NONE:
            return Text("Throw all {count} again", {"count": DICE})
        return Text("Keep {dice}, throw {count} again", {"dice": faces_text(move.args), "count": DICE - len(move.args)})
    if move.args == NONE:
        return Text("Move no pawn")
    moves = [step.split("+") for step in move.args]
    return Text(
        "Move {pawns}", {"pawns": [Text("{pawn} by {count}", {"pawn": faces_text([p]), "count": n}) for p, n in moves]}
    )


def steps(rules: Rules[Any], move: Move) -> Sequence[Text]:
    """Return what is touched for a move."""
    if move.verb == "keep":
        return [Text("dice to keep")]
    if move.args == NONE:
        return []
    return [Text("the pawn to move first"), *[Text("the next pawn")] * (len(move.args) - 1)]


WORDS = Words(
    aim=Text("Have the pawns arrive in your secret order."),
    turn=Text("Throw five dice up to three times, keep what you like, then move the pawns that they name."),
    help=(
        Text("keep K K A: keep these, throw the rest; keep none: throw all. Three throws."),
        Text(
            "play J+3 K+1: move the pawns in this order, aces included. What lands on black, or on taken yellow, stays."
        ),
    ),
    overtaken={
        "deal": ("deal", "roll"),
        "keep": ("roll",),
        "roll": ("roll", "play"),
    },
    endings={
        "arrived": Text("the last pawn in place", context="ended by"),
    },
    notation=word_list("keep", "play", "none", "deal", "lot", "roll", "K", "Q", "J", "A", context="notation"),
    outcome=outcome,
    deed=deed,
    steps=steps,
    parts=parts,
)
