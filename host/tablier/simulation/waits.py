"""The waits of connections at a simulated table, and the participants of virtual time."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from tablier.simulation.board import Board
from tablier.simulation.buttons import Buttons, Felt
from tablier.simulation.control import Answer, AnyWait, Connection, Control, Feel, VerbError, Wait, Watch, refused
from tablier.simulation.port import Port
from tablier.simulation.timeline import LifeTime, Timeline
from tablier.simulation.words import button_of, number_of, switched_on, wait_of, watch_of
from tablier.texts import Text

PRESS_MS = 80
_UNFELT_US = 10_000_000
"""Time that a board which does not look at its buttons is given to do so."""

ConnectionVerb = Callable[[Connection, list[str]], Answer | None]


class Waits:
    """The verbs that wait, and the conditions that end them."""

    def __init__(self, timeline: Timeline, port: Port, board: Board, buttons: Buttons) -> None:
        self._timeline = timeline
        self._port = port
        self._board = board
        self._buttons = buttons

    def verbs(self) -> dict[str, ConnectionVerb]:
        """Return the verbs about the connection that says them."""
        return {
            "join": self._join,
            "opened": self._opened,
            "wait": self._wait,
            "wake": self._wake,
            "until": self._until,
            "press": self._press,
            "hold": self._hold,
            "release": self._release,
            "service": self._service,
        }

    def clock(self) -> Answer:
        """Return the time, its kind, and the counters of port and pixels."""
        time, port = self._timeline, self._port
        clock: Answer = {"now": time.now(), "virtual": time.virtual, "own": time.own}
        if isinstance(time, LifeTime):
            clock["pace"] = time.pace
        name = port.name if port.plugged else None
        return {"ok": True, **clock, "sent": port.sent, "pictures": self._board.pictures, "port": name}

    def _join(self, connection: Connection, args: list[str]) -> Answer:
        connection.joined = True
        return self.clock()

    def _opened(self, connection: Connection, args: list[str]) -> Answer:
        self._port.start_over()
        return self.clock()

    def _wait(self, connection: Connection, args: list[str]) -> None:
        connection.waiting = wait_of(args)

    def _wake(self, connection: Connection, args: list[str]) -> None:
        """Do nothing: the wait has ended already."""

    def _until(self, connection: Connection, args: list[str]) -> None:
        connection.waiting = watch_of(args, self._timeline)

    def _button(self, args: list[str]) -> int:
        button = button_of(args)
        if not self._board.equipment.buttons() >> button & 1:
            raise VerbError("this table has no place {place}", place=args[0])
        return button

    def _press(self, connection: Connection, args: list[str]) -> Answer | None:
        ms = PRESS_MS
        if len(args) == 3:
            args, ms = args[:2], number_of(args[2])
        return self._feel(connection, self._buttons.press(self._button(args), ms * 1000), ms)

    def _hold(self, connection: Connection, args: list[str]) -> Answer | None:
        return self._feel(connection, self._buttons.hold(self._button(args)))

    def _release(self, connection: Connection, args: list[str]) -> Answer | None:
        return self._feel(connection, self._buttons.release(self._button(args)))

    def _service(self, connection: Connection, args: list[str]) -> Answer | None:
        return self._feel(connection, self._buttons.press_service(switched_on("service", args)))

    def _feel(self, connection: Connection, is_felt: Felt, ms: int = 0) -> Answer | None:
        """Wait until a button was felt. In virtual time do not: it may stand still until the answer has come."""
        if self._timeline.virtual:
            return {"ok": True}
        connection.waiting = Feel(is_felt, self._timeline.now() + ms * 1000 + _UNFELT_US)
        return None

    def answer(self, control: Control) -> bool:
        """Answer the connections whose wait is over; return whether there were any."""
        waiting = control.waiting
        answered = False
        for connection in waiting:
            if isinstance(wait := connection.waiting, Wait) and self._is_over(wait):
                answered = True
                control.answer(connection, self.clock())
        for connection in waiting:
            if isinstance(watch := connection.waiting, Watch):
                seen = self._board.pixels[watch.start : watch.start + 3]
                if seen == watch.colour or self._timeline.now() >= watch.until:
                    answered = True
                    body = {"ok": seen == watch.colour, "seen": seen.hex(), "now": self._timeline.now()}
                    control.answer(connection, body)
        for connection in waiting:
            if isinstance(feel := connection.waiting, Feel):
                if feel.is_felt():
                    answered = True
                    control.answer(connection, {"ok": True})
                elif self._timeline.now() >= feel.until:
                    answered = True
                    control.answer(connection, refused(Text("the table does not look at its buttons")))
        return answered

    def _is_over(self, wait: Wait) -> bool:
        port = self._port
        if wait.written is not None and port.plugged:
            port.drain(wait.written)
        return (
            (wait.until is not None and self._timeline.now() >= wait.until)
            or (wait.read is not None and (port.sent > wait.read or not port.plugged))
            or (wait.pictures is not None and self._board.pictures != wait.pictures)
        )


def ends(waits: Iterable[AnyWait]) -> list[int]:
    """Return the times in µs at which waits end at the latest."""
    return [wait.until for wait in waits if wait.until is not None]


def watches(wait: AnyWait) -> bool:
    """Return True for a wait for the pixels to change."""
    return isinstance(wait, Watch) or (isinstance(wait, Wait) and wait.pictures is not None)
