"""A tester speaks to a jig at a serial port as to a table at a socket."""

from __future__ import annotations

import os
import pty
import tty
from collections.abc import Iterator

import pytest

from hil.rig import SerialLine
from tablier.simulation import tester as testers


@pytest.fixture
def jig() -> Iterator[tuple[int, str]]:
    """Return the jig's end of a line, and the port at the other one."""
    master, slave = pty.openpty()
    tty.setraw(slave)
    yield master, os.ttyname(slave)
    os.close(master)
    os.close(slave)


def test_a_verb_goes_out_as_a_line_and_its_answer_comes_in(jig: tuple[int, str]) -> None:
    end, port = jig
    tester = testers.Tester(SerialLine(port))
    os.write(end, b'{"ok": true, "now": 3000000}\r\n')
    assert tester.time() == 3.0
    assert os.read(end, 100) == b"time\n"
    tester.close()


def test_a_jig_that_does_not_answer_is_gone(jig: tuple[int, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SerialLine, "PATIENCE_S", 0.05)
    tester = testers.Tester(SerialLine(jig[1]))
    with pytest.raises(testers.Gone):
        tester.time()
    tester.close()
