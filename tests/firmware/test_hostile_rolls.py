"""Hosts that would throw again unseen, or paint a roll that never was, against the firmware itself: what people see.

Each plays as ``tests/tools/pictures/rolls.py`` says, which draws it, too. What is asserted comes from the film of the
pixels and from what the host has heard, and from nothing else.
"""

from __future__ import annotations

import functools
import math
import struct
from collections.abc import Iterator

import pytest
from tests.firmware.desk import DARK, PENDING, TAKEN
from tests.firmware.tints import tint

from sample import each
from tablier_fw import colours, wire
from tools.pictures.rolls import HOSTS, Look, Roll, Stage, staged

MARK = bytes(colours.ROLLING).hex()
FACE = [bytes(look).hex() for look in colours.FACE_LOOKS]
ABANDONS = {
    *("idle", "same_id", "unheard", "another_log", "another_run", "without_log", "nobody", "empty_hood"),
    *("no_colours", "alike", "dice_before", "ones_before", "wide_before", "many_before", "service"),
}
SLACK_S = 0.06  # two pictures


@functools.cache
def played(name: str) -> Stage:
    with staged() as stage:
        HOSTS[name](stage)
        if name != "silent":  # its port is gone
            stage.run(1.1)
            stage.counts = stage.status()
        return stage


@pytest.fixture(scope="module", params=each(3, HOSTS))
def name(request: pytest.FixtureRequest) -> str:
    """The name of a host. All tests of one come in a row, so that it is played once."""
    return str(request.param)


def between(stage: Stage, begin: float, end: float) -> list[Look]:
    return [look for look in stage.film if begin <= look.time <= end]


def shown(roll: Roll) -> list[int]:
    """The dice that everybody can see of an outcome."""
    ranges = struct.unpack(f"<{len(roll.ranges) // 2}H", roll.ranges)
    open_ = roll.audience == wire.EVERYBODY and max(ranges) <= len(FACE) and len(ranges) <= 28
    return list(roll.outcome or []) if open_ else []


def is_violet(colour: str) -> bool:
    return colour != DARK and math.dist(tint(bytes.fromhex(colour), 1), tint(colours.PALETTE[colours.ROLL], 1)) < 0.05


def test_every_roll_that_was_committed_to_was_seen_tumbling(name: str) -> None:
    stage = played(name)
    assert len(stage.rolls) == (3 if name == "acknowledging" else 0 if name in ("hasty", "painter") else 1)
    for roll in stage.rolls:
        film = between(stage, roll.committed_at - 1 + SLACK_S, roll.committed_at)
        assert len(film) > 25
        heads = set()
        for look in film:
            assert look.ring.count(MARK) >= 2, "the mark is never away"
            heads |= {pixel for pixel, colour in enumerate(look.ring) if is_violet(colour)}
        assert len(heads) > 32 - len(roll.ranges) // 2 - 2, "it has run around the ring"


def test_no_outcome_vanishes_within_two_seconds(name: str) -> None:
    stage = played(name)
    for roll in stage.rolls:
        if name == "unheard":
            assert roll.outcome is None
            continue
        film = between(stage, roll.revealed_at + SLACK_S, roll.revealed_at + 2 - SLACK_S)
        assert len(film) > 25
        first, faces = 5 * (roll.place - 1), [FACE[outcome] for outcome in shown(roll)]
        row = [MARK, *faces, MARK]
        states = set()
        for look in film:
            ring = look.ring[first - 2 :] + look.ring[: first - 2]
            assert ring[1 : 1 + len(row)] == row, "the true dice, and nothing but them, between the marks"
            assert set(ring[len(row) + 2 :]) <= {DARK}, "nothing that the host has painted stands beside it"
            assert ring[0] == ring[len(row) + 1]
            states.add(ring[0])
        assert states <= {PENDING, DARK, TAKEN} and (TAKEN in states) == roll.acknowledged


