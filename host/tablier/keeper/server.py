"""The keeper: one loop over its socket, the connections, and the tables of one log."""

from __future__ import annotations

import contextlib
import gc
import os
import re
import signal
import socket
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from hmac import compare_digest
from pathlib import Path
from typing import Annotated, Any

from msgspec import Meta

from tablier import messages, waiting
from tablier.bots.fingerprint import fingerprint, has_changed
from tablier.bots.thinking import Processes
from tablier.games import load
from tablier.keeper import silence
from tablier.keeper.access import ANYBODY, OPERATING, WATCHING, read_token
from tablier.keeper.address import FAILED, LOCKED, READY, WAITS, choose_address, user_of
from tablier.keeper.analysis import Analysis
from tablier.keeper.detached import detach, say
from tablier.keeper.door import Door
from tablier.keeper.evening import Evenings
from tablier.keeper.games import Games
from tablier.keeper.methods import Asker, Request, declared, decode, handlers, method
from tablier.keeper.orders import Orders
from tablier.keeper.peer import Peer
from tablier.keeper.protocol import (
    FORBIDDEN,
    LINE_MAX,
    REFUSED,
    STALE,
    UNREADABLE,
    VERSION,
    Nothing,
    Params,
    Refusal,
    refusal,
    result,
)
from tablier.keeper.tables import Tables
from tablier.log.chain import LogError
from tablier.log.files import identity_of
from tablier.log.lock import Locked
from tablier.log.replies import Words, check_printable
from tablier.log.store import Log
from tablier.table.clock import Waker
from tablier.texts import Failure, Text
from tablier.tracing import start_trace, tracer
from tablier.usual import log_option
from tablier.waiting import WakeUps
from tablier_fw.version import __version__

CONNECTIONS = 64
"""The most connections at a time that have said hello."""
OPERATORS = 8
"""How many of these are kept for the operator."""
STRANGERS = 16
"""The most connections that have not said hello yet. Beyond them the one that has been silent longest goes."""
_ACCEPTED = STRANGERS // 2
"""The most connections that are taken before those that are there are read from again."""
_BACKLOG = 1024
STEP_S = SERVE_S = 0.005
"""The seconds for which games have their turns, and then requests are carried out, before it is the others' turn."""
HELLO_S = 30.0
"""The seconds that a connection may take to say hello."""
_LOOK_S = 5.0
"""The seconds after which the keeper makes sure again that its socket is still where it was put: the folder goes with
the user's last login, or with what is old among temporary files."""
_LOAD_S = 0.5
"""The seconds after which a keeper with nothing else to do loads all games: none waits for that, and most of those that
live as long as a game of bots need not."""
_BETWEEN_S, _STARVED_S = 0.02, 0.5
_STOOD_S = 5.0
"""The seconds without a turn after which the keeper takes it that it stood still itself."""
IDLE_S = 1.0
FIRST_S = 10.0
"""The seconds within which somebody has to connect to a keeper that was started for that."""


Token = Annotated[str, Meta(pattern="^[0-9a-f]{64}$", description="32 bytes in lower-case hexadecimal")]
Code = Annotated[str, Meta(pattern="^[0-9a-f]{32}$", description="32 digits 0-9 and a-f")]


class Hello(Params, frozen=True, kw_only=True):
    """Who a client is. ``token``: the operator's; ``passive``: it only passes on what happens, so the keeper does not
    stay for it; ``code``: the fingerprint of Tablier's code, which has to be the keeper's."""

    protocol: int
    version: Words
    token: Token | None = None
    passive: bool = False
    code: Code | None = None

    def __post_init__(self) -> None:
        check_printable(self, "version")


class Overview(Params, frozen=True, kw_only=True):
    """``follow``: list what is open again whenever that changes."""

    follow: bool = False


_TRACER = tracer("keeper")


