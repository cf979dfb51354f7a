"""The log and the settings that commands use where none are named."""

import os
import shlex
from pathlib import Path

LOG_VARIABLE = "TABLIER_LOG"
"""The variable of the environment that names a log."""


def usual_log() -> Path:
    """Return the log of the environment, or the platform's. Raise ``RuntimeError`` where nobody's home is known."""
    if given := os.environ.get(LOG_VARIABLE):
        return Path(given)
    state = os.environ.get("XDG_STATE_HOME", "")
    if not Path(state).is_absolute():  # the specification says to ignore it then
        state = str(Path.home() / ".local" / "state")
    return Path(state) / "tablier" / "tablier.db"


def settings_file() -> Path:
    """Return the file of this user's settings. Raise ``RuntimeError`` where nobody's home is known."""
    config = os.environ.get("XDG_CONFIG_HOME", "")
    if not Path(config).is_absolute():
        config = str(Path.home() / ".config")
    return Path(config) / "tablier" / "config.toml"


def log_option(path: str | os.PathLike[str]) -> str:
    """Return what a command needs to find a log, as `` --log PATH``; an empty text where it finds it anyway. What a
    message tells somebody to type must do what it says."""
    try:
        found = os.path.realpath(usual_log()) == os.path.realpath(path)
    except RuntimeError:
        found = False
    return "" if found else f" --log {shlex.quote(os.fspath(path))}"


__all__ = ["LOG_VARIABLE", "log_option", "settings_file", "usual_log"]
