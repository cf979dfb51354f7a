// What comes in place of something else takes no touch for a moment: a finger may still be on its way to what was there.

const MOMENT_MS = 600;
/** When the page before this one was left that somebody had touched. */
const LEFT = "left";
const settling = /** @type {WeakMap<HTMLElement, number>} */ (new WeakMap());

/**
 * Have rooms take no touch for a moment, keys at once. Before anybody has touched the page, no finger can be on its way.
 * @param {...HTMLElement} rooms
 */
export function settle(...rooms) {
  if (navigator.userActivation?.hasBeenActive) rest(rooms);
}

/** @param {HTMLElement[]} rooms */
function rest(rooms) {
  for (const room of rooms) {
    clearTimeout(settling.get(room));
    room.classList.add("settling");
    settling.set(room, window.setTimeout(() => room.classList.remove("settling"), MOMENT_MS));
  }
}

addEventListener("pagehide", () => {
  if (navigator.userActivation?.hasBeenActive) sessionStorage.setItem(LEFT, String(Date.now()));
});
if (Date.now() < Number(sessionStorage.getItem(LEFT)) + 5 * MOMENT_MS) rest([document.body]); // one page follows another
