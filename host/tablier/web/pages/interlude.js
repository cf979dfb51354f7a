// Between two games, on a display: how the last one went, how the evening and its series stand, what comes next.
/**
 * @import { CourseState, EveningState, Player, StandingState } from "./messages.d.ts"
 * @typedef {{game: number, headline: string, players: Player[], remarks: string[]}} End how a game has ended
 */
import { drawn, how } from "./courses.js";
import { el } from "./dom.js";
import { left } from "./gathering.js";
import { listed, say } from "./words.js";

/**
 * Return who is where in a game that has ended, winners first.
 * @param {End} end
 */
export function ranked(end) {
  const rows = [...end.players].sort((one, other) => one.rank - other.rank).map((each) =>
    row(each.won ? "★" : `${each.rank}.`, each.name, each.score, each.won));
  return el("ol", { class: "ranks", "aria-label": say("results") }, rows);
}

/**
 * @param {string} mark
 * @param {string} name
 * @param {string} figure
 */
function row(mark, name, figure, won = false) {
  return el("li", { class: won ? "won" : "" }, el("span", { class: "mark" }, mark), el("span", { class: "name" }, name),
    el("span", { class: "figure" }, figure));
}

/**
 * Return the turning points of a game, nothing where it has none.
 * @param {CourseState | null} course
 */
export function turns(course) {
  if (!course?.turns.length) return null;
  const head = course.counts ? say("turning_of", { what: course.counts }) : say("turning");
  return el("section", { class: "turns" }, el("h2", {}, head),
    el("ul", {}, course.turns.map((each, at) => el("li", { "data-drop": at + 3 }, each))));
}

/**
 * @param {string} title
 * @param {StandingState[]} standings
 */
function standing(title, standings) {
  if (!standings.length) return null;
  return el("section", { class: "standings" }, el("h2", {}, title),
    el("ol", { class: "ranks" }, standings.map((each) => row(`${each.rank}.`, each.name, String(each.wins), each.rank === 1 && each.wins > 0))));
}

/**
 * Return what is shown between games. `end`: of the last one; `course`: how that went.
 * @param {EveningState | undefined} evening
 * @param {End | null} end
 * @param {CourseState | null} course
 * @param {HTMLElement | null} here what a screen shows that was not let in
 */
export function interlude(evening, end, course, here) {
  const last = end && el("section", { class: "last-game" }, el("h1", {}, end.headline), how(course), ranked(end),
    ...end.remarks.map((text) => el("p", { "data-drop": 9 }, `${text}.`)), turns(course), drawn(course));
  if (!evening) return [last];
  const series = evening.series.at(-1);
  const title = el("h1", {}, say("evening", { evening: evening.evening }));
  const now = el("section", { class: "evening" }, end ? null : title,
    evening.standings.length && finished(evening) ? standing(say("standings", { evening: evening.evening, count: finished(evening) }), evening.standings) : null,
    series && (series.played || !series.over) ? standing(series.said, series.standings) ?? el("p", {}, series.said) : null,
    evening.why ? el("p", { class: "hot" }, evening.why) : null,
    evening.ended ? el("p", { class: "big" }, say("evening_over")) : coming(evening),
    evening.ended ? null : door(evening, "", here));
  return [last, now];
}

/** @param {EveningState} evening */
const finished = (evening) => evening.games.filter((each) => each.over).length;

/** @param {EveningState} evening */
function coming(evening) {
  const names = listed(evening.here.map((each) => each.name));
  const stopped = left(evening);
  return el("section", { class: "coming" }, stopped ? el("p", { class: "big" }, say("can_go_on", { title: stopped.title })) : evening.next ? el("p", { class: "big" }, say("next", { title: evening.next })) : null,
    names ? el("p", { "data-drop": 2 }, say("here", { names })) : null);
}

/**
 * Return how people come in, for a screen that was let in.
 * @param {EveningState} evening
 * @param {string} title which of several evenings it is; these have their pictures where there is room
 * @param {HTMLElement | null} here what a screen shows that was not let in
 */
export function door({ inside, door }, title = "", here = null) {
  if (!inside?.code) return door ? here : null;
  return el("section", { class: "door" }, inside.qr ? el("img", { src: inside.qr, alt: "", "data-drop": title ? 9 : null }) : null,
    el("p", {}, title ? `${title}. ` : "", say("come_in_by", { address: inside.address || `${location.host}/in` }), " ", el("code", {}, inside.code),
      inside.local ? el("small", { "data-drop": 7 }, say("no_phones")) : null));
}
