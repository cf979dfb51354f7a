"""What the host paints is what the pixels show, over time."""

from __future__ import annotations

from collections.abc import Container, Sequence
from itertools import pairwise

import pytest
from tests.firmware.desk import Desk

from tablier_fw import colours, wire

WARM = bytes(colours.dim(colours.WARM, 200)).hex()


def paint(
    desk: Desk,
    group: int,
    effect: int,
    colour: tuple[int, int] = (colours.WARM, 200),
    but: Container[int] | None = None,
) -> None:
    pixels = [(*colour, effect)] * wire.GROUPS[group]
    if but is not None:
        pixels = [pixel if index in but else (colours.DARK, 0, wire.STEADY) for index, pixel in enumerate(pixels)]
    desk.client.want(wire.SCENE, group, b"".join(map(bytes, pixels)))
    peek(desk, group)


def peek(desk: Desk, group: int) -> None:
    """A hood shows what is painted to a place that presses something while it is not asked."""
    desk.run(0.05)
    if group >= wire.HOOD:
        desk.tester.press(group - wire.HOOD + 1, "a", 20)
        desk.run(0.05)


NAMES = ["ring", "public", *(f"hood{place}" for place in range(1, 7))]


def test_steady_stays_and_touches_no_other_group(desk: Desk) -> None:
    for group in range(8):
        paint(desk, group, wire.STEADY)
        shown = desk.tester.pixels()
        for other, name in enumerate(NAMES):
            assert shown[name] == [WARM if other == group else "000000"] * wire.GROUPS[other]
        desk.run(1)
        assert desk.tester.pixels()["pictures"] == shown["pictures"]
        paint(desk, group, wire.STEADY, (colours.DARK, 255))


def test_each_pixel_has_its_own_colour_and_place(desk: Desk) -> None:
    for group, name in enumerate(NAMES):
        pixels = [(pixel % wire.COLOURS, 8 * pixel + group, wire.STEADY) for pixel in range(wire.GROUPS[group])]
        desk.client.want(wire.SCENE, group, b"".join(map(bytes, pixels)))
        peek(desk, group)
        assert desk.pixels(name) == [bytes(colours.dim(*pixel[:2])).hex() for pixel in pixels]


def test_blink_is_half_on_and_half_off_about_once_a_second(desk: Desk) -> None:
    paint(desk, wire.PUBLIC, wire.BLINK)
    film = desk.film("public", 2, 4.096)
    assert set(film) == {WARM, "000000"}
    assert film.count("000000") == pytest.approx(len(film) / 2, rel=0.05)
    changes = sum(a != b for a, b in pairwise(film))
    assert 7 <= changes <= 8  # every 512 ms


def test_pulse_swells_and_fades_and_never_goes_out(desk: Desk) -> None:
    paint(desk, wire.HOOD, wire.PULSE)
    film = [int(colour[:2], 16) for colour in desk.film("hood1", 4, 2.048)]
    assert min(film) == pytest.approx(200 * 32 / 256, abs=3) and max(film) == pytest.approx(200, abs=4)
    turns = [b for a, b, c in zip(film, film[1:], film[2:], strict=False) if (b - a) * (c - b) < 0]
    assert len(turns) <= 4
    assert max(abs(a - b) for a, b in pairwise(film)) <= 16  # smoothly


def test_chase_runs_round_the_group_with_a_tail(desk: Desk) -> None:
    paint(desk, wire.RING, wire.CHASE)
    heads = []
    for _ in range(52):
        desk.run(0.02)
        ring = [int(colour[:2], 16) for colour in desk.pixels("ring")]
        head = ring.index(max(ring))
        heads.append(head)
        assert [ring[(head - behind) % 32] for behind in range(5)] == [200, 100, 50, 25, 0]
        assert sum(map(bool, ring)) == 4
    assert set(heads) == set(range(32))
    steps = {(b - a) % 32 for a, b in pairwise(heads)}
    assert steps <= {0, 1}


def test_the_newest_scene_wins_and_is_what_the_table_says_it_holds(desk: Desk) -> None:
    for red in range(10):
        desk.client.want(wire.SCENE, wire.PUBLIC, bytes([colours.RED, red, wire.STEADY]) * 6)
    payload = wire.SCENE.encode(wire.PUBLIC, bytes([colours.RED, 9, wire.STEADY]) * 6)
    held = desk.status()["held"]
    assert int.from_bytes(held[4:8], "little") == wire.revision(wire.SCENE, payload)
    assert desk.pixels("public") == ["090000"] * 6


