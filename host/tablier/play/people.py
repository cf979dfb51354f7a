"""Simulated people: they sit at the places of a simulated table, look at its pixels and cards, and press its buttons.

They take no short cut: a menu is read off the hood and walked through, a choice is made by the colours under the hood,
cards are thrown into the arena and recognised there by what is printed on them. What is not shown as taken they do
again, as people would. They keep nothing in mind that they cannot see, so they go on after everything.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tablier.games.core import seat_name
from tablier.games.dilemma import CHOICES, LANDINGS
from tablier.play.asking import Ask
from tablier.play.course import Course
from tablier.play.lights import CHOICE_COLOURS
from tablier.play.players import Follower, Player
from tablier.table.simulated import Tester
from tablier_fw.colours import PALETTE

_SETTLE_US = 150_000  # how long after a card's landing the next may be thrown

_DARK, _ASKED, _PENDING, _TAKEN, _REFUSED = "dark", "asked", "pending", "taken", "refused"


@dataclass(frozen=True)
class Card:
    """A card that lies in or beside the arena."""

    seat: int
    rank: int
    how: str


def state_of(colour: str) -> str:
    """What a public pixel says, whatever the brightness of its animation."""
    red, green, blue = bytes.fromhex(colour)
    if not (red or green or blue):
        return _DARK
    if red == green == blue:
        return _ASKED
    if blue == 0 and red > green > 0:
        return _PENDING
    if red == 0 and green > blue:
        return _TAKEN
    if green == blue == 0:
        return _REFUSED
    return _DARK  # the host's own colours


def number_on(hood: Sequence[str]) -> int:
    """The number that a hood shows: so many white pixels; amber ones count from six on, blue ones from eleven on."""
    white = amber = blues = 0
    for colour in hood:
        red, green, blue = bytes.fromhex(colour)
        if red and red == green == blue:
            white += 1
        elif red and not blue:
            amber += 1
        elif blue and not red:
            blues += 1
    return blues + 10 if blues else amber + 5 if amber else white


@dataclass(frozen=True)
class Scene:
    """What simulated people have before their eyes."""

    course: Course
    ask: Ask
    pixels: dict[str, Any]
    pile: tuple[Card, ...]
    settled: bool
    """Whether nothing is flying."""

    @property
    def sensed(self) -> list[Card]:
        """The cards that the arena has felt, from below."""
        return [card for card in self.pile if card.how != "outside"]

    def missed(self, seat: int) -> list[Card]:
        return [card for card in self.pile if card.how == "outside" and card.seat == seat]


class Hand:
    """What a seat knows of its own cards in a window, and answers when they are claimed and reviewed."""

    def __init__(self, seat: int) -> None:
        self.seat = seat

    def owns(self, scene: Scene) -> bool | None:
        """Whether the card in question is this seat's; ``None`` when another seat will say so."""
        subject, sensed = scene.ask.subject, scene.sensed
        assert subject is not None
        owner = sensed[subject].seat if subject < len(sensed) else 0
        return True if owner == self.seat else False if owner not in scene.ask.seats else None

    def label(self, scene: Scene) -> int:
        """The label of the menu's option that is right for this seat's card."""
        ask = scene.ask
        if ask.what == "missed":
            return next((card.rank for card in scene.missed(self.seat) if card.rank in ask.labels), ask.labels[0])
        if ask.what in ("wrong", "where"):
            return self._mended(scene)
        assert ask.subject is not None
        card = scene.sensed[ask.subject]
        return card.rank if ask.what == "card" else LANDINGS.index(card.how) + 1

    def agrees(self, scene: Scene) -> bool:
        """Whether this seat's cards are listed as they lie."""
        mine = [card for card in scene.pile if card.seat == self.seat]
        listed = [Card(*card) for card in scene.ask.listed if card[0] == self.seat]
        return sorted(mine, key=repr) == sorted(listed, key=repr)

    def _mended(self, scene: Scene) -> int:
        """What is wrong with this seat's cards (the entry, or one more than there are, or two), or where one lies."""
        listed = [Card(*card) for card in scene.ask.listed]
        lacking = [card for card in scene.sensed if card.seat == self.seat and card not in listed]
        if scene.ask.what == "where":
            return min(scene.sensed.index(self._lacking or lacking[0]) + 1, scene.ask.labels[-1])
        self._lacking = lacking[0] if lacking else None
        for number, card in enumerate(listed, 1):
            if card.seat == self.seat and card not in scene.pile:
                return number
        return len(listed) + (1 if lacking else 2)

    _lacking: Card | None = None


