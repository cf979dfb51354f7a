"""Workers on a cluster of Dask (https://distributed.dask.org).

Dask gives the parts of a worker that dies to another. Each worker needs the same code: this package and the games from
elsewhere that are installed.
"""

from __future__ import annotations

import warnings
from concurrent.futures import CancelledError
from typing import Any
from urllib.parse import urlsplit

import dask.config

from tablier.bots.fingerprint import contents
from tablier.bots.workers import Call, Part, R, Workers, WorkersError, work
from tablier_fw.version import __version__

# What goes wrong is said in one line, by WorkersError.
dask.config.set({"logging": {"distributed": "critical", "distributed.client": "critical"}})

from distributed import Client, KilledWorker  # noqa: E402

PATIENCE_S = 10
"""The seconds to wait for a scheduler's answer, and again for its first worker."""


class Cluster(Workers):
    """The workers of a cluster of Dask; those that join later get parts, too."""

    def __init__(self, address: str, patience_s: float = PATIENCE_S) -> None:
        """Connect to the scheduler at an address such as ``tcp://192.0.2.1:8786``.

        Raise :class:`WorkersError` if it does not answer, or has no worker, within ``patience_s`` seconds.
        """
        self._address = address
        if not _is_address(address):
            raise WorkersError(
                "--dask {address}: the form is tcp://HOST:PORT, or tls:// with certificates", address=repr(address)
            )
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of other versions of Dask; that of this package goes with each part
                connect: Any = Client  # without types
                self._client = connect(address, timeout=patience_s, set_as_default=False)
        except (OSError, ImportError):
            raise WorkersError(
                "--dask {address}: no scheduler of Dask answers there within {seconds} s",
                address=repr(address),
                seconds=patience_s,
            ) from None
        try:
            self._client.wait_for_workers(1, timeout=patience_s)
        except TimeoutError:
            self.close()
            raise WorkersError(
                "--dask {address}: this scheduler has no workers; start some with: dask worker {plain}",
                address=repr(address),
                plain=address,
            ) from None

    @property
    def size(self) -> int:
        try:
            threads: dict[str, int] = self._client.nthreads()
        except OSError:
            raise self._gone() from None
        return max(1, sum(threads.values()))

    def begin(self, call: Call[R], numbers: range) -> Part[R]:
        return Part(call, numbers, self._client.submit(_work, contents(), call, numbers, pure=False))

    def finish(self, part: Part[R]) -> tuple[list[R], float]:
        try:
            done: tuple[list[R], float] = part.future.result()
        except KilledWorker:
            raise WorkersError(
                "workers of the cluster end again and again, the last one at game {number}: is memory short?",
                number=part.numbers.start,
            ) from None
        except (CancelledError, OSError):
            raise self._gone() from None
        except ModuleNotFoundError as error:
            raise WorkersError("a worker of the cluster lacks the package {name}", name=repr(error.name)) from None
        part.future.release()
        return done

    def drop(self, part: Part[Any]) -> None:
        part.future.cancel()

    def close(self) -> None:
        self._client.close(timeout=1)

    def _gone(self) -> WorkersError:
        return WorkersError("the scheduler at {address} is gone", address=self._address)


def _is_address(address: str) -> bool:
    try:
        parts = urlsplit(address)
        return parts.scheme in ("tcp", "tls") and bool(parts.hostname) and bool(parts.port)
    except ValueError:
        return False


def _work(code: str, call: Call[R], numbers: range) -> tuple[list[R], float]:
    """Do a part, in a worker of the same code."""
    if code != contents():
        raise WorkersError(
            "a worker of the cluster has other code of Tablier or its games than this computer (its Tablier is"
            " {version}): install the same there, and start it anew",
            version=__version__,
        )
    return work(call, numbers)
