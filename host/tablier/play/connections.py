"""Screens' connections to the conductor: the messages they receive, and what they may send.

A connection receives JSON objects: after each commit one for all its viewers, ``{"updates": [update, …]}`` in the order
in which it watches for them, ``{"refused": text, "seat"}`` for what it has sent and was not taken, and ``{"hint": {"n",
"move"}}`` for a hint that it has asked for (``move``: as it is typed, ``null`` for a pass; ``because`` it is worth so
much, if that can be said; or ``why`` there is none).
After ``{"again": true}`` the connection is another one: what it tells begins anew, and what was sent last may be lost.
``{"program": {"seat", "why", "lines"}}`` tells the operator alone what a program that failed wrote last to standard
error.
``{"told": text}`` is for the people at a screen: that the keeper has fallen silent, or answers again.
After ``{"taken": seat}`` it holds that seat no longer, and watches only for its others.

An update says what one viewer may see now; what stands in it of the game is made by ``Rules.view`` for that viewer.
Every update is complete: a screen that comes late gets one and is up to date. Its keys:

============ ======================================================================================================
game         the number of the game in the log
rules        the name of the game; ``options``: as they were given, and as a prelude has settled them
seats        for each seat ``{"name", "place", "source"}``
viewer       a seat, or ``null`` for a spectator
ply          how many moves stand
to_move      who can move: seats, 0 for the table
view         ``Rules.view`` for this viewer
question     ``null``, or ``{"id", "kind", "what", "seats", "text", "waiting", "walked", …}``, the public part of the
             open question; ``waiting`` are the seats that have not replied yet. ``deadline``: when it closes by
             itself, in seconds of ``now``. ``mine``: what is only for this viewer, if it is asked; in it, of a secret
             choice, ``outcomes``: what each of its ``moves`` leads to, where the game says so
news         what happened since the last update of this viewer, each ``{"n", "kind", "text", "turn"}``, and ``at``, the
             number of the move that it tells of, where it does; ``n`` counts what this viewer may see, and is
             ``None`` for news of the moment, which do not follow from the log. The first update brings all so far
practice     whether anything may be taken back
over         ``null``, or ``{"scores", "winners", "head"}``: ``head`` is the hash of the log's last entry; with
             ``unrevealed``, how many rolls the table has not revealed, where there are any
now          the time of the clock that ``deadline`` goes by, in seconds
============ ======================================================================================================

What a screen may send by ``reply`` and ``command`` of its :class:`Connection`, and who has a right to it, stands in the
keeper's document.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from tablier.texts import Json

Deliver = Callable[[Json], None]
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
