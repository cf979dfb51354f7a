"""The colours that the table itself uses; everything else is coloured by the host. Red, green, blue, 0–255."""

ASKED = (80, 80, 80)
"""White, pulsing: this place is asked."""
PENDING = (120, 60, 0)
"""Amber, blinking: seen, but not yet safe in the log."""
TAKEN = (0, 120, 20)
"""Green: taken, and safe."""
REFUSED = (160, 0, 0)
"""Red, blinking: not taken, because too much is waiting for the host."""
ALONE = (0, 0, 40)
"""Blue, on every fourth pixel of the ring: no host."""
LOW_NUMBER = (60, 60, 60)
HIGH_NUMBER = (120, 60, 0)
"""A number under a hood: one to five white pixels, or one to five amber ones for six to ten."""
READY = (60, 60, 60)
"""White: the confirming button will be understood."""
