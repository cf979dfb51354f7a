"""Connections to a conductor for tests of something else: one that holds every seat, updates one by one."""

from __future__ import annotations

from collections.abc import Callable

from tablier.play.conductor import Conductor
from tablier.play.connections import Port
from tablier.play.inbox import Inbox, Sender
from tablier.texts import Json


def console(at: Conductor | Port) -> Sender:
    """Return the connection: the same one for the same port."""
    inbox = at.inbox if isinstance(at, Conductor) else at
    assert isinstance(inbox, Inbox)
    # Kept by the port: a table of them here would keep the ports, and their files, of every game of a campaign.
    kept: Sender = vars(inbox).setdefault("console", inbox.connect(range(1, 7), operator=True))
    return kept


def each(take: Callable[[Json], object]) -> Callable[[Json], None]:
    """Return what hands on each update of a message; refusals it leaves out."""

    def deliver(message: Json) -> None:
        for update in message.get("updates", ()):
            take(update)

    return deliver


__all__ = ["console", "each"]
