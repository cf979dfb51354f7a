// Letters as large as a room has height for: a television is read from across a room, and nobody scrolls it.
import { all } from "./dom.js";

/** The least size of letters, at a height of 1080 pixels. */
const LEAST = 28;
const HEIGHT = 1080;

/**
 * Have the letters of a room as large as its height allows. Where they would be too small, what is marked by `data-drop`
 * goes, the highest number first.
 * @param {HTMLElement} room one whose height does not follow from what it holds
 * @param {number} most the largest size, at a height of 1080 pixels
 */
export function fit(room, most = 72) {
  const droppable = [...all("[data-drop]", room)];
  for (const each of droppable) each.classList.remove("dropped");
  const scale = innerHeight / HEIGHT;
  const least = Math.round(LEAST * scale);
  if (scrolls(room)) {
    room.style.fontSize = "";
    return;
  }
  let [low, high] = [least, Math.round(most * scale)];
  const last = Math.min(Math.max(parseInt(room.style.fontSize, 10) || low, low), high); // it is often the same again
  if (!fits(room, last)) high = Math.max(low, last - 1);
  else if (last < high && fits(room, last + 1)) low = last + 1;
  else low = high = last;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (fits(room, middle)) low = middle;
    else high = middle - 1;
  }
  droppable.sort((one, other) => Number(other.dataset.drop) - Number(one.dataset.drop));
  while (!fits(room, low) && droppable.length) droppable.shift()?.classList.add("dropped");
}

/**
 * Whether a room may scroll: on a phone, or in a window that is higher than wide.
 * @param {HTMLElement} room
 */
const scrolls = (room) => getComputedStyle(room).overflowY !== "hidden";

/**
 * @param {HTMLElement} room
 * @param {number} size
 */
function fits(room, size) {
  room.style.fontSize = `${size}px`;
  const cut = [.../** @type {Iterable<Element>} */ (room.children)].filter((each) => getComputedStyle(each).overflowY === "hidden");
  return [room, ...cut].every((each) => each.scrollHeight <= each.clientHeight + 1 && each.scrollWidth <= each.clientWidth + 1);
}

/**
 * Have no letters of a board too small to be read from across a room. In a hand they are as they were drawn.
 * @param {SVGSVGElement} svg
 * @param {HTMLElement} room what is beside it
 */
export function enlarge(svg, room) {
  const least = scrolls(room) ? 0 : (LEAST * innerHeight) / HEIGHT / (svg.getScreenCTM()?.a || 1);
  for (const text of /** @type {NodeListOf<SVGTextElement>} */ (svg.querySelectorAll("text"))) {
    text.dataset.size ??= text.getAttribute("font-size") ?? "";
    text.setAttribute("font-size", String(Math.max(Number(text.dataset.size), least)));
  }
}
