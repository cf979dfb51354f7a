"""``tablier log list``, ``show --evening``, ``show --series`` and ``standings``: what the log holds, game by game."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from tablier.cli.common import COLUMNS, CommandError, local, say
from tablier.texts import Text, all_of, counted

if TYPE_CHECKING:
    from datetime import date

    from tablier.cli.common import Commands
    from tablier.log import Evening, GameInfo, Log, Names


def register(actions: Commands) -> None:
    parser = actions.add_parser(
        "standings",
        help="games, wins and points of everybody, or of two against each other",
        description="Who has played how many games, won how many, and with how many points on average, game by game."
        " With two names, only the games in which both have played, and who came before the other. What a bot"
        " decided for a person does not count.",
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

    for line in wrapped(str(text), COLUMNS, " " * indent, " " * (indent + 4)):
        say(line)


# -- list ------------------------------------------------------------------------------------------


def list_evenings(log: Log, args: argparse.Namespace) -> None:
    """Print all evenings with their people, series and results."""
    from tablier.screens.evenings import is_played
    from tablier.screens.phrases import NOT_PLAYED

    games, names = {info.id: info for info in log.games()}, log.names()
    evenings = log.evenings()
    if not evenings:
        say(NOT_PLAYED)
        return
    for evening in evenings:
        if evening.alone and not is_played(games[evening.games[0]]):
            continue
        _print_evening(evening, games, names)
    if idle := [info.id for info in games.values() if not is_played(info)]:
        _say(Text("Without a move so far, and not listed: {games}.", {"games": idle}))


def _print_evening(evening: Evening, games: dict[int, GameInfo], names: Names) -> None:
    from tablier.screens.evenings import game_text, heading, is_played, series_text
    from tablier.screens.phrases import WITH

    _say(heading(evening))
    if evening.people and not evening.alone:
        _say(WITH.of(names=all_of([names.of(one) for one in evening.people])), 2)
    for series in evening.series:
        _say(series_text(series, names, games), 2)
    for number in evening.games:
        if is_played(games[number]):
            _say(game_text(games[number]), 2)


# -- an evening, a series --------------------------------------------------------------------------


def show_evening(log: Log, number: int) -> None:
    """Print an evening with all who came and went."""
    from tablier.screens.evenings import moved_text

    evenings, games, names = log.evenings(), {info.id: info for info in log.games()}, log.names()
    evening = _numbered(log, evenings, number, "evening")
    _print_evening(evening, games, names)
    if evening.alone:
        return
    for entry in log.entries(None, "came", "went"):
        if entry.body.get("evening") == number:
            _say(f"{local(entry.at):%H:%M}  {moved_text(entry.kind, entry.body, names)}", 2)


def show_series(log: Log, number: int) -> None:
    """Print a series and its games."""
    from tablier.screens.evenings import game_text, series_text

    evenings, games, names = log.evenings(), {info.id: info for info in log.games()}, log.names()
    series = _numbered(log, [each for evening in evenings for each in evening.series], number, "series")
    _say(series_text(series, names, games))
    for game in sorted(series.played):
        _say(game_text(games[game]), 2)


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
    from tablier.games import title_of
    from tablier.log.fold import compare_names

    names = log.names()
    if len(args.names) not in (0, 2):
        raise CommandError("name two people, or nobody; seen: {names}", names=args.names)
    two = [known(log, name) for name in args.names]
    if len(set(two)) < len(two):
        raise CommandError("{names} are one person; name two", names=all_of(args.names))
    over = [info for info in log.games() if info.ended is not None and _is_since(info, args.since)]
    over = [info for info in over if set(two) <= {seat.get("person") for seat in info.seats}]
    own = [info for info in over if all(info.is_own(_seat_of(info, who)) for who in two)]
    if not over:
        say(Text("No such game has ended."))
        return
    sections: list[tuple[Text, list[GameInfo]]] = [(Text("All games"), own)]
    kinds = sorted({info.game for info in own})
    sections += [
        (Text("{game}", {"game": title_of(game)}), [info for info in own if info.game == game]) for game in kinds
    ]
    for title, games in sections if len(kinds) > 1 else sections[1:]:
        points = title is not sections[0][0]  # of different games they cannot be added
        if two:
            _print_pair(title, games, names, two, points=points)
        else:
            _print_standing(title, games, names, points=points)
    for text in compare_names(own)[0]:
        _say(Text("{text}.", {"text": text}))
    if left := len(over) - len(own):
        one = "{count} game in which a bot decided for one of them is left out."
        many = "{count} games in which a bot decided for one of them are left out."
        _say(counted(left, one, many))


def _is_since(info: GameInfo, day: date | None) -> bool:
    return day is None or local(info.started).date() >= day


def _seat_of(info: GameInfo, person: str) -> int:
    return next(number for number, seat in enumerate(info.seats, 1) if seat.get("person") == person)


def _points(info: GameInfo, seat: int) -> float:
    return float((info.result or {})["scores"].get(f"p{seat}", 0))


def _won(info: GameInfo, seat: int) -> bool:
    return f"p{seat}" in (info.result or {})["winners"]


def _print_pair(title: Text, games: Sequence[GameInfo], names: Names, two: Sequence[str], *, points: bool) -> None:
    """Print how often each of two came before the other, by their ranks in each game."""
    from tablier.record import ranks

    ahead, scores = dict.fromkeys(two, 0), dict.fromkeys(two, 0.0)
    for info in games:
        seats = range(1, len(info.seats) + 1)
        rank = ranks([_won(info, seat) for seat in seats], [_points(info, seat) for seat in seats])
        first, second = (rank[_seat_of(info, who) - 1] for who in two)
        for who, is_ahead in zip(two, (first < second, second < first), strict=True):
            ahead[who] += is_ahead
            scores[who] += _points(info, _seat_of(info, who))
    _say_title(title, games)
    rows = [["", str(Text("games")), str(Text("ahead")), *([str(Text("points"))] if points else [])]]
    for who in sorted(two, key=lambda who: -ahead[who]):
        mean = [f"{scores[who] / len(games):.1f}"] if points else []
        rows.append([names.of(who), str(len(games)), str(ahead[who]), *mean])
    for line in _columns(rows):
        say(line)


def _print_standing(title: Text, games: Sequence[GameInfo], names: Names, *, points: bool) -> None:
    """Print a table of everybody who has played."""
    played: dict[str, list[tuple[bool, float]]] = {}
    by_bots: dict[str, int] = {}
    for info in games:
        for number, seat in enumerate(info.seats, 1):
            if (who := seat.get("person", "")) not in names.known:
                continue
            results = played.setdefault(who, [])
            if info.is_own(number):
                results.append((_won(info, number), _points(info, number)))
            else:
                by_bots[who] = by_bots.get(who, 0) + 1
    _say_title(title, games)
    if not played:
        say(Text("  nobody whom the log knows by name"))
        return
    heads = [
        Text("games"),
        Text("won"),
        *([Text("points")] if points else []),
        *([Text("by a bot")] if by_bots else []),
    ]
    rows = [["", *map(str, heads)]]
    for who, results in sorted(played.items(), key=lambda each: (-sum(won for won, _ in each[1]), len(each[1]))):
        row = [names.of(who), str(len(results)), str(sum(won for won, _ in results))]
        if points:
            row.append(f"{sum(score for _, score in results) / len(results):.1f}" if results else "")
        rows.append([*row, *([str(by_bots.get(who, 0))] if by_bots else [])])
    for line in _columns(rows):
        say(line)
    if by_bots:
        _say(Text("By a bot: games in which a bot decided for the person; they count for nothing else here."), 2)


def _say_title(title: Text, games: Sequence[GameInfo]) -> None:
    say(Text("{title}: {games}", {"title": title, "games": counted(len(games), "{count} game", "{count} games")}))


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
