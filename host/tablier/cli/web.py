"""``tablier web``: the pages of a log, for browsers."""

from __future__ import annotations

import argparse
import threading
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from tablier.cli.common import CommandError, add_log_option, kept_log, log_path, path_name, refusing, say
from tablier.texts import Text, all_of

if TYPE_CHECKING:
    from tablier.cli.common import Commands
    from tablier.web.site import Site

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
        "--port", metavar="PORT", type=_port, help=f"the port to serve at (the first free one from {_PORT})"
    )
    web.add_argument(
        "--lan",
        action="store_true",
        help="for other machines of this network, too: without a certificate, neighbours can read and change what goes"
        " over it, secrets and keys of seats among it",
    )
    web.add_argument("--cert", metavar="FILE", type=path_name, help="serve by https, with this certificate (PEM)")
    web.add_argument("--key", metavar="FILE", type=path_name, help="the certificate's key, if that is in another file")
    add_log_option(web)
    web.set_defaults(run=_web)


def _port(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 1 <= int(text[:9]) <= 65535):
        raise argparse.ArgumentTypeError(f"{text!r}; allowed: 1 to 65535")
    return int(text)


def _web(args: argparse.Namespace) -> int:
    if args.key and not args.cert:
        raise CommandError("--key needs the certificate, too: --cert FILE")
    # Meanwhile the keeper starts: else the first page waits for both.
    threading.Thread(target=import_module, args=("tablier.web.server",), daemon=True).start()
    with kept_log(args) as link:  # a log that cannot be kept is refused before anything is served
        from tablier.web.noted import WebError
        from tablier.web.server import serve
        from tablier.web.serving import Door

        given = [None if path is None else Path(path) for path in (args.cert, args.key)]

        def ready(site: Site, addresses: Sequence[str]) -> None:
            site.on_ready = link.close  # its own connection stays
            _say_addresses(addresses, args, site.operator)

        with refusing(WebError):
            serve(log_path(args), Door(args.port, args.lan, *given), stays=True, ready=ready)
    return 0


def _say_addresses(addresses: Sequence[str], args: argparse.Namespace, operator: str) -> None:
    here, *others = addresses
    say(Text("{address} shows the games.", {"address": here}))
    if operator:
        say(Text("{address}table#operator={key} is for the operator.", {"address": here, "key": operator}))
    if args.lan:
        said = all_of(others) if others else Text("no address is known")
        say(Text("On this network: {addresses}", {"addresses": said}))
        warning = (
            "Without a certificate (--cert) neighbours on this network can read and change what goes over it: seats,"
            " their keys and secrets, and these pages themselves."
        )
        if not args.cert:
            say(Text(warning))
    say(Text("Ctrl-C ends."), flush=True)
