# ruff: noqa: T201
"""Print what the two sensors in the floor see, twice a second. Run with ``mpremote run``, stop with Ctrl-C."""

from time import sleep_ms

from tablier_fw.pico.floor import Floor

floor = Floor()
while True:
    floor.measure()
    for _ in range(4):  # as play does: two steps a place
        floor.step()
    print("offer", floor.seen[0], floor.occupied[0], " pile", floor.seen[1], floor.occupied[1])
    sleep_ms(500)
