"""Run tests in several processes: ``pytest -n 4``.

All tests are collected once. The processes are forked from there, so each has every module without having imported it,
and shares the memory.
"""

from __future__ import annotations

import mmap
import os
import signal
import warnings
from collections import deque
from contextlib import suppress
from multiprocessing import Pipe
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

import pytest

FOLDER = pytest.StashKey[Path]()
"""The folder for temporary files of all workers, where there are some."""


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("workers", "tests in several processes")
    group._addoption("-n", "--workers", type=int, default=0, help="how many processes; 0: this one")


def pytest_runtestloop(session: pytest.Session) -> bool | None:
    """Run all tests in workers, if some are asked for."""
    options = session.config.option
    failed = session.testsfailed and not options.continue_on_collection_errors
    if not options.workers or options.collectonly or failed:
        return None
    session.config.stash[FOLDER] = _temporary(session.config).getbasetemp()
    _Team(session, min(options.workers, len(session.items))).run()
    return True


def _temporary(config: pytest.Config) -> pytest.TempPathFactory:
    return config._tmp_path_factory


class _Worker:
    """A process that runs tests, seen from the one that has forked it."""

    def __init__(self, pid: int, link: Connection[Any, Any]) -> None:
        self.pid = pid
        self.link = link
        self.given: deque[int] = deque()
        """The tests that it has and has not run, by their numbers."""


class _Team:
    """Hands out tests to workers, and reports what these report."""

    def __init__(self, session: pytest.Session, size: int) -> None:
        self._session = session
        self._hook = session.config.hook
        self._size = size
        self._todo = deque(range(len(session.items)))
        self._workers: list[_Worker] = []
        self._forked = 0
        self._over = mmap.mmap(-1, 1)
        """Of all processes: not 0 once nothing more is to be run."""
        reporter: Any = session.config.pluginmanager.get_plugin("terminalreporter")
        if reporter is not None and not reporter.showlongtestinfo:
            reporter.showfspath = False  # tests of several files come by turns

    def run(self) -> None:
        session = self._session
        try:
            for _ in range(self._size):
                self._fork()
            while self._workers:
                links = [worker.link for worker in self._workers]
                for ready in wait(links):
                    self._hear(next(worker for worker in self._workers if worker.link is ready))
                if session.shouldfail or session.shouldstop:
                    self._over[0] = 1
        finally:
            self._over[0] = 1
            for worker in self._workers:
                os.kill(worker.pid, signal.SIGINT)
            for worker in self._workers:
                os.waitpid(worker.pid, 0)
        if session.shouldfail:
            raise session.Failed(session.shouldfail)
        if session.shouldstop:
            raise session.Interrupted(session.shouldstop)

    def _fork(self) -> None:
        ours, theirs = Pipe()
        self._forked += 1
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # threads of libraries, which expect this
            pid = os.fork()
        if pid == 0:
            for link in (ours, *(worker.link for worker in self._workers)):
                link.close()
            _work(self._session, theirs, self._over, f"worker{self._forked}")
        theirs.close()
        self._workers.append(_Worker(pid, ours))

    def _hear(self, worker: _Worker) -> None:
        """Take what a worker has said: the reports of a test, or that it wants more tests."""
        try:
            number, reports = worker.link.recv()
        except (EOFError, ConnectionResetError):
            number, reports = -1, []
        if number == -1:
            self._bury(worker)
        elif number is not None:
            worker.given.remove(number)
            self._report(number, reports)
        else:
            more = self._share()
            worker.given.extend(more)
            with suppress(BrokenPipeError):
                worker.link.send(more)

    def _share(self) -> list[int]:
        """Take tests from those that remain: many at first, few towards the end; where that is near, whole files."""
        size = min(len(self._todo), len(self._todo) // (3 * self._size) + 1)
        taken = [self._todo.popleft() for _ in range(size)]
        items = self._session.items
        while self._todo and len(taken) > size // 2 + 1 and items[taken[-1]].path == items[self._todo[0]].path:
            self._todo.appendleft(taken.pop())
        return taken

    def _report(self, number: int, reports: list[dict[str, Any]]) -> None:
        item = self._session.items[number]
        item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        for data in reports:
            report = self._hook.pytest_report_from_serializable(config=self._session.config, data=data)
            item.ihook.pytest_runtest_logreport(report=report)
        item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)

    def _bury(self, worker: _Worker) -> None:
        """Take note of a worker's end. Had it tests left, the first of them has killed it."""
        self._workers.remove(worker)
        worker.link.close()
        _, status = os.waitpid(worker.pid, 0)
        if not worker.given or self._over[0]:
            return
        number = worker.given.popleft()
        item = self._session.items[number]
        said = f"the worker that ran this ended: {os.waitstatus_to_exitcode(status)}"
        report = pytest.TestReport(item.nodeid, item.location, {}, "failed", said, "call")
        self._report(number, [self._hook.pytest_report_to_serializable(config=self._session.config, report=report)])
        self._todo.extendleft(reversed(worker.given))
        self._fork()


# -- in a worker -----------------------------------------------------------------------------------------------------


class _Reports:
    """Collects the reports of a test."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._reports: list[dict[str, Any]] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        to_data = self._config.hook.pytest_report_to_serializable
        self._reports.append(to_data(config=self._config, report=report))

    def take(self) -> list[dict[str, Any]]:
        taken, self._reports = self._reports, []
        return taken


def _work(session: pytest.Session, link: Connection[Any, Any], over: mmap.mmap, name: str) -> None:
    """Run tests in this fork until there are no more, and end it."""
    status = 1
    try:
        _settle(session.config, name)
        reports = _Reports(session.config)
        session.config.pluginmanager.register(reports)
        given: deque[int] = deque()
        while not over[0]:
            if len(given) < 2:  # the next test says which fixtures stay
                link.send((None, None))
                given.extend(link.recv())
            if not given:
                break
            number = given.popleft()
            following = session.items[given[0]] if given else None
            session.items[number].ihook.pytest_runtest_protocol(item=session.items[number], nextitem=following)
            link.send((number, reports.take()))
        status = 0
    except (KeyboardInterrupt, EOFError, BrokenPipeError):
        pass
    finally:
        with suppress(BaseException):
            session._setupstate.teardown_exact(None)
        os._exit(status)


def _settle(config: pytest.Config, name: str) -> None:
    """Have what this process captures, and its temporary files, to itself; the terminal is the other's."""
    plugins = config.pluginmanager
    plugins.unregister(name="terminalreporter")
    capture: Any = plugins.get_plugin("capturemanager")
    capture.stop_global_capturing()
    capture.start_global_capturing()
    folder = config.stash[FOLDER] / name
    folder.mkdir(0o700)
    _temporary(config)._basetemp = folder
