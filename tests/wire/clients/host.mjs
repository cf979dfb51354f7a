// A host that plays a duel and a roll at a table: node host.mjs PORT LOG. It was written from firmware/PROTOCOL.md, and
// stands where the codec is that it needs: beside it 'python -m tests.wire.clients FOLDER' writes both. Each line that it
// prints is a step, in JSON. Node.js cannot lock a port: see that nothing else opens it.

import { createHash, randomBytes } from "node:crypto";
import { constants, fsyncSync, openSync, writeSync } from "node:fs";
import { ReadStream } from "node:tty";
import * as wire from "./tablier_wire.mjs";

const ZEROS = Buffer.alloc(8);
const HELLO_MS = 300, PING_MS = 1000, RESEND_MS = 150, SILENT_MS = 2000;
const [port, log] = process.argv.slice(2);
const tell = (step) => console.log(JSON.stringify(step));
const fail = (why) => {
  console.error(`${port}: ${why}`);
  process.exit(1);
};

class Host {
  #run = randomBytes(8);
  #logId = createHash("sha256").update(log).digest().subarray(0, 8); // the same as long as its ids count on
  #file = openSync(log, "a");
  #stream = new wire.Stream();
  #challenge = ZEROS;
  #expected = 0;
  #heard = 0;
  #hello = 0;
  #wanted = new Map(); // by slot
  #events = [];
  /** @type {(value?: any) => void} */
  #waiting = () => {};
  #abilities = 0;
  /** @type {Buffer | null} */
  boot = null;
  board = ZEROS;
  /** @type {any} */
  status = null;

