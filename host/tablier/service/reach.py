"""Bring a board to MicroPython's prompt.

A table is asked over the wire for its service mode; any other board is interrupted.
"""

from __future__ import annotations

import math

from tablier import waiting
from tablier.service.listener import BoardError, Listener, reopen
from tablier.table.greeting import Hello
from tablier.table.ports import board_of
from tablier.texts import Text
from tablier_fw import wire

REACH_S = 10.0
"""Whatever is on the board must have answered by then."""
QUIET_S = 1.0
"""A table answers a hello sooner; after that an interrupt is sent as well, again and again."""
BOOT_S = 60.0
"""A board has started by then; it takes three seconds."""
EMULATED_BOOT_S = 900.0
"""An emulated one has started by then; it takes a minute, and several on a busy computer."""

_HELLO_S = 1.0
_ANSWER_S = 3.0  # without an answer for so long the table is asked for service again, so often
_ASK = 4
_SEARCH_S = 0.2


def reach(port: str) -> tuple[str, Hello | None]:
    """Bring the board at a port to MicroPython's prompt, whatever it runs.

    Return its port, which may have changed, and the hello of the table if one ran there. Raise :class:`BoardError`.
    """
    return _Approach(port).run()


class _Approach:
    """The steps: greet the board; ask a table for its service mode; wake any other board; wait for the prompt."""

    def __init__(self, port: str) -> None:
        self._port = port
        self._listener: Listener | None = Listener(port)
        self._table: Hello | None = None
        self._leaving = False  # the table has agreed and is on its way to its prompt
        self._taken = False  # it listens to another program
        self._asked = 0
        self._text = b""
        # When the next step is due, by waiting.now(); math.inf for one that is not to be taken.
        self._greet_at = self._ask_again_at = waiting.now()
        self._wake_at = self._greet_at + QUIET_S
        self._deadline = self._greet_at + REACH_S

    def run(self) -> tuple[str, Hello | None]:
        try:
            while waiting.now() < self._deadline and self._asked <= _ASK:
                if self._listener is None:
                    self._search()
                    continue
                try:
                    if self._at_prompt(self._listener):
                        return self._port, self._table
                except OSError:
                    self._lose()
        finally:
            if self._listener is not None:
                self._listener.close()
        raise BoardError(self._silence())

    def _search(self) -> None:
        """Look for the port of a table whose port vanished, as at a restart."""
        assert self._table is not None
        waiting.sleep(_SEARCH_S)
        self._port, self._listener = reopen(self._table.board, self._port)

    def _lose(self) -> None:
        """Drop a vanished port; only a table can be found again. Raise :class:`BoardError` for other boards."""
        if self._listener is not None:
            self._listener.close()
            self._listener = None
        if self._table is None:
            raise BoardError("{port}: the port went away; plug the board in again", port=self._port) from None

    def _at_prompt(self, listener: Listener) -> bool:
        """Greet and wake the board if due, then listen for a while. Return True at its prompt."""
        now = waiting.now()
        if now >= self._greet_at:
            listener.greet()
            self._greet_at = now + _HELLO_S
        awake = now >= self._wake_at
        if awake:
            listener.wake()
        for heard in listener.listen(_HELLO_S, past_prompt=not awake):
            if isinstance(heard, Hello):
                self._ask_for_service(listener, heard)
            else:
                self._take_answer(heard)
        self._text = self._text or listener.text
        return awake and listener.prompted

    def _ask_for_service(self, listener: Listener, table: Hello) -> None:
        """Ask a table that said hello, unless it was asked a moment ago. Raise :class:`BoardError` when it cannot."""
        now = waiting.now()
        same = self._table is not None and table.boot == self._table.boot
        if same and (self._leaving or now < self._ask_again_at):
            return
        if not table.abilities & wire.CAN_SERVE:
            raise BoardError(_refused(self._port, wire.CANNOT_SERVE))
        self._table, self._leaving = table, False
        self._asked += 1
        listener.ask_for_service(table)
        self._greet_at = self._ask_again_at = now + _ANSWER_S
        self._wake_at, self._deadline = math.inf, now + REACH_S

    def _take_answer(self, answer: int) -> None:
        """Wait for the prompt when the table agrees. Raise :class:`BoardError` when it refuses."""
        now = waiting.now()
        self._taken = answer == wire.STRANGER
        if self._taken:  # its host may have ended a moment ago
            self._greet_at = self._ask_again_at = now + _HELLO_S
            return
        if answer != wire.WILL_SERVE:
            raise BoardError(_refused(self._port, answer))
        self._leaving = True
        self._greet_at, self._wake_at, self._deadline = math.inf, now + QUIET_S, now + boot_s(self._port)

    def _silence(self) -> Text:
        """Return why the prompt was not reached in time."""
        about = {"port": self._port, "board": "" if self._table is None else self._table.board}
        if self._taken:
            return Text("{port}: this table listens to another program; end that, and try again", about)
        if self._table is not None:
            return Text("{port}: table {board} does not answer any more; reset it and try again", about)
        if self._text:
            return Text("{port}: what answers there is neither a table nor MicroPython; name another port", about)
        text = "{port}: nothing answers there; is it the port of a table, or of a board that runs MicroPython?"
        return Text(text, about)


def _refused(port: str, refusal: int) -> Text:
    about = {"port": port}
    if refusal == wire.QUESTION_OPEN:
        text = (
            "{port}: a game is open at this table; end it (tablier resume), or, to leave it for later, hold the"
            " table's service button while you try again, or press its reset button first"
        )
        return Text(text, about)
    if board_of(port):
        return Text("{port}: this table is simulated; its firmware is that of the tablier that runs it", about)
    none = (
        "{port}: the firmware of this table has no service mode; hold its service button while you switch it on, then"
        " try again"
    )
    return Text(none, about)


def boot_s(port: str) -> float:
    """Return the seconds that the board at a port may take to start."""
    return BOOT_S if board_of(port) is None else EMULATED_BOOT_S


def await_table(board: str, near: str) -> tuple[str, Hello]:
    """Wait for the hello of a board that was just reset; return its port and the hello. Raise :class:`BoardError`."""
    seconds = boot_s(near)
    deadline = waiting.now() + seconds
    listener: Listener | None = None
    port = near
    try:
        while waiting.now() < deadline:
            if listener is None:
                waiting.sleep(_SEARCH_S)
                port, listener = reopen(board, port)
                continue
            try:
                for heard in listener.listen(_HELLO_S, past_prompt=False):  # it says hello until it is greeted
                    if isinstance(heard, Hello):
                        return port, heard
                if listener.prompted:
                    words = listener.last_words()
                    text = "{port}: the firmware did not start; the board is at its prompt"
                    if words:
                        text = "{port}: the firmware did not start; the board is at its prompt, which says {words}"
                    raise BoardError(text, port=port, words=repr(words))
            except OSError:
                listener.close()
                listener = None
    finally:
        if listener is not None:
            listener.close()
    text = "{port}: the board was reset and did not say hello within {seconds} s; switch it off and on"
    raise BoardError(text, port=near, seconds=f"{seconds:g}")
