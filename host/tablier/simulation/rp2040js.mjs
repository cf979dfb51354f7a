// A Raspberry Pi Pico on the emulator rp2040js (npm), for tablier.simulation.rp2040js, which starts this program:
//
//   node rp2040js.mjs FOLDER_OF_THE_PACKAGE
//
// It speaks lines over standard input and output. Commands change the world around the chip; `run NANOS` lets time pass
// until then and ends with `t NOW PENDING`. What happens meanwhile is told in a line that names the time in nanoseconds,
// and time stands until `go`, so that an answer takes effect at that very moment:
//
//   e NOW PIN LEVEL       a watched pin         d NOW HEX   the firmware sent bytes    u NOW   found at the USB
//   p NOW PIN HEX         a chain of pixels     r NOW       it reset itself
//   l NOW EMITTER LEVEL   an emitter has a brightness for which no `sees` was given; the answer is `sees`
//
// What rp2040js 1.4.1 lacks for this firmware is added here: state machines that keep their clock and run while the
// processor sleeps, a flash chip that can be written and has an id, random bits, causes of resets, a reset itself, and a
// USB host that sends frames, sleeps, and comes back.
import { readSync, writeSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const folder = process.argv[2];
const { RP2040, USBCDC, GPIOPinState } = await import(pathToFileURL(join(folder, "dist/esm/index.js")).href);
const { SimulationClock } = await import(pathToFileURL(join(folder, "dist/esm/clock/simulation-clock.js")).href);

const CYCLE_NANOS = 8; // 125 MHz
const FLASH = 0x10000000;

// -- lines ----------------------------------------------------------------------------------------------------------

const pieces = Buffer.alloc(1 << 16);
const lines = [];
let rest = "";

function nextLine() {
  while (!lines.length) {
    const count = readSync(0, pieces, 0, pieces.length, null);
    if (!count) process.exit(0); // whoever started this has gone
    const parts = (rest + pieces.toString("latin1", 0, count)).split("\n");
    rest = parts.pop() ?? "";
    lines.push(...parts);
  }
  return lines.shift().split(" ");
}

function say(...words) {
  let data = Buffer.from(words.join(" ") + "\n", "latin1");
  try {
    while (data.length) data = data.subarray(writeSync(1, data));
  } catch {
    process.exit(0); // whoever started this has gone
  }
}

/** Tell what happens, and obey until time may go on. */
function tell(what, ...words) {
  say(what, board.nanos, ...words);
  for (let line = nextLine(); line[0] !== "go"; line = nextLine()) obey(line);
}

// -- what rp2040js lacks inside the chip ----------------------------------------------------------------------------------

/** Give each state machine its own clock. The emulator's run in steps of the program's event loop, without a divider. */
function pace(chip, pio) {
  for (const machine of pio.machines) {
    let stepping = false;
    const period = () => (CYCLE_NANOS * ((machine.clockDivInt || 65536) * 256 + machine.clockDivFrac)) / 256;
    const alarm = chip.clock.createAlarm(() => {
      alarm.scheduled = false; // which the emulator forgets
      if (!machine.enabled || machine.waiting) return;
      const before = machine.cycles;
      stepping = true;
      machine.step();
      stepping = false;
      const passed = machine.cycles - before;
      if (!machine.waiting) alarm.schedule(passed * period());
      pio.checkChangedPins();
    });
    const look = machine.checkWait.bind(machine);
    machine.checkWait = () => {
      const waited = machine.waiting;
      const before = machine.cycles;
      look();
      if (waited && !machine.waiting && machine.enabled && !stepping) alarm.schedule((1 + machine.cycles - before) * period());
    };
    machine.kick = () => {
      if (machine.enabled && !machine.waiting && !alarm.scheduled) alarm.schedule(period());
      if (!machine.enabled) alarm.cancel();
    };
  }
  const write = pio.writeUint32.bind(pio);
  pio.run = () => {};
  pio.writeUint32 = (offset, value) => {
    write(offset, value);
    if (offset === 0) for (const machine of pio.machines) machine.kick();
    pio.checkChangedPins();
  };
}

/**
 * Registers that hold what is written, and answers of their own.
 * @param {(offset: number, value: number) => void} written
 */
function registers(chip, base, answers, written = () => {}) {
  const values = new Map();
  const read = (offset) => answers[offset]?.() ?? values.get(offset) ?? 0;
  chip.peripherals[base] = {
    readUint32: (offset) => read(offset & 0xfff),
    writeUint32(offset, value) {
      values.set(offset, value >>> 0);
      written(offset, value >>> 0);
    },
    writeUint32Atomic(offset, value, kind) {
      const old = read(offset);
      this.writeUint32(offset, [value, old ^ value, old | value, old & ~value][kind]);
    },
  };
}

/** The flash chip behind the serial interface: read, erase, program, and the id of the board. */
function flashChip(chip, flash, id) {
  const [PROGRAM, READ, DISABLE, STATUS, ENABLE, ERASE, STATUS_2, READ_ID, ERASE_BLOCK] = [2, 3, 4, 5, 6, 0x20, 0x35, 0x4b, 0xd8];
  const ssi = chip.peripherals[0x18000];
  let override = 0; // 0: the interface itself selects the chip, for as long as it has bytes to send; 2, 3: software does
  let enabled = false;
  let sent = [];
  let answers = [];
  const address = () => (sent[1] << 16) | (sent[2] << 8) | sent[3];
  const shift = (byte) => {
    sent.push(byte);
    const [command] = sent;
    const position = sent.length - 1;
    if (position === 0 && (command === ENABLE || command === DISABLE)) enabled = command === ENABLE;
    if (position === 0) return 0xff;
    if (command === STATUS) return enabled ? 2 : 0;
    if (command === STATUS_2) return 2;
    if (command === READ && position >= 4) return flash[address() + position - 4];
    if (command === READ_ID && position >= 5) return id[position - 5] ?? 0xff;
    return 0xff;
  };
  const apply = () => {
    const [command] = sent;
    const size = { [ERASE]: 4096, [ERASE_BLOCK]: 65536 }[command];
    if (enabled && size && sent.length >= 4) {
      const start = address() & ~(size - 1);
      flash.fill(0xff, start, start + size);
      enabled = false;
    } else if (enabled && command === PROGRAM) {
      sent.slice(4, 260).forEach((byte, index) => (flash[address() + index] &= byte));
      enabled = false;
    }
  };
  registers(chip, 0x40018, {}, (offset, value) => {
    if (offset !== 0x0c) return; // the line that selects the chip, which software moves itself
    const before = override;
    override = (value >> 8) & 3;
    if (before === override) return;
    if (before === 2) apply();
    [sent, answers] = [[], []];
  });
  const read = ssi.readUint32.bind(ssi);
  const write = ssi.writeUint32.bind(ssi);
  ssi.readUint32 = (offset) => {
    if (offset === 0x24) return answers.length;
    if (offset === 0x28) return 6 | (answers.length ? 8 : 0);
    if (offset === 0x60) return answers.shift() ?? 0;
    return read(offset);
  };
  ssi.writeUint32 = (offset, value) => {
    if (offset !== 0x60) write(offset, value);
    else if (ssi.ssienr) {
      if (!override && !answers.length) sent = [];
      answers.push(override === 3 ? 0xff : shift(value & 0xff));
    }
  };
}

// -- the USB host ---------------------------------------------------------------------------------------------------------

const SIE_SUSPENDED = 1 << 4;
const SIE_RESUME = 1 << 11;
const DEV_SOF = 1 << 17;
const [SOF_RD, SIE_STATUS, INTE] = [0x48, 0x50, 0x90];

/** The computer at the other end: as tablier.simulation.pico has it. */
class UsbHost {
  LATENCY = 50e3;
  SUSPEND = 3e6;
  RESUME = 20e6;
  RESET = 10.5e6;

  constructor(chip, world) {
    this.usb = chip.usbCtrl;
    this.world = world; // awake, reads, opened: what a reset of the chip does not change
    this.clock = chip.clock;
    this.waiting = [];
    this.asked = null;
    this.held = null;
    this.lastFrame = 0;
    const { usb } = this;
    this.console = new USBCDC(usb);
    this.console.onSerialData = (data) => data.length && tell("d", Buffer.from(data).toString("hex"));
    this.console.onDeviceConnected = () => {
      if (!world.opened) this.console.cdcSetControlLineState(0);
      tell("u");
    };
    usb.onEndpointRead = (endpoint, size) => {
      if (endpoint !== this.console.outEndpoint) return;
      this.asked = size;
      this.serveSoon();
    };
    const alarm = (action) => chip.clock.createAlarm(action);
    this.serveAlarm = alarm(() => this.serve());
    this.frameAlarm = alarm(() => this.frame());
    this.suspendAlarm = alarm(() => this.signal(SIE_SUSPENDED));
    this.resumeAlarm = alarm(() => this.comeBack());
    const deliver = usb.DPRAMUpdated.bind(usb);
    this.deliver = deliver;
    usb.DPRAMUpdated = (offset, value) => {
      const endpoint = this.console.inEndpoint;
      const quiet = !(world.awake && world.reads);
      if (quiet && value & 0x400 && endpoint > 0 && offset === 0x80 + 8 * endpoint) this.held = [offset, value];
      else deliver(offset, value);
    };
    const read = usb.readUint32.bind(usb);
    usb.readUint32 = (offset) => {
      if (offset !== SOF_RD) return read(offset);
      usb.intRaw &= ~DEV_SOF;
      usb.checkInterrupts();
      return world.awake ? this.number() : this.lastFrame;
    };
    const write = usb.writeUint32.bind(usb);
    usb.writeUint32 = (offset, value) => {
      if (offset === SIE_STATUS && usb.rawWriteValue & SIE_SUSPENDED) usb.sieStatus &= ~SIE_SUSPENDED;
      write(offset, value);
      if (offset === INTE && value & DEV_SOF && !this.frameAlarm.scheduled) this.frameSoon();
    };
    const reset = usb.onResetReceived;
    usb.onResetReceived = () => {
      this.forget();
      reset();
    };
  }

  number() {
    return Math.floor(this.clock.nanos / 1e6) & 0x7ff;
  }

  frameSoon() {
    this.frameAlarm.schedule(1e6 - (this.clock.nanos % 1e6));
  }

  frame() {
    const { usb } = this;
    this.frameAlarm.scheduled = false;
    if (!(usb.intEnable & DEV_SOF)) return;
    if (this.console.initialized && this.world.awake) {
      usb.intRaw |= DEV_SOF;
      usb.checkInterrupts();
    }
    this.frameSoon();
  }

  forget() {
    Object.assign(this.console, { initialized: false, descriptorsSize: null, descriptors: [] });
    this.asked = null;
    this.held = null;
    this.serveAlarm.cancel();
  }

  push(data) {
    this.waiting.push(...data);
    this.serveSoon();
  }

  serveSoon() {
    if (this.asked !== null && this.waiting.length && this.world.awake && !this.serveAlarm.scheduled) this.serveAlarm.schedule(this.LATENCY);
  }

  serve() {
    this.serveAlarm.scheduled = false;
    if (this.asked === null || !this.world.awake || !this.waiting.length) return;
    const data = Uint8Array.from(this.waiting.splice(0, this.asked));
    this.asked = null;
    this.usb.endpointReadDone(this.console.outEndpoint, data);
  }

  reads(reads) {
    this.world.reads = reads;
    this.release();
  }

  release() {
    if (!this.held || !this.world.reads || !this.world.awake) return;
    const held = this.held;
    this.held = null;
    this.deliver(...held);
  }

  lines(opened) {
    this.world.opened = opened;
    if (this.console.initialized) this.console.cdcSetControlLineState(opened ? 3 : 0);
  }

  sleep() {
    if (this.world.awake) {
      this.lastFrame = this.number();
      this.world.awake = false;
      this.suspendAlarm.schedule(this.SUSPEND);
    }
    this.resumeAlarm.cancel();
  }

  wake() {
    if (this.world.awake) return;
    this.suspendAlarm.cancel();
    this.signal(SIE_RESUME);
    this.resumeAlarm.schedule(this.RESUME);
  }

  plug() {
    this.suspendAlarm.cancel();
    this.resumeAlarm.cancel();
    this.forget();
    this.usb.resetDevice();
    this.resumeAlarm.schedule(this.RESET); // a computer begins frames when it has reset the bus, not before
    this.world.opened = true;
    this.world.reads = true;
  }

  comeBack() {
    this.world.awake = true;
    this.release();
    this.serveSoon();
  }

  signal(bit) {
    this.usb.sieStatus |= bit;
    this.usb.sieStatusUpdated();
  }
}

// -- parts at the pins -----------------------------------------------------------------------------------------------------

/** Call back at each change of a pin's level; one that is not driven counts as low. */
function onLevel(chip, pin, take) {
  let level = chip.gpio[pin].value === GPIOPinState.High;
  chip.gpio[pin].addListener((state) => {
    const now = state === GPIOPinState.High;
    if (now !== level) take((level = now));
  });
}

/** Shift registers in a chain, which take their inputs while load is low. */
class ShiftRegister {
  /** @type {number | null} */
  word = 0;
  taken = 0;
  position = 0;

  constructor(load, clock, data) {
    this.load = load;
    this.clock = clock;
    this.data = data;
  }

  attach() {
    this.take();
    onLevel(board.chip, this.load, (high) => high || this.take());
    onLevel(board.chip, this.clock, (high) => {
      if (!high || !board.driven(this.load)) return;
      this.position++;
      this.out();
    });
  }

  /** Set the inputs, the first one lowest; null while the chain is unplugged. */
  set(word) {
    this.word = word;
    if (board.driven(this.load)) this.out();
    else this.take();
  }

  take() {
    this.taken = this.word ?? this.taken;
    this.position = 0;
    this.out();
  }

  out() {
    board.drive(this.data, this.word === null || (this.position < 32 && ((this.taken >>> this.position) & 1) === 1));
  }
}

/** A chain of WS2812: a bit is what it is high for of its period; 50 µs of silence end a picture. */
class Pixels {
  constructor(pin) {
    this.pin = pin;
  }

  attach() {
    const { clock } = board.chip;
    let [rise, fall, shortest] = [0, 0, 0];
    let high = /** @type {number | null} */ (null);
    let bits = /** @type {number[]} */ ([]);
    const close = (low) => {
      if (high === null) return;
      const period = high + low;
      shortest = shortest ? Math.min(shortest, period) : period;
      bits.push(high >= 0.4 * shortest ? 1 : 0);
      high = null;
    };
    const latch = clock.createAlarm(() => {
      close(shortest - (high ?? 0));
      const bytes = [];
      for (let at = 0; at + 24 <= bits.length; at += 24) {
        const [green, red, blue] = [0, 8, 16].map((start) => bits.slice(at + start, at + start + 8).reduce((sum, bit) => 2 * sum + bit, 0));
        bytes.push(red, green, blue);
      }
      bits = [];
      shortest = 0;
      if (bytes.length) tell("p", this.pin, Buffer.from(bytes).toString("hex"));
    });
    onLevel(board.chip, this.pin, (level) => {
      const now = clock.nanos;
      if (level) {
        close(now - fall);
        rise = now;
      } else {
        high = now - rise;
        fall = now;
        latch.schedule(50e3);
      }
    });
  }
}

/** An emitter and the receivers it shines on: lit, dark, or dimmed by pulses faster than 5 µs. */
class Light {
  receivers = [];
  seen = new Map();

  constructor(pin) {
    this.pin = pin;
  }

  attach() {
    const { clock } = board.chip;
    let [on, off, quick] = [-5e3, -5e3, 0];
    this.level = 0;
    this.show();
    onLevel(board.chip, this.pin, (high) => {
      const now = clock.nanos;
      const before = this.level;
      if (high) {
        quick = now - on < 5e3 ? quick + 1 : 0;
        this.level = quick >= 3 ? (off - on) / (now - on) : 1;
        on = now;
      } else {
        off = now;
        if (quick < 3 || now - on >= 5e3) this.level = 0;
      }
      if (this.level !== before) this.show();
    });
  }

  sees(level, bits) {
    this.seen.set(level, bits);
  }

  show() {
    if (!this.seen.has(this.level)) tell("l", this.pin, this.level);
    const bits = this.seen.get(this.level);
    this.receivers.forEach((pin, index) => board.drive(pin, !((bits >> index) & 1)));
  }
}

// -- the board ---------------------------------------------------------------------------------------------------------------

const quiet = { debug() {}, info() {}, warn() {}, error() {} };
const [POWER_ON, RUN_PIN] = [1 << 8, 1 << 16];

const board = {
  flash: new Uint8Array(16 << 20).fill(0xff),
  rom: new Uint32Array(),
  id: /** @type {number[]} */ ([]),
  before: 0,
  world: { awake: true, reads: true, opened: true },
  levels: new Map(),
  volts: new Map(),
  watched: new Set(),
  parts: new Map(),
  noise: 1,

  get nanos() {
    return this.before + (this.chip?.clock.nanos ?? 0);
  },

  /** Start the chip, for a reason that its registers tell; by the watchdog where there is none. */
  boot(cause) {
    const old = this.chip;
    this.before = this.nanos;
    this.stalled = this.resetting = false;
    const chip = new RP2040(new SimulationClock());
    this.chip = chip;
    chip.logger = quiet;
    chip.bootrom.set(this.rom);
    chip.flash = this.flash;
    chip.flash16 = new Uint16Array(this.flash.buffer);
    chip.flashView = new DataView(this.flash.buffer);
    const watchdog = chip.peripherals[0x40058];
    if (!cause && old) {
      watchdog.scratchData.set(old.peripherals[0x40058].scratchData);
      watchdog.reason = old.peripherals[0x40058].reason;
    }
    watchdog.onWatchdogTrigger = () => {
      this.resetting = true;
      watchdog.alarm.enable = false; // or it is due again at once, for ever
    };
    this.cause = cause || this.cause;
    registers(chip, 0x40064, { 8: () => this.cause });
    registers(chip, 0x40060, { 0x1c: () => this.bit(), 0x18: () => 0x80001000 });
    flashChip(chip, this.flash, this.id);
    const { dma } = chip;
    const read = dma.readUint32.bind(dma);
    dma.readUint32 = (offset) => (offset === 0x444 ? 0 : read(offset)); // an abort is done at once
    for (const pio of chip.pio) pace(chip, pio);
    this.host = new UsbHost(chip, this.world);
    for (const [channel, value] of this.volts) chip.adc.channelValues[channel] = value;
    for (const [pin, level] of this.levels) chip.gpio[pin].setInputValue(level);
    for (const part of this.parts.values()) part.attach();
    for (const pin of this.watched) this.watch(pin);
    this.stop = chip.clock.createAlarm(() => {});
    chip.core.reset();
    chip.core.PC = FLASH;
  },

  /** A random bit, the same for the same seed. */
  bit() {
    this.noise ^= this.noise << 13;
    this.noise ^= this.noise >>> 17;
    this.noise ^= this.noise << 5;
    return this.noise & 1;
  },

  watch(pin) {
    onLevel(this.chip, pin, (level) => tell("e", pin, level ? 1 : 0));
  },

  driven(pin) {
    return this.chip.gpio[pin].value === GPIOPinState.High;
  },

  drive(pin, level) {
    if (this.levels.get(pin) === level) return; // the emulator would see an edge where none is
    this.levels.set(pin, level);
    this.chip.gpio[pin].setInputValue(level);
  },

  run(until) {
    while (this.nanos < until) {
      const { core, clock } = this.chip;
      const end = until - this.before;
      this.stop.schedule(end - clock.nanos);
      while (clock.nanos < end && !this.resetting) {
        if (core.waiting || this.stalled) clock.tick(clock.nanosToNextAlarm);
        else clock.tick(core.executeInstruction() * CYCLE_NANOS);
      }
      if (this.resetting) {
        tell("r");
        this.boot(0);
      }
    }
    say("t", this.nanos, this.host.waiting.length);
  },
};

const bytes = (text) => Uint8Array.from(Buffer.from(text, "base64"));
const add = (name, part) => {
  board.parts.set(name, part);
  part.attach();
};

const commands = {
  rom: (text) => (board.rom = new Uint32Array(bytes(text).buffer)),
  flash: (start, text) => board.flash.set(bytes(text), Number(start)),
  id: (text) => (board.id = [...Buffer.from(text, "hex")]),
  seed: (seed) => (board.noise = Number(seed) | 1),
  boot: () => board.boot(POWER_ON),
  run: (until) => board.run(Number(until)),
  drive: (pin, level) => board.drive(Number(pin), level === "1"),
  driven: (pin) => say("v", board.driven(Number(pin)) ? 1 : 0),
  watch: (pin) => {
    board.watched.add(Number(pin));
    board.watch(Number(pin));
  },
  measure: (channel, value) => {
    board.volts.set(Number(channel), Number(value));
    board.chip.adc.channelValues[channel] = Number(value);
  },
  register: (load, clock, data) => add(data, new ShiftRegister(Number(load), Number(clock), Number(data))),
  inputs: (data, word) => board.parts.get(data).set(word === "-" ? null : Number(word)),
  pixels: (pin) => add(`pixels ${pin}`, new Pixels(Number(pin))),
  light: (pin, ...receivers) => {
    const light = new Light(Number(pin));
    light.receivers = receivers.map(Number);
    light.sees(0, 0);
    add(pin, light);
  },
  dim: (pin) => board.parts.get(pin).seen.clear(),
  sees: (pin, level, bits) => board.parts.get(pin).sees(Number(level), Number(bits)),
  show: (pin) => board.parts.get(pin).show(),
  write: (text) => board.host.push(Buffer.from(text, "hex")),
  clear: () => board.host.waiting.splice(0),
  lines: (on) => board.host.lines(on === "1"),
  reads: (on) => board.host.reads(on === "1"),
  sleep: () => board.host.sleep(),
  wake: () => board.host.wake(),
  plug: () => board.host.plug(),
  machine: (block, number, runs) => {
    const control = 0x50200000 + block * 0x100000;
    const enabled = board.chip.readUint32(control);
    board.chip.writeUint32(control, runs === "1" ? enabled | (1 << number) : enabled & ~(1 << number));
  },
  stall: () => (board.stalled = true),
  reset: () => board.boot(RUN_PIN),
  power: () => board.boot(POWER_ON),
};

function obey([name, ...words]) {
  commands[name](...words);
}

for (;;) obey(nextLine());
