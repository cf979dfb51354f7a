"""The desk: the seats whose people sit at the screen. What they are asked, and how what they type is understood.

At a simulated table they have hands as well: a card that is typed lands in the arena, and is claimed for them, since
the host has seen them throw it.
"""

from __future__ import annotations

import queue
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from tablier.games.core import seat_name
from tablier.games.dilemma.players import HOWS, SKILL
from tablier.play import asking
from tablier.play.asking import Ask, Input
from tablier.play.conductor import Conductor
from tablier.play.course import Course
from tablier.play.people import Hand, Scene, tag_of
from tablier.play.session import IDLE_S, Keyboard
from tablier.table.tester import Tester


class Misread(ValueError):
    """What was typed is no answer to what was asked; the text says what is."""


@dataclass(frozen=True)
class Prompt:
    """What one seat at the keyboard is asked."""

    question: int
    seat: int
    kind: str
    what: str
    text: str
    options: tuple[str, ...] = ()
    can_throw: bool = False
    """Window: whether typing a card throws it."""
    secret: bool = False
    """Nobody else may see what is typed."""

    @property
    def hint(self) -> str:
        """What can be typed."""
        if self.kind == asking.WINDOW:
            throw = f"a card to throw ({' '.join(self.options)}), or " if self.can_throw and self.options else ""
            return f"{throw}done{'' if self.can_throw else ', or missed if a card of yours missed the arena'}"
        if self.kind == asking.POLL:
            return "yes or no"
        return (" or " if len(self.options) == 2 else " ").join(self.options)


@dataclass(frozen=True)
class Answer:
    """What a seat at the keyboard does: an input for the open question, or a card to throw."""

    prompt: Prompt
    input: Input | None = None
    throw: int = 0


@dataclass(frozen=True)
class TakeBack:
    """Somebody at the keyboard takes back the last ``moves`` moves."""

    moves: int


def read(prompt: Prompt, text: str) -> Answer:
    """What a text means as an answer to a prompt; the beginning of a word is enough. Raises :class:`Misread`."""
    word = text.strip().lower()
    seat = {"seat": prompt.seat}
    if prompt.kind == asking.WINDOW:
        card = word.removeprefix("throw").strip()
        if prompt.can_throw and card in prompt.options:
            return Answer(prompt, throw=int(card))
        choice = _only(word, ("done",) if prompt.can_throw else ("done", "missed"), prompt)
        return Answer(prompt, Input("done", {**seat, "missed": int(choice == "missed")}))
    if prompt.kind == asking.POLL:
        return Answer(prompt, Input("answered", {**seat, "yes": int(_only(word, ("yes", "no"), prompt) == "yes")}))
    option = prompt.options.index(_only(word, prompt.options, prompt))
    if prompt.kind == asking.CHOICE:
        return Answer(prompt, Input("locked", {**seat, "choice": option}))
    return Answer(prompt, Input("picked", {**seat, "option": option}))


def _only(word: str, allowed: Sequence[str], prompt: Prompt) -> str:
    if word in allowed:
        return word
    matches = [option for option in allowed if word and option.lower().startswith(word)]
    if len(matches) != 1:
        raise Misread(f"{word!r} is no answer here; type {prompt.hint}")
    return matches[0]


@dataclass
class Hands:
    """What the desk can do at a simulated table: see the arena, and throw."""

    tester: Tester
    look: Callable[[Course], Scene]
    seed: int | None = None
    random: random.Random = field(init=False)

    def __post_init__(self) -> None:
        self.random = random.Random(self.seed)

    def throw(self, seat: int, rank: int, course: Course) -> None:
        self.tester.land(self.random.choices(HOWS, SKILL)[0], tag_of(seat, rank, course))


