"""One connection at the keeper: lines in, lines out, and never more than it can be made to read."""

from __future__ import annotations

import socket
from collections import deque

from msgspec import structs

from tablier import messages
from tablier.keeper.access import Rights
from tablier.keeper.protocol import LINE_MAX, line_of, notice
from tablier.texts import Json

PATIENCE_S = 5.0
"""The seconds in which a message must be read whole; a peer that is slower is closed."""
_READ = 1 << 16
_ANSWERS_MAX = 64
"""The unread answers at which its requests wait."""


class Peer:
    """A connection. No peer can make others wait."""

    def __init__(self, connection: socket.socket, since: float = 0.0) -> None:
        """``since``: the time at which it came; ``heard_at`` is when something has come from it."""
        self._socket = connection
        self.since = self.heard_at = since
        connection.setblocking(False)
        self.rights = Rights()
        self.passive = False
        """True for a connection that only passes on what happens: the keeper does not stay for it, and no game begins
        while only its spectators watch."""
        self.open = True
        self._in = b""
        self._lines: deque[bytes] = deque()
        """What has come and was not carried out yet; reading stops meanwhile."""
        self._out = b""
        self._answers: deque[bytes] = deque()
        self._updates: dict[int, messages.Updates] = {}
        """By game: the latest message that was not sent yet, with all news since the one before it."""
        self._told: dict[object, messages.Notice] = {}
        """By subject: the latest message that was not sent yet."""
        self._stuck_since: float | None = None
        """When the message that is being sent was first not taken whole."""

    def fileno(self) -> int:
        return self._socket.fileno()

    # -- what comes in ---------------------------------------------------------------------------------------------

    @property
    def listens(self) -> bool:
        """Return whether more is read: not before all that has come was carried out."""
        return self.open and not self._lines and len(self._answers) < _ANSWERS_MAX

    @property
    def asks(self) -> bool:
        """Return whether it has a request to be carried out: none is while it leaves too many answers unread."""
        return self.open and bool(self._lines) and len(self._answers) < _ANSWERS_MAX

    def read(self, now: float = 0.0) -> None:
        """Take what has come; it is closed when nothing more can come."""
        self.heard_at = now
        try:
            data = self._socket.recv(_READ)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self.close()
            return
        *lines, self._in = (self._in + data).split(b"\n")
        if len(self._in) >= LINE_MAX:
            lines.append(self._in)  # it is too long already, whatever would follow
            self._in = b""
        self._lines.extend(lines)

    def next_line(self) -> bytes:
        """Return the line that came first, without its end."""
        return self._lines.popleft()

    # -- what goes out ---------------------------------------------------------------------------------------------

    @property
    def waits(self) -> bool:
        """Return whether there is something to send."""
        return self.open and bool(self._out or self._answers or self._told or self._updates)

    def answer(self, message: Json) -> None:
        """Send a message that nothing replaces."""
        self._answers.append(line_of(message))

    def tell(self, subject: object, message: messages.Notice) -> None:
        """Send a message in the place of an earlier one on the subject that was not sent yet."""
        self._told[subject] = message

    def update(self, message: messages.Updates) -> None:
        """Send how a game stands now; of what was not sent yet only the news are kept."""
        unsent = self._updates.pop(message.game, None)
        if unsent is not None:
            before = {each.viewer: each.news for each in unsent.updates}
            updates = [
                structs.replace(each, news=[*before.get(each.viewer, ()), *each.news]) for each in message.updates
            ]
            message = structs.replace(message, updates=updates)
        self._updates[message.game] = message

    def tell_next(self, message: messages.Ended | messages.Program | messages.Taken) -> None:
        """Send a message after all that stands unsent of its game."""
        if message.game in self._updates:
            self.answer(notice(self._updates.pop(message.game)))
        self.say(message)

    def say(self, message: messages.Notice) -> None:
        """Send a message that nothing replaces, and that nobody has asked for."""
        self.answer(notice(message))

    def flush(self, now: float) -> None:
        """Send what the connection takes."""
        while self.open:
            if not self._out:
                if self._answers:
                    self._out = self._answers.popleft()
                elif self._told:
                    self._out = line_of(notice(self._told.pop(next(iter(self._told)))))
                elif self._updates:
                    self._out = line_of(notice(self._updates.pop(next(iter(self._updates)))))
                else:
                    self._stuck_since = None
                    return
            try:
                sent = self._socket.send(self._out)
            except BlockingIOError:
                sent = 0
            except OSError:
                self.close()
                return
            if not sent:
                self._stuck_since = now if self._stuck_since is None else self._stuck_since
                return
            self._out = self._out[sent:]
            if not self._out:
                self._stuck_since = None

    def is_stuck(self, now: float) -> bool:
        """Return whether it has taken too long to read one message."""
        return self._stuck_since is not None and now - self._stuck_since >= PATIENCE_S

    def close(self) -> None:
        """Stop reading and sending; :meth:`hang_up` lets the other side know."""
        self.open = False

    def hang_up(self) -> None:
        """End the connection."""
        self.open = False
        self._socket.close()
