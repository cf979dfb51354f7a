"""Series of games as a screen counts them together."""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec import convert

from tablier.games import GAMES, game_called, title_of
from tablier.messages import NewSeries
from tablier.screens.commands import Mistyped, in_keys
from tablier.screens.evening_link import EveningLink
from tablier.screens.phrases import Say
from tablier.screens.status_pages import series_state
from tablier.texts import Json, Text

_SERIES = re.compile(r"first to ([1-9][0-9]?)|([1-9][0-9]?) games?")


def read_series(text: str) -> tuple[Json, list[str]] | None:
    """Return how the games of a series are counted, and what is typed after that; ``None`` for any other text."""
    text = in_keys(text, ("first", "to", "game", "games"))
    found = _SERIES.match(text)
    if found is None:
        return None
    return {"wins": int(found[1] or 0), "count": int(found[2] or 0)}, text[found.end() :].split()


class SeriesCounter:
    """The series of an evening."""

    def __init__(self, evening: EveningLink, say: Say) -> None:
        self._evening, self._say = evening, say

    @property
    def is_over(self) -> bool:
        """Return whether the latest series is over."""
        return self._evening.look().series[-1].over

    def begin(self, games: Sequence[str], counted: Json) -> NewSeries:
        """Begin a series of games, counted as :func:`read_series` returns it."""
        return convert(self._evening.call("series", games=list(games), **counted), NewSeries)

    def begin_typed(self, form: str) -> None:
        """Begin a series that was typed, and print which one that has ended. Raise :class:`Mistyped`."""
        found = read_series(form)
        if found is None:
            if not form:
                raise Mistyped("the forms are ':series first to 3 GAME …' and ':series 5 games GAME …'")
            raise Mistyped(":series {seen}: the forms are 'first to 3 GAME …' and '5 games GAME …'", seen=form)
        counted, rest = found
        if not (rest or self._evening.look().next):
            raise Mistyped(":series {seen}: which games? :series {seen} {games}", seen=form, games=" ".join(GAMES))
        games = list(map(game_called, rest)) or [str(self._evening.look().next)]
        begun = self.begin(games, counted)
        self._say(*(series_state(each) for each in self._evening.look().series if each.series == begun.ended))
        about = {"series": begun.series, "games": list(map(title_of, dict.fromkeys(games)))}
        self._say(Text("Series {series} begins: {games}.", about))

    def note_other(self, game: str) -> None:
        """Print that a game does not count, where another one is due in a series."""
        told = self._evening.look()
        series = next((each for each in told.series if not each.over), None)
        if series is not None and game != told.next:
            about = {"game": title_of(game), "series": series.series, "due": title_of(str(told.next))}
            self._say(Text("{game} does not count in series {series}, where {due} is next (Enter).", about))


__all__ = ["SeriesCounter", "read_series"]
