"""The plots and the words about dice that a page shows beside the tables of a question."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tablier.archive.database import Archive
from tablier.archive.questions import Scope
from tablier.report.games import best_of, wholes
from tablier.report.season import Season
from tablier.report.sections import by_length, by_month, ratings, wins, words_of_dice
from tablier.web.archive import BEST
from tablier.web.html import Markup

BESIDE: Mapping[str, Callable[[Season], list[Markup]]] = {
    "results": wins,
    "ratings": ratings,
    "evenings": by_month,
    "lengths": by_length,
    "play": wholes,
    "dice": words_of_dice,
    BEST: best_of,
}
"""By question; the best games are no question of ``tablier stats``."""


def beside(archive: Archive, question: str, scope: Scope) -> list[Markup]:
    """Return what stands beside the answer to a question; nothing where there are no games, or nothing to be drawn.

    Raise :class:`ArchiveError` as :func:`tablier.archive.questions.ask` does.
    """
    season = Season.of(archive, scope)
    return BESIDE[question](season) if question in BESIDE and season.games else []


__all__ = ["BESIDE", "beside"]
