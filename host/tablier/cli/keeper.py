"""``tablier keeper`` and ``tablier attach``: the process that conducts a log's games, and another screen for one."""

from __future__ import annotations

import argparse
from contextlib import suppress
from typing import TYPE_CHECKING

from msgspec import structs

from tablier.cli.common import CommandError, add_log_option, log_path, names_log, refusing, say, tell
from tablier.cli.showing import add_screen_options, log_name, show_game
from tablier.messages import Entry, Listing, Opened, Seat
from tablier.texts import Text, render, suggest
from tablier.usual import log_option

if TYPE_CHECKING:
    from tablier.cli.common import Commands
    from tablier.keeper.client import Link


def register(commands: Commands) -> None:
    keeper = commands.add_parser(
        "keeper",
        help="conduct the games of a log, for screens that come and go",
        description="Runs the keeper of a log in the foreground, for a service manager; 'tablier play' starts one by"
        " itself where none runs. It ends when the operator says so, or on SIGTERM; its games can be resumed.",
        allow_abbrev=False,
    )
    keeper.add_argument("--end", action="store_true", help="end the one that runs")
    keeper.add_argument(
        "--trace", action="store_true", help="say on standard error what is asked, and how long it takes"
    )
    keeper.set_defaults(run=_keep)
    attach = commands.add_parser(
        "attach",
        help="show a running game on another screen",
        description="Shows a running game here, too, and of an evening one game after the other until it is over. With"
        " --seat this screen takes the seat over.",
        allow_abbrev=False,
    )
    attach.add_argument("number", metavar="NUMBER", nargs="?", type=int, help="which game (the latest that runs)")
    attach.add_argument("--evening", metavar="N", type=int, help="which evening, where several are open")
    attach.add_argument("--seat", metavar="NAME", help="play here for this person")
    attach.add_argument("--as", dest="player", metavar="NAME", help="who takes the seat of a bot or of somebody else")
    add_screen_options(attach)
    attach.set_defaults(run=_attach)
    for parser in (keeper, attach):
        add_log_option(parser)


def _keep(args: argparse.Namespace) -> int:
    from tablier.keeper.client import KeeperError
    from tablier.keeper.server import keep
    from tablier.keeper.starting import find
    from tablier.log.chain import LogError
    from tablier.screens.phrases import NO_KEEPER
    from tablier.tracing import start_trace

    path = log_path(args)
    with refusing(KeeperError, LogError, OSError):
        link = find(path, stale=args.end)
        if args.end:
            if link is None:
                say(NO_KEEPER.of(path=path))  # that is what was wanted, as of a script
                return 0
            link.call("quit")
            link.close()
            return 0
        if link is not None:
            pid = link.keeper["pid"]
            link.close()
            raise CommandError("{path}: process {pid} keeps it already", path=path, pid=pid)
        if not names_log(args):
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        start_trace(asked=args.trace)
        keep(path, stays=True, told=tell, ready=lambda: say(f"{path}: kept", flush=True))
    return 0


def _attach(args: argparse.Namespace) -> int:
    from tablier.keeper.client import KeeperError
    from tablier.keeper.starting import find
    from tablier.log.chain import LogError
    from tablier.screens.following import Lost, follow
    from tablier.screens.phrases import NOT_RUNNING

    path = log_path(args)
    with refusing(KeeperError, LogError, Lost, OSError):
        link = find(path)
        if link is None:
            raise CommandError(
                "{path}: no keeper runs; 'tablier play{log}' or 'tablier resume{log}' starts one",
                path=path,
                log=log_option(log_path(args)),
            )
        try:
            told = link.ask(Listing, "list")
            games = {each.game: each for each in told.games}
            evening = _evening_of(args, told)
            if evening is not None:
                ended_by = follow(link, evening, log_name(args), say)
                return 128 + ended_by if ended_by else 0
            if not games:
                raise CommandError("{path}: no game runs", path=path)
            number = max(games) if args.number is None else args.number
            if number not in games:
                raise CommandError(NOT_RUNNING.of(game=number, games=list(games)))
            here = games[number]
            opened = Opened(game=number, already=True, times=here.times, evening=here.evening, people={}, enter={})
            if args.seat is not None:
                opened = _take_seat(link, told, opened, _seat_of(here.seats, args.seat), args.player)
            return show_game(args, link, opened, stops=bool(opened.enter), web=False).status
        finally:
            link.close()


def _evening_of(args: argparse.Namespace, told: Listing) -> int | None:
    """Return the evening to follow; ``None`` to show a single game. Raise :class:`CommandError` where it is not plain
    which."""
    from tablier.keeper.protocol import NOT_OPEN

    evenings = [each.evening for each in told.evenings if not each.alone]
    if args.evening is not None:
        for name, given in (("NUMBER", args.number is not None), ("--seat", args.seat is not None)):
            if given:
                raise CommandError("--evening shows no single game: leave out {name}", name=name)
        if args.evening not in evenings:
            raise CommandError(NOT_OPEN.of(evening=args.evening, evenings=evenings or Text("none")))
        return int(args.evening)
    if args.number is not None or args.seat is not None or not evenings:
        return None
    inside = [each.game for each in told.evenings if not each.alone]
    alone = [each.game for each in told.games if each.game not in inside]
    if len(evenings) > 1:
        raise CommandError("several evenings are open: {evenings}; name one with --evening", evenings=evenings)
    if alone:
        text = "evening {evening} is open, and outside it run games {games}; name one: --evening {evening}, or a game"
        raise CommandError(text, evening=evenings[0], games=alone)
    return evenings[0]


def _take_seat(link: Link, told: Listing, opened: Opened, seat: int, player: str | None) -> Opened:
    """Take a seat of an open game to this screen, for who has it or for ``player``; return the game with the key. Raise
    :class:`CommandError`."""
    from tablier.course.seats import AT_SCREEN
    from tablier.keeper.client import KeeperError

    (evening,) = [each for each in told.evenings if each.evening == opened.evening]
    (seats,) = [each.seats for each in told.games if each.game == opened.game]
    now, holder = seats[seat - 1], evening.seats[seat - 1]
    name = player or next((one.name for one in evening.here if one.person == holder or one.name == now.name), None)
    if name is None and now.source == AT_SCREEN and not evening.alone:
        name = player = now.name  # whoever is called so and is not there comes in
    if name is None:
        raise CommandError("--seat {name}: nobody has this seat; --as says who plays there", name=repr(now.name))
    of = {"evening": evening.evening, "name": name}
    came = False
    try:
        if player is not None:
            known = {one.person for one in evening.here}
            came = link.ask(Entry, "come", of).person not in known
        if player is not None or now.source != AT_SCREEN:
            wanted = {"game": opened.game, "seat": seat, "source": AT_SCREEN}
            link.call("source", {**wanted, **({} if player is None else {"person": name})})
        entry = link.ask(Entry, "anew", of)
    except KeeperError as error:
        if came:  # who was refused the seat does not stay behind
            with suppress(KeeperError):
                link.call("go", of)
        raise CommandError("{why}", why=render(error.text, [each.name for each in seats])) from error
    return structs.replace(opened, people={str(seat): entry.person}, enter={entry.person: entry.key or ""})


def _seat_of(seats: list[Seat], name: str) -> int:
    """Return the number of somebody's seat. Raise :class:`CommandError`."""
    from tablier.screens.names import seats_called

    names = [seat.name for seat in seats]
    if not (called := seats_called(name, names)):
        about = {"name": repr(name), "names": names}
        raise CommandError(suggest(Text("--seat {name}: who plays here: {names}", about), name, names))
    return called[0]
