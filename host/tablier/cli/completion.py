"""Completion in shells: of commands, options, sources, games, evenings, people, clubs and files. argcomplete has the
shells' own part."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from tablier.cli.common import CommandError, log_path, read_log
from tablier.cli.parsing import Parser, commands_of, parser_of
from tablier.texts import Failure

if TYPE_CHECKING:
    from tablier.log.store import Log

SHELLS = ("bash", "zsh", "fish")


def complete(parser: Parser) -> None:
    """Tell the shell that asks what can be typed next, and end the program."""
    from argcomplete import autocomplete

    def commands(parsed_args: argparse.Namespace, **given: Any) -> list[str]:
        try:
            inner = commands_of(parser_of(parser, getattr(parsed_args, "words", None) or ()))
        except CommandError:
            return []
        return list(inner.choices) if inner else []

    _mark(parser, {**_KINDS, "COMMAND": commands})
    autocomplete(parser, always_complete_options=False)


def _mark(parser: argparse.ArgumentParser, kinds: Mapping[object, Callable[..., list[str]]]) -> None:
    """Say of each argument what it can be, by its name: else argcomplete takes it for a file."""
    for action in parser._actions:
        if action.choices:
            continue
        kind = f"{parser.prog} {action.dest}".replace(" ", ".") if action.type is int else action.metavar
        if kind in kinds:
            action.completer = kinds[kind]  # type: ignore[attr-defined]
        elif not str(action.metavar).startswith(_FILES):
            action.completer = lambda **given: []  # type: ignore[attr-defined]
    inner = commands_of(parser)
    for each in inner.choices.values() if inner else ():
        _mark(each, kinds)


_FILES = ("FILE", "LOG", "OUT", "PATH", "PORT")
"""Names of arguments that take files begin so."""


def _games(**given: Any) -> list[str]:
    from tablier.games import GAMES

    return list(GAMES)


def _people(parsed_args: argparse.Namespace, **given: Any) -> list[str]:
    if other := getattr(parsed_args, "other", None):  # of which people are taken
        parsed_args = argparse.Namespace(log=other)
    try:
        with read_log(parsed_args) as log:
            return list(log.names().known.values())
    except CommandError:  # nobody has played yet
        return []


def _clubs(parsed_args: argparse.Namespace, **given: Any) -> list[str]:
    from tablier.cli.archive import opened

    try:
        with opened(parsed_args) as archive:
            from tablier.archive.listing import clubs

            return [club.name for club in clubs(archive)]
    except CommandError:  # nothing was added yet
        return []


def _pages(**given: Any) -> list[str]:
    from tablier.cli.contents import pages

    return list(pages())


def _sources(*others: str, prefix: str, parsed_args: argparse.Namespace, **given: Any) -> list[str]:
    """Return what may follow the name of a seat and ``=``, where that is typed already: the bots of the game, or of
    all, and other sources."""
    from tablier.games import GAMES, bots_of

    head, equals, _ = prefix.rpartition("=")
    game = getattr(parsed_args, "game", None)
    bots = dict.fromkeys(bot for name in ([game] if game else GAMES) for bot in bots_of(name))
    return [f"{head}{equals}{source}" for source in (*others, *bots, "bot:")] if equals else []


def _bots(*, prefix: str, parsed_args: argparse.Namespace, **given: Any) -> list[str]:
    """Return the bots of the game, with the name that is typed before them."""
    named = prefix if "=" in prefix else f"={prefix}"
    found = _sources(prefix=named, parsed_args=parsed_args)
    return found if "=" in prefix else [each.removeprefix("=") for each in found]


def _in_log(read: Callable[[Log], list[int]], *, parsed_args: argparse.Namespace, **given: Any) -> list[str]:
    """Return numbers that a log holds, the latest first."""
    try:
        with read_log(parsed_args) as log:
            return list(map(str, reversed(read(log))))
    except Failure:  # nobody has played yet
        return []


def _unfinished(log: Log) -> list[int]:
    from tablier.cli.running import running_games
    from tablier.play.logged import unfinished

    running = running_games(log.path)
    return [game for game in unfinished(log) if game not in running]


def _running(*, parsed_args: argparse.Namespace, **given: Any) -> list[str]:
    from tablier.cli.running import running_games

    return list(map(str, sorted(running_games(log_path(parsed_args)))))


def _open_evenings(log: Log) -> list[int]:
    return [each.number for each in log.open_evenings()]


_ALL_GAMES = partial(_in_log, lambda log: [info.id for info in log.games()])
_EVENINGS = partial(_in_log, lambda log: [each.number for each in log.evenings()])
_SERIES = partial(_in_log, lambda log: [series.number for each in log.evenings() for series in each.series])

_KINDS: dict[object, Callable[..., list[str]]] = {
    "GAME": _games,
    "NAME": _people,
    "INTO": _people,
    "CLUB": _clubs,
    "PAGE": _pages,
    "NAME[@PLACE]=SOURCE": partial(_sources, "table", "screen", "people", "people:"),
    "NAME[@PLACE]=BOT": _sources,
    "[NAME=]SOURCE": _bots,
    "LEVEL": lambda **given: [each for each in _bots(**{**given, "prefix": ""}) if each != "bot:"],
    "tablier.resume.number": partial(_in_log, _unfinished),
    "tablier.log.abandon.game": partial(_in_log, lambda log: log.open_games()),
    "tablier.attach.number": _running,
    "tablier.attach.evening": partial(_in_log, _open_evenings),
    "tablier.evening.resume": partial(_in_log, _open_evenings),
    "tablier.invite.evening": partial(_in_log, _open_evenings),
    **{f"tablier.log.{action}.game": _ALL_GAMES for action in ("show", "export", "analyse")},
    "tablier.log.show.evening": _EVENINGS,
    "tablier.log.show.series": _SERIES,
}
"""Completers of arguments, by their names; of numbers, by command and argument."""
