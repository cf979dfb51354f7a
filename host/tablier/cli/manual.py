"""The manual page, made from the parser: every command with its options, as ``man`` reads it."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator

from tablier.cli.archive import ARCHIVE_VARIABLE
from tablier.cli.contents import SECTIONS
from tablier.cli.parsing import commands_of
from tablier.languages import VARIABLES
from tablier.texts import Text
from tablier.usual import LOG_VARIABLE
from tablier_fw.version import __version__

_STATUS = (
    ("0", Text("The command has done its work.")),
    ("1", Text("It has checked something, and found it wrong: a log that does not follow, a table that fails a test.")),
    (
        "2",
        Text(
            "It could not do its work: a wrong argument, a file that is not there. One line on standard error says why."
        ),
    ),
    ("3", Text("Of log verify: nothing wrong was found, but not everything could be checked.")),
    ("129, 130, 143", Text("It was ended by a signal: its terminal was closed, Ctrl-C, kill.")),
    ("141", Text("What read its output has ended.")),
)


def manual(parser: argparse.ArgumentParser) -> str:
    """Return the page."""
    parser.format_help()  # puts it into words
    return "".join(f"{line}\n" for line in _page(parser))


def _page(parser: argparse.ArgumentParser) -> Iterator[str]:
    version = Text("Tablier {version}", {"version": __version__})
    yield " ".join((".TH", "TABLIER", "1", '""', f'"{version}"', f'"{Text("User Commands")}"'))
    yield ".nh"
    yield ".ad l"
    yield from (_heading(Text("NAME")), rf"tablier \- {_text(str(Text('an electronic game table')))}")
    yield from (_heading(Text("SYNOPSIS")), r"\fBtablier\fR \fICOMMAND\fR \fR[\fIOPTION\fR]...")
    yield from (_heading(Text("DESCRIPTION")), _text(parser.description or ""), _text(str(_ABOUT)))
    yield _heading(Text("COMMANDS"))
    for command in _commands(parser):
        yield from _command(command)
    yield _heading(Text("EXIT STATUS"))
    yield from _meanings(_STATUS)
    yield _heading(Text("ENVIRONMENT"))
    yield from _meanings(_ENVIRONMENT)
    yield _heading(Text("FILES"))
    yield from _meanings(_FILES)
    yield _heading(Text("EXAMPLES"))
    yield from _meanings([(str(section.example), section.does) for section in SECTIONS])
    yield _heading(Text("SEE ALSO"))
    yield _text(str(Text("'tablier manual' lists the pages of the manual; 'tablier manual PAGE' shows one.")))


def _meanings(rows: Iterable[tuple[str, Text]]) -> Iterator[str]:
    for name, meaning in rows:
        yield from (".TP", rf"\fB{_text(name)}\fR", _text(_sentence(str(meaning))))


def _heading(text: Text) -> str:
    return f".SH {text}"


_ABOUT = Text("Options may stand before or after their command. 'tablier help COMMAND' shows one command alone.")
_ENVIRONMENT = (
    (LOG_VARIABLE, Text("The log, if --log names none.")),
    (ARCHIVE_VARIABLE, Text("The archive, if --archive names none.")),
    *((name, Text("The language of all that is said; the first that is set counts.")) for name in VARIABLES),
    ("NO_COLOR", Text("If it is set, nothing is printed in colours.")),
    ("TERM", Text("The terminal; where that cannot move its cursor, games are played line by line.")),
    ("PAGER", Text("What shows the rules and the pages of the manual where these are long.")),
    ("TMPDIR", Text("The folder for temporary files.")),
    ("XDG_STATE_HOME", Text("The folder in which the folder of the usual log is.")),
    ("XDG_CONFIG_HOME", Text("The folder in which the folder of the settings is.")),
    ("XDG_CACHE_HOME", Text("The folder for what can be made again.")),
    ("XDG_RUNTIME_DIR", Text("The folder for sockets and the ports of simulated tables.")),
    ("TABLIER_TRACE", Text("If it is 1, a keeper that a game starts writes a trace of what it does.")),
    ("TABLIER_PORTS", Text("The folder in which simulated tables are found.")),
    ("TABLIER_BUDGET", Text("The work that a simulated table does at a time, for tests.")),
    ("TABLIER_PICO_IMAGE", Text("MicroPython's image for the Pico (UF2), for an emulated table.")),
    ("TABLIER_RP2040JS", Text("The folder of rp2040js, for another emulated table.")),
    ("TABLIER_MPY_CROSS", Text("MicroPython's cross compiler, for table deploy.")),
)
_FILES = (
    ("~/.local/state/tablier/tablier.db", Text("The log: evenings, people, games, every entry.")),
    ("~/.local/state/tablier/tablier.db-wal", Text("Entries that are not in the log yet; it belongs to the log.")),
    (
        "~/.local/state/tablier/tablier.db-*",
        Text("Who writes, where the keeper and the pages are, and how far the log was checked."),
    ),
    ("~/.local/state/tablier/tablier.db-token", Text("The operator's token; who can read it may do everything.")),
    ("~/.config/tablier/config.toml", Text("Settings: name, pace, bell, plain, language.")),
    ("~/.local/state/tablier/archive.db", Text("The archive, if nothing names another one.")),
)


def _commands(parser: argparse.ArgumentParser) -> Iterator[tuple[argparse.ArgumentParser, str]]:
    """Yield the parser of each command that can be run, with what it does in a line."""
    parser.format_help()  # fills in what is looked up only then: words, the installed games
    inner = commands_of(parser)
    if inner is None:
        return
    told = {each.dest: each.help or "" for each in inner._choices_actions}
    for name, command in inner.choices.items():
        inner_commands = list(_commands(command))  # puts the command into words
        if commands_of(command) is None or command.get_default("run"):
            yield command, told.get(name, "")
        yield from inner_commands


def _command(command: tuple[argparse.ArgumentParser, str]) -> Iterator[str]:
    parser, told = command
    arguments = [each for each in parser._actions if each.help != argparse.SUPPRESS and each.dest != "help"]
    arguments = [each for each in arguments if not isinstance(each, argparse._SubParsersAction)]
    values = [_text(_value(each)) for each in arguments if not each.option_strings]
    yield f'.SS "{_text(" ".join((parser.prog, *values)))}"'
    yield _text(parser.description or _sentence(told))
    for each in arguments:
        value = rf"\fI{_text(_name(each))}\fR" if each.nargs != 0 else ""
        options = ", ".join(rf"\fB{_text(option)}\fR" for option in each.option_strings)
        yield from (".TP", " ".join(filter(None, (options, value))), _text(each.help or ""))


def _name(argument: argparse.Action) -> str:
    return str(argument.metavar or argument.dest.upper())


def _value(argument: argparse.Action) -> str:
    """Return what an argument is called, in brackets where it can be left out."""
    name = _name(argument)
    return {"?": f"[{name}]", "*": f"[{name}]...", "+": f"{name}..."}.get(str(argument.nargs), name)


def _sentence(text: str) -> str:
    """Return a help text as a sentence."""
    text = text.strip()
    return text and f"{text[0].upper()}{text[1:]}{'' if text.endswith(('.', '?')) else '.'}"


def _text(text: str) -> str:
    """Return words as roff reads them: no character of theirs means anything to it."""
    text = " ".join(text.replace("%%", "%").split()).replace("\\", r"\e").replace("-", r"\-").replace("'", r"\(aq")
    return rf"\&{text}" if text.startswith(".") else text
