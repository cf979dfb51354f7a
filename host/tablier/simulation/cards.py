"""The cards in the arena of a simulated table, and what else people do there."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable

from tablier.simulation.arena import BEAMS, LIGHT, Fall, Happening, Model
from tablier.simulation.timeline import Timeline
from tablier.texts import Text, TextError

APART_MS = 50
"""The least time between the landings of two cards."""
_WAVE_MS = 300


NO_CARD = Text("no card {card} lies there")


class CardError(TextError):
    """Something impossible with a card; the text says why."""


class Card:
    """A card in the arena, or beside it."""

    def __init__(self, how: str, tag: str, time: int) -> None:
        self.how = how
        self.tag = tag
        self.time = time
        """The time of the impact, in µs."""
        self.rests = time
        """The time in µs from which it is at rest."""
        self.stays: tuple[int, ...] = ()
        """The beams that it lies in."""
        self.floor: tuple[int, ...] = ()
        """The floor sensors that it covers."""


class Cards:
    """All cards, and the model that throws them. ``happen`` takes the happenings for the sensors."""

    def __init__(self, timeline: Timeline, happen: Callable[[Iterable[Happening]], None], seed: int | None) -> None:
        self._timeline = timeline
        self._happen = happen
        self._model = Model(random.Random(seed))
        self._cards: list[Card] = []
        self._landings = 0
        self._last_throw = -APART_MS * 1000
        self._shone = 0

    def pile(self) -> list[Card]:
        """Return the cards in order of landing."""
        return self._cards.copy()

    def land(self, how: str, tag: str) -> None:
        """Land a card in the plainest way. Raise :class:`CardError` if it lies there already."""
        self._check_in_hand(tag)
        if how == "outside":
            self._miss(tag)
        else:
            self._fall(tag, self._model.plain(how, self._next_throw() / 1000, self._free_column()))

    def throw(self, how: str, tag: str) -> None:
        """Throw a card as people do, each time differently. Raise :class:`CardError` if it lies there already."""
        self._check_in_hand(tag)
        if how == "outside":
            self._miss(tag)
        else:
            self._fall(tag, self._model.throw(how, self._next_throw() / 1000))

    def _check_in_hand(self, tag: str) -> None:
        """Raise :class:`CardError` for a card that lies there; those without a print cannot be told apart."""
        if tag and any(card.tag == tag for card in self._cards):
            raise CardError("card {card} lies there already", card=repr(tag))

    def _miss(self, tag: str) -> None:
        self._cards.append(Card("outside", tag, self._timeline.now()))

    def _next_throw(self) -> int:
        self._last_throw = max(self._timeline.now(), self._last_throw + APART_MS * 1000)
        return self._last_throw

    def _free_column(self) -> int:
        """Return the column for the next card: in turn, but not where a card that stays in a beam would hide it."""
        held = {line % 4 for card in self._cards for line in card.stays}
        columns = [(self._landings + step) % 4 for step in range(4)]
        self._landings += 1
        return next((column for column in columns if column not in held), columns[0])

    def _fall(self, tag: str, fall: Fall) -> None:
        card = Card("outside" if fall.how == "glance" else fall.how, tag, round(fall.time * 1000))
        card.stays, card.floor = fall.stays, fall.floor
        card.rests = round(max((ms for ms, _, _ in fall.happenings), default=fall.time) * 1000)
        self._cards.append(card)
        self._happen(fall.happenings)

    def clear(self) -> None:
        """Take all cards out."""
        for card in self._cards:
            self._take_out(card)
        self._cards.clear()
        self._model.cards = 1

    def take(self, tag: str) -> None:
        """Take one card out. Raise :class:`CardError` if it is not there."""
        card = self._find(tag)
        self._take_out(card)
        self._cards.remove(card)

    def slide(self, tag: str) -> None:
        """Slide down a card that leans or lies on the rim. Raise :class:`CardError` for any other card."""
        card = self._find(tag)
        if card.how not in ("leaning", "rim"):
            raise CardError("card {card} is {how}; what slides is leaning or rim", card=repr(card.tag), how=card.how)
        fall = Fall(card.how, 0.0, [], card.stays, True)
        self._happen(self._model.slide(fall, max(self._timeline.now(), card.rests) / 1000))
        card.how, card.stays = "flat", ()

    def _find(self, tag: str) -> Card:
        for card in self._cards:
            if card.tag == tag:
                return card
        raise CardError(NO_CARD.of(card=repr(tag)))

    def _take_out(self, card: Card) -> None:
        """Remove a card from its beams and the floor, once it lies there."""
        ms = max(self._timeline.now(), card.rests) / 1000
        self._happen([(ms, line, -1) for line in card.stays + card.floor])
        card.stays = card.floor = ()

    def bump(self) -> None:
        """Knock against the table."""
        self._happen(self._model.bump(self._timeline.now() / 1000))

    def hold_hand(self) -> None:
        """Hold a hand over the arena for a while."""
        self._happen(self._model.hand(self._timeline.now() / 1000))

    def wave(self, beam: int) -> None:
        """Move a card through a beam, and out again."""
        ms = self._timeline.now() / 1000
        self._happen([(ms, beam, 1), (ms + _WAVE_MS, beam, -1)])

    def shine(self, beams: int) -> None:
        """Shine on the receivers of exactly these beams, by bit."""
        before, self._shone = self._shone, beams
        for beam in range(BEAMS):
            change = (beams >> beam & 1) - (before >> beam & 1)
            if change:
                self._happen([(self._timeline.now() / 1000, LIGHT + beam, change)])
