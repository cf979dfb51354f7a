"""Roll: chance that neither the table nor the host can bend.

The table commits to a nonce. When that is durable the host contributes bytes of its own, and the table reveals its
nonce: both sides derive the same outcomes from the two. They are shown once the nonce is durable. Where the message
names a place, its ``b`` starts the roll. A committed roll lives as long as its question.
"""

from tablier_fw import colours, rolls, wire
from tablier_fw.questions import TAKEN, Question

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tablier_fw.table import Table

_SECTOR = 5  # pixels of the ring in front of each place


class Roll(Question):
    def __init__(self, table: "Table", payload: bytes) -> None:
        id, _, self._place, self._audience, self._ranges, indexes = wire.ROLL.unpack(payload)
        self.secret = self._audience != wire.EVERYBODY
        self._colours = [colours.option(index) for index in indexes]
        self._nonce = b""
        self._commitment = b""
        self._contribution = b""
        self._committed = 0  # the numbers of the two events
        self._revealed = 0
        self._shown = False
        super().__init__(table, id, 1 << self._place - 1 if self._place else 0)

    def press(self, place: int, button: int) -> None:
        if button == wire.B and self.waits(place):
            self._commit()

    def withholds(self) -> bool:
        return bool(self._committed) and not self._shown

    def _commit(self) -> None:
        table = self.table
        place = self._place
        nonce = table.board.entropy(16)
        bound = rolls.commitment(table.board.id, table.boot, self.id, place, self._ranges, nonce)
        if not place:
            table.journal.add(wire.COMMITTED, self.id, place, bound)
        elif not self.event(place, wire.COMMITTED, bound):
            return
        self._nonce, self._commitment = nonce, bound
        self._committed = table.journal.number

    def contribute(self, id: int, commitment: bytes, contribution: bytes) -> bool:
        """Take the host's bytes, once, if they are for this roll and this commitment."""
        if id != self.id or self._contribution or not self._committed or commitment != self._commitment:
            return False
        self._contribution = contribution
        return True

    def tick(self, now: int) -> None:
        journal = self.table.journal
        if self._revealed:
            return
        if not self._committed:
            if not self._place and journal.room():
                self._commit()
        elif self._contribution and journal.acked >= self._committed and journal.room():
            self._revealed = journal.add(wire.REVEALED, self.id, self._place, self._nonce)

    def acked(self, number: int) -> None:
        super().acked(number)
        if self._revealed and number >= self._revealed and not self._shown:
            self._shown = True
            self._show_outcomes()

    def _show_outcomes(self) -> None:
        table = self.table
        group, first, most = wire.RING, max(0, self._place - 1) * _SECTOR, wire.GROUPS[wire.RING]
        if self._audience == wire.NOBODY:
            return
        if self._audience != wire.EVERYBODY:
            group, first, most = wire.HOOD + self._audience - 1, 0, wire.GROUPS[wire.HOOD]
        board = table.board
        rolled = rolls.outcomes(
            board.id, table.boot, self.id, self._place, self._ranges, self._nonce, self._contribution
        )
        for index, outcome in enumerate(rolled[:most]):
            if outcome < len(self._colours):
                table.scene.over(group, (first + index) % most, self._colours[outcome])

    def over(self) -> bool:
        return self._shown and (not self._place or self.get(self._place) == TAKEN)
