"""Menu: one place walks through options with ``minus`` and ``plus`` and confirms with ``b``.

The hood shows the number that the host gave the option; the screen shows its meaning. A secret menu shows a colour,
starts at a random option, and does not report the walk. A closed option is dim, and ``b`` on it does nothing, which is
not reported either. ``a`` peeks.
"""

from tablier_fw import colours, wire
from tablier_fw.questions import Question

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tablier_fw.parts import Parts

_DIM = 3  # an eighth as bright


class Menu(Question):
    def __init__(self, parts: "Parts", payload: bytes) -> None:
        id, flags, place, self._option, self._open, self._labels = wire.MENU.unpack(payload)
        self.secret = bool(flags & wire.SECRET)
        self._silent = flags & (wire.SECRET | wire.QUIET)
        if self.secret:
            noise = parts.board.entropy(2)  # 16 bits make the bias of the remainder negligible
            self._option = (noise[0] << 8 | noise[1]) % len(self._labels)
        self._stepped = False  # whether the latest press was a step back
        super().__init__(parts, id, 1 << (place - 1))

    def show(self, place: int) -> None:
        scene, hood = self.parts.scene, wire.HOOD + place - 1
        open_ = self._open >> self._option & 1
        if not self.waits(place):
            scene.number(hood, 0)
        elif not self.secret:
            scene.number(hood, self._labels[self._option], not open_)
        else:
            red, green, blue = colours.option_look(self._labels[self._option])
            if not open_:
                red, green, blue = red >> _DIM, green >> _DIM, blue >> _DIM
            for pixel in (0, 1, 3, 4):  # a number has no gap, so five white lights are never a white option
                scene.overlay(hood, pixel, (red, green, blue))

    def press(self, place: int, button: int) -> None:
        if not self.waits(place):
            return
        self._stepped = button == wire.MINUS
        if button == wire.B:
            if self._open >> self._option & 1:
                self.report(place, wire.PICKED, self._option)
        elif button == wire.PLUS:
            self._step(place, 1)
        elif button == wire.MINUS:
            self._step(place, -1)

    def undo(self, place: int) -> None:
        if self._stepped and self.waits(place):
            self._stepped = False
            self._step(place, 1)

    def may_peek(self, place: int, button: int) -> bool:
        return button == wire.A or not self.waits(place)

    def _step(self, place: int, step: int) -> None:
        self._option = (self._option + step) % len(self._labels)
        self.show(place)
        if not self._silent:
            self.parts.link.send(wire.CURSOR, wire.CURSOR.pack(self.id, place, self._option))
