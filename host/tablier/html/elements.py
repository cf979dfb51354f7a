"""HTML, written so that nothing from outside can be anything but text."""

from __future__ import annotations

from html import escape
from typing import Any

_EMPTY = frozenset({"br", "hr", "img", "input", "link", "meta"})


class Markup(str):
    """HTML that is right as it stands; any other string is escaped."""

    __slots__ = ()


def tag(name: str, /, *children: Any, **attributes: Any) -> Markup:
    """Return an element. Attributes take ``_`` for ``-``, ``class_`` is ``class``; ``None`` and ``False`` leave an
    attribute out, ``True`` gives it no value; children may be lists, ``None`` is left out."""
    words = [name]
    for key, value in attributes.items():
        if value is None or value is False:
            continue
        attribute = key.rstrip("_").replace("_", "-")
        words.append(attribute if value is True else f'{attribute}="{escape(str(value), quote=True)}"')
    opened = Markup(f"<{' '.join(words)}>")
    return opened if name in _EMPTY else Markup(f"{opened}{join(children)}</{name}>")


def join(children: Any) -> Markup:
    """Return children one after another."""
    if children is None:
        return Markup("")
    if isinstance(children, Markup):
        return children
    if isinstance(children, list | tuple):
        return Markup("".join(map(join, children)))
    return Markup(escape(str(children), quote=True))


__all__ = ["Markup", "join", "tag"]
