"""A Raspberry Pi Pico, emulated: PyPI's ``rp2040py`` runs an unmodified MicroPython image.

Its pins are wired in :mod:`tablier.simulation.wiring`.

Everything happens in the caller's thread. Emulated time moves only inside :meth:`Pico.run_until`, so the same calls
give the same microseconds. It is slow while the emulated processor works, and costs next to nothing while it sleeps.

The devices in this module add what the emulator lacks: a USB host that asks only when it has data, state machines that
run while the processor sleeps, PWM that costs time only while it moves a pin, a board id, noise.
"""

from __future__ import annotations

import dataclasses
import hashlib
import os
import random
import struct
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from littlefs import LittleFS, UserContext
from rp2040py.boards import BOARDS, FlashLayout, resolve_firmware
from rp2040py.device import MicroPythonDevice
from rp2040py.device.base_device import ResetCause
from rp2040py.execute_batch import execute_batch
from rp2040py.external import ExternalDevice
from rp2040py.external.ws2812 import Ws2812
from rp2040py.memory_map import FLASH_START_ADDRESS
from rp2040py.peripherals.peripheral import BasePeripheral
from rp2040py.peripherals.pwm import CSR_A_INV, CSR_B_INV
from rp2040py.peripherals.usb import INTE, INTR_DEV_SOF, SIE_RESUME, SIE_STATUS, SIE_SUSPENDED, SOF_RD

from tablier.simulation.chip import Chip, PicoError
from tablier.simulation.parts import Light, ShiftRegister
from tablier.texts import Text
from tablier_fw.system import TESTED

IMAGE = "TABLIER_PICO_IMAGE"
"""The environment variable that names the MicroPython image (UF2) to boot."""

_VERSION = ".".join(map(str, (*TESTED, 0)))
_SHA256 = "00aedb8431ebea83b470ef909509f16432c5b1b43e8f6eaf015f6f9560bc8152"
"""The sum of ``RPI_PICO-20260406-v1.28.0.uf2`` of micropython.org, which is what is downloaded."""
"""Of the image that is downloaded where none is named."""
_BLOCK, _UF2, _RP2040 = 512, (0x0A324655, 0x9E5D5157), 0xE48BFF56
_CYCLE_NANOS = 8.0  # 125 MHz
_STALL = FLASH_START_ADDRESS + 0x9FFF0
"""Behind the image and before the file system: nothing lies there."""
_SLEEP = bytes.fromhex("30bf fde7")  # wfi; and again
_SYSTICK, _DISABLE = 0xE000E010, 0xE000E180  # SYST_CSR, NVIC_ICER
_PIO, _PIO_SIZE = 0x50200000, 0x100000  # CTRL, whose lowest bits enable the state machines
_FILE_SYSTEM_VERSION = 0x00020000


