"""``tablier table linetest``: its output and input."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Any

from tablier.cli.common import NO_EMULATOR, CommandError, extra, refusing, say
from tablier.cli.selftest import FAIL, OK, Terminal, show_text, table_text
from tablier.printable import printable
from tablier.service.linetest import FAILED, PASSED, SKIPPED, TRIALS, Hands, Line, LinetestError, Person, Trial
from tablier.service.selftest import SelftestError
from tablier.simulation.clock import clock_at
from tablier.simulation.line_hands import SimulatedHands
from tablier.simulation.tester import Tester, TesterError
from tablier.table.client import Client
from tablier.table.ports import control_of
from tablier.table.unusable import TableError
from tablier.texts import Text, all_of, counted, number_text, suggest

if TYPE_CHECKING:
    from tablier.simulation.simulated import SimulatedTable
    from tablier.table.clock import Clock

SIMULATED, EMULATED, SECOND = "simulated", "emulated", "rp2040js"
"""What ``--port`` may name in the place of a port: a table that is started for the test."""
MARKS = {PASSED: OK, FAILED: FAIL, SKIPPED: Text("skip", context="mark")}
_HEAD = (
    Text("step", context="line test"),
    Text("verdict", context="line test"),
    Text("pressed", context="line test"),
    Text("felt", context="line test"),
    Text("arrived", context="line test"),
    Text("mute", context="line test"),
    Text("round trip"),
)


def chosen(only: str | None, skipped: str | None) -> list[str]:
    """Return the keys of the trials that ``--only`` and ``--skip`` leave. Raise :class:`CommandError`."""
    keys = _keys("--only", only) if only is not None else list(TRIALS)
    without = _keys("--skip", skipped) if skipped is not None else []
    left = [key for key in TRIALS if key in keys and key not in without]
    if not left:
        raise CommandError("--only and --skip leave no step; steps: {known}", known=list(TRIALS))
    return left


def _keys(option: str, names: str) -> list[str]:
    keys = [name.strip() for name in names.split(",")]
    for key in keys:
        if key not in TRIALS:
            args = {"option": option, "seen": repr(key), "known": list(TRIALS)}
            raise CommandError(suggest(Text("{option} {seen}: no such step; steps: {known}", args), key, TRIALS))
    return keys


def linetest(args: argparse.Namespace) -> int:
    """Try the line of the table at ``--port``; return the exit status."""
    keys = chosen(args.only, args.skip)
    with ExitStack() as stack:
        stack.enter_context(refusing(TableError, TesterError, LinetestError, SelftestError))
        port = args.port
        if port in (SIMULATED, EMULATED, SECOND):
            port = stack.enter_context(_started(port)).first_port
        clock = stack.enter_context(clock_at(port))
        durable: dict[str, int] = {}
        shown = _Shown(to_stderr=args.json, clock=clock)
        hands = _hands(port, shown, stack)
        client = Client(port, clock, lambda boot: durable.get(boot, 0))
        client.open()
        stack.callback(client.close)
        line = Line(
            client,
            durable,
            hands,
            seconds=args.seconds,
            presses=args.presses,
            typed=shown.typed,
            live=shown.live,
        )
        line.begin()
        shown.tell(table_text(client))
        trials = []
        for trial in line.run(keys):
            shown.trial(trial)
            if trial.verdict:
                trials.append(trial)
        line.end()
        shown.conclude(trials)
        passed = not any(trial.verdict == FAILED for trial in trials)
        if args.json:
            told: dict[str, Any] = {"board": client.board, "version": client.version, "passed": passed}
            told |= {"seconds": args.seconds, "presses": args.presses, "steps": [trial.to_json() for trial in trials]}
            say(json.dumps(told, ensure_ascii=False))
    return 0 if passed else 1


@contextmanager
def _started(kind: str) -> Iterator[SimulatedTable]:
    from tablier.simulation.simulated import SimulatedTable

    if kind == SIMULATED:
        with SimulatedTable(virtual=True) as table:
            yield table
        return
    with extra("emulate", NO_EMULATOR):
        import rp2040py  # noqa: F401  # said before its process is started
    from tablier.simulation.emulated import EmulatedTable, ScriptedTable

    with (ScriptedTable if kind == SECOND else EmulatedTable)(virtual=True) as table:
        yield table


def _hands(port: str, shown: _Shown, stack: ExitStack) -> Hands:
    """Return the hands at a table: a person's at a real one. Raise :class:`CommandError` where nobody is there."""
    control = control_of(port)
    if control is not None and control.exists():
        tester = Tester(control)
        stack.callback(tester.close)
        return SimulatedHands(tester)
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise CommandError("somebody must press buttons and pull the cable of a real table; run this in a terminal")
    return Person(shown.person())


