"""The games of a log that are played now, which nobody resumes: that would stop them where they are played."""

from __future__ import annotations

from pathlib import Path


def running_games(log: Path) -> set[int]:
    """Return the games that somebody plays now. Where the keeper cannot be asked there are none; the command that needs
    it says why."""
    from tablier.keeper.starting import find
    from tablier.messages import Listing
    from tablier.screens.evening_link import is_left
    from tablier.texts import Failure

    try:
        link = find(log)
        if link is None:
            return set()
        try:
            games = link.ask(Listing, "list").games
        finally:
            link.close()
    except (Failure, OSError):
        return set()
    return {each.game for each in games if not is_left(each)}


__all__ = ["running_games"]
