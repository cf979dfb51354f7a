"""``tablier evening``: several games in a row, with the people who are there."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tablier.cli.common import (
    CommandError,
    add_log_option,
    add_virtual_option,
    is_terminal,
    kept_log,
    log_path,
    path_name,
    read_log,
    refusing,
    say,
    say_wrapped,
    tell,
)
from tablier.cli.game import game_name
from tablier.cli.invite import show_way_in
from tablier.cli.loading import loading
from tablier.cli.play import prepared
from tablier.cli.showing import (
    add_card_option,
    add_screen_options,
    add_web_option,
    serve_beside,
    show_game,
    shows_full,
)
from tablier.cli.signals import Ended, Signals
from tablier.messages import Entry, Evening, Listing, NewEvening, Opened
from tablier.texts import Text
from tablier.usual import log_option

if TYPE_CHECKING:
    from tablier.cli.browser import Browser
    from tablier.cli.common import Commands
    from tablier.keeper.client import Link
    from tablier.screens.lines import News
    from tablier.screens.people import People, Someone
    from tablier.texts import Json


def register(commands: Commands) -> None:
    evening = commands.add_parser(
        "evening",
        help="play several games in a row, with people who come and go",
        description="Begins an evening, or resumes the one that is open. Between the games, commands are typed:"
        " ':help' names them. Without a terminal, the games of --play are played one after the other; then it ends.",
        allow_abbrev=False,
    )
    evening.add_argument(
        "--with", dest="people", metavar="NAME[@PLACE]", action="append", default=[], help="somebody who is there"
    )
    which = evening.add_mutually_exclusive_group()
    which.add_argument("--resume", metavar="N", type=int, help="resume this evening, which was left open")
    which.add_argument("--new", action="store_true", help="begin an evening, also where one is open")
    evening.add_argument(
        "--play", metavar="GAME", type=game_name, action="append", default=[], help="a game to be played"
    )
    evening.add_argument(
        "--bot", metavar="NAME[@PLACE]=BOT", action="append", default=[], help="a seat that a bot has in every game"
    )
    evening.add_argument("--series", metavar="TEXT", help="count the games of --play together: 'first to 3', '5 games'")
    evening.add_argument("--rota", action="store_true", help="with --series: go round all games that can be played")
    evening.add_argument(
        "--port", metavar="PORT", type=path_name, help="the table's port, or 'simulated' (none: all at this screen)"
    )
    add_virtual_option(evening)
    add_screen_options(evening)
    add_card_option(evening)
    evening.set_defaults(run=partial(prepared, _run), pace=None)
    add_web_option(evening)
    add_log_option(evening)


def _run(args: argparse.Namespace) -> int:
    with loading():
        from tablier.cli.browser import browser
        from tablier.keeper.client import KeeperError, KeeperGone
        from tablier.keeper.starting import join
        from tablier.screens.between import Between
        from tablier.screens.commands import Mistyped
        from tablier.screens.evening_link import EveningLink
        from tablier.screens.lines import Typed
        from tablier.screens.opening import ask_here, ask_which, ask_who
        from tablier.screens.people import People, Someone, distinct
        from tablier.screens.room import Room

    known, last = _known(args)
    with refusing(Mistyped):
        people = distinct(map(known.read, args.people))
        others = [_other(text) for text in args.bot]
        series = _series(args)
    at_screen = args.port is None and bool(people)
    if at_screen and sys.stdin is None:
        raise CommandError("people are at the screen, but standard input is closed; add --port")
    typed, signals = Typed(), Signals()
    converses = is_terminal() or ((args.plain or args.spoken or at_screen) and not args.play and series is None)
    if people and not converses:
        _check_games(args, args.play if series is None else series[0], len(people), others)
    if not (args.play or series is not None or is_terminal()) and not (converses and typed.more()):
        raise CommandError("nothing is to be played: add --play GAME, or type at a terminal")

    def show(link: Link, opened: Opened, new: bool, stops: bool) -> tuple[Link, bool, bool]:
        own = room
        if opened.evening != room.evening:  # a game that was left at another one
            own = Room(opened.evening)
            own.enter_seated(own.attend(link), opened)
        full = bool(own.own(opened).enter) and shows_full(args)
        explains, lines = new and not args.no_card, None if full else typed
        shown = show_game(args, link, opened, lines, signals, repeats=full, explains=explains, room=own, stops=stops)
        if shown.screen.ended_by:
            raise Ended(shown.screen.ended_by)
        return shown.game.link, shown.summary is not None, full and shown.screen.another

    with kept_log(args) as link, signals.caught(), refusing(Mistyped), browser() as page:
        evenings = [each for each in link.ask(Listing, "list").evenings if not each.alone]
        number, began = _wanted(args, evenings), None
        if number is None and evenings and not (people or args.new):
            number = evenings[-1].evening
            if is_terminal():
                with signals.released():
                    number = ask_which(evenings, typed.ask, say_wrapped)
                if number is None:
                    return 0
        if number:
            (resumed,) = (each for each in evenings if each.evening == number)
            if not converses and any(each.by not in ("", "place") for each in resumed.here):
                raise CommandError(
                    "evening {evening} is open at another screen, and nothing was played; --new begins another one",
                    evening=number,
                )
            say(Text("Evening {evening} resumes.", {"evening": number}))
            free = [Someone(each.name, each.place) for each in resumed.here if not each.by]
            if not people and free and is_terminal():
                typed.complete = People(free).fitting
                with signals.released():
                    asked = ask_here(free, typed.ask, say_wrapped)
                if asked is None:
                    return 0
                people = asked
            elif not people:
                people = free
            params = [{"name": one.name, **({"place": one.place} if one.place else {})} for one in people]
            entries = [link.ask(Entry, "come", {"evening": number, **one}) for one in params]
        else:
            if not people and is_terminal():
                typed.complete = known.fitting
                with signals.released():
                    asked = ask_who(known, last, typed.ask, say_wrapped)
                if asked is None:
                    return 0
                people = asked
            port = args.port if args.port in (None, "simulated") else str(Path(args.port).absolute())
            table = {"port": port, "virtual": args.virtual, "pace_s": args.pace}
            begun = {"people": [one.params for one in people], "table": table}
            began = link.ask(NewEvening, "evening", begun)
            number, entries = began.evening, began.people
        known.add(people)
        room = Room(number)
        room.enter(link, entries)
        serve_beside(args, room, lambda address: typed.say(room.way_in) if room.latest and room.way_in else None)
        path = log_path(args)
        followed = EveningLink(room, link, partial(join, path, tell), partial(_is_kept, path), typed)
        evening = Between(
            followed,
            show,
            say_wrapped,
            people=known,
            left=partial(_left, args),
            invite=partial(show_way_in, args),
            show_code=_show_code,
            host=partial(_open_host, args, page),
            option=log_option(path),
            others=others,
        )
        typed.complete = evening.complete

        def read() -> tuple[str | None, News | None]:
            with signals.released():
                return typed.next()

        try:
            evening.catch_up()
            try:
                if series is not None:
                    evening.play_series(*series)
                else:
                    evening.play_all(args.play)
            except KeeperError as error:
                if isinstance(error, KeeperGone):
                    raise
                if not converses:
                    if began is not None:
                        evening.end()
                    raise
                say_wrapped(error.text)
            if not converses:
                evening.end()
            elif not evening.converse(read) and evening.is_open:
                about = {"log": log_option(log_path(args))}
                say(Text("The evening stays open; 'tablier evening{log}' resumes it.", about))
        finally:
            followed.link.close()
    return 0


_ASKS = 6
"""The lines around a QR code for who is here, the address, and what is asked."""


def _show_code(address: str) -> None:
    """Show an address as a QR code, where this terminal has room for it beside a question."""
    from tablier.cli.web import show_qr

    show_qr(address, spare=_ASKS)


def _open_host(args: argparse.Namespace, page: Browser | None) -> None:
    """Open the organiser's page in a browser of this computer. Raise :class:`Mistyped` where nobody would see it."""
    from tablier.screens.commands import Mistyped
    from tablier.web.noted import served_at
    from tablier.web.starting import operator_part

    served = served_at(log_path(args))
    if page is None or not served:
        raise Mistyped("No browser can be opened from here; ':organiser NAME' lets somebody run the evening by phone.")
    page.open(f"{served[0]}host{operator_part(log_path(args))}")


