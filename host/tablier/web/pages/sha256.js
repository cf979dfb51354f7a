// SHA-256 for pages that a browser does not trust: without https, `crypto.subtle` is there on this machine alone.

const K = new Uint32Array(64);
const START = new Uint32Array(8);

/**
 * Return 32 bits of the fraction of a root of a prime: so the constants are defined.
 * @param {number} prime
 * @param {number} root
 */
function fraction(prime, root) {
  const value = prime ** (1 / root);
  return Math.floor((value - Math.floor(value)) * 2 ** 32);
}

for (let prime = 2, found = 0; found < 64; prime += 1) {
  let factor = 2;
  while (factor * factor <= prime && prime % factor) factor += 1;
  if (factor * factor <= prime) continue;
  K[found] = fraction(prime, 3);
  if (found < 8) START[found] = fraction(prime, 2);
  found += 1;
}

/** @type {(word: number, bits: number) => number} */
const turn = (word, bits) => (word >>> bits) | (word << (32 - bits));

/**
 * Return the 32 bytes of the hash of some bytes.
 * @param {Uint8Array} bytes
 */
export function sha256(bytes) {
  const length = ((bytes.length + 8) >> 6) * 64 + 64;
  const padded = new Uint8Array(length);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(length - 8, Math.floor(bytes.length / 2 ** 29));
  view.setUint32(length - 4, bytes.length << 3);
  const hash = START.slice();
  const w = new Uint32Array(64);
  for (let block = 0; block < length; block += 64) {
    for (let i = 0; i < 16; i += 1) w[i] = view.getUint32(block + 4 * i);
    for (let i = 16; i < 64; i += 1) {
      const a = w[i - 15];
      const b = w[i - 2];
      w[i] = w[i - 16] + w[i - 7] + (turn(a, 7) ^ turn(a, 18) ^ (a >>> 3)) + (turn(b, 17) ^ turn(b, 19) ^ (b >>> 10));
    }
    let [a, b, c, d, e, f, g, h] = hash;
    for (let i = 0; i < 64; i += 1) {
      const one = (h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + K[i] + w[i]) | 0;
      const two = ((turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      [h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0];
    }
    [a, b, c, d, e, f, g, h].forEach((word, at) => (hash[at] += word));
  }
  const result = new DataView(new ArrayBuffer(32));
  hash.forEach((word, at) => result.setUint32(4 * at, word));
  return new Uint8Array(result.buffer);
}

/**
 * Return the hash by the browser's own means where it has them.
 * @param {Uint8Array<ArrayBuffer>} bytes
 */
export async function digest(bytes) {
  const subtle = globalThis.crypto?.subtle;
  return subtle ? new Uint8Array(await subtle.digest("SHA-256", bytes)) : sha256(bytes);
}
