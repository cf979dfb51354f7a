"""``tablier log list``, ``show --evening``, ``show --series`` and ``standings``: what the log holds, game by game."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from tablier.cli.common import COLUMNS, CommandError, add_json_option, iso_day, local, say, say_json
from tablier.cli.game import add_of_game_option
from tablier.cli.spreadsheet import csv_text
from tablier.cli.workers import whole_number
from tablier.texts import Text, all_of, counted, number_text, time_text

if TYPE_CHECKING:
    from datetime import date

    from tablier.cli.common import Commands
    from tablier.log.evenings import Evening, Series
    from tablier.log.fold import GameInfo
    from tablier.log.people import Names
    from tablier.log.store import Log


def register(actions: Commands) -> None:
    listed = actions.add_parser(
        "list",
        help="the evenings, with their people, series and results",
        description="The evenings, with their people, series and results. With names, the games that all of these"
        " people have played.",
    )
    listed.add_argument("names", metavar="NAME", nargs="*", help="people whose games are listed (default: everybody)")
    listed.add_argument("--last", metavar="N", type=whole_number, help="the last N of them")
    parser = actions.add_parser(
        "standings",
        help="games, wins and points of everybody, or of two against each other",
        description="Who has played how many games, won how many, and with how many points on average, game by game."
        " With two names, only the games in which both have played, and who came before the other. What a bot"
        " decided for a person does not count.",
    )
    parser.add_argument("names", metavar="NAME", nargs="*", help="two people, head to head (default: everybody)")
    listed.add_argument(
        "--csv", action="store_true", help="print a line of CSV for each seat of each game that has ended"
    )
    for each in (listed, parser):
        each.add_argument("--since", metavar="DATE", type=_first, help="from this day or month on, such as 2026-01-31")
        each.add_argument("--until", metavar="DATE", type=_last, help="up to this day or month, such as 2026-01")
        add_of_game_option(each)
        add_json_option(each)


def _first(text: str) -> date:
    """Return a day that is typed, or the first of a month."""
    return _days(text)[0]


def _last(text: str) -> date:
    """Return a day that is typed, or the last of a month."""
    return _days(text)[1]


def _days(text: str) -> tuple[date, date]:
    """Return the first and the last day of what is typed as a day or a month."""
    from calendar import monthrange
    from datetime import date

    text = iso_day(text)
    try:
        if not re.fullmatch(r"\d{4}-\d\d", text):
            return (day := date.fromisoformat(text)), day
        first = date.fromisoformat(f"{text}-01")
        return first, first.replace(day=monthrange(first.year, first.month)[1])
    except ValueError:
        why = Text("{seen} is neither a day such as 2026-01-31 nor a month such as 2026-01", {"seen": repr(text)})
        raise argparse.ArgumentTypeError(str(why)) from None


class _Wanted(NamedTuple):
    """The games that a command is asked about."""

    since: date | None = None
    until: date | None = None
    game: str | None = None
    people: tuple[str, ...] = ()

    def is_in_time(self, at: str) -> bool:
        if self.since is None and self.until is None:
            return True
        day = local(at).date()
        return (self.since is None or day >= self.since) and (self.until is None or day <= self.until)

    def is_of(self, info: GameInfo) -> bool:
        """Return whether a game is one of this kind that all of these people have played."""
        return self.game in (None, info.game) and {seat.get("person") for seat in info.seats}.issuperset(self.people)


def _wanted(log: Log, args: argparse.Namespace) -> _Wanted:
    """Return the games that the options name. Raise :class:`CommandError` for a name that nobody has."""
    if args.since is not None and args.until is not None and args.since > args.until:
        raise CommandError("--since {since} comes after --until {until}", since=args.since, until=args.until)
    return _Wanted(args.since, args.until, args.game, tuple(_person(log, name) for name in args.names))


def _person(log: Log, name: str) -> str:
    """Return the id of the person of a name. Raise :class:`CommandError` where nobody has it, which says what may be
    meant."""
    from tablier.cli.people import known
    from tablier.games import GAMES, title_of

    if log.names().find(name) is None:
        if Path(name).is_file():
            raise CommandError("nobody is called {name}; a log is named by --log {name}", name=name)
        if name.casefold() in {word for game in GAMES for word in (game, title_of(game).casefold())}:
            raise CommandError("nobody is called {name}; a game is named by --game {name}", name=name)
    return known(log, name)


def _say(text: Text | str, indent: int = 0) -> None:
    """Print a text in lines that fit 80 columns."""
    say(*_lines(text, indent))


def _lines(text: Text | str, indent: int = 0) -> list[str]:
    from tablier.screens.paper import wrapped

    return wrapped(str(text), COLUMNS, " " * indent, " " * (indent + 4))


# -- list ------------------------------------------------------------------------------------------


def list_evenings(log: Log, args: argparse.Namespace) -> None:
    """Print evenings with their people, series and results, or those with some of the games."""
    from tablier.screens.phrases import NOT_PLAYED

    wanted, names = _wanted(log, args), log.names()
    evenings, known = log.evenings(), None
    if wanted != _Wanted():
        known = _games_of(log, evenings)
        evenings = [each for each in (_within(evening, known, wanted) for evening in evenings) if each is not None]
    if args.last is not None:
        evenings = _last_of(log, evenings, args.last)
    games = known or _games_of(log, evenings)
    listed = [evening for evening in evenings if evening.is_listed(lambda game: games[game].is_played)]
    if args.json:
        say_json([_evening_json(evening, games, names) for evening in listed])
        return
    if args.csv:
        numbers = [number for evening in listed for number in evening.games if games[number].ended is not None]
        say(*csv_text(_seat_rows([games[number] for number in numbers], names)).splitlines())
        return
    if not evenings:
        say(NOT_PLAYED if wanted == _Wanted() else Text("There is no such evening or game."))
        return
    for evening in listed:
        _print_evening(evening, games, names)
    unlisted = [games[number] for evening in evenings for number in evening.games if not games[number].is_played]
    if idle := [info.id for info in unlisted if not info.abandoned]:
        _say(Text("Without a move so far, and not listed: {games}.", {"games": idle}))
    if abandoned := [info.id for info in unlisted if info.abandoned]:
        _say(Text("Abandoned, and not listed: {games}.", {"games": abandoned}))


def _within(evening: Evening, games: dict[int, GameInfo], wanted: _Wanted) -> Evening | None:
    """Return an evening with those of its games that are wanted, and their series; ``None`` for one without any. Of one
    that began in the time that is asked about, or a game of which did, all games are wanted."""
    infos = [games[number] for number in evening.games]
    if not any(map(wanted.is_in_time, (evening.began, *(info.started for info in infos)))):
        return None
    if wanted.game is None and not wanted.people:
        return evening
    kept = tuple(info.id for info in infos if wanted.is_of(info))
    series = tuple(each for each in evening.series if set(kept).intersection(each.played))
    return evening._replace(games=kept, series=series) if kept else None


def _last_of(log: Log, evenings: Sequence[Evening], most: int) -> list[Evening]:
    """Return the last evenings of some, so that ``most`` of them are listed: the last is that of the latest game, which
    may have been begun in an earlier evening that somebody opened again."""
    latest, order = 0, []
    for evening in evenings:
        order.append((max(evening.games, default=latest), evening.number, evening))
        latest = max(latest, order[-1][0])
    evenings = [evening for *_, evening in sorted(order, key=lambda each: each[:2])]
    left = most
    for at in reversed(range(len(evenings))):
        left -= evenings[at].is_listed(lambda game: log.game(game).is_played)
        if not left:
            return list(evenings[at:])
    return list(evenings)


_FEW = 200
"""The most games that are read one by one, which does not depend on how many others there are."""


def _games_of(log: Log, evenings: Sequence[Evening]) -> dict[int, GameInfo]:
    """Return the games of some evenings, and maybe others."""
    numbers = [number for evening in evenings for number in evening.games]
    infos = log.games() if len(numbers) > _FEW else map(log.game, numbers)
    return {info.id: info for info in infos}


def _seat_rows(games: Iterable[GameInfo], names: Names) -> Iterator[list[str | float | None]]:
    """Yield the heads of a table of results, and a row for each seat of each game."""
    yield ["evening", "day", "game", "rules", "name", "source", "points", "won", "decided_all"]
    for info in games:
        about: list[str | float | None] = [info.evening, str(local(info.started).date()), info.id, info.game]
        for number, (seat, (won, points)) in enumerate(zip(info.seats, _results(info), strict=True), 1):
            who = names.known.get(names.one(seat["person"])) if "person" in seat else seat.get("name")
            yield [
                *about,
                who,
                seat.get("source"),
                points,
                int(won),
                int(info.is_own(number)),
            ]


def _evening_json(evening: Evening, games: dict[int, GameInfo], names: Names) -> dict[str, object]:
    return {
        "evening": evening.number,
        "began": evening.began,
        "ended": evening.ended,
        "people": [names.known.get(names.one(person)) for person in evening.people],
        "series": [_series_json(series, names) for series in evening.series],
        "games": [game_json(games[number], names) for number in evening.games],
    }


def _series_json(series: Series, names: Names) -> dict[str, object]:
    won = {names.of(person): wins for person, wins in series.standings.items()} | series.bots
    return {
        "series": series.number,
        "rules": series.games,
        "games": sorted(series.played),
        "won": won,
        "over": series.over,
    }


def game_json(info: GameInfo, names: Names) -> dict[str, object]:
    """Return a game; the name of a seat is ``None`` where its person's was forgotten."""
    seats = [{key: seat.get(key) for key in ("name", "place", "source")} for seat in info.seats]
    for number, (seat, logged) in enumerate(zip(seats, info.seats, strict=True), 1):
        seat["decided_all"] = info.is_own(number)
        if "person" in logged:
            seat["name"] = names.known.get(names.one(logged["person"]))
    return {
        "game": info.id,
        "rules": info.game,
        "began": info.started,
        "ended": info.ended,
        "abandoned": info.abandoned,
        "moves": info.moves,
        "seats": seats,
        "result": info.result,
    }


