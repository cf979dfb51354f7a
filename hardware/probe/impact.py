# ruff: noqa: T201
"""Counts what the impact latch feels. Run with ``mpremote run``, stop with Ctrl-C."""

from time import sleep_ms, sleep_us

from machine import Pin

from tablier_fw import pins

latch = Pin(pins.IMPACT, Pin.IN, Pin.PULL_DOWN)
clear = Pin(pins.IMPACT_CLEAR, Pin.OUT, value=0)


def reset() -> None:
    clear.value(1)
    sleep_us(10)
    clear.value(0)


reset()
sleep_ms(20)
print("latch", latch.value())
count = 0
while True:
    if latch.value():
        count += 1
        print("impact", count)
        while latch.value():  # as long as the stretch lasts, it is set again
            reset()
            sleep_ms(1)
    sleep_ms(1)
