"""The game that a command plays, and its options, on the command line."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from tablier.cli.common import COLUMNS, CommandError, refusing
from tablier.texts import Text

if TYPE_CHECKING:
    from tablier.games.core import Option


def add_game_argument(parser: argparse.ArgumentParser, default: str | None = None) -> None:
    """Add ``GAME``, whose help names the installed games: they are looked up when the help is shown."""
    parser.add_argument("game", metavar="GAME", type=game_name, default=default, nargs="?" if default else None)
    plain = parser.format_help

    def format_help() -> str:
        from tablier.games import GAMES

        known = Text(
            "{games} (default: {default})" if default else "{games}", {"games": list(GAMES), "default": default}
        )
        next(action for action in parser._actions if action.dest == "game").help = str(known)
        takes_options = any(action.dest == "option" for action in parser._actions)
        return plain() + (
            "\n".join(["", str(Text("options of the games:")), *_option_lines(), ""]) if takes_options else ""
        )

    parser.format_help = format_help  # type: ignore[method-assign]


def add_of_game_option(parser: argparse._ActionsContainer) -> None:
    """Add ``--game``, by which games are chosen."""
    parser.add_argument("--game", metavar="GAME", type=game_name, help="of this game")


def options_of_games() -> Iterator[tuple[str, str, Option]]:
    """Yield each option of each game: the game's name, the option's, and the option."""
    from tablier.games import GAMES, game_class

    for game in GAMES:
        for key, option in game_class(game).OPTIONS.items():
            yield game, key, option


def _option_lines() -> Iterator[str]:
    """Yield the options of all games, as the help of a command lists them."""
    for game, key, option in options_of_games():
        yield from wrap(
            str(option.help), COLUMNS, initial_indent=f"  {f'{game}: {key}':<24}", subsequent_indent=" " * 26
        )


def game_name(text: str) -> str:
    """Return the name of the game that a text means. Raise :class:`CommandError`."""
    from tablier.games import game_called
    from tablier.games.core import OptionError

    with refusing(OptionError):
        return game_called(text)


def add_game_option(parser: argparse.ArgumentParser) -> None:
    """Add ``--option KEY=VALUE``, which :func:`game_options` reads."""
    parser.add_argument(
        "--option",
        metavar="KEY=VALUE",
        action="append",
        default=[],
        help="an option of the game; VALUE is JSON (10, true, …), a word, or @FILE for the JSON in a file",
    )


def game_options(given: Sequence[str]) -> dict[str, Any]:
    """Return the options of a game from the command line. Raise :class:`CommandError`."""
    options: dict[str, Any] = {}
    for each in given:
        key, equals, value = each.partition("=")
        if not equals or not key:
            raise CommandError("--option {each}: the form is KEY=VALUE", each=repr(each))
        if key in options:
            raise CommandError("--option {key} is given twice", key=key)
        options[key] = _option_of_file(key, value[1:]) if value.startswith("@") else _value(key, value)
    return options


def _value(key: str, text: str) -> Any:
    """Return the value of JSON, else the word itself."""
    from tablier.record import RecordError, parse_json

    try:
        return parse_json(text.encode("utf-8", "surrogateescape"))
    except RecordError as error:
        if text.lstrip().startswith(("{", "[")):
            raise CommandError("--option {key}: {error}", key=key, error=error) from None
        return text


def _option_of_file(key: str, path: str) -> Any:
    from tablier.record import RecordError, parse_json

    try:
        return parse_json(Path(path).read_bytes())
    except OSError as error:
        why: object = error.strerror or error
    except (RecordError, ValueError) as error:  # or a name that no file can have
        why = error
    raise CommandError("--option {key}: {path}: {why}", key=key, path=path, why=why)


def default_seats(game: str) -> int:
    """Return the default number of players: four if allowed."""
    from tablier.games import game_class

    counts = game_class(game).seat_counts
    return 4 if 4 in counts else counts[-1]
