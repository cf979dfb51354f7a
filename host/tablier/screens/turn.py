"""Whose turn it is, and what is asked, in the words of every screen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from tablier import messages
from tablier.course.asides import ASIDES
from tablier.messages import Question, Update
from tablier.screens.phrases import (
    ALL_CHOSE,
    NOTHING_ASKED,
    OVER,
    WAITING,
    YOU_ASKED,
    YOU_CHOSE,
    YOUR_TURN,
    YOUR_TURN_TOO,
)
from tablier.texts import Listed, Text, Who, all_of, render

Whose = Literal["over", "yours", "opening", "others", ""]
ENDED: Whose = "over"
YOURS: Whose = "yours"
OPENING: Whose = "opening"
OTHERS: Whose = "others"
NOBODYS: Whose = ""


class Turn(NamedTuple):
    """Whose turn it is: at this screen (:data:`YOURS`), elsewhere, or nobody's."""

    whose: Whose
    text: Text | None
    """``None`` where the question says all: the table rolls."""


def whose_turn(update: Update, names: Sequence[str], *, yours: bool) -> Turn:
    """Return whose turn it is. ``yours``: a seat at this screen is waited for."""
    question = update.question
    if update.over is not None:
        return Turn(ENDED, OVER)
    if question is None:
        return Turn(NOBODYS, NOTHING_ASKED)
    if yours:
        if question.what in ASIDES:
            return Turn(YOURS, YOU_ASKED)
        others = [seat for seat in question.waiting if seat != update.viewer] if update.viewer else []
        return Turn(YOURS, YOUR_TURN_TOO.of(names=named(others, names)) if others else YOUR_TURN)
    if question.waiting:
        chosen = isinstance(question, messages.Choice) and question.mine is not None
        waits = YOU_CHOSE if chosen else WAITING
        return Turn(OTHERS, waits.of(names=named(question.waiting, names)))
    if isinstance(question, messages.Choice) and question.to_open:
        return Turn(OPENING, ALL_CHOSE.of(names=named(question.to_open, names)))
    return Turn(NOBODYS, None)


def asked_text(question: Question, names: Sequence[str]) -> Text:
    """Return a question, with the card that somebody at the table is to lay for its thrower, who is not there."""
    if not isinstance(question, messages.Window) or not question.to_lay:
        return question.text
    seat, rank = question.to_lay[0]
    about = {"question": question.text, "name": names[seat - 1], "rank": rank}
    return Text("{question} Lay {name}'s {rank} in the arena.", about)


def question_text(update: Update, names: Sequence[str], *, yours: bool) -> Text | None:
    """Return the question and for whom it waits; ``None`` where nothing is asked."""
    question = update.question
    if question is None:
        return None
    asked = asked_text(question, names)
    whose, text = whose_turn(update, names, yours=yours)
    if whose == OTHERS and question.what == "turn":  # which says only whom one waits for
        return WAITING.of(names=named(question.waiting, names))
    return Text("{question} {turn}", {"question": asked, "turn": text}) if whose in (OTHERS, OPENING) else asked


class Aloud:
    """What people at a table are read out, whose lights have no words: each question when it is asked, however often it
    was asked before, and who is awaited alone."""

    def __init__(self) -> None:
        self._asked = 0
        self._waiting: Sequence[int] = ()
        self._lays: Sequence[messages.Card] = ()

    def hear(self, question: Question, names: Sequence[str]) -> list[str]:
        """Return what is to be said now, in lines; nothing where nothing is new."""
        before, waiting = self._waiting, question.waiting
        lays = question.to_lay if isinstance(question, messages.Window) else ()
        self._waiting, (laid, self._lays) = waiting, (self._lays, lays)
        if question.id != self._asked:
            self._asked = question.id
            return read_out(question, names)
        if lays and lays[0] != next(iter(laid), None):
            return [render(asked_text(question, names), names)]
        if len(waiting) == 1 < len(before):
            return [render(WAITING.of(names=named(waiting, names)), names)]
        return []


def read_out(question: Question, names: Sequence[str]) -> list[str]:
    """Return what people at the table are read out of a question: who is asked what, and what the numbers under the
    hood are. The colours of a secret menu are on the sheet."""
    asked = render(question.text, names)
    if question.waiting and not addresses(question):
        asked = render(Text("{names}: {question}", {"names": named(question.waiting, names), "question": asked}))
    if not isinstance(question, messages.Menu):
        return [asked]
    texts = [render(option, names) for option in question.options]
    if question.secret:
        return [asked, " · ".join(texts)]
    numbered = zip(map(str, question.labels), texts, strict=True)
    return [
        asked,
        " · ".join(
            text if text == label else str(Text("{label}: {text}", {"label": label, "text": text}))
            for label, text in numbered
        ),
    ]


def addresses(question: Question) -> bool:
    """Return whether a question names the one seat that is asked: "Anne: which die?". Only that seat is ``who`` in a
    question's text (``games/core/questions.py``)."""
    who = question.text.args.get("who")
    return isinstance(who, Who) and [who.seat] == list(question.waiting)


def named(seats: Sequence[int], names: Sequence[str]) -> Listed:
    """Return the names of seats."""
    return all_of([names[seat - 1] for seat in seats])


__all__ = [
    "ENDED",
    "NOBODYS",
    "OPENING",
    "OTHERS",
    "YOURS",
    "Aloud",
    "Turn",
    "Whose",
    "asked_text",
    "named",
    "question_text",
    "read_out",
    "whose_turn",
]