class Server:
    """Serves a log at a socket until nothing is open and nobody is connected, or the operator ends it."""

    def __init__(self, log: Log, *, stays: bool = False, thinking: Processes | None = None) -> None:
        """Listen. ``stays``: end only when the operator says so. ``thinking``: where built-in bots think. Raise
        ``OSError`` where no socket can be."""
        self._log = log
        token = read_token(log.path, make=True)
        assert token is not None
        self._token = token
        self._stays = stays
        self._peers: list[Peer] = []
        self._waker = Waker()
        self._thinking = thinking or Processes()
        self._wake_ups = WakeUps()
        self._games = Games(log, token, lambda: self._peers, self._waker, self._wake_ups, self._thinking)
        self._evenings = Evenings(log, self._games, token, lambda: self._peers)
        self._door = Door(log, self._evenings, self._games)
        self._followers: set[Peer] = set()
        """Who is told again of what is open."""
        self._changed = False
        """True when they are to be told."""
        self._games.on_list = self._evenings.on_list = self._change
        self._ended = False
        self._began = self._turned_at = waiting.now()
        self._leaver: Peer | None = None
        """The connection that has left last."""
        self._listener, self._address = self._listen()
        self._socket = identity_of(self._address)
        self._compared, self._changed_files = -_LOOK_S, False
        self._loading: Iterator[None] = load()
        self._loads = self._wake_ups.add(self._load)
        self._busy_at, self._load_by = 0.0, self._began + _LOAD_S + _STARVED_S
        self._loads.set(self._began + _LOAD_S)
        self._look = self._wake_ups.add(self._look_at_socket)
        self._look.set(self._began + _LOOK_S)
        tables, orders = Tables(log, self._games), Orders(self._games)
        self._handlers = handlers(self, self._games, orders, self._games.analysis, self._evenings, self._door, tables)

    # -- the loop ----------------------------------------------------------------------------------------------------

    def run(self) -> None:
        """Serve until the end; games that are open then can be resumed. Raise :class:`LogError` when the log turns out
        damaged: all who play are told."""
        why = Text("the keeper has ended")
        try:
            while not self._ended and not self._is_done():
                self.turn()
        except LogError as error:
            why = error.text
            raise
        finally:
            self.close(why)

    def close(self, why: Text) -> None:
        """Let go of the tables and of everybody, who are told why; :meth:`hang_up` then lets them know."""
        self._games.close(why)
        self._evenings.close()
        for peer in self._peers:
            peer.flush(waiting.now())
        self._listener.close()
        if identity_of(self._address) == self._socket:
            self._address.unlink(missing_ok=True)
        with contextlib.suppress(LogError):
            self._log.note_listener(None)

    def hang_up(self) -> None:
        """End all connections; a process that waits for the log's lock can open it then."""
        for peer in [*self._peers, *([self._leaver] if self._leaver is not None else [])]:
            peer.hang_up()

    def turn(self) -> None:
        """Do what is due, wait until something is or comes, and take that."""
        self._thinking.work()
        ends = waiting.now() + STEP_S
        self._wake_ups.run(waiting.now(), lambda: waiting.now() >= ends)
        self._tell_followers()
        now = waiting.now()
        for peer in self._peers:
            if peer.waits:
                peer.flush(now)
        self._sweep(now)
        if self._leaver is not None and not self._is_done():
            self._leaver.hang_up()
        elif self._is_done():
            return
        reading: list[Any] = [self._listener, self._waker, *(peer for peer in self._peers if peer.listens)]
        reading += [*self._games.files, *self._thinking.files, *self._log.files]
        writing: list[Any] = [*(peer for peer in self._peers if peer.waits), *self._thinking.writing]
        if now >= self._turned_at + _STOOD_S:  # it has not read meanwhile
            for peer in self._peers:
                peer.heard_at = now
        self._turned_at = now
        busy = self._games.pending or any(peer.asks for peer in self._peers)
        until = min(self._wake_ups.next, now + IDLE_S)  # connections that do not read or say hello are swept then
        ready = waiting.wait(reading, writing, 0.0 if busy else max(0.0, until - waiting.now()))
        if self._waker in ready:
            self._waker.drain()
        if not ready.isdisjoint(self._log.files):
            self._log.work()
        self._games.catch_up()
        for peer in [each for each in self._peers if each.listens and each in ready]:
            peer.read(waiting.now())
        self._serve()
        now = waiting.now()
        for peer in self._peers:
            if peer.waits and peer in ready:
                peer.flush(now)
        if self._listener in ready:
            self._sweep(now)  # who has gone makes room
            self._accept()
        if ready or busy:
            self._busy_at = now
            self._games.wake()

    def _load(self) -> None:
        """Load a piece of what games need that may begin later: their files may be replaced until then. Where clients
        ask all the time it waits for a moment, but not for ever."""
        now = waiting.now()
        if now < min(self._busy_at + _BETWEEN_S, self._load_by):
            self._loads.set(now + _BETWEEN_S)
            return
        self._load_by = now + _STARVED_S
        if next(self._loading, self) is not self:
            self._loads.set(waiting.now() + _BETWEEN_S)
        else:
            gc.freeze()  # what was loaded stays, too

    def _is_done(self) -> bool:
        """Return whether nothing is open and nobody is connected any more for whom the keeper stays."""
        held = any(not peer.passive or peer.rights.people for peer in self._peers)  # a phone is somebody who is there
        if self._stays or self._games.busy or held:
            return False
        return self._leaver is not None or waiting.now() >= self._began + FIRST_S

    def end(self) -> None:
        """End soon; from any thread."""
        self._ended = True
        self._waker.wake()

    # -- connections -------------------------------------------------------------------------------------------------

    def _listen(self) -> tuple[socket.socket, Path]:
        """Return a socket that listens, and where, which is noted. The owner of the log's lock is its only keeper: a
        socket that is there is stale."""
        address = choose_address(self._log)
        address.unlink(missing_ok=True)
        listener = socket.socket(socket.AF_UNIX)
        before = os.umask(0o177)
        try:
            listener.bind(str(address))
        except OSError:
            listener.close()
            raise
        finally:
            os.umask(before)
        listener.listen(_BACKLOG)
        listener.setblocking(False)
        try:
            self._log.note_listener(address)
        except LogError:
            listener.close()
            raise
        return listener, address

    def _look_at_socket(self) -> None:
        """Listen anew where nobody finds this keeper any more."""
        self._look.set(waiting.now() + _LOOK_S)
        if identity_of(self._address) == self._socket:
            return
        with contextlib.suppress(OSError, LogError):  # the next look tries again
            listener, self._address = self._listen()
            self._listener.close()
            self._listener, self._socket = listener, identity_of(self._address)

    def _accept(self) -> None:
        with contextlib.suppress(OSError):  # nobody else has come
            for _ in range(_ACCEPTED):
                connection, _ = self._listener.accept()
                user = user_of(connection)
                if user is not None and user != os.getuid():
                    connection.close()
                else:
                    self._peers.append(Peer(connection, waiting.now()))
                    _TRACER.debug("a connection is opened, of %d", len(self._peers))

    def _is_full(self, newcomer: Peer) -> bool:
        """Return whether there is no room for one more: the last places are the operator's."""
        count = sum(each.rights.greeted for each in self._peers)
        return count >= (CONNECTIONS if newcomer.rights.operator else CONNECTIONS - OPERATORS)

    def _sweep(self, now: float) -> None:
        """Let go of connections that are closed, and of those that do not read or do not say who they are."""
        silent = [each for each in self._peers if each.open and not each.rights.greeted and not each.asks]
        silent.sort(key=lambda each: each.since)
        surplus = silent[: max(0, len(silent) - STRANGERS)]
        for peer in list(self._peers):
            if peer.is_stuck(now):
                peer.close()
            elif peer.rights.people and now >= peer.heard_at + silence.ABSENT_S:
                text = Text("this connection has been silent for {seconds} s", {"seconds": f"{silence.ABSENT_S:g}"})
                self._part(peer, text, FORBIDDEN)
            elif peer in surplus or (peer in silent and now >= peer.since + HELLO_S):
                self._part(peer, Text("say hello within {seconds} s", {"seconds": f"{HELLO_S:g}"}), FORBIDDEN)
            if not peer.open:
                self._peers.remove(peer)
                _TRACER.debug("a connection is closed, %d are left", len(self._peers))
                self._followers.discard(peer)
                if peer.passive:
                    peer.hang_up()
                else:
                    if self._leaver is not None:
                        self._leaver.hang_up()
                    self._leaver = peer
                self._games.forget(peer)
                self._evenings.forget(peer)

    def _serve(self) -> None:
        """Carry out what was asked for, one request of each connection in turn, for a while: then games are due."""
        ends = waiting.now() + SERVE_S
        while asking := [peer for peer in self._peers if peer.asks]:
            for peer in asking:
                line = peer.next_line()
                if len(line) >= LINE_MAX:
                    self._too_long(peer)
                else:
                    self._take(peer, line)
                if waiting.now() >= ends:
                    at = self._peers.index(peer) + 1
                    self._peers = [*self._peers[at:], *self._peers[:at]]  # the next one is first next time
                    return

    def _too_long(self, peer: Peer) -> None:
        self._part(peer, Text("a request has at most {most} bytes", {"most": LINE_MAX}), UNREADABLE)

    @staticmethod
    def _part(peer: Peer, why: Text, code: int) -> None:
        """Close a connection, and say why."""
        peer.answer(refusal(Refusal(code, why)))
        peer.flush(waiting.now())
        peer.close()

    def _take(self, peer: Peer, line: bytes) -> None:
        """Carry a request out, and answer it, unless its answer comes later."""
        id: int | None = None
        name, begun = "?", waiting.now()
        try:
            request: Request = decode(line, METHODS)
            id, (name, _, right, *_) = request.id, request.method
            peer.rights.check(name, right, request.params, partial(self._games.organises, peer, request.params))
            answer = self._handlers[name](Asker(peer, id), request.params)
            _TRACER.debug("%s: %.1f ms", name, 1000 * (waiting.now() - begun))
        except Refusal as error:
            _TRACER.debug("%s: refused with code %d", name, error.code)
            error.id = error.id if id is None else id
            peer.answer(refusal(error))
        except Failure as error:
            peer.answer(refusal(Refusal(REFUSED, error.text, id=id)))
        except Exception as error:
            traceback.print_exc()
            peer.answer(refusal(Refusal(REFUSED, "the keeper failed ({why})", why=repr(error), id=id)))
        else:
            if answer is not None:
                peer.answer(result(request.id, answer))

    # -- methods -----------------------------------------------------------------------------------------------------

    @method(
        "hello",
        Hello,
        ANYBODY,
        takes="`protocol` (1), `version` (of tablier: `tablier --version` prints the keeper's, and error 3 names"
        " it), `token`?, `code`? (Tablier's own programs: a fingerprint of the code that they run, 32 digits, which"
        " has to be the keeper's; others leave it out), `passive`? (true: this connection only passes on what"
        " happens; the keeper stays for it only while somebody has come in by it, and no game begins because a"
        " spectator watches there)",
        gives="`Welcome`. First of all",
    )
    def _hello(self, asker: Asker, params: Hello) -> messages.Welcome:
        peer = asker.peer
        if params.token is not None:
            if not compare_digest(params.token, self._token):
                raise Refusal(REFUSED, "this is not the token of the operator of this log")
            peer.rights.operator = True
        if not peer.rights.greeted and self._is_full(peer):
            text = Text("too many connections are open here ({count}); close one", {"count": CONNECTIONS})
            raise Refusal(REFUSED, text)
        if (params.protocol, params.version) != (VERSION, __version__):
            raise _stale(params, self._log.path)
        if params.code not in (None, fingerprint()):
            raise _other_code(self._log.path, is_older=self._has_changed())
        peer.rights.greeted = True
        peer.passive = params.passive
        return messages.Welcome(version=__version__, protocol=VERSION, log=str(self._log.path), pid=os.getpid())

    def _has_changed(self) -> bool:
        """Return whether the files are not this keeper's any more; looked at seldom, whatever clients say."""
        now = waiting.now()
        if not self._changed_files and now >= self._compared + _LOOK_S:
            self._compared, self._changed_files = now, has_changed()
        return self._changed_files

    @method(
        "ping",
        Nothing,
        WATCHING,
        gives="nothing. A client that has heard nothing for a while checks with it that the keeper still answers:"
        " one that was stopped keeps its connections open",
    )
    def _ping(self, asker: Asker, params: Nothing) -> messages.Done:
        return messages.DONE

    @method(
        "list",
        Overview,
        WATCHING,
        takes="`follow`? (true: `list` messages follow)",
        gives="`Listing`, see below",
    )
    def _list(self, asker: Asker, params: Overview) -> messages.Listing:
        if params.follow:
            self._followers.add(asker.peer)
        return self._overview()

    def _overview(self) -> messages.Listing:
        games = self._games
        return messages.Listing(
            games=games.overview(), unfinished=games.unfinished(), evenings=self._evenings.overview()
        )

    def _change(self) -> None:
        self._changed = True

    def _tell_followers(self) -> None:
        """Send what is open to its followers, where it has changed."""
        if self._changed and self._followers:
            message = self._overview()
            for peer in self._followers:
                peer.tell("list", message)
        self._changed = False

    @method("quit", Nothing, OPERATING, gives="the keeper ends; its games can be resumed")
    def _quit(self, asker: Asker, params: Nothing) -> messages.Done:
        self.end()
        return messages.DONE


