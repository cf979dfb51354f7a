"""The evenings and games of a log in words, to look back at them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, time
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from tablier.games import title_of
from tablier.games.core import games_text, moves_text
from tablier.screens.scores import Score, scoreboard
from tablier.texts import Language, Text, all_of, clauses, counted, day_text, language, number_text, time_text

if TYPE_CHECKING:  # a screen of a keeper's game reads no log
    from tablier.log.evenings import Evening, Series
    from tablier.log.fold import GameInfo
    from tablier.log.people import Names
    from tablier.log.store import Log


def local(at: str) -> datetime:
    """Return the time of an entry in the local time zone. Raise ``ValueError`` for a text that is no time."""
    found = datetime.fromisoformat(at)
    try:
        return found.astimezone()
    except (OverflowError, ValueError):  # of the first or the last day there is, in a log that somebody forged
        return found


def moment(at: datetime) -> Text:
    """Return a date with the time of day."""
    return Text("{day} {time}", {"day": day_text(at), "time": time_text(at)}, context="date")


NOT_OVER = Text("not over")


def outcome(info: GameInfo) -> Text:
    """Return how a game has ended, or that it has not, and what else is to be said of its result."""
    if info.abandoned:
        return Text("abandoned")
    ended = NOT_OVER if info.ended is None else won_by(info.winners)
    remarks = info.remarks
    return clauses([ended, *remarks]) if remarks else ended


def won_by(names: Sequence[str]) -> Text:
    """Return who has won a game."""
    return Text("won by {names}", {"names": all_of(names)}) if names else Text("nobody has won")


def played_text(games: int) -> Text:
    """Return how many games of an evening were played so far."""
    return games_text(games) if games else Text("no game yet")


def left_games(log: Log) -> dict[int, Text]:
    """Return the games of a log that are not over, the latest first, each in words."""
    from tablier.play.logged import unfinished  # lists do without it, and it takes a while to load

    texts = {}
    for info in map(log.game, sorted(unfinished(log), reverse=True)):
        about = {"game": title_of(info.game), "names": list(info.names), "moves": moves_text(info.moves)}
        texts[info.id] = Text("{game}: {names}, {moves}", about)
    return texts


def left_evenings(log: Log) -> list[tuple[int, str]]:
    """Return the numbers of the evenings of a log that are open, the latest first, each with who is there and since
    when, in words."""
    names, found = log.names(), []
    for each in reversed(log.open_evenings()):
        here = [names.of(person) for person in each.present] or Text("nobody")
        about = {"names": here, "games": played_text(len(each.games)), "since": moment(local(each.began))}
        found.append((each.number, str(Text("{names}; {games}; since {since}", about))))
    return found


def heading(evening: Evening) -> Text:
    began = local(evening.began)
    about = {"evening": evening.number, "date": day_text(began), "from": time_text(began), "table": evening.table}
    if evening.by_itself or (evening.alone and evening.ended is None):  # it is over with its games
        return Text("Evening {evening}, {date}", about)
    if evening.ended is None:
        return Text("Evening {evening}, {date}, open since {from}", about)
    return Text("Evening {evening}, {date}, {from} to {to}", {**about, "to": time_text(local(evening.ended))})


def series_text(series: Series, names: Names, games: Mapping[int, GameInfo]) -> Text:
    """Return how a series stands, and in which of its games somebody else decided for a player."""
    by_others = sorted(game for game in series.played if games[game].stand_ins)
    one, many = "in game {games} somebody else decided for a player", "in games {games} others decided for a player"
    remarks = [counted(len(by_others), one, many, games=by_others)] if by_others else []
    return clauses([_series_text(series, names), *remarks])


def _series_text(series: Series, names: Names) -> Text:
    about = {
        "series": series.number,
        "games": list(map(title_of, dict.fromkeys(series.games))),
        "wins": series.wins,
        "count": series.count,
        "standing": wins_text(series, names, over=series.over),
    }
    if series.over and not series.complete:
        if series.wins:
            return Text("Series {series}, {games}, first to {wins} wins, ended early: {standing}", about)
        return Text("Series {series}, {games}, of {count} games, ended early: {standing}", about)
    if series.wins and series.over:
        return Text("Series {series}, {games}, first to {wins} wins, over: {standing}", about)
    if series.wins:
        return Text("Series {series}, {games}, first to {wins} wins: {standing}", about)
    if series.over:
        return Text("Series {series}, {games}, of {count} games, over: {standing}", about)
    return Text("Series {series}, {games}, of {count} games: {standing}", about)


def wins_text(series: Series, names: Names, *, over: bool = False) -> list[Text] | Text:
    """Return who has won how many games of a series, the most first. ``over``: nothing is to follow."""
    people = [(names.of(person), wins) for person, wins in series.standings.items()]
    return standing_text([*people, *series.bots.items()], over=over)


def standing_text(wins: Iterable[tuple[str, int]], *, over: bool = False) -> list[Text] | Text:
    """Return who has won how many games, the most first.

    ``wins``: names, each with a number of games; ``over``: nothing is to follow.
    """
    won = sorted(wins, key=lambda each: -each[1])
    nobody = Text("nobody won") if over else Text("nobody has won yet")
    return [Text("{name} {wins}", {"name": name, "wins": n}) for name, n in won] or nobody


def game_line(info: GameInfo) -> str:
    """Return a game in a line of a list: its players, with their scores where it has ended, and its outcome."""
    read, began = language(), local(info.started)
    scores = (info.result or {}).get("scores", {})
    usual = info.ended is not None and not info.abandoned and not info.remarks
    about = {
        "id": info.id,
        "at": _said(read, time_text, time(began.hour, began.minute)),
        "game": _said(read, title_of, info.game),
        "who": [_said(read, _scored, name, scores.get(f"p{n}")) for n, name in enumerate(info.names, 1)],
        "moves": _said(read, moves_text, info.moves),
        "outcome": _said(read, won_by, info.winners) if usual else str(outcome(info)),
    }
    return str(Text("{id}  {at}  {game}  {who}: {moves}, {outcome}", about))


def _scored(name: str, score: float | None) -> Text | str:
    return Score(name, "" if score is None else number_text(score), won=False).text


@lru_cache(4096)
def _said(read: Language, make: Callable[..., Text | str], *args: Any) -> str:
    """Return what is made of these arguments in a language, which is the reader's: ten thousand games say the same few
    things again and again."""
    return str(make(*args))


def scoreboard_of(info: GameInfo) -> list[Score]:
    """Return the scoreboard of a logged game."""
    return scoreboard(info.names, info.outcome)


def moved_text(kind: str, body: dict[str, Any], names: Names) -> Text:
    about = {"name": names.of(body["person"]), "place": body.get("place")}
    if kind == "went":
        return Text("{name} went", about)
    return Text("{name} came, to place {place}", about) if body["place"] else Text("{name} came", about)


__all__ = [
    "game_line",
    "heading",
    "local",
    "moved_text",
    "outcome",
    "scoreboard_of",
    "series_text",
    "standing_text",
    "wins_text",
    "won_by",
]
