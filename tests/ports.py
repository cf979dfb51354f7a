"""One connection to a conductor that holds every seat and is the operator's, for tests of something else."""

from __future__ import annotations

from weakref import WeakKeyDictionary

from tablier.play.conductor import Conductor
from tablier.play.connections import Port
from tablier.play.inbox import Inbox, Sender

_CONSOLES: WeakKeyDictionary[Inbox, Sender] = WeakKeyDictionary()


def console(at: Conductor | Port) -> Sender:
    """Return the connection: the same one for the same port."""
    inbox = at.inbox if isinstance(at, Conductor) else at
    assert isinstance(inbox, Inbox)
    return _CONSOLES.setdefault(inbox, inbox.connect(range(1, 7), operator=True))


__all__ = ["console"]
