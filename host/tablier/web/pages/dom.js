// Elements, built so that nothing from outside can be anything but text.

/** Return an element; `what` holds attributes, and `on…` listeners. */
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

/** Return the picture of a board as an element: `board` is SVG as the server has drawn it, `reading` its text. */
export function picture(board, reading, title) {
  const parsed = new DOMParser().parseFromString(board, "image/svg+xml").documentElement;
  const svg = document.importNode(parsed, true);
  svg.removeAttribute("width");
  svg.removeAttribute("height");
  svg.setAttribute("aria-hidden", "true");
  const text = el("div", { class: "reading", role: "img", "aria-label": `${title}\n${reading}` });
  return [svg, text];
}
