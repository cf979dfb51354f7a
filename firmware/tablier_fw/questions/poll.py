"""Poll: places answer yes (``b``) or no (``a``), openly; it may end with the first yes."""

from tablier_fw import wire
from tablier_fw.questions import NOT_ASKED, Question

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tablier_fw.parts import Parts


class Poll(Question):
    def __init__(self, parts: "Parts", payload: bytes) -> None:
        id, flags, places = wire.POLL.unpack(payload)
        self._first = flags & wire.FIRST
        super().__init__(parts, id, places)

    def press(self, place: int, button: int) -> None:
        if not self.waits(place) or button not in (wire.A, wire.B):
            return
        yes = button == wire.B
        if self.report(place, wire.ANSWERED, yes) and yes and self._first:
            for other in range(1, wire.PLACES + 1):
                if other != place and self.waits(other):
                    self.set(other, NOT_ASKED)
