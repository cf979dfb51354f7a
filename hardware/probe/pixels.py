# ruff: noqa: T201
"""Lights one pixel after the other, dimly, in red, green and blue: the ring, then the places in their order.

Run with ``mpremote run``, stop with Ctrl-C.
"""

from time import sleep_ms

from machine import Pin
from neopixel import NeoPixel

from tablier_fw import pins, wire

ring = NeoPixel(Pin(pins.RING_DATA), wire.GROUPS[wire.RING])
places = NeoPixel(Pin(pins.PLACES_DATA), sum(wire.GROUPS) - wire.GROUPS[wire.RING])
DIM = 12


def dark(chain: NeoPixel) -> None:
    chain.fill((0, 0, 0))
    chain.write()


dark(ring)
dark(places)
try:
    while True:
        for name, chain in (("ring", ring), ("places", places)):
            for pixel in range(len(chain)):
                print(name, pixel)
                for colour in ((DIM, 0, 0), (0, DIM, 0), (0, 0, DIM)):
                    chain[pixel] = colour
                    chain.write()
                    sleep_ms(120)
                chain[pixel] = (0, 0, 0)
            chain.write()
finally:
    dark(ring)
    dark(places)
