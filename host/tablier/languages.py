"""The languages that are here: catalogues of templates, one of the host and one of each game.

A catalogue is a PO file, ``locale/TAG/LC_MESSAGES/NAME.po`` beside the modules whose templates it translates. It is
read as it stands, when the first text is shown in its language: nothing has to be built, and English needs none. A
package that brings a language names its module as an entry point of the group ``tablier.languages``; a game from
elsewhere has its catalogues in its own folder.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING
from unicodedata import normalize

from tablier.texts import ENGLISH, Language, Text, language, word_list

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

GROUP = "tablier.languages"
"""The group of entry points under which packages register languages: a tag, and the module beside whose file the
folder ``locale`` is."""
VARIABLES = ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG")
"""Of the environment; the first that is set counts."""

NAME = Text("English", context="language")
"""The name of a language in that language, as a switch of languages shows it."""
_MARK = Text(".", context="decimal mark")
_STOPS = (Text(":", context="colon"), Text(";", context="semicolon"))
"""As they stand after a value, in templates that have no words to be translated."""
_THOUSANDS = Text(",", context="thousands mark")
_PERCENT = Text("{number}%", context="percent")
_QUOTES = Text("'{quoted}'", context="quotes")
_QUOTE = ("'", '"')
_STOP_AFTER = re.compile(r"(?<=\})[:;](?=\s|$)")
_WORDLESS = re.compile(r"(?:\{\w+\}|[^\w{}])*")
ELIDED = Text("none", context="words without their last letter before a vowel, as de, que in French")
MERGED = Text("none", context="words that become one, as de le=du à les=aux in French")

SYSTEM = frozenset(
    each.template
    for each in word_list(
        *("No such file or directory", "Permission denied", "Operation not permitted", "Is a directory"),
        *("Not a directory", "File exists", "File name too long", "No space left on device", "Read-only file system"),
        *("Too many open files", "Input/output error", "Broken pipe", "Resource temporarily unavailable"),
        *("Device or resource busy", "No such device or address", "No such device", "Inappropriate ioctl for device"),
        *("Address already in use", "Cannot assign requested address", "Connection refused"),
        *("Connection reset by peer", "Connection timed out", "Operation timed out", "timed out"),
        *("Network is unreachable", "No route to host", "Name or service not known"),
        *("nodename nor servname provided, or not known", "No address associated with hostname"),
        *("Temporary failure in name resolution", "Disk quota exceeded", "Text file busy", "Exec format error"),
        *("Too many levels of symbolic links", "File too large", "Bad file descriptor", "Cannot allocate memory"),
        "Invalid argument",
        context="system",
    )
)
"""The messages of the operating system about a file, a port or a connection."""
_ESCAPED, _MEANT = re.compile(r"\\(.)"), {"n": "\n", "t": "\t"}
_VOWELS = frozenset("aeiouœæ")
_ASPIRATED, _MUTE = ("ha", "hei", "hib", "hil", "hol", "hou", "hui"), ("habi", "hadr")
_NONE = "none"
_FOLDERS: dict[Path, None] = {Path(__file__).parent / "locale": None}
"""Where catalogues are looked for: the host's, and of each game that was loaded."""


def add_folder(folder: Path) -> None:
    """Look for catalogues in the folder ``locale`` in another one, too."""
    _FOLDERS.setdefault(folder / "locale")


