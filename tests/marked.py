"""A made language: every template between marks, its letters with accents, so that what goes past it is seen."""

from __future__ import annotations

import re
import string
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tablier import languages, texts
from tablier.texts import Language

PLAIN = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
ACCENTED = "åƀçđéƒĝĥîĵķļɱñøþɋŕšţûṽŵẋýžÅƁÇĐÉƑĜĤÎĴĶĻṀÑØÞɊŔŠŢÛṼŴẊÝŽ"
_LETTERS = str.maketrans(PLAIN, ACCENTED)
_QUOTED = re.compile(r"({\w+}|'tablier [^']*'|--[a-z-]+|%\(\w+\)\w|%\w|\b[A-Z]{2,}\b)")
"""What is typed, which no language changes."""
_WORD = re.compile(r"[A-Za-z]{3,}")


class Marked(Language):
    """The made language."""

    tag = "qaa"

    def find(self, context: str, template: str, one: str = "", count: int = 1) -> str:
        said = super().find(context, template, one, count)
        try:
            parts = list(string.Formatter().parse(said))
        except ValueError:
            return said
        if not any(any(map(str.isalpha, literal)) for literal, *_ in parts):
            return said
        return f"⟦{''.join(_accent(literal) + (f'{{{field}}}' if field else '') for literal, field, *_ in parts)}⟧"

    def value(self, value: str) -> str:
        return self.find("system", value) if value in languages.SYSTEM else value


def _accent(literal: str) -> str:
    kept = literal.replace("{", "{{").replace("}", "}}")
    return "".join(part if _QUOTED.fullmatch(part) else part.translate(_LETTERS) for part in _QUOTED.split(kept))


MARKED = Marked()


def english(said: str, *known: str) -> list[str]:
    """Return the words of three letters or more in a text that went past the catalogue; ``known`` are names and what is
    typed."""
    return [word for word in _WORD.findall(_QUOTED.sub(" ", said)) if word not in known]


@contextmanager
def with_languages(monkeypatch: pytest.MonkeyPatch, *more: Language) -> Iterator[None]:
    """Have more languages than those that come with the package."""
    here = {**languages._included(), **{each.tag: each for each in more}}
    with monkeypatch.context() as patch:
        patch.setattr(languages, "_included", lambda: here)
        languages.languages.cache_clear()
        try:
            yield
        finally:
            texts.speak(texts.ENGLISH)
            languages.languages.cache_clear()
