// How a seat answers: it touches parts of drawings, or buttons beside them, until one move is left, and then the bar. A
// touch only chooses; what is done is done by the bar, which stands in the same place and says so.
/**
 * @import { Can, QuestionState } from "./messages.d.ts"
 * @import { Part } from "./parts.js"
 */
/** @typedef {{part: string, nth: number, label: string}} Touched */
import { el, one } from "./dom.js";
import { narrow, seeming, touch } from "./touch.js";
import { either, say } from "./words.js";

/** The characters that fit on the button that confirms. */
const SHORT = 32;
/** The buttons beside a drawing of which the bar names each. */
const FEW = 2;

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
  #bar;
  #plain;
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
   * `bar` shows what is chosen and does it, `plain` what can be chosen and is drawn nowhere, `listed` all that can be;
   * `pending` returns the question that waits for an answer; `send` takes the answer, `draw` shows what has changed.
   * @param {{bar: HTMLElement, plain: HTMLElement, listed: HTMLElement}} rooms
   * @param {{pending: () => QuestionState | undefined, send: (answer: Can) => void, draw: () => void}} how
   */
  constructor({ bar, plain, listed }, { pending, send, draw }) {
    this.#bar = bar;
    this.#plain = plain;
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

  /** Return the parts that can be touched next as far as onlookers know. */
  get seem() {
    return seeming(this.#pending()?.mine?.seem ?? [], this.#parts);
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
    return /** @type {HTMLElement | null} */ (this.#bar.querySelector("[data-key=confirm]"));
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
    const plain = this.#undrawn(known);
    const label = (/** @type {string} */ part) => known.get(part) ?? plain.get(part) ?? part;
    const buttons = [...plain].map(([part, said]) => el("button", { "data-key": part,
      "aria-pressed": String(this.#parts.includes(part)), onclick: (/** @type {MouseEvent} */ event) =>
        this.press({ name: part, nth: 0, label: said, keyed: event.detail === 0 }) }, said));
    const secret = hides && question?.kind !== "choice";
    const only = this.said.move && !this.touched.length && !secret; // there is nothing to choose
    const outcomes = secret ? [] : told(this.said.left).map((each) => el("p", { class: "leads told" }, say("choice", each)));
    if (this.error) more = [el("p", { class: "hot", role: "alert" }, this.error), ...more];
    const active = /** @type {HTMLElement | null} */ (document.activeElement);
    const rooms = [this.#plain, this.#bar, this.#listed];
    const focused = active && rooms.some((each) => each.contains(active)) ? (active.dataset.key ?? "") : null;
    // What the bar has no room for stands beside it: it must not grow over what is touched next.
    this.#plain.classList.toggle("chosen", this.touched.length > 0);
    this.#plain.replaceChildren(...(only || this.said.move ? [] : outcomes), ...(only ? [] : buttons));
    this.#bar.replaceChildren(...more.filter((each) => each !== null), ...(question ? [this.#chosen(label, [...plain.values()], secret)] : []));
    const list = question && !hides ? this.#list(known, label) : null;
    this.#listed.replaceChildren(...(list ? [list] : []));
    if (focused === null) return;
    // What had the focus, else what comes after it, else the question: a reader by keys is never sent to the page's top.
    const same = rooms.map((each) => /** @type {HTMLElement | null} */ (each.querySelector(`[data-key="${CSS.escape(focused)}"]`)));
    (same.find((each) => each) ?? this.#confirming ?? one("#plain button, #listed button") ?? asked).focus();
  }

  /**
   * Return what is chosen by one touch and is drawn nowhere: by part, what it says. Where nothing at all is drawn, of
   * moves that are composed step by step nothing: they are listed.
   * @param {Map<string, string>} known
   * @returns {Map<string, string>}
   */
  #undrawn(known) {
    const can = this.#can.filter(({ parts }) => parts.flat().length === 1 && !known.has(parts.flat()[0]));
    return new Map(can.map(({ parts, deed, move }) => [parts.flat()[0], deed || move]));
  }

  /**
   * The bar: what the touches come to, in a sentence, and the button that does it; as long as nothing can be done, what is
   * to be touched first stands in its place.
   * @param {(part: string) => string} label
   * @param {string[]} plain what the buttons beside the drawing say
   * @param {boolean} secret before a touch, the only move that there is would tell what the hand hides
   */
  #chosen(label, plain, secret) {
    const { move, what, then } = this.said;
    const can = secret && !this.touched.length ? null : move;
    const touched = this.touched.map((each) => each.label ?? label(each.part)).join(" → ");
    const others = touched || plain.length > FEW ? [] : plain.map((said) => say("quoted", { said }));
    const nouns = [...what, ...others];
    const first = either(nouns.length ? nouns : [say(plain.length ? "an_answer" : "marked")]);
    const next = { touched, what: then.reduce((said, each) => say("then", { first: said, next: each }), first) };
    const undo = this.touched.length ? el("button", { "data-key": "undo", onclick: () => {
      this.touched = this.touched.slice(0, -1);
      this.error = "";
      this.#draw();
    } }, say("undo")) : null;
    const deed = can ? worded(can, label) : "";
    const short = Boolean(can?.deed) && deed.length <= SHORT;
    const lines = can
      ? [short ? null : el("p", { class: "path" }, deed),
        can.outcome ? el("p", { class: can.warns ? "leads warns" : "leads" }, say("sentence", { said: can.outcome })) : null]
      : [];
    const does = can
      ? el("button", { class: can.warns ? "does warns" : "does first", "data-key": "confirm", "data-move": can.move,
        "aria-label": say("confirm_this", { move: deed }), onclick: () => this.#send(can) }, short ? deed : say("confirm"))
      : el("p", { class: "needs" }, el("span", {}, say(touched ? "touch_next" : "touch", next)), el("small", {}, say(touched ? "then_here" : "done_here")));
    return el("div", { class: "chosen" }, ...lines, el("div", { class: "answers" }, undo, does));
  }

  /**
   * All that is drawn and can be touched next, in words: for keys, for readers, and for what is too small; open where
   * nothing is drawn.
   * @param {Map<string, string>} known
   * @param {(part: string) => string} label
   */
  #list(known, label) {
    const plain = this.#undrawn(known);
    const free = (/** @type {string} */ part) => this.touched.filter((each) => each.part === part).length;
    const buttons = [...this.said.offered].filter((part) => !plain.has(part)).map((part) => el("button", {
      "data-key": part, onclick: () => this.press({ name: part, nth: free(part), label: label(part) }),
    }, label(part)));
    if (!buttons.length) return null;
    const listed = el("details", { class: "listed", open: this.#listOpen || !known.size,
      ontoggle: () => (this.#listOpen = listed.open) },
    el("summary", {}, say("as_list")), el("div", { class: "list" }, buttons));
    return listed;
  }
}
