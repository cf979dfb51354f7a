"""Completion in shells: of commands, options, games, people, clubs and files. The shell's own part is argcomplete's."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from typing import Any

from tablier.cli.common import CommandError, read_log
from tablier.cli.parsing import Parser, commands_of, parser_of

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
        if action.metavar in kinds and action.type is not int:
            action.completer = kinds[action.metavar]  # type: ignore[attr-defined]
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
            return [person.name for person in log.people()]
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


_KINDS: dict[object, Callable[..., list[str]]] = {"GAME": _games, "NAME": _people, "INTO": _people, "CLUB": _clubs}
"""By the names of arguments: what completes them."""
