"""Frames a second, in CPython and in the MicroPython VM, beside COBS framing of the same payload."""

from __future__ import annotations

from collections.abc import Callable
from statistics import median
from time import perf_counter

from cobs import cobs

from tablier.simulation.vm import Vm
from tablier_fw import wire

RUNS = 7
_COUNT = 20_000
_PAYLOAD = bytes(range(40))
_IDS = b"bootboot", b"run run "

_HEAP = "8000k"  # so that nothing needs to be collected meanwhile
_IN_VM = """
from time import ticks_us
from tablier_fw import wire
payload = bytes(range(40))
line = wire.frame(wire.LOCKED, b"bootboot", b"run run ", payload)[:-1]
for run in range(%d):
    for name in ("frame", "unframe"):
        begun = ticks_us()
        for _ in range(100):
            if name == "frame":
                wire.frame(wire.LOCKED, b"bootboot", b"run run ", payload)
            else:
                wire.unframe(line)
        print(name, ticks_us() - begun)
"""


def _per_second(action: Callable[[], object]) -> float:
    rates = []
    for _ in range(RUNS):
        begun = perf_counter()
        for _ in range(_COUNT):
            action()
        rates.append(_COUNT / (perf_counter() - begun))
    return median(rates)


def rates() -> list[tuple[str, float, float]]:
    """(what, frames encoded a second, frames decoded a second)."""
    line = wire.frame(wire.LOCKED, *_IDS, _PAYLOAD)[:-1]
    stuffed = cobs.encode(_PAYLOAD)
    times: dict[str, list[int]] = {"frame": [], "unframe": []}
    for printed in Vm({}, heap=_HEAP).run(_IN_VM % RUNS).splitlines():
        name, microseconds = printed.split()
        times[name].append(int(microseconds))
    in_vm = [100e6 / median(times[name]) for name in ("frame", "unframe")]
    return [
        (
            "our frames, CPython",
            _per_second(lambda: wire.frame(wire.LOCKED, *_IDS, _PAYLOAD)),
            _per_second(lambda: wire.unframe(line)),
        ),
        (
            "COBS alone (cobs, in C), CPython",
            _per_second(lambda: cobs.encode(_PAYLOAD)),
            _per_second(lambda: cobs.decode(stuffed)),
        ),
        ("our frames, MicroPython VM", in_vm[0], in_vm[1]),
    ]


def main() -> None:
    print(f"Frames a second, {len(_PAYLOAD)} bytes of payload, medians of {RUNS} runs")
    print(f"  {'':34} {'encoded':>12} {'decoded':>12}")
    for what, encoded, decoded in rates():
        print(f"  {what:34} {encoded:12,.0f} {decoded:12,.0f}")
    print("  Our frames carry ids, a checksum and base64 besides; COBS carries nothing but its payload.")
