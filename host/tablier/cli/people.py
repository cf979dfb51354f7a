"""``tablier people``: who plays, and under which name."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tablier.cli.common import (
    COLUMNS,
    EMPTY_NAME,
    CommandError,
    add_json_option,
    add_log_option,
    add_yes_option,
    confirm,
    log_path,
    open_log,
    path_name,
    read_log,
    refusing,
    say,
    say_json,
)
from tablier.names import same_name
from tablier.printable import is_printable
from tablier.texts import Text, TextError, counted, suggest
from tablier.usual import log_option

if TYPE_CHECKING:
    from tablier.cli.common import Commands
    from tablier.keeper.client import Link
    from tablier.log.people import Person, Taken
    from tablier.log.store import Log

LONGEST = 200
"""The characters of the longest name that keepers take."""


def register(commands: Commands) -> None:
    people = commands.add_parser(
        "people",
        help="list the people of a log; rename, merge, take or forget somebody",
        description="Without an action, lists everybody whom the log knows by name. Entries of the log hold no names:"
        " it verifies as before when a name changes. Each game binds the names that it was played under: where"
        " somebody has another name by now, lists of games and 'tablier log verify' say 'played as'.",
    )
    people.set_defaults(run=_list)
    add_json_option(people)
    actions = people.add_subparsers(dest="action", metavar="ACTION", title="actions")
    rename = actions.add_parser(
        "rename",
        help="give somebody another name",
        description="Give somebody another name. Lists say of earlier games that they were played as NAME.",
    )
    rename.add_argument("name", metavar="NAME", type=_name)
    rename.add_argument("new", metavar="NEW")
    merge = actions.add_parser(
        "merge",
        help="have two be one person",
        description="All games of NAME are INTO's from now on, and lists say that they were played as NAME. This cannot"
        " be undone.",
    )
    merge.add_argument("name", metavar="NAME", type=_name)
    merge.add_argument("into", metavar="INTO", type=_name)
    take = actions.add_parser(
        "take",
        help="make people of another log known as the same people here",
        description="For a club with two logs, as of an old and a new computer: people of LOG are known here by the ids"
        " that they have there, so that an archive of both logs has everybody once. Those who are called the same"
        " here, or were merged into that person there, become that person; this cannot be undone. Names stay as they"
        " are here, also forgotten ones. LOG is only read.",
    )
    take.add_argument("other", metavar="LOG", type=path_name, help="the other log")
    take.add_argument(
        "names", metavar="NAME", nargs="*", type=_name, default=[], help="names there (default: everybody)"
    )
    forget = actions.add_parser(
        "forget",
        help="forget a name",
        description="Deletes the name from the log's files, and earlier names of the same person; the games are"
        " 'somebody's from now on, and nothing says under which name they were played. This cannot be"
        " undone. Copies of the log and exported records keep the name, and so does any other log that knows the"
        " person ('tablier people take'): forget it in each.",
    )
    forget.add_argument("name", metavar="NAME", type=_name)
    for parser, run in ((rename, _rename), (merge, _merge), (take, _take), (forget, _forget)):
        parser.set_defaults(run=run)
    for parser in (rename, merge, take, forget):
        add_yes_option(parser)
    for parser in (people, *actions.choices.values()):
        add_log_option(parser)


def _name(text: str) -> str:
    """Return an argument that names a person; refuse an empty one."""
    if not same_name(text):
        raise argparse.ArgumentTypeError(str(EMPTY_NAME))
    return text


def _list(args: argparse.Namespace) -> int:
    from tablier.log.chain import LogError
    from tablier.log.fold import compare_names

    with refusing(LogError), read_log(args) as log:
        games = log.games()
        people, (played_as, missing) = log.people(games), compare_names(games)
        _print(people, (*played_as, *missing), json=args.json)
        sys.stdout.flush()
        log.check_recent()
    return 0


def _print(people: Sequence[Person], names: Sequence[Text], *, json: bool) -> None:
    if json:
        say_json([_about_json(person) for person in people])
        return
    if not people:
        say(Text("The log knows nobody by name yet."))
    for person in people:
        _say(_about(person))
    for text in names:
        _say(Text("{text}.", {"text": text}))


def _say(text: Text) -> None:
    """Print a text in lines that fit."""
    from tablier.screens.paper import wrapped

    for line in wrapped(str(text), COLUMNS, rest="  "):
        say(line)


def _about_json(person: Person) -> dict[str, object]:
    return {
        "name": person.name,
        "games": person.games,
        "won": person.won,
        "by_bot": person.by_others,
        "place": person.place or None,
    }


def _about(person: Person) -> Text:
    about = {"name": person.name, "games": person.games, "won": person.won}
    told = [Text("games {games}, won {won}", about)]
    if person.by_others:
        one, many = "a bot played in {count} other game", "a bot played in {count} other games"
        told.append(counted(person.by_others, one, many))
    if person.place:
        told.append(Text("sat last at place {place}", {"place": person.place}))
    return Text("{name}: {told}", {"name": person.name, "told": told})


def _rename(args: argparse.Namespace) -> int:
    from tablier.keeper.client import KeeperError
    from tablier.log.chain import LogError

    if not is_printable(args.new) or len(args.new) > LONGEST:
        text = "{name} is no name: 1 to {most} printable characters are"
        raise CommandError(text, name=repr(args.new[: LONGEST + 1]), most=LONGEST)
    link = _keeper(args)
    try:
        with read_log(args) if link else open_log(args, create=False) as log, refusing(LogError, TextError):
            person = known(log, args.name)
            about = _told(log, person) | {"new": args.new.strip()}
            confirm(args, Text("{name} is to be called {new}; {games}.", about))
            if link is None:
                log.rename(person, args.new)
            else:
                with refusing(KeeperError):
                    link.call("rename", {"name": args.name, "to": args.new.strip()})
    finally:
        if link is not None:
            link.close()
    _say(Text("{name} is called {new} now; {games}.", about))
    return 0


def _told(log: Log, person: str) -> dict[str, Any]:
    """Return a person's name and games, shown before the name is changed."""
    games = sum(any(seat.get("person") == person for seat in info.seats) for info in log.games() if not info.abandoned)
    none = "no game was played so far"
    return {
        "name": log.names().of(person),
        "games": counted(games, "{count} game so far", "{count} games so far", none),
    }


