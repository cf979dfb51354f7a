// The display: one game for a whole room, and between games the evening's results.
/**
 * @import { CodeState, EveningState, GameState, NewsState } from "./messages.d.ts"
 */
/** @typedef {GameState & {at: number}} Game when it was said, too */
import { el, one, picture } from "./dom.js";
import { Reader } from "./aloud.js";
import { change } from "./changing.js";
import { Story } from "./story.js";
import { enter, listen } from "./stream.js";
import { listed, say } from "./words.js";

const board = one("#board");
const side = one("#side");
const games = /** @type {Map<number, Game>} */ (new Map());
const stories = /** @type {Map<number, Story>} */ (new Map());
const evenings = /** @type {Map<number, EveningState>} */ (new Map());
const open = /** @type {Set<number>} */ (new Set());
const reader = new Reader();
/** The codes with which phones join, for whoever may see this display. */
const joining = el("section", { class: "joining", "aria-label": say("join"), hidden: true });
const buttons = el("p", { class: "buttons" }, reader.button);
const select = el("select", { onchange: () => {
  chosen = Number(select.value);
  draw();
} });
const chooser = el("label", { class: "soft", hidden: true }, say("games"), " ", select);
const now = el("div");
const told = el("section", { class: "story" });
let chosen = 0;
let offered = "";

listen({
  public: {
    game(id, state, news, all) {
      takeGame(Number(id), state, news, all);
      draw();
    },
    evening(id, state) {
      if (state) evenings.set(Number(id), state);
      else evenings.delete(Number(id));
      draw();
    },
    join(_id, state) {
      drawJoining(state?.codes ?? []);
    },
    list(_id, state) {
      open.clear();
      for (const game of state?.games ?? []) open.add(game.game);
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
  games.set(number, state);
  if (number === shown()) reader.take(state, all ? [] : news);
}

/** Return the game on the display: the chosen one, else the latest that is open, else the latest. */
function shown() {
  if (games.has(chosen)) return chosen;
  const numbers = [...games.keys()];
  const running = numbers.filter((each) => open.has(each));
  return Math.max(...(running.length ? running : numbers), 0);
}

function draw() {
  const number = shown();
  const game = games.get(number);
  const evening = [...evenings.values()].find((each) => each.game === number) ?? [...evenings.values()].at(-1);
  const between = !game || (game.ended !== undefined && evening);
  document.body.classList.toggle("between", Boolean(between));
  if (game) drawBoard(game);
  else board.replaceChildren();
  board.hidden = Boolean(between);
  if (game && !between) fill(now, [heading(game), asked(game), players(game)]);
  else fill(now, evening ? results(evening) : [el("h1", {}, say("nobody")), el("p", { class: "soft" }, say("begin"))]);
  fill(told, between ? [] : story(number));
  offer(number);
}

/**
 * Replace what a room holds; what a reader may have in hand, a button or a list, lies in none of these.
 * @param {HTMLElement} room
 * @param {(HTMLElement | null)[]} children
 */
function fill(room, children) {
  room.replaceChildren(...children.filter((each) => each !== null));
}

let drawn = "";
/** @param {Game} game */
function drawBoard(game) {
  if (drawn === game.board) return;
  drawn = game.board ?? "";
  change(board, ...picture(drawn, game.reading, game.title));
}

/** @param {Game} game */
function heading(game) {
  return el("h1", {}, say("game", { title: game.title, game: game.game, ply: game.ply }));
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
  if (game.over) return el("p", { class: "asked" }, [game.turn.said, ...game.over.remarks.map((each) => `${each}.`)].join(" "));
  if (game.ended !== undefined) return el("p", { class: "asked" }, game.ended);
  const question = game.question;
  if (!question) return null;
  const left = question.left === null ? null : countdown(game.at + question.left * 1000);
  const who = game.turn.said ? el("p", { class: "soft" }, game.turn.said) : null;
  return el("div", { class: "asked" }, el("p", {}, question.said), who, left);
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

/** @param {Game} game */
function players(game) {
  const rows = game.seats.map((seat, at) => {
    const score = game.over?.scores[at];
    const doing = score
      ? `${score.score}${score.won ? ` · ${say("wins")}` : ""}`
      : seat.waits
        ? say(seat.source === "bot" ? "thinks" : "is_asked")
        : seat.asked
          ? `✓ ${say("answered")}`
          : seat.moves
            ? say("to_move")
            : "";
    const mark = score?.won ? "★" : seat.waits || (seat.moves && !game.over) ? "▶" : "";
    return el("li", { class: mark ? "active" : "" }, el("span", { class: "mark", "aria-hidden": "true" }, mark),
      el("span", { class: "name" }, seat.name), el("span", { class: "doing" }, doing));
  });
  return el("ul", { class: "players", "aria-label": say("players") }, rows);
}

/** @param {number} number */
function story(number) {
  const last = stories.get(number)?.paragraphs().slice(-6).reverse() ?? [];
  if (!last.length) return [];
  return [el("h2", {}, say("story")), ...last.map((text, at) => el("p", { class: at ? "soft" : "latest" }, text))];
}

/** @param {EveningState} evening */
function results(evening) {
  const rows = evening.games.filter((each) => each.over).map((each) => {
    const who = each.players.map(({ name, score, won }) =>
      el("span", { class: won ? "won" : "" }, won ? "★ " : "", name, " ", score));
    return el("li", {}, el("span", { class: "title" }, each.title), el("span", { class: "scores" }, who),
      ...each.remarks.map((text) => el("span", { class: "soft" }, text)));
  });
  const standing = evening.series.at(-1)?.standings.map(({ name, wins }) => `${name} ${wins}`).join(" · ");
  return [
    el("h1", {}, say("evening", { evening: evening.evening })),
    el("h2", {}, say("results")),
    el("ol", { class: "results" }, rows),
    standing ? el("p", { class: "big" }, say("series", { standing })) : null,
    evening.next ? el("p", { class: "big" }, say("next", { title: evening.next })) : null,
    evening.here.length ? el("p", {}, say("here", { names: listed(evening.here.map((each) => each.name)) })) : null,
    evening.why ? el("p", { class: "hot" }, evening.why) : null,
  ];
}

/** @param {CodeState[]} codes */
function drawJoining(codes) {
  joining.hidden = !codes.length;
  joining.replaceChildren(el("h2", {}, say("join")), ...codes.slice(0, 3).map(({ name, code, address, qr }) =>
    el("figure", {}, qr ? el("img", { src: qr, alt: "" }) : null,
      el("figcaption", {}, say(qr ? "scan" : "code", { name, code, address: address.split("#")[0] })))),
  codes.some((each) => !each.qr) ? el("p", { class: "soft" }, say("no_phones")) : "");
}

if (document.fullscreenEnabled) {
  const whole = el("button", { class: "whole", onclick: () => document.documentElement.requestFullscreen() }, say("full_screen"));
  document.addEventListener("fullscreenchange", () => document.body.classList.toggle("alone", Boolean(document.fullscreenElement)));
  buttons.append(whole);
}
enter().catch(() => {}); // whose key holds no more sees the display like everybody
side.replaceChildren(now, joining, buttons, chooser, told);
draw();
