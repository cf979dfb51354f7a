"""Opening a page in a browser of this computer, for who has a display before them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory

from tablier.cli.common import is_terminal

_ELSEWHERE = ("SSH_CONNECTION", "SSH_CLIENT", "SSH_TTY")
_DISPLAYS = ("DISPLAY", "WAYLAND_DISPLAY")


def can_open() -> bool:
    """Return True if somebody at this terminal would see a browser: it has a display, and is not another computer's."""
    if not is_terminal() or any(map(os.environ.get, _ELSEWHERE)):
        return False
    return sys.platform == "darwin" or any(map(os.environ.get, _DISPLAYS))


class Browser:
    """Opens addresses that hold a key: by a file that only this user reads. All see the arguments of a program."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def open(self, address: str) -> None:
        """Open an address; call from any thread. A browser that cannot be started is nobody's concern."""
        page = self._folder / "table.html"
        page.touch(0o600)
        page.write_text(
            f'<!doctype html><meta http-equiv="refresh" content="0;url={escape(address)}">', encoding="utf-8"
        )
        subprocess.Popen(
            [sys.executable, "-m", "webbrowser", page.as_uri()],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )


@contextmanager
def browser() -> Iterator[Browser | None]:
    """Have a browser at hand, where somebody would see it; its file is gone when game or evening has been left."""
    if not can_open():
        yield None
        return
    with TemporaryDirectory(prefix="tablier-", ignore_cleanup_errors=True) as folder:
        yield Browser(Path(folder))


__all__ = ["Browser", "browser", "can_open"]
