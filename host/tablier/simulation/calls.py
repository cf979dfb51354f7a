"""The functions that the firmware in the VM calls: its board and its port, by ``host.call(name, payload)``."""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Callable
from random import Random

from tablier.simulation.board import Board
from tablier.simulation.buttons import Buttons
from tablier.simulation.faults import ADC_V
from tablier.simulation.port import Port
from tablier.simulation.timeline import Timeline
from tablier_fw import wire

_PROMPT_US = 50_000
POWER, RESET = 1, 2
"""The cause of the board's start."""


class HostCalls:
    """The functions, over the parts of the table that they drive. Answers are ASCII words separated by spaces."""

    def __init__(
        self,
        board_id: bytes,
        *,
        budget: int,
        abilities: int,
        entropy: Random,
        timeline: Timeline,
        board: Board,
        buttons: Buttons,
        port: Port,
        await_input: Callable[[int], None],
    ) -> None:
        """``abilities``: of the board itself; ``await_input`` lets time pass until input comes, or until a time."""
        self._board_id = board_id
        self._budget = budget
        self._abilities = abilities
        self._entropy = entropy
        self._timeline = timeline
        self._board = board
        self._buttons = buttons
        self._port = port
        self._await_input = await_input
        self._remembered = str(wire.LOST_UNKNOWN)
        self._selftest = ""
        self.cause = POWER
        """The cause of the board's next start."""
        self.boots = 0
        """The number of times the firmware has started."""

    def functions(self) -> dict[str, Callable[[str], str]]:
        """Return the functions by their names in the VM."""
        return {
            "identity": self._identity,
            "equipment": lambda _: self._board.equipment.text(),
            "entropy": self._draw,
            "wait": self._wait,
            "remember": self._remember,
            "examine": self._examine,
            "keep": self._keep,
        }

    def forget(self) -> None:
        """Forget what the board remembers over a reset, as at a power cut."""
        self._remembered = str(wire.LOST_UNKNOWN)

    def _identity(self, _: str) -> str:
        self.boots += 1
        return f"{self._board_id.hex()} {self.cause} {self._remembered} {self._budget} {self._abilities}"

    def _draw(self, count: str) -> str:
        return self._entropy.randbytes(int(count)).hex()

    def _remember(self, lost: str) -> str:
        self._remembered = lost
        return ""

    def _wait(self, request: str) -> str:
        """Apply the firmware's outputs, wait until it has something to do, and return its inputs."""
        ms, takes, hertz, volume, sent, picture = request.split(" ")
        self._board.sound(int(hertz), int(volume))
        if picture != "-":
            self._board.show(bytes.fromhex(picture))
        if sent != "-":
            self._port.send(b64decode(sent))
        self._port.flush()
        self._await_input(self._timeline.now() + int(ms) * 1000)
        received = self._port.take() if int(takes) else b""
        edges, closed = self._board.take_edges(), self._buttons.look()
        rest = "".join(f" {us},{line},{level}" for us, line, level in edges)
        return f"{self._timeline.now()} {self._port.room} {closed} {b64encode(received).decode() or '-'}{rest}"

    def hear(self, printed: bytes) -> str:
        """Send what was printed at the prompt, and return what comes to it, in hexadecimal; nobody feels a card."""
        self._port.send(printed.replace(b"\n", b"\r\n"))
        self._port.flush()
        self._await_input(self._timeline.now() + _PROMPT_US)
        self._board.take_edges()
        self._buttons.look()
        return self._port.take().hex()

    def _keep(self, result: str) -> str:
        """Store the result of a self-test, unless it is empty; return the stored one."""
        self._selftest = result or self._selftest
        return self._selftest

    def _examine(self, what: str) -> str:
        """Return measurements for the self-test; see the Pico's twin."""
        word = what.split(" ")
        if word[0] == "light":
            return str(self._board.broken(int(word[1]) / 100))
        if word[0] == "floor":
            return " ".join(str(round(65535 * volt / ADC_V)) for volt in self._board.floor())
        return f"{self._board.ambient()} {int(self._board.take_hit())}"
