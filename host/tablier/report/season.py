"""The games that a page is about, and how their numbers are asked for and written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from tablier.archive.database import Archive
from tablier.archive.listing import clubs
from tablier.archive.questions import Answer, Cell, Column, LabelledWord, Scope, ask, not_shown
from tablier.html.elements import Markup, tag
from tablier.printable import printable
from tablier.texts import Text, all_of, render

Row = dict[str, Any]
"""A row of an answer, by the keys of its columns."""


@dataclass(frozen=True)
class Season:
    """An archive, and the games of it that a page is about."""

    archive: Archive
    scope: Scope
    clubs: tuple[str, ...]
    """The clubs whose games they are."""

    @classmethod
    def of(cls, archive: Archive, scope: Scope) -> Season:
        """Return a season; where an archive has a single club, it is that one's. Raise :class:`ArchiveError`."""
        known = [club.name for club in clubs(archive)]
        if scope.club is None and len(known) == 1:
            scope = replace(scope, club=known[0])
        found = tuple(dict.fromkeys(str(row[0]) for row in ask(archive, "evenings", scope)[0].rows))
        return cls(archive, scope, found)

    def month(self, month: int) -> Season:
        """Return one month of it."""
        return replace(self, scope=replace(self.scope, since=month, until=month))

    def ask(self, question: str, key: str) -> Answer | None:
        """Return the table of an answer that has a key; ``None`` where there is none, or nothing in it."""
        found = (answer for answer in self.answers(question) if answer.key == key and answer.rows)
        return next(found, None)

    def answers(self, question: str) -> list[Answer]:
        """Return the answer to a question."""
        return ask(self.archive, question, self.scope)

    @cached_property
    def by_month(self) -> Counter[int]:
        """Return how many games each month had."""
        found: Counter[int] = Counter()
        for row in rows(self.ask("evenings", "months")):
            found[row["month"]] += row["games"]
        return found

    @property
    def games(self) -> int:
        return self.by_month.total()

    @property
    def first(self) -> int:
        """Return the first month, such as 202609: the one that is asked for, or that has games."""
        return self.scope.since or min(self.by_month)

    @property
    def last(self) -> int:
        return self.scope.until or max(self.by_month)

    @property
    def title(self) -> Any:
        """Return the clubs, for people."""
        return self.scope.club if self.scope.club is not None else all_of(self.clubs)

    @cached_property
    def kinds(self) -> list[str]:
        """Return the games that were played, by the names of their rules."""
        return sorted({row["game"] for row in rows(self.ask("evenings", "months"))})

    def who(self, row: Row, key: str = "name") -> str:
        """Return the name of a player, with the club where there are several."""
        name = render(row[key].label) if isinstance(row[key], LabelledWord) else str(row[key])
        if len(self.clubs) < 2:
            return name
        return render(Text("{name} ({club})", {"name": name, "club": row["club"]}))


def rows(answer: Answer | None) -> list[Row]:
    """Return the rows of an answer, none of ``None``."""
    return [] if answer is None else answer.by_key


def say(text: Text | str) -> str:
    """Return a text as a page has it."""
    return printable(text if isinstance(text, str) else render(text))


def table(
    columns: Sequence[Column], cells: Iterable[Sequence[Cell]], caption: Text | None = None, most: int = 0
) -> Markup:
    """Return a table; a column of numbers is aligned to the right. ``most``: the most rows, 0 for all."""
    body = list(cells)
    shown = body[:most] if most else body
    numbers = [
        all(isinstance(row[at], int | float) for row in body if row[at] is not None) for at in range(len(columns))
    ]
    classes = ["number" if number else None for number in numbers]
    heads = [tag("th", say(column.head), scope="col", class_=of) for column, of in zip(columns, classes, strict=True)]
    lines = [
        tag(
            "tr",
            [
                tag("td" if at else "th", column.shown(cell), class_=of, scope=None if at else "row")
                for at, (column, cell, of) in enumerate(zip(columns, row, classes, strict=True))
            ],
        )
        for row in shown
    ]
    left = len(body) - len(shown)
    more = not_shown(left)
    return tag(
        "div",
        tag(
            "table",
            None if caption is None else tag("caption", say(caption)),
            tag("thead", tag("tr", heads)),
            tag("tbody", lines),
        ),
        tag("p", say(more), class_="soft") if left else None,
        class_="wide",
    )


def column(answer: Answer, key: str) -> Column:
    """Return a column of an answer by its key."""
    return next(each for each in answer.columns if each.key == key)


__all__ = ["Row", "Season", "column", "rows", "say", "table"]
