// A drawing whose parts can be touched. All of it is seen; what is too small for a thumb is brought nearer: at once where
// all that can be touched lies together, else by a touch that could be meant for more than one part.
/** @import { Part, Shape } from "./parts.js" */
import { change } from "./changing.js";
import { el, picture, reread } from "./dom.js";
import { Parts } from "./parts.js";
import { say } from "./words.js";

/** The least size in pixels of what a thumb can hit. */
const LEAST = 44;
/** Parts that are smaller are brought nearer without a touch. */
const TINY = 26;
/** The most by which a drawing is brought nearer. */
const MOST = 6;

/** @typedef {{left: number, right: number, top: number, bottom: number}} Box */

export class Board extends Parts {
  #drawn = "";
  /** @type {SVGSVGElement | null} */
  #svg = null;
  #whole = "";
  /** What was last marked, so that it is brought nearer once. */
  #marked = "";
  #away;
  /** Whether something of it is to be seen by its own seat alone. */
  secret = false;

  /**
   * @param {HTMLElement} room
   * @param {(part: Part) => void} press
   */
  constructor(room, press) {
    super(room, press);
    this.#away = el("button", { class: "away", hidden: true, onclick: () => this.#see(null) }, say("whole_board"));
  }

  /**
   * Show a drawing, if it is another one, from the side of a seat.
   * @param {string} board
   * @param {{reading?: string, title?: string, seat?: number | null}} texts
   */
  show(board, { reading = "", title = "", seat = null }) {
    if (board === this.#drawn) {
      reread(this.room, reading, title);
      return;
    }
    this.#drawn = board;
    const active = /** @type {SVGElement | null} */ (document.activeElement);
    const focused = active && this.#svg?.contains(active) ? active.dataset.part : null;
    const [svg, text] = picture(board, reading, title);
    svg.removeAttribute("aria-hidden");
    svg.setAttribute("role", "group");
    svg.setAttribute("aria-label", title);
    this.room.style.setProperty("--below", svg.dataset.below ? `${svg.dataset.below}px` : "");
    if (svg.dataset.turned?.split(" ").includes(String(seat))) turn(svg);
    this.#svg = svg;
    this.#whole = svg.getAttribute("viewBox") ?? "";
    this.#marked = "";
    this.secret = svg.querySelector(".secret") !== null;
    this.#away.hidden = true;
    change(this.room, svg, this.#away, ...(reading ? [text] : []));
    this.name();
    if (focused) this.named(focused)[0]?.focus();
  }

  /**
   * @override
   * @param {Set<string>} offered
   * @param {{part: string, nth: number}[]} touched
   * @param {boolean} secret
   * @param {Set<string>} meant
   * @param {(part: string) => boolean} instead
   * @param {Set<string>} seem
   */
  mark(offered, touched, secret, meant, instead, seem) {
    super.mark(offered, touched, secret, meant, instead, seem);
    const marked = JSON.stringify([[...offered], touched]);
    if (marked === this.#marked) return;
    this.#marked = marked;
    this.#see(null);
    const parts = this.#offered();
    if (parts.length && touched.length && Math.min(...parts.map(width)) < TINY) this.#see(around(parts));
  }

  /**
   * Return the part that a click is for. A finger that could be meant for several has them brought nearer.
   * @override
   * @param {MouseEvent} event
   * @returns {Shape | undefined}
   */
  hit(event) {
    const part = super.hit(event);
    if (event instanceof PointerEvent && event.pointerType === "mouse") return part;
    if (part && width(part.getBoundingClientRect()) >= LEAST - 0.5) return part;
    const [x, y, reach] = [event.clientX, event.clientY, LEAST / 2];
    const finger = { left: x - reach, right: x + reach, top: y - reach, bottom: y + reach };
    const near = this.all(".offered, .touched").filter((each) => meet(each.getBoundingClientRect(), finger));
    if (near.length < 2) {
      if (!near.length) this.#see(null);
      return near[0];
    }
    if (this.#svg?.contains(near[0]) && this.#see(finger, Math.min(...near.map((each) => width(each.getBoundingClientRect()))))) return undefined;
    return part ?? near[0];
  }

  /** @returns {DOMRect[]} */
  #offered() {
    return this.all("svg .offered").map((each) => each.getBoundingClientRect());
  }

  /**
   * Bring a part of the drawing so near that a thumb hits what measures `least` pixels now; `null`: show all of it.
   * Return whether it is nearer than before.
   * @param {Box | null} box
   * @param {number} [least]
   */
  #see(box, least = Math.min(...this.#offered().map(width))) {
    const svg = this.#svg;
    if (!svg) return false;
    const before = svg.getAttribute("viewBox") ?? "";
    let seen = this.#whole;
    const frame = svg.getBoundingClientRect();
    const scale = svg.getScreenCTM()?.a ?? 0;
    if (box && scale) {
      const [x, y, w, h] = this.#whole.split(" ").map(Number);
      const now = before.split(" ").map(Number);
      const middle = new DOMPoint((box.left + box.right) / 2, (box.top + box.bottom) / 2).matrixTransform(svg.getScreenCTM()?.inverse());
      const size = [frame.width, frame.height - this.#wayBack()];
      const room = 1.1 * Math.max((box.right - box.left) / size[0], (box.bottom - box.top) / size[1]);
      const nearer = Math.min((LEAST * 1.02) / least, 1 / room, (MOST * now[2]) / w);
      if (nearer > 1.02) {
        const [across, down] = size.map((each) => each / (scale * nearer));
        /** @type {(value: number, from: number, size: number, all: number) => number} */
        const inside = (value, from, size, all) => (size > all ? from - (size - all) / 2 : Math.min(Math.max(value, from), from + all - size));
        seen = [inside(middle.x - across / 2, x, across, w), inside(middle.y - down / 2, y, down, h), across, down].join(" ");
      } else seen = before;
    }
    svg.setAttribute("viewBox", seen);
    svg.classList.toggle("nearer", seen !== this.#whole);
    svg.style.setProperty("--nearer", String(Number(this.#whole.split(" ")[2]) / Number(seen.split(" ")[2])));
    this.#away.hidden = seen === this.#whole;
    return seen !== before;
  }

  /** Return the height that the button to the whole board takes from a drawing that is brought nearer; 0 once it has. */
  #wayBack() {
    if (!this.#away.hidden) return 0;
    this.#away.hidden = false;
    const { marginTop, marginBottom } = getComputedStyle(this.#away);
    return this.#away.offsetHeight + parseFloat(marginTop) + parseFloat(marginBottom);
  }
}

/**
 * Have a drawing seen from the other side; its words stay upright.
 * @param {SVGSVGElement} svg
 */
function turn(svg) {
  const [x, y, width, height] = (svg.getAttribute("viewBox") ?? "").split(" ").map(Number);
  const whole = document.createElementNS(svg.namespaceURI, "g");
  whole.setAttribute("class", "turned");
  whole.setAttribute("transform", `rotate(180 ${x + width / 2} ${y + height / 2})`);
  whole.append(...svg.childNodes);
  svg.append(whole);
}

/** @param {Box} box */
const width = ({ left, right, top, bottom }) => Math.min(right - left, bottom - top);
/** @type {(one: Box, other: Box) => boolean} */
const meet = (one, other) => one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;
/** @type {(boxes: Box[]) => Box} */
const around = (boxes) => ({
  left: Math.min(...boxes.map((each) => each.left)), right: Math.max(...boxes.map((each) => each.right)),
  top: Math.min(...boxes.map((each) => each.top)), bottom: Math.max(...boxes.map((each) => each.bottom)),
});
