// How games that are over went: how each was won, and the course of its points.
/** @import { CourseState } from "./messages.d.ts" */
import { el } from "./dom.js";
import { say } from "./words.js";

const AGAIN_MS = 2000;

/** How games that are over went, as far as the server has been asked. */
export class Courses {
  /** @type {Map<number, CourseState | null>} */
  #known = new Map();
  #arrived;
  #surface;

  /**
   * @param {() => void} arrived called when something is known that was asked for
   * @param {"wall" | "phone"} surface what the points are drawn for
   */
  constructor(arrived, surface) {
    this.#arrived = arrived;
    this.#surface = surface;
  }

  /**
   * Return the course of a game, nothing until it is known.
   * @param {number} game
   */
  of(game) {
    if (!this.#known.has(game)) {
      this.#known.set(game, null);
      this.#ask(game);
    }
    return this.#known.get(game) ?? null;
  }

  /**
   * Ask anew for a game: it was reopened.
   * @param {number} game
   */
  forget(game) {
    this.#known.delete(game);
  }

  /** @param {number} game */
  async #ask(game) {
    const answer = await fetch(`/log/game/${game}/course?for=${this.#surface}`).catch(() => null);
    if (answer?.ok) {
      this.#known.set(game, await answer.json());
      this.#arrived();
    } else if (!answer || answer.status >= 500) setTimeout(() => this.#ask(game), AGAIN_MS);
  }
}

/**
 * Return how a game was won.
 * @param {CourseState | null} course
 */
export const how = (course) => (course?.how ? el("p", { class: "how" }, course.how) : null);

/**
 * Return the course of the points, nothing where there is none.
 * @param {CourseState | null} course
 */
export function drawn(course) {
  if (!course?.curve) return null;
  const svg = document.importNode(new DOMParser().parseFromString(course.curve, "image/svg+xml").documentElement, true);
  svg.setAttribute("aria-hidden", "true"); // what it shows is said below it
  for (const name of ["width", "height"]) svg.removeAttribute(name);
  return el("figure", { class: "curve", "data-drop": 8 }, svg, el("figcaption", {}, say("curve", { what: course.counts || say("points") })));
}