def _is_kept(log: Path) -> bool:
    """Return whether a log has a keeper, or had one that died: one that ended has taken its note away."""
    from tablier.keeper.address import address_of

    with suppress(OSError):
        return bool(address_of(log))
    return False


def _check_games(args: argparse.Namespace, games: Sequence[str], people: int, others: Sequence[Json]) -> None:
    """Refuse games that these people and bots cannot play, before an evening begins for them."""
    from tablier.course.seats import Seat
    from tablier.games import rules_of
    from tablier.games.core import OptionError
    from tablier.keeper.playable import Unplayable, check_source

    with refusing(OptionError, Unplayable):
        for game in games:
            rules_of(game, people + len(others))
            for other in others:
                check_source(game, Seat(**other), log_path(args))


def _wanted(args: argparse.Namespace, evenings: Sequence[Evening]) -> int | None:
    """Return the evening of ``--resume``; ``None`` where that is not given."""
    from tablier.keeper.protocol import NOT_OPEN

    number: int | None = args.resume
    numbers = [each.evening for each in evenings]
    if number is not None and number not in numbers:
        raise CommandError(NOT_OPEN.of(evening=number, evenings=numbers or Text("none")))
    return number


def _other(text: str) -> dict[str, Any]:
    """Return a seat that a bot or a simulated person has in every game."""
    from tablier.screens.people import read_person

    head, equals, source = text.partition("=")
    if not equals or source.partition(":")[0] in ("", "table", "screen"):
        raise CommandError("--bot {seen}: the form is NAME=BOT or NAME@PLACE=BOT", seen=repr(text))
    kind, _, bot = source.partition(":")
    if kind == "people":
        return {**read_person(head).params, "source": "table", "simulated": bot or "greedy"}
    return {**read_person(head).params, "source": source}


