"""The buzzer, by PWM. Wires: a passive buzzer on BUZZER, through a transistor."""

from machine import PWM, Pin

from tablier_fw import pins

_HALF = 32768
LOWEST, HIGHEST = 50, 10_000
"""In Hz. What is asked for beyond is brought to the nearest of them: slower than the lowest the PWM cannot go."""


class Buzzer:
    def __init__(self) -> None:
        self._pwm = PWM(Pin(pins.BUZZER), freq=1000, duty_u16=0)

    def sound(self, hertz: int) -> None:
        """Sound a frequency until the next call; 0 is silence."""
        if hertz:
            self._pwm.freq(max(LOWEST, min(HIGHEST, hertz)))
        self._pwm.duty_u16(_HALF if hertz else 0)