def _merge(args: argparse.Namespace) -> int:
    from tablier.log.chain import LogError

    with _writing(args) as log, refusing(LogError, TextError):
        person, into = known(log, args.name), known(log, args.into)
        about = _told(log, person) | {"into": log.names().of(into)}
        confirm(args, Text("{name} is to be {into} in every game ({games}). This cannot be undone.", about))
        log.merge(person, into)
    _say(Text("{name} is {into} now ({games}).", about))
    return 0


def _take(args: argparse.Namespace) -> int:
    from tablier.log.chain import LogError
    from tablier.log.store import Log

    _check_there(args.other)
    with _writing(args) as log, refusing(LogError, TextError), Log.read(args.other) as other:
        people = [known(other, name) for name in args.names]
        theirs = other.names()
        if not theirs.known:
            raise CommandError("{path}: nobody to take; the log knows no names", path=other.path)
        about = {"path": other.path, "names": [theirs.of(each) for each in people or theirs.known]}
        confirm(
            args,
            Text(
                "People of {path} are to be the same people here: {names}. Who has the same name here becomes one with"
                " them in every game; this cannot be undone.",
                about,
            ),
        )
        taken = log.take(other, people or None)
    for each in taken:
        say(_about_taken(each, other))
    return 0


def _check_there(path: str) -> None:
    """Raise :class:`CommandError` for a log that is not there: no game is to create the one that is only read."""
    try:
        Path(path).stat()
    except FileNotFoundError:
        raise CommandError("{path}: there is no such log", path=path) from None
    except OSError:
        pass  # which opening it explains


def _about_taken(taken: Taken, other: Log) -> Text:
    """Return a sentence about what has become of a person."""
    about = {"name": taken.name, "here": taken.here, "path": other.path}
    if taken.here is None:
        if taken.changed:
            return Text("{name} of {path} is known here now", about)
        return Text("{name} of {path}: the name was forgotten here, and stays so", about)
    if taken.apart:
        return Text("{name} of {path} was merged into {here} here; 'people take' this log there, too", about)
    if taken.changed:
        return Text("{here} is the same person as {name} of {path} now, in every game here", about)
    if same_name(taken.here) == same_name(taken.name):
        return Text("{here} was the same person as {name} of {path} before", about)
    return Text("{name} of {path} is {here} here, and keeps that name", about)


def _forget(args: argparse.Namespace) -> int:
    from tablier.log.chain import LogError

    with _writing(args) as log, refusing(LogError, TextError):
        person = known(log, args.name)
        about = _told(log, person)
        confirm(args, Text("The name of {name} is to be forgotten ({games}). This cannot be undone.", about))
        log.forget(person)
    _say(
        Text(
            "A name was forgotten ({games}). Copies of the log and exported records keep it, and an archive does"
            " until the log is added to it again.",
            about,
        )
    )
    if there := _holding(log_path(args), about["name"]):
        _say(Text("In this folder these still hold it, or a word like it: {files}.", {"files": there}))
    return 0


def _holding(log: Path, name: str) -> list[str]:
    """Return the databases beside a log in which a name stands: backups, logs put aside by a restore, an archive."""
    from tablier.log.files import files_of

    own, found = {file.name for file in files_of(log)}, []
    for file in sorted(Path(os.path.realpath(log)).parent.iterdir()):
        with suppress(OSError, ValueError):  # ValueError: of an empty one
            if file.name in own or not file.is_file():
                continue
            with file.open("rb") as data, mmap(data.fileno(), 0, access=ACCESS_READ) as held:
                if held[: len(_SQLITE)] == _SQLITE and held.find(name.encode()) >= 0:
                    found.append(file.name)
    return found


_SQLITE = b"SQLite format 3\0"
"""How a database begins."""


def known(log: Log, name: str) -> str:
    """Return the id of the person of that name. Raise :class:`CommandError` if there is none."""
    names = log.names()
    if (person := names.find(name)) is None:
        if not names.known:
            raise CommandError("{path}: nobody is called {name}; the log knows no names", path=log.path, name=name)
        known = list(names.known.values())
        about = {"path": log.path, "name": name, "names": known}
        raise CommandError(suggest(Text("{path}: nobody is called {name}; known: {names}", about), name, known))
    return person


def _writing(args: argparse.Namespace) -> Log:
    """Return the log for writing. Raise :class:`CommandError`, with the cure where a keeper has it."""
    path, link = log_path(args), _keeper(args, stale=True)
    if link is not None:
        link.close()
        raise CommandError(
            "{path}: its keeper runs; end it first ('tablier keeper --end{log}'), its games can be resumed",
            path=path,
            log=log_option(log_path(args)),
        )
    return open_log(args, create=False)


def _keeper(args: argparse.Namespace, *, stale: bool = False) -> Link | None:
    """Return a connection to the keeper of the log; ``None`` if none runs. ``stale``: also of another version."""
    from tablier.keeper.client import KeeperError
    from tablier.keeper.starting import find
    from tablier.log.chain import LogError

    path = log_path(args)
    with refusing(KeeperError, LogError):
        return find(path, stale=stale) if path.exists() else None
