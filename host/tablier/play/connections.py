"""Screens' connections to the conductor: the messages they receive, and what they may send.

An update says what one viewer may see now; what stands in it of the game is made by ``Rules.view`` for that viewer.
Every update is complete: a screen that comes late gets one and is up to date. What a screen may send by ``reply`` and
``command`` of its :class:`Connection`, and who has a right to it, stands in the keeper's document.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

from tablier import messages
from tablier.texts import Json, Text


class Refused(NamedTuple):
    """What was sent was not taken."""

    why: Text
    seat: int | None


class Hinted(NamedTuple):
    """A hint that was asked for."""

    n: int
    hint: messages.Hint


class Reconnected(NamedTuple):
    """The connection is another one: what it says begins anew, and what was sent last may be lost."""


class Said(NamedTuple):
    """Something for the people at a screen: that the keeper has fallen silent, or answers again."""

    text: Text


Message = messages.Updates | messages.Taken | messages.Program | Refused | Hinted | Reconnected | Said
Deliver = Callable[[Message], None]
"""Gets each message, in the conductor's thread. One that raises is left out from then on."""


class Connection(Protocol):
    """One screen's way to the conductor. Values are JSON; every method may be called from any thread.

    A refusal comes back to this connection alone.
    """

    def watch(self, viewers: Sequence[int | None], deliver: Deliver) -> Callable[[], None]:
        """Have messages for these viewers delivered from now on; return what ends that. The first comes at once.

        Raise :class:`tablier.play.requests.RequestError` for a seat that this connection does not hold.
        """

    def reply(self, body: Json) -> None:
        """Hand in a seat's reply to the open question: ``{"id", "seat", "event", …}``.

        To a choice a screen sends ``{"event": "locked", "commitment"}``, and ``{"event": "opened", "nonce", "choice"}``
        when the question says ``"open": true``; :class:`tablier.course.binding.Binder` does both.
        """

    def command(self, body: Json) -> None:
        """Hand in something else: ``command`` is a method of the keeper, and the other keys are its parameters, without
        the game. With a ``hint`` goes ``n``, which comes back with it."""
