"""The page: what the archive answers, section by section, in words, tables and plots."""

from __future__ import annotations

from collections.abc import Callable
from importlib.resources import files

from tablier.archive.database import Archive, ArchiveError
from tablier.archive.months import month_named
from tablier.archive.questions import Scope
from tablier.html.document import alone, style
from tablier.html.elements import Markup, tag
from tablier.report.games import best_games, play
from tablier.report.season import Season, say
from tablier.report.sections import (
    Section,
    dice,
    endings,
    evenings,
    figures,
    head_to_head,
    lengths,
    results,
    tables,
    winners,
)
from tablier.texts import Text

SECTIONS: tuple[Callable[[Season], Section | None], ...] = (
    *(figures, winners, results, head_to_head, evenings, play, lengths, endings, dice, tables, best_games),
)
"""In the order of the page; each may be left out."""


def page(archive: Archive, scope: Scope, step: Callable[[], object] = lambda: None) -> str:
    """Return the games of an archive that are asked about as a page of HTML, without a script, that refers to nothing
    outside it. The same archive gives the same page.

    :param step: called after each of the :data:`SECTIONS`.

    Raise :class:`ArchiveError` for a club that there is not, or where there are no games.
    """
    season = Season.of(archive, scope)
    if not season.games:
        raise ArchiveError("there are no such games in the archive")
    sections = []
    for make in SECTIONS:
        if (section := make(season)) is not None:
            sections.append(section)
        step()
    return _whole(season, sections)


def _whole(season: Season, sections: list[Section]) -> str:
    about = {"clubs": season.title, "first": month_named(season.first), "last": month_named(season.last)}
    title = Text("{clubs}, {first} to {last}", about) if season.first < season.last else Text("{clubs}, {first}", about)
    links = [tag("li", tag("a", say(section.title), href=f"#{section.key}")) for section in sections]
    main = tag(
        "main",
        tag("h1", say(title)),
        tag("nav", tag("ul", links), class_="contents", aria_label=say(Text("Contents"))),
        *(_drawn(section) for section in sections),
        tag(
            "footer", say(Text("Made by 'tablier report' from the games of an archive. Months are those of Greenwich."))
        ),
    )
    season_css = (files(__package__) / "season.css").read_text(encoding="utf-8")
    return alone(say(title), main, style("plots.css"), style("best.css"), season_css, kind="season")


def _drawn(section: Section) -> Markup:
    return tag("section", tag("h2", say(section.title)), *section.parts, id=section.key)


__all__ = ["SECTIONS", "page"]
