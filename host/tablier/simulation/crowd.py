"""Run simulated people in a process of their own, from the process that conducts their game."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import msgspec

from tablier import messages, waiting
from tablier.bots.fingerprint import check_unchanged
from tablier.games.core.parts import PartError
from tablier.simulation.tester import Tester
from tablier.texts import text_from

PEOPLE: Sequence[str] = ("-m", "tablier.simulation.people")
"""The program that they are, for Python."""
_END_S = 5.0
"""The seconds for which people who do not listen any more may take to end."""


class Crowd:
    """The simulated people of a table."""

    def __init__(
        self,
        control: Path,
        minds: Mapping[int, str],
        *,
        program: Sequence[str] = PEOPLE,
        stands: bool = False,
        seed: int | None = None,
        noted: Path | None = None,
    ) -> None:
        """``minds``: the source of decisions for each seat; ``stands``: table time stands still while nobody waits;
        ``noted``: a file for their decisions. Raise :class:`~tablier.bots.fingerprint.OldCode`."""
        check_unchanged()
        hands = Tester(control)
        if stands:
            hands.join()  # here: or time would pass until they are awake
        command = [sys.executable, *program, str(hands.fileno()), json.dumps(dict(minds))]
        self._failure, failure = os.pipe()
        command += ["--failure", str(failure)]
        if seed is not None:
            command += ["--seed", str(seed)]
        out = os.open(noted or os.devnull, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            self.process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=out, start_new_session=True, pass_fds=[hands.fileno(), failure]
            )
        except BaseException:
            os.close(self._failure)
            raise
        finally:
            os.close(out)
            os.close(failure)
            hands.close()
        self._deserted = False

    @property
    def gone(self) -> bool:
        """Return whether their process has ended, for any reason."""
        return self._deserted or self.process.poll() is not None

    def failure(self) -> PartError | None:
        """Wait for their end; return the failure of the game's mind if that ended them, else ``None``."""
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(_END_S)
        if not waiting.wait([self._failure]):
            return None
        said = os.read(self._failure, 1 << 16)
        return PartError(text_from(json.loads(said))) if said else None

    def show(self, message: messages.Updates | messages.Program) -> None:
        """Show them a spectator's message."""
        assert self.process.stdin is not None
        if not isinstance(message, messages.Updates):
            return
        (update,) = message.updates
        try:
            self.process.stdin.write(msgspec.json.encode(update) + b"\n")
            self.process.stdin.flush()
        except OSError:
            self._deserted = True

    def kill(self) -> None:
        """End their process, without waiting for that."""
        self.process.kill()

    def close(self) -> None:
        """End their process."""
        assert self.process.stdin is not None
        self.kill()
        self.process.wait()
        os.close(self._failure)
        try:
            self.process.stdin.close()
        except OSError:
            pass  # what was left in the pipe is for nobody
