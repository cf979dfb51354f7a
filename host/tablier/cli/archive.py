"""``tablier archive``: the ended games of many logs in one database."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from tablier.cli.common import (
    SAID,
    CommandError,
    FoundWrong,
    add_json_option,
    add_yes_option,
    confirm,
    extra,
    is_terminal,
    log_path,
    path_name,
    progress,
    refusing,
    say,
    say_json,
    say_wrapped,
)
from tablier.cli.files import add_force_option
from tablier.cli.signals import fatal_interrupt
from tablier.printable import is_printable
from tablier.texts import Failure, Text, Unsound, all_of, counted

if TYPE_CHECKING:
    from tablier.archive.database import Archive
    from tablier.archive.listing import Club, HeldLog
    from tablier.archive.logs import Added
    from tablier.cli.common import Commands

ARCHIVE_VARIABLE = "TABLIER_ARCHIVE"
NEEDS = Text("an archive needs more packages")
_NOT_ALL = Text("not everything was added; what was left out is named above")
_NAMES_STAY = Text(
    "  another program reads the archive: names that were changed, forgotten or taken out stay in its files until it"
    " ends"
)


def register(commands: Commands) -> None:
    group = commands.add_parser(
        "archive",
        help="collect the ended games of many logs and clubs in one database",
        description="An archive holds the ended games of many logs: one SQLite file, or a database of PostgreSQL.",
    )
    actions = group.add_subparsers(dest="action", metavar="ACTION", required=True, title="actions")
    add = actions.add_parser(
        "add",
        help="add the ended games of logs",
        description="Verifies each log and adds its ended games in one transaction. A log that was added before adds"
        " what is new in it; names that were changed or forgotten since are so in the archive. A game that does not"
        " verify is named and left out; a log that is not whole, or that is a copy in which other games were played, is"
        " left out altogether; with --copy, such a copy is added, too.",
    )
    add.add_argument("logs", metavar="LOG", nargs="*", type=_log_name, help="logs (default: the one of 'tablier log')")
    add.add_argument("--club", metavar="CLUB", type=club_name, help="whose logs they are (asked, or as before)")
    add.add_argument(
        "--copy",
        action="store_true",
        help="also copies of a log in which other games were played: games that both have count once",
    )
    add_archive_option(add, "--to")
    add.set_defaults(run=_add, log=None)
    remove = actions.add_parser(
        "remove",
        help="take logs, or a whole club, out again",
        description="Takes the games of logs out of the archive, each log in one transaction, with all that they count"
        " for; the logs themselves stay as they are and can be added again, under another club too. With --club, takes"
        " out a club with all its logs and simulated campaigns. Nothing of them is kept: a club without logs is not"
        " listed any more, and an older copy of a log would bring back a name that was forgotten since.",
    )
    remove.add_argument("logs", metavar="LOG", nargs="*", type=_log_name, help="logs, or copies of them")
    remove.add_argument(
        "--club", dest="clubs", metavar="CLUB", type=club_name, action="append", help="a club with everything in it"
    )
    add_yes_option(remove)
    add_archive_option(remove)
    remove.set_defaults(run=_remove)
    rename = actions.add_parser("rename", help="give a club another name")
    rename.add_argument("club", metavar="CLUB", type=club_name)
    rename.add_argument("new", metavar="NEW", type=club_name)
    add_archive_option(rename)
    rename.set_defaults(run=_rename)
    listing = actions.add_parser(
        "list",
        help="the clubs and their logs, with when each was added last",
        description="The clubs and their logs: the name of the file that was added last and when, how many entries were"
        " read, how many games are in the archive.",
    )
    said = listing.add_mutually_exclusive_group()
    add_json_option(said)
    said.add_argument("--csv", action="store_true", help="print a line of CSV for each log")
    add_archive_option(listing)
    listing.set_defaults(run=_list)
    export = actions.add_parser(
        "export",
        help="write all games as Parquet files",
        description="Writes games and seats as Parquet, in a folder a game and a year, for DuckDB, Spark and others.",
    )
    export.add_argument("--parquet", metavar="DIR", type=path_name, required=True, help="a folder, which is made")
    add_force_option(export)
    add_archive_option(export)
    export.set_defaults(run=_export)


def add_archive_option(parser: argparse.ArgumentParser, *others: str) -> None:
    """Add ``--archive WHERE``, also under other names."""
    parser.add_argument(
        *others,
        "--archive",
        dest="archive",
        metavar="WHERE",
        type=path_name,
        help="a file, or postgresql://NAME@HOST/DATABASE (default: $TABLIER_ARCHIVE, or a file beside the log)",
    )


def _log_name(text: str) -> str:
    """Return an argument that names a log; refuse the address of an archive."""
    if "://" in text:
        raise argparse.ArgumentTypeError(str(Text("a log is a file; the address of an archive stands after --to")))
    return path_name(text)


def club_name(text: str) -> str:
    """Return an argument that names a club; refuse one that an archive cannot hold, or that nobody could read."""
    from tablier.archive import CLUB_MAX

    name = unicodedata.normalize("NFC", text).strip()
    if not 0 < len(name) <= CLUB_MAX or not is_printable(name):
        raise argparse.ArgumentTypeError(
            str(Text("the name of a club has 1 to {most} characters that can be printed", {"most": CLUB_MAX}))
        )
    return name


def archive_of(args: argparse.Namespace) -> str:
    """Return the file or the address that ``--archive``, the environment or the platform names."""
    given = args.archive or os.environ.get(ARCHIVE_VARIABLE)
    return given or str(log_path(argparse.Namespace(log=None)).with_name("archive.db"))


@contextmanager
def opened(args: argparse.Namespace, *, create: bool = False, write: bool = False) -> Iterator[Archive]:
    """Give the archive that the options name; what it refuses is a :class:`CommandError`.

    :param create: make it where there is none.
    :param write: open one that is there for changes.
    """
    with extra("archive", NEEDS):
        from tablier.archive.database import Archive, ArchiveError
    where = archive_of(args)
    if create and not (args.archive or os.environ.get(ARCHIVE_VARIABLE)):
        Path(where).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with refusing(ArchiveError):
        if write:
            Archive.open(where).close()  # which makes none
        with Archive.open(where, create=create or write) as archive:
            yield archive


def _add(args: argparse.Namespace) -> int:
    logs = args.logs or [log_path(args)]
    # SQLite's wait for a lock, and one for a server that is gone, could not be interrupted otherwise. What is not
    # committed goes with the process.
    with fatal_interrupt():
        _check_some(args, logs)
        failed = _add_logs(args, logs, _clubs_of(args, logs))
    if failed is not None:
        raise failed(_NOT_ALL)
    return 0


def _clubs_of(args: argparse.Namespace, logs: Sequence[str | Path]) -> list[str]:
    """Return the club of each log: the one that is named, else that as whose log it was added before; ask for it at a
    terminal where there is none. Raise :class:`CommandError` where nobody can be asked."""
    if args.club is not None:
        return [args.club] * len(logs)
    known, clubs = _known_clubs(args, logs)
    unknown = [str(path) for path, club in zip(logs, known, strict=True) if club is None]
    if not unknown:
        return [club or "" for club in known]
    about = {"logs": unknown, "clubs": clubs or Text("none yet")}
    if not is_terminal():
        raise CommandError("{logs}: of which club? Name it with --club CLUB; clubs of the archive: {clubs}", **about)
    say_wrapped(Text("{logs}: of which club? Clubs of the archive: {clubs}.", about))
    try:
        club = club_name(input(f"{Text('Club:')} "))
    except (EOFError, argparse.ArgumentTypeError):
        raise CommandError("nothing was added: a log is added as that of a club, as with --club Beaune") from None
    return [club if each is None else each for each in known]


def _known_clubs(args: argparse.Namespace, logs: Sequence[str | Path]) -> tuple[list[str | None], list[str]]:
    """Return the club as whose log each was added before, and all clubs of the archive. A log that cannot be read has
    one that is empty: why it cannot is said when it is to be added."""
    where = archive_of(args)
    if "://" not in where and not (Path(where).exists() and Path(where).stat().st_size):
        return [None] * len(logs), []
    with opened(args, create="://" in where) as archive:
        from tablier.archive.listing import club_of_log, clubs
        from tablier.log.chain import LogError

        found: list[str | None] = []
        for path in logs:
            try:
                found.append(club_of_log(archive, path))
            except LogError:
                found.append("")
        return found, [club.name for club in clubs(archive)]


def _check_some(args: argparse.Namespace, logs: Sequence[str | Path]) -> None:
    """Refuse logs of which none can be added, before a file is made for them."""
    where = archive_of(args)
    if "://" in where or (Path(where).exists() and Path(where).stat().st_size):
        return
    with extra("archive", NEEDS):
        from tablier.archive.logs import check_log
    refused: list[Failure] = []
    for path in logs:
        try:
            check_log(path)
        except Failure as error:
            refused.append(error)
        else:
            return
    for each in refused:
        _say_refused(each, logs)
    raise (FoundWrong if any(isinstance(each, Unsound) for each in refused) else CommandError)(_NOT_ALL)


def _say_refused(error: Failure, logs: Sequence[str | Path]) -> None:
    """Say why a log cannot be added or taken out; of the only one, this is all there is to say."""
    if len(logs) == 1:
        with refusing(Failure):
            raise error
    say(SAID.of(text=error.text), file=sys.stderr)


def _add_logs(args: argparse.Namespace, logs: Sequence[str | Path], clubs: Sequence[str]) -> type[CommandError] | None:
    """Add logs, each of a club, and say what came of each. Return the error where something was left out."""
    failed: type[CommandError] | None = None
    with opened(args, create=True) as archive:
        from tablier.archive.logs import add_log

        for path, club in zip(logs, clubs, strict=True):
            try:
                added = add_log(archive, path, club, copy=args.copy)
            except Failure as error:
                _say_refused(error, logs)
                failed = FoundWrong if isinstance(error, Unsound) else failed or CommandError
                continue
            _say_added(path, added)
            failed = FoundWrong if added.refused else failed
    return failed


def _say_added(path: str | Path, added: Added) -> None:
    """Print what came of a log."""
    if added.older:
        say(Text("{path}: nothing new; more of this log was added before", {"path": path}), flush=True)
        return
    parts = [counted(len(added.new), "{count} new game", "{count} new games")]
    if added.changed:
        parts.append(counted(len(added.changed), "{count} changed", "{count} changed"))
    if gone := len(added.removed):
        parts.append(counted(gone, "{count} taken out", "{count} taken out"))
    if added.same:
        parts.append(counted(len(added.same), "{count} as before", "{count} as before"))
    if others := len(added.elsewhere):
        parts.append(counted(others, "{count} that counts with another copy", "{count} that count with another copy"))
    if running := len(added.running):
        parts.append(counted(running, "{count} that has not ended", "{count} that have not ended"))
    said = Text("{path}: {parts}", {"path": path, "parts": all_of(parts)})
    if names := _names_changed(added):
        said = Text("{games}; names were brought up to date: {names}", {"games": said, "names": all_of(names)})
    say(said, flush=True)  # an interrupt would lose it
    if added.namesakes:
        about = {"names": all_of(added.namesakes), "club": added.club, "word": shlex.quote(str(path))}
        text = Text(
            "  {names}: so are people of another log of {club} called, who are counted apart. If they are the same,"
            " 'tablier people take {word} --log OTHER', then add OTHER again",
            about,
        )
        say(text, flush=True)
    for sentence in added.played_as if added.new or added.changed or names else ():
        say(Text("  {sentence}", {"sentence": sentence}))
    if added.names_stay:
        say(_NAMES_STAY, file=sys.stderr)
    for why in added.refused:
        say(Text("  {why}", {"why": why}), file=sys.stderr)


def _names_changed(added: Added) -> list[Text]:
    """Return how many people are named otherwise than before."""
    parts = []
    if added.renamed:
        parts.append(counted(added.renamed, "{count} person renamed", "{count} people renamed"))
    if added.merged:
        parts.append(counted(added.merged, "{count} person merged", "{count} people merged"))
    if added.forgotten:
        parts.append(counted(added.forgotten, "{count} person forgotten", "{count} people forgotten"))
    return parts


def _remove(args: argparse.Namespace) -> int:
    if args.logs and args.clubs:
        raise CommandError("logs and --club cannot be given together: take the logs out first, then the club")
    if not (args.logs or args.clubs):
        raise CommandError("nothing is named: name logs, or a club with --club CLUB")
    with fatal_interrupt(), opened(args, write=True) as archive:
        for club in args.clubs or ():
            _remove_club(args, archive, club)
        if _remove_logs(archive, args.logs):
            raise CommandError("not every log was taken out; those that were not are named above")
    return 0


def _remove_club(args: argparse.Namespace, archive: Archive, name: str) -> None:
    from tablier.archive.correcting import remove_club
    from tablier.archive.listing import clubs

    for each in clubs(archive):
        if each.name == name:
            about = {"club": name, "parts": all_of(_parts(each))}
            confirm(args, Text("{club} is to be taken out: {parts}.", about))

    club, names_stay = remove_club(archive, name)
    say(Text("{club}: {parts} taken out", {"club": club.name, "parts": all_of(_parts(club))}), flush=True)
    if names_stay:
        say(_NAMES_STAY, file=sys.stderr)


def _remove_logs(archive: Archive, logs: Sequence[str]) -> bool:
    """Take logs out, and say what came of each. Return True if one was not there."""
    from tablier.archive.correcting import remove_log

    failed = False
    for path in logs:
        try:
            removed = remove_log(archive, path)
        except Failure as error:
            _say_refused(error, logs)
            failed = True
            continue
        about = {"path": path, "club": removed.club}
        said = counted(
            removed.games,
            "{path}: {count} game of {club} taken out",
            "{path}: {count} games of {club} taken out",
            **about,
        )
        if removed.copies:
            one, many = "{games}, with those of {count} copy", "{games}, with those of {count} copies"
            said = counted(removed.copies, one, many, games=said)
        if removed.club_went:
            said = Text("{games}; nothing else was there of this club", {"games": said})
        elif removed.shared:
            text = "{games}; {people} with games in other logs keep their names as they are until those are added again"
            people = _people(removed.shared)
            said = Text(text, {"games": said, "people": people})
        say(said, flush=True)
        if removed.names_stay:
            say(_NAMES_STAY, file=sys.stderr)
    return failed


def _rename(args: argparse.Namespace) -> int:
    with fatal_interrupt(), opened(args, write=True) as archive:
        from tablier.archive.correcting import rename_club

        rename_club(archive, args.club, args.new)
    text = "{club} is called {new} now; add its logs with --club={word}"
    say(Text(text, {"club": args.club, "new": args.new, "word": shlex.quote(args.new)}))
    return 0


def _list(args: argparse.Namespace) -> int:
    with opened(args) as archive:
        from tablier.archive.listing import clubs, logs

        found, held = clubs(archive), logs(archive)
    if args.json:
        keys = ("name", "logs", "campaigns", "games", "people")
        about = [{"club" if key == "name" else key: getattr(club, key) for key in keys} for club in found]
        for each in about:
            each["files"] = [_log_json(log) for log in held if log.club == each["club"]]
        say_json(about)
        return 0
    if args.csv:
        from tablier.cli.spreadsheet import csv_text

        rows = [[log.club, *_log_json(log).values()] for log in held]
        say(*csv_text([["club", *_LOG_KEYS], *rows]).splitlines())
        return 0
    if not found:
        say(Text("No club has added a log yet."))
    for club in found:
        say_wrapped(Text("{club}: {parts}", {"club": club.name, "parts": all_of(_parts(club))}))
        for log in held:
            if log.club == club.name:
                say_wrapped(Text("  {text}", {"text": _log_text(log, held)}))
    return 0


_LOG_KEYS = ("log", "file", "added", "entries", "games", "copy_of")


def _log_json(log: HeldLog) -> dict[str, str | int | None]:
    added = None
    if log.added is not None:
        from datetime import UTC, datetime

        added = datetime.fromtimestamp(log.added // 1_000_000, UTC).isoformat().replace("+00:00", "Z")
    return dict(zip(_LOG_KEYS, (log.log, log.file, added, log.entries, log.games, log.copy_of), strict=True))


def _log_text(log: HeldLog, held: Sequence[HeldLog]) -> Text:
    """Return which log was added, and when. One that was added by an earlier version is named by its hash."""
    from tablier.games.core import games_text

    games = games_text(log.games)
    file: str | Text = log.file or Text("log {hash}", {"hash": f"{log.log[:12]}…"})
    if others := [each.file for each in held if log.copy_of == each.log and each.file is not None]:
        file = Text("{file}, a copy of {other}", {"file": file, "other": others[0]})
    if log.added is None:
        return Text("{file}: {games}", {"file": file, "games": games})
    from datetime import datetime

    from tablier.screens.evenings import moment

    date = moment(datetime.fromtimestamp(log.added / 1e6).astimezone())
    return Text("{file}: {games}, added last {date}", {"file": file, "games": games, "date": date})


def _people(count: int) -> Text:
    return counted(count, "{count} person", "{count} people")


def _parts(club: Club) -> list[Text]:
    """Return how many logs, campaigns, games and people there are of a club."""
    from tablier.games.core import games_text

    sources = [counted(club.logs, "{count} log", "{count} logs")] if club.logs or not club.campaigns else []
    if club.campaigns:
        sources.append(counted(club.campaigns, "{count} simulated campaign", "{count} simulated campaigns"))
    games = games_text(club.games)
    return [*sources, games, _people(club.people)]


def _export(args: argparse.Namespace) -> int:
    with opened(args) as archive:
        from tablier.archive.database import ArchiveError
        from tablier.archive.listing import clubs
        from tablier.archive.parquet import export

        there = sum(club.games for club in clubs(archive))
        with refusing(ArchiveError), progress(Text("Writing"), there) as step:
            games = export(archive, Path(args.parquet), force=args.force, done=step)
    say(counted(games, "{folder}: {count} game", "{folder}: {count} games", folder=args.parquet))
    return 0
