"""What holds for all tests: nothing of theirs meets a table or a log of whoever runs them, or of another run."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator

import pytest
from hypothesis import settings

# `make test` sees the same examples each time; `make thorough` looks for others at random.
settings.register_profile("same", derandomize=True, deadline=None, print_blob=True)
settings.register_profile("random", deadline=None, print_blob=True)


@pytest.fixture(scope="session", autouse=True)
def apart() -> Iterator[None]:
    """Simulated tables and logs of this run (of each worker) are in a folder of their own; its name is short, because
    a socket's path may have only some hundred bytes."""
    folder = tempfile.mkdtemp(prefix="tablier-test-")
    os.environ["TABLIER_PORTS"] = f"{folder}/ports"
    os.environ["XDG_STATE_HOME"] = f"{folder}/state"
    os.environ.pop("TABLIER_LOG", None)
    yield
    shutil.rmtree(folder, ignore_errors=True)
