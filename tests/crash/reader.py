"""A reader in a process of its own: verifies the log of each path that it is given on standard input."""

from __future__ import annotations

import sys

from tablier.log.chain import LogError
from tablier.log.store import Log


def main() -> None:
    print("ready", flush=True)
    for line in sys.stdin:
        try:
            with Log.read(line.strip()) as log:
                head = log.head
                count = log.verify(head)
                print(log.entry_with(head), count, head, flush=True)
        except LogError as error:
            print("refused:", error, flush=True)


if __name__ == "__main__":
    main()
