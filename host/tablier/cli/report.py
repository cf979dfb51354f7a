"""``tablier report``: a season as one page to keep."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from tablier.cli.archive import NEEDS, add_archive_option, opened
from tablier.cli.common import extra, path_name, progress, refusing, say
from tablier.cli.files import add_force_option, whole_file
from tablier.cli.stats import add_scope_options
from tablier.texts import Text

if TYPE_CHECKING:
    from tablier.cli.common import Commands


def register(commands: Commands) -> None:
    parser = commands.add_parser(
        "report",
        help="write a season of a club as one page of HTML",
        description="Writes what the games of an archive add up to as one page of HTML to keep, to share or to print:"
        " it has words, tables, plots and boards, no script, and refers to nothing outside it.",
    )
    add_scope_options(parser)
    parser.add_argument("--out", metavar="FILE", type=path_name, required=True, help="the page to write")
    add_force_option(parser)
    add_archive_option(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    with extra("archive", NEEDS):
        from tablier.archive.database import ArchiveError
        from tablier.archive.questions import Scope
        from tablier.report.page import SECTIONS, page
    scope = Scope(args.club, None, args.since, args.until)
    with (
        opened(args) as archive,
        refusing(ArchiveError),
        whole_file(args.out, force=args.force) as out,
        progress(Text("Report"), len(SECTIONS)) as step,
    ):
        out.write(page(archive, scope, lambda: step(1)))
    say(Text("The page is in {path}.", {"path": args.out}))
    return 0
