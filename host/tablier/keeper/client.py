"""A client of the keeper: a screen's way to a game over the keeper's socket."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import msgspec

from tablier import messages, waiting
from tablier.keeper import protocol
from tablier.keeper.address import process_of, user_of
from tablier.keeper.protocol import line_of
from tablier.keeper.silence import ANSWERS_AGAIN, GIVEN_UP_S, Silence, silent_text
from tablier.messages import Entry
from tablier.play.connections import Deliver, Hinted, Reconnected, Refused, Said
from tablier.texts import Failure, Json, Text, text_from, text_of

_ANSWER_S = 30.0
"""The seconds after which a keeper that does not answer is given up; a table may take some to be found."""
_LOOK_S = 0.5
"""How often one who waits for an answer looks whether the keeper has fallen silent."""
_TWICE_S = 10.0
"""The seconds within which a keeper's second death is final: it is not started again."""
_GONE = 0
"""The code of what no keeper has said."""
_END_S = 5.0
"""The seconds that a keeper may take to end."""


class KeeperError(Failure):
    """The keeper does not do what it was asked for, or is gone."""

    def __init__(self, text: Text | str, /, *, code: int = 0, **args: Any) -> None:
        super().__init__(text, **args)
        self.code = code

    @property
    def is_refusal(self) -> bool:
        """True where the keeper has answered so, False where it is silent or gone."""
        return self.code != _GONE


GONE = Text("the keeper is gone")
NO_ANSWER = Text("the keeper does not answer")


class KeeperGone(KeeperError):
    """The keeper has ended."""

    def __init__(self, text: Text = GONE, *, code: int = 0) -> None:
        super().__init__(text, code=code)


def check_listener(connection: socket.socket, address: Path) -> None:
    """Raise :class:`KeeperError` when another user listens at an address, who would learn the token."""
    user = user_of(connection)
    if user is not None and user != os.getuid():
        raise KeeperError("{path}: user {user} listens there, not you", path=address, user=user)


Answer = TypeVar("Answer", bound=messages.Sent)


class _Call:
    """A request that waits for its answer."""

    def __init__(self, take: Callable[[Json], None]) -> None:
        self.take = take


