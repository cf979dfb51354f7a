"""``python -m tests.fuzz``: any frames at the firmware and at the host. Exit status 1 when one breaks a promise."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path

sys.path += [str(Path(__file__).parents[1]), str(Path(__file__).parents[1] / "screens")]  # where pytest finds it, too

from harness import Broken, arguments, verdict

from .at_host import at_client, at_conductor
from .at_keeper import at_keeper
from .at_port import at_port
from .at_table import fuzz
from .between import between


def main() -> int:
    args = arguments("fuzz", __doc__, frames=(500_000, "how many frames each way"))
    return verdict(lambda: fuzz_all(args.seed, args.frames))


def fuzz_all(seed: int, frames: int) -> str:
    """Send frames and requests of any values everywhere. Raise :class:`Broken`."""
    games = max(500, frames // 5)
    print(
        f"Seed {seed}: {frames:,} frames at the host, {games:,} of them at games; as many requests of screens, and"
        f" {2 * frames:,} at a keeper's socket; as many frames between a host and a table, with lies both ways;"
        " then at the firmware.",
        flush=True,
    )
    legs: tuple[tuple[str, Callable[[], Mapping[str, int]]], ...] = (
        ("client", lambda: at_client(seed, frames - games)),
        ("games", lambda: at_conductor(seed, games)),
        ("port", lambda: at_port(seed, games)),
        ("keeper", lambda: at_keeper(seed, 2 * frames)),
        ("between", lambda: between(seed, games)),
        ("firmware", lambda: fuzz(seed, frames)),
    )
    for name, leg in legs:
        begun = time.monotonic()
        try:
            told = leg()
        except AssertionError as error:
            raise Broken(f"{name}: {error}") from None
        counts = ", ".join(f"{what} {count:,}" for what, count in sorted(told.items()))
        print(f"{name:9} {time.monotonic() - begun:6.0f} s  {counts}", flush=True)
    return "What cannot be was refused, with its reason."


if __name__ == "__main__":
    sys.exit(main())
