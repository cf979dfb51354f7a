# ruff: noqa: T201
"""Print what the eight receivers see with their emitters on and off, whenever it changes.

1 is dark. Run with ``mpremote run``, stop with Ctrl-C.
"""

from time import sleep_ms

from machine import Pin

from tablier_fw import pins

receivers = [Pin(pins.BEAM_LOW_1 + line, Pin.IN, Pin.PULL_UP) for line in range(8)]
emitters = [Pin(pins.EMIT_LOW, Pin.OUT, value=0), Pin(pins.EMIT_RIM, Pin.OUT, value=0)]


def look(on: int) -> str:
    for emitter in emitters:
        emitter.value(on)
    sleep_ms(1)
    seen = [str(receiver.value()) for receiver in receivers]
    return "".join(seen[:4]) + " " + "".join(seen[4:])


print("low 1 to 4, rim 1 to 4")
before = ""
while True:
    seen = "lit " + look(1) + "  dark " + look(0)
    if seen != before:
        print(seen)
        before = seen
    sleep_ms(20)