def _print_evening(evening: Evening, games: dict[int, GameInfo], names: Names) -> None:
    from tablier.screens.evenings import game_line, heading, series_text
    from tablier.screens.phrases import WITH

    lines = _lines(heading(evening))
    if evening.people and not evening.by_itself:
        lines += _lines(WITH.of(names=all_of([names.of(one) for one in evening.people])), 2)
    for series in (each for each in evening.series if each.played or not each.over):
        lines += _lines(series_text(series, names, games), 2)
    for number in evening.games:
        if games[number].is_played:
            lines += _lines(game_line(games[number]), 2)
    say(*lines)


# -- an evening, a series --------------------------------------------------------------------------


def show_evening(log: Log, number: int, *, json: bool = False) -> None:
    """Print an evening with all who came and went."""
    from tablier.screens.evenings import moved_text

    names = log.names()
    evening = _numbered(log, log.evenings(number, number), number, "evening", log.last_evening)
    games = _games_of(log, [evening])
    moved = log.moved(number)
    if json:
        came = [
            {"at": each.at, "kind": each.kind, "name": names.of(each.body["person"]), "place": each.body.get("place")}
            for each in moved
        ]
        say_json({**_evening_json(evening, games, names), "moved": came})
        return
    _print_evening(evening, games, names)
    if not evening.by_itself:
        for entry in moved:
            _say(f"{time_text(local(entry.at))}  {moved_text(entry.kind, entry.body, names)}", 2)


