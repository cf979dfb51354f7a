// Between two games, on a phone: one's own rank, another game, and for an organiser the way to what is next.
/** @import { EveningState } from "./messages.d.ts" */
import { el, reason } from "./dom.js";
import { left, runs } from "./gathering.js";
import { renewed } from "./renewing.js";
import { settle } from "./settling.js";
import { order } from "./stream.js";
import { listed, say } from "./words.js";

const wrong = el("p", { class: "hot", role: "alert" });

/**
 * Show how things stand for who this browser is; hide it while that plays, and where the evening is over.
 * @param {HTMLElement} room
 * @param {EveningState | undefined} evening
 * @param {boolean} plays a game runs in which this browser has a seat
 * @param {boolean} seated a seat of a game that is over or was stopped is shown, with how that ended
 * @param {{rulebooks: () => HTMLElement, home: () => HTMLElement[]}} ways what else one can do meanwhile
 */
export function between(room, evening, plays, seated, ways) {
  const own = evening?.here.filter((each) => evening.you?.includes(each.person)) ?? [];
  const hidden = !evening || evening.ended || plays || !own.length;
  if (room.hidden && !hidden) settle(room);
  room.hidden = hidden;
  if (hidden || !evening) {
    wrong.textContent = "";
    return;
  }
  const { standings, series, next, again } = evening;
  const alone = own.length === 1; // else several play here, and each is named
  const last = evening.games.filter((each) => each.over).at(-1);
  const played = evening.games.filter((each) => each.over).length; // the ranks of one game stand above
  const running = series.at(-1);
  const others = runs(evening);
  const stopped = left(evening);
  const organises = own.some((each) => each.organiser);
  renewed(room, [own, evening.here, standings, running, last, played, next, again, others, stopped, seated, evening.why], () => [
    last && !seated ? el("p", { class: "headline" }, last.headline) : null,
    ...(seated && played < 2 ? [] : own.map(({ name }) => standing(name, standings, alone ? "your_rank" : "own_rank"))),
    running && (running.played || !running.over) ? el("p", { class: "soft" }, running.said) : null,
    ...(running?.played ? own.map(({ name }) => standing(name, running.standings, alone ? "your_series_rank" : "series_rank")) : []),
    evening.why ? el("p", { class: "hot" }, evening.why) : null,
    wrong,
    last ? null : waiting(evening),
    others ? el("p", {}, say("others_play")) : stopped && !organises ? el("p", {}, say("can_go_on", { title: stopped.title })) : null,
    stopped && organises ? el("p", {}, ordering("resume", { game: stopped.game }, say("go_on", { title: stopped.title }), true)) : null,
    others ? null : coming(evening, !stopped),
    organises ? el("p", {}, el("a", { class: "button", href: "/host" }, say("run_evening"))) : null,
    el("div", { class: "row" }, ways.rulebooks(), ...ways.home()),
  ]);
}

/**
 * @param {string} name
 * @param {EveningState["standings"]} standings
 * @param {string} key
 */
function standing(name, standings, key) {
  const found = standings.find((each) => each.name === name);
  if (!found || !standings.some((each) => each.wins)) return null;
  return el("p", { class: "rank" }, say(key, { name, rank: found.rank, count: standings.length, wins: found.wins }));
}

/**
 * Return who is here and who begins the games: all that there is before the first one.
 * @param {EveningState} evening
 */
function waiting({ here }) {
  const organisers = here.filter((each) => each.organiser).map((each) => each.name);
  return el("div", { class: "soft" }, el("p", {}, say("here", { names: listed(here.map((each) => each.name)) })),
    el("p", {}, organisers.length ? say("begins", { names: listed(organisers) }) : say("begins_at_terminal")));
}

/**
 * @param {EveningState} evening
 * @param {boolean} first nothing else comes before it
 */
function coming({ evening, next, again, series }, first) {
  if (!next) return el("p", {}, say("next_game"));
  if (!again) return el("p", {}, say("next", { title: next }));
  const words = series.some((each) => !each.over) ? "next_of_series" : "again";
  return el("p", {}, ordering("another", { evening }, say(words, { title: next }), first));
}

/**
 * Return a button that has the keeper do something.
 * @param {string} method
 * @param {object} params
 * @param {string} said
 * @param {boolean} first
 */
function ordering(method, params, said, first) {
  const button = el("button", { class: first ? "first" : "", "data-key": method, onclick: async () => {
    button.disabled = true;
    wrong.textContent = "";
    await order(method, params).catch((failed) => (wrong.textContent = reason(failed)));
    button.disabled = false;
  } }, said);
  return button;
}
