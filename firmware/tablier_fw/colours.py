"""The palette, and the colours of the table's own signs. Red, green, blue, 0–255.

Messages name colours by their index. The last two are the firmware's alone: no message can name them, and no other
colour comes near them at any brightness. The mark of a choice stands alone between green and azure, that of a roll
between blue and magenta. White, red, yellow, jade, azure and magenta stay apart at one brightness for every common kind
of eye.
"""

DARK, WHITE, WARM, RED, ORANGE, AMBER, YELLOW, GREEN = 0, 1, 2, 3, 4, 5, 6, 7
PINK, AZURE, BLUE, LAVENDER, JADE, MAGENTA, ROSE, MARK, ROLL = 8, 9, 10, 11, 12, 13, 14, 15, 16
PALETTE = (
    (0, 0, 0),
    (255, 255, 255),
    (255, 200, 90),
    (255, 0, 0),
    (255, 80, 0),
    (255, 128, 0),
    (255, 180, 0),
    (0, 255, 0),
    (255, 68, 187),
    (0, 32, 255),
    (0, 0, 255),
    (110, 110, 255),
    (0, 130, 20),
    (255, 50, 255),
    (255, 0, 85),
    (0, 255, 204),
    (120, 0, 255),
)
OPTION_LEVEL = 160
"""Brightness of an option or a face, 0–255."""


def dim(index: int, level: int) -> tuple:
    """Return a colour of the palette at a brightness of 0–255."""
    red, green, blue = PALETTE[index]
    return red * level // 255, green * level // 255, blue * level // 255


def option_look(index: int) -> tuple:
    """Return a colour of the palette at the brightness of an option or a face."""
    return dim(index, OPTION_LEVEL)


ASKED = (80, 80, 80)
"""White, pulsing: this place is asked."""
PENDING = (140, 90, 0)
"""Amber, blinking: seen, but not yet safe in the log."""
LOCKED = (140, 90, 0)
"""Amber, steady: locked in a choice. The lock is in the log; the choice is known to the table alone."""
TAKEN = (0, 120, 20)
"""Green: taken, and safe."""
REFUSED = (160, 0, 0)
"""Red, blinking: refused, because too much is waiting for the host."""
ALONE = (0, 0, 40)
"""Blue, on every fourth pixel of the ring: no host."""
SERVICE = (70, 70, 70)
"""White, on the ring and all public pixels: the table is about to leave for its service mode."""
NUMBERS = ((60, 60, 60), (120, 60, 0), (0, 30, 120))
"""A number under a hood: one to five white pixels, amber ones for six to ten, blue ones for eleven and twelve."""
GENUINE = dim(MARK, 120)
"""The mark of a genuine choice, in the middle of the hood while its place chooses, and nowhere else."""
READY = (60, 60, 60)
"""White: the confirming button works now."""
ROLLING = dim(ROLL, 160)
"""The mark of a roll: runs around the ring while the table rolls, stands on both sides of an outcome, and blinks after
a roll that was abandoned. Nothing else shows it."""
FACES = bytes((RED, AZURE, YELLOW, JADE, MAGENTA, WHITE, ORANGE, PINK, GREEN, WARM, ROSE, LAVENDER))
"""The colours of the faces of dice, from 0."""
FACE_LOOKS = tuple([option_look(index) for index in FACES])
"""The faces of a roll's dice."""
SEAL = bytes((DARK, WHITE, RED, YELLOW, JADE, AZURE, MAGENTA, MARK))
"""The colours of three bits of the seal. With the mark of a choice among them no scene can paint a seal."""
