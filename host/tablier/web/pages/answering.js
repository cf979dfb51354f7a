// How a seat answers: by touching parts of drawings until one move is left, from a list in words, or by buttons.
/**
 * @import { Answer, Can, QuestionState } from "./messages.d.ts"
 * @import { Part } from "./parts.js"
 */
/** @typedef {{part: string, nth: number, label: string}} Touched */
import { el, one } from "./dom.js";
import { narrow, touch } from "./touch.js";
import { either, say } from "./words.js";

/** The characters that fit on the button that confirms. */
const SHORT = 32;

/**
 * Return a move as a command; where its game does not say it so, in the words of the parts that it names.
 * @param {Can} can
 * @param {(part: string) => string} label
 */
export const worded = ({ move, parts, deed }, label) => deed || parts.flat().map(label).join(" → ") || move;

/**
 * Return those of a few moves whose outcomes tell them apart: they are told before one of them is touched.
 * @param {Can[]} left
 */
const told = (left) => left.length <= 3 && left.every((each) => each.deed && each.outcome)
  && new Set(left.map((each) => each.outcome)).size === left.length ? left : [];

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
    return narrow(this.#can, this.#parts, this.#pending()?.mine?.ways);
  }

  /**
   * Return whether a touch of a part takes the place of another.
   * @param {string} part
   */
  instead(part) {
    return touch(this.#can, this.#parts, part) !== null;
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
    const loose = this.#loose(known);
    const label = (/** @type {string} */ part) => known.get(part) ?? loose.get(part) ?? part;
    const buttons = (question?.mine?.answers ?? []).map((each, at, all) => el("button", {
      class: question?.kind === "poll" && at === all.length - 1 ? "first" : "", "data-key": each.said,
      onclick: () => this.#send(each),
    }, each.said));
    /** @type {(HTMLElement | null)[]} */
    const rows = [];
    /** @type {(HTMLElement | null)[]} */
    let below = [];
    if (question && ["poll", "menu"].includes(question.kind)) {
      rows.push(el("div", { class: question.kind === "poll" ? "answers" : "list" }, buttons));
    } else if (question) {
      const others = [...buttons, ...[...loose].map(([part, said]) => el("button", { "data-key": part,
        onclick: () => this.press({ name: part, nth: 0, label: said }) }, said))];
      const secret = hides && question.kind !== "choice";
      const outcomes = secret ? [] : told(this.said.left).map((each) => el("p", { class: "leads told" }, say("choice", each)));
      rows.push(this.#chosen(label, others, outcomes, secret));
      // What the bar has no room for stands below it: it must not grow over what is touched next.
      below = [...(this.touched.length && !this.said.move ? outcomes : []), hides ? null : this.#list(label)];
    }
    if (this.error) more = [el("p", { class: "hot", role: "alert" }, this.error), ...more];
    const active = /** @type {HTMLElement | null} */ (document.activeElement);
    const rooms = [this.#room, this.#listed];
    const focused = active && rooms.some((each) => each.contains(active)) ? (active.dataset.key ?? "") : null;
    this.#room.replaceChildren(...[...more, ...rows].filter((each) => each !== null));
    this.#listed.replaceChildren(...below.filter((each) => each !== null));
    if (focused === null) return;
    // What had the focus, else what comes after it, else the question: a reader by keys is never sent to the page's top.
    const same = rooms.map((each) => /** @type {HTMLElement | null} */ (each.querySelector(`[data-key="${CSS.escape(focused)}"]:enabled`)));
    (same.find((each) => each) ?? this.#confirming ?? one("#choose .list button, #listed button") ?? asked).focus();
  }

  /**
   * Return what can be touched and is drawn nowhere, beside what is: by part, the move that it is.
   * @param {Map<string, string>} known
   * @returns {Map<string, string>}
   */
  #loose(known) {
    const can = this.#can;
    if (!can.some(({ parts }) => parts.flat().some((part) => known.has(part)))) return new Map();
    return new Map(can.filter(({ parts, deed }) => deed && parts.flat().length === 1 && !known.has(parts.flat()[0]))
      .map(({ parts, deed }) => [parts.flat()[0], deed]));
  }

  /**
   * What the touches come to, in a sentence, and the buttons: what is done is said before it is confirmed, and as long as
   * nothing can be, what is to be touched stands in the place of the button.
   * @param {(part: string) => string} label
   * @param {HTMLElement[]} others
   * @param {HTMLElement[]} outcomes of the few moves that are left
   * @param {boolean} secret before a touch, the only move that there is would tell what the hand hides
   */
  #chosen(label, others, outcomes, secret) {
    const { move, offered, what, then } = this.said;
    const can = secret && !this.touched.length ? null : move;
    const touched = this.touched.map((each) => each.label ?? label(each.part)).join(" → ");
    const first = either([...what].length ? [...what] : [say("marked")]);
    const next = { touched, what: then.reduce((said, each) => say("then", { first: said, next: each }), first) };
    const undo = el("button", { "data-key": "undo", onclick: () => {
      this.touched = this.touched.slice(0, -1);
      this.error = "";
      this.#draw();
    } }, say("undo"));
    const deed = can ? worded(can, label) : "";
    const short = Boolean(can?.deed) && deed.length <= SHORT;
    const lines = can
      ? [short ? null : el("p", { class: "path" }, deed), can.outcome ? el("p", { class: "leads" }, say("sentence", { said: can.outcome })) : null,
        offered.size && short ? el("p", { class: "soft" }, say("also", next)) : null] // what is lit says it, too
      : touched ? [] : outcomes;
    const does = can
      ? el("button", { class: "first", "data-key": "confirm", "data-move": can.move,
        "aria-label": say("confirm_this", { move: deed }), onclick: () => this.#send(can) }, short ? deed : say("confirm"))
      : el("p", { class: "needs" }, el("span", {}, say(touched ? "touch_next" : "touch", next)));
    return el("div", { class: "chosen" }, ...lines, el("div", { class: "answers" }, this.touched.length ? undo : others, does));
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
      ? bare.map((each) => el("button", { "data-key": each.move, onclick: () => this.#send(each) }, each.deed || each.move)) : [];
    if (!buttons.length && !whole.length) return null;
    const listed = el("details", { class: "listed", open: this.#listOpen || whole.length > 0,
      ontoggle: () => (this.#listOpen = listed.open) },
    el("summary", {}, say("as_list")), el("div", { class: "list" }, buttons, whole));
    return listed;
  }
}
