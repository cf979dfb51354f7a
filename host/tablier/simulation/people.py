"""Simulated people: they sit at the places of a simulated table, look at its pixels and cards, and press its buttons.

They get pixels, what lies in the arena, and a spectator's updates, nothing else, and take no short cut: a menu is read
off the hood and walked through, a choice is made by the colours under the hood, cards are thrown into the arena and
recognised there by what is printed on them. What is not shown as taken they do again, as people would. Run as a
program they are a process of their own: updates come on standard input, one JSON value a line, and what each of them
has decided goes to standard output.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import select
import socket
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Any

from tablier.games import rules_of
from tablier.games.core import Json, Move, Position, Rules, seat_name
from tablier.games.core.lights import CHOICE_COLOURS, FACES
from tablier.games.core.questions import bare, notation
from tablier.games.daemonen.colours import COLOURS
from tablier.games.daemonen.lights import DRAWN
from tablier.games.dilemma.hand import land
from tablier.games.dilemma.rules import CHOICES, LANDINGS, choices_allowed
from tablier.games.struggle.rules import FACES as STRUGGLE_FACES
from tablier.play.bots import built_in
from tablier.play.lights import faces_of
from tablier.play.session import AT_TABLE
from tablier.simulation.clock import VirtualClock
from tablier.simulation.tester import Gone, Tester
from tablier.table.clock import Clock, LifeClock
from tablier_fw import colours
from tablier_fw.colours import PALETTE

LIFE_PACE, LIFE_THINK = 0.3, 0.9  # seconds that people take for a press, and to make up their minds
QUICK_PACE = 0.12
_SETTLE_US = 150_000  # how long after a card's landing the next may be thrown

_DARK, _ASKED, _PENDING, _TAKEN, _REFUSED = "dark", "asked", "pending", "taken", "refused"
_ABANDONED = bytes(colours.ROLLING).hex()
_BLINK_S = 0.7
"""The sign of an abandoned roll that has not been seen for so long is gone: it is dark for half a second at a time."""


@dataclass(frozen=True)
class Card:
    """A card that lies in or beside the arena."""

    seat: int
    rank: int
    how: str


def state_of(colour: str) -> str:
    """Return what a public pixel says, whatever the brightness of its animation."""
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
    """Return the number that a hood shows: lit pixels count one each, amber ones from six on, blue ones from eleven."""
    lit = [bytes.fromhex(colour) for colour in hood if colour != "000000"]
    if not lit:
        return 0
    red, green, blue = lit[0]
    return len(lit) + (0 if red == green == blue else 5 if red else 10)


def is_marked(ring: Sequence[str]) -> bool:
    """Return whether the ring shows the sign of an abandoned roll, whatever the pixels between show."""
    return set(ring[2::4]) == {_ABANDONED}


@dataclass(frozen=True)
class Sight:
    """What simulated people have before their eyes."""

    update: Json
    pixels: dict[str, Any]
    pile: tuple[Card, ...]
    settled: bool
    """Whether nothing is flying."""

    @property
    def question(self) -> Json:
        question: Json = self.update["question"]
        return question

    @property
    def felt(self) -> list[Card]:
        """Return the cards that the arena has felt, from below."""
        return [card for card in self.pile if card.how != "outside"]

    def missed(self, seat: int) -> list[Card]:
        return [card for card in self.pile if card.how == "outside" and card.seat == seat]

    def at_table(self, seat: int) -> bool:
        return bool(seat) and self.update["seats"][seat - 1]["source"] == AT_TABLE


class Followed:
    """A record that simulated people follow as long as the game is the record's."""

    def __init__(self, rules: Rules[Any], moves: Sequence[str]) -> None:
        record: Position[Any] = Position(rules)
        for text in moves:
            record.parse_push(text)
        played = record.conducted().moves  # as the session has them
        self._moves = [str(move).split(" ") for move in played]
        self._views = []  # what a spectator sees before each of them
        position: Position[Any] = Position(rules.conducted())
        for move in played:
            self._views.append(_unordered(position.rules.view(position.state, None)))
            position.push(move)

    def ahead(self, ply: int, view: Json) -> list[list[str]]:
        """Return the moves from here, in words; none where the record ends, or the game is another."""
        return self._moves[ply:] if ply < len(self._moves) and _unordered(view) == self._views[ply] else []


