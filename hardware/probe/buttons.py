# ruff: noqa: T201
"""Print the chain of buttons whenever it changes: 24 inputs in the order of their bits, then the fixed pattern.

Idle is 1, pressed is 0. Run with ``mpremote run``, stop with Ctrl-C.
"""

from time import sleep_ms

from machine import Pin

from tablier_fw import pins

clock = Pin(pins.BUTTONS_CLOCK, Pin.OUT, value=0)
load = Pin(pins.BUTTONS_LOAD, Pin.OUT, value=1)
data = Pin(pins.BUTTONS_DATA, Pin.IN, Pin.PULL_UP)
service = Pin(pins.SERVICE, Pin.IN, Pin.PULL_UP)


def chain() -> str:
    load.value(0)
    load.value(1)
    shown = ""
    for bit in range(32):
        if bit % 4 == 0 and bit:
            shown += " "
        shown += str(data.value())
        clock.value(1)
        clock.value(0)
    return shown


print("place 1 to 6, each: minus plus a b; then the pattern")
before = ""
while True:
    seen = chain() + "  service " + str(service.value())
    if seen != before:
        print(seen)
        before = seen
    sleep_ms(20)
