"""Measures: memory, and the time of turns and of collections, as a status tells them."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tablier_fw.board import Board


class Measures:
    def __init__(self, board: "Board") -> None:
        self._board = board
        self._loops = 0
        self._loop_us = 0
        self._heap = board.heap()
        self._collections = 0
        self._collect_us = 0
        self._still = (0, 0, 0, 0, 0, 0)

    def note_turn(self, us: int) -> None:
        """Note that a turn of the main loop took this time. Do not allocate."""
        self._loops += 1
        if us > self._loop_us:
            self._loop_us = us

    def note_collection(self, us: int) -> None:
        """Note that garbage has been collected in this time."""
        self._collections += 1
        if us > self._collect_us:
            self._collect_us = us
        self._heap = self._board.heap()

    def now(self) -> tuple:
        """Return the values for a status: bytes used and free, longest turn, turns, longest collection, collections."""
        used, free = self._heap
        return used, free, self._loop_us, self._loops, self._collect_us, self._collections

    def hold(self) -> None:
        """Freeze the present values for :meth:`recall`: something may be secret from now on."""
        self._still = self.now()

    def recall(self) -> tuple:
        """Return the values of the latest :meth:`hold`, which depend on nothing that came after."""
        return self._still

    def forget(self) -> None:
        """Start counting anew, after a status."""
        self._loop_us = self._loops = 0
        self._collect_us = self._collections = 0