def _unordered(view: Json) -> Json:
    """Return a view without the order in which cards came to lie beside the pile, which no table can tell."""
    plain: Json = json.loads(json.dumps(view))
    return {**plain, "beside": sorted(plain.get("beside", ()))}


class BotMind:
    """Decides for one seat, from what a spectator sees: as a record says while the game is the record's, else as a
    built-in bot does. For games whose moves all may know."""

    def __init__(self, update: Json, seat: int, source: str, followed: Followed | None, seed: int | None) -> None:
        game, seats, options = update["rules"], len(update["seats"]), update["options"]
        self._bot = built_in(game, seats, options, seat, source, random.Random(seed))
        self._rules = rules_of(game, seats, options)
        self._seat = seat
        self._own = seat_name(seat)
        self._followed = followed
        self._ahead: list[list[str]] = []

    def look(self, update: Json) -> None:
        """Look at what has been played."""
        if self._followed is not None:
            self._ahead = self._followed.ahead(update["ply"], update["view"])

    def play(self, update: Json, moves: Sequence[str], may_pass: bool) -> str | None:
        """Return one of the moves, without its actor, or ``None`` to pass."""
        for actor, *words in self._ahead[:1]:
            if actor == self._own and " ".join(words) in moves:
                return " ".join(words)
        return self._decide(update, moves, may_pass)

    def _decide(self, update: Json, moves: Sequence[str], may_pass: bool) -> str | None:
        parsed = [self._rules.parse(notation(self._seat, move)) for move in moves]
        move: Move | None = self._bot.decide(update["view"], parsed, may_pass)
        return None if move is None else bare(move)

    def throw(self, update: Json, pile: Sequence[tuple[int, int, str]]) -> tuple[int, str] | None:
        """Return a card to throw now, as (rank, how it lands), or ``None``."""
        return None

    def throws_later(self, pile: Sequence[tuple[int, int, str]]) -> bool:
        """Return whether this seat throws again in this window, after others."""
        return False

    def choose(self, update: Json) -> str:
        """Return what to choose in a duel."""
        return CHOICES[0]

    @property
    def peeks(self) -> bool:
        """Return whether it looks under its hood before it decides on a move."""
        return False

    def see(self, hood: Sequence[str]) -> None:
        """Look at what the host painted under its hood."""


class DilemmaMind(BotMind):
    """Plays Dilemma as a bot does, or follows a record as long as the game is the record's."""

    def throw(self, update: Json, pile: Sequence[tuple[int, int, str]]) -> tuple[int, str] | None:
        throws = self._throws(pile)
        if throws is not None:
            return (int(throws[0][2]), throws[0][3]) if throws and throws[0][0] == self._own else None
        view = _with(update["view"], pile)
        moves = [f"throw {rank} {how}" for rank in view["hands"][self._own] for how in LANDINGS]
        decided = self._decide({**update, "view": view}, moves, True) if moves else None
        if decided is None:
            return None
        _, rank, how = decided.split(" ")
        return int(rank), how

    def throws_later(self, pile: Sequence[tuple[int, int, str]]) -> bool:
        return any(move[0] == self._own for move in self._throws(pile) or ())

    def choose(self, update: Json) -> str:
        for actor, verb, *words in self._ahead:
            if [actor, verb] == [self._own, "duel"]:
                return words[0]
        moves = [f"duel {choice}" for choice in choices_allowed(update["view"]["lives"][self._own])]
        decided = self._decide(update, moves, False)
        assert decided is not None
        return decided.removeprefix("duel ")

    def _throws(self, pile: Sequence[tuple[int, int, str]]) -> list[list[str]] | None:
        """Return the throws of this window that are still to come; ``None`` where it goes by no record."""
        throws = list(takewhile(lambda move: move[1] == "throw", self._ahead))
        thrown = [[seat_name(seat), "throw", str(rank), how] for seat, rank, how in pile]
        return throws[len(pile) :] if self._ahead and throws[: len(pile)] == thrown else None