class _UsbHost:
    """The computer at the other end of the USB cable.

    The emulator's own answers every request of the Pico at once with an empty packet, so that the processor never
    sleeps. This one answers when it has data, and gives the start-of-frame interrupts the firmware asks for. It hooks
    into the USB console when that has attached itself, hence the alarm.

    The Pico does not sense the voltage of the USB (TinyUSB's driver forces its detection), so a cable that is pulled
    out and a computer that sleeps are the same to it: frames stop, 3 ms later the controller reports a suspend
    (USB 2.0, 7.1.7.6), and DTR stays as it was.
    """

    LATENCY_NANOS = 50_000.0
    SUSPEND_NANOS = 3e6
    RESUME_NANOS = 20e6
    """The time for which a computer drives the resume signal before it sends frames again (USB 2.0, 7.1.7.7)."""
    RESET_NANOS = 10.5e6
    """The time for which it drives the reset (10 ms in the emulator); it sends no frames before that has ended. Else a
    write would meet an endpoint that TinyUSB has just closed, and it would panic."""

    def __init__(self) -> None:
        self._reads = True
        self._awake = True
        self._last_frame = 0
        self._held: tuple[int, int] | None = None
        self._pending: list[tuple[int, int]] = []
        self._serving = False
        self._frames = False
        self._console: Any = None

    def attach(self, rp2040: Any) -> None:
        self._usb = rp2040.usb_ctrl
        self._clock = rp2040.clock
        self._install_alarm = rp2040.clock.create_alarm(self._install)
        self._serve_alarm = rp2040.clock.create_alarm(self._serve)
        self._frame_alarm = rp2040.clock.create_alarm(self._frame)
        self._suspend_alarm = rp2040.clock.create_alarm(self._report_suspend)
        self._resume_alarm = rp2040.clock.create_alarm(self._wake)
        self._install_alarm.schedule(1000.0)

    def _install(self) -> None:
        usb = self._usb
        self._console = usb.on_reset.__self__
        self._answer, self._reset = usb.on_endpoint_read, usb.on_reset
        usb.on_endpoint_read, usb.on_reset = self._asked, self._on_reset
        queue = self._console.tx_fifo
        push = queue.push

        def pushed(value: int) -> None:
            push(value)
            if self._pending and not self._serving:
                self._serving = True
                self._serve_alarm.schedule(self.LATENCY_NANOS)

        queue.push = pushed
        self._deliver, usb.dpram_updated = usb.dpram_updated, self._updated
        self._write, self._read = usb.write_uint32, usb.read_uint32
        usb.write_uint32, usb.read_uint32 = self._register_write, self._register_read

    def _asked(self, endpoint: int, size: int) -> None:
        if endpoint == self._console._out_endpoint and (self._console.tx_fifo.empty or not self._awake):
            self._pending.append((endpoint, size))
        else:
            self._answer(endpoint, size)

    def _serve(self) -> None:
        self._serving = False
        if self._pending and self._awake and not self._console.tx_fifo.empty:
            self._answer(*self._pending.pop(0))

    def _on_reset(self) -> None:
        self._forget()
        self._reset()

    def _forget(self) -> None:
        self._pending.clear()
        self._held = None
        self._serve_alarm.cancel()
        self._serving = False

    def reads(self, reads: bool) -> None:
        """True while the computer takes what the Pico sends."""
        self._reads = reads
        self._release()

    def _release(self) -> None:
        if self._reads and self._awake and self._held:
            held, self._held = self._held, None
            self._deliver(*held)

    @property
    def awake(self) -> bool:
        """Return whether the computer sends frames."""
        return self._awake

    def sleep(self) -> None:
        """Stop sending frames."""
        if self._awake:
            self._last_frame = self._frame_number()
            self._awake = False
            self._suspend_alarm.schedule(self.SUSPEND_NANOS)
        self._resume_alarm.cancel()

    def resume(self) -> None:
        """Wake the Pico, then send frames again."""
        if self._awake:
            return
        self._suspend_alarm.cancel()
        self._signal(SIE_RESUME)
        self._resume_alarm.schedule(self.RESUME_NANOS)

    def plug(self) -> None:
        """Reset the bus and find the Pico again, as a computer does where a device comes."""
        if self._console is None:
            return  # the Pico has not started: it finds the cable in
        self._suspend_alarm.cancel()
        self._resume_alarm.cancel()
        self._forget()
        self._console._on_controller_reset()
        self._usb.reset_device()
        self._resume_alarm.schedule(self.RESET_NANOS)

    def _report_suspend(self) -> None:
        self._signal(SIE_SUSPENDED)

    def _signal(self, bit: int) -> None:
        self._usb._sie_status |= bit
        self._usb._sie_status_updated()

    def _wake(self) -> None:
        self._awake = True
        self._release()
        if self._pending and not self._console.tx_fifo.empty and not self._serving:
            self._serving = True
            self._serve_alarm.schedule(self.LATENCY_NANOS)

    def _updated(self, offset: int, value: int) -> None:
        endpoint = self._console._in_endpoint
        quiet = not (self._reads and self._awake)
        if quiet and value & 0x400 and endpoint > 0 and offset == 0x80 + 8 * endpoint:
            self._held = (offset, value)  # the buffer is full, and nobody comes for it
        else:
            self._deliver(offset, value)

    def _register_write(self, offset: int, value: int) -> None:
        if offset == SIE_STATUS and self._usb.raw_write_value & SIE_SUSPENDED:
            self._usb._sie_status &= ~SIE_SUSPENDED  # which the emulator takes for a level
        self._write(offset, value)
        if offset == INTE and value & INTR_DEV_SOF and not self._frames:
            self._frames = True
            self._frame_alarm.schedule(1e6 - self._clock.nanos % 1e6)

    def _register_read(self, offset: int) -> int:
        if offset == SOF_RD:
            self._usb._int_raw &= ~INTR_DEV_SOF
            self._usb.check_interrupts()
            return self._frame_number() if self._awake else self._last_frame
        return int(self._read(offset))

    def _frame_number(self) -> int:
        return int(self._clock.nanos / 1e6) & 0x7FF

    def _frame(self) -> None:
        usb = self._usb
        self._frames = bool(usb._int_enable & INTR_DEV_SOF)
        if self._frames:
            if self._console._initialized and self._awake:
                usb._int_raw |= INTR_DEV_SOF
                usb.check_interrupts()
            self._frame_alarm.schedule(1e6)


