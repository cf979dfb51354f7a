"""The words of Dilemma besides its rules."""

from collections.abc import Sequence
from typing import Any

from tablier.games.core import JUDGE, Move, Rules, parse_seat, seat_name
from tablier.games.core.words import Parts, Words
from tablier.games.dilemma.rules import CHOSEN, duel_card
from tablier.texts import Json, Text, Who, word_list


def outcome(rules: Rules[Any], view: Json, move: Move) -> Text | None:
    """Return what a choice in a duel leads to."""
    if move.verb != "duel":
        return None
    card = duel_card(view["offer"], [(parse_seat(seat, rules.seats), rank) for seat, rank in view["pile"]])
    assert card is not None
    provocateur, (contractor, rank) = parse_seat(view["turn"], rules.seats), card
    if move.args[0] == "conflict":
        rival = Who(contractor if move.actor == provocateur else provocateur)
        return Text("lose a life; get both cards only if {rival} picks peace", {"rival": rival})
    about = {"gained": view["offer"], "rival": Who(provocateur), "given": rank}
    if move.actor == provocateur:
        about = {"gained": rank, "rival": Who(contractor), "given": view["offer"]}
    return Text("you get the {gained}, {rival} the {given}; {rival} gets both by picking conflict", about)


def deed(rules: Rules[Any], view: Json, move: Move) -> Text:
    """Return a card that is played, or a choice, as a command."""
    if move.verb == "duel":
        return Text("Choose peace") if move.args[0] == "peace" else Text("Choose conflict")
    about = {"card": move.args[0]}
    return Text("Offer the {card}", about) if move.verb == "offer" else Text("Throw the {card}", about)


def steps(rules: Rules[Any], move: Move) -> Sequence[Text]:
    """Return what is touched for a move."""
    if move.verb == "duel":
        return [CHOSEN[move.args[0]]]
    return [Text("a card to offer")] if move.verb == "offer" else [Text("a card to throw")]


def part(seat: int, what: object) -> str:
    """Return the part that is a seat's card, or its choice in a duel."""
    return f"{seat_name(seat)} {what}"


def parts(rules: Rules[Any], move: Move) -> Parts:
    """Return the card, or the choice; how a card lands is nothing that is touched."""
    return ((part(move.actor, move.args[0]),),)


WORDS = Words(
    aim=Text("Gain high cards; your hand counts nothing."),
    turn=Text("One player offers a card, the others throw theirs at it; then two choose in secret, peace or conflict."),
    help=(
        Text("offer 8: put your 8 on offer. throw 3: throw it; chance decides how it lands."),
        Text("pass: throw nothing now. The window closes when all have passed in a row. duel peace, duel conflict."),
    ),
    help_at_table=(
        Text("offer 8: put your 8 on offer. throw 3: a neighbour lays your 3 in the arena. done: throw no more."),
        Text(
            "The window closes a few seconds after the last card, or when all throw no more. duel peace, duel conflict."
        ),
    ),
    overtaken={
        "offer": ("throw", "duel", "unanswered"),
        "throw": ("throw", JUDGE, "reopen", "duel", "unanswered"),
        JUDGE: ("throw", "reopen", "duel", "unanswered"),
        "reopen": ("throw", "duel", "unanswered"),
        "duel": ("opened",),
        "choice": ("opened",),
    },
    endings={
        "cards": Text("no duel is possible any more", context="ended by"),
    },
    notation=word_list(
        "offer", "throw", "duel", "peace", "conflict", "flat", "leaning", "rim", "outside", "close", context="notation"
    ),
    outcome=outcome,
    deed=deed,
    steps=steps,
    parts=parts,
)
