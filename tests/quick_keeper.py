"""A keeper that gives a table one second to answer: ``quick_keeper.py LOG``."""

from __future__ import annotations

from tablier.keeper.server import main
from tablier.table import client

if __name__ == "__main__":
    client.GREETING_S = 1.0
    raise SystemExit(main())