def _with(view: Json, pile: Sequence[tuple[int, int, str]]) -> Json:
    """Return a view as it will be once the cards that were thrown in this window are played in it."""
    thrown = {(seat_name(seat), rank) for seat, rank, _ in pile}
    hands = {own: [rank for rank in hand if (own, rank) not in thrown] for own, hand in view["hands"].items()}
    flat = [[seat_name(seat), rank] for seat, rank, how in pile if how == "flat"]
    return {**view, "hands": hands, "pile": [*view["pile"], *flat]}


class FistMind(BotMind):
    """Plays Dicke Dämonen; it knows its fist from under its hood."""

    def __init__(self, update: Json, seat: int, source: str, followed: Followed | None, seed: int | None) -> None:
        super().__init__(update, seat, source, followed, seed)
        self._fist: list[str] = []

    @property
    def peeks(self) -> bool:
        return True

    def see(self, hood: Sequence[str]) -> None:
        creatures = list(zip(DRAWN, COLOURS, strict=True))
        self._fist = [colour for seen in hood for index, colour in creatures if _shows(seen, index)]

    def _decide(self, update: Json, moves: Sequence[str], may_pass: bool) -> str | None:
        view = update["view"]
        taken = {colour for named in view["predictions"].values() for colour in named}

        def can(move: str) -> bool:
            verb, *args = move.split()
            if verb == "predict":
                return all(colour in self._fist and colour not in taken for colour in args)
            return verb == "pass" or args[0] in self._fist

        mine = {**update, "view": {**view, "fists": {**view["fists"], self._own: self._fist}}}
        return super()._decide(mine, [move for move in moves if can(move)], may_pass)


_MINDS: Mapping[str, type[BotMind]] = {"dilemma": DilemmaMind, "dicke-daemonen": FistMind}
"""The minds of games that are not decided on from a spectator's view alone."""


class Hand:
    """What a seat knows of its own cards in a window, and answers when they are claimed and reviewed."""

    def __init__(self, seat: int) -> None:
        self.seat = seat
        self._lacking: Card | None = None

    def owns(self, sight: Sight) -> bool | None:
        """Return whether the card in question is this seat's; ``None`` when somebody else will say so."""
        subject, felt = sight.question["subject"], sight.felt
        if subject >= len(felt):
            return False
        owner = felt[subject].seat
        if owner == self.seat:
            return True
        return False if owner in sight.question["seats"] or not sight.at_table(owner) else None

    def label(self, sight: Sight) -> int:
        """Return the label of the menu's option that is right for this seat's card."""
        question = sight.question
        if question["what"] == "missed":
            labels = question["labels"]
            return next((card.rank for card in sight.missed(self.seat) if card.rank in labels), int(labels[-1]))
        if question["what"] in ("wrong", "where"):
            return int(question["labels"][self._mended(sight) - 1])
        card = sight.felt[question["subject"]]
        return card.rank if question["what"] == "card" else LANDINGS.index(card.how) + 1

    def agrees(self, sight: Sight) -> bool:
        """Return whether this seat's cards are listed as they lie."""
        mine = [card for card in sight.pile if card.seat == self.seat]
        listed = [Card(*card) for card in sight.question["listed"] if card[0] == self.seat]
        return sorted(mine, key=repr) == sorted(listed, key=repr)

    def _mended(self, sight: Sight) -> int:
        """Return what is wrong with this seat's cards (the entry, or one more than there are, or two), or where one
        lies."""
        listed = [Card(*card) for card in sight.question["listed"]]
        lacking = [card for card in sight.felt if card.seat == self.seat and card not in listed]
        if sight.question["what"] == "where":
            return min(sight.felt.index(self._lacking or lacking[0]) + 1, len(sight.question["labels"]))
        self._lacking = lacking[0] if lacking else None
        for number, card in enumerate(listed, 1):
            if card.seat == self.seat and card not in sight.pile:
                return number
        return len(listed) + (1 if lacking else 2)


