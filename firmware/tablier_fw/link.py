"""The link: lines in and out of the serial port, hello, and which host is heard."""

from tablier_fw import wire
from tablier_fw.version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tablier_fw.board import Board

OUT_MAX = 2048
"""Bytes that may wait for a host that does not read; telemetry is dropped at half of it."""
_FULL = OUT_MAX - wire.MAX_LINE
_HALF_FULL = OUT_MAX // 2 - wire.MAX_LINE
_TELEMETRY = wire.TELEMETRY
ABILITIES = (
    wire.CAN_CHOOSE
    | wire.CAN_WINDOW
    | wire.CAN_POLL
    | wire.CAN_MENU
    | wire.CAN_TALLY
    | wire.CAN_WATCH
    | wire.CAN_CHECK
    | wire.CAN_SOUND
    | wire.CAN_PEEK
    | wire.CAN_CALL
    | wire.CAN_HIDE
    | wire.CAN_ROLL
    | wire.CAN_GIVE
    | wire.CAN_TUMBLE
)
"""What this firmware can do on every board; the board adds what it can do itself."""


class Link:
    def __init__(self, board: "Board", boot: bytes) -> None:
        self._board = board
        self.boot = boot
        self.run = wire.NO_ID
        """The run of the adopted host; ``NO_ID`` before the first is adopted."""
        self.challenge: bytes = board.entropy(8)
        """A host must echo it to be adopted. It changes with each adoption, so that no hello can be replayed."""
        self._splitter = wire.Splitter()
        self._lines: list = []
        self._out = bytearray(OUT_MAX)
        self._view = memoryview(self._out)
        self._body = memoryview(bytearray(wire.MAX_BODY))  # of a frame, without its checksum: code, boot, run, payload
        self._body[1:9] = boot
        self.waiting = 0
        """The bytes that wait for the port."""
        self.stuck = False
        """True if the port took nothing of what it was last offered."""
        self.bad = 0
        """Frames that were not for us, and lines that looked like frames."""
        self.unknown = 0
        """Messages that only a newer version knows."""
        self._version = (__version__ + "; " + board.system).encode()

    def receive(self) -> list:
        """Return the frames that have come in, as (message, payload, run). No payload is checked yet.

        Leave out frames of other hosts, except ``host_hello`` and ``service``, which anybody may send.
        """
        data = self._board.read()
        return self._decode(data) if data else []

    def _decode(self, data: bytes) -> list:
        self._splitter.feed(data, self._lines)
        frames: list = []
        while self._lines:
            self._accept(self._lines.pop(0), frames)
        return frames

    def _accept(self, line: bytes, frames: list) -> None:
        """Append the frame of a line, if it is for us."""
        try:
            message, boot, run, payload = wire.unframe(line)
        except wire.WireError:
            self.bad += 1
            return
        if run == wire.NO_ID or message.way == wire.TO_HOST:  # before a hello nobody is listened to
            self.bad += 1
        elif message is wire.HOST_HELLO or (boot == self.boot and (run == self.run or message is wire.SERVICE)):
            frames.append((message, payload, run))
        else:
            self.bad += 1

    def send(self, message: wire.Message, payload: "bytes | bytearray", run: "bytes | None" = None) -> bool:
        """Queue a frame; return False, queueing nothing, if too much is waiting."""
        if self.waiting > (_HALF_FULL if message.group is _TELEMETRY else _FULL):
            return False
        size = wire.HEADER + len(payload)
        self._body[0] = message.code
        self._body[9 : wire.HEADER] = run or self.run
        self._body[wire.HEADER : size] = payload
        self.waiting = wire.write_body(self._out, self.waiting, self._body, size)
        return True

    def hello(self, cause: int, lost: int, last: int, acked: int) -> None:
        """Queue a hello. ``cause``: of the start; ``lost``, ``last``, ``acked``: see the journal."""
        board = self._board
        self.send(
            wire.TABLE_HELLO,
            wire.TABLE_HELLO.pack(
                wire.MAJOR,
                wire.MINOR,
                self.challenge,
                board.id,
                ABILITIES | board.abilities,
                cause,
                lost,
                last,
                acked,
                self._version,
            ),
        )

    def flush(self) -> None:
        """Write as much as the port takes now."""
        waiting = self.waiting
        if waiting:
            taken = self._board.write(self._view[:waiting])
            self.stuck = not taken
            if taken:
                self.waiting = waiting - taken
                if taken < waiting:
                    self._out[: self.waiting] = self._view[taken:waiting]

    def errors(self) -> int:
        """Return the number of bad frames, and of pieces of input that could not be one."""
        return self.bad + self._splitter.dropped
