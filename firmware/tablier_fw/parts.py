"""The parts of a table, shared by its questions, its session with the host and its loop."""

from tablier_fw import wire
from tablier_fw.journal import Journal
from tablier_fw.landing import Landings
from tablier_fw.ledger import Ledger
from tablier_fw.link import Link
from tablier_fw.measures import Measures
from tablier_fw.peeks import Peeks
from tablier_fw.scene import Scene
from tablier_fw.tone import Tone

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tablier_fw.board import Board


class Parts:
    def __init__(self, board: "Board") -> None:
        self.board = board
        self.boot = board.entropy(8)
        self.link = Link(board, self.boot)
        self.journal = Journal(board, self.link)
        self.scene = Scene(board.paint, board.tint, board.equipment.ring)
        self.ledger = Ledger(board, self.boot, self.scene)
        self.buttons = board.debouncer()
        self.landings = Landings()
        self.tone = Tone(board)
        self.peeks = Peeks(board, self.scene)
        self.measures = Measures(board)
        self.outside: list = [0] * (wire.PLACES + 1)
        """By place: the question that its host's commitment is for."""
        self.changed = True
        """True while the host is to hear how things stand before the next status is due."""
