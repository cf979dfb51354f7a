"""The table of a game: what it is asked, what its pixels show, and who it is."""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from typing import Any

from tablier.course import on_wire
from tablier.course.asides import APART_S, ENDED_BY_ONE
from tablier.course.entries import Body
from tablier.course.past import position_before
from tablier.course.session import Session
from tablier.games.core import Move, Position
from tablier.games.core.questions import Menu, Window
from tablier.log.bodies import nearest_time
from tablier.log.store import Log
from tablier.play.lights import Lamps
from tablier.table.client import Client
from tablier.table.clock import Clock
from tablier.table.incoming import TableEvent
from tablier.table.settings import Settings
from tablier.texts import Text
from tablier.waiting import WakeUps
from tablier_fw import rolls, wire

AWAITED_S = 5.0
"""The seconds for which the ring says who is awaited."""
SHOWN_AGAIN = 3
"""How many of the latest moves are shown again when somebody stops play."""
AWAITED_TUNE = struct.pack("<6H", 523, 150, 0, 60, 659, 250)


class TableSide:
    """One game's side of its table. Where there is no ``client`` nothing is asked and nothing is lit.

    ``port``: where the table is, for resuming the game; ``None`` where it ends with this program. ``margins``:
    those of its beams, if they were measured.
    """

    def __init__(
        self,
        client: Client | None,
        session: Session,
        log: Log,
        game: int,
        clock: Clock,
        wake_ups: WakeUps,
        *,
        by_claim: Text | None,
        margins: Sequence[int | None],
        port: str | None,
        settings: Settings,
    ) -> None:
        self.client = client
        self.known: Body | None = None
        """The body of the latest hello in the log, or about to be logged."""
        self._walked: dict[int, int] = {}  # by seat: where it stands in the open menu
        self._session = session
        self._log = log
        self._game = game
        self._clock = clock
        self._by_claim = by_claim
        self._margins = margins
        self._port = port
        self._settings = settings
        self._painted: dict[int, bytes] = {}  # by group of pixels
        self._deadline: float | None = None
        self._end_of_reminder = wake_ups.add(self.stop_reminding)
        self._asked = ""  # the subject of the question that is open, or was the last one
        self._asking = wake_ups.add(lambda: self.ask(self._deadline))
        """The table asks what is open: some time after a question that one press has ended."""
        self._next_picture = wake_ups.add(self._animate)
        self._again: tuple[int, int | None] = (0, None)  # the question and the option that moves were shown for
        self._lamps = Lamps(self._scene, [seat.place for seat in session.seats])

    # -- who it is -------------------------------------------------------------------------------------------------

    def meet(self, hello: Body | None) -> None:
        """Know the table by a hello from now on: by one that is logged, or about to be."""
        self.known = hello

    def hello(self, boot: str) -> Body:
        """Return the body of the entry that says which table is played at."""
        assert self.client is not None
        body: Body = {"event": "hello", "board": self.client.board, "boot": boot, "version": self.client.version}
        if self._port is not None:
            body["port"] = self._port
        if self._by_claim:
            body["by_claim"] = self._by_claim.to_json()
        if self._margins:
            body["margins"] = list(self._margins)
        return body

    @property
    def by_claim_changed(self) -> bool:
        """Return whether people enter cards now and did not in the log's latest sitting, or the reverse."""
        return self.known is not None and self.known.get("by_claim") != (self._by_claim and self._by_claim.to_json())

    def body_of(self, event: TableEvent) -> Body:
        """Return an event as it is logged."""
        values = {key: value.hex() if isinstance(value, bytes) else value for key, value in event.values.items()}
        return {"event": event.message.name, "time": nearest_time(self._clock.date(event.time)), **values}

    def missing(self) -> Body | None:
        """Return what the table was told this log holds and it does not; ``None`` if nothing is missing.

        A backup that was put back, or a damaged ``-wal``, is seen by this alone, and only while the table still runs.
        """
        client = self.client
        if client is None or client.boot is None:
            return None
        # No table can have been told more than was acknowledged to it: one that says so is not believed.
        lost = min(client.told, client.since) - self._log.cursor(client.boot)
        if lost <= 0:
            return None
        events = self._log.events(client.boot, latest_first=True)
        known = next((entry.body["roll"] for entry in events if "roll" in entry.body), 0)
        return {"lost": lost, "rolls": min(lost, max(0, client.status["begun"] - known))}

    # -- what it is asked ------------------------------------------------------------------------------------------

    def turn_to_next_question(self) -> None:
        """Forget where seats stood in a menu. Have what is open asked some time later where it follows a question that
        one press has ended."""
        self._walked = {}
        question = self._session.question
        before, self._asked = self._asked, "" if question is None else question.what
        if before in ENDED_BY_ONE and before != self._asked:
            self._asking.set(self._clock.now() + APART_S)

    @property
    def asks_at(self) -> float:
        """Return when the table asks what is open: now, unless it was put off."""
        now = self._clock.now()
        return self._asking.at if now < self._asking.at < math.inf else now

    @property
    def _is_delayed(self) -> bool:
        return self._clock.now() < self._asking.at < math.inf

    def ask(self, deadline: float | None) -> None:
        """Have the table ask what is open."""
        if self.client is None:
            return
        session, question, id = self._session, self._session.question, self._session.id
        if question is None or self._is_delayed:
            self.light(deadline)
            id = self._log.next_id(self._game) if question is None else id
            self.client.want(wire.IDLE, id, 0, not session.over)
            return
        calls = bool(self.client.abilities & wire.CAN_CALL)
        # Before any light: for one that no table can be asked, it raises.
        said = on_wire.put(session.open, calls=calls)
        self._lamps.awaited = ()
        self._end_of_reminder.set(None)
        self.light(deadline)
        for message, fields in said:
            self.client.want(message, id, *fields)

    def rest(self) -> None:
        """Have the table ask nothing any more."""
        if self.client is not None and self._session.question is not None:
            self.client.want(wire.IDLE, self._log.next_id(self._game), 0, False)

    def contribute(self) -> None:
        """Tell the table what the host adds to the open roll: what is in the log, and nothing before."""
        assert self.client is not None
        message, fields = on_wire.contribute(self._session.open)
        self.client.want(message, self._session.id, *fields)

    def tell_outside(self, id: int, seat: int, commitment: str = "") -> None:
        """Tell the table that a seat away from it is bound to a choice, or has done."""
        if self.client is not None:
            message, fields = on_wire.tell_outside(self._session.open, seat, commitment)
            self.client.want(message, id, *fields)

    # -- what its pixels show --------------------------------------------------------------------------------------

    @property
    def moving(self) -> bool:
        """Return whether the table still has something to show of what has moved."""
        return self.client is not None and self._lamps.moving

    def light(self, deadline: float | None) -> None:
        """Show how things stand. ``deadline``: when the open window closes."""
        self._deadline = deadline
        session, question = self._session, None if self._is_delayed else self._session.question
        option = self._walked.get(question.seats[0], question.start) if isinstance(question, Menu) else None
        closes_at = deadline if isinstance(question, Window) else None
        away = [seat.place for seat in session.seats if not seat.at_table]
        earlier = self._show_again(question, option) if isinstance(question, Menu) and session.calling else None
        self._lamps.show(session.position, question, option, self._clock.now(), closes_at, away, earlier)
        self._next_picture.set(self._lamps.due)

    def _show_again(self, menu: Menu, option: int | None) -> Position[Any] | None:
        """Show again the moves that the caller can name: the one at which the menu stands, else the
        latest; return how things stood after that one."""
        called = menu.hint_at(option).get("called")
        latest = dict.fromkeys(hint["called"] for hint in menu.hints if hint)
        earlier = None
        for at in [called] if called else sorted(latest)[-SHOWN_AGAIN:]:
            earlier = position_before(self._session.position, at + 1)
            if self._again != (self._session.id, option):
                self._lamps.again(earlier.moves[-1], earlier)
        self._again = self._session.id, option
        return earlier if called else None

    def walk(self, seat: int, option: int) -> None:
        """Follow a seat through its menu."""
        self._walked[seat] = option
        self._lamps.cancel_animations()
        self.light(None)

    def _animate(self) -> None:
        """Show the next picture."""
        self._lamps.work(self._clock.now())
        self._next_picture.set(self._lamps.due)

    def show_move(self, move: Move, position: Position[Any]) -> None:
        """Have a move shown, when the lights are shown next."""
        if self.client is not None:
            self._lamps.moved(move, position)

    def show_closed(self, position: Position[Any]) -> None:
        """Have it shown that the window of a position has closed, when the lights are shown next."""
        self._lamps.closed(position)

    def hold(self) -> None:
        """Leave the ring to the outcome of a roll for as long as it stands."""
        self._lamps.hold(self._clock.now() + rolls.STAND_MS / 1000)
        self._next_picture.set(self._lamps.due)

    def cancel_animations(self) -> None:
        """Drop the steps of moves that have not been shown yet."""
        self._lamps.cancel_animations()
        self._next_picture.set(self._lamps.due)

    def awaited(self) -> list[int]:
        """Return the places of those who are awaited; none in a pause, while a bot decides, or without a table."""
        session = self._session
        if session.finished or session.paused or self.client is None or not self.client.connected or self.moving:
            return []
        waiting = [session.seats[seat - 1] for seat in session.open.waiting]
        return [] if any(seat.is_bot for seat in waiting) else [seat.place for seat in waiting if seat.at_table]

    def remind(self, places: Sequence[int]) -> None:
        """Say for a while, by a tone and a light, that these places are awaited."""
        assert self.client is not None
        self._lamps.awaited = places
        self._end_of_reminder.set(self._clock.now() + AWAITED_S)
        self.light(self._deadline)
        volume = self._settings.sounds
        if volume and self.client.abilities & wire.CAN_SOUND:
            self.client.want(wire.TONE, self._log.next_id(self._game), AWAITED_TUNE, volume)

    def stop_reminding(self) -> None:
        """Stop the reminder."""
        if self._lamps.awaited:
            self._lamps.awaited = ()
            self._end_of_reminder.set(None)
            self.light(self._deadline)

    def set(self, settings: Settings) -> None:
        """Be as loud and as bright as that from now on."""
        self._settings = settings
        for group, pixels in self._painted.items():
            self._scene(group, pixels)

    def _scene(self, group: int, pixels: bytes) -> None:
        self._painted[group] = pixels
        if self.client is not None:
            self.client.want(wire.SCENE, group, pixels, self._settings.shines)
