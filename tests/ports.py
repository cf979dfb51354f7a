"""One connection to a conductor that holds every seat and is the operator's, for tests of something else."""

from __future__ import annotations

from tablier.play.conductor import Conductor
from tablier.play.connections import Port
from tablier.play.inbox import Inbox, Sender


def console(at: Conductor | Port) -> Sender:
    """Return the connection: the same one for the same port."""
    inbox = at.inbox if isinstance(at, Conductor) else at
    assert isinstance(inbox, Inbox)
    # Kept by the port: a table of them here would keep the ports, and their files, of every game of a campaign.
    kept: Sender = vars(inbox).setdefault("console", inbox.connect(range(1, 7), operator=True))
    return kept


__all__ = ["console"]
