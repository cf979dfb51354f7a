"""The parts that all groups of commands share."""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from shutil import get_terminal_size
from textwrap import TextWrapper
from typing import TYPE_CHECKING, Any, TextIO

from tablier.cli.loading import loading
from tablier.extras import command_to_add
from tablier.printable import linked, printable, printable_json
from tablier.texts import Failure, Text, Unsound, text_of
from tablier.usual import LOG_VARIABLE, usual_log

if TYPE_CHECKING:
    from datetime import datetime

    from rich.console import Console

    from tablier.games.core import Move, Rules
    from tablier.keeper.client import Link
    from tablier.log.store import Log
    from tablier.texts import Json

    Commands = argparse._SubParsersAction[argparse.ArgumentParser]
    """``register`` adds parsers to these."""

COLUMNS = 80
"""Of what is made to fit a terminal, where that does not say how many it has."""
_AROUND = 6
"""Lines of a terminal for what commands say before and after a board."""


class CommandError(Failure):
    """A command cannot do its work; the text is one line. It ends ``tablier`` with this exit status."""

    status = 2


class FoundWrong(CommandError):
    """A command has done its work, and what it has checked is not as it has to be."""

    status = 1


@contextmanager
def refusing(*errors: type[Failure | OSError]) -> Iterator[None]:
    """Turn errors with a text for people into :class:`CommandError`."""
    try:
        yield
    except errors as error:
        refused = FoundWrong if isinstance(error, Unsound) else CommandError
        raise refused(text_of(error)) from error


