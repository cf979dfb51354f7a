// Elements, built so that nothing from outside can be anything but text.

/**
 * Return an element; `what` holds attributes, and `on…` listeners.
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {Record<string, any>} what
 * @param {...any} children
 * @returns {HTMLElementTagNameMap[Name]}
 */
export function el(name, what = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(what)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (key === "class") element.className = value;
    else element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.flat().filter((each) => each !== null && each !== undefined));
  return element;
}

/**
 * Return the page's element that a selector names, which may be missing on some pages.
 * @param {string} selector
 * @returns {HTMLElement}
 */
export const one = (selector) => /** @type {HTMLElement} */ (document.querySelector(selector));

/**
 * Return all elements that a selector names, of the page or below an element.
 * @param {string} selector
 * @param {ParentNode} below
 */
export const all = (selector, below = document) => /** @type {NodeListOf<HTMLElement>} */ (below.querySelectorAll(selector));

/**
 * Return what an error says to people.
 * @param {unknown} error
 */
export const reason = (error) => (error instanceof Error ? error.message : String(error));

/**
 * Return where an event has happened: an element, of HTML or of a drawing.
 * @param {Event} event
 */
export const target = (event) => /** @type {HTMLElement} */ (event.target);

/**
 * Return the picture of a board as an element: `board` is SVG as the server has drawn it, `reading` its text.
 * @param {string} board
 * @param {string} reading
 * @param {string} title
 * @returns {[SVGSVGElement, HTMLDivElement]}
 */
export function picture(board, reading, title) {
  const parsed = new DOMParser().parseFromString(board, "image/svg+xml").documentElement;
  const svg = /** @type {SVGSVGElement} */ (/** @type {Element} */ (document.importNode(parsed, true)));
  svg.removeAttribute("width");
  svg.removeAttribute("height");
  svg.setAttribute("aria-hidden", "true");
  return [svg, aloud(reading, title)];
}

/**
 * Keep the text of a picture that stands in a room: it tells more than a small picture shows, and may come after it.
 * @param {HTMLElement} room
 * @param {string} reading
 * @param {string} title
 */
export function reread(room, reading, title) {
  const text = aloud(reading, title);
  const old = room.querySelector(":scope > .reading");
  if (!old) room.append(...(reading ? [text] : []));
  else if (old.getAttribute("aria-label") !== text.getAttribute("aria-label")) old.replaceWith(text);
}

/**
 * @param {string} reading
 * @param {string} title
 */
const aloud = (reading, title) => el("div", { class: "reading", role: "img", "aria-label": `${title}\n${reading}` });
