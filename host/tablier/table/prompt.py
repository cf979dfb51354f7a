"""The way to the prompt of a board's MicroPython, and what can be done from there.

A table is asked into its service mode over the wire; a board that runs nothing of ours is brought to its prompt by an
interrupt. From there on ``mpremote`` speaks to it. Its errors end here: they come out as :class:`BoardError`.
"""

from __future__ import annotations

import ast
import errno
import io
import math
import os
import select
import struct
import time
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout, suppress
from dataclasses import dataclass
from types import TracebackType
from typing import Any

import serial
from mpremote.transport import TransportError, TransportExecError
from mpremote.transport_serial import SerialTransport

from tablier.table.client import unopenable
from tablier.table.ports import board_of, find_board
from tablier_fw import wire
from tablier_fw.version import __version__

REACH_S = 10.0
"""Whatever is on the board must have answered by then."""
QUIET_S = 1.0
"""A table answers a hello sooner; after that an interrupt is sent as well, again and again."""
BOOT_S = 120.0
"""A board has started by then. A real one takes three seconds, an emulated one on a busy computer a minute."""

_HELLO_S = 1.0
_ANSWER_S = 3.0  # without an answer for so long the table is asked for service again, so often
_ASK = 4
_SEARCH_S = 0.2
_READ_S = 10.0
_CHUNK = 1024  # bytes written at once: a multiple of what mpremote writes, and much less than the board's memory
_PROMPT = b">>> "
_WAKE = b"\r\x03\x02"  # interrupt whatever runs, and leave the raw prompt for the friendly one


class BoardError(Exception):
    """The board cannot be reached, or does not do what it should; the text is one line."""


@dataclass(frozen=True)
class Hello:
    """What a table says of itself, whatever its version."""

    boot: bytes
    board: str
    major: int
    challenge: bytes
    abilities: int
    version: str

    @property
    def fits(self) -> bool:
        """Whether this host can play at it."""
        return self.major == wire.MAJOR


class _Ear:
    """An open port, and what is heard there: hellos, answers about the service mode, a prompt."""

    def __init__(self, port: str) -> None:
        try:
            self._serial = serial.Serial(port, 115200, timeout=0, write_timeout=1.0, exclusive=True)
        except OSError as error:  # pyserial's are OSErrors too
            raise BoardError(unopenable(port, error)) from None
        self._run = os.urandom(8)
        self._splitter = wire.Splitter()
        self.text = b""
        """The end of all that came."""

    def close(self) -> None:
        with suppress(OSError):
            self._serial.close()

    def greet(self) -> None:
        version = f"tablier {__version__}".encode()
        hello = wire.HOST_HELLO.encode(wire.MAJOR, wire.MINOR, wire.NO_ID, wire.NO_ID, os.urandom(16), version)
        self._serial.write(wire.frame(wire.HOST_HELLO, wire.NO_ID, self._run, hello))

    def ask_for_service(self, table: Hello) -> None:
        self._serial.write(wire.frame(wire.SERVICE, table.boot, self._run, wire.SERVICE.encode(table.challenge)))

    def wake(self) -> None:
        """Asks for the prompt. One that was seen before does not count: it may be of a boot long ago."""
        self.text = b""
        self._serial.write(_WAKE)

    def listen(self, seconds: float, *, past_prompt: bool) -> Iterator[Hello | int]:
        """Hellos, and refusals of the service mode, as they come; ends early at the prompt unless ``past_prompt``.

        Raises :class:`OSError` when the port is gone.
        """
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0 and (past_prompt or not self.prompted):
            if not select.select([self._serial], [], [], left)[0]:
                return
            data = os.read(self._serial.fileno(), 4096)
            if not data:
                raise OSError(errno.EIO, "the port was hung up")
            self.text = (self.text + data)[-1000:]
            lines: list[bytes] = []
            self._splitter.feed(data, lines)
            for line in lines:
                with suppress(wire.WireError):
                    message, boot, _, payload = wire.unframe(line)
                    if message is wire.TABLE_HELLO:
                        yield _hello(boot, message.decode(payload))
                    elif message is wire.SERVING:
                        yield int(message.decode(payload)[0])

    @property
    def prompted(self) -> bool:
        """Whether MicroPython's prompt was seen."""
        return _PROMPT in self.text

    def last_words(self) -> str:
        """The last line that came and was neither a frame nor the prompt and its welcome."""
        lines = self.text.decode("utf-8", "replace").splitlines()
        ours = ("!", ">", "MicroPython v", 'Type "help()"')
        words = [line.strip() for line in lines if line.strip() and not line.startswith(ours)]
        return "".join(c if c.isprintable() else "?" for c in words[-1]) if words else ""


