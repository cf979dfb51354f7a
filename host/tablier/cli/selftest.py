"""``tablier table selftest | calibrate``: their output and input."""

from __future__ import annotations

import sys
from collections.abc import Callable
from itertools import count
from queue import SimpleQueue
from shutil import get_terminal_size
from textwrap import wrap
from typing import TextIO

from tablier.cli.common import CommandError, is_terminal, refusing, say
from tablier.printable import printable
from tablier.service import diagnosis
from tablier.service.selftest import Dialog, Examination, SelftestError
from tablier.table.client import Client
from tablier.table.clock import Clock, LifeClock
from tablier.table.unusable import TableError
from tablier.texts import Text, text_of

PASSED, FAILED = 0, 1
OK, FAIL = Text("ok", context="mark"), Text("FAIL", context="mark")


class Terminal(Dialog):
    """The dialogue on a terminal."""

    def __init__(self, clock: Clock, show: Callable[[Text | str, Text], None] | None = None) -> None:
        """``show`` prints a mark and a text beside it."""
        self._clock = clock
        self._show = show or show_marked
        self._lines: SimpleQueue[str | None] = SimpleQueue()
        from tablier import waiting  # not at each start

        waiting.beside(self._read, "lines")

    def _read(self) -> None:
        for line in sys.stdin:
            self._lines.put(line.strip())
            self._clock.wake()
        self._lines.put(None)
        self._clock.wake()

    def tell(self, text: Text) -> None:
        self._show("", text)

    def ask(self, text: Text) -> None:
        self._show("    >", text)

    def typed(self) -> str | None:
        if self._lines.empty():
            return None
        line = self._lines.get_nowait()
        if line is None:
            raise SelftestError("the input ended during the test; start again")
        return line


def show_marked(mark: Text | str, text: Text, file: TextIO | None = None) -> None:
    """Print a mark and a text beside it."""
    show_text(text, f"{mark!s:6}", " " * 6, file)


def show_text(text: Text, first: str = "", rest: str = "", file: TextIO | None = None) -> None:
    """Print a text: wrapped in a terminal, elsewhere in one line."""
    line = printable(str(text))
    width = get_terminal_size().columns if (file or sys.stdout).isatty() else len(first + line)
    say(*wrap(line, width, initial_indent=first, subsequent_indent=rest), file=file, flush=True)


def selftest(port: str) -> int:
    """Test the table at a port; return the exit status."""

    def work(examination: Examination, shown: _Shown) -> None:
        examination.measure()
        shown.more()
        if examination.person:
            examination.guide()
            shown.more()

    return _run(port, work)


def calibrate(port: str) -> int:
    """Calibrate the table at a port; return the exit status."""
    if not is_terminal():
        raise CommandError("calibration needs somebody at the table; run it in a terminal")

    def work(examination: Examination, shown: _Shown) -> None:
        examination.measure()
        shown.more()
        examination.calibrate()
        shown.more()

    return _run(port, work)


class _Shown:
    """Print the steps of an examination, each once."""

    def __init__(self, examination: Examination) -> None:
        self._examination = examination
        self._count = 0

    def more(self) -> None:
        steps = self._examination.steps
        for step in steps[self._count :]:
            if not step.findings:
                show_marked(
                    OK, Text("{step}: {figures}", {"step": diagnosis.STEPS[step.name], "figures": step.figures})
                )
            for finding in step.findings:
                args = {"step": diagnosis.STEPS[step.name], "fault": finding.text}
                args["remedy"] = diagnosis.remedy(step.name, finding, self._examination.there)
                show_marked(FAIL, Text("{step}: {fault} ({remedy})", args))
        self._count = len(steps)


def table_text(client: Client) -> Text:
    """Return which table is tested."""
    return Text("Table {board}, firmware {version}", {"board": client.board, "version": client.version})


def _run(port: str, work: Callable[[Examination, _Shown], None]) -> int:
    clock = LifeClock()
    durable: dict[str, int] = {}
    client = Client(port, clock, lambda boot: durable.get(boot, 0))
    with refusing(TableError):
        client.open()
        try:
            show_text(table_text(client))
            examination = Examination(client, durable, count(1).__next__, Terminal(clock) if is_terminal() else None)
            return _examine(examination, work)
        finally:
            client.close()


def _examine(examination: Examination, work: Callable[[Examination, _Shown], None]) -> int:
    shown = _Shown(examination)
    try:
        examination.begin()
        shown.more()
        arena = Text("The arena must be empty, and nobody may touch the table …")
        show_text(arena if examination.client.equipment.arena else Text("Nobody may touch the table …"))
        try:
            work(examination, shown)
        except BaseException:
            examination.end()
            raise
    except SelftestError as error:
        shown.more()
        show_marked(FAIL, text_of(error))
        show_text(Text("This result was not stored."))
        return FAILED
    kept = examination.keep()
    _conclude(examination)
    if not kept:
        show_marked(FAIL, Text("the table could not keep this result in its flash"))
    return PASSED if kept and not examination.findings else FAILED


def _conclude(examination: Examination) -> None:
    """Print the steps not checked, and the consequences for play."""
    record = examination.record
    if not record["guided"]:
        steps = [diagnosis.STEPS[step] for step in diagnosis.GUIDED.values() if examination.has(step)]
        text = "Not checked: {steps}. These steps need somebody at the table, and a terminal."
        show_text(Text(text, {"steps": steps}))
    elif examination.person is None:
        args = {"date": diagnosis.date_text(record["guided"])}
        show_text(Text("The steps that need people were last checked on {date}.", args))
    client = examination.client
    fit = diagnosis.fitness(record, client.board or "", client.version, client.port, client.equipment)
    for line in consequences(fit):
        show_text(line)


def consequences(fit: diagnosis.Fitness) -> list[Text]:
    """Return the consequences of a table's faults for play, in lines; none without faults."""
    lines = [each for each in (fit.advice, fit.missing) if each is not None]
    if fit.by_claim is not None:
        lines.append(Text("During play, people enter their cards, because {why}.", {"why": fit.by_claim}))
    barred = sorted(fit.barred.items())
    template = "Place {place} cannot be played at: {why}."
    return lines + [Text(template, {"place": place, "why": fault.finding.text}) for place, fault in barred]