@contextmanager
def extra(name: str, why: Text) -> Iterator[None]:
    """Turn a failed import into an error that names the missing extra."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise CommandError(
            "{why}; {package} is not installed: {command}",
            why=why,
            package=error.name,
            command=command_to_add(name),
        ) from None


SAID = Text("tablier: {text}")
"""What goes wrong, as it is told on standard error."""
NO_EMULATOR = Text("an emulated Pico needs rp2040py")
EMPTY_NAME = Text("the name is empty")


def allowed(seen: str, least: int, most: int) -> Text:
    """Return that a number is not one of those that are allowed."""
    return Text("{seen}; allowed: {least} to {most}", {"seen": repr(seen), "least": least, "most": most})


def path_name(text: str) -> str:
    """Return an argument that names a file or a port; refuse an empty one, as of ``--log "$LOG"``."""
    if not text:
        raise argparse.ArgumentTypeError(str(EMPTY_NAME))
    return text


def say(*texts: Text | str, file: TextIO | None = None, flush: bool = False) -> None:
    """Print each text on a line of its own, escaped, as all output of commands must be."""
    links = (file or sys.stdout).isatty() and os.environ.get("TERM") != "dumb"
    said = [printable(str(text)) for text in texts]
    if said:
        print(*(linked(each, [each])[0] if links else each for each in said), sep="\n", file=file, flush=flush)


def add_virtual_option(parser: argparse._ActionsContainer) -> None:
    """Add ``--virtual``, for commands that may start a simulated table."""
    parser.add_argument("--virtual", action="store_true", help="let a simulated table's time pass as fast as it can")


def add_json_option(parser: argparse._ActionsContainer) -> None:
    """Add ``--json``, for what people read otherwise."""
    parser.add_argument("--json", action="store_true", help="print it as JSON, for programs")


def say_json(value: object) -> None:
    """Print a value as one line of JSON, for programs."""
    import json

    say(printable_json(json.dumps(value, ensure_ascii=False)))


def say_wrapped(*texts: Text | str, file: TextIO | None = None, flush: bool = False) -> None:
    """Print each text as :func:`say` does, to a terminal in lines of its width that end between words. What is longer
    than a line, such as a path, stays whole, to be copied. Not for an error that
    ends a command: that is one line, which programs read."""
    if not (file or sys.stdout).isatty():
        say(*texts, file=file, flush=flush)
        return
    fill = TextWrapper(get_terminal_size((COLUMNS, 24)).columns, break_long_words=False, break_on_hyphens=False)
    say(*(line for text in texts for line in fill.wrap(printable(str(text))) or [""]), file=file, flush=flush)


def print_board(
    rules: Rules[Any], view: Json, names: Sequence[str], last: Move | None = None, fell: Sequence[Move] = ()
) -> None:
    """Print a board, in a terminal in colours and as large as fits. ``last`` and ``fell``: how it came about
    (``Position.lately``)."""
    from rich.console import ConsoleDimensions

    from tablier.games import drawing_of
    from tablier.games.core.drawing import Canvas

    console = output()
    if not console.is_terminal:
        console.size = ConsoleDimensions(COLUMNS, 0)
    canvas = Canvas.of_terminal(console.width, console.height - _AROUND, last=last, fell=fell)
    console.print(drawing_of(rules.name).board(rules, view, names, canvas))


def output() -> Console:
    """Return standard output for tables and boards.

    A closed pipe is a ``BrokenPipeError``, as it is elsewhere. Brackets in a name are no markup.
    """
    from rich.console import Console

    class Output(Console):
        def on_broken_pipe(self) -> None:
            raise BrokenPipeError

    return Output(file=sys.stdout, highlight=False, markup=False, emoji=False)


def add_log_option(parser: argparse.ArgumentParser) -> None:
    """Add ``--log PATH``."""
    parser.add_argument(
        "--log", metavar="PATH", type=path_name, help="the log (default: $TABLIER_LOG, or one in your home folder)"
    )


def names_log(args: argparse.Namespace) -> bool:
    """Return whether ``--log`` or the environment names a log."""
    return bool(args.log or os.environ.get(LOG_VARIABLE))


def log_path(args: argparse.Namespace) -> Path:
    """Return the log that ``--log``, the environment or the platform names."""
    if args.log:
        return Path(args.log)
    try:
        return usual_log()
    except RuntimeError:  # nobody's home is known
        raise CommandError("this user has no home folder for the log; name a log with --log") from None


def tell(text: Text) -> None:
    """Say at a terminal what somebody waits for there."""
    if sys.stderr.isatty():
        say(text, file=sys.stderr, flush=True)


def open_log(args: argparse.Namespace, *, create: bool = True) -> Log:
    """Return the log for writing. If nobody named it, make its folder."""
    from tablier.log.chain import LogError
    from tablier.log.store import Log

    path = log_path(args)
    with refusing(LogError, OSError):
        if create and not names_log(args):
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        return Log.open(path, create=create, told=tell)


@contextmanager
def kept_log(args: argparse.Namespace) -> Iterator[Link]:
    """Yield the operator's connection to the keeper of the log, which is started where none runs. If nobody named the
    log, make its folder. What the keeper refuses is a :class:`CommandError`."""
    with loading():
        from tablier.keeper.client import KeeperError
        from tablier.keeper.starting import join
        from tablier.log.chain import LogError

    path = log_path(args)
    with refusing(KeeperError, LogError):
        if not names_log(args):
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        link = join(path, tell)
    try:
        with refusing(KeeperError, LogError):  # to find another keeper the token is read again
            yield link
    finally:
        link.close()


def read_log(args: argparse.Namespace) -> Log:
    """Return the log for reading; say what may be missing in it."""
    from tablier.log.chain import LogError
    from tablier.log.store import Log

    path = log_path(args)
    with refusing(LogError):
        log = Log.read(path)
        for sentence in log.losses:
            say_wrapped(Text("{path}: {sentence}.", {"path": path, "sentence": sentence}), file=sys.stderr)
    return log


def is_terminal() -> bool:
    """Return whether somebody sits at a terminal, to be shown something and to answer."""
    return sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()


def add_yes_option(parser: argparse.ArgumentParser) -> None:
    """Add the option by which :func:`confirm` does not ask."""
    parser.add_argument("--yes", action="store_true", help="do not ask")


def confirm(args: argparse.Namespace, question: Text) -> None:
    """Ask for a yes at a terminal. Raise :class:`CommandError` for any other answer, and where nobody can be asked."""
    if args.yes:
        return
    if not is_terminal():
        raise CommandError("there is no terminal to ask at, so nothing was changed; --yes does it without asking")
    from tablier.screens.commands import begun

    say_wrapped(question)
    try:
        answer = input(f"{Text('Do it? yes or no:')} ")
    except EOFError:
        answer = ""
    if begun(answer.strip(), ("no", "yes")) != "yes":
        raise CommandError("nothing was changed")


def iso_day(text: str) -> str:
    """Return a day or a month that is typed as lists in French have it (31/01/2026, 01/2026) as 2026-01-31 or 2026-01,
    and any other text as it is."""
    found = re.fullmatch(r"(?:(\d\d)/)?(\d\d)/(\d{4})", text, re.ASCII)
    return "-".join(filter(None, reversed(found.groups()))) if found else text


def local(at: str) -> datetime:
    """Return the time of an entry in the local time zone."""
    from tablier.screens.evenings import local

    try:
        return local(at)
    except ValueError:
        raise CommandError("{seen} is not a time", seen=repr(at)) from None


@contextmanager
def progress(text: Text, total: int) -> Iterator[Callable[[int], object]]:
    """Show a bar on a terminal, elsewhere nothing; what is given says how many more are done."""
    if not sys.stderr.isatty():
        yield lambda more: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(printable(str(text)), total=total)
        yield lambda more: bar.advance(task, more)
