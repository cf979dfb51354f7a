"""Signals of a command that opens something: held while it does, and let through where it waits for somebody."""

from __future__ import annotations

import os
import signal
import threading
from pathlib import Path
from random import Random
from time import sleep
from typing import Any

import pytest

from tablier.cli.signals import Ended, Signals
from tablier.log.connection import connect
from tablier.screens.lines import Typed


@pytest.mark.parametrize(
    ("number", "raised"), [(signal.SIGINT, KeyboardInterrupt), (signal.SIGTERM, Ended), (signal.SIGHUP, Ended)]
)
def test_signals_wait_while_something_is_opened(number: int, raised: type[BaseException]) -> None:
    before, signals, opened = signal.getsignal(number), Signals(), 0
    with pytest.raises(raised), signals.caught():
        signal.raise_signal(number)
        signal.raise_signal(number)
        opened = 1
        with signals.released():
            opened = 2
    assert opened == 1 and signal.getsignal(number) == before


def test_one_that_comes_later_does_not_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    now, opened = [10.0], 0
    monkeypatch.setattr("tablier.cli.signals.monotonic", lambda: now[0])
    with pytest.raises(Ended) as ended, Signals().caught():
        signal.raise_signal(signal.SIGHUP)
        now[0] += 0.9
        signal.raise_signal(signal.SIGTERM)
        opened = 1
        now[0] += 0.2
        signal.raise_signal(signal.SIGTERM)
        opened = 2
    assert opened == 1 and ended.value.number == signal.SIGTERM


def test_signals_are_held_again_after_somebody_was_waited_for() -> None:
    signals, waited = Signals(), False
    with pytest.raises(Ended), signals.caught():
        with signals.released():
            pass
        signal.raise_signal(signal.SIGTERM)
        waited = True
    assert waited


def test_a_signal_while_sqlite_calls_is_not_lost(tmp_path: Path) -> None:
    """A statement is traced: most of what comes between short statements came while Python was called for that."""
    signals, rng, kept, main = Signals(), Random(1), 0, threading.get_ident()
    db = connect(tmp_path / "a.db", "mode=rwc")
    for _ in range(100):
        sent = threading.Event()

        def send(sent: threading.Event = sent, wait: float = rng.random() / 2000) -> None:
            sleep(wait)
            signal.pthread_kill(main, signal.SIGTERM)
            sent.set()

        with pytest.raises(Ended), signals.caught():
            signals.release()
            threading.Thread(target=send).start()
            while not sent.is_set():
                db.execute("SELECT 1")
            sleep(5)  # the signal ends it
            kept -= 1
        kept += 1
    assert kept == 100


def test_a_signal_as_a_line_begins_to_be_edited_is_not_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    import readline

    hooks: list[Any] = []
    signals = Signals()
    monkeypatch.setattr(readline, "set_startup_hook", hooks.append)
    monkeypatch.setattr(readline, "insert_text", lambda text: signal.raise_signal(signal.SIGTERM))
    begun = False
    with pytest.raises(Ended), signals.caught(), Typed()._edited():
        signals.release()
        hooks[0]()
        begun = True
        sleep(5)
    assert begun


def test_a_signal_just_before_a_line_is_waited_for_is_taken_without_a_key() -> None:
    """One that another thread takes ends no wait of this one: as one that comes a moment before the wait."""
    signals, typed, taken = Signals(), Typed(), threading.Event()
    keys, pressed = os.pipe()

    def send() -> None:
        sleep(0.2)  # this test waits by now
        signal.pthread_kill(threading.get_ident(), signal.SIGTERM)
        if not taken.wait(10):
            os.write(pressed, b"late")

    with pytest.raises(Ended), signals.caught(), typed._edited():
        signals.release()
        typed._typing = threading.get_ident()
        threading.Thread(target=send).start()
        os.read(keys, 1)
    taken.set()
    os.close(pressed)
    with os.fdopen(keys, "rb") as late:
        assert not late.read()
