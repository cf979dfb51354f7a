"""The ledger: counts all rolls of a boot and seals them, whatever becomes of their questions.

The seal covers all openings too. A roll that was committed to and dropped before its outcome was acknowledged counts as
abandoned: it leaves a mark on the ring, which only a press at a place removes.
"""

from time import ticks_diff

from tablier_fw import colours, seal, wire
from tablier_fw.rolls import STAND_MS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tablier_fw.board import Board
    from tablier_fw.scene import Scene

SEAL_MS = 10_000
"""Time for which the seal is shown."""


class Ledger:
    def __init__(self, board: "Board", boot: bytes, scene: "Scene") -> None:
        self._board = board
        self._scene = scene
        self.begun = 0
        """Number of rolls committed to."""
        self.revealed = 0
        self.acknowledged = 0
        """Number of outcomes that the host called durable while they stood."""
        self.abandoned = 0
        self.seal = seal.begin(board.id, boot)
        self.marked = False
        """True while the mark of an abandoned roll stands."""
        self.sealing = False
        """True while the seal is shown."""
        self._marked_ms = 0
        self._sealing_ms = 0

    def note(self, message: wire.Message, number: int, id: int, place: int, said: bytes) -> None:
        """Add an event to the seal."""
        self.seal = seal.link(self.seal, message.code, number, id, place, said)

    def abandon(self) -> None:
        """Count a roll as abandoned, and mark the table."""
        self.abandoned += 1
        self.marked = True
        self._marked_ms = self._board.now_ms()
        self._scene.set_abandoned(True)

    def unmark(self) -> None:
        """Remove the mark after a press, if it has stood long enough to be seen."""
        if ticks_diff(self._board.now_ms(), self._marked_ms) >= STAND_MS:
            self.marked = False
            self._scene.set_abandoned(False)

    def show_seal(self) -> None:
        """Show the seal on the ring for a while."""
        self.sealing = True
        self._sealing_ms = self._board.now_ms()
        self._scene.hide_signs(True)
        for pixel, bits in enumerate(seal.picture(self.seal)):
            self._scene.overlay(wire.RING, pixel, colours.option_look(colours.SEAL[bits]))

    def end_seal(self, now: int) -> None:
        """Stop showing the seal when its time is over."""
        if ticks_diff(now, self._sealing_ms) >= SEAL_MS:
            self._scene.fill(wire.RING, None)
            self.drop_seal()

    def drop_seal(self) -> None:
        """Note that the seal is no longer shown."""
        self.sealing = False
        self._scene.hide_signs(False)
