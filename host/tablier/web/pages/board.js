// A drawing whose parts can be touched: by finger, mouse or key. What is too small for a thumb is brought nearer.
import { change } from "./changing.js";
import { picture, target } from "./dom.js";

/** @typedef {{name: string, nth: number, label: string, keyed?: boolean}} Part one that was touched, by a key if `keyed` */

const LEAST = 44;

export class Board {
  #room;
  #press;
  #drawn = "";
  /** @type {SVGSVGElement | null} */
  #svg = null;
  #whole = "";
  /** By part: what it is called. */
  labels = /** @type {Map<string, string>} */ (new Map());
  /** Whether something of it is to be seen by its own seat alone. */
  secret = false;

  /**
   * `press` is called with a part that is touched.
   * @param {HTMLElement} room
   * @param {(part: Part) => void} press
   */
  constructor(room, press) {
    this.#room = room;
    this.#press = press;
    room.addEventListener("click", (event) => this.#click(event));
    room.addEventListener("keydown", (event) => {
      const part = /** @type {SVGElement | null} */ (target(event).closest("[data-part]"));
      if (!part || (event.key !== "Enter" && event.key !== " ")) return;
      event.preventDefault();
      this.#touch(part, true);
    });
  }

  /**
   * Show a drawing, if it is another one.
   * @param {string} board
   * @param {{reading?: string, title?: string}} texts
   */
  show(board, { reading = "", title = "" }) {
    if (board === this.#drawn) return;
    this.#drawn = board;
    const active = /** @type {SVGElement | null} */ (document.activeElement);
    const focused = active && this.#svg?.contains(active) ? active.dataset.part : null;
    const [svg, text] = picture(board, reading, title);
    svg.removeAttribute("aria-hidden");
    svg.setAttribute("role", "group");
    svg.setAttribute("aria-label", title);
    this.#svg = svg;
    this.#whole = svg.getAttribute("viewBox") ?? "";
    this.secret = svg.querySelector(".secret") !== null;
    this.labels = new Map();
    for (const part of /** @type {NodeListOf<SVGElement>} */ (svg.querySelectorAll("[data-part]"))) {
      part.dataset.label = part.getAttribute("aria-label") ?? "";
      part.removeAttribute("aria-label"); // a button alone has a name: the rest is in the reading
      this.labels.set(part.dataset.part ?? "", part.dataset.label);
    }
    change(this.#room, svg, ...(reading ? [text] : []));
    if (focused) this.#named(focused)[0]?.focus();
  }

  /**
   * Mark what can be touched and what was. `secret`: onlookers must not see which.
   * @param {Set<string>} offered
   * @param {{part: string, nth: number}[]} touched
   * @param {boolean} secret
   */
  mark(offered, touched, secret) {
    if (!this.#svg) return;
    for (const part of /** @type {NodeListOf<SVGElement>} */ (this.#svg.querySelectorAll("[data-part]"))) {
      const name = part.dataset.part ?? "";
      const nth = this.#named(name).indexOf(part);
      const chosen = touched.some((each) => each.part === name && each.nth === nth);
      const can = offered.has(name) || chosen;
      part.classList.toggle("offered", offered.has(name) && !chosen);
      part.classList.toggle("touched", chosen);
      if (can || (secret && offered.size)) {
        part.setAttribute("tabindex", "0");
        part.setAttribute("role", "button");
        part.setAttribute("aria-label", part.dataset.label ?? "");
        part.setAttribute("aria-pressed", String(chosen));
      } else {
        for (const name of ["tabindex", "role", "aria-label", "aria-pressed"]) part.removeAttribute(name);
      }
    }
    this.#near(touched.length > 0);
  }

  /**
   * @param {string} name
   * @returns {SVGElement[]}
   */
  #named(name) {
    if (!this.#svg) return [];
    return [.../** @type {NodeListOf<SVGElement>} */ (this.#svg.querySelectorAll(`[data-part="${CSS.escape(name)}"]`))];
  }

  /** @param {MouseEvent} event */
  #click(event) {
    const under = document.elementsFromPoint(event.clientX, event.clientY)
      .map((each) => /** @type {SVGElement | null} */ (each.closest("[data-part]")))
      .filter((each) => each && this.#svg?.contains(each));
    const part = under.find((each) => each?.matches(".offered, .touched")) ?? under.find((each) => each?.hasAttribute("tabindex"));
    if (part) this.#touch(part);
  }

  /** @param {SVGElement} part */
  #touch(part, keyed = false) {
    const name = part.dataset.part ?? "";
    this.#press({ name, nth: this.#named(name).indexOf(part), label: part.dataset.label ?? "", keyed });
  }

  /**
   * Bring what can be touched so near that a thumb hits it: closer to a part of the board, else all of it larger.
   * @param {boolean} within
   */
  #near(within) {
    if (!this.#svg) return;
    const [left, top] = [this.#room.scrollLeft, this.#room.scrollTop];
    this.#fit(this.#svg, within);
    this.#room.scrollTo(left, top);
    // What is wider or higher than its room is scrolled by keys, too.
    const [room, svg] = [this.#room, this.#svg.getBoundingClientRect()];
    if (svg.width > room.clientWidth + 1 || svg.height > room.clientHeight + 1) room.tabIndex = 0;
    else room.removeAttribute("tabindex");
  }

  /**
   * @param {SVGSVGElement} svg
   * @param {boolean} within
   */
  #fit(svg, within) {
    svg.setAttribute("viewBox", this.#whole);
    svg.style.width = "";
    const parts = [...svg.querySelectorAll(".offered")];
    if (!parts.length || !svg.getBoundingClientRect().width) return;
    const boxes = parts.map((each) => each.getBoundingClientRect());
    const least = Math.min(...boxes.map((box) => Math.min(box.width, box.height)));
    if (least >= LEAST) return;
    const [x, y, width, height] = this.#whole.split(" ").map(Number);
    const at = svg.getBoundingClientRect();
    const unit = width / at.width;
    const left = Math.min(...boxes.map((box) => box.left));
    const right = Math.max(...boxes.map((box) => box.right));
    const top = Math.min(...boxes.map((box) => box.top));
    const bottom = Math.max(...boxes.map((box) => box.bottom));
    const wanted = LEAST / least;
    const room = Math.max((right - left) / at.width, (bottom - top) / at.height) * 1.1;
    const nearer = within ? Math.min(wanted, 1 / room) : 1;
    if (nearer > 1.05) {
      const [w, h] = [width / nearer, height / nearer];
      const cx = x + ((left + right) / 2 - at.left) * unit - w / 2;
      const cy = y + ((top + bottom) / 2 - at.top) * unit - h / 2;
      /** @type {(value: number, from: number, size: number, all: number) => number} */
      const inside = (value, from, size, all) => Math.min(Math.max(value, from), from + all - size);
      svg.setAttribute("viewBox", [inside(cx, x, w, width), inside(cy, y, h, height), w, h].join(" "));
    }
    const larger = wanted / Math.max(nearer, 1);
    if (larger > 1.02) svg.style.width = `${Math.min(larger, 4) * 100}%`;
  }
}
