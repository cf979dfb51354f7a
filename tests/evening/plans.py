"""What the evenings of a campaign are to be, and carrying one out."""

from __future__ import annotations

import os
import random
import shutil
import tempfile
import traceback
from pathlib import Path
from unittest.mock import patch

from .campaign import DEEDS, GAMES, Evening, Plan, Told
from .keeper import ALL
from .verdict import judge

EACH = 5
"""How often each deed is done in an evening."""


def spend(plan: Plan) -> Told:
    """Carry out a plan, and judge it. What is left of one that fails is kept, and named."""
    folder = Path(tempfile.mkdtemp(prefix="tablier-evening-"))
    with patch.dict(os.environ, TABLIER_PORTS=str(folder / "ports")):
        evening = Evening(folder, plan)
        try:
            evening.run()
            judge(evening)
        except Exception as error:
            where = traceback.extract_tb(error.__traceback__)[-1]
            raise AssertionError(f"seed {plan.seed}, in {folder}: {error} ({where.name}, {where.lineno})") from None
    shutil.rmtree(folder)
    return evening.told


def plans(seed: int, times: int) -> list[Plan]:
    made = []
    for number in range((times + EACH - 1) // EACH):
        dice = random.Random(f"{seed} {number}")
        games = [*GAMES]
        deeds = [deed for deed in DEEDS for _ in range(min(EACH, times - number * EACH))]
        points = [*ALL]
        for each in (games, deeds, points):
            dice.shuffle(each)
        made.append(Plan(seed * 1000 + number, games, deeds, points))
    return made
