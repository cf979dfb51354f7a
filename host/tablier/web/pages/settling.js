// What comes in place of something else takes no touch for a moment: a finger may still be on its way to what was there.

const MOMENT_MS = 600;
const settling = /** @type {WeakMap<HTMLElement, number>} */ (new WeakMap());

/**
 * Have rooms take no touch for a moment, keys at once. Before anybody has touched the page, no finger can be on its way.
 * @param {...HTMLElement} rooms
 */
export function settle(...rooms) {
  if (!navigator.userActivation?.hasBeenActive) return;
  for (const room of rooms) {
    clearTimeout(settling.get(room));
    room.classList.add("settling");
    settling.set(room, window.setTimeout(() => room.classList.remove("settling"), MOMENT_MS));
  }
}
