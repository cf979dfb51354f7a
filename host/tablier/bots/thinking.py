"""Where built-in bots think: in this process, or in processes of their own beside it.

A keeper has :class:`Processes`: whatever a bot thinks about, its loop serves others meanwhile. At its start it forks a
process that loads all games and does nothing but fork others, so these have the keeper's own code for as long as it
runs, share most of their memory, and never copy a process that has threads: what one of these imports just then would
be locked in the copy for ever. Another process waits until something has ended the one that forks, and forks it again:
the keeper may have threads by then. All of them end with the keeper, whatever ends that.

A game has a :class:`Room`. Its bots think in one process, one after the other; several games share a process only when
there are many.
"""

from __future__ import annotations

import gc
import os
import pickle
import random
import select
import signal
import socket
import struct
import threading
import warnings
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from queue import SimpleQueue
from typing import Any, NoReturn, Self

from tablier import waiting
from tablier.games import bots_of, load, rules_of
from tablier.games.core import Move
from tablier.games.core.bots import Bot, decide
from tablier.games.core.parts import PartError, left_by
from tablier.texts import Failure, Json, Text, text_from

MOST = 4
"""The processes in which bots think at the same time: each takes some megabytes."""
LIMIT_S = 60.0
"""The seconds of real time after which a built-in bot has failed. One that searches takes about one of the processor's;
a busy computer may need many more for that."""
IDLE_S = 2.0
"""The seconds after which a thought is ended for which nobody waits any more, and the bot's memory with it."""
LOSSES = 2
"""The processes that may end while they do the same before that has failed: something else may have ended the first."""
REST_S = 60.0
"""The seconds for which a process that gives advice is kept when there is nothing to do."""
LOAD_S = 0.5
"""The seconds after which games are loaded for bots to come: a keeper may have ended till then."""
_HEAD = struct.Struct("<I")
_ORDER = struct.Struct("<q")
"""An order to the process that forks others: the number of one to fork, or, negative, of one to end."""

Call = Callable[[], Any]
"""For a process it is a :class:`functools.partial` of a module's function; what it takes and returns can be pickled."""
Done = Callable[[Any], None]
"""Gets what a call has returned, or the :class:`~tablier.texts.Failure` that it has raised."""


class Crashed(Failure):
    """A call has raised something that is no failure with a text, or its process has ended."""


def crashed(error: str | Text) -> Crashed:
    """Return the failure of a bot that has raised an error, by its ``repr``, or has ended otherwise."""
    return Crashed("the bot failed ({error})", error=error)


class Room(ABC):
    """Where the bots of one game think."""

    @abstractmethod
    def bot(self, game: str, seats: int, options: Json, seat: int, source: str, dice: random.Random) -> Bot | Remote:
        """Return the built-in bot that a source names. Raise ``OptionError`` as the rules do."""

    @abstractmethod
    def ask(self, call: Call, done: Done) -> object:
        """Have something called, after what was asked for before."""

    def close(self) -> None:
        """Drop what was asked for."""


class Thinking(ABC):
    """Where the built-in bots of games think, and those that give advice."""

    advice: Room
    """For hints, and for looking again."""

    @abstractmethod
    def room(self) -> Room:
        """Return a room for a game."""


class Here(Thinking, Room):
    """This process: who asks waits."""

    @property
    def advice(self) -> Room:  # type: ignore[override]
        return self

    def room(self) -> Room:
        return self

    def bot(self, game: str, seats: int, options: Json, seat: int, source: str, dice: random.Random) -> Bot:
        return built_in(game, seats, options, seat, source, dice)

    def ask(self, call: Call, done: Done) -> None:
        done(_attempt(call))


def built_in(game: str, seats: int, options: Json, seat: int, source: str, dice: random.Random) -> Bot:
    """Return the built-in bot that a source names, for a seat of a game. Raise ``OptionError`` as the rules do."""
    return bots_of(game)[source](rules_of(game, seats, options), seat, dice)


def _attempt(call: Call) -> Any:
    """Return what a call returns, or the failure that it raises."""
    try:
        return call()
    except Failure as error:
        return error
    except SystemExit as error:  # a game must not
        return PartError(left_by(error))
    except Exception as error:
        return crashed(repr(error))


