// A button that shows something as long as it is held, by finger, mouse or key.
import { el } from "./dom.js";
import { say } from "./words.js";

/**
 * Return the button; `show` is called when it is pressed and let go.
 * @param {(held: boolean) => void} show
 */
export function holder(show) {
  const button = el("button", { class: "hold", "data-key": "hold" }, say("hold"));
  const set = (/** @type {boolean} */ held) => (/** @type {Event} */ event) => {
    if (event instanceof KeyboardEvent && ![" ", "Enter"].includes(event.key)) return;
    if (event.type !== "blur") event.preventDefault();
    button.classList.toggle("down", held);
    show(held);
  };
  for (const name of ["pointerdown", "keydown"]) button.addEventListener(name, set(true));
  for (const name of ["pointerup", "pointercancel", "pointerleave", "keyup", "blur"]) button.addEventListener(name, set(false));
  button.addEventListener("contextmenu", (event) => event.preventDefault());
  return button;
}
