// Of the organiser's page: the game that is open, who has which seat, pausing and stopping it.
/**
 * @import { EveningState, GameState, SeatState } from "./messages.d.ts"
 * @import { Room } from "./host.js"
 * @import { Show } from "./gathering.js"
 */
import { el } from "./dom.js";
import { say } from "./words.js";

/**
 * @param {Show} show
 * @param {Room} room
 * @param {EveningState} evening
 * @param {GameState} game
 */
export function conducting(show, room, evening, game) {
  const seats = game.seats.map(({ name, place, source, waits }) => ({ name, place, source, waits }));
  const paused = game.question?.what === "paused";
  const own = evening.seats.some((person) => person && evening.you?.includes(person));
  show("play", ["runs", game.game, game.ply, seats, paused, game.question?.said, evening.here, evening.seats, own], () => [
    el("h2", {}, say("runs", { title: game.title, ply: game.ply })),
    own ? el("p", {}, el("a", { class: "button first", href: "/seat" }, say("to_seat"))) : null,
    game.question ? el("p", {}, game.question.said) : null,
    el("ul", { class: "people seats" }, game.seats.map((seat, at) => row(room, evening, game, seat, at + 1))),
    el("p", { class: "row" }, el("button", { onclick: () => room.act("pause", { game: game.game, seat: 0, on: !paused }) }, say(paused ? "end_pause" : "pause")),
      game.seats.some((each) => each.source === "bot") ? el("button", { onclick: () => room.act("hurry", { game: game.game }) }, say("hurry")) : null,
      el("button", { onclick: () => room.sure(say("sure_stop", { title: game.title }), () => room.act("stop", { game: game.game })) }, say("stop"))),
  ]);
}

/**
 * @param {Room} room
 * @param {EveningState} evening
 * @param {GameState} game
 * @param {SeatState} seat
 * @param {number} number
 */
function row(room, evening, game, seat, number) {
  const by = evening.here.find((each) => each.person === evening.seats[number - 1])?.by;
  const how = seat.source === "bot" ? say("a_bot") : seat.source === "table" ? say("at_place", { place: seat.place })
    : by === undefined ? say("at_screen") : say(`by_${by}`);
  const give = (/** @type {object} */ what) => room.act("source", { game: game.game, seat: number, ...what });
  return el("li", {}, el("span", { class: "who" }, el("span", { class: "name" }, seat.waits ? "▶ " : "", seat.name),
    el("span", { class: "soft" }, seat.waits ? `${how} · ${say("waits")}` : how)), ...change(room, evening, game, seat, number, give));
}

/**
 * Return what can be done with a seat: a bot takes over, or somebody takes it from a bot.
 * @param {Room} room
 * @param {EveningState} evening
 * @param {GameState} game
 * @param {SeatState} seat
 * @param {number} number
 * @param {(what: object) => void} give
 */
function change(room, evening, game, seat, number, give) {
  if (seat.source !== "bot") {
    const bot = room.games.find((each) => each.name === game.rules)?.bot;
    return bot ? [el("button", { "aria-label": say("leave_seat", { name: seat.name }), onclick: () => give({ source: bot }) }, say("leave_to_bot"))] : [];
  }
  const had = evening.here.find((each) => each.person === evening.seats[number - 1]) ?? evening.here.find((each) => each.name === seat.name);
  if (had) {
    const back = had.by === "place" ? { source: "table" } : { source: "screen", person: had.name };
    return [el("button", { onclick: () => give(back) }, say("give_back", { name: had.name }))];
  }
  const free = evening.here.filter((each) => !game.seats.some(({ name }) => name === each.name));
  if (!free.length) return [];
  const who = el("select", { "aria-label": say("give_to", { seat: seat.name }) }, free.map(({ name }) => el("option", {}, name)));
  return [el("span", { class: "row" }, who, el("button", { onclick: () => give({ source: "screen", person: who.value }) }, say("give")))];
}
