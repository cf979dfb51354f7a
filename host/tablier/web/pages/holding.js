// A button that shows something as long as it is held, by finger, mouse or key, and the page has the focus.
import { el } from "./dom.js";
import { say } from "./words.js";

/** @type {Set<(held: boolean) => void>} */
const held = new Set();
const letGo = () => held.forEach((turn) => turn(false));
addEventListener("blur", letGo);
document.addEventListener("visibilitychange", letGo);

/**
 * Return the button; `show` is called when it is pressed and let go.
 * @param {(held: boolean) => void} show
 */
export function holder(show) {
  const button = el("button", { class: "hold", "data-key": "hold" }, say("hold"));
  const turn = (/** @type {boolean} */ down) => {
    if (down) held.add(turn);
    else held.delete(turn);
    button.classList.toggle("down", down);
    show(down);
  };
  const set = (/** @type {boolean} */ down) => (/** @type {Event} */ event) => {
    if (event instanceof KeyboardEvent && ![" ", "Enter"].includes(event.key)) return;
    if (event.type !== "blur") event.preventDefault();
    turn(down);
  };
  for (const name of ["pointerdown", "keydown"]) button.addEventListener(name, set(true));
  for (const name of ["pointerup", "pointercancel", "pointerleave", "keyup", "blur"]) button.addEventListener(name, set(false));
  button.addEventListener("contextmenu", (event) => event.preventDefault());
  return button;
}
