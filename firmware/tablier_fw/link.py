"""The link: lines in and out of the serial port, hello, and whose frames are listened to."""

from tablier_fw import wire
from tablier_fw.version import __version__

OUT_MAX = 2048
"""Bytes that may wait for a host that does not read; telemetry is dropped at half of it."""
_FULL = OUT_MAX - wire.MAX_LINE
_HALF_FULL = OUT_MAX // 2 - wire.MAX_LINE
_TELEMETRY = wire.TELEMETRY


class Link:
    def __init__(self, board, boot: bytes) -> None:  # type: ignore[no-untyped-def]
        self._board = board
        self.boot = boot
        self.run = wire.NO_ID
        """The run of the host that is listened to; ``NO_ID`` before the first hello."""
        self._caller = wire.NO_ID  # the run of whoever said hello last, whether it is listened to or not
        self._splitter = wire.Splitter()
        self._lines: list = []
        self._out = bytearray(OUT_MAX)
        self.waiting = 0
        """So many bytes wait for the port."""
        self.stuck = False
        """Whether the port took nothing when it was offered something last."""
        self.bad = 0
        """Frames that were not for us or made no sense, and lines that looked like frames."""
        self._version = (__version__ + "; " + board.system).encode()

    def receive(self) -> list:
        """Return the frames that have come in, as (message, payload); hellos included, strangers' frames left out."""
        data = self._board.read()
        return self._decode(data) if data else []

    def _decode(self, data: bytes) -> list:
        lines = self._lines
        lines.clear()
        self._splitter.feed(data, lines)
        frames = []
        for line in lines:
            try:
                message, boot, run, payload = wire.unframe(line)
                if run == wire.NO_ID:  # no host's: before a hello nobody is listened to
                    self.bad += 1
                elif message is wire.HOST_HELLO:
                    frames.append((message, (run, message.decode(payload))))
                    self._caller = run
                elif message.way is not wire.TO_TABLE or boot != self.boot or run != self._expected(message):
                    self.bad += 1
                else:
                    frames.append((message, payload))
            except wire.WireError:
                self.bad += 1
        return frames

    def _expected(self, message) -> bytes:  # type: ignore[no-untyped-def]
        """The run from which such a message is taken."""
        return self._caller if message is wire.SERVICE else self.run

    def send(self, message, payload: bytes, run=None) -> bool:  # type: ignore[no-untyped-def]
        """Queues a frame. Returns False, and sends nothing, when too much is waiting already."""
        start = self.waiting
        if start > (_HALF_FULL if message.group is _TELEMETRY else _FULL):
            return False
        line = wire.frame(message, self.boot, run or self.run, payload)
        end = self.waiting = start + len(line)
        self._out[start:end] = line
        return True

    def hello(self, cause: int, last: int, acked: int) -> None:
        self.send(
            wire.TABLE_HELLO,
            wire.TABLE_HELLO.encode(
                wire.PROTOCOL, wire.SCHEMA, self._board.id, self._board.abilities, cause, last, acked, self._version
            ),
        )

    def answer(self, message, payload: bytes) -> bool:  # type: ignore[no-untyped-def]
        """:meth:`send`, to whoever said hello last."""
        return self.send(message, payload, self._caller)

    def flush(self) -> None:
        """Hands to the port as much as it takes; the port never blocks."""
        waiting = self.waiting
        if waiting:
            taken = self._board.write(self._out[:waiting])
            self.stuck = not taken
            if taken:
                self.waiting = waiting - taken
                if taken < waiting:
                    self._out[: self.waiting] = self._out[taken:waiting]

    def errors(self) -> int:
        """What came in for nothing: bad frames, and pieces that could not be one."""
        return self.bad + self._splitter.dropped
