// How a seat answers: by touching parts of drawings until one move is left, from a list in words, or by buttons.
/**
 * @import { Answer, Can, QuestionState } from "./messages.d.ts"
 * @import { Part } from "./parts.js"
 */
/** @typedef {{part: string, nth: number, label: string}} Touched */
import { el, one } from "./dom.js";
import { narrow, touch } from "./touch.js";
import { say } from "./words.js";

/**
 * Return a move in the words of the parts that it names.
 * @param {Can} can
 * @param {(part: string) => string} label
 */
export const worded = ({ move, parts }, label) => parts.flat().map(label).join(" → ") || move;

export class Answering {
  #room;
  #listed;
  #pending;
  #send;
  #draw;
  #listOpen = false;
  /** @type {Touched[]} */
  touched = [];
  /** What is wrong. */
  error = "";

  /**
   * `room` shows what is chosen and `listed` what can be; `pending` returns the question that waits for an answer; `send`
   * takes the answer, `draw` shows what has changed.
   * @param {HTMLElement} room
   * @param {HTMLElement} listed
   * @param {{pending: () => QuestionState | undefined, send: (answer: Can | Answer) => void, draw: () => void}} how
   */
  constructor(room, listed, { pending, send, draw }) {
    this.#room = room;
    this.#listed = listed;
    this.#pending = pending;
    this.#send = send;
    this.#draw = draw;
  }

  clear() {
    this.touched = [];
    this.error = "";
  }

  /** Return what the touches come to. */
  get said() {
    return narrow(this.#can, this.#parts);
  }

  get #can() {
    return this.#pending()?.mine?.can ?? [];
  }

  get #parts() {
    return this.touched.map((each) => each.part);
  }

  /** Return the button that confirms, where it can. */
  get #confirming() {
    return /** @type {HTMLElement | null} */ (this.#room.querySelector("[data-key=confirm]:enabled"));
  }

  /** @param {Part} part */
  press(part) {
    const next = touch(this.#can, this.#parts, part.name);
    const again = this.touched.findIndex((each) => each.part === part.name && each.nth === part.nth);
    this.error = next || again >= 0 ? "" : say("not_possible");
    if (again >= 0) this.touched = this.touched.slice(0, again);
    else if (next) this.touched = [...this.touched.slice(0, next.length - 1), { part: part.name, nth: part.nth, label: part.label }];
    this.#draw();
    // Who touches by keys does not have to go through all other parts to confirm.
    if (part.keyed && !this.said.offered.size) this.#confirming?.focus();
  }

  /**
   * Show what can be answered now, what is chosen with what it leads to, what is wrong, and more. `known`: by part, what
   * it is called; `hides`: a list would tell what a hand hides.
   * @param {Map<string, string>} known
   * @param {boolean} hides
   * @param {(HTMLElement | null)[]} more
   * @param {HTMLElement} asked
   */
  show(known, hides, more, asked) {
    const question = this.#pending();
    const label = (/** @type {string} */ part) => known.get(part) ?? part;
    const buttons = (question?.mine?.answers ?? []).map((each, at, all) => el("button", {
      class: question?.kind === "poll" && at === all.length - 1 ? "first" : "", "data-key": each.said,
      onclick: () => this.#send(each),
    }, each.said));
    /** @type {(HTMLElement | null)[]} */
    const rows = [];
    /** @type {HTMLElement | null} */
    let list = null;
    if (question && ["poll", "menu"].includes(question.kind)) {
      rows.push(el("div", { class: question.kind === "poll" ? "answers" : "list" }, buttons));
    } else if (question) {
      rows.push(this.#chosen(label, buttons));
      list = hides ? null : this.#list(label);
    }
    if (this.error) more = [el("p", { class: "hot", role: "alert" }, this.error), ...more];
    const active = /** @type {HTMLElement | null} */ (document.activeElement);
    const rooms = [this.#room, this.#listed];
    const focused = active && rooms.some((each) => each.contains(active)) ? (active.dataset.key ?? "") : null;
    this.#room.replaceChildren(...[...more, ...rows].filter((each) => each !== null));
    this.#listed.replaceChildren(...(list ? [list] : []));
    if (focused === null) return;
    // What had the focus, else what comes after it, else the question: a reader by keys is never sent to the page's top.
    const same = rooms.map((each) => /** @type {HTMLElement | null} */ (each.querySelector(`[data-key="${CSS.escape(focused)}"]:enabled`)));
    (same.find((each) => each) ?? this.#confirming ?? one("#choose .list button, #listed button") ?? asked).focus();
  }

  /**
   * @param {(part: string) => string} label
   * @param {HTMLElement[]} others
   */
  #chosen(label, others) {
    const can = this.said.move;
    const touched = this.touched.map((each) => each.label ?? label(each.part)).join(" → ");
    const path = touched || (can ? worded(can, label) : say("touch"));
    const next = touched && !can ? say("touch_next", { touched }) : path;
    const undo = el("button", { "data-key": "undo", onclick: () => {
      this.touched = this.touched.slice(0, -1);
      this.error = "";
      this.#draw();
    } }, say("undo"));
    return el("div", { class: "chosen" },
      el("p", { class: "path" }, next),
      can?.outcome ? el("p", { class: "leads" }, can.outcome) : null,
      el("div", { class: "answers" }, this.touched.length ? undo : others,
        el("button", { class: "first", "data-key": "confirm", "data-move": can?.move ?? "", disabled: !can,
          "aria-label": can ? say("confirm_this", { move: path }) : null, onclick: () => can && this.#send(can) }, say("confirm"))));
  }

  /**
   * All that can be touched next, in words: for keys, for readers, and for what is too small; open where nothing is drawn.
   * @param {(part: string) => string} label
   */
  #list(label) {
    const { offered, left } = this.said;
    const bare = left.filter((each) => !each.parts.length);
    const free = (/** @type {string} */ part) => this.touched.filter((each) => each.part === part).length;
    const buttons = [...offered].map((part) => el("button", {
      "data-key": part, onclick: () => this.press({ name: part, nth: free(part), label: label(part) }),
    }, label(part)));
    const whole = bare.length > 1
      ? bare.map((each) => el("button", { "data-key": each.move, onclick: () => this.#send(each) }, each.move)) : [];
    if (!buttons.length && !whole.length) return null;
    const listed = el("details", { class: "listed", open: this.#listOpen || whole.length > 0,
      ontoggle: () => (this.#listOpen = listed.open) },
    el("summary", {}, say("as_list")), el("div", { class: "list" }, buttons, whole));
    return listed;
  }
}
