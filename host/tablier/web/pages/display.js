// The display: one game for a whole room; when it ends, who has won; between games how the evening stands.
/**
 * @import { BoardState, EveningState, GameState, NewsState } from "./messages.d.ts"
 * @import { End } from "./interlude.js"
 */
/** @typedef {GameState & {at: number}} Game when it was said, too */
import { el, one, picture, reason, reread } from "./dom.js";
import { Reader } from "./aloud.js";
import { change } from "./changing.js";
import { Courses, how } from "./courses.js";
import { Evenings } from "./evenings.js";
import { enlarge, fit } from "./fitting.js";
import { door, interlude, ranked, turns } from "./interlude.js";
import { Signals } from "./signals.js";
import { Story } from "./story.js";
import { enter, first, isComplete, listen, renew, whenComplete } from "./stream.js";
import { askScreen, decided } from "./wishing.js";
import { named, say } from "./words.js";

/** How long the end of a game stands beside its last board, before the evening's standings take the screen. */
const MOMENT_MS = 20_000;
/** How long the links and buttons stay after somebody has touched something: they lie over the board. */
const CONTROLS_MS = 6_000;
/** The largest letters beside a board, at a height of 1080 pixels. */
const MOST = 46;

const board = one("#board");
const side = one("#side");
const pause = one("#interlude");
const games = /** @type {Map<number, Game>} */ (new Map());
const boards = /** @type {Map<number, BoardState>} */ (new Map());
const stories = /** @type {Map<number, Story>} */ (new Map());
const open = /** @type {Set<number>} */ (new Set());
/** When games ended before the eyes of this page. */
const ends = /** @type {Map<number, number>} */ (new Map());
const reader = new Reader();
const signals = new Signals();
const courses = new Courses(draw, "wall");
const buttons = el("p", { class: "buttons" }, reader.button, signals.button("tone"));
const select = el("select", { onchange: () => {
  chosen = Number(select.value);
  draw();
} });
const chooser = el("label", { class: "soft", hidden: true }, say("games"), " ", select);
const now = el("div", { class: "now" });
const told = el("section", { class: "story" });
/** How people come in, while a game runs. */
const entrance = el("div", { class: "doors" });
let chosen = 0;
let offered = "";
/** A phone on which somebody opens the address again is somebody's: it goes to the seat. Who comes from there stays. */
const afresh = first && matchMedia("(max-width: 60rem)").matches;

const evenings = new Evenings(draw);
listen({
  public: {
    game(id, state, news, all) {
      takeGame(Number(id), state, news, all);
      draw();
    },
    list(_id, state) {
      open.clear();
      for (const game of state?.games ?? []) open.add(game.game);
      draw();
    },
  },
  phone: {
    board(id, state) {
      if (state) boards.set(Number(id), state);
      else boards.delete(Number(id));
      draw();
    },
  },
});

/**
 * @param {number} number
 * @param {Game | null} state
 * @param {NewsState[]} news
 * @param {boolean} all
 */
function takeGame(number, state, news, all) {
  if (state === null) {
    games.delete(number);
    stories.delete(number);
    return;
  }
  const story = (all ? null : stories.get(number)) ?? new Story();
  stories.set(number, story);
  story.take(news);
  const before = games.get(number);
  games.set(number, state);
  if (number === shown()) reader.take(state, all ? [] : news);
  if (!state.over) {
    if (ends.delete(number)) courses.forget(number);
  } else if (before && !before.over) {
    ends.set(number, performance.now());
    setTimeout(draw, MOMENT_MS + 50);
    if (number === shown()) signals.ended();
  }
}

/** Return the game on the display: the chosen one, else the latest that is open, else the latest. */
function shown() {
  if (games.has(chosen)) return chosen;
  const numbers = [...games.keys()];
  const running = numbers.filter((each) => open.has(each));
  return Math.max(...(running.length ? running : numbers), 0);
}

let drawing = false;
/** Draw once for all that comes within a frame. */
function draw() {
  if (drawing) return;
  drawing = true;
  requestAnimationFrame(() => {
    drawing = false;
    drawNow();
  });
}

