"""Entropy: one pool of the ring oscillator's noise, the low bits of measurements, and the host's bytes.

The pool is as good as its best source. It is hashed after each draw, so a draw reveals nothing about earlier or later
ones.
"""

import os
from hashlib import sha256
from struct import pack
from time import ticks_cpu, ticks_us

from machine import ADC, unique_id

_TEMPERATURE = 4  # the channel of the chip's own sensor: nothing is wired to it


class Noise:
    def __init__(self) -> None:
        adc = ADC(_TEMPERATURE)
        measured = bytes([adc.read_u16() >> 4 & 0xFF for _ in range(32)])
        self._pool = sha256(unique_id() + os.urandom(64) + measured).digest()

    def stir(self, seed: bytes) -> None:
        """Mix bytes in; they cannot reduce the entropy."""
        self._pool = sha256(self._pool + seed + os.urandom(16) + self._moment()).digest()

    def draw(self, count: int) -> bytes:
        """Return random bytes, at most 32."""
        fresh = self._pool + os.urandom(16) + self._moment()
        self._pool = sha256(b"pool" + fresh).digest()
        return sha256(b"draw" + fresh).digest()[:count]

    @staticmethod
    def _moment() -> bytes:
        return pack("<II", ticks_us(), ticks_cpu())
