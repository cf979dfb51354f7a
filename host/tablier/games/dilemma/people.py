"""Simulated people who play Dilemma: they throw cards, and answer for theirs when these are claimed and reviewed."""

from __future__ import annotations

import random
from collections.abc import Sequence

from tablier.games.core import Move, seat_name
from tablier.games.core.people import Card, Mind, Sight
from tablier.games.dilemma.rules import LANDINGS, ODDS, choices_allowed
from tablier.games.dilemma.script import UNLISTED, did_not_miss, ordinal
from tablier.messages import Menu, Poll, Update
from tablier.texts import Json, Text


class DilemmaMind(Mind):
    """Plays Dilemma as a bot does, and knows its own cards in a window."""

    def throw(self, update: Update, pile: Sequence[tuple[int, int, str]]) -> tuple[int, str] | None:
        view = _with(update.view, pile)
        throws = [Move(self.seat, "throw", (rank,)) for rank in view["hands"][self.own]]
        decided = self.bot.decide(view, throws, True) if throws else None
        return None if decided is None else (decided.args[0], self.land(self.bot.dice))

    def choose(self, update: Update) -> str:
        moves = [f"duel {choice}" for choice in choices_allowed(update.view["lives"][self.own])]
        decided = self.decide(update.view, moves, False)
        assert decided is not None
        return decided

    def answers(self, sight: Sight) -> bool | None:
        what = sight.question.what
        if what == "claim":
            return self._owns(sight)
        if what == "beside":
            return bool(sight.missed(self.seat))
        return what != "review" or self._agrees(sight)

    def takes_back(self, sight: Sight) -> Sequence[Card]:
        question = sight.question
        if question.what != "returned":
            return ()
        assert isinstance(question, Poll)
        returned = {(seat, rank) for seat, rank, _ in question.listed}
        return [card for card in sight.pile if (card.seat, card.rank) in returned]

    def label(self, sight: Sight) -> int:
        question = sight.question
        assert isinstance(question, Menu)
        if question.what == "missed":
            labels = question.labels
            return next((card.rank for card in sight.missed(self.seat) if card.rank in labels), labels[-1])
        if question.what in ("wrong", "where"):
            return self._correction(sight, question)
        assert question.subject is not None
        card = sight.felt[question.subject]
        return card.rank if question.what == "card" else LANDINGS.index(card.how) + 1

    @staticmethod
    def land(dice: random.Random) -> str:
        return dice.choices(LANDINGS, list(ODDS.values()))[0]

    @staticmethod
    def clears(view: Json) -> bool:
        return bool(view["phase"] == "offer")

    @staticmethod
    def removes(how: str) -> bool:
        return how != "flat"

    def _owns(self, sight: Sight) -> bool | None:
        """Return whether the card in question is this seat's; ``None`` when somebody else will say so."""
        assert isinstance(sight.question, Poll) and sight.question.subject is not None
        subject, felt = sight.question.subject, sight.felt
        if subject >= len(felt):
            return False
        owner = felt[subject].seat
        if owner == self.seat:
            return True
        return False if owner in sight.question.seats or owner not in sight.at_table else None

    def _agrees(self, sight: Sight) -> bool:
        """Return whether this seat's cards are listed as they lie."""
        mine = [card for card in sight.pile if card.seat == self.seat]
        assert isinstance(sight.question, Poll)
        listed = [Card(*card) for card in sight.question.listed if card[0] == self.seat]
        return sorted(mine, key=repr) == sorted(listed, key=repr)

    def _correction(self, sight: Sight, question: Menu) -> int:
        """Return the label of what is to be corrected, or of the range that holds it: a long list is asked in two
        steps. The last label is that of "nothing"."""
        wanted, below = self._mended(sight, question) - 1, len(sight.update.view["pile"])
        ends = [option.args.get("last", option) for option in question.options]
        for label, end in zip(question.labels, ends, strict=True):
            if wanted <= _entry(end, question, below):
                return label
        return question.labels[-1]

    def _mended(self, sight: Sight, question: Menu) -> int:
        """Return what is wrong with this seat's cards (the entry, or one more than there are, or two), or where one
        lies."""
        listed = [Card(*card) for card in question.listed]
        lacking = [card for card in sight.felt if card.seat == self.seat and card not in listed]
        if question.what == "where":
            return sight.felt.index(lacking[0]) + 1
        for number, card in enumerate(listed, 1):
            if card.seat == self.seat and card not in sight.pile:
                return number
        return len(listed) + (1 if lacking else 2)


def _entry(option: Text, question: Menu, below: int) -> int:
    """Return which entry of the list a correction is about, from 0: after the last, a card that is not listed, and then
    whatever else can be wrong. ``below``: the number of cards in the pile before this window."""
    for at in range(len(question.listed) + 1):
        if option == ordinal(below + at + 1):
            return at
    for at, (seat, rank, _) in enumerate(question.listed):
        if option == did_not_miss(seat, rank):
            return at
    return len(question.listed) + (option != UNLISTED)


def _with(view: Json, pile: Sequence[tuple[int, int, str]]) -> Json:
    """Return a view as it will be once the cards that were thrown in this window are played in it."""
    thrown = {(seat_name(seat), rank) for seat, rank, _ in pile}
    hands = {own: [rank for rank in hand if (own, rank) not in thrown] for own, hand in view["hands"].items()}
    flat = [[seat_name(seat), rank] for seat, rank, how in pile if how == "flat"]
    return {**view, "hands": hands, "pile": [*view["pile"], *flat]}


MIND = DilemmaMind