class Remote:
    """A built-in bot in a process of its room."""

    _numbers = count(1)

    def __init__(
        self, room: _Room, game: str, seats: int, options: Json, seat: int, source: str, dice: random.Random
    ) -> None:
        self._room = room
        self.number = next(self._numbers)
        self._bot = (game, seats, options, seat, source)
        self._seed = dice.getrandbits(64)
        self._asked: _Asked | None = None

    def decide(self, view: Json, moves: Sequence[Move], may_pass: bool, done: Done) -> None:
        """Have the bot decide; ``done`` gets one of the moves, ``None`` for a pass, or a failure."""
        call = partial(_decide, self.number, self._bot, self._seed, view, tuple(moves), may_pass)
        self._asked = self._room.ask(call, done)

    def leave(self) -> None:
        """Drop what the bot was asked for, and its answer."""
        if self._asked is not None:
            self._asked.done = _ignore


# -- the keeper's side ------------------------------------------------------------------------------------------------


@dataclass(eq=False)
class _Asked:
    """A call that is not answered yet."""

    room: _Room
    call: Call
    done: Done
    losses: int = 0


@dataclass(eq=False)
class _Process:
    """A process in which bots think, as the keeper sees it."""

    number: int
    link: socket.socket
    rooms: set[_Room] = field(default_factory=set)
    asked: deque[_Asked] = field(default_factory=deque)
    """In the order in which they are answered."""
    since: float = 0.0
    """When it began with the first of these, or has answered the last one."""
    out: bytearray = field(default_factory=bytearray)
    got: bytearray = field(default_factory=bytearray)


class _Room(Room):
    def __init__(self, processes: Processes) -> None:
        self._processes = processes
        self.numbers: list[int] = []
        """Of its bots."""

    def bot(self, game: str, seats: int, options: Json, seat: int, source: str, dice: random.Random) -> Remote:
        bot = Remote(self, game, seats, options, seat, source, dice)
        self.numbers.append(bot.number)
        return bot

    def ask(self, call: Call, done: Done) -> _Asked:
        asked = _Asked(self, call, done)
        self._processes.ask(asked)
        return asked

    def close(self) -> None:
        self._processes.leave(self)


