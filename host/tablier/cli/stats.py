"""``tablier stats``: what the games of an archive add up to."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from contextlib import suppress
from datetime import date, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from tablier.cli.archive import NEEDS, add_archive_option, club_name, opened
from tablier.cli.common import extra, iso_day, output, path_name, refusing, say, say_json
from tablier.cli.files import add_force_option, check_writable, write_text
from tablier.cli.game import add_of_game_option
from tablier.cli.spreadsheet import csv_text, sheet_text
from tablier.printable import printable
from tablier.texts import TextError

if TYPE_CHECKING:
    from tablier.archive.questions import Answer
    from tablier.cli.common import Commands

QUESTIONS = ("results", "against", "ratings", "evenings", "lengths", "endings", "play", "dice", "tables")
"""Those of :data:`tablier.archive.questions.QUESTIONS`, which are there with the extra alone."""


def register(commands: Commands) -> None:
    parser = commands.add_parser(
        "stats",
        help="what the games of an archive add up to",
        description="Answers a question about the games of an archive: results, head to head (against), ratings,"
        " evenings, lengths, endings, how people play, whether dice are fair, what tables went through. Without one,"
        " all of them.",
    )
    parser.add_argument("question", metavar="QUESTION", nargs="?", choices=QUESTIONS, help=" ".join(QUESTIONS))
    add_scope_options(parser)
    add_of_game_option(parser)
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print the tables as JSON")
    form.add_argument("--csv", action="store_true", help="print the tables as CSV, one after the other")
    form.add_argument(
        "--sheets", metavar="DIR", type=path_name, help="write each table to a file for spreadsheets there"
    )
    add_force_option(parser)
    add_archive_option(parser)
    parser.set_defaults(run=run)


def add_scope_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that say which games are asked about."""
    parser.add_argument("--club", metavar="CLUB", type=club_name, help="the games of this club (default: all)")
    parser.add_argument("--since", metavar="MONTH", type=_since, help="from this month on, such as 2026-09")
    parser.add_argument("--until", metavar="MONTH", type=_until, help="up to this month")


def _since(text: str) -> int:
    """Return the month from which on games count: 2026-09, or its first day."""
    day = iso_day(text)
    return _month(day[:7] if re.fullmatch(r"\d{4}-\d\d-01", day) else text)


def _until(text: str) -> int:
    """Return the month up to which games count: 2026-09, or its last day."""
    with suppress(ValueError):
        if ((day := date.fromisoformat(iso_day(text))) + timedelta(1)).day == 1:
            return _month(f"{day:%Y-%m}")
    return _month(text)


def _month(text: str) -> int:
    """Return a month such as 2026-09 as 202609."""
    from tablier.archive.months import read_month

    try:
        return read_month(text)
    except TextError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def run(args: argparse.Namespace) -> int:
    with extra("archive", NEEDS):
        from tablier.archive.database import ArchiveError
        from tablier.archive.questions import NO_GAMES, Scope, ask, nothing
    scope = Scope(args.club, args.game, args.since, args.until)
    with opened(args) as archive, refusing(ArchiveError):
        wanted = [args.question] if args.question else QUESTIONS
        answers = [answer for question in wanted for answer in ask(archive, question, scope)]
        found = any(answer.rows for answer in answers)
        none = nothing(archive, args.question, scope) if args.question and not found else NO_GAMES
    if args.json:
        _print_json(answers)
    elif args.csv:
        _print_csv(answers)
    elif found and args.sheets:
        _write_sheets(answers, Path(args.sheets), force=args.force)
    elif found:
        _print_tables(answers)
    else:
        say(none)
    return 0


def _print_json(answers: Sequence[Answer]) -> None:
    said = {answer.key: answer._replace(rows=answer.plain).by_key for answer in answers}
    say_json(said)


def _print_csv(answers: Sequence[Answer]) -> None:
    rows: list[Sequence[str | int | float | None]] = []
    for answer in answers:
        rows.append(["table", *(column.key for column in answer.columns)])
        rows += [[answer.key, *row] for row in answer.plain]
    say(*csv_text(rows).splitlines())


def _write_sheets(answers: Sequence[Answer], folder: Path, *, force: bool) -> None:
    """Write each table to a file of its own, in a folder that is made."""
    paths = [str(folder / f"{answer.key}.csv") for answer in answers if answer.rows]
    with refusing(OSError):
        folder.mkdir(exist_ok=True)
    check_writable(*paths, force=force)
    for path, answer in zip(paths, (answer for answer in answers if answer.rows), strict=True):
        write_text(path, sheet_text(answer), force=force)
        say(path)


def _print_tables(answers: Sequence[Answer]) -> None:
    from textwrap import wrap

    from rich.table import Table

    console = output()
    for answer in (each.for_people for each in answers if each.rows):
        console.print(printable(str(answer.title)), style="bold")
        table = Table(box=None, pad_edge=False)
        for column, cells in zip(answer.columns, zip(*answer.rows, strict=True), strict=True):
            right = all(isinstance(cell, int | float) for cell in cells if cell is not None)
            table.add_column(str(column.head), justify="right" if right else "left")
        for row in answer.rows:
            table.add_row(*(column.shown(cell) for column, cell in zip(answer.columns, row, strict=True)))
        console.print(table)
        for note in answer.notes:
            lines = wrap(printable(str(note)), console.width, break_on_hyphens=False)  # Rich breaks at every space
            console.print("\n".join(lines), style="dim")
        console.print()