class Person:
    """One simulated person: a seat, its place, the mind that decides, and a pair of hands."""

    def __init__(self, seat: int, place: int, mind: BotMind, noted: Callable[[int, str], None]) -> None:
        self.seat = seat
        self.place = place
        self.mind = mind
        self.ready_at = 0.0
        self._hand = Hand(seat)
        self._noted = noted
        self._dice = random.Random(place)
        self._thrown: tuple[int, list[int]] = (0, [])  # question, and the faces that are still to be entered
        self._marking = (0, 0)  # question, and the die at hand
        self._chosen = 0  # the question for which a button was pressed under the hood
        self._intended: tuple[int, str | None] | None = None  # ply and move
        self._peeked = 0  # the question in which it has looked under its hood
        self._peeking = False

    def act(self, sight: Sight, tester: Tester) -> bool:
        """Do the next small thing, if there is one for this person; return whether it did."""
        question = sight.question
        if self.seat not in question["seats"] or state_of(sight.pixels["public"][self.place - 1]) != _ASKED:
            return False
        self.mind.look(sight.update)
        what = question["what"]
        if question["kind"] == "window":
            button = self._in_window(sight, tester)
        elif question["kind"] == "choice":
            button = self._choose(sight)
        elif what == "claim":
            owns = self._hand.owns(sight)
            button = None if owns is None else "b" if owns else "a"
        elif question["kind"] == "poll" and "leads" in question:
            button = "b" if self._wants(sight) in question["leads"][1] else "a"
        elif question["kind"] == "roll":
            button = "b"
        elif what == "check":
            button = "b"  # what is shown once more is what was entered
        elif question["kind"] == "tally":
            button = self._mark(sight) if "leads" in question else self._enter(sight)
        elif what == "beside":
            button = "b" if sight.missed(self.seat) else "a"
        elif question["kind"] == "poll":
            button = "b" if what != "review" or self._hand.agrees(sight) else "a"
        elif self.mind.peeks and self._peek(sight):
            button = "a"
        else:
            wanted = self._wanted(sight) if question["leads"] else self._hand.label(sight)
            hood = sight.pixels[f"hood{self.place}"]
            if question.get("secret"):
                button = "b" if _shows(hood[0], wanted) else "plus"
            else:
                button = _towards(wanted, number_on(hood), question["labels"])
        if button:
            tester.press(self.place, button)
        return button is not None

    def _peek(self, sight: Sight) -> bool:
        """Look under the hood in the first question of a decision; return whether ``a`` is to be pressed for it."""
        question = sight.question
        if self._peeked == question["id"] or (self._intended is not None and self._intended[0] == sight.update["ply"]):
            return False
        if self._peeking:
            self.mind.see(sight.pixels[f"hood{self.place}"])
            self._peeked = question["id"]
        self._peeking = not self._peeking
        return True

    def _wants(self, sight: Sight) -> str | None:
        """Return the move that this person has in mind, ``None`` for a pass."""
        question, ply = sight.question, sight.update["ply"]
        if self._intended is None or self._intended[0] != ply:
            moves = [move for each in question["leads"] for move in each]
            may_pass = any(option["text"] == "pass" for option in question.get("options", ()))
            self._intended = ply, self.mind.play(sight.update, moves, may_pass)
            self._noted(ply, f"{seat_name(self.seat)} {self._intended[1] or 'pass'}")
        return self._intended[1]

    def _wanted(self, sight: Sight) -> int:
        """Return the label of the option that leads to the move that this person has in mind."""
        question, move = sight.question, self._wants(sight)
        for label, option, each in zip(question["labels"], question["options"], question["leads"], strict=True):
            if move in each or (move is None and option["text"] == "pass"):
                return int(label)
        return int(question["labels"][-1])  # back: this is not where the move is

    def _in_window(self, sight: Sight, tester: Tester) -> str | None:
        """Throw, or say that it throws no more; ``""`` when it has thrown, ``None`` when it waits."""
        lying = [(card.seat, card.rank, card.how) for card in sight.pile]
        throw = self.mind.throw(sight.update, lying)
        if throw is not None:
            if not sight.settled:
                return None
            tester.land(throw[1], tag_of(self.seat, throw[0], sight.update["ply"]))
            return ""
        if self.mind.throws_later(lying):
            return None
        return "b" if sight.missed(self.seat) else "a"

    def _enter(self, sight: Sight) -> str | None:
        """Throw physical dice, and enter them by the colours under the hood; ``None`` while the die at hand is dark."""
        question = sight.question
        if self._thrown[0] != question["id"]:
            entered = question["dice"] - len(question["given"])
            self._thrown = question["id"], [self._dice.randrange(question["faces"]) for _ in range(entered)]
        faces = self._thrown[1]
        if not faces:
            return "b"  # it was not taken, or dice may be marked
        seen = sight.pixels[f"hood{self.place}"][question["dice"] - len(faces)]
        if seen == "000000":
            return None
        shown = faces_of(sight.update["rules"], question["faces"])
        if not _shows(seen, shown[faces[0]]):
            return "plus"
        del faces[0]
        return "b"

    def _mark(self, sight: Sight) -> str | None:
        """Mark the dice to keep, all of them to play; ``None`` while the die at hand is dark."""
        question, hood = sight.question, sight.pixels[f"hood{self.place}"]
        if self._marking[0] != question["id"]:
            self._marking = question["id"], 0
        at = self._marking[1]
        faces = [STRUGGLE_FACES[face] for face in question["given"]]
        verb, *kept = (self._wants(sight) or "").split()
        wanted = []
        for face in faces:
            wanted.append(verb != "keep" or face in kept)
            if wanted[-1] and verb == "keep":
                kept.remove(face)
        if hood[at] == "000000":
            return None
        if _shows(hood[at], FACES[question["given"][at]]) != wanted[at]:
            return "a"
        if at == len(faces) - 1:
            return "b"
        self._marking = question["id"], at + 1
        return "plus"

    def _choose(self, sight: Sight) -> str | None:
        """Press the button under whose pixel the wanted colour is; when the hood shows that it was seen, lock. ``None``
        while the hood does not show the choice."""
        hood = sight.pixels[f"hood{self.place}"]
        if not any(bytes.fromhex(hood[2])):
            return None
        if self._chosen == sight.question["id"] and bytes.fromhex(hood[4])[0]:
            return "plus"
        self._chosen = sight.question["id"]
        return "a" if _alike(hood[1], PALETTE[CHOICE_COLOURS[CHOICES.index(self.mind.choose(sight.update))]]) else "b"


