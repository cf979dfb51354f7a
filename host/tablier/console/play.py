"""``tablier play`` and ``tablier resume``: a game at the table, from the command line."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tablier.console.common import CommandError, add_log_option, log_path, open_log, refusing

if TYPE_CHECKING:
    from tablier.console.common import Commands
    from tablier.play.course import Seat
    from tablier.record import Record

_NAMES = ("Anne", "Bernard", "Christine", "Daniel", "Éric", "Françoise")
_SOURCES = "table, keyboard, random or greedy"


def register(commands: Commands) -> None:
    play = commands.add_parser(
        "play",
        help="play a game at a table (a simulated one, if none is named)",
        description="Plays a game. Without --seat: you against player programs in a terminal, else a demonstration.",
        allow_abbrev=False,
    )
    play.add_argument("game", metavar="GAME", nargs="?", default="dilemma", help="which game (dilemma)")
    play.add_argument(
        "--seat",
        metavar="NAME[@PLACE]=SOURCE",
        action="append",
        default=[],
        help=f"a seat, clockwise; once for each player. Sources: {_SOURCES}",
    )
    play.add_argument("--option", metavar="KEY=VALUE", action="append", default=[], help="an option of the game")
    play.add_argument("--follow", metavar="FILE", help="player programs play the moves of this record")
    play.set_defaults(run=_play)
    resume = commands.add_parser(
        "resume", help="go on with a game that was broken off", description="Goes on with a game.", allow_abbrev=False
    )
    resume.add_argument("number", metavar="NUMBER", nargs="?", type=int, help="which game (the latest unfinished one)")
    resume.add_argument("--follow", metavar="FILE", help="player programs play the moves of this record")
    resume.set_defaults(run=_resume)
    for parser in (play, resume):
        parser.add_argument("--port", metavar="PORT", help="the table's port (default: a simulated table is started)")
        parser.add_argument(
            "--quiet", metavar="S", type=_seconds, default=5.0, help="a window closes S seconds after the last card (5)"
        )
        parser.add_argument(
            "--virtual", action="store_true", help="let a simulated table's time pass as fast as it can"
        )
        parser.add_argument("--plain", action="store_true", help="lines of text instead of a full screen")
        add_log_option(parser)


def _seconds(text: str) -> float:
    value = float(text)
    if not 1 <= value <= 60:
        raise argparse.ArgumentTypeError(f"{text} s; allowed: 1 to 60")
    return value


# -- play ------------------------------------------------------------------------------------------------------


def _play(args: argparse.Namespace) -> int:
    from tablier.games import rules_of
    from tablier.games.core import OptionError
    from tablier.play import session

    terminal = sys.stdin.isatty() and sys.stdout.isatty()
    followed = _followed(args.follow)
    seats = _seats(args, terminal, followed)
    options = _options(args.option)
    if followed:
        options = {**followed.options, **options}
    with refusing(OptionError, LookupError):
        rules_of(args.game, len(seats), options)
        session.flow_for(args.game, args.quiet)
    _check(args, seats, terminal)
    return _run(args, seats, followed, lambda log: session.begin(log, args.game, options, seats))


def _resume(args: argparse.Namespace) -> int:
    from tablier.log import LogError
    from tablier.play.conductor import seats_of

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
        seats = seats_of(log, game.id)
    _check(args, seats, sys.stdin.isatty() and sys.stdout.isatty())
    return _run(args, seats, _followed(args.follow), lambda _: game.id)


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


def _seats(args: argparse.Namespace, terminal: bool, followed: Record | None) -> list[Seat]:
    from tablier.play.course import KEYBOARD, Seat

    if not args.seat:
        if followed:
            return [Seat(name, place, "greedy") for place, name in enumerate(followed.players, 1)]
        first = Seat(_user(), 1, KEYBOARD) if terminal else Seat(_NAMES[0], 1, "greedy")
        return [first, *(Seat(name, place, "greedy") for place, name in zip((2, 4, 5), _NAMES[1:], strict=False))]
    seats: list[Seat] = []
    for given in args.seat:
        name, equals, source = given.rpartition("=")
        name, at, place = name.partition("@")
        if not equals or not name or source not in ("table", KEYBOARD, "random", "greedy"):
            raise CommandError(f"--seat {given!r}: the form is NAME=SOURCE or NAME@PLACE=SOURCE; sources: {_SOURCES}")
        number = int(place) if place.isdigit() else len(seats) + 1
        if (at and not place.isdigit()) or not 1 <= number <= 6 or (seats and number <= seats[-1].place):
            raise CommandError(f"--seat {given!r}: places are 1 to 6, and seats are named clockwise by rising places")
        seats.append(Seat(name, number, source))
    return seats


def _user() -> str:
    return os.environ.get("USER", "").capitalize() or "You"


def _options(given: list[str]) -> dict[str, Any]:
    options: dict[str, Any] = {}
    for each in given:
        key, equals, value = each.partition("=")
        if not equals:
            raise CommandError(f"--option {each!r}: the form is KEY=VALUE")
        options[key] = value
    return options


def _check(args: argparse.Namespace, seats: tuple[Seat, ...] | list[Seat], terminal: bool) -> None:
    """Refuses what cannot go well before anything is begun."""
    from tablier.table.ports import control_of

    if any(seat.at_keyboard for seat in seats) and not terminal:
        raise CommandError("a seat is at the keyboard, but this is not a terminal; give it another source")
    simulated = args.port is None or control_of(args.port) is not None
    programs = [seat.name for seat in seats if seat.source in ("random", "greedy")]
    if programs and not simulated:
        raise CommandError(f"{args.port}: {programs[0]} is a player program, and has hands only at a simulated table")
    if args.virtual and not simulated:
        raise CommandError(f"{args.port}: only a simulated table has virtual time")
    if args.virtual and any(seat.at_keyboard for seat in seats):
        raise CommandError("a seat is at the keyboard: nobody types in virtual time")


# -- the table, the screen, the game -------------------------------------------------------------------------------


def _run(args: argparse.Namespace, seats: Any, followed: Record | None, game_of: Any) -> int:
    from tablier.log import LogError
    from tablier.play.game import Setting, Stopped
    from tablier.table.client import TableError
    from tablier.table.simulated import TesterError

    here = any(seat.at_keyboard for seat in seats)
    virtual = args.virtual or (args.port is None and not sys.stdout.isatty())
    setting = Setting(args.port, virtual, args.quiet, followed.moves if followed else None)
    with refusing(LogError, TableError, TesterError):
        if here and not args.plain:
            from tablier.console.terminal import Terminal

            front: Any = Terminal(seats)
        else:
            from tablier.console.lines import Lines

            front = Lines(seats)
        with setting:
            try:
                front.run(setting, lambda: open_log(args), game_of)
            except Stopped:
                print(f"The game is kept in {_shown(log_path(args))}; 'tablier resume' goes on with it.")
                return 0
        print(front.summary(_shown(log_path(args))))
    return 0


def _shown(path: Path) -> str:
    """A path as people write it."""
    try:
        return f"~/{path.resolve().relative_to(Path.home())}"
    except (ValueError, RuntimeError):
        return str(path)
