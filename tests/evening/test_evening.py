"""A short evening with one of each deed, and that its verdict is not always the same."""

from __future__ import annotations

import random
from contextlib import closing
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

import replies
from harness import Broken
from sample import thorough

from . import campaign
from .campaign import DEEDS, RENAMED, Evening, Plan, Played
from .keeper import ACKNOWLEDGED, COMMITTED, SCREEN, TABLE
from .phones import Device, Phone
from .verdict import compare, judge

POINTS = [(COMMITTED, SCREEN), (ACKNOWLEDGED, TABLE)]


@thorough
@pytest.mark.long
def test_an_evening_in_which_everything_breaks_loses_nothing(tmp_path: Path) -> None:
    """And that what is wrong would be noticed, with the same evening: to spend one is dear."""
    evening = Evening(tmp_path, Plan(1, ["dilemma", "d21"], DEEDS, POINTS, apart_s=0.5))
    told = evening.run()
    judge(evening)
    assert {deed: told.deeds[deed] >= 1 for deed in DEEDS} == dict.fromkeys(DEEDS, True)
    assert set(told.points) == set(POINTS)
    assert told.by_phone and told.replies and told.views and told.moves

    what_is_wrong_is_noticed(evening)


def test_a_phone_that_never_hears_what_it_is_asked_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(campaign, "_REPLY_S", 0.2)
    evening: Any = Evening(tmp_path, Plan(1, ["d21"], []))
    device: Any = Device("http://127.0.0.1:1")
    with closing(device):
        phone = Phone(1, {}, random.Random(1), device, 1)
        phone.client = device
        evening.played = [Played("d21", screens=[phone], number=1)]
        evening._process, evening._open, evening._tester = object(), True, Mock()
        evening._await_phones()  # nobody is asked
        evening._asked = {"id": 3, "kind": "turn", "waiting": [1], "open": False}
        with pytest.raises(Broken, match="has not heard what it is asked"):
            evening._await_phones()


def what_is_wrong_is_noticed(evening: Evening) -> None:
    played = evening.played[0]
    screen = next(screen for screen in played.screens if screen.taken)
    screen.taken.append(replies.play("offer 99", id=1, seat=screen.seat))
    with pytest.raises(Broken, match="was taken, and is not in the log"):
        compare(evening)
    del screen.taken[-1]
    screens = (screen for each in evening.played for screen in each.screens)
    silent = next(screen for screen in screens if screen.taken and not screen.left)
    kept, silent.sent = silent.sent, []
    with pytest.raises(Broken, match="has not said"):
        compare(evening)
    silent.sent = kept
    where = max(at for at in played.shown if at[0] is None)
    view, played.shown[where] = played.shown[where], "{}"
    with pytest.raises(Broken, match="was shown another game"):
        compare(evening)
    played.shown[where] = view
    scores, played.over = played.over, {**played.over, "winners": [9]}
    with pytest.raises(Broken, match="its moves lead to"):
        compare(evening)
    played.over = scores
    paused = next(each for each in evening.played if each.pauses)
    paused.pauses += 9
    with pytest.raises(Broken, match="were granted of"):
        compare(evening)
    paused.pauses -= 9
    another = next(each for each in evening.played[1:] if not each.again)
    another.again = True
    with pytest.raises(Broken, match="is not another one of game"):
        compare(evening)
    another.again = False
    went, evening.went = evening.went, [(kind, name.replace(RENAMED, "Anne"), at) for kind, name, at in evening.went]
    with pytest.raises(Broken, match="came and went"):
        compare(evening)
    evening.went = went
    name = evening.went.pop()
    with pytest.raises(Broken, match="came and went"):
        compare(evening)
    evening.went.append(name)
    compare(evening)
