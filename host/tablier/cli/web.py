"""``tablier web``: the pages of a log, for browsers."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from shutil import get_terminal_size
from typing import TYPE_CHECKING

from tablier.cli.archive import opened
from tablier.cli.common import CommandError, add_log_option, allowed, kept_log, log_path, path_name, refusing, say
from tablier.printable import ascii_only
from tablier.texts import Text, all_of
from tablier.usual import log_option

if TYPE_CHECKING:
    from tablier.cli.common import Commands
    from tablier.web.hosts import Proxy

_PORT = 8731
"""For the help, which loads no server: what serving has, by a test."""


def register(commands: Commands) -> None:
    web = commands.add_parser(
        "web",
        help="show the games of a log in browsers",
        description="Serves pages for browsers: the display, seats, the table, the log. It starts the keeper of the log"
        " where none runs, and ends when it is interrupted.",
        allow_abbrev=False,
    )
    web.add_argument(
        "--port",
        metavar="PORT",
        type=_port,
        help=str(Text("the port to serve at (the first free one from {port})", {"port": _PORT}, context="help")),
    )
    web.add_argument(
        "--lan",
        action="store_true",
        help="for other machines of this network, too: without a certificate, neighbours can read and change what goes"
        " over it, secrets and keys of seats among it",
    )
    web.add_argument(
        "--name",
        metavar="HOST",
        dest="names",
        action="append",
        default=[],
        type=_host,
        help="a name by which others ask for this computer, such as games.home; can be given several times",
    )
    web.add_argument(
        "--proxy",
        metavar="ADDRESS",
        type=_proxy,
        help="where browsers reach a reverse proxy on this computer that passes requests on: https://games.example.org",
    )
    web.add_argument("--cert", metavar="FILE", type=path_name, help="serve by https, with this certificate (PEM)")
    web.add_argument("--key", metavar="FILE", type=path_name, help="the certificate's key, if that is in another file")
    web.add_argument(
        "--archive",
        metavar="WHERE",
        type=path_name,
        help="show this archive, too: a file, or postgresql://NAME@HOST/DATABASE",
    )
    web.set_defaults(run=_web)
    add_log_option(web)


def _port(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 1 <= int(text[:9]) <= 65535):
        raise argparse.ArgumentTypeError(str(allowed(text, 1, 65535)))
    return int(text)


def _host(text: str) -> str:
    from tablier.web.hosts import is_host

    if not is_host(text):
        raise argparse.ArgumentTypeError(
            str(Text("{seen} is not the name of a host, such as games.home", {"seen": repr(text)}))
        )
    return text.lower()


def _proxy(text: str) -> Proxy:
    from tablier.web.hosts import Proxy, Unsuitable

    try:
        return Proxy.parse(text)
    except Unsuitable:
        why = Text("a proxy's address has http or https, a host, perhaps a port, and nothing else")
        raise argparse.ArgumentTypeError(str(why)) from None


def _web(args: argparse.Namespace) -> int:
    if args.key and not args.cert:
        raise CommandError("--key needs the certificate, too: --cert FILE")
    from tablier.web.noted import served_at

    if args.archive:
        with opened(args):
            pass  # one that cannot be shown is refused before anything is served
    wishes = (args.lan, args.cert, args.port, args.archive, args.names, args.proxy)
    if not any(wishes) and (found := served_at(log_path(args))):
        _say_here(found[0], log_path(args))
        return 0
    # Meanwhile the keeper starts: else the first page waits for both.
    from tablier import waiting  # not at each start

    waiting.beside(partial(import_module, "tablier.web.server"), "pages")
    with kept_log(args) as link:  # a log that cannot be kept is refused before anything is served
        from tablier.web.noted import WebError, make_room
        from tablier.web.server import serve
        from tablier.web.serving import Door

        cert, key = (None if path is None else Path(path) for path in (args.cert, args.key))
        with refusing(WebError):
            make_room(log_path(args))
            door = Door(args.port, args.lan, cert, key, tuple(args.names), args.proxy)
            serve(
                log_path(args),
                door,
                stays=True,
                ready=partial(_say_addresses, args=args),
                connected=link.close,  # the server's own connection stays
                archive=args.archive,
            )
    return 0


def _say_here(address: str, log: Path) -> None:
    from tablier.log.chain import LogError
    from tablier.web.starting import operator_part

    with refusing(LogError):
        key = operator_part(log)
    say(Text("{address} shows the games.", {"address": address}))
    if key:
        say(Text("{address}table{key} is for the operator.", {"address": address, "key": key}))


def _say_addresses(addresses: Sequence[str], args: argparse.Namespace) -> None:
    here, *others = addresses
    if args.proxy is not None:  # it has the first of the others
        here, others = others[0], others[1:]
    _say_here(here, log_path(args))
    if args.lan or args.names:
        said = all_of(others) if others else Text("no address is known")
        say(Text("On this network: {addresses}", {"addresses": said}))
        if others and show_qr(f"{others[0]}in"):
            about = {"log": log_option(log_path(args))}
            say(Text("Scanned by a phone this is where people come in; 'tablier invite{log}' shows the code.", about))
        warning = (
            "Without a certificate (--cert) neighbours on this network can read and change what goes over it: seats,"
            " their keys and secrets, and these pages themselves."
        )
        if args.lan and not args.cert:
            say(Text(warning))
    say(Text("Ctrl-C ends."), flush=True)


def show_qr(address: str, spare: int = 0) -> bool:
    """Show an address as a QR code if this is a terminal that can, with ``spare`` lines besides. Return whether it was
    shown."""
    from tablier.web.qr import blocks, in_colours

    lines = blocks(address)
    columns, rows = get_terminal_size()
    if not sys.stdout.isatty() or ascii_only() or len(lines[0]) > columns or len(lines) + spare > rows:
        return False
    for line in lines:
        sys.stdout.write(f"{in_colours(line)}\n")
    return True
