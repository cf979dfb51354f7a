"""The processor time of a console, from its start to the first board or list that it shows, and of short commands.

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
from contextlib import suppress
from fcntl import ioctl
from pathlib import Path
from statistics import median
from struct import pack
from termios import TIOCSWINSZ
from time import clock_gettime, monotonic

from . import verdict

TREE = Path(os.environ.get("TREE", Path(__file__).parents[3]))
RUNS = 5
WAIT_S = 60.0
CPUCLOCK_SCHED = 2  # as clock_getcpuclockid() makes the clock of another process
BOTS = ("--seat", "Bernard=greedy", "--seat", "Chloe=greedy", "--no-card", "--no-web")
PAINTS: dict[str, tuple[tuple[str, ...], str, int]] = {
    "something": (("play", "dilemma", "--seat", "Anne=screen", *BOTS), ".", 250),
    "full screen": (("play", "dilemma", "--seat", "Anne=screen", *BOTS), "Chloe", 250),
    "start screen": ((), "Dilemma", 250),
    "at a table": (("play", "dilemma", "--port", "simulated", "--seat", "Anne=table", *BOTS), "Chloe", 300),
    "lines": (("play", "dilemma", "--plain", "--seat", "Anne=screen", *BOTS), "Chloe", 180),
    "an evening": (("evening", "--plain", "--no-web"), "Who ", 180),
}
"""What is started, what shows that it has painted, and the limit in milliseconds of processor."""
FIRST_MS, QUESTION_MS = 500, 1000
"""The limits until somebody sees anything, and is asked, in milliseconds: as they pass where nothing else runs, so no
longer than all processes of a start work."""
COMMANDS: dict[str, tuple[tuple[str, ...], int]] = {
    "log list": (("log", "list", "--log", "{folder}/log.db"), 200),
    "log standings": (("log", "standings", "--log", "{folder}/log.db"), 200),
    "people": (("people", "--log", "{folder}/log.db"), 200),
    "stats": (("stats", "results", "--archive", "{folder}/archive.db"), 400),
    "help": (("--help",), 150),
}
"""What is run to its end, and the limit in milliseconds of processor."""


def environment(folder: Path) -> dict[str, str]:
    """Return the variables of a program whose files are in a folder."""
    usual = {"PATH": os.environ["PATH"], "LANG": "C.UTF-8", "TERM": "xterm-256color", "COLORTERM": "truecolor"}
    paths = os.pathsep.join(str(TREE / each) for each in ("host", "firmware"))
    return usual | {"HOME": str(folder), "PYTHONPATH": paths, "XDG_RUNTIME_DIR": str(folder)}


PROGRAM = (sys.executable, "-c", "from tablier.cli.start import main; raise SystemExit(main())")


def worked(folder: Path) -> float:
    """Return the milliseconds of processor that all programs have worked whose files are in a folder."""
    mark, ticks = f"XDG_RUNTIME_DIR={folder}\0".encode(), 0
    for each in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if mark in (each / "environ").read_bytes():
                fields = (each / "stat").read_text().rpartition(")")[2].split()
                ticks += int(fields[11]) + int(fields[12])
    return ticks * 1000 / os.sysconf("SC_CLK_TCK")


def painted(words: tuple[str, ...], shows: str, folder: Path) -> tuple[float, float, float]:
    """Return the milliseconds of processor that a console takes to its first paint, those of all its processes, and
    those that pass."""
    ours, theirs = pty.openpty()
    ioctl(theirs, TIOCSWINSZ, pack("HHHH", 40, 120, 0, 0))
    begun = monotonic()
    process = subprocess.Popen(
        [*PROGRAM, *words],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env=environment(folder),
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
        return busy * 1000, worked(folder), passed * 1000
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


def run_to_end(words: tuple[str, ...], folder: Path) -> float:
    """Return the milliseconds of processor of a command."""
    before = os.times()
    subprocess.run([*PROGRAM, *words], check=True, stdout=subprocess.DEVNULL, env=environment(folder))
    after = os.times()
    spent = after.children_user + after.children_system - before.children_user - before.children_system
    return 1000 * spent


def prepare(folder: Path) -> None:
    """Play an evening, and put games into an archive."""
    bots = ("--bot", "Zoe=greedy", "--bot", "Yves=greedy")
    run_to_end(("evening", *bots, "--play", "d21", "--play", "struggle", "--log", f"{folder}/log.db"), folder)
    campaign = ("d21", "--seats", "random", "random", "--games", "20", "--jobs", "1", "--club", "Beaune")
    run_to_end(("simulate", *campaign, "--archive", f"{folder}/archive.db"), folder)


def main() -> None:
    print(f"Processor of a console to its first paint, medians of {RUNS} starts")
    for name, (words, shows, limit) in PAINTS.items():
        times = []
        for _ in range(RUNS):
            with tempfile.TemporaryDirectory() as folder:
                times.append(painted(words, shows, Path(folder)))
        busy, all_, passed = (median(each) for each in zip(*times, strict=True))
        print(f"  {name:<14} {busy:6.0f} ms of processor, {passed:6.0f} ms (limit: {limit}: {verdict(busy <= limit)})")
        if name in ("something", "full screen"):
            least, most = min(all_, passed), FIRST_MS if name == "something" else QUESTION_MS
            print(f"  {'':<14} {all_:6.0f} ms of all its processes (limit: {most}: {verdict(least <= most)})")
    print(f"Processor of commands, medians of {RUNS} runs")
    with tempfile.TemporaryDirectory() as folder:
        prepare(Path(folder))
        for name, (words, limit) in COMMANDS.items():
            line = tuple(word.format(folder=folder) for word in words)
            busy = median(run_to_end(line, Path(folder)) for _ in range(RUNS))
            print(f"  {name:<14} {busy:6.0f} ms (limit: {limit}: {verdict(busy <= limit)})")


if __name__ == "__main__":
    main()
