"""Signals of a command that opens something: held while it does, and let through where it waits for somebody."""

from __future__ import annotations

import signal

import pytest

from tablier.cli.signals import Ended, Signals


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
