"""Games on a cluster of Dask: a scheduler at another address of this machine, workers that are killed."""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

import pytest

from sample import thorough
from tablier.bots.fingerprint import contents
from tablier.bots.workers import Alone, WorkersError, in_order
from tools.bench.tournament import Match, play

if TYPE_CHECKING:
    from tablier.bots.cluster import Cluster

HOST = "127.0.0.2" if sys.platform == "linux" else "127.0.0.1"
GAMES = 60
MATCH = Match("roudalon", ("greedy", "easy"), 7)
Start = Callable[..., subprocess.Popen[bytes]]


@pytest.fixture(scope="module")
def cluster() -> ModuleType:
    """Import Dask where a test needs it: it takes long, and each worker collects this file."""
    pytest.importorskip("distributed", reason="needs the extra 'cluster'")
    return importlib.import_module("tablier.bots.cluster")


@pytest.fixture
def start() -> Iterator[Start]:
    """Yield a function that starts a program of Dask; end what it started."""
    started: list[subprocess.Popen[bytes]] = []

    def start(*words: object) -> subprocess.Popen[bytes]:
        argv = [sys.executable, "-m", "distributed.cli." + f"dask_{words[0]}", *map(str, words[1:])]
        # A worker finds what it plays by its module's name.
        found = {**os.environ, "PYTHONPATH": str(ROOT / "tests")}
        quiet = subprocess.DEVNULL
        started.append(subprocess.Popen(argv, stdout=quiet, stderr=quiet, cwd=ROOT, env=found))
        return started[-1]

    yield start
    for process in reversed(started):
        process.kill()
        process.wait()


ROOT = Path(__file__).parents[2]


def games(workers: Alone | Cluster) -> Iterator[tuple[bool, bool]]:
    """Yield who won each game of a match, as the tournament plays it."""
    for first, second, _ in in_order(partial(play, MATCH), GAMES, workers):
        yield first, second


@thorough
def test_a_tournament_on_a_cluster_plays_the_same_games_when_a_worker_dies(
    cluster: ModuleType, start: Start, tmp_path: Path
) -> None:
    here = list(games(Alone()))
    assert len(set(here)) > 1
    file = tmp_path / "scheduler.json"
    scheduler = start("scheduler", "--host", HOST, "--port", 0, "--no-dashboard", "--scheduler-file", file)
    while not file.exists() or not file.read_text(encoding="utf-8"):
        assert scheduler.poll() is None
        time.sleep(0.02)
    address = json.loads(file.read_text(encoding="utf-8"))["address"]
    assert HOST in address
    with pytest.raises(WorkersError, match="has no workers"):
        cluster.Cluster(address, 0.2)
    worker = ("worker", address, "--nthreads", 1, "--no-dashboard", "--no-nanny", "--local-directory", tmp_path)
    first = start(*worker)
    with cluster.Cluster(address, 60) as one:
        assert list(games(one)) == here
        second = start(*worker)
        one._client.wait_for_workers(2, timeout=60)
        assert one.size == 2
        results = games(one)
        seen = [next(results)]
        first.kill()  # both have parts by now
        assert [*seen, *results] == here
        assert second.poll() is None
        scheduler.kill()
        with pytest.raises(WorkersError, match="is gone"):
            list(games(one))


@pytest.mark.parametrize(
    "address", ["127.0.0.1", "127.0.0.1:8786", "udp://127.0.0.1:1", "tcp://127.0.0.1:x", "tcp://:1"]
)
def test_a_malformed_address_is_refused(cluster: ModuleType, address: str) -> None:
    with pytest.raises(WorkersError, match="the form is tcp://HOST:PORT"):
        cluster.Cluster(address)


def test_a_scheduler_that_does_not_answer_is_not_waited_for(cluster: ModuleType) -> None:
    with pytest.raises(WorkersError, match=r"no scheduler of Dask answers there within 0\.2 s"):
        cluster.Cluster("tcp://127.0.0.1:1", 0.2)


def test_a_worker_of_other_code_is_refused(cluster: ModuleType) -> None:
    assert cluster._work(contents(), lambda number: number, range(1, 2))[0] == [1]
    with pytest.raises(WorkersError, match="has other code of Tablier or its games than this computer"):
        cluster._work("0" * 32, lambda number: number, range(1, 2))