class _Noise(BasePeripheral):
    """The ring oscillator's random bit, which the emulator leaves at one. With a seed it is the same in each run."""

    _RANDOM_BIT, _STATUS = 0x1C, 0x18
    _RUNNING = 0x80001000

    def __init__(self, seed: int | None) -> None:
        self._random = random.Random(seed) if seed is not None else random.SystemRandom()

    def attach(self, rp2040: Any) -> None:
        super().__init__(rp2040, "ROSC_BASE")
        rp2040.peripherals[0x40060] = self

    def read_uint32(self, offset: int) -> int:
        if offset == self._RANDOM_BIT:
            return self._random.getrandbits(1)
        return self._RUNNING if offset == self._STATUS else 0

    def write_uint32(self, offset: int, value: int) -> None:
        pass


class _FlashId:
    """The id of the flash chip, which is the board's. The emulator's is the same for every board."""

    _READ_ID = 0x4B

    def __init__(self, board: bytes) -> None:
        self._board = board

    def attach(self, rp2040: Any) -> None:
        flash, shift = rp2040.ssi, rp2040.ssi._shift_byte

        def shifted(byte: int) -> int:
            answer = shift(byte)
            position = len(flash._tx_buffer) - 1 - 5  # after the command and four bytes of nothing
            if flash._tx_buffer[0] == self._READ_ID and 0 <= position < len(self._board):
                return self._board[position]
            return int(answer)

        flash._shift_byte = shifted


class _Pace:
    """Run the state machines while the processor sleeps: an alarm for each of their instructions."""

    class _Bus:
        """Stands for a block of state machines on the bus, to see when one is started or fed."""

        def __init__(self, block: Any, kick: Callable[[], None]) -> None:
            self._block, self._kick = block, kick

        def __getattr__(self, name: str) -> Any:
            return getattr(self._block, name)

        def write_uint32(self, offset: int, value: int) -> None:
            self._block.write_uint32(offset, value)
            self._kick()

        def write_uint32_atomic(self, offset: int, value: int, kind: int) -> None:
            self._block.write_uint32_atomic(offset, value, kind)
            self._kick()

    def attach(self, rp2040: Any) -> None:
        self._blocks = list(rp2040.pio)
        self._running = False
        self._steps = rp2040.clock.create_alarm(self._step)
        self._looks = rp2040.clock.create_alarm(self._look)
        for base, block in zip((0x50200, 0x50300), self._blocks, strict=True):
            rp2040.peripherals[base] = self._Bus(block, self.kick)

    def kick(self) -> None:
        if not self._running:
            self._look()

    def _step(self) -> None:
        # The machine takes its step when this alarm has been served: only then is known when its next one is due.
        self._looks.schedule(_CYCLE_NANOS)

    def _look(self) -> None:
        due = min(
            (
                machine.next_due_fp - block.cycle_fp
                for block in self._blocks
                if not block.stopped
                for machine in block.machines
                if machine.enabled and not machine.waiting
            ),
            default=None,
        )
        self._running = due is not None
        if due is not None:
            self._steps.schedule(max(1, (due >> 8) - 1) * _CYCLE_NANOS)


