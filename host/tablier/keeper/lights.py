"""The lights of a game's table, live, for who has the operator's key; and one head at a time that leans over a hood."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any

from msgspec import structs

from tablier import messages, waiting
from tablier.keeper.peer import Peer
from tablier.keeper.protocol import REFUSED, Refusal
from tablier.play.game import Conductor
from tablier.simulation.tester import Tester, TesterError
from tablier.texts import Json
from tablier.waiting import WakeUp
from tablier_fw import colours, wire

FRAME_S = 1 / 30
"""The seconds between two frames at the least."""
LEAN_S = 10.0
"""The seconds for which somebody leans over a hood without saying so again."""
_PIXELS = "pixels"
_FRAMES = 60
"""The most frames of the line that one message tells of."""


class Lights:
    """Those who follow the lights of a game. A simulated table is asked for its pixels only while somebody does.

    Of a real table they are what it was last asked to show: what is under its hoods is not told.
    """

    def __init__(
        self, game: int, control: Path | None, tell: Callable[[messages.Leaning], None], wake_up: WakeUp
    ) -> None:
        """``control``: where a simulated table takes verbs; ``tell``: tells all who watch the game who is leaning;
        ``wake_up``: has :meth:`work` called."""
        self._game = game
        self._control = control
        self._tell = tell
        self._wake_up = wake_up
        self._followers: dict[Peer, bool] = {}
        """Those who follow, and whether they also watch the line."""
        self._tester: Tester | None = None
        self._asks = ""
        """The verb that waits for its answer."""
        self._due = 0.0
        self._pixels: Json | None = None
        """The latest pixels of a simulated table."""
        self._shown: messages.Lights | None = None
        """The latest lights that all followers were told of."""
        self._leaner: Peer | None = None
        self._place = 0
        self._until = 0.0
        self._line: deque[messages.Frame] = deque(maxlen=_FRAMES)

    # -- who looks ---------------------------------------------------------------------------------------------------

    def follow(self, peer: Peer, conductor: Conductor | None, *, line: bool) -> None:
        """Have a connection told of the lights, at once and whenever they change."""
        self._followers[peer] = line
        self._watch_line(conductor)
        if self._shown is not None:
            self._send(peer)

    def leave(self, peer: Peer, conductor: Conductor | None) -> None:
        """Stop sending to a connection."""
        if self._followers.pop(peer, None) is None:
            return
        self._watch_line(conductor)
        if peer is self._leaner:
            self._lean_back()
        if not self._followers:
            self.close()

    def lean(self, peer: Peer, place: int, conductor: Conductor) -> None:
        """Have a connection see what is under a hood, for a while. Raise :class:`Refusal`."""
        if not place:
            if peer is self._leaner:
                self._lean_back()
            return
        if self._control is None:
            raise Refusal(REFUSED, "nobody leans over the hoods of a real table from here")
        if peer not in self._followers:
            raise Refusal(REFUSED, "lean: follow the lights of the game first")
        if self._leaner not in (None, peer):
            raise Refusal(REFUSED, "somebody leans over the hood of place {place}; one at a time", place=self._place)
        if not _may_be_seen(conductor, place):
            raise Refusal(REFUSED, "place {place} is not played at the table, so its hood stays dark", place=place)
        self._until = waiting.now() + LEAN_S
        if place != self._place:
            self._leaner, self._place = peer, place
            self._say_who()

    def greet(self) -> messages.Leaning | None:
        """Return the message that tells who leans over a hood; ``None`` when nobody does."""
        return messages.Leaning(game=self._game, place=self._place) if self._place else None

    def _lean_back(self) -> None:
        self._leaner, self._place = None, 0
        self._say_who()

    def _say_who(self) -> None:
        self._tell(messages.Leaning(game=self._game, place=self._place))
        if self._shown is not None:
            self._show(structs.replace(self._shown, leaning=self._place))

    # -- the loop ----------------------------------------------------------------------------------------------------

    @property
    def files(self) -> list[int]:
        """Return the descriptor that is readable when a simulated table has answered."""
        if self._tester is None or not self._asks or waiting.now() < self._due:
            return []  # what comes before the next frame is due can wait
        return [self._tester.fileno()]

    def work(self, conductor: Conductor) -> None:
        """Tell what has changed."""
        now = waiting.now()
        if not self._followers:
            return
        self._wake_up.set(now + 1.0)
        if self._leaner is not None and (now >= self._until or not _may_be_seen(conductor, self._place)):
            self._lean_back()
        if self._line:
            self._tell_line()
        if now < self._due:
            self._wake_up.set(self._due)
        elif self._control is not None:
            self._ask(self._control, conductor, now)
        elif (shown := self._seen(conductor, _asked(conductor))) != self._shown:
            self._due = now + FRAME_S
            self._show(shown)

    def _ask(self, control: Path, conductor: Conductor, now: float) -> None:
        """Ask a simulated table for its pixels, then to say when they have changed."""
        answer: Json | None = None
        try:
            if self._tester is None:
                self._tester = Tester(control)
                self._say(self._tester, _PIXELS)
            answer = self._tester.answered()
            if answer is not None and self._asks != _PIXELS:
                self._say(self._tester, _PIXELS)
                answer = self._tester.answered()
            if answer is not None:
                self._pixels = answer
                self._due = now + FRAME_S
                self._wake_up.set(self._due)
                self._say(self._tester, f"wait - - - {answer['pictures']}")
        except TesterError:  # the table is gone; the game's conductor says so
            self.close()
            self._due = now + 1.0
        if self._pixels is not None:
            shown = self._seen(conductor, self._pixels)
            if shown != self._shown or (answer is not None and self._place):
                self._show(shown)

    def _say(self, tester: Tester, verb: str) -> None:
        self._asks = verb
        tester.ask(verb)

    def _seen(self, conductor: Conductor, pixels: Json) -> messages.Lights:
        client, session = conductor.client, conductor.session
        waiting = [session.seats[seat - 1] for seat in session.open.waiting]
        return messages.Lights(
            game=self._game,
            ring=pixels["ring"],
            public=pixels["public"],
            simulated=self._control is not None,
            leaning=self._place,
            connected=client is not None and client.connected,
            asked=[seat.place for seat in waiting if seat.at_table],
            hood=None,
        )

    def _show(self, shown: messages.Lights) -> None:
        self._shown = shown
        for peer in self._followers:
            self._send(peer)

    def _send(self, peer: Peer) -> None:
        assert self._shown is not None
        shown = self._shown
        if peer is self._leaner and self._pixels is not None:
            shown = structs.replace(shown, hood=self._pixels[f"hood{self._place}"])
        peer.tell(("lights", self._game), shown)

    def close(self) -> None:
        """Close the connection to the table; the followers stay."""
        if self._tester is not None:
            self._tester.close()
        self._tester, self._asks, self._pixels, self._shown = None, "", None, None

    # -- the line ----------------------------------------------------------------------------------------------------

    def _watch_line(self, conductor: Conductor | None) -> None:
        if conductor is not None and conductor.client is not None:
            conductor.client.trace = self._trace if any(self._followers.values()) else None

    def _trace(self, came: bool, message: wire.Message, fields: tuple[Any, ...]) -> None:
        """Note a frame by its name: what it holds may be secret."""
        self._line.append(messages.Frame(way="table" if came else "host", name=message.name))

    def _tell_line(self) -> None:
        frames = list(self._line)
        self._line.clear()
        for peer, line in self._followers.items():
            if line:
                peer.tell(("line", self._game), messages.Line(game=self._game, frames=frames))


def _may_be_seen(conductor: Conductor, place: int) -> bool:
    """Return whether a hood can be looked under: not where the seat of its place is played elsewhere."""
    return all(seat.at_table for seat in conductor.session.seats if seat.place == place)


def _asked(conductor: Conductor) -> Json:
    """Return what the ring and the public pixels of a table were last asked to show, without what moves in it."""
    assert conductor.client is not None
    found = {}
    for name, group in (("ring", wire.RING), ("public", wire.PUBLIC)):
        pixels = conductor.client.asked(group) or bytes(3 * wire.GROUPS[group])
        looks = [pixels[start : start + 2] for start in range(0, len(pixels), 3)]
        found[name] = [bytes(colours.dim(index, level)).hex() for index, level in looks]
    return found
