// Of the organiser's page: the door of an evening, who asks to be let in, who is there.
/**
 * @import { EveningState, Person } from "./messages.d.ts"
 * @import { Room } from "./host.js"
 */
/** @typedef {(name: string, state: any, build: () => (Node | string | null)[]) => void} Show shows a part of the page */
import { el } from "./dom.js";
import { say } from "./words.js";

const PLACES = [1, 2, 3, 4, 5, 6];
/** By evening and person: who is to play or not, where somebody has said so. */
const said = /** @type {Map<string, boolean>} */ (new Map());

/**
 * Return whether a game of an evening is open that is not over.
 * @param {EveningState} evening
 */
export const runs = ({ games, game }) => games.some((each) => each.game === game && !each.over);

/**
 * Return the last game of an evening where it was stopped and is not over.
 * @param {EveningState} evening
 */
export function left({ games, game }) {
  const last = games.at(-1);
  return last && !last.over && last.game !== game ? last : null;
}

/**
 * Return who is to play the next game: everybody who can be asked, unless the organiser has said otherwise.
 * @param {EveningState} evening
 */
export function chosen(evening) {
  return evening.here.filter((each) => said.get(`${evening.evening} ${each.person}`) ?? each.by !== "");
}

/**
 * @param {Show} show
 * @param {{act: (method: string, params: object) => void}} room
 * @param {EveningState} evening
 */
export function wishes(show, room, evening) {
  const asked = evening.inside?.wishes ?? [];
  show("wishes", asked.length ? asked : null, () => asked.map(({ wish, kind, name }) => {
    const decide = (/** @type {boolean} */ yes) => room.act("decide", { evening: evening.evening, wish, yes });
    return el("p", { class: "row", role: "status" }, el("span", { class: "grow" }, say(`wish_${kind}`, { name })),
      el("button", { class: "first", onclick: () => decide(true) }, say("let_in")), el("button", { onclick: () => decide(false) }, say("refuse")));
  }));
}

/**
 * @param {Show} show
 * @param {Room} room
 * @param {EveningState} evening
 */
export function door(show, room, evening) {
  const inside = evening.inside;
  const address = inside?.address || `${location.host}/in`;
  const toggle = (/** @type {boolean} */ open) => room.act("door", { evening: evening.evening, open });
  show("door", [evening.evening, inside?.code, inside?.local, inside?.qr, address, evening.door], () => [el("h2", {}, say("door")),
    el("p", { class: "row" }, ...(inside?.code ? [el("code", { class: "code" }, inside.code)] : []),
      el("span", { class: "grow" }, evening.door ? say("come_in_by", { address }) : say("door_closed")),
      el("button", { onclick: () => toggle(!evening.door) }, say(evening.door ? "close_door" : "open_door"))),
    inside?.code && inside.local ? el("p", { class: "soft" }, say("no_phones")) : null,
    inside?.qr ? el("details", { "data-id": "qr" }, el("summary", {}, say("qr_code")), el("img", { src: inside.qr, alt: say("qr", { address }) })) : null]);
}

/**
 * @param {Show} show
 * @param {Room} room
 * @param {EveningState} evening
 */
export function people(show, room, evening) {
  const plays = new Set(chosen(evening).map((each) => each.person));
  const busy = runs(evening);
  show("people", [evening.evening, evening.here, [...plays], evening.table, busy, room.operator], () => {
    const name = el("input", { name: "new", maxlength: 40, autocomplete: "off" });
    const place = evening.table ? places(0, taken(evening)) : null;
    return [el("h2", {}, say("people")),
      evening.here.length ? el("ul", { class: "people" }, evening.here.map((each) => row(room, evening, each, plays.has(each.person), busy)))
        : el("p", { class: "soft" }, say("nobody_here")),
      el("details", { "data-id": "new" }, el("summary", {}, say("new_person")), el("form", { class: "row", onsubmit: async (/** @type {Event} */ event) => {
        event.preventDefault();
        const typed = name.value.trim();
        name.value = "";
        const came = await room.act("come", { evening: evening.evening, name: typed, place: Number(place?.value ?? 0) });
        if (!came) name.value = typed;
      } }, el("label", {}, say("name"), " ", name), place ? el("label", {}, say("place"), " ", place) : null, el("button", {}, say("come"))))];
  });
}

/** @param {EveningState} evening */
const taken = (evening) => evening.here.map((each) => each.place).filter(Boolean);

/**
 * Return a choice of the places that are free, and of none.
 * @param {number} own
 * @param {number[]} taken
 */
function places(own, taken) {
  return el("select", {}, [0, ...PLACES].filter((each) => each === own || !taken.includes(each)).map((each) =>
    el("option", { value: each, selected: each === own }, each ? String(each) : say("no_place"))));
}

/**
 * @param {Room} room
 * @param {EveningState} evening
 * @param {Person} one
 * @param {boolean} plays
 * @param {boolean} busy a game is open
 */
function row(room, evening, one, plays, busy) {
  const number = evening.evening;
  const { name, person } = one;
  const check = el("input", { type: "checkbox", "aria-label": say("plays", { name }), "data-plays": name, onchange: () => {
    said.set(`${number} ${person}`, check.checked);
    room.draw();
  } });
  check.checked = plays;
  const how = [say(`by_${one.by}`, { place: one.place }), one.organiser ? say("organiser") : ""].filter(Boolean).join(" · ");
  const other = el("input", { name: `name ${person}`, value: name, maxlength: 40, autocomplete: "off" });
  const place = places(one.place, taken(evening));
  place.addEventListener("change", () => room.act("come", { evening: number, name, place: Number(place.value) }));
  /** @type {(word: string, method: string, more?: object) => HTMLElement} */
  const button = (word, method, more = {}) => el("button", { onclick: () => room.act(method, { evening: number, name, ...more }) }, say(word));
  return el("li", {}, el("label", { class: "who" }, busy ? null : check, el("span", { class: "name" }, name), el("span", { class: "soft" }, how)),
    el("details", { "data-id": person }, el("summary", { "aria-label": say("change", { name }) }, "⋯"),
      el("form", { class: "row", onsubmit: (/** @type {Event} */ event) => {
        event.preventDefault();
        if (other.value.trim() && other.value.trim() !== name) room.act("rename", { evening: number, name, to: other.value.trim() });
      } }, el("label", {}, say("name"), " ", other), el("button", {}, say("rename"))),
      el("p", { class: "row" }, evening.table ? el("label", {}, say("place"), " ", place) : null,
        room.operator ? button(one.organiser ? "no_organiser" : "make_organiser", "organiser", { on: !one.organiser }) : null,
        one.by === "phone" || one.by === "terminal" ? button("sign_out", "anew") : null,
        el("button", { onclick: () => room.sure(say("sure_show_out", { name }), () => room.act("go", { evening: number, name })) }, say("show_out")))));
}
