"""The command ``tablier``: run a subcommand, and turn its end into an exit status and at most one line."""

from __future__ import annotations

import errno
import os
import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache, partial
from importlib import import_module
from importlib.util import find_spec
from io import TextIOWrapper

from tablier.cli.common import SAID, CommandError, is_terminal, say
from tablier.cli.completion import complete
from tablier.cli.loading import loading
from tablier.cli.parsing import Parser
from tablier.cli.preferred import fill, speak_chosen, speak_preferred
from tablier.cli.showing import can_show_full
from tablier.cli.signals import Ended
from tablier.languages import find_language, languages, of_environment, unknown
from tablier.printable import ascii_only
from tablier.texts import Language, Text, language, speak
from tablier_fw.version import __version__

GROUPS = {
    "play": ("play", "resume"),
    "evening": ("evening",),
    "keeper": ("keeper", "attach"),
    "web": ("web",),
    "invite": ("invite",),
    "table": ("table",),
    "records": ("replay", "legal"),
    "show": ("show",),
    "log": ("log",),
    "people": ("people",),
    "archive": ("archive",),
    "stats": ("stats",),
    "report": ("report",),
    "simulate": ("simulate",),
    "layout": ("layout",),
    "help": ("help", "rules", "manual", "completion", "man"),
}
"""The modules with commands, and the commands of each. In each,
``register(commands)`` adds its parsers with ``set_defaults(run=…)``; ``run(args)`` does it, returns the exit status,
and raises :class:`CommandError` for what it cannot do. A start imports the module of its command alone."""

BROKEN_PIPE = 141  # as a shell says of a process that SIGPIPE ended


def build_parser(command: str = "") -> Parser:
    """Return the parser with every command of every group, which is made once for each language; of the group of
    ``command`` alone, if there is such a command."""
    return _build_parser(command, language())


@cache
def _build_parser(command: str, read: Language) -> Parser:
    parser = Parser(prog="tablier", description="An electronic game table.")
    parser.add_argument("--version", action="version", version=f"tablier {__version__}")
    parser.add_argument("--lang", metavar="LANGUAGE", help="the language of all that is said (that of the locale)")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True, title="commands")
    parser.format_help = partial(_overview, parser)  # type: ignore[method-assign]
    groups = [name for name, words in GROUPS.items() if command in words] or GROUPS
    for name in groups:
        module = f"{__package__}.{name}"
        if find_spec(module):
            import_module(module).register(commands)
    return parser


def _take_language(words: list[str]) -> list[str]:
    """Speak the language that ``--lang`` names, anywhere in a command line, else that of the environment; return the
    other words. Raise :class:`CommandError`."""
    options = words[: words.index("--")] if "--" in words else words
    for at, word in enumerate(options):
        name, equals, tag = word.partition("=")
        if name != "--lang":
            continue
        length = 1 if equals else 2
        if not equals and at + 1 == len(options):
            raise CommandError("--lang names a language, as in --lang fr; languages: {known}", known=list(languages()))
        tag = tag if equals else words[at + 1]
        named = find_language(tag)
        if named is None:
            raise CommandError(unknown(tag))
        speak_chosen(named)
        return words[:at] + words[at + length :]
    speak_preferred()
    return words


def _overview(parser: Parser) -> str:
    from tablier.cli.contents import overview

    parser.translate()
    return overview(parser)


def main(argv: Sequence[str] | None = None, *, loaded: Callable[[], object] = lambda: None) -> int:
    """Run one command and return the exit status: 0, or with one line on standard error 2, and 1 where a
    check has found something wrong.

    Without a command, show the start screen; without a terminal for that, print the help. An interrupt gives 130, a
    closed pipe 141, and a closed terminal 129, all without a message.
    ``loaded`` is called before the command runs: an interrupt that Python raises in an import may be lost.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            _set_encoding(stream)

    def begin() -> int:
        if "_ARGCOMPLETE" in os.environ:
            speak(of_environment(os.environ))
            complete(build_parser())
        words = _take_language(list(sys.argv[1:] if argv is None else argv))
        if not words and can_show_full():
            from tablier.cli.home import visit

            return visit(lambda chosen: _guard(lambda: _run(chosen, loaded)))
        return _run(words or ["help"], loaded)

    return _guard(begin)


def _run(words: list[str], loaded: Callable[[], object]) -> int:
    """Run the command that some words name; return its exit status."""
    try:
        with loading():  # of the games, whose names are words of commands
            args = build_parser(words[0]).parse_args(words)
    except SystemExit as done:  # --help, --version
        return int(done.code or 0)
    fill(args)
    loaded()
    status: int = args.run(args)
    return status


def _guard(act: Callable[[], int]) -> int:
    """Do something and return its exit status; turn what it raises into one, with at most one line."""
    in_terminal = is_terminal()
    try:
        status = act()
        _flush()
        return status
    except SystemExit as error:
        from tablier.games.core.parts import left_by

        return _fail(left_by(error))
    except CommandError as error:
        return _fail(error.text, error.status)
    except BrokenPipeError:
        _discard_output()
        return BROKEN_PIPE
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    except Ended as ended:
        return 128 + ended.number
    except OSError as error:  # a disk that is full, a terminal that is gone
        if in_terminal and error.errno == errno.EIO and not is_terminal():
            _discard_output()
            return 128 + signal.SIGHUP
        where = {"file": error.filename or Text("the output"), "why": error.strerror or str(error)}
        return _fail(Text("{file}: {why}", where))


def _set_encoding(stream: TextIOWrapper) -> None:
    """Write UTF-8, whatever the locale; but to a terminal that shows ASCII alone, ASCII."""
    if stream.isatty() and ascii_only():
        from tablier.screens.signs import write_ascii

        write_ascii(stream)
    else:
        stream.reconfigure(encoding="utf-8", errors="backslashreplace")


def _fail(text: Text, status: int = CommandError.status) -> int:
    try:
        _flush()  # what was right comes before what was wrong
    except OSError:
        _discard_output()
    with suppress(OSError):
        say(SAID.of(text=text), file=sys.stderr)
    return status


def _flush() -> None:
    if sys.stdout is not None:
        sys.stdout.flush()


def _discard_output() -> None:
    """Keep Python from writing the rest to a closed pipe, and complaining, at exit."""
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


if __name__ == "__main__":
    sys.exit(main())
