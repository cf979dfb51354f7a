"""The manual page, made from the parser: every command with its options, as ``man`` reads it."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from tablier.cli.parsing import commands_of
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
    for name, meaning in _STATUS:
        yield from (".TP", rf"\fB{name}\fR", _text(str(meaning)))
    yield _heading(Text("ENVIRONMENT"))
    for name, meaning in _ENVIRONMENT:
        yield from (".TP", rf"\fB{name}\fR", _text(str(meaning)))


def _heading(text: Text) -> str:
    return f".SH {text}"


_ABOUT = Text("Options may stand before or after their command. 'tablier help COMMAND' shows one command alone.")
_ENVIRONMENT = (
    (LOG_VARIABLE, Text("The log, if --log names none.")),
    ("NO_COLOR", Text("If it is set, nothing is printed in colours.")),
)


def _commands(parser: argparse.ArgumentParser) -> Iterator[tuple[argparse.ArgumentParser, str]]:
    """Yield the parser of each command that can be run, with what it does in a line."""
    inner = commands_of(parser)
    if inner is None:
        return
    told = {each.dest: each.help or "" for each in inner._choices_actions}
    for name, command in inner.choices.items():
        if commands_of(command) is None or command.get_default("run"):
            yield command, told.get(name, "")
        yield from _commands(command)


def _command(command: tuple[argparse.ArgumentParser, str]) -> Iterator[str]:
    parser, told = command
    parser.format_help()  # fills in what is looked up only then: the installed games
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
