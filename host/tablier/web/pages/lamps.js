// The pixels of the drawn table: each is painted as a light of that colour looks behind its film.

/** @type {Map<string, {pixel: SVGElement, shown: string}[]>} */
const found = new Map();
for (const pixel of /** @type {NodeListOf<SVGElement>} */ (document.querySelectorAll(".pixel"))) {
  const key = `${pixel.dataset.group} ${pixel.dataset.index}`;
  found.set(key, [...(found.get(key) ?? []), { pixel, shown: "000000" }]);
}

/**
 * Paint a group of pixels; without colours all of it is dark.
 * @param {string} group
 * @param {string[] | null | undefined} colours
 */
export function paint(group, colours) {
  for (let index = 0; found.has(`${group} ${index}`); index += 1) {
    const colour = colours?.[index] ?? "000000";
    for (const each of found.get(`${group} ${index}`) ?? []) {
      if (each.shown === colour) continue;
      each.shown = colour;
      each.pixel.dataset.colour = colour;
      const light = seen(colour);
      each.pixel.setAttribute("fill", light.fill);
      each.pixel.setAttribute("opacity", light.opacity);
      each.pixel.classList.toggle("lit", colour !== "000000");
    }
  }
}

/**
 * A light keeps its colour when it is dim, and a pixel at half its figure looks brighter than half.
 * @param {string} colour
 */
function seen(colour) {
  const parts = [0, 2, 4].map((at) => parseInt(colour.slice(at, at + 2), 16));
  const most = Math.max(...parts, 1);
  const shares = parts.map((part) => Math.round(255 * (part / most) ** (1 / 2.2)));
  return { fill: `rgb(${shares.join(" ")})`, opacity: (0.3 + 0.7 * (most / 255) ** (1 / 2.2)).toFixed(2) };
}
