"""The parser of the command line: options before or after their command, and errors in one line that say what may be
meant."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NoReturn

from tablier.cli.common import CommandError
from tablier.cli.game import game_name
from tablier.texts import Text, any_of, did_you_mean, language, suggest

_REQUIRED = Text("the following arguments are required: %s", context="argparse")
_ARGPARSE = (
    _REQUIRED,
    Text("usage: ", context="argparse"),
    Text("options", context="argparse"),
    Text("positional arguments", context="argparse"),
    Text("show this help message and exit", context="argparse"),
    Text("show program's version number and exit", context="argparse"),
    Text("argument %(argument_name)s: %(message)s", context="argparse"),
    Text("expected one argument", context="argparse"),
    Text("expected at least one argument", context="argparse"),
    Text("expected at most one argument", context="argparse"),
    Text("ignored explicit argument %r", context="argparse"),
    Text("invalid %(type)s value: %(value)r", context="argparse"),
    Text("not allowed with argument %s", context="argparse"),
    Text("one of the arguments %s is required", context="argparse"),
)
"""The words that people may read of :mod:`argparse` itself, which asks a function for each."""
_ADDRESS = re.compile(r"[^\s'\"]*://[^\s'\"]*")


_WORDS = frozenset(each.template for each in _ARGPARSE)


def _word(template: str) -> str:
    """Return words of argparse in the reader's language; what a command says itself is translated by itself."""
    return language().find("argparse", template) if template in _WORDS else template


argparse._ = _word  # type: ignore[attr-defined]


