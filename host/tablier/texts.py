"""Texts: what people are told, as a template with arguments; a screen makes sentences of them, with names."""

from __future__ import annotations

import string
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

Json = dict[str, Any]


class Text(NamedTuple):
    """A template and its arguments.

    Each field of the template, such as ``{who}``, stands for the argument of that name: a number, a word, a
    :class:`Who`, a :class:`Typed`, another text, the error that says it, or a list of these; of anything else its
    ``str``. ``str(text)`` is the sentence as records and the
    command line have it: seats as ``p1``, moves with their actor.
    """

    template: str
    args: Mapping[str, Any] = MappingProxyType({})

    def to_json(self) -> Json:
        """Return ``{"text": template, "args": {…}}``, which JSON can carry."""
        return {"text": self.template, "args": {key: _plain(value) for key, value in self.args.items()}}

    def __reduce__(self) -> tuple[Any, ...]:
        return Text, (self.template, dict(self.args))  # the view of an empty dict cannot be pickled

    def __str__(self) -> str:
        return render(self.to_json())


class Who(NamedTuple):
    """A seat, as an argument of a :class:`Text`: a screen shows its player's name."""

    seat: int


class Typed(NamedTuple):
    """A move or the form of one, as an argument of a :class:`Text`: a screen leaves out the actor."""

    actor: str
    rest: str


class Failure(Exception):
    """An error whose message is a :class:`Text`; ``str(error)`` is ``str(text)``."""

    def __init__(self, text: Text | str, /, **args: Any) -> None:
        """Take a text, or a template with its arguments."""
        self.text = text if isinstance(text, Text) else Text(text, args)
        super().__init__(self.text)

    def __str__(self) -> str:
        return str(self.text)


class TextError(Failure, ValueError):
    """A value is wrong; says why in a :class:`Text`."""


def text_of(error: Exception) -> Text:
    """Return the message of an error as a text."""
    return error.text if isinstance(error, Failure) else Text("{message}", {"message": str(error)})


def text_from(value: Json | str) -> Text:
    """Return a text that :meth:`Text.to_json` gave; of a finished sentence, a text that says just that."""
    if isinstance(value, str):
        return Text("{message}", {"message": value})
    return Text(value["text"], {key: _argument(each) for key, each in value["args"].items()})


def _argument(value: Any) -> Any:
    if isinstance(value, list):
        return [_argument(each) for each in value]
    if not isinstance(value, dict):
        return value
    if "seat" in value:
        return Who(value["seat"])
    return Typed(value["actor"], value["move"]) if "move" in value else text_from(value)


def counted(count: int, one: str, many: str, none: str = "") -> Text:
    """Return the template for a number of things, with the number as its ``{count}``."""
    return Text(one if count == 1 else none if none and not count else many, {"count": count})


def all_of(items: Sequence[Any]) -> Text:
    """Return a list as "a, b and c"."""
    return _joined("{some} and {last}", items)


def any_of(items: Sequence[Any]) -> Text:
    """Return a list as "a, b or c"."""
    return _joined("{some} or {last}", items)


def row(items: Sequence[Any], glue: str) -> Text:
    """Return items with ``glue`` between them."""
    keys = [f"item{number}" for number in range(len(items))]
    return Text(glue.join(f"{{{key}}}" for key in keys), dict(zip(keys, items, strict=True)))


def first_of(items: Sequence[Any], most: int) -> Text:
    """Return at most so many of the items, with ``; `` between them and the number of the others at the end."""
    more = len(items) - most
    return row([*items[:most], *([Text("and {count} more", {"count": more})] if more > 0 else [])], "; ")


def _joined(template: str, items: Sequence[Any]) -> Text:
    if len(items) < 2:
        return Text("{items}", {"items": list(items)})
    return Text(template, {"some": list(items[:-1]), "last": items[-1]})


def _plain(value: Any) -> Any:
    if isinstance(value, Text):
        return value.to_json()
    if isinstance(value, Who):
        return {"seat": value.seat}
    if isinstance(value, Typed):
        return {"actor": value.actor, "move": value.rest}
    if isinstance(value, Failure):
        return value.text.to_json()
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return value if isinstance(value, str | int | float) else str(value)


# -- sentences ---------------------------------------------------------------------------------------------------


class _Fields(string.Formatter):
    def get_value(self, key: int | str, args: Any, kwargs: Any) -> Any:
        return kwargs.get(key, "{" + str(key) + "}")


_FORMATTER = _Fields()


def render(text: Json, names: Sequence[str] | None = None) -> str:
    """Return a text of an update (``{"text": template, "args": {…}}``) as a sentence, with the players' names in it.

    Without names seats are written as in records, ``p1``, and moves with their actor.
    """
    fields = {key: _word(value, names) for key, value in text.get("args", {}).items()}
    try:
        return _FORMATTER.vformat(text["text"], (), fields)
    except (ValueError, AttributeError):  # braces that mean nothing
        return str(text["text"])


def _word(value: Any, names: Sequence[str] | None) -> str:
    if isinstance(value, dict):
        if "seat" in value:
            return _name(value["seat"], names)
        if "move" in value:
            return f"{value['actor']} {value['move']}" if names is None else str(value["move"])
        return render(value, names)
    if isinstance(value, list):
        return ", ".join(_word(each, names) for each in value)
    return str(value)


def _name(seat: int, names: Sequence[str] | None) -> str:
    if not seat:
        return "table" if names is None else "the table"
    return f"p{seat}" if names is None else names[seat - 1]


__all__ = [
    "Failure",
    "Json",
    "Text",
    "TextError",
    "Typed",
    "Who",
    "all_of",
    "any_of",
    "counted",
    "first_of",
    "render",
    "row",
    "text_from",
    "text_of",
]
