// Parts of a page that are made anew as things change, without taking away what a reader has in hand.

const shown = /** @type {WeakMap<HTMLElement, string>} */ (new WeakMap());

/**
 * Make anew what a room holds if what it shows has changed. Details stay unfolded by their `data-id`, a field keeps what
 * was typed and the focus by its `name`.
 * @param {HTMLElement} room
 * @param {any} state all that the children follow from
 * @param {() => (Node | string | null)[]} build
 */
export function renewed(room, state, build) {
  const key = JSON.stringify(state);
  if (shown.get(room) === key) return;
  shown.set(room, key);
  const open = [...room.querySelectorAll("details[open]")].map((each) => /** @type {HTMLElement} */ (each).dataset.id);
  const fields = new Map([...inputs(room)].filter((each) => each.name).map((each) => [each.name, each]));
  const focused = /** @type {HTMLInputElement | null} */ (room.contains(document.activeElement) ? document.activeElement : null)?.name;
  room.replaceChildren(...build().filter((each) => each !== null));
  for (const each of /** @type {NodeListOf<HTMLDetailsElement>} */ (room.querySelectorAll("details[data-id]"))) {
    each.open = each.open || open.includes(each.dataset.id);
  }
  for (const each of inputs(room)) {
    const old = fields.get(each.name);
    if (old && old.value !== old.defaultValue) each.value = old.value;
    if (focused && each.name === focused) each.focus();
  }
}

/**
 * Return the fields into which something is typed.
 * @param {HTMLElement} room
 */
const inputs = (room) => /** @type {NodeListOf<HTMLInputElement>} */ (room.querySelectorAll("input[name]:not([type=checkbox], [type=radio])"));
