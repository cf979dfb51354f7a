"""What there is to read: the commands in sections, each with an example, and the pages of the manual."""

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
from tablier.texts import Text, language, suggest


class Section(NamedTuple):
    """Commands that serve one purpose."""

    title: Text
    commands: tuple[str, ...]
    example: Text
    does: Text
    """What the example does."""


SECTIONS = (
    Section(
        Text("Play"),
        ("play", "resume", "attach", "rules"),
        Text("tablier play struggle"),
        Text("plays Struggle against bots, at this screen"),
    ),
    Section(
        Text("An evening"),
        ("evening", "invite", "web", "keeper"),
        Text("tablier evening --lan"),
        Text("begins an evening that people join with their phones"),
    ),
    Section(
        Text("Look back"),
        ("log", "show", "replay"),
        Text("tablier log list --last 3"),
        Text("lists the last three evenings with their results"),
    ),
    Section(
        Text("The table"),
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


def pages() -> dict[str, Page]:
    """Return the pages of the manual by their names, first those in the reader's language. Raise :class:`CommandError`
    where they are not installed."""
    folders = (
        Path(str(files(tablier))) / "manual",
        Path(tablier.__file__).parents[1] / "manual",
    )  # a wheel, a checkout
    folder = next((each for each in folders if each.is_dir()), None)
    if folder is None:
        raise CommandError("the manual is not installed here")
    found = [*sorted((folder / language().tag).glob("*.md")), *sorted(folder.glob("*.md"))]
    texts = {path.stem: path.read_text(encoding="utf-8") for path in reversed(found)}
    texts = {path.stem: texts[path.stem] for path in found}
    return {name: Page(name, text.partition("\n")[0].lstrip("# "), text) for name, text in texts.items()}


def page(name: str) -> Page:
    """Return a page of the manual. Raise :class:`CommandError` for a name that none has."""
    found = pages()
    if name not in found:
        known = list(found)
        text = Text("the manual has no page {seen}; pages: {known}", {"seen": repr(name), "known": known})
        raise CommandError(suggest(text, name, known))
    return found[name]


__all__ = ["SECTIONS", "Page", "Section", "overview", "page", "pages"]