def _hello(boot: bytes, values: tuple[Any, ...]) -> Hello:
    said = dict(zip(wire.TABLE_HELLO.names, values, strict=True))
    text = "".join(c if c.isprintable() else "?" for c in said["version"].decode("utf-8", "replace"))
    return Hello(boot, said["board"].hex(), said["major"], said["challenge"], said["abilities"], text)


def reach(port: str) -> tuple[str, Hello | None]:
    """Brings the board at a port to MicroPython's prompt, whatever runs there.

    Returns its port, which may have another name by then, and what the table that ran there said of itself. Raises
    :class:`BoardError`.
    """
    ear: _Ear | None = _Ear(port)
    table: Hello | None = None
    leaving = False
    asked = 0
    text = b""
    greet = again = time.monotonic()
    wake = greet + QUIET_S
    deadline = greet + REACH_S
    try:
        while (now := time.monotonic()) < deadline and asked <= _ASK:
            if ear is None:
                assert table is not None
                time.sleep(_SEARCH_S)
                port, ear = _again(table.board, port)
                continue
            try:
                if now >= greet:
                    ear.greet()
                    greet = now + _HELLO_S
                awake = now >= wake
                if awake:
                    ear.wake()
                for heard in ear.listen(_HELLO_S, past_prompt=not awake):
                    now = time.monotonic()
                    if isinstance(heard, Hello):
                        if table and heard.boot == table.boot and (leaving or now < again):
                            continue  # it was asked already
                        if not heard.abilities & wire.CAN_SERVE:
                            raise BoardError(_refused(port, wire.CANNOT_SERVE))
                        table, leaving, asked = heard, False, asked + 1
                        ear.ask_for_service(heard)
                        greet = again = now + _ANSWER_S
                        wake, deadline = math.inf, now + REACH_S
                    elif heard == wire.WILL_SERVE:
                        leaving = True
                        greet, wake, deadline = math.inf, now + QUIET_S, now + BOOT_S
                    else:
                        raise BoardError(_refused(port, heard))
                if awake and ear.prompted:
                    return port, table
                text = text or ear.text
            except OSError:
                ear.close()
                ear = None
                if table is None:
                    raise BoardError(f"{port}: the port went away; plug the board in again") from None
    finally:
        if ear is not None:
            ear.close()
    if table is not None:
        raise BoardError(f"{port}: table {table.board} does not answer any more; reset it and try again")
    if text:
        raise BoardError(f"{port}: what answers there is neither a table nor MicroPython; name another port")
    raise BoardError(f"{port}: nothing answers there; is it the port of a table, or of a board that runs MicroPython?")


def _again(board: str, near: str) -> tuple[str, _Ear | None]:
    """The port behind which a board is now, opened if it can be."""
    port = find_board(board, near)
    if port is not None:
        with suppress(BoardError):  # not ready yet
            return port, _Ear(port)
    return near, None


def _refused(port: str, refusal: int) -> str:
    if refusal == wire.QUESTION_OPEN:
        return (
            f"{port}: a game is open at this table; end it (tablier resume), or press the table's reset button to"
            " leave it for later"
        )
    if board_of(port):
        return f"{port}: this table is simulated; its firmware is that of the tablier that runs it"
    return (
        f"{port}: the firmware of this table has no service mode; hold its service button while you switch it on, then"
        " try again"
    )


def await_table(board: str, near: str, seconds: float = BOOT_S) -> tuple[str, Hello]:
    """Waits for the hello of a board that was just reset, and returns its port. Raises :class:`BoardError`."""
    deadline = time.monotonic() + seconds
    ear: _Ear | None = None
    port = near
    try:
        while time.monotonic() < deadline:
            if ear is None:
                time.sleep(_SEARCH_S)
                port, ear = _again(board, port)
                continue
            try:
                for heard in ear.listen(_HELLO_S, past_prompt=False):  # it says hello until it is greeted
                    if isinstance(heard, Hello):
                        return port, heard
                if ear.prompted:
                    words = ear.last_words()
                    says = f", which says {words!r}" if words else ""
                    raise BoardError(f"{port}: the firmware did not start; the board is at its prompt{says}")
            except OSError:
                ear.close()
                ear = None
    finally:
        if ear is not None:
            ear.close()
    raise BoardError(f"{near}: the board was reset and did not say hello within {seconds:g} s; switch it off and on")


# -- at the prompt ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class About:
    """What a board's interpreter says of itself."""

    name: str
    version: tuple[int, ...]
    machine: str
    mpy: int
    """The compiled modules that it takes: version, flags, as MicroPython packs them."""
    board: str


_ABOUT = """
import sys
i = sys.implementation
try:
    import machine
    u = machine.unique_id()
except Exception:
    u = b''
print(repr((i.name, tuple(i.version[:3]), getattr(i, '_machine', sys.platform), getattr(i, '_mpy', 0), bytes(u))))
"""

