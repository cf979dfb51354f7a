"""Tests in several processes: each runs once, and what happens to it is reported."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

CONFTEST = """
import jobs, pytest

@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session):
    jobs.run(session, 2)
    return True
"""
TESTS = """
import os, pytest, time

@pytest.fixture(scope="session", autouse=True)
def whole_run():
    open(f"began.{os.getpid()}", "w").close()
    yield
    open(f"ended.{os.getpid()}", "w").close()

@pytest.mark.parametrize("number", range(20))
def test_good(number):
    with open("ran", "a") as file:
        file.write(f"{number}\\n")

def test_bad():
    print("what it printed")
    assert False, "what went wrong"

def test_that_ends_its_process():
    os._exit(7)

def test_that_waits():
    time.sleep(0.1)

def test_skipped():
    pytest.skip("why it does not run")
"""


def run(folder: Path, *options: str) -> str:
    """Run the tests above and return what is printed."""
    (folder / "conftest.py").write_text(CONFTEST)
    (folder / "test_some.py").write_text(TESTS)
    command = [sys.executable, "-m", "pytest", "-ra", "-p", "no:cacheprovider", *options]
    path = {"PYTHONPATH": str(Path(__file__).parent), "PATH": ""}
    return subprocess.run(command, cwd=folder, env=path, text=True, capture_output=True, timeout=60).stdout


def test_each_test_runs_once_and_is_reported(tmp_path: Path) -> None:
    said = run(tmp_path)
    assert "2 failed, 21 passed, 1 skipped" in said
    assert "AssertionError: what went wrong" in said
    assert "what it printed" in said
    assert "the process that ran it ended with status 7" in said
    assert "why it does not run" in said
    assert sorted(map(int, (tmp_path / "ran").read_text().split())) == list(range(20))
    began, ended = ({path.suffix for path in tmp_path.glob(f"{each}.*")} for each in ("began", "ended"))
    assert len(began - ended) == 1, "fixtures of a whole run end in each process but that one"


def test_the_first_failure_ends_all_where_that_is_asked(tmp_path: Path) -> None:
    said = run(tmp_path, "-x", "-k", "bad or waits or good")
    assert "stopping after 1 failures" in said
    assert "AssertionError: what went wrong" in said
