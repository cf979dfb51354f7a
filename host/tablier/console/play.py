"""``tablier play`` and ``tablier resume``: a game, at a table or without one, from the command line."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tablier.console.common import CommandError, add_log_option, log_path, open_log, path_name, refusing

if TYPE_CHECKING:
    from tablier.console.common import Commands
    from tablier.games.core import Rules
    from tablier.log import Log
    from tablier.play.course import Seat
    from tablier.record import Record

NAMES = ("Anne", "Bernard", "Christine", "Daniel", "Éric", "Françoise")
_PLACES = (1, 2, 4, 5, 6)
_SOURCES = "table, keyboard, random or greedy"
_AT_TABLES = ("dilemma",)
"""The games that are played at a table if nothing else is said."""
_QUIET_S, _PACE_S = 5.0, 0.5


def register(commands: Commands) -> None:
    play = commands.add_parser(
        "play",
        help="play a game: Dilemma at a table (a simulated one, if none is named), any game without one",
        description="Plays a game. Without --seat: you against player programs in a terminal, else a demonstration.",
        allow_abbrev=False,
    )
    add_game_argument(play, default="dilemma")
    play.add_argument(
        "--seat",
        metavar="NAME[@PLACE]=SOURCE",
        action="append",
        default=[],
        help=f"a seat, clockwise; once for each player. Sources: {_SOURCES}",
    )
    add_game_option(play)
    play.add_argument("--no-table", action="store_true", help="without a table: at the keyboard alone")
    play.set_defaults(run=_play)
    resume = commands.add_parser(
        "resume", help="go on with a game that was broken off", description="Goes on with a game.", allow_abbrev=False
    )
    resume.add_argument("number", metavar="NUMBER", nargs="?", type=int, help="which game (the latest unfinished one)")
    resume.set_defaults(run=_resume)
    for parser in (play, resume):
        parser.add_argument(
            "--follow", metavar="FILE", type=path_name, help="player programs at a table play this record's moves"
        )
        parser.add_argument(
            "--port", metavar="PORT", type=path_name, help="the table's port (default: a simulated table is started)"
        )
        parser.add_argument(
            "--quiet",
            metavar="S",
            type=_seconds(1, 60),
            help=f"at a table: a window closes S seconds after the last card ({_QUIET_S:g})",
        )
        parser.add_argument(
            "--virtual", action="store_true", help="let a simulated table's time pass as fast as it can"
        )
        parser.add_argument(
            "--pace",
            metavar="S",
            type=_seconds(0, 60),
            help=f"without a table: player programs take S seconds for a move ({_PACE_S:g})",
        )
        parser.add_argument("--plain", action="store_true", help="lines of text instead of a full screen")
        add_log_option(parser)


def _seconds(least: float, most: float) -> Callable[[str], float]:
    def seconds(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = -1
        if not least <= value <= most:
            raise argparse.ArgumentTypeError(f"{text!r}; allowed: {least:g} to {most:g} seconds")
        return value

    return seconds


def add_game_argument(parser: argparse.ArgumentParser, default: str | None = None) -> None:
    """Adds ``GAME``, whose help names the installed games: they are looked up when the help is shown."""
    parser.add_argument("game", metavar="GAME", default=default, nargs="?" if default else None)
    plain = parser.format_help

    def format_help() -> str:
        from tablier.games import GAMES

        also = f" (default: {default})" if default else ""
        next(action for action in parser._actions if action.dest == "game").help = f"{', '.join(GAMES)}{also}"
        return plain()

    parser.format_help = format_help  # type: ignore[method-assign]


def add_game_option(parser: argparse.ArgumentParser) -> None:
    """Adds ``--option KEY=VALUE``, which :func:`game_options` reads."""
    parser.add_argument(
        "--option",
        metavar="KEY=VALUE",
        action="append",
        default=[],
        help="an option of the game; VALUE is JSON (10, true, …), a word, or @FILE for the JSON in a file",
    )


def game_options(given: Sequence[str]) -> dict[str, Any]:
    """The options of a game as the command line gives them."""
    options: dict[str, Any] = {}
    for each in given:
        key, equals, value = each.partition("=")
        if not equals or not key:
            raise CommandError(f"--option {each!r}: the form is KEY=VALUE")
        if key in options:
            raise CommandError(f"--option {key} is given twice")
        options[key] = _option_of_file(key, value[1:]) if value.startswith("@") else _value(value)
    return options


def _value(text: str) -> Any:
    """JSON where it is JSON, else the word itself."""
    import json

    try:
        return json.loads(text, parse_constant=lambda _: text)
    except (ValueError, RecursionError):
        return text


def _option_of_file(key: str, path: str) -> Any:
    import json

    try:
        return json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise CommandError(f"--option {key}: {path}: {error.strerror or error}") from None
    except (ValueError, RecursionError) as error:
        raise CommandError(f"--option {key}: {path}: not JSON: {error}") from None


def default_seats(game: str) -> int:
    """How many play when nobody says it: four where that is allowed."""
    from tablier.games import game_class

    counts = game_class(game).seat_counts
    return 4 if 4 in counts else counts[-1]


# -- play ------------------------------------------------------------------------------------------------------


def _play(args: argparse.Namespace) -> int:
    from tablier.games import rules_of
    from tablier.games.core import OptionError
    from tablier.play import session

    terminal = _is_terminal()
    followed = _followed(args.follow)
    tableless = args.no_table or (args.game not in _AT_TABLES and args.port is None)
    options = game_options(args.option)
    with refusing(OptionError, LookupError):
        seats = _seats(args, terminal, followed, tableless)
        if followed:
            options = {**followed.options, **options}
        rules = rules_of(args.game, len(seats), options)
        if not tableless:
            session.flow_for(args.game, _QUIET_S)
    if followed:
        _check_followed(args.follow, followed, rules, ())
    _check(args, seats, terminal, tableless)
    return _run(args, seats, tableless, followed, lambda log: session.begin(log, args.game, options, seats))


def _resume(args: argparse.Namespace) -> int:
    from tablier.games import rules_of
    from tablier.games.core import OptionError
    from tablier.log import LogError
    from tablier.play import session
    from tablier.play.conductor import seats_of
    from tablier.play.tableless import at_no_table
    from tablier.record import RecordError

    with open_log(args, create=False) as log:
        with refusing(LogError):
            unfinished = log.unfinished()
            if args.number is not None:
                game = log.game(args.number)
                if game.id not in [other.id for other in unfinished]:
                    raise CommandError(f"game {game.id} is over; 'tablier log show {game.id}' tells it")
            elif unfinished:
                game = unfinished[-1]
            else:
                raise CommandError(f"{log_path(args)}: every game in this log is over; 'tablier play' begins one")
            try:
                session.position_of(log, game)
            except RecordError as error:
                raise CommandError(f"{log_path(args)}: game {game.id}: {error}") from None
            followed = _followed(args.follow)
            if followed:
                with refusing(OptionError):
                    rules = rules_of(game.game, len(game.seats), game.options)
                _check_followed(args.follow, followed, rules, log.moves(game.id))
        seats, tableless = seats_of(log, game.id), at_no_table(game)
    _check(args, seats, _is_terminal(), tableless)
    return _run(args, seats, tableless, followed, lambda _: game.id)


def _is_terminal() -> bool:
    return sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()


def _followed(path: str | None) -> Record | None:
    """The one record of a file. Its moves are replayed first: a table must not be led into an illegal game."""
    if path is None:
        return None
    from tablier.record import RecordError, replay_file

    with refusing(RecordError):
        records = [record for record, _ in replay_file(path)]
    if len(records) != 1:
        raise CommandError(f"{path}: {len(records)} records; --follow takes a file with one")
    return records[0]


def _check_followed(path: str, followed: Record, rules: Rules[Any], played: Sequence[str]) -> None:
    """Refuses a record that is of another game than the one that is played, or has gone on otherwise."""
    theirs = followed.rules()
    if theirs.name != rules.name:
        raise CommandError(f"{path}: a game of {theirs.title}; this is one of {rules.title}")
    if theirs.seats != rules.seats:
        raise CommandError(f"{path}: {theirs.seats} players; in this game there are {rules.seats}")
    if theirs.options != rules.options:
        raise CommandError(f"{path}: its options are {theirs.options}; those of this game are {rules.options}")
    # A table tells the throws of a window in an order of its own.
    if sorted(followed.moves[: len(played)]) != sorted(played):
        raise CommandError(f"{path}: another game: the {len(played)} moves that were made here are not its first")


def _seats(args: argparse.Namespace, terminal: bool, followed: Record | None, tableless: bool) -> list[Seat]:
    from tablier.games import bots_of
    from tablier.play.bots import default_bot
    from tablier.play.course import KEYBOARD, Seat

    if not args.seat:
        if followed:
            return [Seat(name, place, default_bot(args.game)) for place, name in enumerate(followed.players, 1)]
        count = default_seats(args.game)
        first = _user() if terminal else NAMES[0]
        bot = default_bot(args.game)
        sources = [KEYBOARD if terminal else bot] + [bot] * (count - 1)
        places = [0] * count if tableless else _PLACES
        names = [first, *(name for name in NAMES[1:] if name != first)]
        return [Seat(*seat) for seat in zip(names, places, sources, strict=False)]
    allowed = ("table", KEYBOARD, *bots_of(args.game))
    seats: list[Seat] = []
    for given in args.seat:
        name, equals, source = given.rpartition("=")
        name, at, place = name.partition("@")
        if not equals or not name or source not in allowed:
            raise CommandError(
                f"--seat {given!r}: the form is NAME=SOURCE or NAME@PLACE=SOURCE; sources: {', '.join(allowed)}"
            )
        if tableless:
            if at or source == "table":
                raise CommandError(f"--seat {given!r}: {args.game} is played without a table here, so is every seat")
            seats.append(Seat(name, 0, source))
            continue
        number = int(place) if place.isascii() and place.isdigit() else 0 if at else len(seats) + 1
        if not 1 <= number <= 6 or (seats and number <= seats[-1].place):
            raise CommandError(f"--seat {given!r}: places are 1 to 6, and seats are named clockwise by rising places")
        seats.append(Seat(name, number, source))
    return seats


def _user() -> str:
    """Whoever is logged in. Not "You": the game tells in the third person what everybody does."""
    from getpass import getuser

    try:
        return getuser().capitalize()
    except (KeyError, OSError):  # nobody by that number
        return "Guest"


def _check(args: argparse.Namespace, seats: Sequence[Seat], terminal: bool, tableless: bool) -> None:
    """Refuses what cannot go well before anything is begun."""
    here = [seat.name for seat in seats if seat.at_keyboard]
    if here and not terminal:
        raise CommandError("a seat is at the keyboard, but this is not a terminal; give it another source")
    if here and args.plain:
        raise CommandError(
            "--plain only tells what happens, and nobody can type; leave it out for a seat at the keyboard"
        )
    if tableless:
        for option in ("port", "quiet", "virtual", "follow"):
            if getattr(args, option):
                raise CommandError(f"--{option} is for a game at a table, and this one is played without")
        return
    _check_table(args, seats, bool(here))


def _check_table(args: argparse.Namespace, seats: Sequence[Seat], here: bool) -> None:
    from tablier.table.ports import control_of

    if args.pace is not None:
        raise CommandError("--pace is for a game without a table, and this one is played at one")
    simulated = args.port is None or control_of(args.port) is not None
    programs = [seat.name for seat in seats if seat.source in ("random", "greedy")]
    if programs and not simulated:
        raise CommandError(f"{args.port}: {programs[0]} is a player program, and has hands only at a simulated table")
    if args.virtual and not simulated:
        raise CommandError(f"{args.port}: only a simulated table has virtual time")
    if args.virtual and here:
        raise CommandError("a seat is at the keyboard: nobody types in virtual time")


# -- the table, the screen, the game -------------------------------------------------------------------------------


def _run(
    args: argparse.Namespace,
    seats: Sequence[Seat],
    tableless: bool,
    followed: Record | None,
    game_of: Callable[[Log], int],
) -> int:
    from tablier.play.game import Stopped

    path = _shown(log_path(args))
    try:
        summary = (
            _run_without(args, seats, game_of, path)
            if tableless
            else _run_at_table(args, seats, followed, game_of, path)
        )
    except Stopped:
        print(f"The game is kept in {path}; 'tablier resume' goes on with it.")
    else:
        print(summary)
    return 0


def _run_without(args: argparse.Namespace, seats: Sequence[Seat], game_of: Callable[[Log], int], path: str) -> str:
    from tablier.log import LogError

    with refusing(LogError, ValueError), open_log(args) as log:
        from tablier.play.tableless import Tableless

        if any(seat.at_keyboard for seat in seats):
            from tablier.console.tableless import TablelessTerminal

            screen = TablelessTerminal(seats, _PACE_S if args.pace is None else args.pace)
            screen.run(Tableless.take_up(log, game_of(log), screen), path)
            return screen.summary(path)
        from tablier.console.lines import Lines

        lines = Lines(seats)
        lines.tell(Tableless.take_up(log, game_of(log), lines))
        return lines.summary(path)


def _run_at_table(
    args: argparse.Namespace,
    seats: Sequence[Seat],
    followed: Record | None,
    game_of: Callable[[Log], int],
    path: str,
) -> str:
    from tablier.log import LogError
    from tablier.play.game import Setting
    from tablier.record import RecordError
    from tablier.table.client import TableError
    from tablier.table.tester import TesterError

    virtual = args.virtual or (args.port is None and not sys.stdout.isatty())
    quiet = _QUIET_S if args.quiet is None else args.quiet
    setting = Setting(args.port, virtual, quiet, followed.moves if followed else None)
    with refusing(LogError, RecordError, TableError, TesterError):
        if any(seat.at_keyboard for seat in seats):
            from tablier.console.terminal import Terminal

            front: Any = Terminal(seats)
        else:
            from tablier.console.lines import Lines

            front = Lines(seats)
        with setting:
            setting.check(seats)
            front.run(setting, lambda: open_log(args), game_of)
        return str(front.summary(path))


def _shown(path: Path) -> str:
    """A path as people write it."""
    try:
        return f"~/{path.resolve().relative_to(Path.home())}"
    except (ValueError, RuntimeError):
        return str(path)