_HASHES = """
import os, hashlib, binascii
def tell(name):
    hash = hashlib.sha256()
    with open(name, 'rb') as file:
        while True:
            data = file.read(512)
            if not data:
                break
            hash.update(data)
    print(repr((name, binascii.hexlify(hash.digest()).decode())))
def walk(folder):
    for entry in os.ilistdir(folder):
        name = folder + '/' + entry[0]
        if entry[1] & 0x4000:
            walk(name)
        else:
            tell(name)
for name in {names}:
    try:
        mode = os.stat(name)[0]
    except OSError:
        continue
    if mode & 0x4000:
        walk(name)
    else:
        tell(name)
"""

_TIDY = """
import os
def tidy(folder):
    for entry in list(os.ilistdir(folder)):
        if entry[1] & 0x4000:
            tidy(folder + '/' + entry[0])
            try:
                os.rmdir(folder + '/' + entry[0])
            except OSError:
                pass
tidy({folder!r})
"""


# If there is firmware it shall start, however often it failed and whatever interrupted it before.
_RESET = """
import machine
try:
    from tablier_fw.pico import guard
    guard.forgive()
except Exception:
    pass
machine.reset()
"""


class Prompt:
    """A board at its prompt. A context: on leaving it the board starts again. Every method raises :class:`BoardError`.

    Left by any other exception, an interrupt say, the board stays where it is: nothing waits for it then.
    """

    def __init__(self, port: str) -> None:
        self.port = port
        with self._border():
            self._transport = SerialTransport(port, timeout=_READ_S)
            try:
                self._transport.enter_raw_repl(timeout_overall=_READ_S)
            except BaseException:
                self._transport.close()
                raise
        self._folders = {""}

    def __enter__(self) -> Prompt:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with suppress(BoardError):
            if error is None or isinstance(error, BoardError):
                self._reset()
            else:
                self._transport.close()

    def _reset(self) -> None:
        with self._border():
            try:
                self._transport.exec_raw_no_follow(_RESET)
                time.sleep(0.1)
            finally:
                with suppress(OSError):  # it is gone before it is closed
                    self._transport.close()

    @contextmanager
    def _border(self) -> Iterator[None]:
        """Keeps mpremote's errors, and what it prints, from getting out."""
        try:
            with redirect_stdout(io.StringIO()):
                yield
        except TransportExecError as error:
            lines = error.error_output.strip().splitlines()
            raise BoardError(f"{self.port}: the board says {lines[-1] if lines else 'nothing'!r}") from None
        except (TransportError, struct.error, ValueError, SyntaxError, IndexError) as error:
            raise BoardError(f"{self.port}: the board does not answer as MicroPython does ({error})") from None
        except OSError as error:
            if error.errno == errno.ENOSPC:
                raise BoardError(f"{self.port}: the board is full; remove files from it") from None
            raise BoardError(f"{self.port}: the board has gone away ({error.strerror or error})") from None

    def about(self) -> About:
        with self._border():
            name, version, machine, mpy, board = ast.literal_eval(self._transport.exec(_ABOUT).decode())
        return About(name, version, machine, mpy, board.hex())

    # The board's file system, as :class:`tablier.table.deploy.Disk` has it.

    def hashes(self, *names: str) -> dict[str, str]:
        with self._border():
            lines = self._transport.exec(_HASHES.replace("{names}", repr(names))).decode().splitlines()
            return dict(ast.literal_eval(line) for line in lines)

    def free(self) -> int:
        with self._border():
            self._transport.exec("import os")
            size, _, _, free, *_ = self._transport.eval("os.statvfs('/')")
            return int(size * free)

    def read(self, name: str) -> bytes:
        with self._border():
            return bytes(self._transport.fs_readfile(name))

    def write(self, name: str, content: bytes) -> None:
        with self._border():
            folder = name.rpartition("/")[0]
            parts = folder.split("/")
            for count in range(1, len(parts) + 1):
                parent = "/".join(parts[:count])
                if parent not in self._folders:
                    with suppress(FileExistsError):
                        self._transport.fs_mkdir(parent)
                    self._folders.add(parent)
            self._transport.fs_writefile(name, content, chunk_size=_CHUNK)

    def rename(self, old: str, new: str) -> None:
        with self._border():
            self._transport.exec(f"import os\nos.rename({old!r}, {new!r})")

    def remove(self, name: str) -> None:
        with self._border():
            self._transport.fs_rmfile(name)

    def tidy(self, folder: str) -> None:
        with self._border():
            self._transport.exec(_TIDY.replace("{folder!r}", repr(folder)))
