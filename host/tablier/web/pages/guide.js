// What to do now, and a guide through the first three minutes: look, throw, a duel.
/** @import { GameState, QuestionState } from "./messages.d.ts" */
import { el } from "./dom.js";
import { say } from "./words.js";

const STEPS = ["look", "throw", "duel"];
/** @type {Partial<Record<QuestionState["kind"], string>>} */
const NOW = { menu: "now_menu", window: "now_window", poll: "now_poll", choice: "now_choice", tally: "now_tally", roll: "now_roll" };

export class Guide {
  constructor() {
    this.done = new Set(JSON.parse(sessionStorage.getItem("guide") ?? "[]"));
    this.steps = el("ol", { class: "steps" });
    this.whole = el("div", { class: "guide" }, el("h2", {}, say("guide")), this.steps);
    this.#show();
  }

  /**
   * A step was done.
   * @param {string} step
   */
  did(step) {
    if (this.done.has(step)) return;
    this.done.add(step);
    sessionStorage.setItem("guide", JSON.stringify([...this.done]));
    this.#show();
  }

  #show() {
    const next = STEPS.find((step) => !this.done.has(step));
    this.whole.hidden = !next;
    this.steps.replaceChildren(...STEPS.map((step) => el("li", {
      class: this.done.has(step) ? "done" : step === next ? "next" : "", "aria-current": step === next ? "step" : null,
    }, this.done.has(step) ? "✓ " : "", say(`guide_${step}`))));
  }
}

/**
 * Return what the open question wants done at the table, at a place of one's own first.
 * @param {GameState | undefined} state
 * @param {Set<number>} mine
 */
export function now(state, mine) {
  const question = state?.question;
  if (!question || !question.waiting.length) return "";
  const waits = question.waiting.filter((seat) => state.seats[seat - 1].source === "table");
  const seat = waits.find((each) => mine.has(state.seats[each - 1].place)) ?? waits[0];
  if (seat === undefined) {
    const elsewhere = state.seats[question.waiting[0] - 1];
    return elsewhere.source === "screen" && elsewhere.place ? say("now_screen", elsewhere) : "";
  }
  const { name, place } = state.seats[seat - 1];
  return say(NOW[question.kind] ?? "now_other", { name, place });
}
