"""The words of a game besides its rules, for screens and the table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tablier.games.core import Move, Rules, shown
from tablier.games.core.parts import Part
from tablier.texts import Json, Text

OUTCOME_MAX = 60
"""The characters that fit beside a move."""

Parts = tuple[tuple[str, ...], ...]
"""Parts of a game's drawing, in the order in which they are touched: group after group, within one in any order."""

_UNSAID = Text("")
AN_ANSWER = Text("an answer")
"""What is touched for a move that is no part of the board."""


@dataclass(frozen=True, kw_only=True)
class Words(Part):
    """A game's ``WORDS``, in its ``words.py``."""

    aim: Text = _UNSAID
    """The aim of the game, in one sentence."""
    turn: Text = _UNSAID
    """A turn of a player, in a sentence or two."""
    help: tuple[Text, ...] = ()
    """The moves, by examples."""
    help_at_table: tuple[Text, ...] = ()
    """The moves of a seat at a screen beside a table, where they differ from ``help``."""
    overtaken: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """By kind of event: the kinds that make it superfluous when they follow in the same turn."""
    untold: tuple[str, ...] = ()
    """Kinds of events that happen in every turn and show on the board."""
    by_hand: tuple[str, ...] = ()
    """Kinds of events that somebody carries out on the table; of a seat away from it, the next one clockwise."""
    endings: Mapping[str, Text] = field(default_factory=dict)
    """By each word that the rules' ``ending`` returns: what games end by, as "the last card", for tables of many games.
    An ending that is not here is told by its word."""
    notation: tuple[Text, ...] = ()
    """The words of the notation, each in the context ``notation``, as people type and read them in their language.
    Others stand as they are."""
    outcome: Callable[[Rules[Any], Json, Move], Text | None] | None = None
    """``outcome(rules, view, move)``: Return what a move leads to, in less than :data:`OUTCOME_MAX` characters; always
    for one that a seat can choose in secret, for others where there is something to say. ``view`` is that seat's
    own."""
    warns: Callable[[Rules[Any], Json, Move], bool] | None = None
    """``warns(rules, view, move)``: Return whether the outcome warns of the move, as of a throw that can only lose: its
    button does not stand out. ``view`` is that seat's own."""
    deed: Callable[[Rules[Any], Json, Move], Text] | None = None
    """``deed(rules, view, move)``: Return a move as a command, as "Offer the 5": the button that confirms it on a page
    says so, if it is short. ``view`` is that seat's own. ``None``: the parts that it names are told."""

    course: Callable[[Rules[Any], Any, Any], tuple[float, ...]] | None = None
    """``course(rules, state, last)``: Return how near each seat is to its aim, of a game that is over and whose points
    come with its last move alone. ``last`` is its last state, of which nothing is secret."""

    counts: Text = _UNSAID
    """The name of the count in :attr:`course`, in two or three words."""

    weighty: tuple[str, ...] = ()
    """Verbs of moves that stake or decide much: a shortened line for one is confirmed."""

    parts: Callable[[Rules[Any], Move], Parts] | None = None
    """``parts(rules, move)``: Return the parts of the drawing that a seat's move names, by which it is composed step by
    step: at a table by the script's menus, whose hints tell the lights of them, on a page by touching what the drawing
    has marked with the same names. What the move holds besides its verb are words of its notation."""

    steps: Callable[[Rules[Any], Move], Sequence[Text]] | None = None
    """``steps(rules, move)``: Return what is touched for each group of ``parts``, as "the die to move". Moves that are
    composed alike share them. ``None``: pages ask to touch what is marked."""

    seem: Callable[[Rules[Any], Json, int], Sequence[Move]] | None = None
    """``seem(rules, view, seat)``: Return the moves among which a seat chooses as far as others know, where its own
    would tell what it hides: on a page the first parts of all of them are marked. ``view`` is that seat's own; only
    what everybody may see of it counts."""

    def parts_of(self, rules: Rules[Any], seat: int, text: str) -> Parts:
        """Return the parts of a move that is given as a seat types it."""
        return () if self.parts is None else self.parts(rules, read_move(seat, text))

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, texts in (("help", (*self.help, *self.help_at_table)), ("endings", self.endings.values())):
            for text in texts:
                if not isinstance(text, Text):
                    raise TypeError(f"{name} must be texts, not {shown(text)}")


def read_move(seat: int, text: str) -> Move:
    """Return the move of a seat that is given as the seat types it."""
    verb, *args = text.split(" ")
    return Move(seat, verb, tuple(args))


WORDS = Words()

__all__ = ["WORDS", "Parts", "Words", "read_move"]
