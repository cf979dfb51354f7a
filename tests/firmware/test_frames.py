"""Whether USB frames come, at any moments at which the port looks: a dead bus is never taken for one that is alive."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from tablier_fw.pico.frames import COUNT, Frames

UNNOTICED_MS = 3
"""MicroPython has not learned of a suspend before that: what is written until then waits for nobody."""


@given(
    st.integers(0, COUNT - 1),
    st.lists(st.tuples(st.sampled_from(["frames", "none"]), st.lists(st.integers(0, 40), max_size=30)), max_size=6),
)
@example(3, [("none", [4])])
def test_a_dead_bus_is_never_written_to_and_one_that_is_alive_soon_is(
    first: int, spells: list[tuple[str, list[int]]]
) -> None:
    now, number = 1000, first
    frames = Frames(now)
    for kind, looks in [*spells, ("frames", [1, 1, 1])]:
        since = now
        for pause in looks:
            now += pause
            number += pause * (kind == "frames")
            come = frames.come(number % COUNT, now)
            if kind == "none" and now - since > UNNOTICED_MS:
                assert not come and frames.stood
    assert come, "the bus is alive, and the port was looked at three times"


def test_looks_within_a_millisecond_do_not_revive_a_bus_that_stood() -> None:
    frames = Frames(0)
    assert not frames.come(7, 5) and frames.come(8, 6)
    frames.stood = False
    assert not frames.come(8, 20) and frames.stood
    assert not frames.come(8, 20) and not frames.come(8, 21)