  constructor() {
    this.#port = openSync(port, constants.O_RDWR | constants.O_NOCTTY);
    const tty = new ReadStream(this.#port);
    tty.setRawMode(true);
    tty.on("data", (bytes) => this.#stream.take(bytes).forEach((frame) => this.#take(frame)));
    tty.on("error", (error) => fail(error.message));
    tty.on("close", () => fail("the port went away"));
    setInterval(() => this.#tick(), 50);
  }
  #port;

  #write(code, boot, payload) {
    writeSync(this.#port, wire.frame(code, boot, this.#run, payload));
  }

  send(name, values) {
    const { code, encode } = wire.MESSAGES[name];
    this.#write(code, this.boot, encode(values));
  }

  /** Desired state: sent now, and again until the table holds it. */
  want(name, values) {
    const { code, encode, slot, needs } = wire.MESSAGES[name];
    const missing = wire.ABILITIES.filter((_, bit) => (needs(values) & ~this.#abilities) >> bit & 1);
    if (missing.length) fail(`this table has no ${missing.join(", ")}, which ${name} needs`);
    const payload = encode(values);
    const wanted = { name, values, revision: wire.revision(code, payload), sent: Date.now() };
    this.#wanted.set(slot(values), wanted);
    this.send(name, values);
  }

  holds(slot) {
    return this.status?.held.readUInt32LE(4 * slot) === this.#wanted.get(slot).revision;
  }

  /** The next event, which must have this name. */
  async event(name) {
    while (!this.#events.length) await new Promise((resolve) => (this.#waiting = resolve));
    const event = this.#events.shift();
    if (event.name !== name) fail(`${event.name} came in place of ${name}`);
    return event.values;
  }

  #tick() {
    const now = Date.now();
    const silent = !this.boot || now - this.#heard > SILENT_MS;
    if (silent && now - this.#hello > HELLO_MS) this.#sayHello(now);
    if (!silent && now - this.#pinged > PING_MS) {
      this.#pinged = now;
      this.send("ping", { host_time: BigInt(now) * 1000n });
    }
  }
  #pinged = 0;

  #sayHello(now) {
    this.#hello = now;
    const { code, encode } = wire.MESSAGES.host_hello;
    const version = [...Buffer.from("host.mjs")];
    const ids = { challenge: this.#challenge, log: this.#logId, entropy: randomBytes(16) };
    this.#write(code, ZEROS, encode({ major: wire.MAJOR, minor: wire.MINOR, ...ids, version }));
  }

  #take({ code, boot, run, payload }) {
    const message = wire.BY_CODE[code];
    if (message?.name === "table_hello") return this.#takeHello(boot, run, payload);
    if (!this.boot || !boot.equals(this.boot) || !run.equals(this.#run)) return;
    this.#heard = Date.now();
    if (message?.way === "to table") return;
    if (!message) return (code >> 4) % 4 === 1 ? this.#takeEvent(boot, "unknown", payload) : undefined;
    if (message.class === "event") this.#takeEvent(boot, message.name, payload);
    else if (message.name === "status") this.#takeStatus(message.decode(payload));
    else if (message.name === "refused") fail(`refused: ${JSON.stringify(message.decode(payload))}`);
  }

  #takeHello(boot, run, payload) {
    if (payload.readUInt16LE(0) !== wire.MAJOR) fail(`this table speaks version ${payload.readUInt16LE(0)}`);
    const hello = wire.MESSAGES.table_hello.decode(payload);
    const fresh = !hello.challenge.equals(this.#challenge);
    this.#challenge = hello.challenge;
    if (!run.equals(this.#run)) {
      if (!this.boot && fresh) this.#sayHello(Date.now());
      return;
    }
    if (this.boot && !boot.equals(this.boot)) fail("the table was restarted");
    this.#heard = Date.now();
    if (this.boot) return;
    [this.boot, this.board, this.#expected] = [boot, hello.board, hello.acked + 1];
    this.#abilities = hello.abilities;
    this.send("ack", { number: hello.acked });
    tell({ adopted: boot.toString("hex") });
    this.#waiting();
  }

  #takeEvent(boot, name, payload) {
    const number = payload.readUInt32LE(0);
    if (number > this.#expected) return; // it comes again after those that are missing
    if (number === this.#expected) {
      const values = name === "unknown" ? {} : wire.MESSAGES[name].decode(payload);
      writeSync(this.#file, `${boot.toString("hex")} ${number} ${name} ${payload.toString("hex")}\n`);
      fsyncSync(this.#file);
      this.#expected++;
      if (name !== "unknown") this.#events.push({ name, values });
    }
    this.send("ack", { number: this.#expected - 1 });
    this.#waiting();
  }

  #takeStatus(status) {
    this.status = status;
    for (const [slot, wanted] of this.#wanted)
      if (!this.holds(slot) && Date.now() - wanted.sent >= RESEND_MS) {
        wanted.sent = Date.now();
        this.send(wanted.name, wanted.values);
      }
    this.#waiting();
  }

  async until(so) {
    while (!so()) await new Promise((resolve) => (this.#waiting = resolve));
  }
}

const duel = async (host, id, places) => {
  const bits = places.reduce((all, place) => all | (1 << (place - 1)), 0);
  const allowed = Buffer.from([1, 2, 3, 4, 5, 6].map((place) => (places.includes(place) ? 0b11 : 0)));
  const seats = Buffer.from([1, 2, 3, 4, 5, 6].map((place) => 1 + places.indexOf(place)));
  host.want("choice", { id, flags: 0, places: bits, outside: 0, allowed, seats, colours: [9, 4] });
  await host.until(() => host.holds(8));
  tell({ asked: "choice", id });
  const locked = {};
  for (const _ of places) {
    const { place, commitment } = await host.event("locked");
    locked[place] = commitment;
    tell({ locked: place });
  }
  for (const _ of places) {
    const { place, nonce, choice } = await host.event("opened");
    const { board, boot } = host;
    const bound = wire.commitment({ board, boot, question: id, place, seat: seats[place - 1], nonce, choice });
    if (!bound.equals(locked[place])) fail(`place ${place} opened what it had not locked`);
    tell({ opened: place, choice });
  }
};

const roll = async (host, id, place, ranges) => {
  host.want("roll", { id, flags: 0, place, audience: 7, ranges });
  await host.until(() => host.holds(8));
  tell({ asked: "roll", id });
  const { commitment } = await host.event("committed");
  const contribution = randomBytes(16);
  host.want("contribution", { id, commitment, bytes: contribution });
  const { nonce } = await host.event("revealed");
  const { board, boot } = host;
  const parts = { board, boot, question: id, place, ranges, nonce, contribution };
  if (!wire.rollCommitment(parts).equals(commitment)) fail("the nonce is not what the table had committed to");
  tell({ rolled: wire.outcomes(parts) });
};

const host = new Host();
await host.until(() => host.boot);
await duel(host, 101, [2, 5]);
await roll(host, 102, 2, [6, 6, 6]);
host.want("idle", { id: 103, flags: 0, game: 0 });
await host.until(() => host.holds(8)); // not before the outcome has stood
tell({ done: true });
process.exit(0);