class Translation(Language):
    """A language that catalogues translate to. What they lack is in English."""

    def __init__(self, tag: str, folders: Iterable[Path] = ()) -> None:
        """``folders``: where a package has catalogues of this language alone."""
        self.tag = tag
        self._own = list(folders)
        self._read = 0
        self._blocks: dict[str, str] = {}
        """The entries that nobody has asked for, by their ``msgid``: reading them all would delay a start."""
        self._found: dict[tuple[str, str], list[str]] = {}
        self._form: Callable[[int], int] = _plural("n != 1")
        self._stops: Mapping[str, str] = {}
        self._elided: frozenset[str] = frozenset()
        self._merged: Mapping[str, str] = {}

    def find(self, context: str, template: str, one: str = "", count: int = 1) -> str:
        if self._read < len(_FOLDERS):
            self._load()
        forms = self._forms(context, one or template)
        if forms is None:
            if ("}:" in template or "};" in template) and _WORDLESS.fullmatch(template):
                return _STOP_AFTER.sub(lambda stop: self._stops[stop[0]], template)
            return super().find(context, template, one, count)
        return forms[min(self._form(abs(count)), len(forms) - 1)] if one else forms[0]

    def value(self, value: str) -> str:
        if value in SYSTEM:
            return self.find("system", value)
        if value[:1] in _QUOTE and len(value) > 2 and value[-1] == value[0]:  # as repr has it: what somebody has typed
            return self.find(_QUOTES.context, _QUOTES.template).replace("{quoted}", value[1:-1])
        return value

    def number(self, value: str) -> str:
        marks = {ord(each.template): self.find(each.context, each.template) for each in (_MARK, _THOUSANDS)}
        said = value.translate(marks)
        if said[-1:] != "%":
            return said
        return self.find(_PERCENT.context, _PERCENT.template).replace("{number}", said[:-1])

    def attach(self, before: str, word: str) -> str:
        last = before.rstrip(" ").rpartition(" ")[2].rpartition("\u00a0")[2].lstrip("(«“\u202f").casefold()
        if not before.endswith(" ") or not last:
            return before + word
        if last in self._elided and _begins_with_vowel(word):
            return f"{before[:-2]}’{word}"
        article, _, rest = word.partition(" ")
        merged = self._merged.get(f"{last} {article}") if rest else None
        if merged is not None:
            return f"{before[: -len(last) - 1]}{_as(before[-len(last) - 1], merged)} {rest}"
        return before + word

    def _forms(self, context: str, id: str) -> list[str] | None:
        """Return the forms of a message; ``None`` where it has none."""
        if (blocks := self._blocks.get(id)) is not None:
            self._take(blocks)
            self._blocks.pop(id, None)  # by now every thread finds it
        return self._found.get((context, id))

    def _take(self, text: str) -> str:
        """Read some entries; return the header, if it is among them. What was found first stays."""
        header, found = read_catalogue(text)
        for key, forms in found.items():
            self._found.setdefault(key, forms)
        return header

    def _load(self) -> None:
        folders, self._own = [*self._own, *list(_FOLDERS)[self._read :]], []
        self._read = len(_FOLDERS)
        for folder in folders:
            for file in sorted((folder / self.tag / "LC_MESSAGES").glob("*.po")):
                _index(file.read_bytes().decode(), self._blocks)
                header = self._take(self._blocks.pop("", ""))
                if plural := re.search(r"^Plural-Forms:.*plural=([^;]+)", header, re.MULTILINE):
                    self._form = _plural(plural[1])
        self._stops = {each.template: self.find(each.context, each.template) for each in _STOPS}
        elided, merged = (self.find(each.context, each.template) for each in (ELIDED, MERGED))
        self._elided = frozenset() if elided == _NONE else frozenset(elided.split())
        pairs = [] if merged == _NONE else re.findall(r"(\S+ \S+)=(\S+)", merged)
        self._merged = dict(pairs)


def _as(first: str, word: str) -> str:
    """Return a word with the capital of the one in whose place it stands."""
    return word[:1].upper() + word[1:] if first.isupper() else word


@cache
def _plural(rule: str) -> Callable[[int], int]:
    from gettext import c2py

    chosen: Callable[[int], int] = c2py(rule.strip())
    return chosen


def _begins_with_vowel(word: str) -> bool:
    """Return whether a word begins with a vowel or a mute h. What begins like Hans or Heidi is taken over from
    elsewhere, with an h that is heard; y before a consonant is a vowel."""
    if not word[:1].isalpha():
        return False
    bare = "".join(each for each in normalize("NFD", word[:12]).casefold() if each.isalpha())
    if bare.startswith("h"):
        return not bare.startswith(_ASPIRATED) or bare.startswith(_MUTE)
    if bare.startswith("y"):
        return bare[1:2] not in _VOWELS and len(bare) > 1
    return bare[:1] in _VOWELS and not bare.startswith(("onz", "oui"))


_ID = re.compile(r'^msgid "(.*)"$', re.MULTILINE)


def _index(text: str, blocks: dict[str, str]) -> None:
    """Add the entries of a PO file, as they stand, to those by their ``msgid``: the header, and those whose ``msgid``
    has several lines, by an empty one. A start waits for this, so no entry is looked at more than it must."""
    entries, ids = text.rstrip("\n").split("\n\n"), _ID.findall(text)
    if len(ids) != len(entries):  # a comment alone, say
        entries = [each for each in entries if _ID.search(each)]
        ids = [_ID.findall(each)[0] for each in entries]
    for id, entry in zip(ids, entries, strict=True):
        if "\\" in id:
            id = _plain(id)
        blocks[id] = f"{blocks[id]}\n\n{entry}" if id in blocks else entry


