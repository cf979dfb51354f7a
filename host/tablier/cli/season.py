"""``tablier log list``, ``show --evening``, ``show --series`` and ``standings``: what the log holds, game by game."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from tablier.cli.common import CommandError, local, say
from tablier.texts import Text, all_of, counted

if TYPE_CHECKING:
    from datetime import date

    from tablier.cli.common import Commands
    from tablier.log import Evening, GameInfo, Log, Names, Series

_WIDTH = 80


def register(actions: Commands) -> None:
    parser = actions.add_parser(
        "standings",
        help="games, wins and points of everybody, or of two against each other",
        description="Who has played how many games, won how many, and with how many points on average, game by game."
        " With two names, only the games in which both have played.",
    )
    parser.add_argument("names", metavar="NAME", nargs="*", help="two people, head to head (default: everybody)")
    parser.add_argument("--since", metavar="DATE", type=_date, help="games from this day on, such as 2026-01-31")


def _date(text: str) -> date:
    from datetime import date

    try:
        return date.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no day; one is 2026-01-31") from None


def _say(text: Text | str, indent: int = 0) -> None:
    """Print a text in lines that fit 80 columns."""
    from tablier.screens.paper import wrapped

    for line in wrapped(str(text), _WIDTH, " " * indent, " " * (indent + 4)):
        say(line)


def moves(count: int) -> Text:
    """Return a number of moves."""
    return counted(count, "{count} move", "{count} moves")


def outcome(info: GameInfo) -> Text:
    """Return how a game has ended, or that it is running."""
    if info.ended is None:
        return Text("running")
    return Text("won by {names}", {"names": all_of(info.winners)}) if info.winners else Text("won by nobody")


# -- list ------------------------------------------------------------------------------------------


def list_evenings(log: Log, args: argparse.Namespace) -> None:
    """Print all evenings with their people, series and results."""
    games, names = {info.id: info for info in log.games()}, log.names()
    evenings = log.evenings()
    if not evenings:
        say(Text("No game was played yet."))
        return
    for evening in evenings:
        if evening.alone and not _is_played(games[evening.games[0]]):
            continue
        _print_evening(evening, games, names)
    if idle := [info.id for info in games.values() if not _is_played(info)]:
        _say(Text("Without a move so far, and not listed: {games}.", {"games": idle}))


def _is_played(info: GameInfo) -> bool:
    return info.ended is not None or info.moves > 0


def _print_evening(evening: Evening, games: dict[int, GameInfo], names: Names) -> None:
    _say(_heading(evening))
    if evening.people and not evening.alone:
        _say(Text("with {names}", {"names": all_of([names.of(one) for one in evening.people])}), 2)
    for series in evening.series:
        _say(_series(series, names), 2)
    for number in evening.games:
        if _is_played(games[number]):
            _say(_game(games[number]), 2)


def _heading(evening: Evening) -> Text:
    began = local(evening.began)
    about = {"evening": evening.number, "date": f"{began:%Y-%m-%d}", "from": f"{began:%H:%M}", "table": evening.table}
    if evening.alone:
        return Text("Evening {evening}, {date}", about)
    if evening.ended is None:
        return Text("Evening {evening}, {date}, open since {from}", about)
    return Text("Evening {evening}, {date}, {from} to {to}", {**about, "to": f"{local(evening.ended):%H:%M}"})


def _series(series: Series, names: Names) -> Text:
    about = {
        "series": series.number,
        "games": list(dict.fromkeys(series.games)),
        "wins": series.wins,
        "count": series.count,
        "standing": _wins(series, names),
    }
    if series.wins and series.over:
        return Text("Series {series}, {games}, first to {wins} wins, over: {standing}", about)
    if series.wins:
        return Text("Series {series}, {games}, first to {wins} wins: {standing}", about)
    if series.over:
        return Text("Series {series}, {games}, of {count} games, over: {standing}", about)
    return Text("Series {series}, {games}, of {count} games: {standing}", about)


def _wins(series: Series, names: Names) -> list[Text] | Text:
    """Return who has won how many games of a series, the most first."""
    won = sorted(series.standings.items(), key=lambda each: -each[1])
    told = [Text("{name} {wins}", {"name": names.of(person), "wins": wins}) for person, wins in won]
    return told or Text("no person has won yet")


def _game(info: GameInfo) -> Text:
    at = {"id": info.id, "at": f"{local(info.started):%H:%M}", "game": info.game}
    about = {**at, "moves": moves(info.moves), "outcome": outcome(info), "who": _scores(info)}
    return Text("{id}  {at}  {game}  {who}: {moves}, {outcome}", about)


def _scores(info: GameInfo) -> list[Any]:
    """Return the players of a game, with their scores where it has ended."""
    scores = (info.result or {}).get("scores", {})
    return [
        Text("{name} {score}", {"name": name, "score": scores[seat]}) if seat in scores else name
        for seat, name in ((f"p{number}", name) for number, name in enumerate(info.names, 1))
    ]


# -- an evening, a series --------------------------------------------------------------------------


def show_evening(log: Log, number: int) -> None:
    """Print an evening with all who came and went."""
    evenings, games, names = log.evenings(), {info.id: info for info in log.games()}, log.names()
    evening = _numbered(log, evenings, number, "evening")
    _print_evening(evening, games, names)
    if evening.alone:
        return
    for entry in log.entries():
        if entry.body.get("evening") == number and entry.kind in ("came", "went"):
            _say(f"{local(entry.at):%H:%M}  {_moved(entry.kind, entry.body, names)}", 2)


def _moved(kind: str, body: dict[str, Any], names: Names) -> Text:
    about = {"name": names.of(body["person"]), "place": body.get("place")}
    if kind == "went":
        return Text("{name} went", about)
    return Text("{name} came, to place {place}", about) if body["place"] else Text("{name} came", about)


def show_series(log: Log, number: int) -> None:
    """Print a series and its games."""
    evenings, games, names = log.evenings(), {info.id: info for info in log.games()}, log.names()
    series = _numbered(log, [each for evening in evenings for each in evening.series], number, "series")
    _say(_series(series, names))
    for game in sorted(series.played):
        _say(_game(games[game]), 2)


def _numbered(log: Log, all_: Sequence[Any], number: int, what: str) -> Any:
    for each in all_:
        if each.number == number:
            return each
    about = {"path": log.path, "number": number, "last": len(all_)}
    if what == "evening":
        text = "{path}: there is no evening {number}; the evenings are 1 to {last}"
        raise CommandError(text if all_ else "{path}: there is no evening {number}; there was none yet", **about)
    text = "{path}: there is no series {number}; the series are 1 to {last}"
    raise CommandError(text if all_ else "{path}: there is no series {number}; there was none yet", **about)


# -- standings -------------------------------------------------------------------------------------


def standings(log: Log, args: argparse.Namespace) -> None:
    """Print who has played and won how much, game by game."""
    from tablier.cli.people import known

    names = log.names()
    if len(args.names) not in (0, 2):
        raise CommandError("name two people, or nobody; seen: {names}", names=args.names)
    two = [known(log, name) for name in args.names]
    if len(set(two)) < len(two):
        raise CommandError("{names} are one person; name two", names=all_of(args.names))
    over = [info for info in log.games() if info.ended is not None and _is_since(info, args.since)]
    over = [info for info in over if set(two) <= {seat.get("person") for seat in info.seats}]
    if not over:
        say(Text("No such game has ended."))
        return
    sections: list[tuple[Text, list[GameInfo]]] = [(Text("All games"), over)]
    kinds = sorted({info.game for info in over})
    sections += [(Text("{game}", {"game": game}), [info for info in over if info.game == game]) for game in kinds]
    for title, games in sections if len(kinds) > 1 else sections[1:]:
        _print_standing(title, games, names, two, points=title is not sections[0][0])


def _is_since(info: GameInfo, day: date | None) -> bool:
    return day is None or local(info.started).date() >= day


def _print_standing(title: Text, games: list[GameInfo], names: Names, two: list[str], *, points: bool) -> None:
    """Print a table of everybody who has played; of different games points cannot be added."""
    played: dict[str, list[tuple[bool, float]]] = {}
    for info in games:
        result = info.result or {}
        for number, seat in enumerate(info.seats, 1):
            if (who := seat.get("person", "")) in (two or names.known):
                won, score = f"p{number}" in result["winners"], result["scores"].get(f"p{number}", 0)
                played.setdefault(who, []).append((won, score))
    say(Text("{title}: {games}", {"title": title, "games": counted(len(games), "{count} game", "{count} games")}))
    if not played:
        say(Text("  nobody whom the log knows by name"))
        return
    rows = [["", str(Text("games")), str(Text("won")), *([str(Text("points"))] if points else [])]]
    for who, results in sorted(played.items(), key=lambda each: (-sum(won for won, _ in each[1]), len(each[1]))):
        mean = sum(score for _, score in results) / len(results)
        row = [names.of(who), str(len(results)), str(sum(won for won, _ in results))]
        rows.append([*row, *([f"{mean:.1f}"] if points else [])])
    for line in _columns(rows):
        say(line)


def _columns(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield the lines of a table: the first column to the left, cut where it is too long, the others to the right."""
    from rich.cells import cell_len, set_cell_size

    from tablier.printable import printable

    cells = [[printable(cell) for cell in row] for row in rows]
    widths = [max(map(cell_len, column)) for column in zip(*cells, strict=True)]
    widths[0] = min(widths[0], _WIDTH - 2 - sum(width + 2 for width in widths[1:]))
    for first, *rest in cells:
        line = "  " + set_cell_size(first, widths[0])
        yield line + "".join(f"  {cell:>{width}}" for cell, width in zip(rest, widths[1:], strict=True))
