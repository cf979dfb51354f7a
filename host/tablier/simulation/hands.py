"""The hands of simulated people: presses and throws that carry out a decision."""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Sequence
from typing import Any

from tablier.course.asides import ANOTHER, CALLED
from tablier.course.on_wire import faces_of
from tablier.games.core import seat_name
from tablier.games.core.lights import CHOICE_COLOURS
from tablier.games.core.menus import is_pass
from tablier.games.core.parts import called, one_of
from tablier.games.core.people import Mind, Sight, shows
from tablier.messages import Choice, Menu, Poll, Roll, Tally, Turn, Window
from tablier.simulation.eyes import ASKED, alike, number_on, state_of, tag_of
from tablier.simulation.tester import Tester
from tablier_fw.colours import FACES, PALETTE


class Person:
    """One simulated person: a seat, its place, the mind that decides, and a pair of hands."""

    def __init__(self, seat: int, place: int, mind: Mind, noted: Callable[[int, str], None]) -> None:
        self.seat = seat
        self.place = place
        self.mind = mind
        self.ready_at = 0.0
        self._noted = noted
        self._dice = random.Random(place)
        self._thrown: tuple[int, list[int]] = (0, [])  # question, and the faces that are still to be entered
        self._marking = (0, 0)  # question, and the die at hand
        self._chosen = 0  # the question for which a button was pressed under the hood
        self._intended: tuple[int, str | None] | None = None  # ply and move
        self._peeked = 0  # the question in which it has looked under its hood
        self._peeking = 0  # the question in which it has pressed for that

    def act(self, sight: Sight, tester: Tester) -> bool:
        """Do the next small action, if any; return whether there was one.

        Raise :class:`~tablier.games.core.parts.PartError` if its mind fails.
        """
        question = sight.question
        if self.seat not in question.seats or state_of(sight.pixels["public"][self.place - 1]) != ASKED:
            return False
        self._mind(sight, "look", sight.update)
        if isinstance(question, Window):
            button = self._in_window(sight, tester)
        elif isinstance(question, Choice):
            button = self._choose(sight, question)
        elif isinstance(question, Poll) and question.leads:
            button = "b" if self._wants(sight, question) in question.leads[1] else "a"
        elif isinstance(question, Roll):
            button = "b"
        elif question.what == "check":
            button = "b"  # what is shown once more is what was entered
        elif isinstance(question, Tally):
            button = self._mark(sight, question) if question.leads else self._enter(sight, question)
        elif isinstance(question, Poll):
            for card in self._mind(sight, "takes_back", sight):
                tester.say(f"take {tag_of(card.seat, card.rank, sight.update.ply)}")
            answer = None if self._leaves_it(sight, question) else self._mind(sight, "answers", sight)
            button = None if answer is None else "b" if answer else "a"
        elif isinstance(question, Turn):
            button = None  # it is asked by menus here
        elif question.what == CALLED:
            button = _towards(question.labels[0], number_on(sight.pixels[f"hood{self.place}"]), question.labels)
        elif self._peeks(sight) and self._peek(sight):
            button = "a"
        else:
            wanted = self._wanted(sight, question) if question.leads else self._labelled(sight, question)
            hood = sight.pixels[f"hood{self.place}"]
            if question.secret:
                button = "b" if shows(hood[0], wanted) else "plus"
            else:
                button = _towards(wanted, number_on(hood), question.labels)
        if button:
            tester.press(self.place, button)
        return button is not None

    def _leaves_it(self, sight: Sight, question: Poll) -> bool:
        """Return whether it is up to people whether there is another game: where some sit at the table, simulated ones
        begin none."""
        seats = sight.update.seats
        return question.what == ANOTHER and any(not seats[seat - 1].simulated for seat in question.waiting)

    def _peek(self, sight: Sight) -> bool:
        """Look under the hood in the first question of a decision; return whether ``a`` is to be pressed for it."""
        question = sight.question
        if self._peeked == question.id or (self._intended is not None and self._intended[0] == sight.update.ply):
            return False
        if self._peeking == question.id and self._mind(sight, "see", sight.update, sight.pixels[f"hood{self.place}"]):
            self._peeked = question.id
        self._peeking = question.id
        return True

    def _wants(self, sight: Sight, question: Poll | Menu | Tally) -> str | None:
        """Return the move that this person has in mind, ``None`` for a pass."""
        ply = sight.update.ply
        if self._intended is None or self._intended[0] != ply:
            moves = [move for each in question.leads for move in each]
            may_pass = isinstance(question, Menu) and any(map(is_pass, question.options))
            played = self._mind(sight, "play", sight.update, moves, may_pass)
            self._intended = ply, self._one_of(sight, "play", played, [*moves, *([None] if may_pass else [])])
            self._noted(ply, f"{seat_name(self.seat)} {self._intended[1] or 'pass'}")
        return self._intended[1]

    def _wanted(self, sight: Sight, question: Menu) -> int:
        """Return the label of the option that leads to the move that this person has in mind."""
        move = self._wants(sight, question)
        for label, option, each in zip(question.labels, question.options, question.leads, strict=True):
            if move in each or (move is None and is_pass(option)):
                return label
        return question.labels[-1]  # back: this is not where the move is

    def _in_window(self, sight: Sight, tester: Tester) -> str | None:
        """Throw a card, or return the button that ends the throws; ``""`` after a throw, ``None`` to wait."""
        lying = [(card.seat, card.rank, card.how) for card in sight.pile]
        throw = self._mind(sight, "throw", sight.update, lying)
        if throw is not None:
            if not sight.settled:
                return None
            tester.land(throw[1], tag_of(self.seat, throw[0], sight.update.ply))
            return ""
        if self._mind(sight, "throws_later", lying):
            return None
        return "b" if sight.missed(self.seat) else "a"

    def _enter(self, sight: Sight, question: Tally) -> str | None:
        """Throw physical dice, and enter them by the colours under the hood; ``None`` while the die at hand is dark."""
        if self._thrown[0] != question.id:
            entered = question.dice - len(question.given)
            self._thrown = question.id, [self._dice.randrange(question.faces) for _ in range(entered)]
        faces = self._thrown[1]
        if not faces:
            return "b"  # it was not taken, or dice may be marked
        seen = sight.pixels[f"hood{self.place}"][question.dice - len(faces)]
        if seen == "000000":
            return None
        shown = faces_of(sight.update.rules, question.faces)
        if not shows(seen, shown[faces[0]]):
            return "plus"
        del faces[0]
        return "b"

    def _mark(self, sight: Sight, question: Tally) -> str | None:
        """Mark the dice to keep, all of them to play; ``None`` while the die at hand is dark."""
        hood = sight.pixels[f"hood{self.place}"]
        if self._marking[0] != question.id:
            self._marking = question.id, 0
        at = self._marking[1]
        wanted = self._mind(sight, "marks", question.given, self._wants(sight, question))
        if hood[at] == "000000":
            return None
        if shows(hood[at], FACES[question.given[at]]) != wanted[at]:
            return "a"
        if at == len(wanted) - 1:
            return "b"
        self._marking = question.id, at + 1
        return "plus"

    def _choose(self, sight: Sight, question: Choice) -> str | None:
        """Return the button under the wanted colour, or the one that locks it once it is selected; ``None`` while the
        hood does not show the choice."""
        hood = sight.pixels[f"hood{self.place}"]
        if not any(bytes.fromhex(hood[2])):
            return None
        if self._chosen == question.id and bytes.fromhex(hood[4])[0]:
            return "plus"
        self._chosen = question.id
        options = question.options
        chosen = options.index(self._one_of(sight, "choose", self._mind(sight, "choose", sight.update), options))
        return "a" if alike(hood[1], PALETTE[CHOICE_COLOURS[chosen]]) else "b"

    # -- what the mind says

    def _mind(self, sight: Sight, name: str, *args: Any) -> Any:
        """Call a method of the mind. Raise :class:`PartError` if it fails."""
        return called(sight.update.rules, "people", self._named(name), lambda: getattr(self.mind, name)(*args))

    def _peeks(self, sight: Sight) -> bool:
        return called(sight.update.rules, "people", self._named("peeks"), lambda: self.mind.peeks)

    def _labelled(self, sight: Sight, question: Menu) -> int:
        return int(self._one_of(sight, "label", self._mind(sight, "label", sight), question.labels))

    def _one_of(self, sight: Sight, name: str, said: Any, allowed: Collection[Any]) -> Any:
        """Return the mind's answer. Raise ``PartError`` unless it is allowed."""
        return one_of(sight.update.rules, "people", self._named(name), said, allowed)

    def _named(self, name: str) -> str:
        return f"{type(self.mind).__name__}.{name}"


def _towards(wanted: int, shown: int, labels: Sequence[int]) -> str:
    """Return the button that picks the wanted option of a menu, or steps towards it, the shorter way round."""
    if shown not in labels:
        return "plus"
    steps = (labels.index(wanted) - labels.index(shown)) % len(labels)
    return "b" if not steps else "plus" if 2 * steps <= len(labels) else "minus"
