// Joining a game: a code that is typed or scanned, or a key in the address, is exchanged for a seat.
import { el, reason } from "./dom.js";
import { unprotected } from "./signals.js";
import { ask, enter, renew } from "./stream.js";
import { say } from "./words.js";

/**
 * Offer to join in a room, and do so where the address says how. `seat` is called with the name of the seat that was
 * joined, `operator` where the browser is the operator's.
 * @param {HTMLElement} room
 * @param {{seat: (name: string) => void, operator: () => void}} found
 */
export async function joining(room, { seat, operator }) {
  const code = el("input", { id: "code", autocomplete: "off", autocapitalize: "characters", spellcheck: "false", maxlength: 12 });
  const wrong = el("p", { class: "hot", role: "alert" });
  const refused = (/** @type {unknown} */ failed) => (wrong.textContent = reason(failed));
  const join = async (/** @type {string} */ typed) => {
    wrong.textContent = "";
    const joined = await ask("/join", { code: typed });
    seat(`${joined.game}-${joined.seat}`);
    renew();
  };
  room.replaceChildren(el("h2", {}, say("join")), el("p", {}, say("how_to_join")),
    el("form", { onsubmit: (/** @type {Event} */ event) => {
      event.preventDefault();
      join(code.value).catch(refused);
    } }, el("label", {}, say("code"), " ", code), " ", el("button", { class: "first" }, say("sit_down"))), wrong, unprotected() ?? "");
  const scanned = new URLSearchParams(location.hash.slice(1)).get("code");
  if (scanned) {
    history.replaceState(null, "", location.pathname + location.search);
    return join(scanned).catch(refused);
  }
  try {
    const entered = await enter();
    if (entered?.seat) seat(`${entered.game}-${entered.seat}`);
    if (entered?.operator) operator();
    if (entered) renew();
  } catch (failed) {
    refused(failed);
  }
}
