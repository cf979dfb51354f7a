"""The table itself as data: pins, parts, wiring, supply, arena. ``python -m hardware.draw`` makes the drawings of it.

Not a part of the installed package: it is run from a checkout, with PyYAML.
"""

from pathlib import Path

HERE = Path(__file__).parent
