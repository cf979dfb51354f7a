// Frames of Tablier's wire, for Node.js. The generated codec begins with it.

import { createHash } from "node:crypto";

/** What is wrong with a payload first: the number of the field, and why (1 short, 2 range, 3 rule). */
export class Fault extends Error {
  constructor(field, reason) {
    super(`field ${field}: ${["", "short", "range", "rule"][reason]}`);
    this.field = field;
    this.reason = reason;
  }
}

const crc32From = (crc, data) => {
  crc = ~crc;
  for (const byte of data) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (0xedb88320 & -(crc & 1));
  }
  return ~crc >>> 0;
};

const numberAt = (payload, at, width) => (width === 8 ? payload.readBigUInt64LE(at) : payload.readUIntLE(at, width));

const numberBytes = (value, width) => {
  const bytes = Buffer.alloc(width);
  if (width === 8) bytes.writeBigUInt64LE(value);
  else bytes.writeUIntLE(value, 0, width);
  return bytes;
};

const within = (value, low, high) => value >= low && value <= high;

export const revision = (code, payload) => crc32From(code, payload) || 1;

/** Return the line of a frame, its newline included. */
export const frame = (code, boot, run, payload) => {
  const body = Buffer.concat([Buffer.from([code]), boot, run, payload]);
  return "!" + Buffer.concat([body, numberBytes(crc32From(0, body), 4)]).toString("base64") + "\n";
};

const unframe = (line) => {
  const symbols = line.slice(1).replace(/[^A-Za-z0-9+/=]/g, ""); // what is not of the alphabet is ignored
  if (symbols.length % 4 || !/^[^=]*={0,2}$/.test(symbols)) return null;
  const body = Buffer.from(symbols, "base64");
  const end = body.length - 4;
  if (end < HEADER || end > HEADER + MAX_PAYLOAD || body.readUInt32LE(end) !== crc32From(0, body.subarray(0, end)))
    return null;
  return { code: body[0], boot: body.subarray(1, 9), run: body.subarray(9, 17), payload: body.subarray(HEADER, end) };
};

/** Finds frames in a stream of bytes that may hold anything. */
export class Stream {
  #rest = "";
  bad = 0;

  /** Take bytes and return the frames that they end. */
  take(bytes) {
    const lines = (this.#rest + bytes.toString("latin1")).split("\n");
    this.#rest = lines.pop() ?? "";
    const frames = [];
    for (const line of lines) {
      const start = line.lastIndexOf("!");
      const size = line.length - start + 1;
      const whole = start >= 0 && within(size, MIN_LINE, MAX_LINE);
      const found = whole ? unframe(line.slice(start)) : null;
      if (line && (start !== 0 || !whole)) this.bad += 1;
      if (whole && !found) this.bad += 1;
      if (found) frames.push(found);
    }
    return frames;
  }
}

const sha256 = (...parts) => createHash("sha256").update(Buffer.concat(parts)).digest();

/** What binds a place to a choice. */
export const commitment = ({ board, boot, question, place, seat, nonce, choice }) =>
  sha256(
    Buffer.from("tablier choice\0\0"),
    numberBytes(MAJOR, 2),
    board,
    boot,
    numberBytes(question, 4),
    Buffer.from([place, seat]),
    nonce,
    Buffer.from([choice]),
  );

const rollHead = (tag, { board, boot, question, place, ranges, nonce }) =>
  Buffer.concat([
    Buffer.from(tag),
    numberBytes(MAJOR, 2),
    board,
    boot,
    numberBytes(question, 4),
    Buffer.from([place]),
    sha256(...ranges.map((range) => numberBytes(range, 2))),
    nonce,
  ]);

/** What binds a table to the nonce of a roll. */
export const rollCommitment = (roll) => sha256(rollHead("tablier roll\0\0\0\0", roll));

/** What was rolled: a number for each range. */
export const outcomes = (roll) => {
  const head = Buffer.concat([rollHead("tablier outcome\0", roll), roll.contribution]);
  const rolled = [];
  for (let counter = 0; rolled.length < roll.ranges.length; counter++) {
    const block = sha256(head, numberBytes(counter, 4));
    for (let at = 0; at < 32 && rolled.length < roll.ranges.length; at += 4) {
      const word = block.readUInt32LE(at);
      const range = roll.ranges[rolled.length];
      if (word < 2 ** 32 - (2 ** 32 % range)) rolled.push(word % range);
    }
  }
  return rolled;
};
