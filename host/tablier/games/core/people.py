"""The minds of simulated people: how they decide, and how they answer questions other than for moves.

A simulated person sits at a place of a simulated table. Its eyes and hands are the same in every game
(:mod:`tablier.simulation.people`); what is special about a game is said by the ``MIND`` in the game's ``people.py``, a
subclass of :class:`Mind`. A game needs one where a spectator's view is not enough to decide on a move, where cards are
thrown into the arena, where dice are marked, or where its script asks for something else than moves.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from tablier.games.core import Move, Rules, seat_name
from tablier.games.core.bots import Bot
from tablier.games.core.questions import bare, notation
from tablier.messages import Choice, Menu, Question, Update
from tablier.texts import Json
from tablier_fw import colours


@dataclass(frozen=True)
class Card:
    """A card that lies in or beside the arena."""

    seat: int
    rank: int
    how: str


@dataclass(frozen=True)
class Sight:
    """The things that simulated people can see."""

    update: Update
    """A spectator's."""
    pixels: dict[str, Any]
    pile: tuple[Card, ...]
    settled: bool
    """True if nothing is flying."""
    at_table: Collection[int]
    """The seats at the table."""

    @property
    def question(self) -> Question:
        assert self.update.question is not None
        return self.update.question

    @property
    def felt(self) -> list[Card]:
        """Return the cards that the arena has felt, from the bottom."""
        return [card for card in self.pile if card.how != "outside"]

    def missed(self, seat: int) -> list[Card]:
        """Return the cards of a seat that have missed the arena."""
        return [card for card in self.pile if card.how == "outside" and card.seat == seat]


class Mind:
    """Decides for one seat as a built-in bot does, from what a spectator sees: for games whose moves all may know."""

    def __init__(self, rules: Rules[Any], seat: int, bot: Bot) -> None:
        self.rules = rules
        self.seat = seat
        self.own = seat_name(seat)
        self.bot = bot

    def look(self, update: Update) -> None:
        """Look at what has been played."""

    def play(self, update: Update, moves: Sequence[str], may_pass: bool) -> str | None:
        """Return one of the moves, without its actor, or ``None`` to pass."""
        return self.decide(update.view, moves, may_pass)

    def decide(self, view: Json, moves: Sequence[str], may_pass: bool) -> str | None:
        """Return what the bot makes of a view."""
        parsed = [self.rules.parse(notation(self.seat, move)) for move in moves]
        move: Move | None = self.bot.decide(view, parsed, may_pass)
        return None if move is None else bare(move)

    def choose(self, update: Update) -> str:
        """Return which of the question's options to choose in secret."""
        assert isinstance(update.question, Choice)
        decided = self.decide(update.view, update.question.options, False)
        assert decided is not None
        return decided

    # -- under the hood

    @property
    def peeks(self) -> bool:
        """Return whether it looks under its hood before it decides on a move."""
        return False

    def see(self, update: Update, hood: Sequence[str]) -> bool:
        """Look at what the host painted under its hood; return whether that is what it looks for, else it looks again:
        the hood may still show what was asked before."""
        return True

    def marks(self, given: Sequence[int], move: str | None) -> list[bool]:
        """Return which of the dice, given by their faces, to mark so that it comes to a move."""
        return [True] * len(given)

    # -- questions that lead to no move

    def answers(self, sight: Sight) -> bool | None:
        """Return yes or no to a poll; ``None`` to wait for somebody else."""
        return True

    def takes_back(self, sight: Sight) -> Sequence[Card]:
        """Return the cards to take out of the arena before a poll is answered."""
        return ()

    def label(self, sight: Sight) -> int:
        """Return the label of the option to pick from a menu."""
        assert isinstance(sight.question, Menu)
        return sight.question.labels[0]

    # -- the arena

    def throw(self, update: Update, pile: Sequence[tuple[int, int, str]]) -> tuple[int, str] | None:
        """Return a card to throw now, as (rank, how it lands), or ``None``. ``pile``: the cards of this window, as
        (seat, rank, how they lie), from the bottom."""
        return None

    def throws_later(self, pile: Sequence[tuple[int, int, str]]) -> bool:
        """Return whether this seat throws again in this window, after others."""
        return False

    @staticmethod
    def land(dice: random.Random) -> str:
        """Return how a card lands that somebody lays for another."""
        return "flat"

    @staticmethod
    def clears(view: Json) -> bool:
        """Return whether the arena is cleared now."""
        return False

    @staticmethod
    def removes(how: str) -> bool:
        """Return whether a card of an earlier window is taken out of the arena, by how it lies."""
        return False


def shows(colour: str, option: int) -> bool:
    """Return whether a pixel shows a colour of the palette as options are shown: so bright, or as much less as a Pico
    takes back when all pixels of a hood are white. What is dimmed is at an eighth."""
    seen, bright = bytes.fromhex(colour), colours.option_look(option)
    level = max(seen) / max(bright)
    return level > 0.5 and all(abs(here - level * full) < 2 for here, full in zip(seen, bright, strict=True))


MIND = Mind
