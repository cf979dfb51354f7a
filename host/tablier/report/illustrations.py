"""Plots, boards and sentences that go with the tables of one question."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tablier.archive.database import Archive
from tablier.archive.questions import Scope
from tablier.html.elements import Markup
from tablier.report.games import BEST, best_of, wholes
from tablier.report.season import Season
from tablier.report.sections import by_length, by_month, ratings, wins, words_of_dice

_PARTS: Mapping[str, Callable[[Season], list[Markup]]] = {
    "results": wins,
    "ratings": ratings,
    "evenings": by_month,
    "lengths": by_length,
    "play": wholes,
    "dice": words_of_dice,
    BEST: best_of,
}
"""By question; the best games are no question of ``tablier stats``."""


def illustrate(archive: Archive, question: str, scope: Scope) -> list[Markup]:
    """Return what goes with the answer to a question, or to :data:`~tablier.report.games.BEST`; nothing where there
    are no games, or nothing to draw.

    Raise :class:`ArchiveError` as :func:`tablier.archive.questions.ask` does.
    """
    season = Season.of(archive, scope)
    return _PARTS[question](season) if question in _PARTS and season.games else []


__all__ = ["illustrate"]
