"""Whole documents, and the styles that they share."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any

from tablier.html import boards
from tablier.html.elements import Markup, tag
from tablier.texts import language

STYLES = files(__package__) / "styles"
"""``page.css``, the base of all; ``look.css``, for games looked back at; ``plots.css`` and ``best.css``, for what comes
from an archive."""


@cache
def style(name: str) -> str:
    """Return one of :data:`STYLES`."""
    return (STYLES / name).read_text(encoding="utf-8")


def document(title: str, head: Any, body: Any, kind: str = "") -> str:
    """Return a document.

    :param head: what its head has besides the title and what every document says of itself.
    :param kind: the class of its body.
    """
    whole = tag(
        "html",
        tag(
            "head",
            tag("meta", charset="utf-8"),
            tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
            tag("meta", name="color-scheme", content="light dark"),
            tag("title", title),
            head,
        ),
        tag("body", body, class_=kind or None),
        lang=language().tag,
    )
    return f"<!doctype html>\n{whole}\n"


def alone(title: str, body: Any, *styles: str, kind: str = "") -> str:
    """Return a document that is one file: with ``page.css``, the colours of boards and more style sheets within it, it
    refers to nothing outside."""
    sheets = (style("page.css"), boards.style(), *styles)
    return document(title, [Markup(f"<style>{each}</style>") for each in sheets], body, kind)


__all__ = ["STYLES", "alone", "document", "style"]
