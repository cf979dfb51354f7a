"""From templates to sentences."""

from __future__ import annotations

import string
from collections.abc import Sequence
from typing import Any

from tablier.games.core import Json


class _Fields(string.Formatter):
    def get_value(self, key: int | str, args: Any, kwargs: Any) -> Any:
        return kwargs.get(key, "{" + str(key) + "}")


_FORMATTER = _Fields()


def render(text: Json, names: Sequence[str]) -> str:
    """Return a text of an update (``{"text": template, "args": {…}}``) as a sentence, with the players' names in it."""
    fields = {f"p{seat}": name for seat, name in enumerate(names, 1)}
    fields |= {key: _word(value, names) for key, value in text.get("args", {}).items()}
    try:
        return _FORMATTER.vformat(text["text"], (), fields)
    except (ValueError, AttributeError):  # braces that mean nothing
        return str(text["text"])


def _word(value: Any, names: Sequence[str]) -> str:
    if isinstance(value, dict):
        return names[value["seat"] - 1] if "seat" in value else render(value, names)
    if isinstance(value, list):
        return ", ".join(_word(each, names) for each in value)
    return str(value)
