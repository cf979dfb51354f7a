"""Run tests in several processes, each a copy of one that has collected them: ``pytest --jobs 6``.

Collecting thousands of tests takes seconds of a processor, and half of that is importing what they stand on; copies
have both at once. A copy asks for tests as it needs them: for many neighbours at first, which share fixtures, and for
single ones at the end, so that all copies end together.
"""

from __future__ import annotations

import os
import sys
import traceback
import warnings
from collections import deque
from collections.abc import Iterator
from multiprocessing import Pipe
from multiprocessing.connection import Connection, wait
from typing import Any, NoReturn

import pytest

Sent = tuple[str, dict[str, Any]] | None
"""A hook and its arguments; ``None`` asks for tests."""
SHARE = 3
"""A copy gets this part of its even share of the tests that are left."""


class Worker:
    """A copy, as the process that collected sees it."""

    def __init__(self, session: pytest.Session, others: list[Worker]) -> None:
        self.connection, theirs = Pipe()
        self.left: deque[int] = deque()
        """Tests that it has to run yet, the one that it runs first."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # a thread of a library does not matter here
            self.pid = os.fork()
        if self.pid == 0:
            for worker in (self, *others):
                worker.connection.close()
            Copy(session, theirs).run()
        theirs.close()

    def end(self) -> int:
        """Wait for its end; return its exit status."""
        self.connection.close()
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


def run(session: pytest.Session, jobs: int) -> None:
    """Run the tests of a session in so many copies of this process."""
    hook, items = session.config.hook, session.items
    session.config.get_terminal_writer().flush()
    waiting = deque(range(len(items)))
    workers: list[Worker] = []
    try:
        while workers or waiting:
            while waiting and len(workers) < jobs:
                workers.append(Worker(session, workers))
            for connection in wait([worker.connection for worker in workers]):
                (worker,) = (each for each in workers if each.connection is connection)
                try:
                    sent: Sent = worker.connection.recv()
                except (EOFError, OSError):
                    workers.remove(worker)
                    _bury(session, worker)
                    waiting.extendleft(reversed(worker.left))
                    continue
                if sent is None:
                    some = [waiting.popleft() for _ in range(-(-len(waiting) // (SHARE * jobs)))]
                    worker.left += some
                    worker.connection.send(some)
                    continue
                name, arguments = sent
                if "report" in arguments:
                    data = arguments["report"]
                    arguments["report"] = hook.pytest_report_from_serializable(config=session.config, data=data)
                getattr(hook, name)(**arguments)
                if name == "pytest_runtest_logfinish":
                    worker.left.popleft()
            if session.shouldfail or session.shouldstop:
                waiting.clear()
                break
    finally:
        for worker in workers:
            worker.connection.close()  # it ends after its test
        for worker in workers:
            worker.end()
    if session.shouldfail:
        raise session.Failed(session.shouldfail)
    if session.shouldstop:
        raise session.Interrupted(session.shouldstop)


def _bury(session: pytest.Session, worker: Worker) -> None:
    """Report the test that a copy has ended in."""
    status = worker.end()
    if not status:
        return
    if not worker.left:
        raise RuntimeError(f"a process that ran tests ended with status {status} between them")
    item = session.items[worker.left.popleft()]
    said = f"the process that ran it ended with status {status}"
    report = pytest.TestReport(item.nodeid, item.location, {}, "failed", said, "call")
    item.ihook.pytest_runtest_logreport(report=report)


class Silent:
    """Stands in a copy for what prints the results, for plugins that print more themselves."""

    def __init__(self, writer: Any) -> None:
        self._tw = writer


class Copy:
    """A copy, as it sees itself: a plugin that passes on what happens in it."""

    def __init__(self, session: pytest.Session, connection: Connection) -> None:
        self._session = session
        self._connection = connection

    def run(self) -> NoReturn:
        """Run tests until there are none left, then end this process."""
        status = 1
        try:
            self._prepare()
            self._run()
            status = 0
        except (KeyboardInterrupt, BrokenPipeError, EOFError):
            pass  # the other process wants no more of it
        except BaseException:
            self._session.config.pluginmanager.get_plugin("capturemanager").suspend_global_capture()
            traceback.print_exc(file=sys.__stderr__)
        finally:
            os._exit(status)

    def _prepare(self) -> None:
        plugins = self._session.config.pluginmanager
        plugins.register(self)
        plugins.register(Silent(plugins.unregister(name="terminalreporter")._tw), "terminalreporter")
        capture = plugins.get_plugin("capturemanager")
        capture.stop_global_capturing()
        capture.start_global_capturing()  # in a file of its own

    def _run(self) -> None:
        tests = self._tests()
        item = next(tests, None)
        try:
            while item and not (self._session.shouldfail or self._session.shouldstop):
                following = next(tests, None)
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
                item = following
        finally:
            self._session._setupstate.teardown_exact(None)

    def _tests(self) -> Iterator[pytest.Item]:
        while True:
            self._connection.send(None)
            some = self._connection.recv()
            if not some:
                return
            yield from (self._session.items[number] for number in some)

    def pytest_runtest_logstart(self, nodeid: str, location: Any) -> None:
        self._connection.send(("pytest_runtest_logstart", {"nodeid": nodeid, "location": location}))

    def pytest_runtest_logfinish(self, nodeid: str, location: Any) -> None:
        self._connection.send(("pytest_runtest_logfinish", {"nodeid": nodeid, "location": location}))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        config = self._session.config
        data = config.hook.pytest_report_to_serializable(config=config, report=report)
        self._connection.send(("pytest_runtest_logreport", {"report": data}))
