"""How tests start the program in a terminal."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from resource import RLIMIT_FSIZE, setrlimit
from typing import Any


def launch(words: Sequence[str], terminal: int, environment: dict[str, str], disk: int | None) -> Any:
    """Start ``tablier`` in a session of its own; return its process. ``disk``: how large a file may become, in bytes.

    All tests but those of the thorough kind have copies of a program that is loaded: see :class:`warm.Commands`.
    """
    return subprocess.Popen(
        [sys.executable, "-m", "tablier.cli.main", *words],
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
        env=environment,
        start_new_session=True,
        preexec_fn=None if disk is None else lambda: setrlimit(RLIMIT_FSIZE, (disk, disk)),
    )
