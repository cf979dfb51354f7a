"""A folder that this process may read, but not write to."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

NOBODY = 65534


@contextmanager
def unprivileged(sample: Path) -> Iterator[Path]:
    """Give a copy of a file in such a folder; who may write everywhere is somebody else meanwhile."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        copy = folder / sample.name
        shutil.copy(sample, copy)
        root = os.geteuid() == 0
        if root:
            for each in (folder, copy):
                os.chown(each, NOBODY, -1)
            os.seteuid(NOBODY)
        folder.chmod(0o500)
        try:
            yield copy
        finally:
            folder.chmod(0o700)
            if root:
                os.seteuid(0)
