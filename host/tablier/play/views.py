"""What viewers are told and shown: news, and the updates that :mod:`tablier.play.connections` describes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, NamedTuple

from tablier.course.session import Session
from tablier.games import words_of
from tablier.games.core import Move, seat_name
from tablier.games.core.parts import called
from tablier.games.core.questions import Choice, Menu, Window
from tablier.log import GameInfo
from tablier.texts import Json, Text


@dataclass
class Heard:
    """How far a viewer has followed the news."""

    known: int
    """The number of the last one that it knew when it began to watch."""
    joined: int
    """How many of the news, for whomever, came too early for it unless it lacks their numbers."""
    looked: int = 0
    """The news examined for this viewer so far."""
    count: int = 0
    """The numbered ones among them that it may see."""


class Told(NamedTuple):
    """A piece of news."""

    audience: tuple[int | None, ...] | None
    """For whom it is; ``None`` for all."""
    logged: bool
    """Whether it follows from the log; if not it is of the moment, and has no number."""
    body: Json


class News:
    """News in the order in which they happened, each for all viewers or for some."""

    def __init__(self) -> None:
        self.all: list[Told] = []
        self.recalled = 0
        """How many of them were told before the game was resumed."""

    def say(
        self,
        kind: str,
        text: Text,
        audience: tuple[int | None, ...] | None = None,
        turn: Any = None,
        at: int = 0,
        *,
        logged: bool = False,
    ) -> None:
        """Add a piece. ``audience``: for whom it is, ``None`` for all; ``at``: the number of the move that it tells of,
        0 for none; ``logged``: it follows from the log, so it is told again when the game is resumed."""
        numbered = {"at": at} if at else {}
        self.all.append(Told(audience, logged, {"kind": kind, "text": text.to_json(), "turn": turn, **numbered}))

    def since(self, viewer: int | None, heard: Heard) -> list[Json]:
        """Return what a viewer has not had, and count it as had.

        News are numbered for each viewer by what it may see: else a seat could count what another is told.
        """
        news = []
        for index, told in enumerate(self.all[heard.looked :], heard.looked):
            if told.audience is not None and viewer not in told.audience:
                continue
            heard.count += told.logged
            if told.logged and (heard.count > heard.known or index >= max(heard.joined, self.recalled)):
                news.append({"n": heard.count, **told.body})
            elif not told.logged and (heard.count >= heard.known or index >= heard.joined):
                news.append({"n": None, **told.body})
        heard.looked = len(self.all)
        return news


@dataclass(frozen=True)
class Snapshot:
    """A game at one moment. What a viewer may see of it is made once, however many look."""

    session: Session
    info: GameInfo
    over: bool
    head: str
    """The hash of the log's last entry."""
    now: float
    walked: Mapping[int, int]
    """By seat: where it stands in the open menu."""
    deadline: float | None
    remarks: Sequence[Text] = ()
    """What is to be said beside the result of a game that is over."""
    _seen: dict[int | None, Json] = field(default_factory=dict)

    def update(self, viewer: int | None, news: list[Json]) -> Json:
        """Return an update: what a viewer may see now, and its news."""
        if viewer not in self._seen:
            self._seen[viewer] = self._see(viewer)
        return {**self._seen[viewer], "news": news}

    def _see(self, viewer: int | None) -> Json:
        session, position = self.session, self.session.position
        rules, state = position.rules, position.state
        last, fell = self._lately
        result: Json | None = None
        if self.over:
            scores = {seat_name(seat): score for seat, score in enumerate(rules.scores(state), 1)}
            result = {"scores": scores, "winners": list(rules.winners(state)), "head": self.head}
            result["remarks"] = [text.to_json() for text in self.remarks]
            if session.unrevealed:
                result["unrevealed"] = session.unrevealed
        return {
            "game": self.info.id,
            "rules": self.info.game,
            "options": rules.given,
            "seats": [seat.to_json() for seat in session.seats],
            "viewer": viewer,
            "ply": session.ply,
            "to_move": list(position.to_move),
            "last": None if last is None else str(last),
            "fell": list(map(str, fell)),
            "view": rules.view(state, viewer),
            "question": self._question(viewer),
            "practice": session.practice,
            "over": result,
            "now": self.now,
        }

    @cached_property
    def _lately(self) -> tuple[Move | None, Sequence[Move]]:
        """Return the last move of a seat, and those of the table since, as everybody may know them."""
        return self.session.position.lately()

    def _outcomes(self, seat: int, moves: Sequence[Move]) -> Json:
        """Return what each move of a choice leads to, where the game says so."""
        game, position = self.info.game, self.session.position
        outcome = words_of(game).outcome
        if outcome is None:
            return {}
        view = position.rules.view(position.state, seat)
        texts = [called(game, "words", "outcome", partial(outcome, position.rules, view, move)) for move in moves]
        return {"outcomes": [text.to_json() for text in texts if text]} if all(texts) else {}

    def _question(self, viewer: int | None) -> Json | None:
        """Return what a viewer may see of the open question."""
        session, question = self.session, self.session.question
        if question is None:
            return None
        waiting = list(session.open.waiting)
        told: Json = {"id": session.id, **question.public(), "waiting": waiting}
        if isinstance(question, Menu) and not question.secret:
            told["walked"] = self.walked.get(question.seats[0], question.start)
        if self.deadline is not None:
            told["deadline"] = self.deadline
        if isinstance(question, Window):
            told["thrown"] = [list(card) for card in question.thrown]
        if isinstance(question, Choice):
            told |= {"open": bool(session.open.to_open), "to_open": list(session.open.to_open)}
        if viewer in question.seats and not session.seats[viewer - 1].is_bot:
            told["mine"] = {**question.private(viewer), "waits": viewer in waiting}
            if isinstance(question, Choice):
                told["mine"] |= {"bind": session.open.bind(viewer), **self._outcomes(viewer, question.moves[viewer])}
        return told
