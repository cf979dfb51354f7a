"""The simulated table: the firmware's own code in a MicroPython VM, a simulated board, a pseudo-terminal.

One process, one thread. The VM calls :meth:`Simulator._wait` whenever it has nothing to do; everything else happens in
there: bytes to and from the port, a tester's verbs, the passing of time. :meth:`Simulator.run` returns only by
``quit`` or a signal.

**Verbs** are lines of text, on the control socket or on standard input; each is answered, in order, by one line of
JSON::

    press PLACE BUTTON [MS]      press a button and let go of it after MS (80); buttons: minus plus a b
    hold PLACE BUTTON            press and hold;  release PLACE BUTTON lets go
    land HOW [TAG]               a card lands now: flat, leaning, rim, outside; TAG is what is printed on it
    throw HOW [TAG]              the same as people would, each time otherwise; also glance: from the rim to outside
    slide TAG                    a card that leans, or lies on the rim, slides down and lies flat
    wave N                       somebody moves a card through a beam (0–7), and out again
    bump | hand                  somebody knocks against the table, or holds a hand over the arena for a while
    shine BITS                   light from elsewhere on the receivers of these beams (a number; bit 0 is the first)
    clear                        take all cards out of the arena;  take TAG takes one
    pile                         the cards that lie there, in order of landing
    pixels                       all pixels, by group;  pixel GROUP N one: ring 0–31, public 1–6, hoodP 0–4
    until GROUP N RRGGBB [S]     wait until that pixel has that colour, at most S seconds (10) of table time
    unplug | plug | reset        the cable; the reset button
    power                        power is cut and comes back
    faults drop=P double=P flip=P cut=P seed=N      make the line bad, a probability a frame; faults alone mends it
    defect beam N PERCENT        so much is left of the light of a beam (0–7); less than 50 and it reads broken
    defect button PLACE BUTTON open|closed          a contact that never closes, or always is
    defect wires PLACE BUTTON PLACE BUTTON          two buttons that are wired as each other
    defect pixel GROUP N         a pixel that stays dark;  defect hoods P Q  two hoods that are plugged in as each other
    defect floor N PERCENT       so much is left of what a card reflects to a floor sensor (0 offer, 1 pile)
    defect chain | impact        no cable to the buttons; no impact is felt;  mend  nothing is wrong any more
    wait UNTIL - - -             wait until that time in µs (see below); wake ends it, and has no answer of its own
    time | quit
    stats                        boots, plugs, tunes and pictures so far; on a bad line, frames and faults each way

In life's time a press lasts at least until the board has seen it, however little of the time the board gets.

**Time** is life's, or virtual. In virtual time it stands still while any participant (a connection that has said
``join``) is at work, and jumps to the next thing that happens when all of them wait. A participant says ``opened``
when it has opened the port and ``wait UNTIL WRITTEN READ PIXELS``: the time in µs, how many bytes it has written and
read since, the last picture it has seen (``-`` for what it does not wait for); that makes the order of things the same
in every run.
"""

from __future__ import annotations

import argparse
import contextlib
import heapq
import json
import os
import pty
import random
import select
import selectors
import socket
import sys
import termios
import time
import tty
from base64 import b64decode, b64encode
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tablier.simulation.arena import BEAMS, FLOOR, IMPACT, LIGHT, Fall, Happening, Model, Senses
from tablier.simulation.faults import ADC_V, Defects, Line
from tablier.simulation.vm import Vm
from tablier.table import ports
from tablier_fw import wire

BOUNCE_US = (400, 900, 1300, 1900)
"""When, after the first contact, a simulated button opens and closes again."""
PRESS_MS = 80
APART_MS = 50
"""Cards land one after another, at least so far apart."""
_WAVE_MS = 300
BUDGET = 16
"""Steps of work in one turn of the firmware's loop; the Pico has time for one."""
_PORT_ROOM = 2048  # bytes that the port holds for a host that does not read
_PIECE = 256  # bytes that the firmware is given at once: as many as the Pico's port holds
_CAUSES = {"power": 1, "reset": 2, "watchdog": 3}
_WAKE = b"wake\n"
_GUARD_S = 5.0  # life's time after which a participant's bytes that never come are given up


class VerbError(ValueError):
    """A verb that cannot be obeyed; the text says why."""


class _Reset(Exception):
    pass


class _Quit(Exception):
    pass


class Connection:
    """A tester, or a host in virtual time."""

    def __init__(self, sock: socket.socket) -> None:
        self.sock = sock
        self.buffer = b""
        self.ended = False
        self.joined = False
        self.waiting: dict[str, int | None] | None = None

    def answer(self, body: dict[str, Any]) -> None:
        try:
            self.sock.sendall(json.dumps(body).encode() + b"\n")
        except OSError:
            pass  # it is gone; the next read says so


