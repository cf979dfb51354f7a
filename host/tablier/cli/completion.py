"""Completion in shells: of commands, options, games, people, clubs and files. The shell's own part is argcomplete's."""

from __future__ import annotations

import argparse
from typing import Any

from tablier.cli.parsing import Parser, commands_of

SHELLS = ("bash", "zsh", "fish")


def complete(parser: Parser) -> None:
    """Tell the shell that asks what can be typed next, and end the program."""
    from argcomplete import autocomplete

    _mark(parser)
    autocomplete(parser, always_complete_options=False)


def _mark(parser: argparse.ArgumentParser) -> None:
    """Say of each argument what it can be: else argcomplete takes it for a file."""
    for action in parser._actions:
        if action.choices:
            continue
        if action.metavar in _KINDS and action.type is not int:
            action.completer = _KINDS[action.metavar]  # type: ignore[attr-defined]
        elif not str(action.metavar).startswith(_FILES):
            action.completer = lambda **given: []  # type: ignore[attr-defined]
    inner = commands_of(parser)
    for each in inner.choices.values() if inner else ():
        _mark(each)


_FILES = ("FILE", "LOG", "OUT", "PATH", "PORT")
"""Names of arguments that take files begin so."""


def _games(**given: Any) -> list[str]:
    from tablier.games import GAMES

    return list(GAMES)


def _people(parsed_args: argparse.Namespace, **given: Any) -> list[str]:
    from tablier.cli.common import CommandError, read_log

    if other := getattr(parsed_args, "other", None):  # of which people are taken
        parsed_args = argparse.Namespace(log=other)
    try:
        with read_log(parsed_args) as log:
            return [person.name for person in log.people()]
    except CommandError:  # nobody has played yet
        return []


def _clubs(parsed_args: argparse.Namespace, **given: Any) -> list[str]:
    from tablier.cli.archive import opened
    from tablier.cli.common import CommandError

    try:
        with opened(parsed_args) as archive:
            from tablier.archive.listing import clubs

            return [club.name for club in clubs(archive)]
    except CommandError:  # nothing was added yet
        return []


def _commands(parsed_args: argparse.Namespace, **given: Any) -> list[str]:
    from tablier.cli.common import CommandError
    from tablier.cli.main import build_parser
    from tablier.cli.parsing import parser_of

    try:
        inner = commands_of(parser_of(build_parser(), getattr(parsed_args, "words", None) or ()))
    except CommandError:
        return []
    return list(inner.choices) if inner else []


_KINDS = {"GAME": _games, "NAME": _people, "INTO": _people, "CLUB": _clubs, "COMMAND": _commands}
"""By the names of arguments: what completes them."""