class Processes(Thinking):
    """Processes beside this one. Call :meth:`work` when one of :attr:`files` is readable or one of :attr:`writing` can
    be written to, and within some seconds; what was asked for is answered there.
    """

    def __init__(self) -> None:
        self.advice = _Room(self)
        self._processes: list[_Process] = []
        self._numbers = count(1)
        self._control: socket.socket | None = None
        self._forker: Forker | None = None
        self._has_forked = False

    def start(self, *, loads: bool = False) -> None:
        """Fork the process that forks others, and the one that sees to it that there is one. Call this before a thread
        imports anything. ``loads``: all games are loaded for them."""
        ours, theirs = socket.socketpair()
        with theirs:
            self._forker = Forker(theirs, loads)
        ours.setblocking(False)
        self._control, self._has_forked = ours, False

    def room(self) -> Room:
        return _Room(self)

    @property
    def files(self) -> list[int]:
        """Return the descriptors that are readable when there is something to do."""
        return [each.link.fileno() for each in self._processes]

    @property
    def writing(self) -> list[int]:
        """Return the descriptors to which something is to be written."""
        return [each.link.fileno() for each in self._processes if each.out]

    def ask(self, asked: _Asked) -> None:
        """Have something called in the process of its room."""
        process = next((each for each in self._processes if asked.room in each.rooms), None)
        try:
            process = process or self._process_for(asked.room)
        except OSError as error:
            asked.done(crashed(error.strerror or repr(error)))
            return
        self._send(process, asked)

    def leave(self, room: _Room) -> None:
        """Drop what a room has asked for, and end its process unless others have it, too."""
        for process in [each for each in self._processes if room in each.rooms]:
            process.rooms.discard(room)
            for asked in process.asked:
                if asked.room is room:
                    asked.done = _ignore
            if not process.rooms:
                self._end(process)
            else:
                self._send(process, _Asked(room, partial(_forget, room.numbers), _ignore))

    def work(self) -> None:
        """Hand out the answers that have come; see to it that what was lost or takes too long is answered, too."""
        for process in list(self._processes):
            self._write(process)
            if not self._read(process) and process in self._processes:
                self._end(process)
                self._ask_again(process, lost=True)
        now = waiting.now()
        for process in list(self._processes):
            if process.asked and now >= process.since + (IDLE_S if process.asked[0].done is _ignore else LIMIT_S):
                self._end(process)
                late = Text("it took more than {seconds} seconds", {"seconds": f"{LIMIT_S:g}"})
                process.asked.popleft().done(crashed(late))
                self._ask_again(process)
            elif not process.asked and process.rooms == {self.advice} and now >= process.since + REST_S:
                self._end(process)

    def __enter__(self) -> Self:
        self.start(loads=True)
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """End all processes."""
        for process in list(self._processes):
            self._end(process)
        self._end_forker()

    def _end_forker(self) -> None:
        if self._control is not None and self._forker is not None:
            self._control.close()
            self._control = None
            if not self._has_forked:  # what forks may load still, and ends by itself
                self._forker.kill()
            self._forker.wait()

    def _process_for(self, room: _Room) -> _Process:
        """Have a room think in a process of its own, or in the one that fewest have. Raise ``OSError``."""
        if len(self._processes) < MOST:
            process = self._fork()
            self._processes.append(process)
        else:
            process = min(self._processes, key=lambda each: len(each.rooms))
        process.rooms.add(room)
        return process

    def _fork(self) -> _Process:
        if self._control is None:
            self.start()
        ours, theirs = socket.socketpair()
        ours.setblocking(False)
        process = _Process(next(self._numbers), ours)
        with theirs:
            self._order(process.number, theirs.fileno())
        return process

    def _send(self, process: _Process, asked: _Asked) -> None:
        if not process.asked:
            process.since = waiting.now()
        process.asked.append(asked)
        said = pickle.dumps(asked.call, pickle.HIGHEST_PROTOCOL)
        process.out += _HEAD.pack(len(said)) + said
        self._write(process)

    def _order(self, order: int, *files: int) -> None:
        assert self._control is not None
        self._has_forked = True
        socket.send_fds(self._control, [_ORDER.pack(order)], files)

    def _end(self, process: _Process) -> None:
        """End a process at once, whatever it does."""
        self._processes.remove(process)
        process.link.close()
        with suppress(OSError):
            self._order(-process.number)

    def _ask_again(self, process: _Process, *, lost: bool = False) -> None:
        """Ask another process for what one that has ended has not answered. ``lost``: nobody here has ended it."""
        for n, asked in enumerate(process.asked):
            asked.losses += lost and n == 0
            if asked.done is _ignore:
                continue
            if asked.losses < LOSSES:
                self.ask(asked)
            else:
                asked.done(crashed(Text("its process has ended")))

    def _write(self, process: _Process) -> None:
        try:
            while process.out:
                del process.out[: process.link.send(process.out)]
        except BlockingIOError:
            pass
        except OSError:
            process.out.clear()  # it has ended, which reading tells

    def _read(self, process: _Process) -> bool:
        """Hand out what a process has answered; return False when it has ended."""
        data = b"."
        try:
            while data := process.link.recv(1 << 18):
                process.got += data
        except BlockingIOError:
            pass
        except OSError:
            data = b""
        while (said := _taken(process.got)) is not None:
            process.since = waiting.now()
            process.asked.popleft().done(_unpacked(said))
        return bool(data)


def _ignore(said: object) -> None:
    """Take an answer for which nobody waits any more."""


def _taken(buffer: bytearray) -> bytes | None:
    """Take the first message out of a buffer, if all of it is there."""
    if len(buffer) < _HEAD.size:
        return None
    end = _HEAD.size + _HEAD.unpack_from(buffer)[0]
    if len(buffer) < end:
        return None
    message = bytes(buffer[_HEAD.size : end])
    del buffer[:end]
    return message


def _unpacked(said: bytes) -> Any:
    how, value = pickle.loads(said)
    if how == "value":
        return value
    return crashed(value) if how == "crashed" else PartError(text_from(value))


# -- the process that forks -------------------------------------------------------------------------------------------