def read_catalogue(text: str) -> tuple[str, dict[tuple[str, str], list[str]]]:
    """Return the header of a PO file, and the forms of each message by its context and its ``msgid``. What is fuzzy or
    not translated is left out."""
    header, found = "", {}
    for block in text.split("\n\n"):
        if "\n#, fuzzy" in block or block.startswith("#, fuzzy"):
            continue
        entry: dict[str, str] = {}
        key = ""
        for line in block.split("\n"):
            if line[:1] == "m":
                key, _, quoted = line.partition(" ")
                entry[key] = quoted.strip()[1:-1]
            elif line[:1] == '"':
                entry[key] += line.strip()[1:-1]
        forms = [_plain(each) for each in (entry.get("msgstr", ""), *_numbered(entry)) if each]
        if not forms:
            continue
        if entry.get("msgid"):
            found[_plain(entry.get("msgctxt", "")), _plain(entry["msgid"])] = forms
        else:
            header = forms[0]
    return header, found


def _numbered(entry: Mapping[str, str]) -> Iterator[str]:
    """Yield the plural forms of an entry, in order."""
    number = 0
    while (form := entry.get(f"msgstr[{number}]")) is not None:
        yield form
        number += 1


def _plain(quoted: str) -> str:
    return _ESCAPED.sub(lambda each: _MEANT.get(each[1], each[1]), quoted) if "\\" in quoted else quoted


# -- which there are ---------------------------------------------------------------------------------------------------


@cache
def _included() -> Mapping[str, Language]:
    """Return the languages whose catalogues come with the package."""
    own = (file.parents[1].name for file in next(iter(_FOLDERS)).glob("*/LC_MESSAGES/*.po"))
    return {tag: Translation(tag) for tag in sorted(set(own))}


@cache
def languages() -> Mapping[str, Language]:
    """Return all languages that are here by their tags, English first."""
    brought = {tag: Translation(tag, own) for tag, own in sorted(_brought().items()) if tag not in _included()}
    return {ENGLISH.tag: ENGLISH, **_included(), **brought}


def _brought() -> dict[str, list[Path]]:
    """Return the folders of the languages that other packages bring, by their tags."""
    from importlib.metadata import entry_points
    from importlib.util import find_spec

    found: dict[str, list[Path]] = {}
    for entry in entry_points(group=GROUP):
        with suppress(ImportError, ValueError, AttributeError):
            spec = find_spec(entry.module)
            if spec is not None and spec.origin:
                found.setdefault(entry.name, []).append(Path(spec.origin).parent / "locale")
    return found


def name_of(named: Language) -> str:
    """Return the name of a language in that language."""
    return named.find(NAME.context, NAME.template)


def find_language(*wanted: str) -> Language | None:
    """Return the first language that is here of some that are wanted, as ``fr``, ``pt-BR`` or ``fr_FR.UTF-8``."""
    for each in wanted:
        tag = re.split(r"[.@]", each.replace("_", "-"))[0].casefold()
        if tag in ("c", "posix") or tag == ENGLISH.tag or tag.startswith(f"{ENGLISH.tag}-"):
            return ENGLISH
        for known in (_included, languages):  # packages are looked for last
            named = {name.casefold(): each for name, each in known().items()}
            part = tag
            while part:
                if part in named:
                    return named[part]
                part = part.rpartition("-")[0]
    return None


def unknown(tag: str) -> Text:
    """Return the refusal of a language that there is not, with those that there are."""
    return Text("unknown language {tag}; languages: {known}", {"tag": repr(tag), "known": list(languages())})


def of_environment(environment: Mapping[str, str]) -> Language:
    """Return the language that an environment asks for; English where it asks for none that is here."""
    said = next((environment[name] for name in VARIABLES if environment.get(name)), "")
    return find_language(*filter(None, said.split(":"))) or ENGLISH


def of_browser(accepted: str) -> Language:
    """Return the language that ``Accept-Language`` prefers."""
    wanted: list[tuple[float, str]] = []
    for each in accepted[:200].split(","):
        tag, _, weight = each.partition(";q=")
        with suppress(ValueError):
            wanted.append((-float(weight or 1), tag.strip()))
    return (
        find_language(*(tag for weight, tag in sorted(wanted, key=lambda each: each[0]) if weight and tag)) or ENGLISH
    )


def in_language(folder: Traversable, name: str) -> Traversable:
    """Return a document in the reader's language: of the folder ``locale/TAG`` in its own, else the English one."""
    there = folder / "locale" / language().tag / name
    return there if there.is_file() else folder / name


__all__ = [
    "GROUP",
    "SYSTEM",
    "Translation",
    "add_folder",
    "find_language",
    "in_language",
    "languages",
    "name_of",
    "of_browser",
    "of_environment",
    "read_catalogue",
    "unknown",
]