class Person:
    """One simulated person: a seat, its place, the player that decides, and a pair of hands."""

    def __init__(self, seat: int, place: int, player: Player) -> None:
        self.seat = seat
        self.place = place
        self.player = player
        self.ready_at = 0.0
        self._hand = Hand(seat)
        self._chosen = 0  # the question for which a button was pressed under the hood

    def act(self, scene: Scene, tester: Tester) -> bool:
        """Does the next small thing, if there is one for this person; returns whether it did."""
        if self.seat not in scene.ask.seats or state_of(scene.pixels["public"][self.place - 1]) != _ASKED:
            return False
        if isinstance(self.player, Follower):
            self.player.look(scene.course.position.moves)
        position = scene.course.position
        view = position.rules.view(position.state, self.seat)
        if scene.ask.what == "window":
            button = self._in_window(scene, view, tester)
        elif scene.ask.what == "duel":
            button = self._choose(scene, self.player.duel(view))
        elif scene.ask.what == "claim":
            owns = self._hand.owns(scene)
            button = None if owns is None else "b" if owns else "a"
        elif scene.ask.what == "review":
            button = "b" if self._hand.agrees(scene) else "a"
        else:
            wanted = self.player.offer(view) if scene.ask.what == "offer" else self._hand.label(scene)
            button = "b" if number_on(scene.pixels[f"hood{self.place}"]) == wanted else "plus"
        if button:
            tester.press(self.place, button)
        return button is not None

    def _in_window(self, scene: Scene, view: dict[str, Any], tester: Tester) -> str | None:
        """Throws, or says that it throws no more; ``""`` when it has thrown, ``None`` when it waits."""
        lying = [(card.seat, card.rank, card.how) for card in scene.pile]
        throw = self.player.throw(view, lying)
        if throw is not None:
            if not scene.settled:
                return None
            tester.land(throw[1], tag_of(self.seat, throw[0], scene.course))
            return ""
        if isinstance(self.player, Follower) and self.player.throws_later(lying):
            return None
        return "b" if scene.missed(self.seat) else "a"

    def _choose(self, scene: Scene, choice: str) -> str:
        """Presses the button under whose pixel the wanted colour is; when the hood shows that it was seen, locks."""
        hood = scene.pixels[f"hood{self.place}"]
        if self._chosen == scene.course.id and bytes.fromhex(hood[4])[0]:
            return "plus"
        self._chosen = scene.course.id
        return "a" if _alike(hood[1], PALETTE[CHOICE_COLOURS[CHOICES.index(choice)]]) else "b"


def tag_of(seat: int, rank: int, course: Course) -> str:
    """What is printed on a simulated card: whose it is, its rank, and the window in which it was thrown."""
    return f"{seat_name(seat)}:{rank}@{course.position.ply}"


def _alike(colour: str, wanted: tuple[int, int, int]) -> bool:
    red, _, blue = bytes.fromhex(colour)
    return (blue > red) == (wanted[2] > wanted[0])


class People:
    """All simulated people of a table.

    ``pace`` is how long each takes for one thing, in seconds of table time, more than a button takes to be pressed and
    let go of; ``think`` how long, about, before the first thing of each question.
    """

    def __init__(self, tester: Tester, people: Sequence[Person], pace: float = 0.12, think: float = 0.0) -> None:
        self._tester = tester
        self._people = people
        self._pace = pace
        self._think = think
        self._random = random.Random(0)
        self._swept_at = -1
        self._question = 0

    def act(self, now: float, course: Course) -> float:
        """Lets everybody who is ready do one thing; returns how soon somebody may do the next, in seconds."""
        if course.ask is None:
            return 1.0
        self._sweep(course)
        if course.id != self._question:
            self._question = course.id
            for person in self._people:
                person.ready_at = max(person.ready_at, now + self._think * self._random.uniform(0.6, 1.6))
        for person in self._people:
            if now >= person.ready_at and person.seat in course.ask.seats:
                person.ready_at = now + self._pace
                person.act(self.look(course), self._tester)
        asked = [person.ready_at - now for person in self._people if person.seat in course.ask.seats]
        return max(0.001, min(asked, default=1.0))

    def look(self, course: Course) -> Scene:
        """What is there to be seen now."""
        assert course.ask is not None
        pile = self._tester.say("pile")
        cards = []
        for card in pile["cards"]:
            tag, _, window = card["tag"].partition("@")
            if window == str(course.position.ply):
                seat, _, rank = tag.partition(":")
                cards.append(Card(int(seat[1:]), int(rank), card["how"]))
        settled = all(pile["now"] - card["time"] > _SETTLE_US for card in pile["cards"])
        return Scene(course, course.ask, self._tester.pixels(), tuple(cards), settled)

    def _sweep(self, course: Course) -> None:
        """Takes cards that are out of play out of the arena when a window is settled, and all when a turn is over."""
        ply = course.position.ply
        if ply == self._swept_at:
            return
        self._swept_at = ply
        if course.position.state.phase == "offer":
            self._tester.say("clear")
            return
        for card in self._tester.say("pile")["cards"]:
            if card["how"] != "flat" and not card["tag"].endswith(f"@{ply}"):
                self._tester.say(f"take {card['tag']}")
