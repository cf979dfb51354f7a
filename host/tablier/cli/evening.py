"""``tablier evening``: several games in a row, with the people who are there."""

from __future__ import annotations

import argparse
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tablier.cli.common import (
    CommandError,
    add_log_option,
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
from tablier.cli.play import prepared
from tablier.cli.showing import add_card_option, add_screen_options, add_web_option, show_game, shows_full
from tablier.cli.signals import Ended, Signals
from tablier.messages import Listing, NewEvening, Opened
from tablier.texts import Text
from tablier.usual import log_option

if TYPE_CHECKING:
    from tablier.cli.common import Commands
    from tablier.keeper.client import Link
    from tablier.screens.lines import News
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
    evening.add_argument("--virtual", action="store_true", help="let a simulated table's time pass as fast as it can")
    add_screen_options(evening)
    add_card_option(evening)
    evening.set_defaults(run=partial(prepared, _run))
    add_web_option(evening)
    add_log_option(evening)


def _run(args: argparse.Namespace) -> int:
    from tablier.keeper.starting import join
    from tablier.screens.between import Between, ask_who, read_person
    from tablier.screens.commands import Mistyped
    from tablier.screens.lines import Typed

    with refusing(Mistyped):
        people = [read_person(text) for text in args.people]
        others = [_other(text) for text in args.bot]
        series = _series(args)
    at_screen = args.port is None and bool(people)
    if at_screen and sys.stdin is None:
        raise CommandError("people are at the screen, but standard input is closed; add --port")
    typed, signals = Typed(), Signals()

    def show(link: Link, opened: Opened, new: bool) -> tuple[Link, bool, bool]:
        full = opened.keys and shows_full(args)
        explains = new and not args.no_card
        shown = show_game(args, link, opened, None if full else typed, signals, repeats=bool(full), explains=explains)
        if shown.screen.ended_by:
            raise Ended(shown.screen.ended_by)
        return shown.game.link, shown.summary is not None, bool(full) and shown.screen.another

    with kept_log(args) as link, signals.caught(), refusing(Mistyped):
        evenings = link.ask(Listing, "list").evenings
        if evenings and not people:
            number = evenings[-1].evening
            say(Text("Evening {evening} resumes.", {"evening": number}))
        else:
            if not people and is_terminal():
                with signals.released():
                    asked = ask_who(_known(args), sys.stdin.readline, say_wrapped)
                if asked is None:
                    return 0
                people = asked
            port = args.port if args.port in (None, "simulated") else str(Path(args.port).absolute())
            table = {"port": port, "virtual": args.virtual}
            number = link.ask(NewEvening, "evening", {"people": people, "table": table}).evening
        again = partial(join, log_path(args), tell)
        evening = Between(number, link, again, typed, show, say_wrapped, others=others)

        def read() -> tuple[str | None, News | None]:
            with signals.released():
                return typed.next()

        try:
            evening.catch_up()
            if series is not None:
                evening.play_series(*series)
            else:
                evening.play_all(args.play)
            if not (is_terminal() or ((args.plain or at_screen) and not args.play and series is None)):
                evening.end()
            elif not evening.converse(read):
                about = {"log": log_option(log_path(args))}
                say(Text("The evening stays open; 'tablier evening{log}' resumes it.", about))
        finally:
            evening.link.close()
    return 0


def _other(text: str) -> dict[str, Any]:
    """Return a seat that a bot or a simulated person has in every game."""
    from tablier.screens.between import read_person

    head, equals, source = text.partition("=")
    if not equals or source.partition(":")[0] in ("", "table", "screen"):
        raise CommandError("--bot {seen}: the form is NAME=BOT or NAME@PLACE=BOT", seen=repr(text))
    kind, _, bot = source.partition(":")
    if kind == "people":
        return {**read_person(head), "source": "table", "simulated": bot or "greedy"}
    return {**read_person(head), "source": source}


def _series(args: argparse.Namespace) -> tuple[list[str], Json] | None:
    """Return the games of a series, and how it is counted."""
    from tablier.games import GAMES
    from tablier.screens.between import read_series

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


def _known(args: argparse.Namespace) -> list[Json]:
    """Return those whom the log knows, with the places they like."""
    from tablier.log import LogError

    if not log_path(args).exists():
        return []
    with refusing(LogError), read_log(args) as log:
        return [{"name": each.name, "place": each.place} for each in log.people()]
