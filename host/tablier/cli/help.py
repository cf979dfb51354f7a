"""``tablier help``, ``rules``, ``manual``, ``completion`` and ``man``: how to use the commands, and how games go."""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Callable
from functools import partial
from itertools import groupby
from shutil import get_terminal_size
from textwrap import wrap
from typing import TYPE_CHECKING

from tablier.cli.common import COLUMNS, refusing, say
from tablier.cli.completion import SHELLS
from tablier.cli.game import add_game_argument
from tablier.printable import ascii_only
from tablier.texts import ENGLISH, Text, language

if TYPE_CHECKING:
    from tablier.cli.common import Commands
    from tablier.cli.parsing import Parser


def register(commands: Commands) -> None:
    help_ = commands.add_parser("help", help="show the help of a command", description="Shows the help of a command.")
    help_.add_argument("words", metavar="COMMAND", nargs="*", help="such as play, or log show (none: all commands)")
    help_.set_defaults(run=_help)
    rules = commands.add_parser("rules", help="show the rules of a game", description="Shows the rules of a game.")
    add_game_argument(rules)
    rules.set_defaults(run=_rules)
    manual = commands.add_parser(
        "manual",
        help="show the manual, page by page",
        description="Shows a page of the manual; without a name, lists the pages.",
    )
    manual.add_argument("page", metavar="PAGE", nargs="?", help="such as playing, evening, log or bots")
    manual.set_defaults(run=_manual)
    completion = commands.add_parser(
        "completion",
        help="print what completes commands in a shell",
        description="Prints what makes a shell complete commands, options and games. For bash, in ~/.bashrc: eval"
        ' "$(tablier completion bash)". For zsh, in ~/.zshrc, after compinit: eval "$(tablier completion zsh)". For'
        " fish: tablier completion fish > ~/.config/fish/completions/tablier.fish",
    )
    completion.add_argument("shell", metavar="SHELL", choices=SHELLS, help=", ".join(SHELLS))
    completion.set_defaults(run=_completion)
    man = commands.add_parser(
        "man",
        help="print the manual page",
        description="Prints the manual page, as man reads it: tablier man > ~/.local/share/man/man1/tablier.1",
    )
    man.set_defaults(run=_man)


def _parser() -> Parser:
    from tablier.cli.main import build_parser

    return build_parser()


def _help(args: argparse.Namespace) -> int:
    from tablier.cli.parsing import parser_of

    parser_of(_parser(), args.words).print_help()
    return 0


def _rules(args: argparse.Namespace) -> int:
    from tablier.games.core import OptionError
    from tablier.screens.paper import rules_page

    with refusing(OptionError):
        _show_page(partial(rules_page, args.game))
    return 0


def _manual(args: argparse.Namespace) -> int:
    from tablier.cli.contents import page, pages
    from tablier.names import without_accents

    if args.page is None:
        found = pages()
        width = max(map(len, found)) + 2
        for translated, part in groupby(found.values(), key=lambda each: each.translated):
            if not translated and language() is not ENGLISH:
                say("", Text("In English:"))
            say(*(f"{each.name:<{width}}{each.title}" for each in part))
        return 0
    from tablier.screens.paper import markdown_page

    names = {without_accents(name): name for name in pages()}

    def shown_by(link: re.Match[str]) -> str:
        about = {"title": link[1], "name": names.get(link[2], "")}
        return str(Text("{title} (`tablier manual {name}`)", about)) if link[2] in names else link[0]

    text = re.sub(r"\[([^]]+)\]\((?:\.\./)?([\w-]+)\.md(?:#[^)]*)?\)", shown_by, page(args.page).text)

    def drawn(width: int, *, colour: bool) -> str:
        return markdown_page(_comments_above(text, width), width, colour=colour)

    _show_page(drawn)
    return 0


_COMMENTED = re.compile(r"(\S.*?)\s{2,}# (.*)")
"""A line of a shell's commands with a comment after it."""


def _comments_above(text: str, width: int) -> str:
    """Return a page in which the comments of commands that are too long for a line stand above them: the end of one
    alone would read as a command."""
    lines, code = [], False
    for line in text.splitlines():
        code = code != line.startswith("```")
        found = _COMMENTED.fullmatch(line) if code and len(line) > width - 2 else None
        if found is None:
            lines.append(line)
        else:
            lines += [*wrap(found[2], width - 2, initial_indent="# ", subsequent_indent="# "), found[1]]
    return "\n".join(lines) + "\n"


def _show_page(draw: Callable[..., str]) -> None:
    """Show a page that is drawn for a width, with ``colour`` or without; in a terminal by a pager if it is long."""
    at_terminal = sys.stdout.isatty()
    size = get_terminal_size((COLUMNS, 24))
    plain = "NO_COLOR" in os.environ or os.environ.get("TERM", "dumb") == "dumb"
    page = draw(min(size.columns, COLUMNS), colour=at_terminal and not plain)
    if at_terminal and sys.stdin is not None and sys.stdin.isatty() and page.count("\n") >= size.lines:
        from pydoc import pager

        from tablier.screens.signs import in_ascii

        os.environ.setdefault("LESS", "FRX")  # colours, as git has them
        pager(in_ascii(page) if ascii_only() else page)
    else:
        sys.stdout.write(page)


def _completion(args: argparse.Namespace) -> int:
    from argcomplete.shell_integration import shellcode

    sys.stdout.write(shellcode(["tablier"], shell=args.shell))
    return 0


def _man(args: argparse.Namespace) -> int:
    from tablier.cli.manual import manual

    sys.stdout.write(manual(_parser()))
    return 0