def show_series(log: Log, number: int, *, json: bool = False) -> None:
    """Print a series and its games."""
    from tablier.screens.evenings import game_line, series_text

    evenings, names = log.evenings(), log.names()
    all_series = [each for evening in evenings for each in evening.series]
    series = _numbered(log, all_series, number, "series", len(all_series))
    games = _games_of(log, [evening for evening in evenings if series in evening.series])
    if json:
        played = [game_json(games[game], names) for game in sorted(series.played)]
        say_json({**_series_json(series, names), "games": played})
        return
    _say(series_text(series, names, games))
    for info in games.values():
        if info.id in series.played or (info.is_played and _series_of(log, info) == number):
            _say(game_line(info), 2)


def _series_of(log: Log, info: GameInfo) -> int | None:
    """Return the series that a game was begun in, whether it is over or not."""
    body = next(log.entries(info.id, "game")).body
    found: int | None = body.get("series")
    return found


def _numbered(log: Log, some: Sequence[Any], number: int, what: str, last: int) -> Any:
    for each in some:
        if each.number == number:
            return each
    about = {"path": log.path, "number": number, "last": last}
    if what == "evening":
        text = "{path}: there is no evening {number}; the evenings are 1 to {last}"
        raise CommandError(text if last else "{path} has no evening {number}: no evening has begun yet", **about)
    text = "{path}: there is no series {number}; the series are 1 to {last}"
    raise CommandError(text if last else "{path} has no series {number}: no series has begun yet", **about)


