"""MicroPython's REPL on a board: files, restart, description.

``mpremote`` speaks to the board. Its errors are raised as :class:`BoardError`.
"""

from __future__ import annotations

import ast
import errno
import io
import struct
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout, suppress
from dataclasses import dataclass
from types import TracebackType

from mpremote.transport import TransportError, TransportExecError
from mpremote.transport_serial import SerialTransport

from tablier import waiting
from tablier.service.listener import BoardError
from tablier.texts import Text

_READ_S = 10.0
_CHUNK = 1024  # bytes written at once: a multiple of what mpremote writes, and much less than the board's memory


@dataclass(frozen=True)
class About:
    """A board's interpreter, as it describes itself."""

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
    """A board at its prompt. A context manager: on exit the board restarts. Methods may raise :class:`BoardError`.

    On any other exception, such as an interrupt, the board stays at its prompt.
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
                waiting.sleep(0.1)
            finally:
                with suppress(OSError):  # it is gone before it is closed
                    self._transport.close()

    @contextmanager
    def _border(self) -> Iterator[None]:
        """Turn mpremote's errors into :class:`BoardError`, and swallow what it prints."""
        try:
            with redirect_stdout(io.StringIO()):
                yield
        except TransportExecError as error:
            lines = error.error_output.strip().splitlines()
            words = repr(lines[-1]) if lines else Text("nothing")
            raise BoardError("{port}: the board says {words}", port=self.port, words=words) from None
        except (TransportError, struct.error, ValueError, SyntaxError, IndexError) as error:
            text = "{port}: the board does not answer as MicroPython does ({why})"
            raise BoardError(text, port=self.port, why=error) from None
        except OSError as error:
            if error.errno == errno.ENOSPC:
                raise BoardError("{port}: the board is full; remove files from it", port=self.port) from None
            why = error.strerror or str(error)
            raise BoardError("{port}: the board has gone away ({why})", port=self.port, why=why) from None

    def about(self) -> About:
        with self._border():
            name, version, machine, mpy, board = ast.literal_eval(self._transport.exec(_ABOUT).decode())
        return About(name, version, machine, mpy, board.hex())

    # The board's file system, as :class:`tablier.service.deploy.Disk` has it.

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