def _series(args: argparse.Namespace) -> tuple[list[str], Json] | None:
    """Return the games of a series, and how it is counted."""
    from tablier.games import GAMES
    from tablier.screens.series import read_series

    if args.series is None:
        if args.rota:
            raise CommandError("--rota needs --series")
        return None
    counted = read_series(args.series)
    if counted is None or counted[1]:
        raise CommandError("--series {seen}: the forms are 'first to 3' and '5 games'", seen=repr(args.series))
    games = list(GAMES) if args.rota else args.play
    if not games:
        raise CommandError("--series needs games: --play GAME, or --rota")
    return games, counted[0]


def _left(args: argparse.Namespace) -> dict[int, Text]:
    """Return the games of the log that are not over, in words."""
    from tablier.log.chain import LogError
    from tablier.screens.evenings import left_games

    with refusing(LogError), read_log(args) as log:
        return left_games(log)


def _known(args: argparse.Namespace) -> tuple[People, Sequence[Someone]]:
    """Return those whom the log knows, with the places they like, and those who were at its last evening."""
    from tablier.log.chain import LogError
    from tablier.screens.people import People, Someone

    if not log_path(args).exists():
        return People(), []
    with refusing(LogError), read_log(args) as log:
        known = {each.id: Someone(each.name, each.place) for each in log.people()}
        latest = next((each.people for each in reversed(log.evenings()) if each.people and not each.alone), ())
        last: list[Someone] = []
        for each in (known[one] for one in latest if one in known):
            taken = each.place in [other.place for other in last]
            last.append(Someone(each.name, 0 if taken else each.place))
        return People(known.values()), last
