// A secret choice, bound in the browser: the nonce and the choice stay in this tab until everybody is bound.
/** @import { Bind } from "./messages.d.ts" */
/** @typedef {{question: number, nonce: string, choice: number, commitment: string}} Kept what a seat is bound to */
import { digest } from "./sha256.js";

const DOMAIN = "tablier choice";
const WIRE = 2;

/** @type {(bytes: Uint8Array) => string} */
export const hex = (bytes) => [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
/** @type {(text: string) => Uint8Array} */
const bytesOf = (text) => Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16));

/**
 * Return the 57 bytes whose hash is the commitment; `bind` is what the question says to this seat.
 * @param {Bind} bind
 * @param {number} question
 * @param {number} seat
 * @param {Uint8Array} nonce
 * @param {number} choice
 */
export function preimage(bind, question, seat, nonce, choice) {
  const bytes = new Uint8Array(57);
  const view = new DataView(bytes.buffer);
  for (let at = 0; at < DOMAIN.length; at += 1) bytes[at] = DOMAIN.charCodeAt(at);
  view.setUint16(16, WIRE, true);
  bytes.set(bytesOf(bind.board), 18);
  bytes.set(bytesOf(bind.boot), 26);
  view.setUint32(34, question, true);
  bytes[38] = bind.place;
  bytes[39] = seat;
  bytes.set(nonce, 40);
  bytes[56] = choice;
  return bytes;
}

/** The choices of this tab: one for each seat at most. */
export class Bound {
  #store;

  /** @param {Pick<Storage, "getItem" | "setItem" | "removeItem">} store */
  constructor(store) {
    this.#store = store;
  }

  /**
   * @param {number} game
   * @param {number} seat
   */
  #key(game, seat) {
    return `bound ${game}-${seat}`;
  }

  /**
   * Return what a seat is bound to in a question; `null` where it is not.
   * @param {number} game
   * @param {number} seat
   * @param {number} question
   * @returns {Kept | null}
   */
  of(game, seat, question) {
    const found = JSON.parse(this.#store.getItem(this.#key(game, seat)) ?? "null");
    if (found && found.question === question) return found;
    return null;
  }

  /**
   * Bind a seat to a choice, once for each question: kept before it is sent, so that nothing gets lost. Return the
   * reply that is to be sent.
   * @param {number} game
   * @param {number} seat
   * @param {number} question
   * @param {Bind} bind
   * @param {number} choice
   */
  async lock(game, seat, question, bind, choice) {
    let bound = this.of(game, seat, question);
    if (!bound) {
      const nonce = crypto.getRandomValues(new Uint8Array(16));
      const commitment = hex(await digest(preimage(bind, question, seat, nonce, choice)));
      bound = { question, nonce: hex(nonce), choice, commitment };
      this.#store.setItem(this.#key(game, seat), JSON.stringify(bound));
    }
    return { event: "locked", id: question, seat, commitment: bound.commitment };
  }

  /**
   * Return the reply that opens a seat's choice, `null` where this tab does not know it.
   * @param {number} game
   * @param {number} seat
   * @param {number} question
   */
  opening(game, seat, question) {
    const bound = this.of(game, seat, question);
    return bound && { event: "opened", id: question, seat, nonce: bound.nonce, choice: bound.choice };
  }

  /**
   * Forget what a seat was bound to in any other question.
   * @param {number} game
   * @param {number} seat
   * @param {number} question
   */
  forget(game, seat, question) {
    if (!this.of(game, seat, question)) this.#store.removeItem(this.#key(game, seat));
  }
}
