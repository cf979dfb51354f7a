"""Starting a simulated table in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from types import TracebackType
from typing import Any, Self

from tablier.bots.fingerprint import check_unchanged
from tablier.simulation.tester import Tester, TesterError
from tablier.table.ports import control_of, make_simulated_dir
from tablier_fw.equipment import Equipment


class SimulatedTable:
    """A simulated table in a process of its own. Use as a context manager; ``table.say("press 1 b")``.

    ``virtual``: time passes only while all participants wait. ``seed`` makes its entropy repeatable, for tests.
    ``equipment``: what there is of it, by default all.
    """

    program = "tablier.simulation.simulator"
    """The module that runs the table."""
    options: tuple[str, ...] = ()
    """Further arguments of the program."""

    def __init__(
        self,
        *,
        virtual: bool = False,
        seed: int | None = None,
        board: str | None = None,
        equipment: Equipment | None = None,
    ) -> None:
        make_simulated_dir()  # or what is wrong with it would be said by that process alone
        arguments = ["--leash", *self.options]
        arguments += ["--virtual"] if virtual else []
        arguments += ["--seed", str(seed)] if seed is not None else []
        arguments += ["--board", board] if board is not None else []
        arguments += ["--equipment", equipment.text()] if equipment is not None else []
        self.process = self.launch(self.program, arguments)
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            raise TesterError("the simulated table did not start")
        hello = json.loads(line)
        self.board: str = hello["board"]
        self.first_port: str = hello["port"]
        control = control_of(self.first_port)
        assert control is not None
        self.control = control
        self.tester = Tester(control)

    @staticmethod
    def launch(program: str, arguments: Sequence[str]) -> subprocess.Popen[str]:
        """Start a module as a program in a session of its own, with pipes for its standard input and output. Raise
        :class:`~tablier.bots.fingerprint.OldCode`."""
        check_unchanged()
        command = [sys.executable, "-m", program, *arguments]
        return subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True, text=True
        )

    def say(self, verb: str) -> dict[str, Any]:
        return self.tester.say(verb)

    @property
    def port(self) -> str | None:
        """Return the name of its port now; ``None`` while it is unplugged."""
        port: str | None = self.say("time")["port"]
        return port

    def close(self) -> None:
        self.tester.close()
        self.process.terminate()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None:
                stream.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
