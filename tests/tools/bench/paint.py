"""The processor time of a console, from its start to the first board or list that it shows.

It knows nothing of the program but its commands, so that another checkout can be measured: ``TREE=`` names its folder.
"""

from __future__ import annotations

import os
import pty
import re
import select
import signal
import subprocess
import sys
import tempfile
from fcntl import ioctl
from pathlib import Path
from statistics import median
from struct import pack
from termios import TIOCSWINSZ
from time import clock_gettime, monotonic

from tests.tools.bench import verdict

TREE = Path(os.environ.get("TREE", Path(__file__).parents[3]))
RUNS = 5
WAIT_S = 60.0
CPUCLOCK_SCHED = 2  # as clock_getcpuclockid() makes the clock of another process
BOTS = ("--seat", "Bernard=greedy", "--seat", "Chloe=greedy", "--no-card", "--no-web")
PAINTS: dict[str, tuple[tuple[str, ...], str, int]] = {
    "full screen": (("play", "dilemma", "--seat", "Anne=screen", *BOTS), "Chloe", 250),
    "start screen": ((), "Dilemma", 250),
    "at a table": (("play", "dilemma", "--port", "simulated", "--seat", "Anne=table", *BOTS), "Chloe", 300),
    "lines": (("play", "dilemma", "--plain", "--seat", "Anne=screen", *BOTS), "Chloe", 180),
}
"""What is started, what shows that it has painted, and the limit in milliseconds of processor."""


def painted(words: tuple[str, ...], shows: str, folder: Path) -> tuple[float, float]:
    """Return the milliseconds of processor that a console takes to its first paint, and those that pass."""
    ours, theirs = pty.openpty()
    ioctl(theirs, TIOCSWINSZ, pack("HHHH", 40, 120, 0, 0))
    usual = {"PATH": os.environ["PATH"], "LANG": "C.UTF-8", "TERM": "xterm-256color", "COLORTERM": "truecolor"}
    paths = os.pathsep.join(str(TREE / each) for each in ("host", "firmware"))
    usual |= {"HOME": str(folder), "PYTHONPATH": paths, "XDG_RUNTIME_DIR": str(folder)}
    begun = monotonic()
    process = subprocess.Popen(
        [sys.executable, "-c", "from tablier.cli.start import main; main()", *words],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env=usual,
        start_new_session=True,
    )
    os.close(theirs)
    seen = b""
    try:
        while not re.search(shows, seen.decode(errors="replace"), re.S):
            if not select.select([ours], [], [], WAIT_S)[0]:
                raise TimeoutError(f"{words}: nothing but {seen[-500:]!r}")
            seen += os.read(ours, 1 << 16)
        passed = monotonic() - begun
        busy = clock_gettime(~process.pid << 3 | CPUCLOCK_SCHED)  # with threads that have ended
        return busy * 1000, passed * 1000
    finally:
        process.send_signal(signal.SIGTERM)
        while select.select([ours], [], [], 10)[0]:
            try:
                if not os.read(ours, 1 << 16):
                    break
            except OSError:
                break
        process.wait(20)
        os.close(ours)


def main() -> None:
    print(f"Processor of a console to its first paint, medians of {RUNS} starts")
    for name, (words, shows, limit) in PAINTS.items():
        times = []
        for _ in range(RUNS):
            with tempfile.TemporaryDirectory() as folder:
                times.append(painted(words, shows, Path(folder)))
        busy, passed = (median(each) for each in zip(*times, strict=True))
        print(f"  {name:<14} {busy:6.0f} ms of processor, {passed:6.0f} ms (limit: {limit}: {verdict(busy <= limit)})")


if __name__ == "__main__":
    main()
