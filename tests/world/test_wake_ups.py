"""The heap of what is due."""

from __future__ import annotations

import math

from tablier.waiting import WakeUps


def test_what_is_due_is_done_in_order_of_time_and_then_of_setting() -> None:
    heap, done = WakeUps(), list[str]()
    for name, at in (("late", 3.0), ("second", 1.0), ("third", 1.0), ("first", 0.5), ("never", None)):
        heap.add(lambda name=name: done.append(name)).set(at)  # type: ignore[misc]
    assert heap.next == 0.5
    heap.run(1.0)
    assert done == ["first", "second", "third"] and heap.next == 3.0
    heap.run(9.0)
    assert done[3:] == ["late"] and heap.next == math.inf


def test_a_wake_up_has_one_time() -> None:
    heap, done = WakeUps(), list[float]()
    one = heap.add(lambda: done.append(one.at))
    one.set(1.0)
    one.set(2.0)
    assert heap.next == 2.0
    one.set(1.0)
    one.set(None)
    heap.run(5.0)
    assert not done and heap.next == math.inf


def test_what_comes_up_again_waits_for_the_next_round() -> None:
    heap, turns = WakeUps(), list[str]()

    def again(name: str, at: float) -> None:
        turns.append(name)
        one[name].set(at)

    one = {name: heap.add(lambda name=name: again(name, 1.5)) for name in "ab"}  # type: ignore[misc]
    for each in one.values():
        each.set(1.0)
    heap.run(1.0)
    assert turns == ["a", "b"]
    heap.run(2.0, lambda: len(turns) >= 3)
    assert turns == ["a", "b", "a"], "it is enough"
