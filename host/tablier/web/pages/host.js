// The organiser's page: the door, who is there, what is played, the table, the end of the evening.
/**
 * @import { EveningState, GameState, ListState } from "./messages.d.ts"
 */
/**
 * @typedef {{name: string, title: string, counts: number[], places: number[], bots: [string, string][], bot: string}} Known a game
 * @typedef {(method: string, params: object) => Promise<any>} Act has the keeper do something; resolves to `undefined` where
 *   it is refused, which is said
 * @typedef {object} Room what all parts of the page share
 * @property {Act} act
 * @property {(text: string, then: () => void) => void} sure asks before something is done that cannot be undone
 * @property {() => void} draw
 * @property {boolean} operator
 * @property {Known[]} games
 * @property {string[]} spare names for bots
 */
import { conducting } from "./conducting.js";
import { choosing, series } from "./choosing.js";
import { el, one, reason } from "./dom.js";
import { Evenings } from "./evenings.js";
import { door, left as stopped, people, runs, wishes } from "./gathering.js";
import { renewed } from "./renewing.js";
import { settle } from "./settling.js";
import { enter, isComplete, listen, order, renew, whenComplete } from "./stream.js";
import { say } from "./words.js";

const known = JSON.parse(one("#known").dataset.known ?? "{}");
const wrong = one("#wrong");
const dialog = /** @type {HTMLDialogElement} */ (one("#dialog"));
const games = /** @type {Map<number, GameState>} */ (new Map());
let list = /** @type {ListState | null} */ (null);
let wanted = 0;

/** @type {Room} */
const room = { act, sure, draw, operator: known.operator, games: known.games, spare: known.spare };
const ROOMS = ["which", "wishes", "door", "people", "left", "play", "series", "table", "end", "begin"];
const rooms = new Map(ROOMS.map((name) => [name, el("section", { id: name, class: "card", hidden: true })]));
one("#rooms").replaceChildren(...rooms.values());

const evenings = new Evenings(draw);
listen({
  public: {
    list(_id, state) {
      list = state;
      draw();
    },
    game(id, state) {
      if (state) games.set(Number(id), state);
      else games.delete(Number(id));
      draw();
    },
  },
});

/** Return the open evenings as far as this browser may know them. */
function open() {
  return evenings.all.filter((each) => !each.ended && (room.operator || each.here.some((one) => one.organiser && each.you?.includes(one.person))));
}

/** @type {Act} */
async function act(method, params) {
  tell("");
  try {
    return await order(method, params, room.operator ? "operator" : undefined) ?? {};
  } catch (failed) {
    tell(reason(failed));
    return undefined;
  }
}

/** @param {string} text */
function tell(text) {
  wrong.textContent = text;
  wrong.hidden = !text;
}

/**
 * @param {string} text
 * @param {() => void} then
 */
function sure(text, then) {
  dialog.replaceChildren(el("p", {}, text), el("form", { method: "dialog", class: "row" },
    el("button", { class: "first", onclick: then }, say("yes")), el("button", {}, say("no"))));
  dialog.showModal();
}

/**
 * Show a part of the page, or hide it.
 * @param {string} name
 * @param {any} state what it follows from; `null`: it is hidden
 * @param {() => (Node | string | null)[]} build
 */
function show(name, state, build) {
  const section = /** @type {HTMLElement} */ (rooms.get(name));
  if (section.hidden !== (state === null)) settle(one("#rooms")); // all below it moves
  section.hidden = state === null;
  if (state !== null) renewed(section, state, build);
}

function draw() {
  const all = open();
  const evening = all.find((each) => each.evening === wanted) ?? all.find((each) => each.game !== null) ?? all.at(-1);
  one("#title").textContent = evening ? say("evening", { evening: evening.evening }) : say("title");
  const running = evening?.game ? games.get(evening.game) : undefined;
  const game = running && !running.over && running.ended === undefined ? running : undefined;
  show("which", all.length > 1 ? [all.map((each) => each.evening), evening?.evening] : !evening && !room.operator && isComplete() ? "closed" : null, () =>
    evening ? [which(all, evening.evening)] : [el("p", {}, say("closed"))]);
  if (evening) {
    wishes(show, room, evening);
    door(show, room, evening);
    people(show, room, evening);
    if (game) conducting(show, room, evening, game);
    else choosing(show, room, evening);
    series(show, room, evening);
  } else for (const name of ["wishes", "door", "people", "play", "series"]) show(name, null, () => []);
  table(evening);
  left(evening);
  show("end", evening ? [evening.evening, game?.game] : null, () => [el("h2", {}, say("end")), el("button", { onclick: () =>
    sure(say(game ? "sure_end_game" : "sure_end", { evening: evening?.evening, title: game?.title }), async () => {
      if (!game || await act("stop", { game: game.game })) act("close", { evening: evening?.evening });
    }) }, say("end_evening"))]);
  show("begin", room.operator && (evening || isComplete()) ? !evening : null, () => beginning(!evening));
}

