"""What somebody prefers at this computer, in a file that commands read where an option says nothing."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from typing import Any, NamedTuple

from tablier.printable import is_printable
from tablier.texts import TRUE_OR_FALSE, Failure, Text, suggest
from tablier.usual import settings_file

PACES = (0.0, 0.5, 1.0, 2.0, 4.0)
"""The seconds that bots take for a move, as the start screen offers them."""
PACE_MOST = 60.0
NAME_MAX = 40
"""The most characters of a name that is typed at the start screen."""


class PreferencesError(Failure):
    """The file of preferences cannot be read or written; the text is one line."""


class Preferences(NamedTuple):
    """What somebody prefers; ``None`` and empty texts leave it to the program."""

    name: str = ""
    pace: float | None = None
    bell: bool = False
    plain: bool = False
    spoken: bool = False
    language: str = ""


def read_preferences() -> Preferences:
    """Return what the file says; where there is none, nothing is preferred. Raise :class:`PreferencesError`."""
    try:
        path = settings_file()
        content = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError, RuntimeError):
        return Preferences()
    except OSError as error:
        raise PreferencesError("{path}: {why}", path=path, why=error.strerror or str(error)) from None
    import tomllib

    try:
        found = tomllib.loads(content.decode())
    except ValueError as error:
        raise PreferencesError("{path}: {why}", path=path, why=str(error)) from None
    for key, value in found.items():
        if key not in Preferences._fields:
            about = {"path": path, "key": repr(key), "known": list(Preferences._fields)}
            text = Text("{path}: there is no setting {key}; settings: {known}", about)
            raise PreferencesError(suggest(text, key, Preferences._fields))
        if not _ALLOWED[key](value):
            raise PreferencesError("{path}: {key}: {form}", path=path, key=key, form=_FORMS[key])
    return Preferences(**found)


def write_preferences(preferences: Preferences) -> None:
    """Write the file, without what is left to the program. Raise :class:`PreferencesError`."""
    default = Preferences()
    lines = [
        f"{key} = {json.dumps(value, ensure_ascii=False)}\n"
        for key, value in preferences._asdict().items()
        if value != getattr(default, key)
    ]
    try:
        path = settings_file()
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        new = path.with_name(f".{path.name}.{os.getpid()}.part")
        new.write_text("".join(lines), encoding="utf-8")
        new.replace(path)
    except RuntimeError as error:
        raise PreferencesError("{why}", why=str(error)) from None
    except OSError as error:
        raise PreferencesError("{path}: {why}", path=path, why=error.strerror or str(error)) from None


def _is_name(value: Any) -> bool:
    return isinstance(value, str) and is_printable(value) and len(value) <= NAME_MAX and not set("=@") & set(value)


_ALLOWED: dict[str, Callable[[Any], bool]] = {
    "name": _is_name,
    "pace": lambda value: type(value) in (int, float) and 0 <= value <= PACE_MOST,
    "bell": lambda value: isinstance(value, bool),
    "plain": lambda value: isinstance(value, bool),
    "spoken": lambda value: isinstance(value, bool),
    "language": lambda value: isinstance(value, str) and is_printable(value),
}
_FORMS = {
    "name": Text('a name, as in "Anne"'),
    "pace": Text("seconds, from 0 to 60"),
    "bell": TRUE_OR_FALSE,
    "plain": TRUE_OR_FALSE,
    "spoken": TRUE_OR_FALSE,
    "language": Text('a language, as in "fr"'),
}


__all__ = [
    "NAME_MAX",
    "PACES",
    "Preferences",
    "PreferencesError",
    "read_preferences",
    "write_preferences",
]