function drawNow() {
  const number = shown();
  const game = games.get(number);
  const all = evenings.all;
  const evening = all.find((each) => each.game === number) ?? all.findLast((each) => !each.ended) ?? all.at(-1);
  const end = endOf(game, evening);
  const moment = Boolean(game?.over) && performance.now() - (ends.get(number) ?? -Infinity) < MOMENT_MS;
  const runs = game && !game.over && game.ended === undefined;
  const between = !runs && !moment && Boolean(evening || end);
  document.body.classList.toggle("between", between);
  document.body.classList.toggle("moment", moment);
  if (game) drawBoard(game);
  else board.replaceChildren();
  fresh ||= pause.hidden === between;
  board.hidden = side.hidden = between;
  pause.hidden = !between;
  if (between) fill(pause, interlude(evening, end, end && courses.of(end.game), here()));
  else if (moment && end) fill(now, [el("div", { role: "status" }, el("h1", { class: "winner" }, end.headline)), how(courses.of(number)), ranked(end), turns(courses.of(number))]);
  else if (game) fill(now, [heading(game), asked(game), players(game)]);
  else if (!isComplete()) fill(now, []);
  else fill(now, [el("h1", {}, say("nobody")), el("p", { class: "soft" }, say("begin", { address: `${location.host}/host` }))]);
  fill(told, runs ? story(number) : []);
  fill(entrance, between ? [] : doors(all));
  if (afresh && all.some((each) => !each.ended && named(each).length)) location.replace("/seat");
  offer(number);
  measure();
}

/**
 * Return how the game that is shown has ended, else how the last one of the evening has.
 * @param {Game | undefined} game
 * @param {EveningState | undefined} evening
 * @returns {End | null}
 */
function endOf(game, evening) {
  if (game?.over) return { game: game.game, headline: game.over.headline, players: game.over.scores, remarks: game.over.remarks };
  return evening?.games.filter((each) => each.over).at(-1) ?? null;
}

/** Whether anything is shown whose letters were not fitted. */
let fresh = true;

/** Have letters as large as there is room. */
function measure() {
  if (!fresh) return;
  fresh = false;
  const svg = /** @type {SVGSVGElement | null} */ (board.querySelector("svg"));
  if (svg) enlarge(svg, side);
  if (pause.hidden) fit(side, MOST);
  else fit(pause);
}

/** What each room holds, as it was made: some of it may be dropped for want of room. */
const filled = /** @type {WeakMap<HTMLElement, string>} */ (new WeakMap());

/**
 * Replace what a room holds; what a reader may have in hand, a button or a list, lies in none of these.
 * @param {HTMLElement} room
 * @param {(HTMLElement | null)[]} children
 */
function fill(room, children) {
  const made = children.filter((each) => each !== null);
  const key = made.map((each) => each.outerHTML).join();
  if (filled.get(room) === key) return; // it has stopped moving
  filled.set(room, key);
  room.replaceChildren(...made);
  fresh = true;
}

let drawn = "";
/** @param {Game} game */
function drawBoard(game) {
  const { board: now } = boards.get(game.game) ?? { board: "" };
  if (!now) return;
  if (drawn === now) {
    reread(board, game.reading, game.title);
    return;
  }
  drawn = now;
  const [svg, text] = picture(drawn, game.reading, game.title);
  const { width, height } = svg.viewBox.baseVal;
  svg.style.setProperty("--aspect", String(width / height));
  change(board, svg, text);
  fresh = true;
}

/** @param {Game} game */
function heading(game) {
  return el("h1", {}, say("game", { title: game.title, ply: game.ply }));
}

/**
 * Return how people come in, for each evening whose code this screen may show.
 * @param {EveningState[]} evenings
 */
function doors(evenings) {
  const open = evenings.filter((each) => each.inside?.code && !each.ended);
  if (!open.length) return evenings.some((each) => each.door && !each.ended) ? [here()] : [];
  return open.map((each) => door(each, open.length > 1 ? say("evening", { evening: each.evening }) : ""));
}

/** What has come of the wish to show the code here; empty: nobody has wished it. */
let wished = "";

/** Return where a screen is asked to be let in, by one touch. */
function here() {
  return el("section", { class: "showing" }, el("p", { class: wished ? "" : "soft", role: "status" }, wished || say("code_elsewhere")),
    wished === say("asked_screen") ? null : el("button", { onclick: showHere }, say("show_code")));
}

async function showHere() {
  const tell = (/** @type {string} */ text) => {
    wished = text;
    draw();
  };
  tell(say("asked_screen"));
  try {
    const { wish } = await askScreen();
    if (await decided({ wish }, () => true)) renew();
    tell("");
  } catch (failed) {
    tell(reason(failed));
  }
}

/**
 * With several open games, one is chosen for this display.
 * @param {number} number
 */
