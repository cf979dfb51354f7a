"""News and updates for viewers, as :mod:`tablier.play.connections` describes them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tablier.games.core import seat_name
from tablier.games.core.questions import Choice, Menu
from tablier.log import GameInfo
from tablier.play.connections import Deliver
from tablier.play.session import Session
from tablier.texts import Json, Text

if TYPE_CHECKING:
    from tablier.play.inbox import Sender


@dataclass(eq=False)
class Viewer:
    """Somebody who gets updates."""

    viewer: int | None
    deliver: Deliver
    sender: Sender | None = None
    """The connection by which it came."""
    looked: int = 0
    """The news examined for this viewer so far."""
    news: int = 0
    """The news this viewer has received so far."""


class News:
    """News in the order in which they happened, each for all viewers or for some."""

    def __init__(self) -> None:
        self.all: list[tuple[tuple[int | None, ...] | None, Json]] = []

    def say(
        self, kind: str, text: Text, audience: tuple[int | None, ...] | None = None, turn: Any = None, at: int = 0
    ) -> None:
        """Add a piece. ``audience``: for whom it is, ``None`` for all; ``at``: the number of the move that it tells of,
        0 for none."""
        numbered = {"at": at} if at else {}
        self.all.append((audience, {"kind": kind, "text": text.to_json(), "turn": turn, **numbered}))

    def since(self, viewer: Viewer) -> list[Json]:
        """Return what a viewer has not had, and count it as had.

        News are numbered for each viewer by what it may see: else a seat could count what another is told.
        """
        new = self.all[viewer.looked :]
        viewer.looked = len(self.all)
        seen = [each for audience, each in new if audience is None or viewer.viewer in audience]
        news = [{"n": n, **each} for n, each in enumerate(seen, viewer.news + 1)]
        viewer.news += len(news)
        return news


def update_of(
    session: Session,
    info: GameInfo,
    viewer: int | None,
    *,
    news: list[Json],
    over: bool,
    head: str,
    now: float,
    walked: Mapping[int, int],
    deadline: float | None,
) -> Json:
    """Return what a viewer may see now. ``walked``: where seats stand in open menus; ``head``: that of the log."""
    position = session.position
    rules, state = position.rules, position.state
    result: Json | None = None
    if over:
        scores = {seat_name(seat): score for seat, score in enumerate(rules.scores(state), 1)}
        winners = list(rules.winners(state))
        result = {"scores": scores, "winners": winners, "head": head}
        if session.unrevealed:
            result["unrevealed"] = session.unrevealed
    return {
        "game": info.id,
        "rules": info.game,
        "options": rules.given,
        "seats": [seat.to_json() for seat in session.seats],
        "viewer": viewer,
        "ply": session.ply,
        "to_move": list(position.to_move),
        "view": rules.view(state, viewer),
        "question": question_of(session, viewer, walked, deadline),
        "news": news,
        "practice": session.practice,
        "over": result,
        "now": now,
    }


def question_of(session: Session, viewer: int | None, walked: Mapping[int, int], deadline: float | None) -> Json | None:
    """Return what a viewer may see of the open question."""
    question = session.question
    if question is None:
        return None
    waiting = list(session.waiting)
    told: Json = {"id": session.id, **question.public(), "waiting": waiting}
    if isinstance(question, Menu) and not question.secret:
        told["walked"] = walked.get(question.seats[0], question.start)
    if deadline is not None:
        told["deadline"] = deadline
    if isinstance(question, Choice):
        told["open"] = bool(session.to_open)
    if viewer in question.seats and not session.seats[viewer - 1].is_bot:
        told["mine"] = {**question.private(viewer), "waits": viewer in waiting}
        if isinstance(question, Choice):
            told["mine"]["bind"] = session.bind(viewer)
    return told
