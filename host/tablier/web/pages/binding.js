// A secret choice, bound in the browser: the nonce and the choice stay in this tab until everybody is bound.
import { digest } from "./sha256.js";

const DOMAIN = "tablier choice";
const WIRE = 2;

export const hex = (bytes) => [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
const bytesOf = (text) => Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16));

/** Return the 57 bytes whose hash is the commitment; `bind` is what the question says to this seat. */
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

  constructor(store) {
    this.#store = store;
  }

  #key(game, seat) {
    return `bound ${game}-${seat}`;
  }

  /** Return what a seat is bound to in a question: `nonce`, `choice`, `commitment`; `null` where it is not. */
  of(game, seat, question) {
    const found = JSON.parse(this.#store.getItem(this.#key(game, seat)) ?? "null");
    if (found && found.question === question) return found;
    return null;
  }

  /** Bind a seat to a choice, once for each question: kept before it is sent, so that nothing gets lost. Return the
   *  reply that is to be sent. */
  async lock(game, seat, question, choice) {
    let bound = this.of(game, seat, question.id);
    if (!bound) {
      const nonce = crypto.getRandomValues(new Uint8Array(16));
      const commitment = hex(await digest(preimage(question.mine.bind, question.id, seat, nonce, choice)));
      bound = { question: question.id, nonce: hex(nonce), choice, commitment };
      this.#store.setItem(this.#key(game, seat), JSON.stringify(bound));
    }
    return { event: "locked", id: question.id, seat, commitment: bound.commitment };
  }

  /** Return the reply that opens a seat's choice, `null` where this tab does not know it. */
  opening(game, seat, question) {
    const bound = this.of(game, seat, question.id);
    return bound && { event: "opened", id: question.id, seat, nonce: bound.nonce, choice: bound.choice };
  }

  /** Forget what a seat was bound to in any other question. */
  forget(game, seat, question) {
    if (!this.of(game, seat, question)) this.#store.removeItem(this.#key(game, seat));
  }
}