class Card:
    """A card in the arena, or beside it."""

    def __init__(self, how: str, tag: str, time: int) -> None:
        self.how = how
        self.tag = tag
        self.time = time
        """µs: when it struck, …"""
        self.rests = time
        """… and from when on it is at rest."""
        self.stays: tuple[int, ...] = ()
        """The beams that it lies in."""
        self.floor: tuple[int, ...] = ()
        """The floor sensors that it covers."""


class Finger:
    """What a finger does to one button in life's time, which goes on also while the board does nothing.

    Each contact lasts until the board has looked at it often enough for it to count: a computer with too much to do
    makes presses longer, and loses none.
    """

    LOOKS = 6
    """One more than the board's debouncing needs."""

    def __init__(self) -> None:
        self.moves: list[tuple[int, int | None]] = []
        """What is still to be done: when (µs), and for a press how long (µs); ``None`` lets go."""
        self.rests = 0
        """From when on, in µs, the contact bounces no more."""
        self.looks = self.LOOKS
        """How often the board has looked at it since."""


class Simulator:
    kind = ports.SIMULATED
    what = "A simulated table"
    own = False
    """Whether its time goes on by itself, at a pace that is not life's."""

    def __init__(
        self,
        board: bytes,
        *,
        virtual: bool = False,
        seed: int | None = None,
        stdin: bool = False,
        budget: int = BUDGET,
    ) -> None:
        self.board = board
        self._budget = budget
        self.virtual = virtual
        self._entropy = random.Random(seed) if seed is not None else random.SystemRandom()
        self._cause = "power"
        self._remembered = str(wire.LOST_UNKNOWN)  # what the board keeps over a reset
        self._started = time.monotonic()
        self._now = 0  # µs; only moves by hand in virtual time
        self._agenda: list[tuple[int, int, Callable[[], None]]] = []
        self._agenda_count = 0
        # the board
        self._defects = Defects()
        self._fingers = 0  # buttons that somebody presses
        self._hands: dict[int, Finger] = {}  # by button, in life's time
        self._looked_ms = -1  # when the board looked at the buttons last
        self._buttons = 0  # those that the board is told of
        self._buttons_seen = 0
        self._hits = 0
        self._flash = ""  # the result of the self-test
        self._chains = bytes(3 * sum(wire.GROUPS))  # what the chains of pixels were sent
        self._edges: list[tuple[int, int, int]] = []
        self._pixels = bytes(3 * sum(wire.GROUPS))
        self._pictures = 0
        self._hertz = 0
        self._tunes: list[tuple[int, int]] = []
        self._cards: list[Card] = []
        self._landings = 0
        self._last_throw = -APART_MS * 1000
        self._model = Model(random.Random(seed))
        self._senses = Senses()
        self._shone = 0
        # the port
        self._directory = ports.make_simulated_dir()
        self._plugs = 0
        self._master = self._slave = -1
        self._to_table = b""
        self._to_host = b""
        self._written = 0  # bytes that came from the host since it said "opened"
        self._sent = 0  # bytes that were given to the port since then
        self._lines: tuple[Line, Line] | None = None
        self._conditions: list[tuple[Connection, str, bytes, int]] = []
        # the outside
        self._selector = selectors.DefaultSelector()
        self._connections: list[Connection] = []
        self._told_to_end, self._teller = os.pipe()
        self._selector.register(self._told_to_end, selectors.EVENT_READ, None)
        self._listen()
        if stdin:
            self._welcome(_StandardStreams())  # type: ignore[arg-type]
        self.boots = 0
        self._plug()

    # -- life --------------------------------------------------------------------------------------

    def run(self) -> None:
        try:
            self._live()
        except _Quit:
            pass
        finally:
            self.close()

    def _live(self) -> None:
        calls = {"identity": self._identity, "entropy": self._draw, "wait": self._wait, "remember": self._remember}
        vm = Vm({**calls, "examine": self._examine, "keep": self._keep_result})
        while True:
            self.boots += 1
            with contextlib.suppress(_Reset):
                vm.run("import tablier_fw.main_sim")

    def end(self) -> None:
        """Lets :meth:`run` return soon. May be called from a signal's handler, where nothing may be raised: the signal
        may have come in the middle of the bridge to the VM."""
        os.write(self._teller, b"!")

    def close(self) -> None:
        self._unplug()
        for connection in self._connections:
            connection.sock.close()
        self._listener.close()
        self._control.unlink(missing_ok=True)

    @property
    def port(self) -> str:
        """The name of the port now; it is another after each plugging in."""
        return str(self._directory / f"{self.kind}-{self.board.hex()}-{self._plugs}")

    def _listen(self) -> None:
        self._control = self._directory / f"{self.board.hex()}.control"
        self._listener = socket.socket(socket.AF_UNIX)
        self._control.unlink(missing_ok=True)
        self._listener.bind(str(self._control))
        self._listener.listen()
        self._listener.setblocking(False)
        self._selector.register(self._listener, selectors.EVENT_READ, None)

    def _plug(self) -> None:
        if self._master >= 0:
            return
        self._master, self._slave = pty.openpty()
        tty.setraw(self._slave)
        os.set_blocking(self._master, False)
        self._plugs += 1
        link = Path(self.port)
        link.unlink(missing_ok=True)
        link.symlink_to(os.ttyname(self._slave))
        self._selector.register(self._master, selectors.EVENT_READ, None)

    def _unplug(self) -> None:
        if self._master < 0:
            return
        self._selector.unregister(self._master)
        Path(self.port).unlink(missing_ok=True)
        os.close(self._slave)
        os.close(self._master)
        self._master = self._slave = -1
        self._to_host = self._to_table = b""

    # -- what the firmware calls -----------------------------------------------------------------------

    def _identity(self, _: str) -> str:
        return f"{self.board.hex()} {_CAUSES[self._cause]} {self._remembered} {self._budget}"

    def _remember(self, lost: str) -> str:
        self._remembered = lost
        return ""

    def _draw(self, count: str) -> str:
        return self._entropy.randbytes(int(count)).hex()

    def _wait(self, request: str) -> str:
        ms, hertz, sent, picture = request.split(" ")
        self._sound(int(hertz))
        if picture != "-":
            self._light(bytes.fromhex(picture))
        if sent != "-":
            self._send(b64decode(sent))
        self._flush()
        self._await_input(self.now() + int(ms) * 1000)
        received, self._to_table = self._to_table[:_PIECE], self._to_table[_PIECE:]
        edges, self._edges = self._edges, []
        self._buttons_seen = self._buttons
        self._look()
        room = max(0, _PORT_ROOM - len(self._to_host))
        rest = "".join(f" {us},{line},{level}" for us, line, level in edges)
        return f"{self.now()} {room} {self._buttons} {b64encode(received).decode() or '-'}{rest}"

    def _keep_result(self, result: str) -> str:
        self._flash = result or self._flash
        return self._flash

    def _examine(self, what: str) -> str:
        """What the self-test measures. Nothing is felt while it does, and nothing gets lost: see the Pico's twin."""
        senses, word = self._senses, what.split(" ")
        if word[0] == "light":
            level = int(word[1]) / 100
            blocked = [self._blocked(beam) or self._defects.weak(beam, level) for beam in range(BEAMS)]
            lit = [senses.there(LIGHT + beam) for beam in range(BEAMS)]
            return str(sum((blocked[beam] and not lit[beam]) << beam for beam in range(BEAMS)))
        if word[0] == "floor":
            volts = [self._defects.reflected(sensor, senses.there(FLOOR + sensor)) for sensor in (0, 1)]
            return " ".join(str(round(65535 * volt / ADC_V)) for volt in volts)
        if word[0] == "chain":
            return str(int(self._defects.loose))
        hits, self._hits = self._hits, 0
        return f"{sum(senses.there(LIGHT + beam) << beam for beam in range(BEAMS))} {int(hits > 0)}"

    def _blocked(self, beam: int) -> bool:
        """Whether something is in a beam."""
        return self._senses.count_in(beam) > self._defects.weak(beam)

    # -- what the board does, and what is done to it -------------------------------------------------------

    def _sound(self, hertz: int) -> None:
        if hertz != self._hertz:
            self._hertz = hertz
            self._tunes.append((self.now(), hertz))

    def _light(self, pixels: bytes) -> None:
        self._chains = pixels
        pixels = self._defects.seen(pixels)
        if pixels != self._pixels:
            self._pixels = pixels
            self._pictures += 1

    def _send(self, data: bytes) -> None:
        if self._master >= 0:
            self._to_host += self._lines[1].carry(data) if self._lines else data

    def _sense(self, us: int, line: int, level: int) -> None:
        """A beam is broken (1) or clear (0), or an impact is felt (1)."""
        self._hits += line == IMPACT and level
        self._edges.append((us, line, level))

    def _flush(self) -> None:
        if not self._to_host or self._master < 0:
            return
        try:
            count = os.write(self._master, self._to_host)
        except OSError:
            return  # nobody reads; it stays here until somebody does
        self._to_host = self._to_host[count:]
        self._sent += count

    # -- time --------------------------------------------------------------------------------------------

    def now(self) -> int:
        """µs since the start, of the table's time."""
        return self._now if self.virtual else int((time.monotonic() - self._started) * 1e6)

    def at(self, us: int, action: Callable[[], None]) -> None:
        self._agenda_count += 1
        heapq.heappush(self._agenda, (us, self._agenda_count, action))

    def _input(self) -> bool:
        return bool(self._to_table or self._edges or self._buttons != self._buttons_seen)

    def _await_input(self, until: int) -> None:
        self._pump(0)
        while True:
            self._flush()
            self._act()
            if self._answer_waiting():
                continue  # whoever got an answer may have said more
            if self.virtual and any(c.joined and not self._waits(c) for c in self._connections):
                # Nothing goes on while a participant is at work, or it would matter how fast it is.
                self._pump(None)
                continue
            if self._input():
                return
            if not self.virtual:
                next_ = min([until, *(at for at, _, _ in self._agenda[:1])])
                left = (next_ - self.now()) / 1e6
                if self.now() >= until:
                    return
                self._pump(max(0.0, left))
            elif any(map(self._waits, self._connections)):
                if self._now >= until:
                    return
                times = [until, *(at for at, _, _ in self._agenda[:1])]
                times += [at for c in self._connections if c.waiting and (at := c.waiting["until"]) is not None]
                times += [at for _, _, _, at in self._conditions]
                self._now = max(self._now, min(times))
            else:
                self._pump(None)

    def _act(self) -> None:
        """Does what is due on the agenda."""
        while self._agenda and self._agenda[0][0] <= self.now():
            heapq.heappop(self._agenda)[2]()
        for bit, finger in self._hands.items():
            self._move(bit, finger)

    def _answer_waiting(self) -> bool:
        """Answers those who have waited long enough. Returns whether there were any."""
        answered = False
        for connection in self._connections.copy():
            wait = connection.waiting
            if wait is None:
                continue
            until, written, read, pictures = wait["until"], wait["written"], wait["read"], wait["pictures"]
            if written is not None and self._master >= 0:
                self._drain(written)
            if (
                (until is not None and self.now() >= until)
                or (read is not None and self._sent > read)
                or (read is not None and self._master < 0)
                or (pictures is not None and self._pictures != pictures)
            ):
                answered = True
                connection.waiting = None
                connection.answer(self._clock())
                self._obey_next(connection)
        for condition in self._conditions.copy():
            if condition not in self._conditions:
                continue  # its connection has left meanwhile
            connection, pixel, colour, until_us = condition
            start = int(pixel)
            seen = self._pixels[start : start + 3]
            if seen == colour or self.now() >= until_us:
                answered = True
                self._conditions.remove(condition)
                connection.answer({"ok": seen == colour, "seen": seen.hex(), "now": self.now()})
                self._obey_next(connection)
        return answered

    def _clock(self) -> dict[str, Any]:
        port = self.port if self._master >= 0 else None
        clock = {"now": self.now(), "virtual": self.virtual, "own": self.own}
        return {"ok": True, **clock, "sent": self._sent, "pictures": self._pictures, "port": port}

    def _drain(self, written: int) -> None:
        """Reads the port until all has come that a participant says it has written."""
        deadline = time.monotonic() + _GUARD_S
        while self._written < written and self._master >= 0 and time.monotonic() < deadline:
            select.select([self._master], [], [], 0.05)
            self._read_port()

    # -- in and out ---------------------------------------------------------------------------------------

    def _pump(self, timeout: float | None) -> None:
        for key, _ in self._selector.select(timeout):
            if self._selector.get_map().get(key.fd) is not key:
                continue  # the port was unplugged by what was heard before it
            if key.fileobj == self._told_to_end:
                raise _Quit
            if key.fileobj is self._listener:
                self._welcome(self._listener.accept()[0])
            elif key.fileobj == self._master:
                if self.virtual or len(self._to_table) < _PORT_ROOM:  # else the host has to wait
                    self._read_port()
            else:
                connection = key.data
                try:
                    data = connection.sock.recv(65536)
                except OSError:
                    data = b""
                self._hear(connection, data)

    def _welcome(self, sock: socket.socket) -> None:
        connection = Connection(sock)
        self._connections.append(connection)
        try:
            self._selector.register(sock, selectors.EVENT_READ, connection)
        except PermissionError:  # standard input is a file: it is there already, and no selector takes it
            while data := sock.recv(65536):
                connection.buffer += data
            connection.ended = True
            self.at(0, lambda: self._obey_next(connection))

    def _read_port(self) -> None:
        try:
            data = os.read(self._master, 4096)
        except OSError:
            return
        self._written += len(data)
        self._to_table += self._lines[0].carry(data) if self._lines else data

    def _hear(self, connection: Connection, data: bytes) -> None:
        connection.buffer += data
        if not data:
            connection.ended = True
            self._selector.unregister(connection.sock)
        self._obey_next(connection)

    def _waits(self, connection: Connection) -> bool:
        return connection.waiting is not None or any(asked is connection for asked, *_ in self._conditions)

    def _obey_next(self, connection: Connection) -> None:
        """Obeys what a connection has said, up to the next wait. One that has hung up leaves when that is done."""
        while b"\n" in connection.buffer:
            if self._waits(connection):
                if connection.waiting is None or not connection.buffer.startswith(_WAKE):
                    break
                connection.waiting = None
                connection.answer(self._clock())
            line, _, connection.buffer = connection.buffer.partition(b"\n")
            words = line.decode("utf-8", "replace").split()
            if not words:
                continue
            try:
                body = self._obey(connection, words)
            except VerbError as error:
                body = {"ok": False, "error": str(error)}
            if body is not None:
                connection.answer(body)
        scripted = isinstance(connection.sock, _StandardStreams)
        if connection.ended and not (scripted and self._waits(connection)):
            self._conditions = [condition for condition in self._conditions if condition[0] is not connection]
            self._connections.remove(connection)
            connection.sock.close()

    # -- verbs ------------------------------------------------------------------------------------------------

    def _obey(self, connection: Connection, words: list[str]) -> dict[str, Any] | None:
        verb, *args = words
        method = getattr(self, f"_verb_{verb}", None)
        if method is None:
            known = sorted(name[6:] for name in dir(self) if name.startswith("_verb_"))
            raise VerbError(f"there is no verb {verb!r}; verbs: {' '.join(known)}")
        if verb in ("join", "opened", "wait", "wake", "until"):
            return method(connection, args)  # type: ignore[no-any-return]
        return method(args) or {"ok": True}

    def _verb_join(self, connection: Connection, args: list[str]) -> dict[str, Any]:
        connection.joined = True
        return self._clock()

    def _verb_opened(self, connection: Connection, args: list[str]) -> dict[str, Any]:
        # Bytes that are still on their way belong to the past: an earlier host wrote them, or did not read them.
        self._read_port()
        if self._master >= 0:
            termios.tcflush(self._slave, termios.TCIFLUSH)
        self._to_host = b""
        self._written = self._sent = 0
        return self._clock()

    def _verb_wait(self, connection: Connection, args: list[str]) -> None:
        try:
            values = [None if arg == "-" else int(arg) for arg in args]
            until, written, read, pictures = values
        except ValueError:
            raise VerbError("wait takes UNTIL WRITTEN READ PIXELS, numbers or -") from None
        connection.waiting = {"until": until, "written": written, "read": read, "pictures": pictures}

    def _verb_wake(self, connection: Connection, args: list[str]) -> None:
        """The wait that it was to end has ended by itself."""

    def _verb_until(self, connection: Connection, args: list[str]) -> None:
        if len(args) not in (3, 4):
            raise VerbError("until takes GROUP N RRGGBB [SECONDS]")
        start = self._pixel(args[:2])
        try:
            colour, limit = bytes.fromhex(args[2]), float(args[3]) if len(args) == 4 else 10.0
        except ValueError:
            raise VerbError(f"not a colour and a number of seconds: {' '.join(args[2:])}") from None
        self._conditions.append((connection, str(start), colour, self.now() + int(limit * 1e6)))

    def _verb_press(self, args: list[str]) -> None:
        length = PRESS_MS
        if len(args) == 3:
            args, length = args[:2], self._count(args[2])
        bit = self._button(args)
        if self.virtual or self.own:
            self._contact(bit, True)
            self.at(self.now() + length * 1000, lambda: self._contact(bit, False))
        else:
            self._hands.setdefault(bit, Finger()).moves.append((self.now(), length * 1000))

    def _look(self) -> None:
        """The board looks at its buttons, once in a millisecond."""
        now = self.now()
        if now // 1000 == self._looked_ms:
            return
        self._looked_ms = now // 1000
        for finger in self._hands.values():
            finger.looks += now >= finger.rests

    def _move(self, bit: int, finger: Finger) -> None:
        now = self.now()
        if not finger.moves or finger.looks < Finger.LOOKS or finger.moves[0][0] > now:
            return
        _, length = finger.moves.pop(0)
        self._contact(bit, length is not None)
        finger.looks, finger.rests = 0, now + BOUNCE_US[-1]
        if length is not None:
            finger.moves.insert(0, (now + length, None))
            self.at(now + length, lambda: None)  # so that it is not slept through

    def _verb_hold(self, args: list[str]) -> None:
        self._contact(self._button(args), True)

    def _verb_release(self, args: list[str]) -> None:
        self._contact(self._button(args), False)

    def _button(self, args: list[str]) -> int:
        try:
            place, button = args
            if place not in "123456" or len(place) != 1:
                raise ValueError
            return (int(place) - 1) * 4 + wire.BUTTONS.index(button)
        except ValueError:
            raise VerbError(f"which button? a place from 1 to 6 and one of {' '.join(wire.BUTTONS)}") from None

    @staticmethod
    def _count(text: str) -> int:
        if not text.isdigit():
            raise VerbError(f"{text!r} is not a number")
        return int(text)

    def _contact(self, bit: int, closed: bool) -> None:
        """A contact closes or opens, and bounces as contacts do."""
        bit = self._defects.contact(bit)

        def set_to(level: bool) -> None:
            self._fingers = self._fingers | 1 << bit if level else self._fingers & ~(1 << bit)
            self._buttons = self._defects.buttons(self._fingers)

        set_to(closed)
        for count, us in enumerate(BOUNCE_US):
            level = closed if count % 2 else not closed
            self.at(self.now() + us, lambda level=level: set_to(level))  # type: ignore[misc]

    def _verb_land(self, args: list[str]) -> None:
        how, tag = self._thrown("land", wire.LANDINGS, args)
        if how == "outside":
            self._cards.append(Card(how, tag, self.now()))
        else:
            self._fall(tag, self._model.plain(how, self._next_throw() / 1000, self._free_column()))

    def _verb_throw(self, args: list[str]) -> None:
        how, tag = self._thrown("throw", (*wire.LANDINGS, "glance"), args)
        if how == "outside":
            self._cards.append(Card(how, tag, self.now()))
        else:
            self._fall(tag, self._model.throw(how, self._next_throw() / 1000))

    @staticmethod
    def _thrown(verb: str, hows: tuple[str, ...], args: list[str]) -> tuple[str, str]:
        if not 1 <= len(args) <= 2 or args[0] not in hows:
            raise VerbError(f"{verb} takes one of {' '.join(hows)}, and what is printed on the card")
        return args[0], args[1] if len(args) == 2 else ""

    def _next_throw(self) -> int:
        self._last_throw = max(self.now(), self._last_throw + APART_MS * 1000)
        return self._last_throw

    def _free_column(self) -> int:
        """Where the next card lands: in turn, but not where a card that stays in a beam would hide it."""
        held = {line % 4 for card in self._cards for line in card.stays}
        columns = [(self._landings + step) % 4 for step in range(4)]
        self._landings += 1
        return next((column for column in columns if column not in held), columns[0])

    def _fall(self, tag: str, fall: Fall) -> None:
        card = Card("outside" if fall.how == "glance" else fall.how, tag, round(fall.time * 1000))
        card.stays, card.floor = fall.stays, fall.floor
        card.rests = round(max(ms for ms, _, _ in fall.happenings) * 1000)
        self._cards.append(card)
        self._happen(fall.happenings)

    def _happen(self, happenings: list[Happening]) -> None:
        for ms, line, change in happenings:
            us = round(ms * 1000)
            self.at(us, lambda us=us, line=line, change=change: self._feel(us, line, change))  # type: ignore[misc]

    def _feel(self, us: int, line: int, change: int) -> None:
        if line == IMPACT and self._defects.numb:
            return
        for edge in self._senses.feel(us, line, change):
            self._sense(*edge)

    def _verb_clear(self, args: list[str]) -> None:
        for card in self._cards:
            self._take_out(card)
        self._cards.clear()
        self._model.cards = 1

    def _verb_take(self, args: list[str]) -> None:
        card = self._card(args)
        self._take_out(card)
        self._cards.remove(card)

    def _card(self, args: list[str]) -> Card:
        for card in self._cards:
            if [card.tag] == args:
                return card
        raise VerbError(f"no card {' '.join(args)!r} lies there")

    def _take_out(self, card: Card) -> None:
        """A card leaves its beams and the floor; not before it lies there."""
        ms = max(self.now(), card.rests) / 1000
        self._happen([(ms, line, -1) for line in card.stays + card.floor])
        card.stays = card.floor = ()

    def _verb_slide(self, args: list[str]) -> None:
        card = self._card(args)
        if card.how not in ("leaning", "rim"):
            raise VerbError(f"card {card.tag!r} is {card.how}; what slides is leaning or rim")
        fall = Fall(card.how, 0.0, [], card.stays, True)
        self._happen(self._model.slide(fall, max(self.now(), card.rests) / 1000))
        card.how, card.stays = "flat", ()

    def _verb_bump(self, args: list[str]) -> None:
        self._happen(self._model.bump(self.now() / 1000))

    def _verb_hand(self, args: list[str]) -> None:
        self._happen(self._model.hand(self.now() / 1000))

    def _verb_wave(self, args: list[str]) -> None:
        if len(args) != 1 or self._count(args[0]) >= BEAMS:
            raise VerbError(f"wave takes a beam, 0 to {BEAMS - 1}")
        beam, ms = int(args[0]), self.now() / 1000
        self._happen([(ms, beam, 1), (ms + _WAVE_MS, beam, -1)])

    def _verb_shine(self, args: list[str]) -> None:
        if len(args) != 1 or not args[0].isdigit() or int(args[0]) > 0xFF:
            raise VerbError("shine takes a number from 0 to 255, a bit for each beam")
        before, self._shone = self._shone, int(args[0])
        for beam in range(BEAMS):
            change = (self._shone >> beam & 1) - (before >> beam & 1)
            if change:
                self._happen([(self.now() / 1000, LIGHT + beam, change)])

    def _verb_pile(self, args: list[str]) -> dict[str, Any]:
        return {
            "ok": True,
            "now": self.now(),
            "cards": [{"how": card.how, "tag": card.tag, "time": card.time} for card in self._cards],
        }

    def _verb_pixels(self, args: list[str]) -> dict[str, Any]:
        groups, start = {}, 0
        names = ["ring", "public", *(f"hood{place}" for place in range(1, wire.PLACES + 1))]
        for name, count in zip(names, wire.GROUPS, strict=True):
            groups[name] = [self._pixels[i : i + 3].hex() for i in range(start, start + 3 * count, 3)]
            start += 3 * count
        return {"ok": True, "pictures": self._pictures, **groups}

    def _verb_pixel(self, args: list[str]) -> dict[str, Any]:
        start = self._pixel(args)
        return {"ok": True, "colour": self._pixels[start : start + 3].hex()}

    def _pixel(self, args: list[str]) -> int:
        """Where a pixel stands in the picture, in bytes."""
        firsts = {"ring": (wire.RING, 0), "public": (wire.PUBLIC, 1)}
        firsts |= {f"hood{place}": (wire.HOOD + place - 1, 0) for place in range(1, wire.PLACES + 1)}
        if len(args) != 2 or args[0] not in firsts or not args[1].isdigit():
            raise VerbError(f"which pixel? a group ({' '.join(firsts)}) and a number")
        group, first = firsts[args[0]]
        number = int(args[1]) - first
        if not 0 <= number < wire.GROUPS[group]:
            raise VerbError(f"{args[0]} has pixels {first} to {first + wire.GROUPS[group] - 1}, not {args[1]}")
        return 3 * (sum(wire.GROUPS[:group]) + number)

    def _verb_unplug(self, args: list[str]) -> None:
        self._unplug()

    def _verb_plug(self, args: list[str]) -> dict[str, Any]:
        self._plug()
        return {"ok": True, "port": self.port}

    def _verb_reset(self, args: list[str]) -> None:
        self._cause = "reset"
        self.at(self.now(), self._do_reset)

    def _verb_power(self, args: list[str]) -> None:
        self._cause = "power"
        self._remembered = str(wire.LOST_UNKNOWN)
        self.at(self.now(), self._do_reset)

    def _do_reset(self) -> None:
        self._to_table = b""
        self._edges = self._senses.standing(self.now())
        raise _Reset

    def _verb_faults(self, args: list[str]) -> None:
        options = {}
        for arg in args:
            name, _, value = arg.partition("=")
            try:
                options[name] = float(value)
            except ValueError:
                raise VerbError(f"{arg!r} is not a probability") from None
            if name not in (*Line.FAULTS, "seed"):
                raise VerbError(f"there is no fault {name!r}; faults: drop double flip cut, and a seed")
        there = {**options, "seed": options.get("seed", 0) + 1}
        self._lines = (Line(options), Line(there)) if options else None

    def _verb_defect(self, args: list[str]) -> None:
        method = getattr(self, f"_defect_{args[0]}", None) if args else None
        if method is None:
            known = sorted(name[8:] for name in dir(self) if name.startswith("_defect_"))
            raise VerbError(f"which defect? one of {' '.join(known)}")
        before = list(self._defects.light)
        try:
            method(args[1:])
        except (ValueError, IndexError):
            raise VerbError(f"defect {' '.join(args)}: 'help' lists the forms") from None
        self._become(before)

    def _verb_mend(self, args: list[str]) -> None:
        before, self._defects = self._defects.light, Defects()
        self._become(before)

    def _become(self, before: list[float]) -> None:
        """The table is as its defects make it now. ``before``: what the light of its beams was."""
        self._buttons = self._defects.buttons(self._fingers)
        self._light(self._chains)
        for beam, light in enumerate(before):
            change = int(self._defects.weak(beam)) - int(Defects([light] * BEAMS).weak(beam))
            if change:
                self._happen([(self.now() / 1000, beam, change)])

    def _defect_beam(self, args: list[str]) -> None:
        beam, percent = map(self._count, args)
        self._defects.light[self._below(beam, BEAMS)] = percent / 100

    def _defect_floor(self, args: list[str]) -> None:
        sensor, percent = map(self._count, args)
        self._defects.reflects[self._below(sensor, 2)] = percent / 100

    def _defect_button(self, args: list[str]) -> None:
        *button, how = args
        self._defects.contacts[self._button(button)] = {"open": False, "closed": True}[how]

    def _defect_wires(self, args: list[str]) -> None:
        one, other = self._button(args[:2]), self._button(args[2:])
        self._defects.wires |= {one: other, other: one}

    def _defect_pixel(self, args: list[str]) -> None:
        self._defects.dark.add(self._pixel(args) // 3)

    def _defect_hoods(self, args: list[str]) -> None:
        one, other = (1 + self._below(self._count(arg) - 1, wire.PLACES) for arg in args)
        self._defects.hoods |= {one: other, other: one}

    def _defect_chain(self, args: list[str]) -> None:
        self._defects.loose = True

    def _defect_impact(self, args: list[str]) -> None:
        self._defects.numb = True

    @staticmethod
    def _below(number: int, limit: int) -> int:
        if not 0 <= number < limit:
            raise ValueError(number)
        return number

    def _verb_time(self, args: list[str]) -> dict[str, Any]:
        return self._clock()

    def _verb_stats(self, args: list[str]) -> dict[str, Any]:
        done = {"boots": self.boots, "plugs": self._plugs, "tunes": self._tunes, "pictures": self._pictures}
        if self._lines:
            done |= {"to_table": self._lines[0].counts, "to_host": self._lines[1].counts}
        return {"ok": True, **done}

    def _verb_help(self, args: list[str]) -> dict[str, Any]:
        docs = [sys.modules[kind.__module__].__doc__ or "" for kind in reversed(type(self).__mro__[:-1])]
        lines = [line for doc in docs for line in doc.splitlines() if line[:4] == "    "]
        return {"ok": True, "verbs": [" ".join(line.split()) for line in lines]}

    def _verb_quit(self, args: list[str]) -> None:
        self.at(self.now(), self._do_quit)

    def _do_quit(self) -> None:
        raise _Quit


class _StandardStreams:
    """Standard input and output in the place of a tester's socket."""

    @staticmethod
    def fileno() -> int:
        return sys.stdin.fileno()

    @staticmethod
    def recv(size: int) -> bytes:
        return os.read(sys.stdin.fileno(), size)

    @staticmethod
    def sendall(data: bytes) -> None:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()

    @staticmethod
    def close() -> None:
        """Whoever started this program closes them."""


def main(argv: list[str] | None = None) -> int:
    """Runs a simulated table and prints, first, one line of JSON: its port, its control socket, its board id."""
    parser = argparse.ArgumentParser(prog="python -m tablier.simulation.simulator")
    parser.add_argument("--board", type=bytes.fromhex, help="board id, 16 hexadecimal digits (random)")
    parser.add_argument("--virtual", action="store_true", help="virtual time instead of life's")
    parser.add_argument("--seed", type=int, help="make the board's entropy repeatable, for tests only")
    parser.add_argument(
        "--budget",
        type=_count,
        default=os.environ.get("TABLIER_BUDGET") or BUDGET,
        help=f"steps of work in one turn of the firmware's loop ({BUDGET}, or what TABLIER_BUDGET says; a Pico has 1)",
    )
    parser.add_argument("--leash", action="store_true", help="end when standard input ends, with whoever started this")
    options = parser.parse_args(argv)
    board = options.board or os.urandom(8)
    if options.leash:
        end_with_stdin()
    return serve(Simulator(board, virtual=options.virtual, seed=options.seed, budget=options.budget))


def _count(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not int(text):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1")
    return int(text)


def end_with_stdin() -> None:
    """Ends this process when standard input does: no table outlives the program that started it for itself."""
    import signal
    import threading

    def watch() -> None:
        while os.read(0, 4096):  # not by sys.stdin, whose lock this thread would still hold when the program ends
            pass
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=watch, daemon=True).start()


def serve(table: Simulator, announce: Callable[[Simulator], None] | None = None) -> int:
    """Tells whoever started this program where its table is found, and runs it until it is told to stop."""
    import signal

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: table.end())
    (announce or _announce)(table)
    table.run()
    return 0


def _announce(table: Simulator) -> None:
    hello = {"port": table.port, "control": str(ports.control_of(table.port)), "board": table.board.hex()}
    print(json.dumps(hello), flush=True)  # noqa: T201  (this is the program's answer to whoever started it)


if __name__ == "__main__":
    raise SystemExit(main())
