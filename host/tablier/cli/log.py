"""``tablier log``: what the log holds, and copies of it."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from tablier.cli import analyse, season
from tablier.cli.common import (
    COLUMNS,
    CommandError,
    FoundWrong,
    add_json_option,
    add_log_option,
    add_yes_option,
    confirm,
    kept_log,
    local,
    log_path,
    names_log,
    open_log,
    path_name,
    read_log,
    refusing,
    say,
    say_json,
)
from tablier.cli.files import add_force_option, write_text
from tablier.cli.workers import add_jobs_option, processes
from tablier.printable import printable
from tablier.texts import Failure, Text, Unsound, counted, render, source_text, spelled, text_of
from tablier.usual import log_option

if TYPE_CHECKING:
    from tablier.cli.common import Commands
    from tablier.judge.audit import Report
    from tablier.judge.redaction import Story, Told
    from tablier.log.people import Names
    from tablier.log.store import Log
    from tablier.texts import Json


def register(commands: Commands) -> None:
    group = commands.add_parser(
        "log",
        help="list, show, analyse, export, verify, abandon, back up and restore what was logged",
        description="the log",
    )
    actions = group.add_subparsers(dest="action", metavar="ACTION", required=True, title="actions")
    season.register(actions)
    show = actions.add_parser("show", help="the story of a game, an evening or a series")
    export = actions.add_parser(
        "export", help="the record of a game", description="the record of a game; of a running one, what is public"
    )
    for parser in (show, export):
        parser.add_argument("game", metavar="NUMBER", nargs="?", type=int, help="its number (default: the latest)")
        parser.add_argument("--reveal", action="store_true", help="show secrets too; this is logged first")
    wider = show.add_mutually_exclusive_group()
    wider.add_argument("--evening", metavar="N", type=int, help="an evening: who came and went, and its games")
    wider.add_argument("--series", metavar="N", type=int, help="a series: its games, and who has won how many")
    add_json_option(show)
    show.add_argument("--all", action="store_true", help="every entry: also what was asked, and what the table sent")
    export.add_argument("--out", metavar="FILE", type=path_name, help="write to this file instead of standard output")
    add_force_option(export)
    analyse.register(actions)
    verify = actions.add_parser(
        "verify",
        help="check that nothing was changed, damaged or taken out",
        description="Check that nothing was changed, damaged or taken out, and run every game again. Exit status: 0,"
        " everything was checked and follows; 1, something does not; 2, the log could not be read, or the command is"
        " wrong; 3, nothing wrong was found, but not everything could be checked: of a game of other"
        " versions the questions, of one that is not installed nothing but the chain, of a table the events and rolls"
        " that are missing.",
    )
    abandon = actions.add_parser(
        "abandon",
        help="have a game that was left count nowhere",
        description="Has a game that is not over, as one begun by mistake, count nowhere: it stays in the log, as"
        " abandoned, and cannot be resumed. This cannot be undone. The result of a game that is over stays.",
    )
    abandon.add_argument("game", metavar="NUMBER", type=int, help="its number; 'tablier log list' shows it")
    add_yes_option(abandon)
    backup = actions.add_parser(
        "backup",
        help="copy the log to a new file",
        description="Copy the log to a new file and verify the copy. A game may be running; its log must not be copied"
        " by other programs then.",
    )
    backup.add_argument("out", metavar="FILE", type=path_name, help="the copy")
    backup.add_argument("--force", action="store_true", help="replace an earlier copy of this log, and nothing else")
    restore = actions.add_parser(
        "restore",
        help="put a backup in the place of the log",
        description="Puts a backup in the place of the log. Before anything changes, the backup is verified, each of"
        " its games is run again, and it is compared with the log: it has to be a copy of that, and what the log has"
        " after it is said; with --other, it may be the backup of another log. Nobody may be using the log: end its"
        " keeper first ('tablier keeper --end'). The log is kept under another name, which is printed. Exit status 1 if"
        " the backup does not follow.",
    )
    restore.add_argument("backup", metavar="FILE", type=path_name, help="the backup, which stays as it is")
    restore.add_argument(
        "--other", action="store_true", help="also the backup of another log, or a copy that was used on its own"
    )
    add_yes_option(restore)
    verify.add_argument("--head", metavar="HASH", help="a head that was shown: the log must still hold it")
    said = verify.add_mutually_exclusive_group()
    add_json_option(said)
    for each in (said, backup):
        each.add_argument("--quiet", action="store_true", help="print errors alone, as for a nightly job")
    add_jobs_option(verify)
    for parser in actions.choices.values():
        add_log_option(parser)
        parser.set_defaults(run=run)
    restore.set_defaults(run=_restore)
    abandon.set_defaults(run=_abandon)


_ALONE = 20_000
"""Up to this number of entries one process verifies as fast as several."""
_LISTS = ("list", "standings")
NOT_CHECKED = 3
"""The exit status of ``verify`` when it found nothing wrong, but could not check everything."""


def run(args: argparse.Namespace) -> int:
    from tablier.log.chain import LogError

    with refusing(LogError):
        if getattr(args, "reveal", False):
            _log_reveal(args)
        with read_log(args) as log:
            try:
                status = _ACTIONS[args.action](log, args) or 0
                if args.action in _LISTS:  # they read few entries
                    sys.stdout.flush()
                    log.check_recent()
                return status
            except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
                if isinstance(error, Failure):
                    raise
                raise FoundWrong(
                    "{path}: an entry is malformed ({error}); 'tablier log verify{log}' names it",
                    path=log.path,
                    log=log_option(log.path),
                    error=repr(error),
                ) from error


def _log_reveal(args: argparse.Namespace) -> None:
    """Log ``--reveal`` before anything is shown."""
    with open_log(args, create=False) as log:
        args.game = log.game(args.game).id
        log.append(args.game, "reveal", {"by": f"tablier log {args.action}"})


# -- show ------------------------------------------------------------------------------------------


def _show(log: Log, args: argparse.Namespace) -> None:
    from tablier.judge.redaction import story

    if args.evening is not None or args.series is not None:
        wider = "--evening" if args.evening is not None else "--series"
        for name, given in (("NUMBER", args.game is not None), ("--all", args.all), ("--reveal", args.reveal)):
            if given:
                raise CommandError("{wider} shows no single game: leave out {name}", wider=wider, name=name)
        if args.evening is not None:
            season.show_evening(log, args.evening, json=args.json)
        else:
            season.show_series(log, args.series, json=args.json)
        return
    told = story(log, log.game(args.game), reveal=args.reveal)
    if args.json:
        say_json(_story_json(told, log.names(), args.all))
        return
    for line in _lines(told, args.all):
        say(line.rstrip())


_RAW = frozenset(("ask", "commitment", "opening", "reply", "run", "seed", "table"))
"""Kinds of entries that say how something came about, not what."""
_WHAT = 24
"""The most columns of moves that have their story beside them. A longer story stands below its move."""


def _shown(story: Story, everything: bool) -> list[Told]:
    return [told for told in story.told if everything or told.entry.kind not in _RAW]


def _story_json(story: Story, names: Names, everything: bool) -> Json:
    """Return a game with its entries. What a seat still keeps secret is ``null``, and ``secret`` says so."""
    return {
        **season.game_json(story.info, names),
        "options": story.info.options,
        "entries": [_entry_json(told, story.info.names) for told in _shown(story, everything)],
    }


def _entry_json(told: Told, names: Sequence[str]) -> Json:
    entry, is_move = told.entry, told.entry.kind in ("move", "prelude")
    return {
        "entry": entry.n,
        "at": entry.at,
        "kind": entry.kind,
        "move": told.text,
        "undone": told.undone,
        "secret": told.withheld,
        "body": None if is_move or told.withheld else entry.body,
        "says": list(told.sentences) or ([] if is_move else [_what(told, names)]),
    }


def _lines(story: Story, everything: bool) -> Iterator[str]:
    from rich.cells import cell_len

    from tablier.games import title_of
    from tablier.screens.evenings import moment, outcome
    from tablier.screens.paper import wrapped

    info = story.info
    shown = _shown(story, everything)
    args = {"id": info.id, "game": title_of(info.game), "date": moment(local(info.started))}
    heading = str(Text("Game {id}: {game}, begun {date}, {outcome}", {**args, "outcome": outcome(info)}))
    yield from wrapped(heading, COLUMNS, rest="    ")
    for number, seat in enumerate(info.seats, 1):
        args = {"seat": f"p{number}", "name": seat.get("name"), "place": seat.get("place")}
        args["source"] = source_text(str(seat.get("source")))
        away = Text("{seat} {name} ({source})", args)  # a game without a table has no places
        sits = Text("{seat} {name} (place {place}, {source})", args) if seat.get("place") else away
        yield from wrapped(str(sits), COLUMNS, "  ", "    ")
    if info.options:
        options = [
            f"{key} {value if isinstance(value, str) else _compact(value)}" for key, value in info.options.items()
        ]
        yield from wrapped(str(Text("options: {options}", {"options": options})), COLUMNS, "  ", "    ")
    whats = [_what(told, info.names) for told in shown]
    width = max((len(what) for what, told in zip(whats, shown, strict=True) if told.sentences), default=0)
    width = min(width, _WHAT)
    stand = 0  # moves, so far
    for what, told in zip(whats, shown, strict=True):
        nth = ""
        if told.entry.kind == "takeback":
            stand = told.entry.body["to"]
        elif told.entry.kind == "move":
            stand += 1
            nth = f"{stand}."
        at = f"{told.entry.n:>7}  {local(told.entry.at):%H:%M:%S}"
        head, said = f"{at}  {nth:>4}  ", " ".join(told.sentences)
        line = f"{head}{what:<{width}}  {said}".rstrip()
        if cell_len(printable(line)) <= COLUMNS:
            yield line
            continue
        indent = " " * (len(head) + 2)
        yield from wrapped(what, COLUMNS, head, indent)
        yield from wrapped(said, COLUMNS, indent, indent) if said else ()
    if withheld := sum(told.withheld for told in shown):
        one = "{count} of these is still secret in part; --reveal shows it in full."
        many = "{count} of these are still secret in part; --reveal shows them in full."
        yield str(counted(withheld, one, many))


def _what(told: Told, names: Sequence[str]) -> str:
    """Return what an entry is: a move in its notation, any other one in words, unless it has sentences of its own."""
    from tablier.cli.entry_texts import entry_text

    entry = told.entry
    if entry.kind in ("move", "prelude"):
        move = str(Text("(secret)")) if told.text is None else spelled(told.text)
        return str(Text("{move} (taken back)", {"move": move})) if told.undone else move
    if told.withheld:
        return entry.kind
    if told.sentences:
        return ""
    words = entry_text(entry)
    return f"{entry.kind} {_compact(entry.body)}" if words is None else render(words, names)


def _compact(value: object) -> str:
    import json

    return json.dumps(value, ensure_ascii=False)


# -- export ----------------------------------------------------------------------------------------


def _export(log: Log, args: argparse.Namespace) -> None:
    from tablier.games.core import moves_text
    from tablier.judge.redaction import record

    info = log.game(args.game)
    exported, withheld = record(log, info, reveal=args.reveal)
    line = exported.dumps() + "\n"
    if args.out is None:
        sys.stdout.write(line)
    else:
        _check_not_log(args.out, log.path)
        write_text(args.out, line, force=args.force)
    if withheld:
        sys.stdout.flush()
        text = (
            "tablier: game {id} is running: its record ends before move {next}, which is still secret ({moves} left"
            " out); --reveal exports them"
        )
        args_of = {"id": info.id, "next": len(exported.moves) + 1, "moves": moves_text(withheld)}
        say(Text(text, args_of), file=sys.stderr)


def _check_not_log(out: str, log: Path) -> None:
    from tablier.log.files import files_of

    if Path(os.path.realpath(out)) in files_of(log):
        raise CommandError("{out}: that is the log itself; name another file", out=out)


# -- verify ----------------------------------------------------------------------------------------


def _verify(log: Log, args: argparse.Namespace) -> int:
    from tablier.bots.workers import WorkersError, in_order
    from tablier.cli.common import progress
    from tablier.judge.verification import verify

    jobs = args.jobs or (1 if log.last_entry <= _ALONE else None)
    with (
        refusing(WorkersError),
        processes(jobs) as workers,
        progress(Text("games"), log.last_game) as step,
    ):
        run = partial(in_order, workers=workers)
        try:
            head, last, report = verify(log, args.head, run=run, step=step)
        except Unsound as error:
            if args.json:
                say_json({"follows": False, "wrong": [text_of(error).to_json()]})
            raise
    if args.json:
        say_json(_report_json(report, head, last, None if args.head is None else log.entry_with(args.head)))
        return _status_of(report, log)
    if not args.quiet:
        _say_report(report, head, last, None if args.head is None else log.entry_with(args.head))
    for sentence in report.wrong[1:]:
        say(Text("{path}: {sentence}", {"path": log.path, "sentence": sentence}), file=sys.stderr)
    return _status_of(report, log)


def _say_report(report: Report, head: str, last: int, given: int | None) -> None:
    """Print what a verification has found, but for what does not follow. ``given``: the entry of the head that was
    given."""
    from tablier.judge.sealing import describe

    say(Text("{found}; head {head}", {"found": report.headline(last), "head": head}))
    if report.rolls or report.aborted:
        one = "{count} roll of a table derived again; {aborted} aborted"
        many = "{count} rolls of a table derived again; {aborted} aborted"
        say(counted(report.rolls, one, many, aborted=report.aborted))
    for sentence in report.played_as:
        say(Text("{sentence}.", {"sentence": sentence}))
    for sentence in report.unchecked:
        say(Text("Not checked: {sentence}.", {"sentence": sentence}))
    if report.latest is not None:
        for line in describe(report.latest, colour=sys.stdout.isatty() and "NO_COLOR" not in os.environ):
            sys.stdout.write(f"{line}\n")  # with colours of its own
    if given not in (None, last):
        say(Text("The head given is that of entry {entry}.", {"entry": given}))
    if bad := [game.game for game in report.by_game if game.problem]:
        others = len(report.by_game) - len(bad)
        text = "Games with faults: {games}. Games without: {others}."
        say(Text(text, {"games": bad, "others": others}))


def _status_of(report: Report, log: Log) -> int:
    """Return the exit status of a report. Raise :class:`FoundWrong` where something does not follow."""
    if not report.wrong:
        return NOT_CHECKED if report.unchecked else 0
    raise FoundWrong("{path}: {error}", path=log.path, error=report.wrong[0])


def _report_json(report: Report, head: str, entries: int, given: int | None) -> Json:
    """Return what a verification has found. ``given``: the entry of the head that was given."""
    return {
        "follows": not report.wrong,
        "checked": not report.unchecked,
        "entries": entries,
        "head": head,
        "given": given,
        "rolls": report.rolls,
        "aborted": report.aborted,
        "wrong": [text.to_json() for text in report.wrong],
        "unchecked": [text.to_json() for text in report.unchecked],
        "played_as": [text.to_json() for text in report.played_as],
        "games": [
            {"game": each.game, "follows": each.problem is None, "checked": each.whole} for each in report.by_game
        ],
        "board": report.latest and report.latest.board,
        "seal": report.latest and report.latest.seal.hex(),
    }


# -- abandon ---------------------------------------------------------------------------------------


def _abandon(args: argparse.Namespace) -> int:
    from tablier.log.chain import LogError
    from tablier.screens.evenings import left_games
    from tablier.screens.phrases import NOW_ABANDONED

    if not log_path(args).exists():
        read_log(args)  # which says so
    with refusing(LogError), kept_log(args) as link, read_log(args) as log:
        game = log.game(args.game).id
        if (about := left_games(log).get(game)) is not None:  # else the keeper says why it cannot be
            question = Text("Game {game}, {about}, is to count nowhere. This cannot be undone.")
            confirm(args, question.of(game=game, about=about))
        link.call("abandon", {"game": game})
    say(NOW_ABANDONED.of(game=game))
    return 0


# -- backup ----------------------------------------------------------------------------------------


def _backup(log: Log, args: argparse.Namespace) -> None:
    count, head = log.backup(args.out, force=args.force)
    one = "{out}: {count} entry copied, in order; head {head}"
    many = "{out}: {count} entries copied, in order; head {head}"
    if args.quiet:
        return
    say(counted(count, one, many, out=args.out, head=head))


def _restore(args: argparse.Namespace) -> int:
    from tablier.judge.verification import verify
    from tablier.log.chain import LogError
    from tablier.log.restoring import restore
    from tablier.log.store import Log

    path = log_path(args)
    real = Path(os.path.realpath(path))
    with refusing(LogError), Log.read(args.backup) as backup:
        if real == Path(os.path.realpath(args.backup)):
            raise CommandError("{path}: that is the log itself; name a backup of it", path=path)
        head, last, report = verify(backup)
        if report.wrong:
            raise FoundWrong("{path}: {error}", path=args.backup, error=report.wrong[0])
        say(Text("{file}: {found}; head {head}", {"file": args.backup, "found": report.headline(last), "head": head}))
        aside = real.with_name(f"{real.name}.{datetime.now():%Y%m%d-%H%M%S}")
        question = Text("{file} becomes the log {path}.", {"file": args.backup, "path": path})
        if real.exists():
            for text in _compared(path, backup, head, other=args.other):
                say(text)
            about = {"file": args.backup, "path": path, "aside": aside}
            question = Text("{file} becomes the log {path}, and what is there now is kept as {aside}.", about)
        confirm(args, question)
        if not names_log(args):  # on a new computer there is none yet
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        count, _ = restore(backup, path, aside)
    say(counted(count, "{path}: {count} entry, restored", "{path}: {count} entries, restored", path=path))
    if aside.exists():
        say(Text("The log as it was: {aside}", {"aside": aside}))
        if args.other:
            about = {"aside": shlex.quote(str(aside)), "here": shlex.quote(str(path)), "log": log_option(path)}
            take = Text("To count its games, too: 'tablier people take {aside}{log}', then add both to an archive.")
            copy = Text("To count its games, too: 'tablier archive add {here} {aside} --copy --club CLUB'.")
            with Log.read(path) as now, Log.read(aside) as was:
                text = copy if now.origin == was.origin else take
            say(text.of(**about))
    return 0


def _compared(path: Path, backup: Log, head: str, *, other: bool) -> list[Text]:
    """Return what a log has beside its backup. Raise :class:`CommandError` where the backup is of another log, unless
    that is what is wanted."""
    from tablier.log.chain import LogError
    from tablier.log.store import Log

    nothing = Text("The log has nothing that the backup does not have.")
    try:
        with Log.read(path) as log:
            entries, common = log.last_entry, log.entry_with(head)
            if common is None and backup.entry_with(log.head) is not None:
                return _names_since(log, backup) or [nothing]
            if common is None and entries:
                first = next(log.entries()).hash
                if backup.entry_with(first) is None:
                    about = {"path": path, "file": backup.path, "games": _games(log)}
                    if other:
                        return [Text("{file} is of another log. What {path} has, {games}, is not in it.", about)]
                    raise CommandError(
                        "{path}: {file} is a backup of another log. To play on in that one, with this one kept aside:"
                        " 'tablier log restore {word} --other{log}'. To play on in this one and count both:"
                        " 'tablier people take {word}{log}', then 'tablier archive add {here} {word} --club CLUB'",
                        word=shlex.quote(str(backup.path)),
                        here=shlex.quote(str(path)),
                        log=log_option(path),
                        **about,
                    )
                if not other:
                    raise CommandError(
                        "{path}: {file} is a copy of this log, and both were used since. To play on in that one, with"
                        " this one kept aside: 'tablier log restore {word} --other{log}'. To count the games of both,"
                        " each once: 'tablier archive add {here} {word} --copy --club CLUB'",
                        path=path,
                        file=backup.path,
                        word=shlex.quote(str(backup.path)),
                        here=shlex.quote(str(path)),
                        log=log_option(path),
                    )
                latest = {entry.game: entry.hash for entry in log.entries() if entry.game is not None}
                lost = [game for game, hash in latest.items() if backup.entry_with(hash) is None]
                return [
                    *_names_since(log, backup),
                    Text("The log is not what the backup is a copy of: games were played in both, or it was changed."),
                    *([_gone(lost)] if lost else []),
                ]
            games = list(range(backup.last_game + 1, log.last_game + 1))
            names = _names_since(log, backup)
    except LogError as error:
        return [Text("The log cannot be read ({why}).", {"why": error.text})]
    one = "The log has {count} entry that the backup does not have."
    many = "The log has {count} entries that the backup does not have."
    more = entries - (common or 0)
    gone = [counted(more, one, many)] if more else []
    if games:
        gone.append(_gone(games))
    return [*gone, *names] or [nothing]


def _gone(games: Sequence[int]) -> Text:
    return counted(len(games), "Game {games} would be gone.", "Games {games} would be gone.", games=games)


def _games(log: Log) -> Text:
    from tablier.games.core import games_text

    return games_text(log.last_game) if log.last_game else Text("no game")


def _names_since(log: Log, backup: Log) -> list[Text]:
    """Return what stands beside the entries and has changed since a backup: it would be as it was."""
    mine, theirs = log.changes(), backup.changes()
    if mine != theirs and theirs[: len(mine)] == mine:
        one = "The backup has {count} change of people or tables that the log does not have."
        many = "The backup has {count} changes of people or tables that the log does not have."
        return [counted(len(theirs) - len(mine), one, many)]
    texts = []
    if log.last_entry == backup.last_entry and (more := len(set(mine) - set(theirs))):
        one = "The log has {count} change of people or tables that the backup does not have."
        many = "The log has {count} changes of people or tables that the backup does not have."
        texts.append(counted(more, one, many))
    now, before = log.names(), backup.names()
    texts += [
        Text("{name} would be called {former} again.", {"name": name, "former": before.of(id)})
        for id, name in now.known.items()
        if id in before.known and before.known[id] != name
    ]
    for id, name in before.known.items():
        if id in now and id not in now.known:
            about = {"name": name, "into": now.of(id)}
            merged = now.one(id) != id
            apart = Text("{name}, who is {into} now, would be apart again.", about)
            texts.append(apart if merged else Text("A name that was forgotten would be there again."))
    if new := [name for id, name in now.known.items() if id not in before]:
        texts.append(Text("Not known any more: {names}.", {"names": new}))
    return texts


_ACTIONS = {
    "list": season.list_evenings,
    "show": _show,
    "standings": season.standings,
    "analyse": analyse.run,
    "export": _export,
    "verify": _verify,
    "backup": _backup,
}