METHODS = declared(Server, Games, Orders, Analysis, Evenings, Door, Tables)
"""All methods, in the order of the document."""


def _stale(said: Hello, log: Path) -> Refusal:
    """Return why a client of another version is refused: which side is older, and what to do."""
    args: dict[str, Any] = {"pid": os.getpid(), "own": __version__, "other": said.version, "log": log_option(log)}
    if (said.protocol, _numbers(said.version)) < (VERSION, _numbers(__version__)):
        return Refusal(
            STALE,
            "this keeper (process {pid}) is {own}, and what speaks to it is older: {other}; update that, or start it"
            " anew where it was updated already",
            **args,
        )
    return Refusal(
        STALE,
        "this keeper (process {pid}) is {own}, older than what speaks to it: {other}; 'tablier keeper --end{log}' ends"
        " it, and its games can be resumed",
        **args,
    )


def _other_code(log: Path, *, is_older: bool) -> Refusal:
    """Return why a client of the same version is refused whose code is not this keeper's."""
    if is_older:
        text = (
            "this keeper (process {pid}) is of older code: Tablier's files were changed after it had started; 'tablier"
            " keeper --end{log}' ends it, and its games can be resumed"
        )
    else:
        text = (
            "what speaks to this keeper (process {pid}) is older, or another installation of the same version; start"
            " that anew, or end the keeper with 'tablier keeper --end{log}', and its games can be resumed"
        )
    return Refusal(STALE, text, pid=os.getpid(), log=log_option(log))


