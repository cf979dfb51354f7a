"""The options of commands that many processes or machines can work on."""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING

from tablier.cli.common import extra, path_name, refusing
from tablier.texts import Text

if TYPE_CHECKING:
    from tablier.bots.workers import Workers


def add_worker_options(parser: argparse.ArgumentParser) -> None:
    """Add ``--jobs`` and ``--dask``, of which one can be given."""
    where = parser.add_mutually_exclusive_group()
    add_jobs_option(where)
    where.add_argument(
        "--dask",
        metavar="ADDRESS",
        type=path_name,
        help="play on a cluster of Dask, whose scheduler is at this address: tcp://HOST:PORT",
    )


def add_jobs_option(parser: argparse._ActionsContainer) -> None:
    """Add ``--jobs``, for work that is shared by processes."""
    parser.add_argument("--jobs", metavar="J", type=whole_number, help="processes (default: one a processor)")


def whole_number(text: str) -> int:
    """Return an argument that is a whole number from 1."""
    try:
        value = int(text)
    except ValueError:
        value = 0
    if value < 1:
        raise argparse.ArgumentTypeError(str(Text("{seen}; allowed: a whole number from 1", {"seen": repr(text)})))
    return value


def workers_of(args: argparse.Namespace) -> Workers:
    """Return the workers that the options name."""
    from tablier.bots.workers import WorkersError

    if args.dask is not None:
        with extra("cluster", Text("a cluster of Dask needs distributed")):
            from tablier.bots.cluster import Cluster
        with refusing(WorkersError):
            return Cluster(args.dask)
    return processes(args.jobs)


def processes(jobs: int | None) -> Workers:
    """Return workers of this machine; without a number, one for each processor."""
    from tablier.bots.workers import Alone, Processes

    jobs = jobs or os.cpu_count() or 1
    return Alone() if jobs == 1 else Processes(jobs)
