"""Tunes on the buzzer, played in the background."""

import struct
from time import ticks_diff

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tablier_fw.board import Board


class Tone:
    def __init__(self, board: "Board") -> None:
        self._board = board
        self._notes = b""
        self._next = 0
        self._until = 0
        self._volume = 0
        self.sounding = False

    def play(self, notes: bytes, volume: int) -> None:
        """Start a tune: pairs of u16 Hz (0 is a rest) and u16 ms. Stop the one that plays."""
        self._notes = notes
        self._volume = volume
        self._next = 0
        self._until = self._board.now_ms()
        self.sounding = True

    def tick(self, now: int) -> None:
        if not self.sounding or ticks_diff(now, self._until) < 0:
            return
        if self._next + 4 > len(self._notes):
            self._board.tone(0, self._volume)
            self.sounding = False
            return
        hertz, length = struct.unpack_from("<HH", self._notes, self._next)
        self._next += 4
        self._until = now + length & 0x3FFFFFFF
        self._board.tone(hertz, self._volume)