class _Still:
    """Suspends PWM channels that hold their pins low.

    The emulator serves three alarms in each period of a running channel: at 2 MHz, nearly two minutes of its time for a
    second of the Pico's, even at a duty of 0. Such a channel stops at the end of a period. With the next write to any
    register of the PWM it continues where it would be by then. The table uses no interrupt or DMA request of the PWM.
    """

    def attach(self, rp2040: Any) -> None:
        self._pwm = rp2040.pwm
        self._write = self._pwm.write_uint32
        self._pwm.write_uint32 = self._register_write
        for channel in self._pwm.channels:
            wrap = channel.alarm_bottom.callback
            channel.alarm_bottom.callback = lambda channel=channel, wrap=wrap: self._wrap(channel, wrap)

    @staticmethod
    def _switch(channel: Any, on: bool) -> None:
        for alarm in (channel.alarm_a, channel.alarm_b, channel.alarm_bottom):
            alarm.enable = on

    def _wrap(self, channel: Any, wrap: Callable[[], None]) -> None:
        wrap()
        inverted = channel.csr & (CSR_A_INV | CSR_B_INV)
        if not (channel.alarm_a.target or channel.alarm_b.target or inverted or self._pwm._int_enable):
            channel.set_a(False)
            channel.set_b(False)
            self._switch(channel, False)

    def _register_write(self, offset: int, value: int) -> None:
        for channel in self._pwm.channels:
            self._switch(channel, True)
        self._write(offset, value)


def image() -> str | None:
    """Return the image that the environment names, if any."""
    return os.environ.get(IMAGE) or None


def with_image(spec: Any, path: str | None) -> Any:
    """Return a board with the image of this path, or one that is downloaded. Raise :class:`PicoError`."""
    if path is not None and not Path(path).is_file():
        text = "{path}: there is no such file; {variable} names the MicroPython image of the Pico (UF2)"
        raise PicoError(text, path=path, variable=IMAGE)
    why: Text | str = Text("the server does not answer")
    try:
        resolved = resolve_firmware(spec, "micropython", path or _VERSION)
    except OSError as error:
        reason = getattr(error, "reason", error)  # urllib's error wraps the system's
        resolved, why = None, getattr(reason, "strerror", None) or str(reason)
    if resolved is None or resolved.image is None:
        text = "MicroPython {version} for the Pico cannot be downloaded ({why}); {variable} can name its UF2"
        raise PicoError(text, version=_VERSION, why=why, variable=IMAGE)
    try:
        data = Path(resolved.image).read_bytes()
    except OSError as error:
        text = "{path}: {why}; {variable} can name another image"
        raise PicoError(text, path=resolved.image, why=error.strerror, variable=IMAGE) from None
    seen = hashlib.sha256(data).hexdigest()
    if path is None and seen != _SHA256:
        raise PicoError(
            "{path}: downloaded with SHA-256 {seen}, but MicroPython {version} has {wanted}; delete it and try again,"
            " or let {variable} name an image that you trust",
            path=resolved.image,
            seen=seen,
            version=_VERSION,
            wanted=_SHA256,
            variable=IMAGE,
        )
    if not _is_image(data):
        text = "{path}: no whole image for the Pico (UF2); {variable} can name one of MicroPython"
        raise PicoError(text, path=resolved.image, variable=IMAGE)
    return resolved


def _is_image(data: bytes) -> bool:
    """Return whether that is a UF2 with all its blocks, for this chip."""
    if len(data) % _BLOCK:
        return False
    blocks = [struct.unpack_from("<8I", data, start) for start in range(0, len(data), _BLOCK)]
    mine = [block for block in blocks if block[7] == _RP2040]
    return bool(mine) and len(mine) == mine[0][6] and all(block[:2] == _UF2 for block in blocks)


