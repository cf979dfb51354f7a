"""The GPIOs of the Pico. A test compares them with ``hardware/pins.toml``, where they are documented."""

RING_DATA = 0
PLACES_DATA = 1
BUTTONS_CLOCK = 2
BUTTONS_LOAD = 3
BUTTONS_DATA = 4
BEAM_LOW_1 = 6
BEAM_LOW_2 = 7
BEAM_LOW_3 = 8
BEAM_LOW_4 = 9
BEAM_RIM_1 = 10
BEAM_RIM_2 = 11
BEAM_RIM_3 = 12
BEAM_RIM_4 = 13
IMPACT = 14
IMPACT_CLEAR = 15
EMIT_LOW = 16
EMIT_RIM = 17
BUZZER = 18
SERVICE = 19
POWER = 20
EMIT_FLOOR = 22
POWER_MODE = 23
LED = 25
FLOOR_OFFER = 26
FLOOR_PILE = 27
IMPACT_WAVE = 28

OUT = (
    RING_DATA,
    PLACES_DATA,
    BUTTONS_CLOCK,
    BUTTONS_LOAD,
    IMPACT_CLEAR,
    EMIT_LOW,
    EMIT_RIM,
    BUZZER,
    EMIT_FLOOR,
    POWER_MODE,
    LED,
)
ANALOGUE = (FLOOR_OFFER, FLOOR_PILE, IMPACT_WAVE)
"""All others are inputs."""

STARTER_BUTTONS = BEAM_LOW_1
"""The first of eight pins that are the buttons of a starter, which has no arena: minus, plus, a, b of place 1, then of
place 2."""

PATTERN = 0b10100110
"""What the eight spare inputs of the button chain are wired to, as they are shifted out after the buttons."""