def _towards(wanted: int, shown: int, labels: Sequence[int]) -> str:
    """Return the button that picks the wanted option of a menu, or leads there, the shorter way round."""
    if shown not in labels:
        return "plus"
    steps = (labels.index(wanted) - labels.index(shown)) % len(labels)
    return "b" if not steps else "plus" if 2 * steps <= len(labels) else "minus"


def tag_of(seat: int, rank: int, ply: int) -> str:
    """Return what is printed on a simulated card: whose it is, its rank, and the window in which it was thrown."""
    return f"{seat_name(seat)}:{rank}@{ply}"


def _shows(colour: str, option: int) -> bool:
    """Return whether a pixel shows a colour of the palette as options are shown: so bright, or as much less as a Pico
    takes back when all pixels of a hood are white. What is dimmed is at an eighth."""
    seen, bright = bytes.fromhex(colour), colours.option(option)
    level = max(seen) / max(bright)
    return level > 0.5 and all(abs(here - level * full) < 2 for here, full in zip(seen, bright, strict=True))


def _alike(colour: str, wanted: tuple[int, int, int]) -> bool:
    red, _, blue = bytes.fromhex(colour)
    return (blue > red) == (wanted[2] > wanted[0])


class People:
    """All simulated people of a table.

    ``minds`` are the sources of the seats that they have. ``pace`` is how long each takes for one thing, in seconds of
    table time, more than a button takes to be pressed and let go of; ``think`` how long, about, before the first thing
    of each question.
    """

    def __init__(
        self,
        tester: Tester,
        minds: Mapping[int, str],
        followed: Sequence[str] | None = None,
        *,
        pace: float = QUICK_PACE,
        think: float = 0.0,
        seed: int | None = None,
        noted: Callable[[int, str], None] = lambda ply, move: None,
    ) -> None:
        self._tester = tester
        self._minds = dict(minds)
        self._followed = followed
        self._people: list[Person] = []
        self._pace = pace
        self._think = think
        self._seed = seed
        self._noted = noted
        self._random = random.Random(0 if seed is None else seed)
        self._swept_at = -1
        self._question = 0
        self._laid: set[str] = set()
        self._marked_at = -_BLINK_S

    def _sit_down(self, update: Json) -> None:
        rules = rules_of(update["rules"], len(update["seats"]), update["options"])
        followed = None if self._followed is None else Followed(rules, self._followed)
        mind = _MINDS.get(update["rules"], BotMind)
        for seat, source in self._minds.items():
            seed = None if self._seed is None else self._seed + seat
            place = update["seats"][seat - 1]["place"]
            self._people.append(Person(seat, place, mind(update, seat, source, followed, seed), self._noted))

    def act(self, now: float, latest: Callable[[], Json | None]) -> float:
        """Let everybody who is ready do one thing; return how soon somebody may do the next, in seconds.

        ``latest`` returns the latest update. Pixels are looked at before, so that it is never older than they are.
        """
        pixels = self._tester.pixels()
        update = latest()
        if update is None or update["question"] is None:
            return self._pace
        if not self._people:
            self._sit_down(update)
        if self._unmark(now, pixels["ring"]):
            return self._pace
        self._sweep(update)
        question = update["question"]
        if question["id"] != self._question:
            self._question = question["id"]
            for person in self._people:
                person.ready_at = max(person.ready_at, now + self._think * self._random.uniform(0.6, 1.6))
        sight = self.look(update, pixels)
        if self._lay(sight):
            return self._pace
        for person in self._people:
            if now >= person.ready_at and person.seat in question["seats"]:
                person.ready_at = now + self._pace
                if person.act(sight, self._tester):
                    sight = self.look(update, self._tester.pixels())
        asked = [person.ready_at - now for person in self._people if person.seat in question["seats"]]
        return max(0.001, min([self._pace, *asked]))

    def _unmark(self, now: float, ring: Sequence[str]) -> bool:
        """Press the sign of an abandoned roll away; return whether it may still be there."""
        if is_marked(ring):
            self._marked_at = now
            self._tester.press(self._people[0].place, "a")
        return now - self._marked_at < _BLINK_S

    def _lay(self, sight: Sight) -> bool:
        """Lay a card for somebody who is not at the table."""
        if sight.question["kind"] != "window" or not sight.settled:
            return False
        for seat, rank in sight.question["to_lay"]:
            tag = tag_of(seat, rank, sight.update["ply"])
            if tag not in self._laid:
                self._laid.add(tag)
                self._tester.land(land(self._random), tag)
                return True
        return False

    def look(self, update: Json, pixels: dict[str, Any]) -> Sight:
        """Return what is there to be seen now."""
        pile = self._tester.say("pile")
        cards = []
        for card in pile["cards"]:
            tag, _, window = card["tag"].partition("@")
            if window == str(update["ply"]):
                seat, _, rank = tag.partition(":")
                cards.append(Card(int(seat[1:]), int(rank), card["how"]))
        settled = all(pile["now"] - card["time"] > _SETTLE_US for card in pile["cards"])
        return Sight(update, pixels, tuple(cards), settled)

    def _sweep(self, update: Json) -> None:
        """Take cards that are out of play out of the arena when a window is settled, and all when a turn is over."""
        ply = update["ply"]
        if ply == self._swept_at or update["rules"] != "dilemma":
            return
        self._swept_at = ply
        if update["view"]["phase"] == "offer":
            self._tester.say("clear")
            return
        for card in self._tester.say("pile")["cards"]:
            if card["how"] != "flat" and not card["tag"].endswith(f"@{ply}"):
                self._tester.say(f"take {card['tag']}")


