// The open evenings as far as this browser may know them: what everybody may see, what its person or screen may, and what
// the operator may.
/** @import { EveningState } from "./messages.d.ts" */
import { listen } from "./stream.js";

/** The topic that tells most of an evening comes last. */
const TOPICS = /** @type {("public" | "mine" | "host")[]} */ (["public", "mine", "host"]);

export class Evenings {
  #told = new Map(TOPICS.map((topic) => [topic, /** @type {Map<number, EveningState>} */ (new Map())]));

  /** @param {() => void} changed called when one of them stands otherwise */
  constructor(changed) {
    for (const topic of TOPICS) {
      listen({ [topic]: { evening: (/** @type {string} */ id, /** @type {EveningState | null} */ state) => {
        const told = /** @type {Map<number, EveningState>} */ (this.#told.get(topic));
        if (state) told.set(Number(id), state);
        else told.delete(Number(id));
        changed();
      } } });
    }
  }

  /** Return all of them, the oldest first. */
  get all() {
    const known = new Map(TOPICS.flatMap((topic) => [...(this.#told.get(topic) ?? [])]));
    return [...known.values()].sort((one, other) => one.evening - other.evening);
  }
}