class Desk(Keyboard):
    """Asks by ``show``, is answered through ``answers``, from another thread if need be."""

    def __init__(self, show: Callable[[list[Prompt]], None], hands: Hands | None = None) -> None:
        self.answers: queue.SimpleQueue[Answer | TakeBack] = queue.SimpleQueue()
        self._show = show
        self._hands = hands
        self._shown: list[Prompt] | None = None

    def work(self, conductor: Conductor) -> float:
        while not self.answers.empty():
            self._take(conductor, self.answers.get_nowait())
        while (input := self._by_itself(conductor.course)) is not None:
            conductor.answer(input)
        prompts = self._prompts(conductor.course)
        if prompts != self._shown:
            self._shown = prompts
            self._show(prompts)
        return IDLE_S

    def _take(self, conductor: Conductor, answer: Answer | TakeBack) -> None:
        course = conductor.course
        if isinstance(answer, TakeBack):
            if 0 < answer.moves <= course.position.ply:
                conductor.take_back(course.position.ply - answer.moves)
            return
        if answer.prompt not in self._prompts(course):
            return  # too late: the question is another by now
        if answer.input is not None:
            conductor.answer(self._whole(answer.input, course))
        elif self._hands is not None:
            self._hands.throw(answer.prompt.seat, answer.throw, course)

    def _whole(self, input: Input, course: Course) -> Input:
        """Done, with what the host has seen: whether a card missed the arena."""
        if input.kind != "done" or self._hands is None:
            return input
        missed = bool(self._hands.look(course).missed(input.seat))
        return Input("done", {**input.values, "missed": int(missed)})

    @staticmethod
    def _asked(course: Course) -> list[int]:
        """The seats at the keyboard that still have to answer."""
        if course.ask is None:
            return []
        answered = course.done | set(course.locked)
        return [s for s in course.ask.seats if course.seats[s - 1].at_keyboard and s not in answered]

    def _by_itself(self, course: Course) -> Input | None:
        """What the host can answer for a seat at the keyboard, because it saw the card thrown."""
        ask = course.ask
        if self._hands is None or ask is None or ask.what not in _OWN_CARDS:
            return None
        for seat in self._asked(course):
            hand, scene, who = Hand(seat), self._hands.look(course), {"seat": seat}
            if ask.what == "claim":
                owns = hand.owns(scene)
                if owns is not None:
                    return Input("answered", {**who, "yes": int(owns)})
            elif ask.what == "review":
                if hand.agrees(scene):
                    return Input("answered", {**who, "yes": 1})
            elif (label := hand.label(scene)) in ask.labels:
                return Input("picked", {**who, "option": ask.labels.index(label)})
        return None

    def _prompts(self, course: Course) -> list[Prompt]:
        if self._hands is not None and course.ask is not None and course.ask.what == "claim":
            return []  # whoever threw the card says so: at a simulated table nobody doubts whose it is
        return [self._prompt(course, course.ask, seat) for seat in self._asked(course) if course.ask is not None]

    def _prompt(self, course: Course, ask: Ask, seat: int) -> Prompt:
        options = ask.options
        if ask.kind == asking.WINDOW:
            options = tuple(map(str, self._throwable(course, seat)))
        elif ask.kind == asking.CHOICE:
            options = tuple(ask.options[option] for option in ask.allowed[seat])
        several = sum(each.at_keyboard for each in course.seats) > 1
        return Prompt(
            question=course.id,
            seat=seat,
            kind=ask.kind,
            what=ask.what,
            text=ask.text,
            options=options,
            can_throw=self._hands is not None,
            secret=ask.kind == asking.CHOICE and several,
        )

    def _throwable(self, course: Course, seat: int) -> list[int]:
        state: Any = course.position.state
        view = course.position.rules.view(state, seat)
        thrown: set[int] = set()
        if self._hands is not None:
            thrown = {card.rank for card in self._hands.look(course).pile if card.seat == seat}
        return [rank for rank in view["hands"][seat_name(seat)] if rank not in thrown]


_OWN_CARDS = ("claim", "card", "landing", "missed", "review", "wrong", "where")
"""What a seat is asked about the cards that it has thrown."""