# -- standings -------------------------------------------------------------------------------------


def standings(log: Log, args: argparse.Namespace) -> None:
    """Print who has played and won how much, game by game."""
    from tablier.games import ALL_GAMES, title_of
    from tablier.log.fold import compare_names

    wanted, names = _wanted(log, args), log.names()
    two = list(wanted.people)
    if len(two) not in (0, 2):
        raise CommandError("name two people, or nobody; seen: {names}", names=args.names)
    if len(set(two)) < len(two):
        raise CommandError("{names} are one person; name two", names=all_of(args.names))
    over = [info for info in log.games() if info.ended is not None and wanted.is_in_time(info.started)]
    over = [info for info in over if wanted.is_of(info)]
    own = [info for info in over if all(info.is_own(_seat_of(info, who)) for who in two)]
    kinds = sorted({info.game for info in own})
    sections = [(kind, [info for info in own if kind in (None, info.game)]) for kind in (None, *kinds)]
    found = [(kind, games, _pair(games, names, two) if two else _everybody(games, names)) for kind, games in sections]
    if args.json:
        say_json([_section_json(*section, pair=bool(two)) for section in found])
        return
    if not over:
        say(Text("No such game has ended."))
        return
    for kind, games, rows in found if len(kinds) > 1 else found[1:]:
        title = ALL_GAMES if kind is None else Text("{game}", {"game": title_of(kind)})
        _print_section(title, games, rows, pair=bool(two), points=kind is not None)
    for text in compare_names([info._replace(seats=_of_these(info, two)) for info in own])[0]:
        _say(Text("{text}.", {"text": text}))
    if left := len(over) - len(own):
        one = "{count} game in which a bot decided for one of them is left out."
        many = "{count} games in which a bot decided for one of them are left out."
        _say(counted(left, one, many))


def _of_these(info: GameInfo, people: Sequence[str]) -> list[dict[str, Any]]:
    """Return the seats of these people; without any, all."""
    return [seat for seat in info.seats if not people or seat.get("person") in people]


def _seat_of(info: GameInfo, person: str) -> int:
    return next(number for number, seat in enumerate(info.seats, 1) if seat.get("person") == person)


def _results(info: GameInfo) -> list[tuple[bool, float]]:
    """Return of each seat of a game that is over whether it has won, and its points; 0 where the log lacks them."""
    outcome = info.outcome
    assert outcome is not None
    points = dict(enumerate(outcome.scores, 1))
    return [(seat in outcome.winners, float(points.get(seat, 0))) for seat in range(1, len(info.seats) + 1)]


class _Row(NamedTuple):
    """A person's results in some games."""

    name: str
    games: int
    won: int
    """Of two head to head: the games in which this one came before the other."""
    points: float
    """The mean; of different games it means nothing."""
    by_bot: int = 0
    """Games in which a bot decided for the person; they count for nothing else."""


