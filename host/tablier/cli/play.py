"""``tablier play`` and ``tablier resume``: a game, at a table or without one, from the command line."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tablier.cli.common import (
    CommandError,
    add_log_option,
    add_virtual_option,
    is_terminal,
    kept_log,
    log_path,
    names_log,
    path_name,
    read_log,
    refusing,
    say,
)
from tablier.cli.game import add_game_argument, add_game_option, game_options
from tablier.cli.loading import loading
from tablier.cli.running import running_games
from tablier.cli.seats import SOURCES, given_seats
from tablier.cli.showing import PACE_S, add_card_option, add_screen_options, add_web_option, show_game, shows_full
from tablier.cli.signals import Signals, fatal_interrupt
from tablier.messages import Listing, Opened
from tablier.texts import Text
from tablier.usual import log_option

if TYPE_CHECKING:
    from tablier.cli.browser import Browser
    from tablier.cli.common import Commands
    from tablier.course.chance import Sources
    from tablier.course.seats import Seat
    from tablier.games.core import Rules
    from tablier.keeper.client import Link
    from tablier.log.store import Log
    from tablier.texts import Json

_QUIET_S = 5.0
"""For the help, which loads no game: what questions and the keeper have, by a test."""


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
        help=str(
            Text(
                "a seat, clockwise; once for each player. PLACE: 1 to 6 (the next one). Sources: {sources} or"
                " bot:COMMAND",
                {"sources": list(SOURCES)},
                context="help",
            )
        ),
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
    play.add_argument(
        "--no-browser",
        action="store_true",
        help="open no browser, as is done for a simulated table where this terminal has a display",
    )
    add_card_option(play)
    play.set_defaults(run=partial(prepared, _play))
    resume = commands.add_parser(
        "resume",
        help="resume an interrupted game",
        description="Resumes an interrupted game.",
        allow_abbrev=False,
    )
    resume.add_argument("number", metavar="NUMBER", nargs="?", type=int, help="which game (the latest unfinished one)")
    resume.set_defaults(run=partial(prepared, _resume))
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
            help=str(
                Text(
                    "at a table: a window closes S seconds after the last card ({seconds})",
                    {"seconds": f"{_QUIET_S:g}"},
                    context="help",
                )
            ),
        )
        add_virtual_option(parser)
        parser.add_argument(
            "--pace",
            metavar="S",
            type=_seconds(0, 60),
            help=str(Text("bots take S seconds for a move ({seconds})", {"seconds": f"{PACE_S:g}"}, context="help")),
        )
        add_screen_options(parser)
        add_web_option(parser)
        add_log_option(parser)


def _seconds(least: float, most: float) -> Callable[[str], float]:
    def seconds(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = -1
        if not least <= value <= most:
            about = {"seen": repr(text), "least": f"{least:g}", "most": f"{most:g}"}
            raise argparse.ArgumentTypeError(str(Text("{seen}; allowed: {least} to {most} seconds", about)))
        return value

    return seconds


# -- play ------------------------------------------------------------------------------------------------------


def prepared(run: Callable[[argparse.Namespace], int], args: argparse.Namespace) -> int:
    """Run a command that catches signals once it opens a game; before that they end the process."""
    with fatal_interrupt():
        return run(args)


def _play(args: argparse.Namespace) -> int:
    with loading():  # of a game and of what checks it
        seats, begun = _begun(args)
    return _run(args, seats, "play", begun)


def _begun(args: argparse.Namespace) -> tuple[Sequence[Seat], Json]:
    """Return the seats of a new game, and what the keeper is to begin. Raise :class:`CommandError`."""
    from tablier.games import rules_of
    from tablier.games.core import OptionError

    options = game_options(args.option)
    with refusing(OptionError):
        seats = given_seats(args.game, args.seat, terminal=is_terminal(), table=not args.no_table)
        if not args.seat and any(seat.simulated for seat in seats) and seats[0].at_screen:
            options.setdefault("first", "p2")  # a newcomer sees an offer, and throws, before making one
        rules = rules_of(args.game, len(seats), options)
    _check(args, rules, seats)
    people = sum(seat.is_person for seat in seats)
    practice = people == 1 and not args.strict
    with refusing(OptionError):
        sources = _sources(args, rules, seats)
    if not (args.seat or is_terminal() or names_log(args)):
        args.log = _demonstration_log()
    chance = {} if sources is None else {"chance": {"dice": list(sources.dice), "bag": sources.bag}}
    begun = {"game": args.game, "options": options, "seats": [vars(seat) for seat in seats], "practice": practice}
    return seats, {**begun, **chance}


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
    from tablier.course.chance import HOST, ROLL, TALLY, Sources
    from tablier.keeper.playable import Unplayable, check_bag

    dice = (args.dice or HOST).split(",")
    if len(dice) == 1:
        dice = [ROLL if dice[0] == TALLY and not seat.at_table else dice[0] for seat in seats]
    sources = Sources(tuple(dice), args.bag or HOST)
    sources.check(rules, [seat.at_table for seat in seats])
    with refusing(Unplayable):
        check_bag(rules, sources)
    return sources


def _resume(args: argparse.Namespace) -> int:
    from tablier.games import rules_of
    from tablier.games.core import OptionError
    from tablier.keeper.playable import Unplayable, check_one_seat_each, port_of
    from tablier.log.chain import LogError
    from tablier.play.logged import position_of, seats_of, unfinished
    from tablier.record import RecordError

    running = running_games(log_path(args))
    with read_log(args) as log, refusing(LogError, OptionError, Unplayable):
        joined = max((number for number in running if args.port and _is_at(log, number, args.port)), default=None)
        if joined is not None and args.number in (None, joined):  # somebody at that table wants to see it here, too
            args.number, args.port = joined, None
            running.discard(joined)
        games = [number for number in unfinished(log) if number not in running]
        if args.number is not None and args.number in running:
            raise CommandError(
                "game {game} is played already; 'tablier attach {game}{log}' shows it here, too",
                game=args.number,
                log=log_option(log_path(args)),
            )
        if args.number is not None:
            game = log.game(args.number)
            if game.abandoned:
                raise CommandError(
                    "game {id} was abandoned, and is not resumed; 'tablier log show {id}{log}' shows it",
                    id=game.id,
                    log=log_option(log_path(args)),
                )
            if game.id not in games:
                raise CommandError(
                    "game {id} is over; 'tablier log show {id}{log}' shows it",
                    id=game.id,
                    log=log_option(log_path(args)),
                )
        elif games:
            game = log.game(games[-1])
        elif running:
            raise CommandError(
                "{path}: no game was left; 'tablier attach{log}' shows the one that is played",
                path=log_path(args),
                log=log_option(log_path(args)),
            )
        else:
            raise CommandError(
                "{path}: every game in this log is over; 'tablier play{log}' begins one",
                path=log_path(args),
                log=log_option(log_path(args)),
            )
        check_one_seat_each(log_path(args), game)
        try:
            position_of(log, game)
        except RecordError as error:
            raise CommandError("{path}: game {id}: {error}", path=log_path(args), id=game.id, error=error) from None
        rules = rules_of(game.game, len(game.seats), game.options)
        seats = seats_of(game)
        at_table = args.port is None and any(seat.at_table for seat in seats)
        found = port_of(log, game.id) if at_table else None
    _check(args, rules, seats)
    return _run(args, seats, "resume", {"game": game.id}, found=found, joined=joined == game.id)


def _browser() -> AbstractContextManager[Browser | None]:
    """Return a browser in which a table page can be opened, or none where nobody would see it."""
    from tablier.cli.browser import browser

    return browser()


def _is_at(log: Log, game: int, port: str) -> bool:
    """Return whether a game is played at the table of this port."""
    from tablier.play.logged import last_table

    table = last_table(log, game)
    return table is not None and Path(table[1]).resolve() == Path(port).resolve()


def _check(args: argparse.Namespace, rules: Rules[Any], seats: Sequence[Seat]) -> None:
    """Refuse impossible combinations before anything begins. Raise :class:`CommandError`."""
    from tablier.games.core import OptionError
    from tablier.keeper.playable import SIMULATED, Unplayable, check

    for option in ("port", "quiet", "virtual"):
        if getattr(args, option) and not any(seat.at_table for seat in seats):
            raise CommandError("--{option} needs a seat at a table; no seat of this game is at one", option=option)
    port = None if args.port == SIMULATED else args.port
    with refusing(OptionError, Unplayable):
        check(rules, seats, log_path(args), port, virtual=args.virtual)
    if any(seat.at_screen for seat in seats) and sys.stdin is None:
        raise CommandError("a seat is at the screen, but standard input is closed; give it another source")


# -- the table, the screen, the game -------------------------------------------------------------------------------


def _load_full() -> None:
    with loading():
        import_module("tablier.screens.full")


def _say_evening(args: argparse.Namespace, link: Link) -> None:
    """Name the evening that is open, of which a game that begins by itself is no part."""
    from tablier.screens.phrases import EVENING

    open = [each.evening for each in link.ask(Listing, "list").evenings if not each.alone]
    if open:
        about = {"evening": EVENING.of(evening=open[-1]), "log": log_option(log_path(args))}
        say(Text("{evening} is open. This game is played apart from it; 'tablier evening{log}' plays there.", about))


def _run(
    args: argparse.Namespace,
    seats: Sequence[Seat],
    method: str,
    params: Json,
    found: str | None = None,
    *,
    joined: bool = False,
) -> int:
    """Have the log's keeper begin or resume a game, and show it here. ``found``: where its table is now. ``joined``: it
    is shown elsewhere already, and stays there."""
    from tablier.keeper.playable import SIMULATED
    from tablier.screens.lines import Typed
    from tablier.screens.room import Room

    alone = all(seat.is_bot or seat.simulated for seat in seats)
    virtual = args.virtual or (args.port is None and found is None and alone and not sys.stdout.isatty())
    port = args.port if args.port in (None, SIMULATED) else str(Path(args.port).absolute())
    table = {"port": port, "virtual": virtual, "quiet_s": args.quiet, "pace_s": args.pace}
    if shows_full(args) and any(seat.at_screen for seat in seats):  # meanwhile: else the first question waits for it
        from tablier import waiting  # not at each start

        waiting.beside(_load_full, "full screen")
    typed = Typed() if is_terminal() and not shows_full(args) else None
    explained = method == "resume" or args.no_card
    signals = Signals()
    shown_there = (
        not alone and found is None and args.port in (None, SIMULATED) and any(each.at_table for each in seats)
    )
    opened_there = nullcontext() if method != "play" or args.no_browser or not shown_there else _browser()
    with kept_log(args) as link, signals.caught(), opened_there as page:
        if method == "play" and is_terminal():
            _say_evening(args, link)
        opened = link.ask(Opened, method, {**params, "table": table})
        if opened.already and args.port is not None:
            raise CommandError("game {game} runs, and stays at its table; resume it without --port", game=opened.game)
        room = Room(opened.evening)
        room.enter_seated(room.attend(link), opened)
        while True:
            explains = not explained
            about = partial(show_game, args, link, opened, typed, signals, repeats=True, explains=explains, room=room)
            shown = about(stops=not joined, opens=None if page is None else page.open)
            explained, page = True, None  # once
            link = shown.game.link
            if not shown.screen.another:
                link.close()
                return shown.status
            opened = link.ask(Opened, "another", {"evening": opened.evening})
            if args.pace != shown.screen.pace_s:
                args.pace = shown.screen.pace_s
                link.call("pace", {"game": opened.game, "seconds": args.pace})
