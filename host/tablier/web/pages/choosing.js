// Of the organiser's page: what is played next, by whom, with how many bots; series. What cannot be is not offered.
/**
 * @import { EveningState, Person } from "./messages.d.ts"
 * @import { Known, Room } from "./host.js"
 * @import { Show } from "./gathering.js"
 */
import { el } from "./dom.js";
import { chosen, left, runs } from "./gathering.js";
import { listed, say } from "./words.js";

const PLACES = [1, 2, 3, 4, 5, 6];
let wanted = "";
let counted = 0;
/** By game: which bot plays. */
const bots = /** @type {Map<string, string>} */ (new Map());
let simulated = true;

/**
 * Return with how many players some people can play a game: where one of them sits at the table, games for places alone.
 * @param {Known} game
 * @param {Person[]} people
 * @param {boolean} atTable the evening has a table
 */
function countsOf(game, people, atTable) {
  const counts = atTable && people.some((each) => each.place) ? game.places : game.counts;
  return counts.filter((each) => each >= people.length);
}

/**
 * @param {Show} show
 * @param {Room} room
 * @param {EveningState} evening
 */
export function choosing(show, room, evening) {
  const people = chosen(evening);
  const atTable = evening.table !== null;
  const games = people.length ? room.games.filter((each) => countsOf(each, people, atTable).length) : [];
  const running = evening.series.find((each) => !each.over);
  const latest = evening.again ? evening.next : null;
  const game = games.find((each) => each.name === wanted) ?? games.find((each) => each.title === evening.next) ?? games[0];
  const counts = game ? countsOf(game, people, atTable) : [];
  const count = counts.includes(counted) ? counted : counts[0];
  const state = ["begin", evening.evening, people, games.length, game?.name, count, latest, running?.said, bots.get(game?.name ?? ""), simulated, evening.table, evening.why, left(evening)?.game];
  show("play", state, () => [
    el("h2", {}, say("play")),
    evening.why ? el("p", { class: "hot" }, evening.why) : null,
    latest ? el("p", { class: "row" }, el("button", { class: left(evening) ? "" : "first", id: "again", onclick: () =>
      room.act("another", { evening: evening.evening }) }, say(running ? "next_of_series" : "again", { title: latest }))) : null,
    game ? el("div", { class: "games", role: "group", "aria-label": say("other_game") }, games.map((each) =>
      el("button", { "aria-pressed": String(each === game), "data-game": each.name, onclick: () => {
        wanted = each.name;
        room.draw();
      } }, each.title))) : el("p", { class: "soft" }, people.length ? say("none_fits", { count: people.length }) : say("choose")),
    ...(game ? settle(room, evening, game, people, counts, count) : []),
  ]);
}

/**
 * Return how many play, the bots among them, and what begins it.
 * @param {Room} room
 * @param {EveningState} evening
 * @param {Known} game
 * @param {Person[]} people
 * @param {number[]} counts
 * @param {number} count
 */
function settle(room, evening, game, people, counts, count) {
  const places = evening.table !== null && people.some((each) => each.place);
  const sits = places && evening.table === "simulated" && simulated;
  const others = fill(room, game, people, count, sits);
  const how = el("select", { onchange: () => {
    counted = Number(how.value);
    room.draw();
  } }, counts.map((each) => el("option", { value: each, selected: each === count },
    say("with_bots", { count: each, names: listed([...people, ...fill(room, game, people, each, sits)].map(({ name }) => name)) }))));
  const bot = el("select", { onchange: () => {
    bots.set(game.name, bot.value);
    room.draw();
  } }, game.bots.map(([level, said]) => el("option", { value: level, selected: level === botOf(game) }, said)));
  const box = el("input", { type: "checkbox", onchange: () => {
    simulated = box.checked;
    room.draw();
  } });
  box.checked = simulated;
  return [
    el("p", { class: "row" }, el("label", { class: "grow" }, say("players"), " ", how)),
    others.length ? el("p", { class: "row" }, el("label", {}, say("bots_play"), " ", bot),
      places && evening.table === "simulated" ? el("label", { class: "check" }, box, " ", say("simulated")) : null) : null,
    el("p", { class: "row" }, el("button", { class: left(evening) ? "" : "first", id: "begin-game", onclick: async () => {
      const only = people.map(({ name }) => name);
      if (await room.act("next", { evening: evening.evening, game: game.name, only, others })) wanted = "";
    } }, say("begin_game", { title: game.title }))),
  ];
}

/** @param {Known} game */
const botOf = (game) => bots.get(game.name) ?? game.bot;

/**
 * Return the seats of the bots that make up the number.
 * @param {Room} room
 * @param {Known} game
 * @param {Person[]} people
 * @param {number} count
 * @param {boolean} sits they sit at the table, as simulated people
 */
function fill(room, game, people, count, sits) {
  const names = room.spare.filter((name) => !people.some((each) => each.name.toLowerCase() === name.toLowerCase()));
  const free = PLACES.filter((place) => !people.some((each) => each.place === place));
  return names.slice(0, count - people.length).map((name, at) =>
    sits ? { name, source: "table", place: free[at], simulated: botOf(game) } : { name, source: botOf(game) });
}

/**
 * @param {Show} show
 * @param {Room} room
 * @param {EveningState} evening
 */
export function series(show, room, evening) {
  const last = evening.series.at(-1);
  const busy = runs(evening);
  show("series", [evening.evening, last, busy], () => {
    const kind = el("select", { "aria-label": say("series") }, ["first", "of"].map((each) => el("option", { value: each }, say(`series_${each}`))));
    const most = el("input", { name: "most", type: "number", min: 1, max: 99, value: 3, inputmode: "numeric", "aria-label": say("series_count") });
    const unit = el("span", {}, say("series_wins"));
    kind.addEventListener("change", () => unit.replaceChildren(say(kind.value === "first" ? "series_wins" : "series_count")));
    const chosen = () => boxes.filter((each) => each.checked).map((each) => each.value);
    const begin = el("button", { disabled: true, onclick: () =>
      room.act("series", { evening: evening.evening, games: chosen(), [kind.value === "first" ? "wins" : "count"]: Number(most.value) }),
    }, say("begin_series"));
    const choose = () => (begin.disabled = busy || !chosen().length);
    const boxes = room.games.map((each) =>
      el("input", { type: "checkbox", value: each.name, "data-series": each.name, onchange: choose }));
    const form = [el("p", { class: "row" }, kind, most, unit), el("fieldset", {}, el("legend", {}, say("series_games")),
      boxes.map((box, at) => el("label", { class: "check" }, box, " ", room.games[at].title))),
    begin];
    const standing = last ? el("p", {}, say("series_runs", { said: last.said, played: last.played }), " ",
      last.standings.map((each) => `${each.name} ${each.wins}`).join(" · ")) : null;
    return [el("h2", {}, say("series")), standing, el("details", { "data-id": "series" }, el("summary", {}, say("begin_series")), ...form)];
  });
}
