"""The preferences in a file, for commands whose options say nothing."""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING

from tablier.cli.common import CommandError, refusing
from tablier.languages import find_language, of_environment, unknown
from tablier.texts import Language, speak
from tablier.usual import settings_file

if TYPE_CHECKING:
    from tablier.screens.preferences import Preferences


def read() -> Preferences | None:
    """Return what the file says; ``None`` where there is none. Raise :class:`CommandError`."""
    try:
        if not settings_file().exists():
            return None
    except (OSError, RuntimeError):  # nobody's home is known, or it is closed
        return None
    from tablier.screens.preferences import PreferencesError, read_preferences

    with refusing(PreferencesError):
        return read_preferences()


_DEFAULTS = {"pace": None, "bell": False, "plain": False, "spoken": False}


def fill(args: argparse.Namespace) -> None:
    """Set what a command takes, and its options have left open. Raise :class:`CommandError`."""
    open_ = [key for key in _DEFAULTS if getattr(args, key, False) is None]
    if open_:
        preferred = read()
        for key in open_:
            setattr(args, key, getattr(preferred, key, _DEFAULTS[key]))


def speak_preferred() -> None:
    """Speak the language that the file names, else that of the environment. Raise :class:`CommandError`."""
    preferred = read()
    tag = preferred.language if preferred is not None else ""
    language = find_language(tag) if tag else of_environment(os.environ)
    if language is None:
        raise CommandError("{path}: {why}", path=settings_file(), why=unknown(tag))
    if tag:
        speak_chosen(language)
    else:
        speak(language)


def speak_chosen(language: Language) -> None:
    """Speak a language that was chosen for this program, in those that it starts, too."""
    speak(language)
    os.environ["LANGUAGE"] = language.tag


__all__ = ["fill", "read", "speak_chosen", "speak_preferred"]