class Forker:
    """The process that sees to it that another one forks what the keeper orders by a socket."""

    def __init__(self, control: socket.socket, loads: bool) -> None:
        """``loads``: all games are loaded for what is forked."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of threads: those of tests, which wait
            self.pid = os.fork()
        if not self.pid:
            os.setsid()
            fork_as_ordered(control, loads)

    def kill(self) -> None:
        os.kill(self.pid, signal.SIGKILL)

    def wait(self) -> None:
        os.waitpid(self.pid, 0)


def fork_as_ordered(control: socket.socket, loads: bool) -> NoReturn:
    """See to it that a process forks what the keeper orders. ``loads``: all games are loaded for what is forked."""
    try:
        _prepare(control.fileno())
        _see_to_forking(control, load() if loads else iter(()))
    finally:
        os._exit(1)


def _prepare(control: int) -> None:
    """Let go of what belongs to the keeper: its files, its terminal, its signals."""
    for number in (signal.SIGINT, signal.SIGHUP):  # the keeper's affair
        signal.signal(number, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.set_wakeup_fd(-1)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)  # what a game prints
    os.closerange(3, control)
    os.closerange(control + 1, 1 << 16)
    gc.freeze()  # what is the keeper's is never collected here: its files are closed, and their numbers used again


def _see_to_forking(control: socket.socket, loading: Iterator[None]) -> NoReturn:
    """Have a process that forks others, until it ends by itself."""
    while pid := os.fork():
        if not os.WIFSIGNALED(os.waitpid(pid, 0)[1]):
            os._exit(0)
    _fork_on(control, loading)


def _fork_on(control: socket.socket, loading: Iterator[None]) -> NoReturn:
    """Fork a process for each that is ordered, until the keeper ends; load games as long as nothing else is to do."""
    children: dict[int, int] = {}
    patience = LOAD_S
    while True:
        while not select.select([control], [], [], patience)[0]:
            patience = 0.0
            if next(loading, control) is control:
                gc.freeze()  # no collection makes copies of what is shared
                break
        said, files, _, _ = socket.recv_fds(control, _ORDER.size, 1)
        for number, pid in list(children.items()):
            if os.waitpid(pid, os.WNOHANG)[0]:
                del children[number]
        if not said:
            for pid in children.values():
                os.kill(pid, signal.SIGKILL)
            os._exit(0)
        (order,) = _ORDER.unpack(said)
        if order > 0:
            with suppress(OSError):  # the keeper sees that there is none
                pid = os.fork()
                if not pid:
                    try:
                        control.close()
                        _think(socket.socket(fileno=files[0]))
                    finally:
                        os._exit(1)
                children[order] = pid
            os.close(files[0])
        elif -order in children:
            os.kill(children[-order], signal.SIGKILL)


# -- a process in which bots think ------------------------------------------------------------------------------------

_bots: dict[int, Bot] = {}
"""The bots of this process, by their numbers."""


def _think(link: socket.socket) -> NoReturn:
    """Do what the keeper asks for, until it lets go."""
    asked: SimpleQueue[bytes] = SimpleQueue()
    threading.Thread(target=_listen, args=(link, asked), daemon=True).start()
    while True:
        said = _answer(asked.get())
        link.sendall(_HEAD.pack(len(said)) + said)


def _listen(link: socket.socket, asked: SimpleQueue[bytes]) -> None:
    """Hear the keeper while a bot thinks, and end with it."""
    got = bytearray()
    try:
        while data := link.recv(1 << 18):
            got += data
            while (said := _taken(got)) is not None:
                asked.put(said)
    finally:
        os._exit(0)


def _answer(said: bytes) -> bytes:
    value = _attempt(lambda: pickle.loads(said)())
    try:
        if isinstance(value, Crashed):
            return pickle.dumps(("crashed", value.text.args["error"]))
        if isinstance(value, Failure):
            return pickle.dumps(("failure", value.text.to_json()))
        return pickle.dumps(("value", value), pickle.HIGHEST_PROTOCOL)
    except Exception as error:  # of a value that cannot be pickled
        return pickle.dumps(("crashed", repr(error)))


def _decide(
    number: int,
    bot: tuple[str, int, Json, int, str],
    seed: int,
    view: Json,
    moves: Sequence[Move],
    may_pass: bool,
) -> Move | None:
    """Have a bot decide that has its seat here from its first decision on."""
    if number not in _bots:
        _bots[number] = built_in(*bot, random.Random(seed))
    return decide(bot[0], _bots[number], view, moves, may_pass)


def _forget(numbers: Sequence[int]) -> None:
    """Let go of the bots of a game that is over here."""
    for number in numbers:
        _bots.pop(number, None)


__all__ = ["Call", "Crashed", "Done", "Here", "Processes", "Remote", "Room", "Thinking", "built_in", "crashed"]
