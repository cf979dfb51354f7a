"""``tablier keeper`` and ``tablier attach``: the process that conducts a log's games, and another screen for one."""

from __future__ import annotations

import argparse
from functools import partial
from typing import TYPE_CHECKING, Any

from tablier.cli.common import CommandError, add_log_option, log_path, names_log, refusing, say
from tablier.printable import printable

if TYPE_CHECKING:
    from tablier.cli.common import Commands


def register(commands: Commands) -> None:
    keeper = commands.add_parser(
        "keeper",
        help="conduct the games of a log, for screens that come and go",
        description="Runs the keeper of a log in the foreground, for a service manager; 'tablier play' starts one by"
        " itself where none runs. It ends when the operator says so, or on SIGTERM; its games can be resumed.",
        allow_abbrev=False,
    )
    keeper.add_argument("--end", action="store_true", help="end the one that runs")
    keeper.set_defaults(run=_keep)
    attach = commands.add_parser(
        "attach",
        help="show a running game on another screen",
        description="Shows a running game here, too. With --seat this screen takes the seat, from whatever had it.",
        allow_abbrev=False,
    )
    attach.add_argument("number", metavar="NUMBER", nargs="?", type=int, help="which game (the latest that runs)")
    attach.add_argument("--seat", metavar="NAME", help="play here for this person")
    attach.add_argument("--plain", action="store_true", help="lines of text instead of a full screen")
    attach.set_defaults(run=_attach)
    for parser in (keeper, attach):
        add_log_option(parser)


def _keep(args: argparse.Namespace) -> int:
    from tablier.keeper.client import KeeperError
    from tablier.keeper.server import keep
    from tablier.keeper.starting import find
    from tablier.log import LogError

    path = log_path(args)
    with refusing(KeeperError, LogError, OSError):
        link = find(path, stale=args.end)
        if args.end:
            if link is None:
                raise CommandError("{path}: no keeper runs", path=path)
            link.call("quit")
            link.close()
            return 0
        if link is not None:
            pid = link.keeper["pid"]
            link.close()
            raise CommandError("{path}: process {pid} keeps it already", path=path, pid=pid)
        if not names_log(args):
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        keep(path, stays=True, ready=lambda: say(f"{path}: kept", flush=True))
    return 0


def _attach(args: argparse.Namespace) -> int:
    from tablier.cli.play import is_terminal
    from tablier.keeper.client import GameLink, KeeperError
    from tablier.keeper.starting import find, rejoin
    from tablier.log import LogError
    from tablier.play.seats import AT_SCREEN
    from tablier.screens.summary import LogName

    path = log_path(args)
    with refusing(KeeperError, LogError, OSError):
        link = find(path)
        if link is None:
            raise CommandError("{path}: no keeper runs; 'tablier play' or 'tablier resume' starts one", path=path)
        try:
            games = {each["game"]: each for each in link.call("list")["games"]}
            if not games:
                raise CommandError("{path}: no game runs", path=path)
            number = max(games) if args.number is None else args.number
            if number not in games:
                raise CommandError("game {game} does not run; games that do: {games}", game=number, games=list(games))
            keys = {}
            if args.seat is not None:
                seat = _seat_of(games[number]["seats"], args.seat)
                keys[seat] = link.call("source", {"game": number, "seat": seat, "source": AT_SCREEN})["key"]
            game = GameLink(link, number, keys, again=partial(rejoin, path, number))
            name = LogName(printable(str(path)), "")
            screen: Any
            if keys and not args.plain and is_terminal():
                from tablier.screens.full import Full

                screen = Full(list(keys), name)
            else:
                from tablier.screens.line import Line

                screen = Line(list(keys), name)
            game.on_end = screen.leave
            summary = screen.run(game)
        finally:
            link.close()
    if game.why is not None:
        raise CommandError(game.why)
    say(*(summary or "").splitlines())
    return 0


def _seat_of(seats: list[dict[str, Any]], name: str) -> int:
    """Return the number of somebody's seat. Raise :class:`CommandError`."""
    names = [seat["name"] for seat in seats]
    if name not in names:
        raise CommandError("--seat {name}: who plays here: {names}", name=repr(name), names=names)
    return names.index(name) + 1
