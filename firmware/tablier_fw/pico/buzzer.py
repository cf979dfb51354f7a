"""The buzzer, by PWM. Wires: a passive buzzer on BUZZER, through a transistor."""

from machine import PWM, Pin

from tablier_fw import pins

_DUTY = (0, 2048, 8192, 32768)
"""By volume. Half of the time is loudest; at an eighth it is about 8 dB softer, at a thirty-second 20 dB."""
LOWEST, HIGHEST = 50, 10_000
"""In Hz. What is asked for beyond is brought to the nearest of them: slower than the lowest the PWM cannot go."""


class Buzzer:
    def __init__(self) -> None:
        self._pwm = PWM(Pin(pins.BUZZER), freq=1000, duty_u16=0)

    def sound(self, hertz: int, volume: int) -> None:
        """Sound a frequency at a volume of 1 to 3 until the next call; 0 Hz is silence."""
        if hertz:
            self._pwm.freq(max(LOWEST, min(HIGHEST, hertz)))
        self._pwm.duty_u16(_DUTY[volume] if hertz else 0)
