// A board that changes: a thing that lies elsewhere now glides there, what is new appears. For who wants stillness all
// stands where it belongs at once.

/** @typedef {{x: number, y: number, width: number, height: number}} Box */

const GLIDE = { duration: 500, easing: "ease-in-out" };
const APPEAR = { duration: 800, easing: "ease-out" };

/**
 * Show a picture in place of the one in a room, and show what has changed.
 * @param {HTMLElement} room
 * @param {SVGSVGElement} svg
 * @param {...Element} others
 */
export function change(room, svg, ...others) {
  const old = /** @type {SVGSVGElement | null} */ (room.querySelector(":scope > svg"));
  const seen = old && old.getClientRects().length > 0 && old.dataset.game === svg.dataset.game;
  const before = seen && !still() ? { things: things(old), parts: parts(old) } : null;
  room.replaceChildren(svg, ...others);
  if (!before) return;
  glide(svg, before.things);
  for (const part of partsOf(svg)) {
    if (!before.parts.has(looks(part)) && !part.closest("[data-thing]") && !part.querySelector("[data-thing]")) appear(part);
  }
}

const still = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/**
 * @param {SVGSVGElement} svg
 * @returns {SVGElement[]}
 */
const partsOf = (svg) => [.../** @type {NodeListOf<SVGElement>} */ (svg.querySelectorAll("[data-part]"))];

/**
 * What tells a part that has changed from one that has only moved aside.
 * @param {SVGElement} part
 */
const looks = (part) => `${part.dataset.part} ${part.querySelectorAll("*").length}`;
/** @param {SVGSVGElement} svg */
const parts = (svg) => new Set(partsOf(svg).map(looks));

/** @param {Element} element */
const appear = (element) => element.animate({ opacity: [0, 1] }, APPEAR);

/**
 * Return the things of a picture, by name, and where each lies: in the coordinates of the picture.
 * @param {SVGSVGElement} svg
 */
function things(svg) {
  /** @type {Map<string, {thing: SVGElement, box: Box}[]>} */
  const found = new Map();
  for (const thing of /** @type {NodeListOf<SVGElement>} */ (svg.querySelectorAll("[data-thing]"))) {
    const name = thing.dataset.thing ?? "";
    found.set(name, [...(found.get(name) ?? []), { thing, box: boxOf(svg, thing) }]);
  }
  return found;
}

/**
 * @param {SVGSVGElement} svg
 * @param {Element} element
 * @returns {Box}
 */
function boxOf(svg, element) {
  const seen = element.getBoundingClientRect();
  const onto = svg.getScreenCTM()?.inverse();
  const [from, to] = [[seen.left, seen.top], [seen.right, seen.bottom]].map((at) => new DOMPoint(...at).matrixTransform(onto));
  return { x: from.x, y: from.y, width: to.x - from.x, height: to.y - from.y };
}

/**
 * Let things glide from where they were. Of those with one name, which went where is not known: what lies still has not
 * moved. What is new comes from its seat, where the last move shows both, else it appears.
 * @param {SVGSVGElement} svg
 * @param {ReturnType<typeof things>} before
 */
function glide(svg, before) {
  const seat = svg.querySelector('.last[data-part^="seat "]');
  for (const [name, now] of things(svg)) {
    const then = [...(before.get(name) ?? [])];
    const moved = now.filter(({ box }) => {
      const at = then.findIndex((each) => Math.abs(each.box.x - box.x) + Math.abs(each.box.y - box.y) < 1);
      if (at >= 0) then.splice(at, 1);
      return at < 0;
    });
    for (const { thing, box } of moved) {
      const from = then.shift()?.box ?? (seat && thing.closest(".last") ? inside(boxOf(svg, seat), box) : null);
      if (from) go(svg, thing, from, box);
      else appear(thing);
    }
  }
}

/**
 * Return a box like another one, in the middle of a room.
 * @param {Box} room
 * @param {Box} box
 * @returns {Box}
 */
const inside = (room, box) => ({ ...box, x: room.x + (room.width - box.width) / 2, y: room.y + (room.height - box.height) / 2 });

/**
 * @param {SVGSVGElement} svg
 * @param {SVGElement} thing
 * @param {Box} from
 * @param {Box} to
 */
function go(svg, thing, from, to) {
  const room = /** @type {SVGGraphicsElement} */ (thing.parentNode);
  const onto = room.getScreenCTM()?.inverse().multiply(svg.getScreenCTM() ?? undefined);
  const size = from.width / to.width || 1;
  const [was, is] = [from, to].map((box) => new DOMPoint(box.x, box.y).matrixTransform(onto));
  const start = `translate(${was.x - size * is.x}px, ${was.y - size * is.y}px) scale(${size})`;
  thing.animate([{ transform: start }, { transform: "translate(0px, 0px) scale(1)" }], GLIDE);
}