def _pair(games: Sequence[GameInfo], names: Names, two: Sequence[str]) -> list[_Row]:
    """Return how often each of two came before the other, by their ranks in each game."""
    from tablier.record import ranks

    ahead, scores = dict.fromkeys(two, 0), dict.fromkeys(two, 0.0)
    for info in games:
        won, points = zip(*_results(info), strict=True)
        rank, seats = ranks(won, points), [_seat_of(info, who) for who in two]
        first, second = (rank[seat - 1] for seat in seats)
        for who, seat, is_ahead in zip(two, seats, (first < second, second < first), strict=True):
            ahead[who] += is_ahead
            scores[who] += points[seat - 1]
    count = len(games)
    return [
        _Row(names.of(who), count, ahead[who], scores[who] / count if count else 0.0)
        for who in sorted(two, key=lambda who: -ahead[who])
    ]


def _everybody(games: Sequence[GameInfo], names: Names) -> list[_Row]:
    """Return a row for everybody who has played, the most games won first."""
    played: dict[str, list[tuple[bool, float]]] = {}
    by_bots: dict[str, int] = {}
    for info in games:
        for number, (seat, result) in enumerate(zip(info.seats, _results(info), strict=True), 1):
            if (who := seat.get("person", "")) not in names.known:
                continue
            results = played.setdefault(who, [])
            if info.is_own(number):
                results.append(result)
            else:
                by_bots[who] = by_bots.get(who, 0) + 1
    rows = [
        _Row(
            names.of(who),
            len(results),
            sum(won for won, _ in results),
            sum(score for _, score in results) / len(results) if results else 0.0,
            by_bots.get(who, 0),
        )
        for who, results in played.items()
    ]
    return sorted(rows, key=lambda row: (-row.won, row.games))


def _section_json(
    kind: str | None, games: Sequence[GameInfo], rows: Sequence[_Row], *, pair: bool
) -> dict[str, object]:
    people = []
    for row in rows:
        one: dict[str, object] = {"name": row.name, "games": row.games, "ahead" if pair else "won": row.won}
        if kind is not None:
            one["points"] = row.points if row.games else None
        people.append(one if pair else one | {"by_bot": row.by_bot})
    return {"rules": kind, "games": len(games), "people": people}


def _print_section(title: Text, games: Sequence[GameInfo], rows: Sequence[_Row], *, pair: bool, points: bool) -> None:
    """Print a table; points of different games cannot be added."""
    from tablier.games.core import games_text

    say(Text("{title}: {games}", {"title": title, "games": games_text(len(games))}))
    if not rows:
        say(Text("  only bots have played"))
        return
    by_bots = any(row.by_bot for row in rows)
    heads = [
        Text("games"),
        Text("ahead") if pair else Text("won"),
        *([Text("points")] if points else []),
        *([Text("by a bot")] if by_bots else []),
    ]
    table = [["", *map(str, heads)]]
    for row in rows:
        cells = [row.name, str(row.games), str(row.won)]
        if points:
            cells.append(number_text(row.points, ".1f") if row.games else "")
        table.append([*cells, *([str(row.by_bot)] if by_bots else [])])
    for line in _columns(table):
        say(line)
    if by_bots:
        _say(Text("By a bot: games in which a bot decided for the person; they count for nothing else here."), 2)


def _columns(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield the lines of a table: the first column to the left, cut where it is too long, the others to the right."""
    from rich.cells import cell_len, set_cell_size

    from tablier.printable import printable

    cells = [[printable(cell) for cell in row] for row in rows]
    widths = [max(map(cell_len, column)) for column in zip(*cells, strict=True)]
    widths[0] = min(widths[0], COLUMNS - 2 - sum(width + 2 for width in widths[1:]))
    for first, *rest in cells:
        line = "  " + set_cell_size(first, widths[0])
        yield line + "".join(f"  {cell:>{width}}" for cell, width in zip(rest, widths[1:], strict=True))
