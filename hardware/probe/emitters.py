# ruff: noqa: T201
"""Holds all infrared emitters on, to measure at them. Run with ``mpremote run``, stop with Ctrl-C."""

from time import sleep_ms

from machine import Pin

from tablier_fw import pins

emitters = [Pin(number, Pin.OUT, value=1) for number in (pins.EMIT_LOW, pins.EMIT_RIM, pins.EMIT_FLOOR)]
print("on")
try:
    while True:
        sleep_ms(100)
finally:
    for emitter in emitters:
        emitter.value(0)
    print("off")