class _Reader:
    """Updates from a pipe, the latest one."""

    def __init__(self, file: int) -> None:
        self.file = file
        self.open = True
        self._lock = threading.Lock()
        self._rest = self._line = b""
        self._latest: Json | None = None

    def read_always(self) -> None:
        """Read also while the people wait for the table's time: who writes may fill the pipe before it goes on."""
        threading.Thread(target=self._read_always, daemon=True).start()

    def latest(self) -> Json | None:
        self._read()
        with self._lock:
            line, self._line = self._line, b""
        if line:
            self._latest = json.loads(line)
        return self._latest

    def _read_always(self) -> None:
        while self.open:
            select.select([self.file], [], [])
            self._read()

    def _read(self) -> None:
        """Read all that is there by now, whoever of the two threads is first."""
        with self._lock:
            while self.open and select.select([self.file], [], [], 0)[0]:
                data = os.read(self.file, 1 << 16)
                self.open = bool(data)
                *lines, self._rest = (self._rest + data).split(b"\n")
                if lines:
                    self._line = lines[-1]


def _say(ply: int, move: str) -> None:
    sys.stdout.write(json.dumps([ply, move]) + "\n")
    sys.stdout.flush()


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Simulated people at a simulated table.")
    parser.add_argument("table", type=int, help="an open connection to the table's control socket, as a file's number")
    parser.add_argument("people", help="JSON: for each seat what decides for it")
    parser.add_argument("--follow", metavar="MOVES", type=json.loads, help="JSON: the moves that they make")
    parser.add_argument("--seed", type=int)
    args = parser.parse_args(argv)
    try:
        _live(Tester(socket.socket(fileno=args.table)), args)
    except Gone:
        pass  # whoever started the table tells why
    return 0


def _live(tester: Tester, args: argparse.Namespace) -> None:
    """Be at the table until standard input ends."""
    time = tester.say("time")
    quick = bool(time["virtual"] or time["own"])
    clock: Clock = VirtualClock(tester, own=bool(time["own"])) if quick else LifeClock()
    people = People(
        tester,
        {int(seat): source for seat, source in json.loads(args.people).items()},
        args.follow,
        pace=QUICK_PACE if quick else LIFE_PACE,
        think=0.0 if quick else LIFE_THINK,
        seed=args.seed,
        noted=_say,
    )
    reader = _Reader(sys.stdin.fileno())
    if quick:
        reader.read_always()
    while reader.open:
        wait = people.act(clock.now(), reader.latest)
        clock.wait(wait, reader.file if isinstance(clock, LifeClock) else None)


if __name__ == "__main__":
    raise SystemExit(main())
