// Parts of a game that can be touched, by finger, mouse or key: groups of a drawing, or lines of text beside it.
/** @import { BesideState } from "./messages.d.ts" */
import { el, target } from "./dom.js";

/** @typedef {{name: string, nth: number, label: string, keyed?: boolean}} Part one that was touched, by a key if `keyed` */
/** @typedef {HTMLElement | SVGElement} Shape */

export class Parts {
  room;
  #press;
  /** By part: what it is called. */
  labels = /** @type {Map<string, string>} */ (new Map());

  /**
   * `press` is called with a part that is touched.
   * @param {HTMLElement} room
   * @param {(part: Part) => void} press
   */
  constructor(room, press) {
    this.room = room;
    this.#press = press;
    room.addEventListener("click", (event) => {
      const part = this.hit(event);
      if (part) this.touch(part);
    });
    room.addEventListener("keydown", (event) => {
      const part = /** @type {Shape | null} */ (target(event).closest("[data-part]"));
      if (!part || (event.key !== "Enter" && event.key !== " ")) return;
      event.preventDefault();
      this.touch(part, true);
    });
  }

  /** Take note of what is shown now. */
  name() {
    this.labels = new Map();
    for (const part of this.all()) {
      part.dataset.label = part.getAttribute("aria-label") ?? part.textContent ?? "";
      part.removeAttribute("aria-label"); // a button alone has a name: the rest is in the reading
      this.labels.set(part.dataset.part ?? "", part.dataset.label);
    }
  }

  /**
   * @param {string} which
   * @returns {Shape[]}
   */
  all(which = "[data-part]") {
    return [.../** @type {NodeListOf<Shape>} */ (this.room.querySelectorAll(which))];
  }

  /** @param {string} name */
  named(name) {
    return this.all(`[data-part="${CSS.escape(name)}"]`);
  }

  /**
   * Mark what can be touched and what was. `secret`: onlookers must not see which.
   * @param {Set<string>} offered
   * @param {{part: string, nth: number}[]} touched
   * @param {boolean} secret
   * @param {Set<string>} meant by a hint
   * @param {(part: string) => boolean} instead whether a part can be touched in place of one that was
   * @param {Set<string>} seem what is offered as far as onlookers know, and cannot be touched
   */
  mark(offered, touched, secret, meant, instead, seem = new Set()) {
    const may = (/** @type {string} */ name) => offered.has(name) || (touched.length > 0 && instead(name));
    const alike = secret && this.all().some((each) => may(each.dataset.part ?? ""));
    this.room.classList.toggle("alike", alike);
    for (const part of this.all()) {
      const name = part.dataset.part ?? "";
      const nth = this.named(name).indexOf(part);
      const chosen = touched.some((each) => each.part === name && each.nth === nth);
      const seems = seem.has(name) && !offered.has(name) && !chosen;
      part.classList.toggle("offered", seems || (offered.has(name) && !chosen));
      part.classList.toggle("seems", seems); // it looks the same
      part.classList.toggle("touched", chosen);
      const other = !chosen && touched.length > 0 && !offered.has(name) && instead(name);
      part.classList.toggle("instead", other);
      part.classList.toggle("meant", meant.has(name) && !chosen);
      if (offered.has(name) || seems || chosen || other || alike) {
        part.setAttribute("tabindex", "0");
        part.setAttribute("role", "button");
        part.setAttribute("aria-label", part.dataset.label ?? "");
        part.setAttribute("aria-pressed", String(chosen));
      } else {
        for (const name of ["tabindex", "role", "aria-label", "aria-pressed"]) part.removeAttribute(name);
      }
    }
  }

  /**
   * Return the part that a click is for.
   * @param {MouseEvent} event
   * @returns {Shape | undefined}
   */
  hit(event) {
    const under = document.elementsFromPoint(event.clientX, event.clientY)
      .map((each) => /** @type {Shape | null} */ (each.closest("[data-part]")))
      .filter((each) => each && this.room.contains(each));
    return (under.find((each) => each?.matches(".offered, .touched")) ?? under.find((each) => each?.hasAttribute("tabindex"))) ?? undefined;
  }

  /** @param {Shape} part */
  touch(part, keyed = false) {
    const name = part.dataset.part ?? "";
    this.#press({ name, nth: this.named(name).indexOf(part), label: part.dataset.label ?? "", keyed });
  }
}

export class Notes extends Parts {
  #shown = "";

  /**
   * Show what stands beside a board, if it is anything else.
   * @param {BesideState[]} lines
   */
  show(lines) {
    const now = JSON.stringify(lines);
    if (now === this.#shown) return;
    this.#shown = now;
    const focused = /** @type {HTMLElement | null} */ (document.activeElement)?.closest("[data-part]");
    const kept = focused && this.room.contains(focused) ? focused.getAttribute("data-part") : null;
    this.room.replaceChildren(...lines.map(({ said, part, sign }) =>
      el("p", { class: sign ? "bold" : "" }, sign ? el("span", { "aria-hidden": "true" }, `${sign} `) : null,
        el("span", { "data-part": part || null }, said))));
    this.room.hidden = !lines.length;
    this.name();
    if (kept) this.named(kept)[0]?.focus();
  }
}
