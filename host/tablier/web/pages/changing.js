// A board that changes: a thing that lies elsewhere now glides there, what is new appears. For who wants stillness all
// stands where it belongs at once.

const GLIDE = { duration: 500, easing: "ease-in-out" };
const APPEAR = { duration: 800, easing: "ease-out" };

/** Show a picture in place of the one in a room, and show what has changed. */
export function change(room, svg, ...others) {
  const old = room.querySelector(":scope > svg");
  const seen = old?.getClientRects().length > 0 && old.dataset.game === svg.dataset.game;
  const before = seen && !still() ? { things: things(old), parts: parts(old) } : null;
  room.replaceChildren(svg, ...others);
  if (!before) return;
  glide(svg, before.things);
  for (const part of svg.querySelectorAll("[data-part]")) {
    if (!before.parts.has(looks(part)) && !part.closest("[data-thing]") && !part.querySelector("[data-thing]")) appear(part);
  }
}

const still = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/** What tells a part that has changed from one that has only moved aside. */
const looks = (part) => `${part.dataset.part} ${part.querySelectorAll("*").length}`;
const parts = (svg) => new Set([...svg.querySelectorAll("[data-part]")].map(looks));

const appear = (element) => element.animate({ opacity: [0, 1] }, APPEAR);

/** Return the things of a picture, by name, and where each lies: in the coordinates of the picture. */
function things(svg) {
  const found = new Map();
  for (const thing of svg.querySelectorAll("[data-thing]")) {
    const name = thing.dataset.thing;
    if (!found.has(name)) found.set(name, []);
    found.get(name).push({ thing, box: boxOf(svg, thing) });
  }
  return found;
}

function boxOf(svg, element) {
  const seen = element.getBoundingClientRect();
  const onto = svg.getScreenCTM().inverse();
  const [from, to] = [[seen.left, seen.top], [seen.right, seen.bottom]].map((at) => new DOMPoint(...at).matrixTransform(onto));
  return { x: from.x, y: from.y, width: to.x - from.x, height: to.y - from.y };
}

/** Let things glide from where they were. Of those with one name, which went where is not known: what lies still has not
 *  moved. What is new comes from its seat, where the last move shows both, else it appears. */
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

/** Return a box like another one, in the middle of a room. */
const inside = (room, box) => ({ ...box, x: room.x + (room.width - box.width) / 2, y: room.y + (room.height - box.height) / 2 });

function go(svg, thing, from, to) {
  const onto = thing.parentNode.getScreenCTM().inverse().multiply(svg.getScreenCTM());
  const size = from.width / to.width || 1;
  const [was, is] = [from, to].map((box) => new DOMPoint(box.x, box.y).matrixTransform(onto));
  const start = `translate(${was.x - size * is.x}px, ${was.y - size * is.y}px) scale(${size})`;
  thing.animate([{ transform: start }, { transform: "translate(0px, 0px) scale(1)" }], GLIDE);
}
