"""``tablier play`` and ``tablier resume``: a game, at a table or without one, from the command line."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tablier.cli.common import CommandError, add_log_option, log_path, names_log, open_log, path_name, refusing, say
from tablier.cli.game import add_game_argument, add_game_option, game_options
from tablier.cli.seats import SOURCES, given_seats
from tablier.printable import printable

if TYPE_CHECKING:
    from tablier.cli.common import Commands
    from tablier.games.core import Rules
    from tablier.log import Log
    from tablier.play.chance import Sources
    from tablier.play.seats import Seat

_QUIET_S, _PACE_S = 5.0, 0.5
"""For the help, which loads no game: what questions and the keeper have, by a test."""
_END_S, _LOOK_S = 60.0, 3.0
"""The seconds that the end of a game stands on a table where people sit, and where nobody does."""
_SIMULATED = "simulated"
"""The word for ``--port`` that starts a simulated table for the game."""


def register(commands: Commands) -> None:
    play = commands.add_parser(
        "play",
        help="play a game, at this screen or at a table",
        description="Plays a game. Without --seat: you against bots in a terminal, else a demonstration. Sources of a"
        " seat: table (a person at that place of the table), screen (a person here), people or people:BOT (a simulated"
        " person at a simulated table), easy, good, strong, greedy, random (bots), bot:COMMAND (a program that speaks"
        " JSON, one value a line).",
        allow_abbrev=False,
    )
    add_game_argument(play, default="dilemma")
    play.add_argument(
        "--seat",
        metavar="NAME[@PLACE]=SOURCE",
        action="append",
        default=[],
        help=f"a seat, clockwise; once for each player. PLACE: 1 to 6 (the next one). Sources: {SOURCES}",
    )
    add_game_option(play)
    play.add_argument(
        "--dice",
        metavar="SOURCE[,SOURCE…]",
        help="where dice come from, for all seats or seat by seat: host (a seed in the log), roll (the table and the"
        " host together), tally (physical dice, entered at the table)",
    )
    play.add_argument(
        "--bag", metavar="SOURCE", help="where what is drawn from a bag or a deck comes from: host, roll, tally"
    )
    play.add_argument("--no-table", action="store_true", help="without --seat: bots, and no simulated table")
    play.add_argument(
        "--strict", action="store_true", help="not practice: what was secret or left to chance is not taken back"
    )
    play.set_defaults(run=_play)
    resume = commands.add_parser(
        "resume",
        help="resume an interrupted game",
        description="Resumes an interrupted game.",
        allow_abbrev=False,
    )
    resume.add_argument("number", metavar="NUMBER", nargs="?", type=int, help="which game (the latest unfinished one)")
    resume.set_defaults(run=_resume)
    for parser in (play, resume):
        parser.add_argument(
            "--port",
            metavar="PORT",
            type=path_name,
            help="the table's port (default: that at which the game was played, else a simulated table is started; "
            "'simulated': a new one in any case)",
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
            help=f"bots take S seconds for a move ({_PACE_S:g})",
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


# -- play ------------------------------------------------------------------------------------------------------


def _play(args: argparse.Namespace) -> int:
    from tablier.games import rules_of
    from tablier.games.core import OptionError
    from tablier.play import beginning

    if args.port == _SIMULATED:
        args.port = None
    options = game_options(args.option)
    with refusing(OptionError):
        seats = given_seats(args.game, args.seat, terminal=_is_terminal(), table=not args.no_table)
        rules = rules_of(args.game, len(seats), options)
    _check(args, rules, seats)
    people = sum(seat.is_person for seat in seats)
    practice = people == 1 and not args.strict
    with refusing(OptionError):
        sources = _sources(args, rules, seats)
    if not (args.seat or _is_terminal() or names_log(args)):
        args.log = _demonstration_log()
    return _run(
        args,
        seats,
        lambda log: beginning.begin(log, args.game, options, seats, practice=practice, sources=sources),
    )


def _demonstration_log() -> str:
    """Return a new log for a demonstration: somebody may be playing with the usual one."""
    import tempfile

    return str(Path(tempfile.mkdtemp(prefix="tablier-demonstration-")) / "tablier.db")


def _sources(args: argparse.Namespace, rules: Rules[Any], seats: Sequence[Seat]) -> Sources | None:
    """Return the sources of chance from the command line; ``None`` if it names none.

    A single source ``tally`` applies to seats at the table; the table rolls for the others.
    """
    if args.dice is None and args.bag is None:
        return None
    from tablier.play.chance import HOST, ROLL, TALLY, Sources, kinds
    from tablier.play.lights import faces_of

    dice = (args.dice or HOST).split(",")
    if len(dice) == 1:
        dice = [ROLL if dice[0] == TALLY and not seat.at_table else dice[0] for seat in seats]
    sources = Sources(tuple(dice), args.bag or HOST)
    sources.check(rules, [seat.at_table for seat in seats])
    colours = faces_of(rules.name, len(kinds(rules))) if sources.bag == TALLY else b""
    if len(set(colours)) < len(colours):  # not in the check: there are logs of such games
        raise CommandError(
            "--bag tally: {title} has {count} different draws, and a hood {most} colours; use roll or host",
            title=rules.title,
            count=len(colours),
            most=len(set(colours)),
        )
    return sources


def _resume(args: argparse.Namespace) -> int:
    from tablier.games import rules_of
    from tablier.games.core import OptionError
    from tablier.log import LogError
    from tablier.play.logged import position_of, seats_of, unfinished
    from tablier.record import RecordError

    with open_log(args, create=False) as log, refusing(LogError, OptionError):
        games = unfinished(log)
        if args.number is not None:
            game = log.game(args.number)
            if game.id not in [other.id for other in games]:
                raise CommandError(
                    "game {id} is over; 'tablier log show {id}{log}' shows it", id=game.id, log=_log_option(args)
                )
        elif games:
            game = games[-1]
        else:
            raise CommandError("{path}: every game in this log is over; 'tablier play' begins one", path=log_path(args))
        try:
            position_of(log, game)
        except RecordError as error:
            raise CommandError("{path}: game {id}: {error}", path=log_path(args), id=game.id, error=error) from None
        rules = rules_of(game.game, len(game.seats), game.options)
        seats = seats_of(game)
        if args.port is None and any(seat.at_table for seat in seats):
            args.port = _port_of(log, game.id)
    if args.port == _SIMULATED:
        args.port = None
    _check(args, rules, seats)
    return _run(args, seats, lambda _: game.id)


def _port_of(log: Log, game: int) -> str | None:
    """Return the present port of a game's table; ``None`` if the table ended with its program.

    Raise :class:`CommandError` while it is away: at another table its pending events would be lost.
    """
    from tablier.play.logged import last_table
    from tablier.table.ports import board_of, find_board

    table = last_table(log, game)
    if table is None:
        return None
    board, last = table
    port = find_board(board, last)
    if port is None and Path(last).exists() and not board_of(last):
        port = last  # a board without a serial number of its own
    if port is None:
        raise CommandError(
            "game {game} was played at table {board}, last at {port}, which is not there; plug it in, or name another: "
            "--port PORT, or --port simulated for a new simulated table",
            game=game,
            board=board,
            port=last,
        )
    return port


def _is_terminal() -> bool:
    return sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()


def _check(args: argparse.Namespace, rules: Rules[Any], seats: Sequence[Seat]) -> None:
    """Refuse impossible combinations before anything begins. Raise :class:`CommandError`."""
    from tablier.games import check_choices, game_of, plays_at_places
    from tablier.games.core import OptionError
    from tablier.play.bots import COMMAND
    from tablier.play.programs import BotError, program_of
    from tablier.table.ports import control_of

    with refusing(OptionError):
        game_of(rules.name).check()
    for seat in seats:
        if seat.source.startswith(COMMAND):
            try:
                program_of(seat.source.removeprefix(COMMAND), log_path(args))
            except BotError as error:
                raise CommandError("{name}'s program {why}", name=seat.name, why=error) from None
    here = any(seat.at_screen for seat in seats)
    if here and not args.plain and not _is_terminal():
        raise CommandError(
            "a seat is at the screen, but this is not a terminal; add --plain, or give it another source"
        )
    if not any(seat.at_table for seat in seats):
        for option in ("port", "quiet", "virtual"):
            if getattr(args, option):
                raise CommandError("--{option} needs a seat at a table; no seat of this game is at one", option=option)
        return
    if not plays_at_places(rules):
        raise CommandError(
            "at a place, {title} would show everybody what a player holds; give its seats the source screen",
            title=rules.title,
        )
    with refusing(OptionError):
        check_choices(rules)
    simulated = args.port is None or control_of(args.port) is not None
    if any(seat.simulated for seat in seats) and not simulated:
        raise CommandError("{port}: simulated people sit at a simulated table only", port=args.port)
    if args.virtual and not simulated:
        raise CommandError("{port}: only a simulated table has virtual time", port=args.port)
    if args.virtual and here:
        raise CommandError("--virtual: no seat can be at the screen in virtual time; give it another source")


# -- the table, the screen, the game -------------------------------------------------------------------------------


def _run(args: argparse.Namespace, seats: Sequence[Seat], game_of: Callable[[Log], int]) -> int:
    from tablier.games.core.parts import PartError
    from tablier.keeper import Keeper
    from tablier.log import LogError
    from tablier.play.bots import BotError
    from tablier.record import RecordError
    from tablier.screens.summary import LogName, kept_text
    from tablier.simulation.tester import TesterError
    from tablier.table.unusable import TableError

    name = LogName(printable(_shown(log_path(args))), printable(_log_option(args)))
    here = [number for number, seat in enumerate(seats, 1) if seat.at_screen]
    alone = all(seat.is_bot or seat.simulated for seat in seats)
    virtual = args.virtual or (args.port is None and alone and not sys.stdout.isatty())
    keeper = Keeper(
        seats,
        args.port,
        virtual=virtual,
        quiet_s=_QUIET_S if args.quiet is None else args.quiet,
        pace=(_PACE_S if here else 0.0) if args.pace is None else args.pace,
    )
    with refusing(BotError, LogError, RecordError, TableError, TesterError), keeper:
        if here and not args.plain:
            from tablier.screens.full import Full

            screen: Any = Full(here, name)
        else:
            from tablier.screens.line import Line

            screen = Line(here, name)
        at_table = any(seat.at_table for seat in seats)
        linger_s = (_LOOK_S if alone else _END_S) if at_table else 0.0
        game = keeper.beside(lambda: open_log(args), game_of, stay=bool(here), linger_s=linger_s)
        game.on_end = screen.leave
        console = keeper.port.connect(here, operator=True)
        try:
            summary = screen.run(console, game.start)
        finally:
            console.command({"command": "stop"})
            try:
                game.finish()
            except (PartError, BotError) as error:
                kept = kept_text(name, game.game)
                raise CommandError("{error}. {kept}", error=error.text, kept=kept) from error
    say(*(summary or kept_text(name, game.game)).split("\n"))
    return 0


def _log_option(args: argparse.Namespace) -> str:
    """Return the option with which another command finds the same log."""
    return f" --log {shlex.quote(args.log)}" if args.log else ""


def _shown(path: Path) -> str:
    """Return a path as people write it, with ``~``."""
    try:
        return f"~/{path.resolve().relative_to(Path.home())}"
    except (ValueError, RuntimeError):
        return str(path)
