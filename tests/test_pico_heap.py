"""The main loop on an emulated Pico with a locked heap: what takes memory while nothing is said is found here.

MicroPython raises MemoryError where something is allocated while the heap is locked; the firmware then starts again.
"""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

import pytest

from pico_image import needs_image
from tablier_fw import wire

if TYPE_CHECKING:
    from pico_desk import PicoDesk

pytestmark = needs_image

LOOP = """        board.wait(table.pause())
        table.tick()
"""
# A tick runs with a locked heap. What decodes, builds or hands over a frame, and what is pressed or thrown, opens it
# for as long as that takes, and the tick is counted as one of those.
OPENING = '''
    from time import sleep_ms
    from micropython import alloc_emergency_exception_buf, heap_lock, heap_unlock
    from tablier_fw.questions.window import Window
    alloc_emergency_exception_buf(1000)  # for where it was
    opened = bytearray(2)  # whether the heap was opened in this tick; whether it is locked
    def opens(owner, name, arguments, when="True"):
        names = {"opened": opened, "inner": getattr(owner, name), "lock": heap_lock, "unlock": heap_unlock}
        exec("""def outer(%s):
    if not opened[1] or not %s:
        return inner(%s)
    unlock()
    opened[0], opened[1] = 1, 0
    try:
        return inner(%s)
    finally:
        opened[1] = 1
        lock()""" % (arguments, when, arguments, arguments), names)
        setattr(owner, name, names["outer"])
    opens(table.link, "receive", "")
    opens(table.session, "take", "message, payload, run, now")
    opens(table.journal, "tick", "now")
    opens(table.status, "_send", "")
    opens(table.link, "flush", "")
    opens(table.asked, "press", "pressed")
    opens(table.landings, "edge", "ms, line, level, us")
    opens(table.landings, "_classify", "visitor")
    opens(board, "long_us", "us")
    opens(board, "must_collect", "busy, settled", "busy")
    for _ in range(20):  # what is made once
        board.wait(table.pause())
        table.tick()
    asked = None
    ticks = locked = told = 0
    while True:
'''
LOCKED = """        if isinstance(table.asked.question, Window) and table.asked.question is not asked:
            asked = table.asked.question
            opens(asked, "take_landing", "landing")
            opens(asked, "_report", "")
        pause = table.pause()
        heap_lock()
        opened[1] = 1
        try:
            board.wait(pause)
            table.tick()
            opened[1] = 0
            heap_unlock()
        except MemoryError as error:
            heap_unlock()
            sys.print_exception(error)
            sleep_ms(100)  # so that it is sent
            raise
        ticks += 1
        locked += not opened[0]
        opened[0] = 0
        if ticks >= told + 10 and not table.link.waiting:  # else it would come in the middle of a frame
            told = ticks
            print("ticks", ticks, "locked", locked)
"""


@pytest.fixture(scope="module")
def printed() -> bytearray:
    """Return all that the Pico has sent."""
    return bytearray()


@pytest.fixture(scope="module")
def desk(printed: bytearray) -> PicoDesk:
    pytest.importorskip("rp2040py", reason="rp2040py is not installed; make sets it up")
    from pico_desk import PicoDesk, changed

    desk = PicoDesk(files=changed("tablier_fw/pico/start.py", (LOOP, LOCKED), ("    while True:\n", OPENING)))
    take = desk.pico.on_data

    def keep(data: bytes) -> None:
        printed.extend(data)
        take(data)

    desk.pico.on_data = keep
    desk.start()
    return desk


def counts(printed: bytearray) -> list[int]:
    """(ticks, of which with a locked heap throughout)"""
    return [int(number) for number in re.findall(rb"ticks ([0-9]+) locked ([0-9]+)", printed)[-1]]


def test_a_tick_without_a_frame_takes_no_memory(desk: PicoDesk, printed: bytearray) -> None:
    for group, count in enumerate(wire.GROUPS):
        desk.say(wire.SCENE, group, bytes((5, 90, wire.PULSE)) * count)
    desk.say(wire.WATCH, 1, 0, 0b111111)
    desk.run(300)
    boot, before = desk.boot, counts(printed)
    for bit in range(6):
        desk.wiring.buttons = 1 << bit
        desk.run(14)
        desk.wiring.buttons = 0
        desk.run(40)
    desk.run(1200)
    ticks, locked = (now - then for now, then in zip(counts(printed), before, strict=True))
    assert len(desk.of(wire.PRESSED)) == 6
    assert (desk.boot, desk.pico.resets_us) == (boot, []), "a tick took memory"
    assert ticks > 60 and locked > 0.4 * ticks


def test_nor_does_one_while_a_card_settles(desk: PicoDesk, printed: bytearray) -> None:
    desk.say(wire.WINDOW, 2, 0, 0b111111, 0, 5000, 1000, 0)
    desk.run(60)
    boot, before = desk.boot, counts(printed)
    begin = desk.pico.now
    for us, beam, level in ((0, 4, 1), (5000, 0, 1), (17000, 4, 0), (24000, 0, 0)):
        desk.pico.at(begin + 1000 + us, partial(desk.wiring.block, beam, bool(level)))
    desk.pico.at(begin + 30000, desk.wiring.impact)
    landed = desk.until(wire.LANDED)
    assert (landed["landing"], landed["impacts"], landed["doubts"]) == (0, 1, 0)
    desk.run(300)
    ticks, locked = (now - then for now, then in zip(counts(printed), before, strict=True))
    assert (desk.boot, desk.pico.resets_us) == (boot, []), "a tick took memory"
    assert ticks > 60 and locked > 0.4 * ticks
