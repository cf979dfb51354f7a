"""``tablier invite``: where and by which code people come into an evening."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from tablier.cli.common import CommandError, add_log_option, log_path, refusing, say
from tablier.messages import Listing
from tablier.texts import Text
from tablier.usual import log_option

if TYPE_CHECKING:
    from tablier.cli.common import Commands
    from tablier.screens.room import Room


def register(commands: Commands) -> None:
    invite = commands.add_parser(
        "invite",
        help="show where and by which code people come in",
        description="Shows the address and the code of an evening, by which people come in, also as a QR code. Pages"
        " have to be served: by 'tablier web --lan' for phones.",
        allow_abbrev=False,
    )
    invite.add_argument("--evening", metavar="N", type=int, help="which evening (the latest that is open)")
    add_log_option(invite)
    invite.set_defaults(run=_invite)


def _invite(args: argparse.Namespace) -> int:
    from tablier.keeper.client import KeeperError
    from tablier.keeper.protocol import NO_EVENING, NOT_OPEN
    from tablier.keeper.starting import find
    from tablier.log.chain import LogError
    from tablier.screens.phrases import NO_KEEPER
    from tablier.screens.room import Room

    path = log_path(args)
    with refusing(KeeperError, LogError):
        link = find(path)
        if link is None:
            raise CommandError(NO_KEEPER.of(path=path))
        try:
            evenings = [each.evening for each in link.ask(Listing, "list").evenings]
            number = args.evening or next(reversed(evenings), 0)
            if number not in evenings:
                raise CommandError(NOT_OPEN.of(evening=number, evenings=evenings) if evenings else NO_EVENING)
            room = Room(number)
            room.attend(link)
            room.await_news()
        finally:
            link.close()
    show_way_in(args, room)
    return 0


def show_way_in(args: argparse.Namespace, room: Room, lan: bool = False) -> None:
    """Print where and by which code people come in, with a QR code where a phone can use that. ``lan``: have phones of
    this network come in from now on. Raise :class:`CommandError` where nobody can."""
    from tablier.cli.web import show_qr
    from tablier.screens.phrases import ONLY_HERE, way_in
    from tablier.web.noted import served_at
    from tablier.web.starting import start

    path, log = log_path(args), log_option(log_path(args))
    addresses = start(path, lan=True) if lan else served_at(path)
    if not addresses:
        raise CommandError(
            "{path}: nobody serves its pages; 'tablier web --lan{log}' does, for phones", path=path, log=log
        )
    code = None if room.inside is None else room.inside.code
    if code is None:
        raise CommandError("the door of evening {evening} is closed; ':door open' there opens it", evening=room.evening)
    address = addresses[:2][-1]
    say(Text("{way_in}.", {"way_in": way_in(address, code)}))
    if len(addresses) > 1:
        show_qr(f"{address}in#{code}", spare=3)  # a code whose upper end has gone cannot be scanned
    else:
        say(ONLY_HERE.of(log=log))


__all__ = ["register", "show_way_in"]
