"""What the file of preferences says, for commands whose options say nothing."""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING

from tablier.cli.common import CommandError, refusing
from tablier.languages import find_language, languages, of_environment
from tablier.texts import speak
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
        about = {"path": settings_file(), "tag": repr(tag), "known": list(languages())}
        raise CommandError("{path}: there is no language {tag}; there are: {known}", **about)
    speak(language)
    if tag:
        os.environ["LANGUAGE"] = language.tag  # of programs that this one starts


__all__ = ["fill", "read", "speak_preferred"]
