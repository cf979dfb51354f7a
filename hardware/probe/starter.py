# ruff: noqa: T201
"""Name the buttons of a starter that are pressed, whenever that changes.

Run with ``mpremote run``, stop with Ctrl-C.
"""

from time import sleep_ms

from machine import Pin

from tablier_fw import pins, wire

NAMES = [button + " of place " + str(place) for place in (1, 2) for button in wire.BUTTONS]
lines = [Pin(pins.STARTER_BUTTONS + bit, Pin.IN, Pin.PULL_UP) for bit in range(len(NAMES))]
lines.append(Pin(pins.SERVICE, Pin.IN, Pin.PULL_UP))
NAMES.append("service")

before = None
while True:
    seen = [NAMES[at] for at, line in enumerate(lines) if not line.value()]
    if seen != before:
        print(", ".join(seen) or "nothing is pressed")
        before = seen
    sleep_ms(20)
