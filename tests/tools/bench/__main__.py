"""``python -m tests.tools.bench [PART …]``: every measurement but that of the Pico, or those named."""

from __future__ import annotations

import os
import platform
import sys
from importlib import import_module
from pathlib import Path

sys.path.append(str(Path(__file__).parents[2]))  # where pytest finds what tests share, too

PARTS = (
    "games",
    "bots",
    "simulate",
    "boards",
    "press",
    "restart",
    "paint",
    "wire",
    "log",
    "verify",
    "many",
    "keeper",
    "waits",
    "table_page",
    "pages",
    "phones",
    "duel",
    "screens",
    "landings",
    "archive",
)
APART = ("pico",)
"""Only when named: it needs MicroPython's image for the Pico, and a quarter of an hour."""


def main() -> int:
    parts = sys.argv[1:] or PARTS
    for part in parts:
        if part not in PARTS + APART:
            print(f"there is no measurement {part!r}; there are: {', '.join(PARTS + APART)}", file=sys.stderr)
            return 2
    print(
        f"{platform.python_implementation()} {platform.python_version()}, {os.cpu_count()} cores, {platform.machine()}"
    )
    for part in parts:
        print()
        import_module(f".{part}", __package__).main()
    return 0


if __name__ == "__main__":
    sys.exit(main())