class Link:
    """A connection to a keeper. A thread of its own reads what comes; answers and news are handed out in it."""

    def __init__(self, address: Path, token: str | None = None, *, stale: bool = False) -> None:
        """Say hello. ``stale``: speak also to a keeper of another version, to end it.

        Raise :class:`KeeperError`, and ``OSError`` where no keeper listens.
        """
        self._socket = socket.socket(socket.AF_UNIX)
        try:
            self._socket.settimeout(GIVEN_UP_S)  # one that was stopped accepts nobody, and after many not even that
            self._socket.connect(str(address))
            self._socket.settimeout(None)
        except OSError:
            self._socket.close()
            raise
        try:
            check_listener(self._socket, address)
        except KeeperError:
            self._socket.close()
            raise
        self._process = process_of(self._socket)
        self._silence = Silence(waiting.now())
        self._numbers = count(1)
        self._lock = threading.Lock()
        self._calls: dict[int, _Call] = {}
        self._games: dict[int, Callable[[messages.Notice], None]] = {}
        self._gone = False
        self.on_lost: Callable[[], None] = lambda: None
        """Called in the reading thread when the keeper has gone and nobody here has closed the connection."""
        self.on_notice: Callable[[messages.Notice], None] = lambda notice: None
        """Called in the reading thread with news of evenings and of what is open, and of games that nobody here
        listens to."""
        self.on_silence: Callable[[Text], None] = lambda text: None
        """Called in the reading thread with what people are told when the keeper has not answered for a while, and when
        it answers again."""
        self._closed = False
        self._reads_in: int | None = None
        self._reader = waiting.beside(self._read, "keeper")
        try:
            self.keeper: Json = self.call("hello", protocol.hello(token))
        except BaseException as error:
            if stale and isinstance(error, KeeperError) and error.code == protocol.STALE:
                return
            self.close()
            raise

    def call(self, method: str, params: Json | None = None) -> Json:
        """Send a request and return its result. Raise :class:`KeeperError`."""
        answered = waiting.signal()
        answers: list[Json] = []

        def take(answer: Json) -> None:
            answers.append(answer)
            answered.set()

        self.send(method, params or {}, take)
        ends = waiting.now() + _ANSWER_S
        while not answered.wait(_LOOK_S):
            if (seconds := self._silence.seconds(waiting.now())) >= GIVEN_UP_S:
                raise KeeperError(silent_text(self._process, seconds))
            if waiting.now() >= ends:
                raise KeeperError(NO_ANSWER)
        (answer,) = answers
        if "error" in answer:
            raise refusal_of(answer)
        value: Json = answer["result"]
        return value

    def ask(self, kind: type[Answer], method: str, params: Json | None = None) -> Answer:
        """Send a request and return its result, of some kind. Raise :class:`KeeperError`."""
        messages.learn(kind)
        return msgspec.convert(self.call(method, params), kind)

    def send(self, method: str, params: Json, take: Callable[[Json], None]) -> None:
        """Send a request; ``take`` gets its answer, in the reading thread."""
        with self._lock:
            number = next(self._numbers)
            gone = self._gone
            if not gone:
                self._calls[number] = _Call(take)
                try:
                    self._socket.sendall(line_of(protocol.request(number, method, params)))
                except OSError:
                    self._calls.pop(number, None)
                    gone = True
        if gone:
            take(_gone())

    def listen(self, game: int, hear: Callable[[messages.Notice], None]) -> None:
        """Have what the keeper says of a game handed out."""
        self._games[game] = hear

    def close(self) -> None:
        """End the connection. A keeper that ends because of that has ended when this returns, and let go of its log."""
        self._closed = True
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_WR)
        if threading.get_ident() != self._reads_in:
            silent = self._silence.seconds(waiting.now()) >= GIVEN_UP_S
            self._reader.join(0 if silent else _END_S)
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)  # who reads ends by that, and closes it: a wait needs it open

    def _read(self) -> None:
        self._reads_in, buffer = threading.get_ident(), b""
        while True:
            try:
                if not waiting.wait([self._socket], (), self._silence.wait(waiting.now())):
                    self._look_at_silence(waiting.now())
                    continue
                data = self._socket.recv(1 << 16)
            except OSError:
                data = b""
            if not data:
                break
            if self._silence.hear(waiting.now()):
                self.on_silence(ANSWERS_AGAIN)
            self._look_at_silence(waiting.now())
            *lines, buffer = (buffer + data).split(b"\n")
            for line in lines:
                self._take(protocol.heard(line))
        with self._lock:
            self._gone = True
            calls, self._calls = self._calls, {}
        for call in calls.values():
            call.take(_gone())
        self._socket.close()
        if not self._closed:
            self.on_lost()

    def _look_at_silence(self, now: float) -> None:
        if self._silence.asks(now):
            self.send("ping", {}, lambda answer: None)
        elif self._silence.tells(now):
            self.on_silence(silent_text(self._process, self._silence.seconds(now)))

    def _take(self, message: messages.Notice | Json) -> None:
        if isinstance(message, messages.Sent):
            hear = self.on_notice
            if not isinstance(message, messages.OfEvening | messages.Listing):
                hear = self._games.get(message.game, hear)
            hear(message)
            return
        with self._lock:
            if message["id"] is None:  # before its end it says why
                calls, self._calls = list(self._calls.values()), {}
            else:
                calls = [self._calls.pop(message["id"])] if message["id"] in self._calls else []
        for call in calls:
            call.take(message)


def entries_of(opened: messages.Opened) -> dict[int, Entry]:
    """Return as whom each seat of a game is played that the operator has opened, with the key of that person."""
    return {
        int(seat): Entry(evening=opened.evening, person=person, key=opened.enter[person])
        for seat, person in opened.people.items()
        if person in opened.enter
    }


class _Request(NamedTuple):
    method: str
    params: Json
    take: Callable[[Json], None]


