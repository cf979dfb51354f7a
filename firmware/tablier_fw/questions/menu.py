"""Menu: one place walks through options with ``minus`` and ``plus`` and confirms with ``b``.

Its hood shows the number that the host gave the option; what the number means is on the screen.
"""

from tablier_fw import wire
from tablier_fw.questions import Question


class Menu(Question):
    def __init__(self, table, payload: bytes) -> None:  # type: ignore[no-untyped-def]
        id, self._flags, place, self._option, self._open, self._labels = wire.MENU.unpack(payload)
        super().__init__(table, id, 1 << (place - 1))

    def show(self, place: int) -> None:
        self.table.scene.number(wire.HOOD + place - 1, self._labels[self._option] if self.waits(place) else 0)

    def press(self, place: int, button: int) -> None:
        if not self.waits(place):
            return
        if button == wire.B:
            if self._open >> self._option & 1:
                self.event(place, wire.PICKED, self._option)
        elif button == wire.PLUS or button == wire.MINUS:
            step = 1 if button == wire.PLUS else -1
            self._option = (self._option + step) % len(self._labels)
            self.show(place)
            if not self._flags & (wire.SECRET | wire.QUIET):
                self.table.link.send(wire.CURSOR, wire.CURSOR.pack(self.id, place, self._option))