class _Shown:
    """Print what is tried and what was found: on standard error where standard output is for a program."""

    def __init__(self, *, to_stderr: bool, clock: Clock) -> None:
        self._file = sys.stderr if to_stderr else sys.stdout
        self._clock = clock
        self._is_live = self._file.isatty()
        self._drawn = ""  # what the line that is replaced says
        self._terminal: Terminal | None = None

    def person(self) -> Terminal:
        """Return the dialogue with the person at the table."""
        self._terminal = Terminal(self._clock, self._say)
        return self._terminal

    def typed(self) -> str | None:
        return None if self._terminal is None else self._terminal.typed()

    def tell(self, text: Text) -> None:
        self._wipe()
        show_text(text, file=self._file)

    def _say(self, mark: Text | str, text: Text) -> None:
        self._wipe()
        show_text(text, f"{mark!s:8}", " " * 8, self._file)

    def live(self, text: Text) -> None:
        """Show what is seen just now, in one line that the next one replaces; nothing but in a terminal. Leave a line
        that says the same, since somebody may be typing in it."""
        if self._is_live and str(text) != self._drawn:
            self._file.write(f"\r\033[K        {printable(str(text))[: get_terminal_size().columns - 9]}")
            self._file.flush()
            self._drawn = str(text)

    def _wipe(self) -> None:
        if self._drawn:
            self._file.write("\r\033[K")
            self._drawn = ""

    def trial(self, trial: Trial) -> None:
        """Print what is about to be tried, or its verdict."""
        step = TRIALS[trial.key]
        if not trial.verdict:
            self._say(trial.key, step.about)
            self._say("", Text("Expected: {expected}.", {"expected": step.expected}))
            return
        if trial.verdict == SKIPPED:
            self._say(MARKS[SKIPPED], Text("{step} was not tried", {"step": trial.key}))
        elif trial.verdict == PASSED:
            self._say(MARKS[PASSED], _figures(trial))
        for fault in trial.faults:
            self._say(MARKS[FAILED], fault.text)

    def conclude(self, trials: Sequence[Trial]) -> None:
        """Print all verdicts as a table, and what they come to."""
        rows = [tuple(map(str, _HEAD)), *(_row(trial) for trial in trials)]
        widths = [max(len(row[column]) for row in rows) for column in range(len(_HEAD))]
        say("", file=self._file)
        for row in rows:
            say("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip(), file=self._file)
        failed = [trial.key for trial in trials if trial.verdict == FAILED]
        tried = sum(trial.verdict != SKIPPED for trial in trials)
        if failed:
            text = Text("Failed: {steps}. What to do: host/manual/first-pico.md.", {"steps": all_of(failed)})
        elif tried:
            text = counted(tried, "{count} step passed.", "{count} steps passed.")
        else:
            text = Text("No step was tried.")
        self.tell(text)


def _figures(trial: Trial) -> Text:
    args: dict[str, object] = {"pressed": trial.pressed, "here": trial.arrived}
    if trial.trips is not None and trial.press_ms is not None:
        args |= {"median": number_text(trial.trips.median_ms, ".1f"), "p99": number_text(trial.trips.p99_ms, ".1f")}
        args |= {"press": number_text(trial.press_ms[0], ".1f"), "longest": number_text(trial.press_ms[1], ".1f")}
        text = (
            "round trip: median {median} ms, p99 {p99} ms, none lost; {here} of {pressed} presses arrived, each {press}"
            " ms after it was felt (median), at most {longest} ms"
        )
        return Text(text, args)
    args |= {"mute": number_text(trial.mute_s or 0, ".1f")}
    return Text("{here} of {pressed} presses arrived; the table answered after {mute} s", args)


def _row(trial: Trial) -> tuple[str, ...]:
    mark = str(MARKS[trial.verdict])
    if trial.verdict == SKIPPED:
        return (trial.key, mark, "", "", "", "", "")
    mute = "" if trial.mute_s is None else f"{number_text(trial.mute_s, '.1f')} s"
    trip = ""
    if trial.trips is not None:
        args = {"median": number_text(trial.trips.median_ms, ".1f"), "p99": number_text(trial.trips.p99_ms, ".1f")}
        trip = str(Text("{median} and {p99} ms", args))
    return (trial.key, mark, str(trial.pressed), str(trial.felt), str(trial.arrived), mute, trip)
