"""A game on a screen of this terminal, until that is left."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec import structs

from tablier.cli.common import CommandError, is_terminal, log_path, refusing, say, say_wrapped
from tablier.cli.signals import Signals
from tablier.messages import Evening, Listing, Told
from tablier.printable import printable
from tablier.texts import Text
from tablier.usual import log_option

if TYPE_CHECKING:
    from tablier.keeper.client import GameLink, Link
    from tablier.messages import Notice, Opened
    from tablier.screens.lines import Lent, Typed
    from tablier.screens.replay import Played
    from tablier.screens.room import Room
    from tablier.screens.summary import LogName
    from tablier.texts import Json

PACE_S = 1.0
"""For the help, which loads no game: what the keeper has, by a test."""
_ADDRESS_S = 10.0
"""The longest that a game waits until its pages are served, so that their address is said first."""


class Shown(NamedTuple):
    """A game whose screen was left."""

    screen: Any
    game: GameLink
    summary: str | None
    """``None`` if it was left before the end."""

    @property
    def status(self) -> int:
        """Return the exit status: as shells say it, where a signal has ended the screen."""
        return 128 + int(self.screen.ended_by) if self.screen.ended_by else 0


def add_screen_options(parser: argparse.ArgumentParser) -> None:
    """Add ``--plain``, ``--spoken`` and ``--bell``; where they are not given, :func:`tablier.cli.preferred.fill` sets
    them."""
    parser.add_argument("--plain", action=argparse.BooleanOptionalAction, help="lines of text instead of a full screen")
    parser.add_argument(
        "--spoken",
        action=argparse.BooleanOptionalAction,
        help="lines, with the board in sentences, for those who listen",
    )
    parser.add_argument(
        "--bell",
        action=argparse.BooleanOptionalAction,
        help="ring when it is your turn, and have the window's title say so",
    )


def add_card_option(parser: argparse.ArgumentParser) -> None:
    """Add ``--no-card``."""
    parser.add_argument("--no-card", action="store_true", help="do not explain the game before it begins")


def add_web_option(parser: argparse.ArgumentParser) -> None:
    """Add ``--no-web``."""
    parser.add_argument(
        "--no-web", action="store_true", help="no pages for browsers, which are served where this is a terminal"
    )
    parser.add_argument(
        "--lan",
        action="store_true",
        help="pages for phones of this network, too: neighbours can read and change what goes over it",
    )


def shows_full(args: argparse.Namespace) -> bool:
    """Return True if a game is shown on a full screen."""
    return not (args.plain or args.spoken) and can_show_full()


def can_show_full() -> bool:
    """Return True if this is a terminal that can move its cursor."""
    if not is_terminal():
        return False
    import curses

    term = os.environ.get("TERM", "")
    try:
        curses.setupterm(term, sys.stdout.fileno())
    except curses.error:  # a computer does not know every terminal by which it is reached
        return term.startswith(("xterm", "tmux", "screen"))
    return bool(curses.tigetstr("cup"))


def show_game(
    args: argparse.Namespace,
    link: Link,
    opened: Opened,
    typed: Typed | None = None,
    signals: Signals | None = None,
    *,
    repeats: bool = False,
    explains: bool = False,
    room: Room | None = None,
    stops: bool = True,
    web: bool = True,
    opens: Callable[[str], object] | None = None,
) -> Shown:
    """Show a game that a keeper has opened, until its screen is left; print how it ended, unless the screen has.

    ``typed`` replaces standard input for a line screen. ``signals``: those of the command, which the screen takes
    meanwhile. ``stops``: the game stops when the screen is left, unless others play it at theirs. ``room``: its
    evening, for whose people here it is shown. ``repeats``: at its end somebody here is asked for another game;
    ``explains``: a card comes first; ``opens`` opens the operator's table page in a browser. Raise
    :class:`CommandError` for what has ended the game early.
    """
    from tablier.keeper.client import GameLink, entries_of
    from tablier.keeper.starting import rejoin
    from tablier.screens.lines import Lent
    from tablier.screens.room import Room

    keys = entries_of(opened if room is None else room.own(opened))
    if room is None:
        room = Room(opened.evening)
        room.attend(link)
    attend = room.attend
    number, times = opened.game, structs.asdict(opened.times)
    found = partial(rejoin, log_path(args), number, times)
    game = GameLink(link, number, keys, again=lambda: attend(found()), times=times)
    lines = None if typed is None else Lent(typed)
    screen = _screen(args, game, lines, repeats=repeats, explains=explains)
    screen.stops(stops)
    game.on_end = screen.leave
    room.hear = partial(_pass_on, screen, room)
    if room.latest is not None:
        screen.tell_evening(room.latest)
    if address := room.address:
        screen.tell_address(address)
    elif web:
        serve_beside(args, room, screen.tell_address, opens)
    others: list[str] = []
    try:
        with nullcontext() if signals is None else signals.released():
            summary = screen.run(game)
    finally:
        if lines is not None:
            lines.give_back(screen.untaken)
        if stops:
            others = _stop(game, set(keys), abandons=screen.abandons)
    shown = Shown(screen, game, summary)
    _say_end(args, shown, kept=stops and not others)
    if others and summary is None:
        about = {"game": number, "names": others, "log": log_option(log_path(args))}
        say(Text("Game {game} continues for {names}; 'tablier attach {game}{log}' shows it.", about))
    return shown


def serve_beside(
    args: argparse.Namespace,
    room: Room,
    tell: Callable[[str], object],
    opens: Callable[[str], object] | None = None,
) -> None:
    """Serve pages where somebody at a terminal can read where they are; ``tell`` is called with that in a thread. Where
    ``opens`` opens the operator's table page, this returns when they are served."""
    if not is_terminal() or args.no_web:
        return
    from tablier.web.noted import served_at
    from tablier.web.starting import operator_part, start_beside

    path = log_path(args)

    def served(address: str) -> None:
        tell(address)
        if opens is not None and (here := served_at(path)):
            opens(f"{here[0]}table{operator_part(path)}")

    room.served = partial(served_at, path)
    serving = start_beside(path, served, lan=args.lan)
    if opens is not None:
        serving.join(_ADDRESS_S)


