"""The program's entry point: an interrupt while it is loading or ending gives no traceback."""

from __future__ import annotations

import signal

from tablier.cli.loading import loading


def main() -> int:
    """Load the command line and run it."""
    interrupt = signal.getsignal(signal.SIGINT)
    catches = interrupt is signal.default_int_handler  # else it is ignored, as of a job in the background
    if catches:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    with loading():
        from tablier import interrupts
        from tablier.cli.main import main

    takes = interrupts.interrupt if catches else interrupt
    try:
        return main(loaded=lambda: signal.signal(signal.SIGINT, takes))
    except KeyboardInterrupt:
        return 128 + signal.SIGINT  # as a shell says of a process that it ended
    finally:
        if catches:
            signal.signal(signal.SIGINT, signal.SIG_DFL)
