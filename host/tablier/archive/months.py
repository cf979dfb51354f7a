"""Months by the clock of Greenwich, as numbers such as 202611."""

from __future__ import annotations

import re
from calendar import monthrange, timegm

from tablier.archive.ended import time_of
from tablier.log.bodies import FIRST_YEAR, LAST_YEAR
from tablier.texts import Text, TextError


def month_of(moment: int) -> int:
    """Return the month of a time in microseconds since 1970, such as 202611."""
    at = time_of(moment)
    return at.year * 100 + at.month


def moment_of(month: int, *, after: bool = False) -> int:
    """Return the first moment of a month, or of the one after, in microseconds since 1970."""
    year, number = divmod(month, 100)
    days = monthrange(year, number)[1] if after else 0
    return timegm((year, number, 1 + days, 0, 0, 0)) * 1_000_000


def month_text(month: int) -> str:
    """Return a month such as 202609 as people read and type it: 2026-09."""
    return f"{month // 100:04}-{month % 100:02}"


def month_said(month: int) -> Text:
    """Return a month as people read it."""
    return Text("{year}-{month}", {"year": month // 100, "month": f"{month % 100:02}"}, context="date")


def month_named(month: int) -> Text:
    """Return a month with its name, as for a heading."""
    about = {"year": month // 100}
    named = (
        Text("January {year}", about, "month"),
        Text("February {year}", about, "month"),
        Text("March {year}", about, "month"),
        Text("April {year}", about, "month"),
        Text("May {year}", about, "month"),
        Text("June {year}", about, "month"),
        Text("July {year}", about, "month"),
        Text("August {year}", about, "month"),
        Text("September {year}", about, "month"),
        Text("October {year}", about, "month"),
        Text("November {year}", about, "month"),
        Text("December {year}", about, "month"),
    )
    return named[month % 100 - 1]


def read_month(text: str) -> int:
    """Return a month that is typed as 2026-09, or as 09/2026, as 202609. Raise ``TextError`` for any other text and for
    months of years that no log has."""
    iso = re.sub(r"^(\d\d)/(\d{4})$", r"\2-\1", text)
    found = re.fullmatch(r"(\d{4})-(0[1-9]|1[0-2])", iso, re.ASCII)
    if not found:
        raise TextError("{seen} is not a month; one is 2026-09", seen=repr(text[:20]))
    if not FIRST_YEAR <= int(found[1]) <= LAST_YEAR:
        between = {"seen": repr(text), "first": str(FIRST_YEAR), "last": str(LAST_YEAR)}
        raise TextError(Text("{seen} is not a month of the years {first} to {last}", between))
    return int(found[1]) * 100 + int(found[2])
