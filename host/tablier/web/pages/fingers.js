// Buttons that are held and let go of with mouse, finger or keys, and hoods that one leans over.

/** @import { Act } from "./table.js" */
import { one, target } from "./dom.js";

const LEAST_MS = 70;
/** A lean that is not said again ends by itself. */
const LEAN_AGAIN_MS = 4000;
/** @type {Record<string, string>} */
const KEYS = { ArrowLeft: "minus", ArrowRight: "plus", a: "a", A: "a", b: "b", B: "b" };
/** What keeps letters and digits for itself. */
const TYPED_IN = "input:not([type=checkbox]), select, textarea";

export class Fingers {
  #told = 0;

  /**
   * `act`: says a request at the table; `chosen`: returns the place before the reader; `used`: hears of a place.
   * @param {{act: Act, chosen: () => number, choose: (place: number) => void, used: (place: number) => void, pace: () => number}} table
   */
  constructor({ act, chosen, choose, used, pace }) {
    this.act = act;
    this.chosen = chosen;
    this.choose = choose;
    this.used = used;
    this.pace = pace;
    /** @type {Map<string, {button: HTMLElement, place: string | undefined, name: string | undefined, since: number}>} */
    this.held = new Map();
    this.leans = 0;
    document.addEventListener("pointerdown", (event) => this.#down(event));
    for (const end of /** @type {const} */ (["pointerup", "pointercancel"])) {
      document.addEventListener(end, (event) => this.#let(`pointer ${event.pointerId}`));
    }
    document.addEventListener("keydown", (event) => this.#key(event));
    document.addEventListener("keyup", (event) => this.#let(`key ${event.code}`));
    document.addEventListener("click", (event) => {
      const hood = /** @type {HTMLElement} */ (target(event).closest("#own .hood"));
      if (hood) this.lean(this.leans ? 0 : Number(hood.dataset.hood));
    });
    window.addEventListener("blur", () => [...this.held.keys()].forEach((key) => this.#let(key)));
    window.addEventListener("pagehide", () => this.leans && this.lean(0));
    setInterval(() => this.leans && this.act({ lean: this.leans }), LEAN_AGAIN_MS);
  }

  /**
   * Lean over the hood of a place; 0: lean back.
   * @param {number} place
   */
  async lean(place) {
    const before = this.leans;
    this.leans = place;
    if (place) this.used(place);
    if (!(await this.act({ lean: place })) && this.leans === place) this.leans = place ? 0 : before;
  }

  /**
   * Hear over which hood somebody leans, as the table says it. A lean that ended there ends here; what was on its way
   * when it began ends none.
   * @param {number} place
   */
  hear(place) {
    if (!place && this.leans === this.#told) this.leans = 0;
    this.#told = place;
  }

  /** @param {PointerEvent} event */
  #down(event) {
    const button = /** @type {HTMLElement | null} */ (target(event).closest(".button[data-button]"));
    if (!button || event.button) return;
    event.preventDefault();
    this.#hold(`pointer ${event.pointerId}`, button);
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const at = target(event);
    if (event.ctrlKey || event.altKey || event.metaKey || at.closest(TYPED_IN)) return;
    const own = /** @type {HTMLElement | null} */ (at.closest(".button[data-button], .hood"));
    const pressed = event.key === " " || event.key === "Enter";
    if (own && pressed) {
      event.preventDefault();
      if (event.repeat) return;
      if (own.dataset.hood) this.lean(this.leans ? 0 : Number(own.dataset.hood));
      else this.#hold(`key ${event.code}`, own);
    } else if (KEYS[event.key] && !at.closest("summary")) {
      event.preventDefault();
      const name = `.at[data-at="${this.chosen()}"] .button[data-button="${KEYS[event.key]}"]`;
      if (!event.repeat) this.#hold(`key ${event.code}`, one(name));
    } else if (/^[1-6]$/.test(event.key)) {
      this.choose(Number(event.key));
    } else if (event.key === "l" || event.key === "L") {
      this.lean(this.leans ? 0 : this.chosen());
    } else if (event.key === "Escape" && this.leans) {
      this.lean(0);
    }
  }

  /**
   * @param {string} key
   * @param {HTMLElement} button
   */
  #hold(key, button) {
    if (this.held.has(key)) return;
    const { place, button: name } = button.dataset;
    this.held.set(key, { button, place, name, since: performance.now() });
    this.used(Number(place));
    button.classList.add("down");
    this.act({ verb: `hold ${place} ${name}` });
  }

  /** @param {string} key */
  #let(key) {
    const finger = this.held.get(key);
    if (!finger) return;
    this.held.delete(key);
    finger.button.classList.remove("down");
    // A press that is too short for the table to see is made longer.
    const left = LEAST_MS / this.pace() - (performance.now() - finger.since);
    setTimeout(() => this.act({ verb: `release ${finger.place} ${finger.name}` }), Math.max(0, left));
  }
}
