"""The program's entry point: an interrupt while it is loading gives no traceback."""

from __future__ import annotations

import signal


def main() -> int:
    """Load the command line and run it."""
    interrupt = signal.getsignal(signal.SIGINT)
    if interrupt is signal.default_int_handler:  # else it is ignored, as of a job in the background
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from tablier.cli.main import main

    signal.signal(signal.SIGINT, interrupt)
    return main()
