"""A table as a process: wire up its parts, start and end it. A subclass runs the firmware."""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tablier import waiting
from tablier.simulation.board import Board
from tablier.simulation.buttons import Buttons
from tablier.simulation.cards import Cards
from tablier.simulation.control import Control
from tablier.simulation.events import Events, Quit
from tablier.simulation.port import Port
from tablier.simulation.timeline import Timeline
from tablier.simulation.verbs import Verbs
from tablier.simulation.waits import Waits
from tablier.table import ports
from tablier_fw.equipment import Equipment, read


class TableProcess(ABC):
    """A table with a port and a control socket. :meth:`run` returns only after ``quit`` or a signal."""

    what: str
    """A description for people."""

    def __init__(
        self,
        board_id: bytes,
        *,
        events: Events,
        timeline: Timeline,
        port: Port,
        board: Board,
        seed: int | None,
        stdin: bool,
    ) -> None:
        """``seed`` makes the throws repeatable; with ``stdin`` verbs are taken on standard input too."""
        self.board_id = board_id
        self.events = events
        self.timeline = timeline
        self.port = port
        self.board = board
        self.buttons = Buttons(timeline, board.defects)
        self.waits = Waits(timeline, port, board, self.buttons)
        self.verbs = Verbs(
            self,
            timeline=timeline,
            port=port,
            board=board,
            cards=Cards(timeline, board.happen, seed),
            waits=self.waits,
        )
        control = ports.make_simulated_dir() / f"{board_id.hex()}.control"
        self.control = Control(control, events, timeline, self.verbs)
        if stdin:
            self.control.take_stdin()
        port.plug()

    def run(self) -> None:
        try:
            self.live()
        except Quit:
            pass
        finally:
            self.close()

    def close(self) -> None:
        """Remove the port and the control socket."""
        self.port.unplug()
        self.control.close()

    def act(self) -> None:
        """Do what is due."""
        self.timeline.act()
        self.buttons.move_fingers()

    @abstractmethod
    def live(self) -> None:
        """Run the firmware until :class:`Quit` is raised."""

    @abstractmethod
    def reset(self) -> None:
        """Do what the reset button does."""

    @abstractmethod
    def cut_power(self) -> None:
        """Cut the power, and bring it back."""

    @abstractmethod
    def stats(self) -> dict[str, Any]:
        """Return the number of boots and other statistics."""


def port_prefix(kind: str, board_id: bytes) -> Path:
    """Return the prefix of a table's port names. Raise :class:`~tablier.table.ports.UnsafeDirectory`."""
    return ports.make_simulated_dir() / f"{kind}-{board_id.hex()}"


def parser_of(module: str, entropy: str) -> argparse.ArgumentParser:
    """Return a parser of the arguments of every table program. ``entropy``: the help's words for what a seed sets."""
    parser = argparse.ArgumentParser(prog=f"python -m {module}")
    parser.add_argument("--board", type=bytes.fromhex, help="board id, 16 hexadecimal digits (random)")
    parser.add_argument("--virtual", action="store_true", help="virtual time instead of life's")
    parser.add_argument("--seed", type=int, help=f"make the board's {entropy} repeatable, for tests only")
    parser.add_argument("--equipment", type=equipment_of, help="what there is of a table, as its file says it (all)")
    parser.add_argument(
        "--leash", action="store_true", help="end when standard input ends, with the program that started this"
    )
    return parser


def equipment_of(text: str) -> Equipment:
    """Return the equipment that an argument says."""
    try:
        return read(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def end_with_stdin() -> None:
    """End this process when standard input ends, so that no table outlives the program that started it."""

    def watch() -> None:
        while os.read(0, 4096):  # not by sys.stdin, whose lock this thread would still hold when the program ends
            pass
        os.kill(os.getpid(), signal.SIGTERM)

    waiting.beside(watch, "standard input")


def serve(table: TableProcess, announce: Callable[[TableProcess], None] | None = None) -> int:
    """Announce the address of a table, by default as JSON, and run it until asked to stop."""
    try:
        present(table, announce)
    except BrokenPipeError:  # the program that started this has ended
        table.close()
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or Python writes the rest when it ends
    else:
        table.run()
    return 0


def present(table: TableProcess, announce: Callable[[TableProcess], None] | None = None) -> None:
    """Make signals end a table, and announce its address."""
    table.events.end_at(signal.SIGTERM, signal.SIGINT)
    (announce or _announce)(table)


def _announce(table: TableProcess) -> None:
    port = table.port.name
    hello = {"port": port, "control": str(ports.control_of(port)), "board": table.board_id.hex()}
    print(json.dumps(hello), flush=True)  # noqa: T201  (this is the program's answer to the one that started it)