def test_a_question_lies_over_the_scene_and_gives_it_back(desk: Desk) -> None:
    paint(desk, wire.PUBLIC, wire.STEADY)
    desk.ask(wire.POLL, 0, 0b000010)
    shown = desk.pixels("public")
    assert shown[1] != WARM and [c for i, c in enumerate(shown) if i != 1] == [WARM] * 5
    desk.ask(wire.IDLE, 0)
    assert desk.pixels("public") == [WARM] * 6


def test_without_a_host_every_fourth_pixel_of_the_ring_says_so(desk: Desk) -> None:
    paint(desk, wire.RING, wire.STEADY)
    desk.client.close()
    clock = desk.clock
    clock.wait(2.5, None)
    assert desk.pixels("ring") == [WARM] * 32
    clock.wait(1.0, None)
    assert desk.pixels("ring") == (["000028"] + [WARM] * 3) * 8
    desk.new_client().open()
    desk.run(0.1)
    assert desk.pixels("ring") == [WARM] * 32


# -- at night ----------------------------------------------------------------------------------------------------------


def darken(desk: Desk, light: int) -> None:
    """Dim all groups; the ring and the public pixels are warm, the hoods are painted alike."""
    for group, count in enumerate(wire.GROUPS):
        desk.client.want(wire.SCENE, group, bytes((colours.WARM, 200, wire.STEADY)) * count, light)
    desk.run(0.2)


def dimmed(colour: Sequence[int], light: int) -> str:
    return bytes(channel * (light + 1) // 256 for channel in colour).hex()


@pytest.mark.parametrize("light", [wire.DIMMEST, 127])
def test_the_light_of_a_group_dims_what_is_painted(desk: Desk, light: int) -> None:
    darken(desk, light)
    desk.tester.press(2, "a", 20)
    desk.run(0.05)
    shown = desk.tester.pixels()
    for name in ("ring", "public", "hood2"):
        assert set(shown[name]) == {dimmed(colours.dim(colours.WARM, 200), light)}


def test_the_light_dims_what_a_question_shows_under_a_hood_and_openly(desk: Desk) -> None:
    darken(desk, wire.DIMMEST)
    desk.ask(wire.CHOICE, 0, 1, 0, b"\3" + bytes(5), bytes(6), bytes((colours.AZURE, colours.ORANGE)))
    hood = desk.pixels("hood1")
    assert hood[2] == dimmed(colours.GENUINE, wire.DIMMEST)
    looks = {dimmed(colours.option_look(index), wire.DIMMEST) for index in (colours.AZURE, colours.ORANGE)}
    assert looks < set(hood)
    film = [int(colour[:2], 16) for colour in desk.film("public", 0, 1.1)]
    assert 1 <= min(film) <= 3 and max(film) == pytest.approx(80 / 4, abs=1)


def test_nothing_of_the_table_s_own_is_dark_at_the_dimmest() -> None:
    looks: list[Sequence[int]] = [
        colours.ASKED,
        colours.PENDING,
        colours.LOCKED,
        colours.TAKEN,
        colours.REFUSED,
        colours.ALONE,
    ]
    looks += [colours.SERVICE, colours.GENUINE, colours.READY, colours.ROLLING, *colours.FACE_LOOKS]
    looks += [tuple(channel >> 3 for channel in colour) for colour in colours.NUMBERS]  # an option that is not open
    looks += [colours.dim(index, colours.OPTION_LEVEL // 8) for index in range(1, wire.COLOURS)]
    for look in looks:
        assert max(bytes.fromhex(dimmed(look, wire.DIMMEST))) >= 1, look


def test_the_light_is_full_again_for_another_log(desk: Desk) -> None:
    darken(desk, wire.DIMMEST)
    desk.client.close()
    desk.new_client(log=b"another!").open()
    paint(desk, wire.PUBLIC, wire.STEADY)
    desk.ask(wire.POLL, 0, 1)
    assert desk.pixels("public")[1:] == [WARM] * 5
    assert max(int(colour[:2], 16) for colour in desk.film("public", 0, 1.1)) == pytest.approx(80, abs=4)