class Parser(argparse.ArgumentParser):
    """The parser of every command: no abbreviations, and words of the reader's language."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**{"allow_abbrev": False, **settings})
        self._translated = False

    def translate(self) -> None:
        """Say in the reader's language what this parser is for. Its commands do so when they are used themselves: a
        start shows one of them at most."""
        if self._translated:
            return
        self._translated = True
        read = language()

        def said(words: str | None, context: str = "help") -> str | None:
            return read.find(context, words) if words and words != argparse.SUPPRESS else words

        self.description, self.epilog = said(self.description), said(self.epilog)
        for group in self._action_groups:
            group.title = f"{said(group.title)}{read.find('colon', ':')}".removesuffix(":")  # argparse adds one
        for action in self._actions:
            action.help = said(action.help)
            if isinstance(action.metavar, str):
                action.metavar = said(action.metavar, "argument")
            if isinstance(action, argparse._SubParsersAction):
                for each in action._choices_actions:
                    each.help = said(each.help)

    def format_help(self) -> str:
        self.translate()
        return super().format_help()

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        self.translate()  # errors name arguments
        return super().parse_known_args(args, namespace)

    def error(self, message: str) -> NoReturn:
        missing = message.partition(_word(_REQUIRED.template).partition("%s")[0])[2].split(", ")
        for action in self._actions:
            if action.metavar in missing and (known := _known(action)):
                about = {"message": message, "name": action.metavar, "known": known}
                raise _error(self, Text("{message}; {name} is one of {known}", about))
        raise _error(self, Text("{message}", {"message": message}))

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        words = in_order(self, sys.argv[1:] if args is None else list(args))
        found, rest = self.parse_known_args(words, namespace)
        if rest:
            raise self._unknown(found, rest)
        return found

    def _unknown(self, found: argparse.Namespace, rest: Sequence[str]) -> CommandError:
        """Return the error about words that the command does not take."""
        used: argparse.ArgumentParser = self
        while (inner := commands_of(used)) is not None and getattr(found, inner.dest, None) is not None:
            used = inner.choices[getattr(found, inner.dest)]
        option = next((word.partition("=")[0] for word in rest if word.startswith("-")), None)
        if option is not None:
            return _no_option(used, option, used._option_string_actions)
        about: dict[str, Any] = {"prog": used.prog, "words": list(map(repr, rest)), "path": rest[0]}
        if len(rest) == 1 and "--log" in used._option_string_actions and Path(rest[0]).is_file():
            return _error(used, Text("{prog} takes no {words}; a log is named by --log {path}", about))
        return _error(used, Text("{prog} takes no {words}", about))

    def _get_value(self, action: argparse.Action, arg_string: str) -> Any:
        if action.type is int:
            try:
                return int(arg_string)
            except ValueError:
                text = Text("{seen} is not a whole number", {"seen": repr(arg_string)})
                raise argparse.ArgumentError(action, str(text)) from None
        return super()._get_value(action, arg_string)

    def _within(self, word: str) -> list[str]:
        """Return the commands that have one of this name: ``log list`` for ``list``."""
        found = []
        for name, parser in (commands.choices if (commands := commands_of(self)) else {}).items():
            inner = commands_of(parser)
            if inner is not None and word in inner.choices:
                found.append(f"'{self.prog} {name} {word}'")
        return found

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is None or value in action.choices:
            return
        known = list(action.choices)
        about = {"prog": self.prog, "seen": repr(value), "known": known}
        if not isinstance(action, argparse._SubParsersAction):
            name = action.option_strings[0] if action.option_strings else str(action.metavar)
            raise _error(self, Text("{name} {seen}: allowed: {known}", {**about, "name": name}))
        unknown = Text("{prog} has no command {seen}", about)
        near = suggest(unknown, str(value), known)
        if words := self._within(str(value)):
            near = did_you_mean(unknown, any_of(words))
        raise _error(self, Text("{prog} has no command {seen}; there are: {known}", about) if near is unknown else near)


def _known(action: argparse.Action) -> list[str]:
    """Return what an argument can be, where that is known."""
    if action.type is game_name:
        from tablier.games import GAMES

        return list(GAMES)
    return list(map(str, action.choices or ()))


def _error(parser: argparse.ArgumentParser, text: Text) -> CommandError:
    """Return the error of a command about how it was called. It quotes no address: there may be a password in it."""
    if _ADDRESS.search(said := str(text)):
        text = Text("{message}", {"message": _ADDRESS.sub("…", said)})
    return CommandError("{text} (try '{prog} --help')", text=text, prog=parser.prog)


def _no_option(parser: argparse.ArgumentParser, option: str, known: Iterable[str]) -> CommandError:
    """Return the error about an option that a command does not have."""
    text = Text("{prog} has no option {option}", {"prog": parser.prog, "option": repr(option)})
    return _error(parser, suggest(text, option, known))


def commands_of(parser: argparse.ArgumentParser) -> argparse._SubParsersAction[argparse.ArgumentParser] | None:
    """Return the commands of a parser; ``None`` where it has none."""
    return next((each for each in parser._actions if isinstance(each, argparse._SubParsersAction)), None)


def parser_of(parser: argparse.ArgumentParser, words: Iterable[str]) -> argparse.ArgumentParser:
    """Return the parser of the command that some words name. Raise :class:`CommandError`."""
    for word in words:
        inner = commands_of(parser)
        if inner is None:
            raise CommandError("{prog} has no commands of its own, such as {seen}", prog=parser.prog, seen=repr(word))
        parser._check_value(inner, word)
        parser = inner.choices[word]
    return parser


def in_order(parser: argparse.ArgumentParser, words: Sequence[str]) -> list[str]:
    """Return the words of a command line with each command before its options, which people may also write first."""
    inner = commands_of(parser)
    if inner is None:
        return list(words)
    for at, word in enumerate(words):
        if word == "--":
            break
        if word in inner.choices and (split := _split(parser, inner.choices[word], words[:at])) is not None:
            own, moved = split
            rest = words[at + 1 :]
            if commands_of(inner.choices[word]) is None and "--" not in rest:  # a list of values would take more of it
                return [*own, word, *rest, *moved]
            return [*own, word, *in_order(inner.choices[word], [*moved, *rest])]
    first = words[0].partition("=")[0] if words else ""
    if first.startswith("-") and len(first) > 1 and first not in (known := _reachable(parser)):
        raise _no_option(parser, first, known)
    return list(words)


def _split(
    parser: argparse.ArgumentParser, inner: argparse.ArgumentParser, words: Sequence[str]
) -> tuple[list[str], list[str]] | None:
    """Return words before a command as those of the parser itself and those of the command; ``None`` if they are not
    options of either, each with its value."""
    own: list[str] = []
    moved: list[str] = []
    theirs, rest = _reachable(inner), list(words)
    while rest:
        name, equals, _ = rest[0].partition("=")
        action = theirs.get(name) or parser._option_string_actions.get(name)
        if action is None:
            return None
        count = 1 if equals or action.nargs == 0 else 2
        while action.nargs == "+" and count < len(rest) and not rest[count].startswith("-"):
            count += 1
        if len(rest) < count:
            return None
        (moved if name in theirs else own).extend(rest[:count])
        del rest[:count]
    return own, moved


def _reachable(parser: argparse.ArgumentParser) -> dict[str, argparse.Action]:
    """Return the options of a parser and of all its commands, by their names."""
    inner = commands_of(parser)
    found: dict[str, argparse.Action] = {}
    for each in inner.choices.values() if inner else ():
        found |= _reachable(each)
    return found | parser._option_string_actions
