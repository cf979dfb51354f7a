// The news of a game as paragraphs, one a turn, without sentences that later ones make superfluous.
/** @import { NewsState } from "./messages.d.ts" */

export class Story {
  /** @type {NewsState[][]} */
  #parts = [];

  /** @param {NewsState[]} news */
  take(news) {
    for (const each of news) {
      const last = this.#parts.at(-1);
      if (last && each.turn !== null && last[0].turn === each.turn) {
        this.#parts[this.#parts.length - 1] = [...last.filter((old) => !each.drops.includes(old.kind)), each];
      } else {
        this.#parts.push([each]);
      }
    }
    this.#parts.splice(0, Math.max(0, this.#parts.length - 200));
  }

  /** Return the paragraphs, the oldest first. */
  paragraphs() {
    return this.#parts.map((part) => part.map((each) => each.said).join(" "));
  }
}
