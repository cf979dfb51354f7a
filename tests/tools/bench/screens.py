"""Screens in a terminal, with a keeper running: from the command to the first drawing and to the first question; from a
key to its echo."""

from __future__ import annotations

import tempfile
from contextlib import redirect_stderr
from io import StringIO
from pathlib import Path
from statistics import median
from time import perf_counter

from cli.term import Term
from kept import kept

from . import verdict

RUNS = 9
KEYS = 40
LIMITS_MS = {"line": 300.0, "full": 800.0}
ECHO_MS = 30.0
SEATS = ("--seat", "Zoe=screen", "--seat", "Ann=random", "--pace", "0")


def run(log: Path, *options: str) -> tuple[float, float, list[float]]:
    """Begin a game; return the milliseconds to the first drawing and to the question, and those of each key's echo."""
    begun = perf_counter()
    with Term("play", "d21", *SEATS, *options, TABLIER_LOG=str(log)) as term:
        term.until(lambda: term.text.strip())
        drawn = perf_counter()
        term.shows("Zoe, your turn")
        asked = perf_counter()
        echoes = []
        for number in range(KEYS if not options else 0):
            key = "cd"[number % 2]
            pressed = perf_counter()
            term.type(key, enter=False)
            term.shows(f"Zoe> {key}")
            echoes.append((perf_counter() - pressed) * 1000)
            term.press(b"\x7f")
            term.until(lambda: any(line == "Zoe>" for line in term.lines))
    return (drawn - begun) * 1000, (asked - begun) * 1000, echoes


def main() -> None:
    print(f"Screens in a terminal of 80 × 24, a keeper running, medians of {RUNS} runs")
    with tempfile.TemporaryDirectory() as folder, redirect_stderr(StringIO()):
        for name, options in (("line", ("--plain",)), ("full", ())):
            times = []
            for number in range(RUNS):
                log = Path(folder) / f"{name}{number}.db"
                with kept(log):
                    times.append(run(log, *options))
            drawn, asked = median(time[0] for time in times), median(time[1] for time in times)
            limit = f"(limit: {LIMITS_MS[name]:.0f} ms: {verdict(drawn <= LIMITS_MS[name])})"
            print(f"  {name} screen: first drawing {drawn:5.0f} ms {limit}, first question {asked:5.0f} ms")
            if name == "full":
                echo = median(echo for *_, echoes in times for echo in echoes)
                print(f"  a key to its echo {echo:5.1f} ms (limit: {ECHO_MS:.0f} ms: {verdict(echo <= ECHO_MS)})")
