"""The lines of a game's pages about its table and its evening, of which the keeper is asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from msgspec import structs

from tablier.games import title_of
from tablier.messages import Evening, GamePlayed, Listing, Person, Series, TableState
from tablier.screens.commands import TABLE
from tablier.screens.evenings import NOT_OVER, played_text, standing_text, won_by
from tablier.screens.phrases import EVENING, HERE, TABLE_SILENT
from tablier.screens.scores import scoreboard
from tablier.table.health import ANSWERS, BOARD, health_texts
from tablier.texts import Failure, Text, all_of, clauses, text_of

if TYPE_CHECKING:
    from tablier.keeper.client import GameLink

LookUp = Callable[[str], Sequence[Text]]
"""Returns the lines of a page; call it in any thread."""


def look_up(game: GameLink, page: str) -> Sequence[Text]:
    """Return the lines of a page of :data:`tablier.screens.commands.LOOKED_UP`, or why there are none."""
    try:
        if page != TABLE:
            return evening_texts(game.link.ask(Listing, "list").evenings, game.game)
        told = game.link.ask(TableState, "table", {"game": game.game})
        return table_texts(told, health_texts(told.status) if told.status else ())
    except (Failure, OSError) as error:
        return [text_of(error)]


def table_texts(told: TableState, health: Sequence[Text]) -> list[Text]:
    """Return how a table is. ``told``: the keeper's answer to ``table``; ``health``: its status in words."""
    there = ANSWERS if told.connected else TABLE_SILENT
    return [there, BOARD.of(board=told.board or "?"), *health, *told.tested]


def evening_texts(evenings: Sequence[Evening], game: int) -> list[Text]:
    """Return how the evening of a game stands. ``evenings``: those that are open, as the keeper lists them."""
    found = next((each for each in evenings if each.game == game and not each.alone), None)
    return [Text("This game is part of no evening.")] if found is None else list(_evening(found))


def _evening(evening: Evening) -> Iterator[Text]:
    yield EVENING.of(evening=evening.evening)
    yield HERE.of(names=all_of([_present(each) for each in evening.here]))
    yield from result_texts(structs.replace(evening, games=[game for game in evening.games if game.result]))


def result_texts(evening: Evening) -> Iterator[Text]:
    """Yield how the games of an evening have ended, or that they have not, and how its series stand.

    ``evening``: as the keeper lists it.
    """
    for game in evening.games:
        yield _result(game)
    for series in evening.series:
        if series.played or series.standings or not series.over:
            yield series_state(series)


def series_state(series: Series) -> Text:
    """Return how a series stands, as the keeper lists it."""
    won = sorted((each.name, each.wins) for each in series.standings)
    about = {"series": series.series, "standing": standing_text(won, over=series.over)}
    if not series.over:
        return Text("Series {series}: {standing}", about)
    over, early = (
        Text("Series {series}, over: {standing}", about),
        Text("Series {series}, ended early: {standing}", about),
    )
    return over if series.complete else early


def about_open(evening: Evening) -> Text:
    """Return who is there and what was played, of an evening that can be resumed."""
    here = [_present(each) for each in evening.here]
    about = {"names": here or Text("nobody"), "games": played_text(len(evening.games))}
    return Text("{names}; {games}", about)


def _present(person: Person) -> Text | str:
    if person.place:
        return Text("{name} (place {place})", {"name": person.name, "place": person.place})
    return Text("{name} (phone)", {"name": person.name}) if person.by == "phone" else person.name


def _result(game: GamePlayed) -> Text:
    scores = scoreboard(game.seats, game.result)
    ended = won_by([each.name for each in scores if each.won]) if game.result else NOT_OVER
    seats = [each.text for each in scores]
    outcome = clauses([ended, *game.remarks])
    about = {"game": game.game, "rules": title_of(game.rules), "seats": seats, "outcome": outcome}
    return Text("Game {game}, {rules}: {seats}; {outcome}", about)


__all__ = ["LookUp", "about_open", "evening_texts", "look_up", "result_texts", "series_state", "table_texts"]