def test_what_was_abandoned_leaves_a_sign_and_what_was_not_does_not(name: str) -> None:
    stage = played(name)
    end = stage.film[-1].time
    sign = [look for look in stage.film if set(look.ring[2::4]) == {MARK}]
    assert bool(sign) == (name in ABANDONS)
    if name in ABANDONS:
        begin = sign[0].time
        left = between(stage, begin, end)
        assert len(sign) > 0.4 * len(left), "it blinks to the end"
        assert all(set(look.ring[2::4]) in ({MARK}, {DARK}) for look in left)
    if name == "silent":
        return
    counts = [stage.counts[field] for field in ("begun", "revealed", "acknowledged", "abandoned")]
    acknowledged = sum(roll.acknowledged for roll in stage.rolls)
    revealed = sum(roll.outcome is not None for roll in stage.rolls)
    assert counts == [len(stage.rolls), revealed, acknowledged, len(stage.rolls) - acknowledged]
    assert [roll.committed["roll"] for roll in stage.rolls] == list(range(1, len(stage.rolls) + 1))


def test_no_painted_scene_bears_the_mark_of_a_roll() -> None:
    """Neither in one picture, nor in what an eye makes of a tenth of a second of them."""
    film = played("painter").film
    assert {FACE[5], DARK} < {colour for look in film for colour in look.ring}
    for look in film:
        assert not any(map(is_violet, look.ring))
    for at in range(len(film) - 3):
        for pixel in range(32):
            lights = [bytes.fromhex(look.ring[pixel]) for look in film[at : at + 3]]
            mixed = bytes(sum(channel) // 3 for channel in zip(*lights, strict=True))
            assert not is_violet(mixed.hex())


def test_a_roll_that_is_dropped_while_it_tumbles_has_told_nothing() -> None:
    stage = played("hasty")
    assert not {"committed", "revealed"} & {name for _, name, _, _ in stage.host.frames}


@pytest.fixture(scope="module")
def marked() -> Iterator[Stage]:
    """A table with the sign of an abandoned roll, which has stood."""
    with staged() as stage:
        HOSTS["idle"](stage)
        stage.run(1.5)
        yield stage


def test_no_scene_and_no_question_covers_the_sign_and_only_a_press_takes_it_away(marked: Stage) -> None:
    def seen(seconds: float = 1.1) -> bool:
        begin = marked.host.clock.now()
        marked.run(seconds)
        return any(set(look.ring[2::4]) == {MARK} for look in between(marked, begin, math.inf))

    white = bytes((colours.WHITE, 255, wire.STEADY)) * 32
    marked.state(wire.SCENE, wire.SCENE.encode(wire.RING, white))
    assert seen()
    marked.state(wire.POLL, wire.POLL.encode(3, 0, 0b11))
    assert seen()
    marked.greet(b"run four", b"thirdlog")
    marked.state(wire.POLL, wire.POLL.encode(1, 0, 0b11))
    assert seen()
    marked.table.tester.press(2, "b")
    marked.run(0.2)
    assert not seen()
    assert "answered" not in [name for _, name, _, _ in marked.host.frames], "the press did nothing else"
    marked.table.tester.press(2, "b")
    marked.run(0.2)
    assert "answered" in [name for _, name, _, _ in marked.host.frames]
    assert marked.status()["abandoned"] == 1


def test_the_sign_stands_for_two_seconds_whoever_presses_meanwhile() -> None:
    """A host cannot choose a moment in which somebody is about to press anyway."""
    with staged() as stage:
        stage.roll(1)
        stage.hear_nonce()
        stage.state(wire.POLL, wire.POLL.encode(2, 0, 0b11))
        begin = stage.host.clock.now()
        while stage.host.clock.now() < begin + 1.5:
            stage.table.tester.press(1, "b")
            stage.run(0.15)
        assert "answered" not in [name for _, name, _, _ in stage.host.frames]
        stage.run(1)
        assert any(set(look.ring[2::4]) == {MARK} for look in between(stage, begin + 1.5, math.inf))
