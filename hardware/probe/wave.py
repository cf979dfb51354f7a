# ruff: noqa: T201
"""Shows each impact's waveform: how far it swings from rest, and for how long.

The amplified piezo is sampled as fast as the converter can be read, some 30 kHz. Choose the window of ``RV1`` below the
weakest card's swing, and the stretch (``R23``, ``C6``) not shorter than the pauses within one card's ringing. Run with
``mpremote run``, stop with Ctrl-C.
"""

from array import array
from time import sleep_ms, ticks_diff, ticks_us

from machine import ADC, Pin

from tablier_fw import pins

Pin(pins.POWER_MODE, Pin.OUT, value=1)  # the Pico's own regulator: quieter
wave = ADC(Pin(pins.IMPACT_WAVE))
SAMPLES = 1500
MILLIVOLTS = 3300 / 65535
FELT_MV = 60

seen = array("H", bytes(2 * SAMPLES))


def rest() -> int:
    return sum(wave.read_u16() for _ in range(200)) // 200


def record() -> int:
    """Fill ``seen``; return the µs that it took."""
    start = ticks_us()
    for index in range(SAMPLES):
        seen[index] = wave.read_u16()
    return ticks_diff(ticks_us(), start)


print("strike: highest swing, time until it stays below", FELT_MV, "mV, longest pause within")
while True:
    middle = rest()
    while abs(wave.read_u16() - middle) * MILLIVOLTS < FELT_MV:
        pass
    took = record()
    highest, last, pause = 0.0, 0, 0
    for index in range(SAMPLES):
        swing = abs(seen[index] - middle) * MILLIVOLTS
        highest = max(highest, swing)
        if swing >= FELT_MV:
            pause = max(pause, index - last)
            last = index
    step = took / SAMPLES / 1000
    print(f"{highest:.0f} mV, {last * step:.1f} ms, {pause * step:.1f} ms")
    sleep_ms(300)