class GameLink:
    """A :class:`tablier.play.connections.Connection` to a game that a keeper has open."""

    def __init__(
        self,
        link: Link,
        game: int,
        keys: Mapping[int, Entry] | None = None,
        *,
        again: Callable[[], Link] | None = None,
        times: Json | None = None,
    ) -> None:
        """``keys``: by seat, as whom it is played (:func:`entries_of`). ``again``: returns a connection to a keeper
        that has the game open, when this one's has died; ``times``: what that is asked for, in which the latest pace is
        noted. Raise :class:`KeeperError`."""
        self.game = game
        self.keys = dict(keys or {})
        self._again = again
        self._times = {} if times is None else times
        self._again_at = -_TWICE_S
        self._known: dict[int | None, int] = {}  # by viewer: the number of the last news that came
        self._held: list[_Request] | None = None  # what is sent while the way to another keeper is found
        self._holding = threading.RLock()  # a request on a dead connection is answered at once
        self._deliver: Deliver = lambda message: None
        self._ended = False
        self._shown = False
        """True once an update has come."""
        self.why: Text | None = None
        """What has ended the game before its time."""
        self.part = False
        """True if that is a part of the game, or a bot."""
        self.programs: list[messages.Program] = []
        """What the operator was told of programs that failed."""
        self.on_end: Callable[[], None] = lambda: None
        """Called in the reading thread when the keeper has closed the game, for whatever reason."""
        self._sit(link)

    def _sit(self, link: Link) -> None:
        self._attend(link)
        for seat in list(self.keys):
            self._sit_at(seat)

    def _sit_at(self, seat: int) -> None:
        """Come in as the person who has a seat, with whom all seats of that person come."""
        entry = self.keys[seat]
        said = {"evening": entry.evening, "person": entry.person, "key": entry.key, "by": "terminal"}
        self.link.call("enter", said)

    def _attend(self, link: Link) -> None:
        self.link = link
        link.listen(self.game, self._hear)
        link.on_lost = self._lose
        link.on_silence = self._tell

    def _tell(self, text: Text) -> None:
        """Tell people something about the way to the game, once they see it."""
        if self._shown:
            self._deliver(Said(text))

    def watch(self, viewers: Sequence[int | None], deliver: Deliver) -> Callable[[], None]:
        self._deliver, self._known = deliver, dict.fromkeys(viewers, 0)
        self.link.call("watch", {"game": self.game, "viewers": list(viewers)})

        def leave() -> None:
            self._deliver = lambda message: None

        return leave

    def reply(self, body: Json) -> None:
        self._send("reply", {"reply": body}, body.get("seat"))

    def command(self, body: Json) -> None:
        params = {key: value for key, value in body.items() if key not in ("command", "n")}
        if body["command"] == "pace":
            self._times["pace_s"] = params["seconds"]
        self._send(body["command"], params, body.get("seat"), n=body.get("n"))

    def stop(self) -> None:
        """End the game, unless it has ended; it can be resumed."""
        if not self._ended:
            with suppress(KeeperError):
                self.link.call("stop", {"game": self.game})

    def abandon(self) -> None:
        """End the game, unless it has ended: it counts nowhere, and cannot be resumed."""
        if not self._ended:
            self._ended = True  # what the keeper says of that is known here
            self.link.call("abandon", {"game": self.game})

    def _send(self, method: str, params: Json, seat: int | None, n: int | None = None) -> None:
        def take(answer: Json) -> None:
            if "error" in answer:
                why = text_from(answer["error"]["data"])
                if n is not None:
                    self._deliver(Hinted(n, messages.Hint(why=why)))
                else:
                    self._deliver(Refused(why, seat if seat in self.keys else None))
            elif n is not None:
                self._deliver(Hinted(n, msgspec.convert(answer["result"], messages.Hint)))

        request = _Request(method, {"game": self.game, **params}, take)
        with self._holding:
            if self._held is None:
                self.link.send(*request)
            else:
                self._held.append(request)

    def _hear(self, notice: messages.Notice) -> None:
        match notice:
            case messages.Updates(updates=updates):
                for update in updates:
                    numbers = [each.n for each in update.news if each.n]
                    self._known[update.viewer] = max([self._known.get(update.viewer, 0), *numbers])
                self._shown = True
                self._deliver(notice)
            case messages.Ended() if self._ended:
                pass
            case messages.Ended(why=why, part=part):
                self.why, self.part = why, part
                self._ended = True
                self.on_end()
            case messages.Program():
                self.programs.append(notice)
            case messages.Taken(seat=seat, why=why) if seat:
                self._give_up(seat, why)

    def _give_up(self, seat: int, why: Text) -> None:
        """Play on for the other seats here. Without any, this is the end."""
        if self.keys.pop(seat, None) is None:
            return
        self._known.pop(seat, None)
        if self.keys:
            self._deliver(messages.Taken(game=self.game, seat=seat, why=why))
        else:
            self._ended, self.why = True, why
            self.on_end()

    def _sit_again(self) -> None:
        """Sit down where that still can be: while the way to another keeper was found, somebody may have taken a
        seat."""
        for seat in list(self.keys):
            try:
                self._sit_at(seat)
            except KeeperGone:
                raise
            except KeeperError as error:
                self._give_up(seat, error.text)

    def _lose(self) -> None:
        """Go on with another keeper, unless the game has ended, or one has died just now."""
        if self._ended:
            return
        now = waiting.now()
        self.why = GONE
        if self._again is not None and now - self._again_at >= _TWICE_S:
            self._again_at = now
            self._held = []
            waiting.beside(partial(self._come_back, self._again), "keeper")
            return
        self._ended = True
        self.on_end()

    def _come_back(self, again: Callable[[], Link]) -> None:
        try:
            self._attend(again())
            self.why = None
            self._sit_again()
            if self._ended:
                return
            self._deliver(Reconnected())
            if self._known:
                viewers, since = list(self._known), list(self._known.values())
                self.link.call("watch", {"game": self.game, "viewers": viewers, "since": since})
        except (Failure, OSError) as error:
            self._ended, self.why = True, text_of(error)
            self.on_end()
            return
        with self._holding:  # only now has the game begun there
            held, self._held = self._held or (), None
            for request in held:
                self.link.send(*request)


def refusal_of(answer: Json) -> KeeperError:
    """Return the error that an answer tells of."""
    error = answer["error"]
    kind = KeeperGone if error["code"] == _GONE else KeeperError
    return kind(text_from(error["data"]), code=error["code"])


def _gone() -> Json:
    return {"error": {"code": _GONE, "message": "", "data": GONE.to_json()}}