def uf2_blocks(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Return the address and contents of each block of an image for this chip."""
    for start in range(0, len(data), _BLOCK):
        *_, address, size, _, _, family = struct.unpack_from("<8I", data, start)
        if family == _RP2040:
            yield address, data[start + 32 : start + 32 + size]


def file_system(files: Mapping[str, bytes], layout: FlashLayout) -> bytes:
    """Return a littlefs with these files."""
    size = layout.fs_blocksize * layout.fs_blockcount
    disk = LittleFS(
        context=UserContext(buffsize=size),
        block_size=layout.fs_blocksize,
        block_count=layout.fs_blockcount,
        prog_size=256,
        read_size=32,
        disk_version=_FILE_SYSTEM_VERSION,
    )
    for name, data in files.items():
        parent = str(Path(name).parent)
        if parent != ".":
            disk.makedirs(parent, exist_ok=True)
        with disk.open(name, "wb") as file:
            file.write(data)
    disk.unmount()
    return bytes(disk.context.buffer)


class Pico(Chip):
    """One emulated Pico with these files in its flash; it starts when time first moves.

    ``image_path`` is that of a MicroPython UF2; without one, the image that the environment names, and without that,
    what ``rp2040py`` downloads. ``seed`` makes its noise the same in each run. Raises :class:`PicoError`.
    """

    def __init__(
        self,
        files: Mapping[str, bytes],
        *,
        board: bytes,
        image_path: str | None = None,
        seed: int | None = None,
        devices: Iterable[ExternalDevice] = (),
    ) -> None:
        super().__init__()
        self._host = _UsbHost()
        self._pace = _Pace()
        extras: list[Any] = [*devices, _FlashId(board), self._host, self._pace, _Still(), _Noise(seed)]
        pico = BOARDS["pico"]
        spec = dataclasses.replace(pico, extras=(*pico.extras, *(lambda extra=extra: extra for extra in extras)))
        resolved = with_image(spec, image_path or image())
        assert resolved.layout is not None
        self._device = MicroPythonDevice(board=resolved)
        self._simulator = self._device.simulator
        self.chip: Any = self._device.mcu
        start = resolved.layout.fs_start
        disk = file_system(files, resolved.layout)
        self.chip.flash[start : start + len(disk)] = disk
        self._console = self._device.cdc
        self._console.on_serial_data = self._sent
        self._console.on_device_connected = self._connected
        self._clock = self._simulator.clock
        self._stop_alarm = self._clock.create_alarm(self._stop)
        self._feed_alarm = self._clock.create_alarm(self._feed)
        self._alarms: list[Any] = []
        self._waiting = bytearray()
        self._opened = True
        trigger = self.chip.watchdog.on_watchdog_trigger

        def watchdog() -> None:
            self.resets_us.append(self.now)
            trigger()

        self.chip.watchdog.on_watchdog_trigger = watchdog
        self.chip.core.pc = FLASH_START_ADDRESS

    # -- time --------------------------------------------------------------------------------------------

    @property
    def now(self) -> float:
        """Return the emulated µs since power-on; a reset does not change it."""
        return float(self._clock.nanos) / 1000

    def _stop(self) -> None:
        self._simulator.stopped = True

    def run_until(self, us: float) -> None:
        """Let emulated time pass until a time in µs."""
        if us <= self.now:
            return
        self._stop_alarm.schedule(us * 1000 - self._clock.nanos)
        self._simulator.stopped = False
        while not self._simulator.stopped:
            execute_batch(self._simulator, 1)

    def at(self, us: float, action: Callable[[], None]) -> None:
        """Do something at that time exactly, between two instructions."""

        def fire() -> None:
            self._alarms.remove(alarm)
            action()

        alarm = self._clock.create_alarm(fire)
        self._alarms.append(alarm)
        alarm.schedule(max(0.0, us * 1000 - self._clock.nanos))

    # -- the USB cable -----------------------------------------------------------------------------------

    def _connected(self) -> None:
        self.connected_us.append(self.now)
        if not self._opened:
            self._console.set_control_lines(dtr=False, rts=False)

    def _sent(self, data: bytes | bytearray) -> None:
        self.on_data(bytes(data))

    def write(self, data: bytes) -> None:
        """Queue bytes for the firmware; they go in as time passes."""
        self._waiting += data
        self._feed()

    def _feed(self) -> None:
        queue = self._console.tx_fifo
        while self._waiting and not queue.full:
            queue.push(self._waiting.pop(0))
        if self._waiting:
            self._feed_alarm.schedule(200_000.0)

    @property
    def pending(self) -> int:
        """Return the number of bytes still to go in."""
        return len(self._waiting)

    def open(self) -> None:
        """Open the port, as a program does. It is open at the start."""
        self._host.reads(True)
        self._set_lines(True)

    def close(self) -> None:
        """Close the port: the Pico sees that, and its output is not read."""
        self._waiting.clear()
        self._set_lines(False)
        self._host.reads(False)

    def _set_lines(self, opened: bool) -> None:
        self._opened = opened
        if self._console._initialized:  # else the Pico is told when it has been found at the USB
            self._console.set_control_lines(dtr=opened, rts=opened)

    def sleep(self) -> None:
        """Let the computer sleep with its port open."""
        self._host.sleep()

    def unplug(self) -> None:
        """Pull the cable out. The Pico has power, and sees what it sees where the computer sleeps."""
        self._waiting.clear()
        self._host.sleep()

    def wake(self) -> None:
        """Wake the computer again."""
        self._host.resume()

    def plug(self) -> None:
        """Put the cable in: the computer resets the bus, finds the Pico, and a program opens the port."""
        self._opened = True
        self._host.reads(True)
        self._host.plug()

    def hang(self, hangs: bool) -> None:
        """Keep the port open without reading, or read again."""
        self._host.reads(not hangs)

    # -- the pins ------------------------------------------------------------------------------------------

    def drive(self, gpio: int, level: bool) -> None:
        """Drive an input from outside."""
        pin = self.chip.gpio[gpio]
        # The emulator would see an edge where none is.
        if not pin._driven or level != pin._raw_input_value:
            pin.set_input_value(level)
            self._pace.kick()

    def watch(self, gpio: int, listener: Callable[[bool], None]) -> None:
        """Call back whenever the level of a pin changes; a pin that is not driven counts as low."""

        def changed(new: Any, old: Any) -> None:
            listener(new.name == "HIGH")

        self.chip.gpio[gpio].add_listener(changed)

    def driven(self, gpio: int) -> bool:
        """Return whether the Pico drives this pin high."""
        return bool(self.chip.gpio[gpio].value.name == "HIGH")

    def measure(self, channel: int, volts: float) -> None:
        """Lay a voltage on an analogue input, counted from GP26."""
        self.chip.adc.channel_values[channel] = max(0, min(4095, round(volts / 3.3 * 4095)))

    def register(self, load: int, clock: int, data: int) -> Callable[[int | None], None]:
        return ShiftRegister(self, load, clock, data).set

    def pixels(self, gpio: int, listener: Callable[[bytes], None]) -> None:
        chain = Ws2812(gpio)
        chain.on_pixels = lambda pixels: listener(bytes(channel for pixel in pixels for channel in pixel))
        chain.attach(self.chip)

    def light(self, gpio: int, receivers: Sequence[int], sees: Callable[[float], int]) -> Callable[[], None]:
        return Light(self, gpio, receivers, sees).show

    def run_machine(self, block: int, number: int, runs: bool) -> None:
        """Stop a state machine of the PIO, or let it run on."""
        control = _PIO + block * _PIO_SIZE
        enabled = self.chip.read_uint32(control)
        self.chip.write_uint32(control, enabled | 1 << number if runs else enabled & ~(1 << number))

    def stall(self) -> None:
        """Hang the firmware: the processor sleeps and no interrupt wakes it. Only a reset ends that, such as the
        watchdog's."""
        start = _STALL - FLASH_START_ADDRESS
        self.chip.flash[start : start + len(_SLEEP)] = _SLEEP
        self.chip.write_uint32(_SYSTICK, 0)
        self.chip.write_uint32(_DISABLE, 0xFFFFFFFF)
        self.chip.core.pc = _STALL

    # -- resets ----------------------------------------------------------------------------------------------

    def reset(self) -> None:
        """Press the reset button."""
        self._waiting.clear()
        self._stop_watchdog()
        self._device.hard_reset(cause=ResetCause.RUN_PIN)

    def power_cycle(self) -> None:
        """Switch the table off and on."""
        self._waiting.clear()
        self._stop_watchdog()
        self._device.hard_reset(cause=ResetCause.POWER_ON)

    def _stop_watchdog(self) -> None:
        """Stop the watchdog, as such a reset does (RP2040 datasheet, 2.12); in the emulator it bites the next start."""
        self.chip.watchdog._enable = False
        self.chip.watchdog.alarm.enable = False
