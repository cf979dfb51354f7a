"""Words in pictures: players' names come from outside, may be of any length and hold any character."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len, set_cell_size


def plain(text: str) -> str:
    """The text without characters that steer a terminal, break a line or may not stand in XML."""
    return "".join(character if character.isprintable() else "�" for character in text)


def short(text: str, most: int) -> str:
    """The text, plain, in at most so many columns of a terminal; an ellipsis stands for what is cut."""
    text = plain(text)
    return text if cell_len(text) <= most else set_cell_size(text, most - 1).rstrip() + "…"


def column(text: str, width: int) -> str:
    """The text, plain, in exactly so many columns of a terminal."""
    return set_cell_size(short(text, width), width)


def listed(words: Sequence[str]) -> str:
    """``a``, ``a and b``, ``a, b and c``."""
    return " and ".join((", ".join(words[:-1]), words[-1]) if len(words) > 1 else words)


__all__ = ["column", "listed", "plain", "short"]
