// What is touched next is brought into sight, where a page is too low for all of it: a board, a
// hand, between the head that says whose turn it is and the bar.
import { all, one } from "./dom.js";

const BOARD = "#board:has(.offered)";
const BELOW = "#hand .offered, #hand .touched, #beside .offered, #plain button";
/** What is left free beside it. */
const GAP = 12;
let before = "";
let moved = false;

/**
 * Scroll to what can be touched, the board first, once for each question and each touch: who reads on is left alone.
 * @param {number} id of the question that waits for an answer
 * @param {string[]} touched
 */
export function bring(id, touched) {
  const now = JSON.stringify([id, touched]);
  if (now === before) return;
  before = now;
  if (!id && moved) go(-scrollY); // how things stand is read at the top
  moved &&= id > 0;
  if (!id) return;
  const shown = (/** @type {string} */ which) => [...all(which)].filter((each) => each.checkVisibility());
  const boxes = (shown(BOARD).length ? shown(BOARD) : shown(BELOW)).map((each) => each.getBoundingClientRect());
  if (!boxes.length) return;
  const top = Math.min(...boxes.map((each) => each.top)) - GAP;
  const bottom = Math.max(...boxes.map((each) => each.bottom)) + GAP;
  const [head, bar] = ["#asked", "#choose"].map((each) => one(each)).map((each) =>
    (getComputedStyle(each).position === "sticky" ? each.getBoundingClientRect().height : 0));
  const low = innerHeight - bar;
  const by = bottom > low ? Math.min(bottom - low, top - head) : Math.min(top - head, 0);
  if (!by) return;
  moved = true;
  go(by);
}

/** @param {number} by */
const go = (by) => scrollBy({ top: by, behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "instant" : "smooth" });
