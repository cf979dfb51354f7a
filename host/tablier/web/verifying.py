"""Verifying a log for the pages, as ``tablier log verify`` does, in a process of its own: it takes as long as all games
take to be run again, and pages are served meanwhile.

``python -m tablier.web.verifying LOG`` writes one line of JSON.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from tablier.bots.fingerprint import OldCode, has_changed
from tablier.judge.verification import verify as checked
from tablier.log.store import Log
from tablier.texts import Failure, Json, text_of
from tablier.web.doors import Refused

_NICE = 10
_AGAIN_S = 20.0
"""The seconds in which what was found is said again, though the log has grown: to verify takes all that a core has."""


class Verifying:
    """Verifies a log once at a time, and once for each head."""

    def __init__(self, log: Path) -> None:
        self._log = log
        self._lock = asyncio.Lock()
        self._found: Json = {}
        self._at = -_AGAIN_S

    async def find(self, head: str) -> Json:
        """Return what was found in the log whose head is ``head`` now, or was found just before. Raise
        :class:`Refused`."""
        async with self._lock:
            now = time.monotonic()
            if self._found.get("asked") != head and now - self._at >= _AGAIN_S:
                if has_changed():  # what it says may not be what this reads
                    raise Refused(503, OldCode().text)
                program = await asyncio.create_subprocess_exec(
                    *(sys.executable, "-m", "tablier.web.verifying", str(self._log)),
                    stdin=asyncio.subprocess.DEVNULL,
                    stdout=asyncio.subprocess.PIPE,
                )
                try:
                    said, _ = await program.communicate()
                finally:
                    if program.returncode is None:
                        program.kill()
                self._found, self._at = {**json.loads(said), "asked": head}, time.monotonic()
            return self._found


def verify(path: Path) -> Json:
    """Return what is wrong with a log: ``found``, all of it in one line, ``wrong``, ``unchecked`` and ``played_as``,
    texts for readers of any language, ``games``, the numbers of games that do not follow, and ``head``."""
    try:
        with Log.read(path) as log:
            head, entries, report = checked(log)
    except Failure as error:
        return {
            "wrong": [text_of(error).to_json()],
            "unchecked": [],
            "played_as": [],
            "games": [],
            "head": "",
            "found": {},
        }
    return {
        "wrong": [text.to_json() for text in report.wrong],
        "unchecked": [text.to_json() for text in report.unchecked],
        "played_as": [text.to_json() for text in report.played_as],
        "games": [game.game for game in report.by_game if game.problem],
        "head": head,
        "found": report.headline(entries).to_json(),
    }


def main(argv: Sequence[str] | None = None) -> int:
    (path, *_) = sys.argv[1:] if argv is None else argv
    with suppress(OSError):
        os.nice(_NICE)
    sys.stdout.write(json.dumps(verify(Path(path))) + "\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
