# ruff: noqa: T201
"""A scale on the buzzer. Run with ``mpremote run``."""

from time import sleep_ms

from tablier_fw import wire
from tablier_fw.pico.buzzer import Buzzer

buzzer = Buzzer()
for hertz in (250, 500, 1000, 2000, 4000):
    print(hertz, "Hz")
    buzzer.sound(hertz, wire.LOUD)
    sleep_ms(300)
buzzer.sound(0, wire.LOUD)
