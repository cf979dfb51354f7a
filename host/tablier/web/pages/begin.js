// Begin a game at a simulated table: one place is the reader's and simulated people have the others, or all are.
import { el, one, reason } from "./dom.js";
import { ask, order } from "./stream.js";
import { say } from "./words.js";

const NAMES = ["Anne", "Bernard", "Christine", "David", "Emma", "Felix"];
/** The places of two, three … players: clockwise, with room between them. */
/** @type {Record<string, number[]>} */
const PLACES = { 2: [1, 4], 3: [1, 3, 5], 4: [1, 2, 4, 5], 5: [1, 2, 3, 4, 5], 6: [1, 2, 3, 4, 5, 6] };

/**
 * @param {HTMLElement} section
 * @param {(game: number, places: number[]) => void} begun
 */
export function begin(section, begun) {
  const game = /** @type {HTMLSelectElement} */ (one("#games"));
  game.removeAttribute("id");
  game.value = [...game.options].some((each) => each.value === "dilemma") ? "dilemma" : game.options[0]?.value;
  const count = el("select", {}, Object.keys(PLACES).map((number) => el("option", { value: number, selected: number === "3" }, number)));
  const how = el("select", { "aria-label": say("begin_how") }, ["people", "alone"].map((each) => el("option", { value: each }, say(`begin_${each}`))));
  const said = el("p", { class: "hot", role: "alert" });
  const start = el("button", { class: "first", onclick: async () => {
    start.disabled = true;
    said.textContent = "";
    const alone = how.value === "alone";
    const places = PLACES[count.value];
    const seats = places.map((place, at) => {
      const seat = { name: NAMES[at], source: "table", place };
      return at && !alone ? { ...seat, simulated: "good" } : seat;
    });
    try {
      const opened = await order("play", { game: game.value, seats, table: { port: "simulated" } }, "operator");
      await ask("/table", { game: opened.game, begin: true });
      begun(opened.game, alone ? places : [1]);
    } catch (error) {
      said.textContent = reason(error);
    }
    start.disabled = false;
  } }, say("begin"));
  section.replaceChildren(el("h2", {}, say("begin_title")), el("p", { class: "soft" }, say("begin_said")),
    el("p", { class: "row" }, el("label", {}, say("begin_game"), " ", game), el("label", {}, say("begin_count"), " ", count), how, start), said);
}
