"""The rules of a game as they are read on a screen: the README of the game's folder."""

from __future__ import annotations

from importlib.resources import files
from io import StringIO

from tablier.games import game_of


def rules_text(game: str) -> str | None:
    """Return the rules of a game in Markdown, or ``None`` if it comes without. Raise ``OptionError``."""
    rules = game_of(game).rules
    package = rules.__module__.rpartition(".")[0]
    if not package:
        return None
    readme = files(package) / "README.md"
    return readme.read_text(encoding="utf-8") if readme.is_file() else None


def rules_page(game: str, width: int, *, colour: bool) -> str:
    """Return the rules of a game as a terminal of so many columns shows them. Raise ``OptionError``."""
    text = rules_text(game)
    if text is None:
        return f"{game_of(game).rules.title} comes without a text of its rules.\n"
    from rich.console import Console
    from rich.markdown import Markdown

    out = StringIO()
    system = "256" if colour else None
    Console(file=out, width=width, force_terminal=colour, color_system=system, legacy_windows=False).print(  # type: ignore[arg-type]
        Markdown(text, hyperlinks=False)
    )
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()) + "\n"


__all__ = ["rules_page", "rules_text"]
