"""Peeks: show a place for a while what the host painted under its hood. They are not reported."""

from time import ticks_diff

from tablier_fw import wire

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tablier_fw.board import Board
    from tablier_fw.scene import Scene

PEEK_MS = 5000
"""Length of a peek."""


class Peeks:
    def __init__(self, board: "Board", scene: "Scene") -> None:
        self._board = board
        self._scene = scene
        self._begun_ms: list = [0] * (wire.PLACES + 1)  # by place

    def begin(self, place: int) -> None:
        """Start a peek at a place."""
        self._begun_ms[place] = self._board.now_ms()
        self._scene.peek(place, True)

    def end(self, now: int) -> None:
        """End the peeks that have lasted :data:`PEEK_MS`."""
        scene = self._scene
        for place in range(1, wire.PLACES + 1):
            if scene.peeked >> (place - 1) & 1 and ticks_diff(now, self._begun_ms[place]) >= PEEK_MS:
                scene.peek(place, False)