def _pass_on(screen: Any, room: Room, notice: Notice) -> None:
    """Have a screen show what is said of its evening, and where that is served now: for phones, since ':door lan'."""
    if isinstance(notice, Evening | Told):
        screen.tell_evening(notice)
    if isinstance(notice, Evening) and (address := room.address):
        screen.tell_address(address)


def _stop(game: GameLink, here: set[int], *, abandons: bool) -> list[str]:
    """Stop a game whose screen was left, for good where it ``abandons`` it, unless others play it at theirs; return the
    names of those."""
    from tablier.keeper.client import KeeperError

    try:
        open = [each for each in game.link.ask(Listing, "list").games if each.game == game.game]
    except KeeperError:
        return []
    others = [each.seats[seat - 1].name for each in open for seat in each.held if seat not in here]
    if not others:
        with refusing(KeeperError):
            (game.abandon if abandons else game.stop)()
    return others


def _screen(args: argparse.Namespace, game: GameLink, lines: Lent | None, *, repeats: bool, explains: bool) -> Any:
    from tablier.screens.status_pages import look_up

    here, name, path = sorted(game.keys), log_name(args), log_path(args)
    pace_s = PACE_S if getattr(args, "pace", None) is None else args.pace  # an evening has no option for it

    def read(number: int) -> Played:
        from tablier.screens.replay import read_game

        return read_game(path, number)

    about: Json = {"repeats": repeats, "explains": explains, "pace_s": pace_s, "read": read}
    about["look_up"] = partial(look_up, game)
    if here and shows_full(args):
        from tablier.screens.full import Full

        screen = Full(here, name, bell=args.bell, **about)
        screen.model.pictured = getattr(args, "pictured", True)  # as it was left in the last game of this run
        screen.on_pictured = partial(setattr, args, "pictured")
        return screen
    from tablier.screens.line import Line

    return Line(here, name, lines, spoken=args.spoken, **about)


def _say_end(args: argparse.Namespace, shown: Shown, *, kept: bool) -> None:
    """Print how a game ended here, unless its screen has. ``kept``: a game that was left is stopped now."""
    from tablier.screens.phrases import BY_MISTAKE, NOW_ABANDONED
    from tablier.screens.summary import kept_text

    screen, game, summary = shown
    for told in game.programs:
        about = {"name": told.name, "why": told.why}
        say(Text("tablier: {name}'s program {why}; it wrote last:", about), file=sys.stderr)
        for line in told.lines:
            say(f"  {line}", file=sys.stderr)
    stands = kept_text(log_name(args), game.game)
    if game.why is not None:
        raise CommandError("{error}. {kept}", error=game.why, kept=stands) if game.part else CommandError(game.why)
    if summary is None and kept and screen.abandons:
        say_wrapped(NOW_ABANDONED.of(game=game.game))
    elif summary is None and kept:
        say(stands)
        if not screen.ended_by:
            say_wrapped(BY_MISTAKE.of(game=game.game, log=log_option(log_path(args))))
    elif summary is not None and not screen.told_end:
        say_wrapped(*summary.split("\n"))


def log_name(args: argparse.Namespace) -> LogName:
    from tablier.screens.summary import LogName

    return LogName(printable(_written(log_path(args))), printable(log_option(log_path(args))))


def _written(path: Path) -> str:
    """Return a path as people write it, with ``~``."""
    try:
        return f"~/{path.resolve().relative_to(Path.home())}"
    except (ValueError, RuntimeError):
        return str(path)