/**
 * @param {EveningState[]} all
 * @param {number} chosen
 */
function which(all, chosen) {
  const select = el("select", { onchange: () => {
    wanted = Number(select.value);
    draw();
  } }, all.map(({ evening }) => el("option", { value: evening, selected: evening === chosen }, say("evening", { evening }))));
  return el("label", {}, say("evenings"), " ", select);
}

let settings = /** @type {{table: string, volume: number, mute: boolean, light: number} | null} */ (null);
let asked = "";

/** @param {EveningState | undefined} evening */
function table(evening) {
  const game = list?.games.find((each) => each.game === evening?.game);
  const name = game?.table ?? (room.operator && evening?.table === "simulated" ? "simulated" : null);
  if (name !== asked) {
    asked = name ?? "";
    settings = null;
    if (name) set({});
  }
  /** @param {object} what */
  async function set(what) {
    const answer = await act("settings", { table: name, evening: evening?.evening, ...what });
    if (answer) settings = answer;
    draw();
  }
  show("table", settings && name ? settings : null, () => {
    if (!settings) return [];
    const volume = settings.mute ? 0 : settings.volume;
    return [el("h2", {}, say("table")),
      el("p", { class: "row" }, el("label", {}, say("volume"), " ", select([0, 1, 2, 3], volume, (each) => each ? String(each) : say("mute"),
        (each) => set(each ? { volume: each, mute: false } : { mute: true }))),
      el("label", {}, say("light"), " ", select([25, 50, 75, 100], settings.light, (percent) => say("percent", { percent }), (light) => set({ light }))))];
  });
}

/**
 * @param {number[]} values
 * @param {number} chosen
 * @param {(value: number) => string} said
 * @param {(value: number) => void} pick
 */
function select(values, chosen, said, pick) {
  const all = values.includes(chosen) ? values : [...values, chosen].sort((one, other) => one - other);
  const field = el("select", { onchange: () => pick(Number(field.value)) },
    all.map((each) => el("option", { value: each, selected: each === chosen }, said(each))));
  return field;
}

/**
 * What was left unfinished: of this evening, and for the operator of all others.
 * @param {EveningState | undefined} evening
 */
function left(evening) {
  const own = (evening?.games ?? []).filter((each) => !each.over && each.game !== evening?.game);
  const others = room.operator ? (list?.unfinished ?? []).filter((game) => !own.some((each) => each.game === game)) : [];
  const busy = evening !== undefined && runs(evening);
  const first = evening && stopped(evening)?.game;
  const whole = [...own.map(({ game, title }) => ({ game, text: say("resume", { game, title }) })),
    ...others.slice(-5).map((game) => ({ game, text: say("resume_game", { game }) }))];
  show("left", whole.length && !busy ? whole : null, () => [el("h2", {}, say("left")), ...whole.map(({ game, text }) =>
    el("p", { class: "row" }, el("button", { class: game === first ? "first" : "", onclick: () => act("resume", { game }) }, text), el("a", { class: "button", href: `/log/game/${game}` }, say("look"))))]);
}

/** @param {boolean} first there is no evening yet */
function beginning(first) {
  const at = el("select", {}, ["none", "simulated"].map((each) => el("option", { value: each }, say(`table_${each}`))));
  const form = [el("p", { class: "soft" }, say("new_said")), el("p", { class: "row" }, el("label", {}, say("at_table"), " ", at),
    el("button", { class: first ? "first" : "", onclick: async () => {
      const begun = await act("evening", at.value === "none" ? {} : { table: { port: at.value } });
      if (begun) wanted = begun.evening;
      draw();
    } }, say("begin_evening")))];
  if (first) return [el("h2", {}, say("new_evening")), ...form];
  return [el("details", { "data-id": "begin" }, el("summary", {}, say("another_evening")), ...form)];
}

enter().then((entered) => {
  if (!entered) return;
  if (entered.operator) room.operator = true;
  renew();
  draw();
}, (failed) => tell(reason(failed)));
whenComplete(draw);
draw();