def _numbers(version: str) -> list[int]:
    return [int(part) for part in re.findall(r"[0-9]{1,9}", version)]


def keep(
    path: str | os.PathLike[str],
    *,
    ready: Callable[[], None],
    told: Callable[[Text], object] = lambda text: None,
    stays: bool = False,
) -> None:
    """Keep a log until nothing is open and nobody is connected; with ``stays``, until the operator or SIGTERM ends it.

    ``ready`` is called when screens can connect; ``told`` with what they wait for till then. Raise :class:`LogError`
    when it cannot be opened for writing, and when it turns out damaged.
    """
    fingerprint()  # of what has been loaded until now
    with Processes() as thinking, Log.open(path, later=True, told=told) as log:
        server = Server(log, stays=stays, thinking=thinking)
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: server.end())
        gc.collect()
        gc.freeze()  # all that is known of a long log stays: to look through it after each game would hold up the loop
        ready()
        try:
            server.run()
        finally:
            log.close()
            server.hang_up()


def main(argv: Sequence[str] | None = None) -> int:
    """Keep a log: ``python -m tablier.keeper.server LOG``. Say :data:`READY` on standard output, or
    :data:`LOCKED` or :data:`FAILED` and why; before it :data:`WAITS` and what for."""

    (path, *_) = sys.argv[1:] if argv is None else argv
    detach()
    start_trace()
    try:
        keep(path, ready=lambda: say(READY), told=lambda text: say(f"{WAITS} {text}", last=False))
    except (LogError, OSError) as error:
        say(f"{LOCKED if isinstance(error, Locked) else FAILED} {error}")
        return 2
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
