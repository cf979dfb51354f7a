"""Watch: report every press at these places, for setting up and testing.

The hood of a place whose buttons are read shows nothing that the host painted: it could pass for a choice.
"""

from tablier_fw import wire
from tablier_fw.questions import ASKED, REFUSED, Question

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tablier_fw.parts import Parts


class Watch(Question):
    def __init__(self, parts: "Parts", payload: bytes) -> None:
        id, _, self._places = wire.WATCH.unpack(payload)
        super().__init__(parts, id, self._places)

    def press(self, place: int, button: int) -> None:
        if self._places >> (place - 1) & 1:
            self.report(place, wire.PRESSED, button)

    def may_call(self) -> bool:
        return bool(self.flags & wire.CALL)

    def may_peek(self, place: int, button: int) -> bool:
        return not self._places >> (place - 1) & 1

    def take_ack(self, number: int) -> None:
        super().take_ack(number)
        for place in range(1, wire.PLACES + 1):
            if self._state[place] > REFUSED and self._numbers[place] <= number:
                self.set(place, ASKED)