function offer(number) {
  const titles = [...open].filter((each) => games.has(each)).map((each) => `${each} · ${games.get(each)?.title}`);
  chooser.hidden = titles.length < 2;
  if (offered !== titles.join("\n")) {
    offered = titles.join("\n");
    select.replaceChildren(...titles.map((title) => el("option", { value: parseInt(title, 10) }, title)));
  }
  select.value = String(number);
}

/** @param {Game} game */
function asked(game) {
  if (game.ended !== undefined) return el("p", { class: "asked" }, game.ended);
  const question = game.question;
  if (!question) return null;
  const left = question.left === null ? null : countdown(game.at + question.left * 1000);
  return el("div", { class: "asked" }, el("p", {}, question.said), left);
}

/**
 * A bar that runs out, with the seconds in figures.
 * @param {number} end
 */
function countdown(end) {
  const figure = el("span", { class: "figure" });
  const bar = el("progress", { max: 1, value: 1 });
  const whole = Math.max(1, end - performance.now());
  const tick = () => {
    const left = Math.max(0, end - performance.now());
    figure.textContent = say("seconds", { count: Math.ceil(left / 1000) });
    bar.value = left / whole;
    if (left > 0 && (bar.isConnected || !shownOnce)) setTimeout(tick, 200);
    shownOnce = true;
  };
  let shownOnce = false;
  tick();
  return el("p", { class: "countdown" }, bar, " ", figure);
}

/**
 * Who plays, with what the game says of each, and what else stands beside its board.
 * @param {Game} game
 */
function players(game) {
  const beside = boards.get(game.game)?.beside ?? [];
  const rest = beside.filter((each) => !each.seat);
  const rows = game.seats.map((seat, at) => {
    const said = beside.find((each) => each.seat === at + 1)?.said ?? seat.name;
    const active = seat.waits || seat.moves;
    const doing = seat.waits
        ? say(seat.source === "bot" ? "thinks" : "is_asked")
        : seat.asked
          ? say("answered")
          : seat.moves
            ? say("to_move")
            : "";
    const mark = active ? "▶" : seat.asked ? "✓" : "";
    const bot = seat.source === "bot" ? el("span", { class: "soft", "data-drop": 8 }, ` · ${say("a_bot")}`) : null;
    return el("li", { class: active ? "active" : "" }, el("span", { class: "mark", "aria-hidden": "true" }, mark),
      el("span", { class: "name" }, said, bot), el("span", { class: "reading" }, doing));
  });
  return el("div", {}, el("ul", { class: "players", "aria-label": say("players") }, rows),
    rest.length ? el("p", { class: "beside", "data-drop": 1 }, ...rest.map((each) => el("span", {}, each.said))) : null);
}

/** @param {number} number */
function story(number) {
  const last = stories.get(number)?.paragraphs().slice(-2).reverse() ?? [];
  if (!last.length) return [];
  return [el("h2", {}, say("story")), ...last.map((text, at) => el("p", { class: at ? "soft" : "latest", "data-drop": at ? 3 : null }, text))];
}

if (document.fullscreenEnabled) {
  const whole = el("button", { class: "whole", onclick: () => document.documentElement.requestFullscreen() }, say("full_screen"));
  document.addEventListener("fullscreenchange", () => document.body.classList.toggle("alone", Boolean(document.fullscreenElement)));
  buttons.append(whole);
}
enter().catch(() => {}); // with an expired key one sees the display like everybody
one(".top").append(chooser, buttons);
side.replaceChildren(now, told, entrance);
/** Fit the letters to rooms of another size, which are below the bar. */
function refit() {
  document.body.style.setProperty("--top", `${Math.ceil(one(".top").getBoundingClientRect().height)}px`);
  fresh = true;
  measure();
}

addEventListener("resize", refit);
one(".top").addEventListener("focusin", refit);
one(".top").addEventListener("focusout", refit);
let resting = 0;
/** @param {boolean} now */
function rest(now) {
  if (document.body.classList.contains("still") === now) return;
  document.body.classList.toggle("still", now);
  refit();
}

function wake() {
  rest(false);
  clearTimeout(resting);
  resting = setTimeout(() => rest(true), CONTROLS_MS);
}
for (const each of ["pointermove", "pointerdown", "keydown"]) addEventListener(each, wake);
wake();
new ResizeObserver(refit).observe(one(".top")); // it gets a line more when there is a game to be chosen
whenComplete(draw);
draw();
