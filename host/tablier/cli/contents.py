"""The commands in sections, each with an example, and the pages of the manual."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from textwrap import wrap
from typing import NamedTuple

import tablier
from tablier.cli.common import COLUMNS, CommandError
from tablier.cli.parsing import commands_of
from tablier.languages import languages
from tablier.names import without_accents
from tablier.screens.phrases import AN_EVENING, LOOK_BACK, TABLE_TITLE
from tablier.texts import Language, Text, language, suggest, word_list


class Section(NamedTuple):
    """Commands that serve one purpose."""

    title: Text
    commands: tuple[str, ...]
    example: Text
    does: Text
    """The effect of the example, as a clause."""


SECTIONS = (
    Section(
        Text("Play"),
        ("play", "resume", "attach", "rules"),
        Text("tablier play struggle"),
        Text("plays Struggle against bots, at this screen"),
    ),
    Section(
        AN_EVENING,
        ("evening", "invite", "web", "keeper"),
        Text("tablier evening --lan"),
        Text("begins an evening that people join with their phones"),
    ),
    Section(
        LOOK_BACK,
        ("log", "show", "replay"),
        Text("tablier log list --last 3"),
        Text("lists the last three evenings with their results"),
    ),
    Section(
        TABLE_TITLE,
        ("table",),
        Text("tablier table list"),
        Text("lists the tables that are plugged in"),
    ),
    Section(
        Text("The club"),
        ("people", "archive", "stats", "report"),
        Text("tablier people rename Ane Anne"),
        Text("corrects a name in the whole log"),
    ),
    Section(
        Text("For developers"),
        ("simulate", "legal", "layout"),
        Text("tablier simulate d21 --seats strong good --games 100"),
        Text("has two bots play a hundred games"),
    ),
    Section(
        Text("Help"),
        ("help", "manual", "man", "completion"),
        Text("tablier manual evening"),
        Text("shows the manual's page on evenings"),
    ),
)
"""All commands, in the order of ``tablier --help``."""


def overview(parser: argparse.ArgumentParser) -> str:
    """Return the help of the program: all commands by sections."""
    return "".join(f"{line}\n" for line in _overview(parser))


def _overview(parser: argparse.ArgumentParser) -> Iterator[str]:
    inner = commands_of(parser)
    told = {each.dest: each.help or "" for each in inner._choices_actions} if inner else {}
    width = max(map(len, told), default=0) + 2
    yield str(Text("usage: {prog} COMMAND [OPTION]...", {"prog": parser.prog}))
    yield ""
    yield from wrap(f"{parser.description} {Text('Without a command: a screen to choose from.')}", COLUMNS)
    for section in SECTIONS:
        yield ""
        yield str(Text("{section}:", {"section": section.title}))
        for name in section.commands:
            yield from wrap(
                told.get(name, ""), COLUMNS, initial_indent=f"  {name:<{width}}", subsequent_indent=" " * (width + 2)
            )
        yield f"  {'':<{width}}$ {section.example}"
    yield ""
    yield from wrap(str(_MORE), COLUMNS)


_MORE = Text(
    "'tablier help COMMAND' shows one command and its options, 'tablier manual' the pages of the manual. --lang fr"
    " speaks French, --version prints the version."
)


# -- the manual ----------------------------------------------------------------------------------------------------


class Page(NamedTuple):
    """A page of the manual."""

    name: str
    title: str
    text: str
    translated: bool


_NAMES = word_list("playing", "evening", "browser", "club", context="page")
"""The pages for players, which other languages have under names of their own, in a folder called as their tag."""


def pages() -> dict[str, Page]:
    """Return the pages of the manual by their names, each once, first those in the reader's language. Raise
    :class:`CommandError` where they are not installed."""
    found = [_page(path, language()) for path in _paths()]
    return {each.name: each for each in sorted(found, key=lambda each: not each.translated)}


def _paths() -> list[Path]:
    """Return the English pages, of which others are translations."""
    folders = (
        Path(str(files(tablier))) / "manual",
        Path(tablier.__file__).parents[1] / "manual",
    )  # a wheel, a checkout
    folder = next((each for each in folders if each.is_dir()), None)
    if folder is None:
        raise CommandError("the manual is not installed here")
    return sorted(folder.glob("*.md"))


def _page(path: Path, read: Language) -> Page:
    """Return a page as a reader of a language has it: translated, or in English."""
    name = _name(path, read)
    there = path.parent / read.tag / f"{without_accents(name)}.md"
    translated = there.is_file()
    text = (there if translated else path).read_text(encoding="utf-8")
    return Page(name if translated else path.stem, text.partition("\n")[0].lstrip("# "), text, translated)


def _name(path: Path, read: Language) -> str:
    return next((read.find(each.context, each.template) for each in _NAMES if each.template == path.stem), path.stem)


def page(name: str) -> Page:
    """Return a page of the manual in the reader's language, by its name in any. Raise :class:`CommandError` for a name
    that none has."""
    for path in _paths():
        names = (_name(path, each) for each in (language(), *languages().values()))
        if without_accents(name) in (path.stem, *map(without_accents, names)):
            return _page(path, language())
    known = list(pages())
    text = Text("the manual has no page {seen}; pages: {known}", {"seen": repr(name), "known": known})
    raise CommandError(suggest(text, name, known))


__all__ = ["SECTIONS", "Page", "Section", "overview", "page", "pages"]
