"""Parts of the firmware by themselves: in the MicroPython VM what needs its clock or its heap, in CPython the rest."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablier_fw.buttons import PRESSED, RELEASED, Buttons
from tablier_fw.pico import plain
from vm_cases import verdicts

SOURCE = (Path(__file__).parent / "vm_parts.py").read_text(encoding="utf-8")
CASES = re.findall(r"^def (case_\w+)", SOURCE, re.MULTILINE)


@pytest.fixture(scope="module", params=[16, 1])
def said(request: pytest.FixtureRequest) -> dict[str, str]:
    """The verdict of each case, on a board with time for much and on one with a Pico's."""
    assert SOURCE.count("\nBUDGET = 16 ") == 1
    return verdicts(SOURCE.replace("\nBUDGET = 16 ", f"\nBUDGET = {request.param} "))


@pytest.mark.parametrize("name", CASES)
def test_in_the_vm(said: dict[str, str], name: str) -> None:
    assert said.get(name) == "passed"


# -- contacts --------------------------------------------------------------------------------------------------

ALL = (1 << 24) - 1
SAMPLE = st.integers(0, ALL)


def pressed_by(samples: Iterable[int]) -> tuple[list[int], Buttons]:
    buttons = Buttons()
    return [buttons.sample(raw) for raw in samples], buttons


@given(st.integers(0, 23), st.integers(0, 30), st.integers(0, 30))
def test_so_many_equal_samples_make_a_press(bit: int, closed: int, opened: int) -> None:
    presses, buttons = pressed_by([1 << bit] * closed + [0] * opened)
    expected = [PRESSED - 1] if closed >= PRESSED else []
    assert [index for index, pressed in enumerate(presses) if pressed] == expected
    assert all(pressed in (0, 1 << bit) for pressed in presses)
    assert buttons.stable == (1 << bit if closed >= PRESSED and opened < RELEASED else 0)


@given(st.lists(st.integers(1, 30), max_size=20), st.integers(0, 23))
def test_a_spike_of_one_sample_is_no_press(gaps: list[int], bit: int) -> None:
    presses, buttons = pressed_by([raw for gap in gaps for raw in (1 << bit, *([0] * gap))])
    assert not any(presses) and buttons.stable == 0


@given(st.lists(st.integers(1, RELEASED - 1), max_size=20), st.integers(0, 23))
def test_a_pressed_button_is_locked_for_as_long_as_it_bounces(gaps: list[int], bit: int) -> None:
    """It was let go of when it has been open for long enough, and may be pressed again at once."""
    held = [1 << bit] * PRESSED + [raw for gap in gaps for raw in (*([0] * gap), 1 << bit)]
    presses, buttons = pressed_by(held)
    assert [index for index, pressed in enumerate(presses) if pressed] == [PRESSED - 1] and buttons.stable
    again = [0] * RELEASED + [1 << bit] * PRESSED
    assert [index for index, raw in enumerate(again) if buttons.sample(raw)] == [RELEASED + PRESSED - 1]


@given(SAMPLE)
def test_what_is_held_at_boot_was_pressed_for_something_else(held: int) -> None:
    buttons = Buttons(held)
    assert not any(buttons.sample(held) for _ in range(2 * RELEASED))
    for _ in range(RELEASED):
        buttons.sample(0)
    assert [buttons.sample(held) for _ in range(PRESSED)][-1] == held


def one_by_one(samples: Iterable[int], closed: int = PRESSED, released: int = RELEASED) -> tuple[list[int], int]:
    """A debouncer of single buttons, as simple as can be: the model."""
    stable, run, presses = 0, [0] * 24, []
    for raw in samples:
        pressed = 0
        for bit in range(24):
            run[bit] = run[bit] + 1 if (raw ^ stable) >> bit & 1 else 0
            if run[bit] == (released if stable >> bit & 1 else closed):
                run[bit] = 0
                stable ^= 1 << bit
                pressed |= stable & 1 << bit
        presses.append(pressed)
    return presses, stable


RUNS = st.lists(st.tuples(SAMPLE, st.integers(1, 7)), max_size=30).map(
    lambda runs: [raw for raw, count in runs for _ in range(count)]
)


@given(RUNS)
def test_all_buttons_together_are_each_button_alone(samples: list[int]) -> None:
    presses, buttons = pressed_by(samples)
    assert (presses, buttons.stable) == one_by_one(samples)


CHATTER = st.binary(min_size=3 * 210, max_size=3 * 210).map(
    lambda drawn: [int.from_bytes(drawn[at : at + 3], "big") for at in range(0, len(drawn), 3)]
)


PICO_RUNS = st.lists(st.tuples(st.sampled_from([0, 1, 2, 5]) | SAMPLE, st.integers(1, 20)), max_size=20).map(
    lambda runs: [raw for raw, count in runs for _ in range(count)]
)
GOOD = 0x65


@given(PICO_RUNS, st.lists(st.integers(1, 100), min_size=1), st.sampled_from([ALL, 0xFF]))
def test_a_pico_debounces_its_ring_of_samples_as_the_model_does(
    samples: list[int], turns: list[int], there: int
) -> None:
    """Whatever number of samples comes between two looks; a bad one between any two changes nothing."""
    words = [word for raw in samples for word in (GOOD << 24 | raw ^ ALL, raw)]
    ring, state, found = [0] * 128, [0, 127, 0, there, 0, 0, 0, 0, 0, 0, 0], []
    begin = 0
    while begin < len(words):
        end = min(begin + turns[begin % len(turns)], len(words))
        for at in range(begin, end):
            ring[at % 128] = words[at]
        while pressed := plain.scan(ring, state, end % 128, GOOD):
            found.append(pressed)
        begin = end
    presses, stable = one_by_one([raw & there for raw in samples], plain.PRESSED, plain.RELEASED)
    assert (found, state[2]) == ([pressed for pressed in presses if pressed], stable)
    if samples:
        assert state[9] == (samples[-1] ^ stable) & there
        assert state[10] == 1


@given(RUNS, CHATTER, st.integers(0, 23))
def test_chatter_elsewhere_never_delays_a_button(samples: list[int], chatter: list[int], bit: int) -> None:
    """Whatever the other contacts do, this one counts at the same samples."""
    mask = 1 << bit
    noisy = [raw & mask | other & ~mask for raw, other in zip(samples, chatter, strict=False)]
    alone = [pressed & mask for pressed in pressed_by([raw & mask for raw in samples])[0]]
    among = [pressed & mask for pressed in pressed_by(noisy)[0]]
    assert among == alone[: len(among)]


@given(st.lists(st.integers(1, RELEASED - 1), min_size=1, max_size=20), st.integers(0, 23))
def test_a_contact_that_bounces_is_one_press(bounces: list[int], bit: int) -> None:
    """However often it opens again for less than that many samples."""
    samples, closed = [], True
    for length in bounces:
        samples += [(1 << bit) * closed] * length
        closed = not closed
    presses, _ = pressed_by(samples + [1 << bit] * (2 * RELEASED))
    assert [pressed for pressed in presses if pressed] == [1 << bit]


@given(RUNS)
def test_settled_says_whether_a_sample_more_may_change_something(samples: list[int]) -> None:
    buttons = Buttons()
    for raw in samples:
        buttons.sample(raw)
        assert buttons.settled == (raw == buttons.stable)


def test_bits_beyond_the_buttons_are_nothing() -> None:
    presses, buttons = pressed_by([0xFF << 24] * 20)
    assert not any(presses) and buttons.stable == 0 and buttons.settled
