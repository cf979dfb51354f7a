// A seat: what it is asked, the board and what it holds, both to be touched, and what comes of that.
/**
 * @import { BoardState, Can, EveningState, GameState, NewsState, QuestionState, TakenState } from "./messages.d.ts"
 */
/**
 * @typedef {GameState & {at: number, viewer: number}} Own what a seat sees
 * @typedef {Record<string, any> & {event: string}} Reply
 */
import { Answering, worded } from "./answering.js";
import { ask } from "./asking.js";
import { between } from "./between.js";
import { Bound } from "./binding.js";
import { Board } from "./board.js";
import { el, one, reason } from "./dom.js";
import { ending } from "./ending.js";
import { wishes } from "./gathering.js";
import { holder } from "./holding.js";
import { Notes } from "./parts.js";
import { renewed } from "./renewing.js";
import { settle } from "./settling.js";
import { bring } from "./sight.js";
import { Signals } from "./signals.js";
import { Story } from "./story.js";
import { enter, insist, isComplete, listen, order, renew, whenComplete } from "./stream.js";
import { listed, named, say } from "./words.js";

/** @param {string} id */
const on = (id) => one(`#${id}`);
const bound = new Bound(sessionStorage);
const signals = new Signals();
/** By name ("3-1"): what the seats of this browser see, and what was told them. */
const seats = /** @type {Map<string, Own>} */ (new Map());
const told = /** @type {Map<string, NewsState[]>} */ (new Map());
/** By number: the games as everybody sees them, and what everybody was told. */
const games = /** @type {Map<string, GameState>} */ (new Map());
const boards = /** @type {Map<string, BoardState>} */ (new Map());
const stories = /** @type {Map<string, Story>} */ (new Map());
/** By number: the evenings in which this browser is somebody; why it is nobody any longer. */
const evenings = /** @type {Map<string, EveningState>} */ (new Map());
const outs = /** @type {Map<string, TakenState>} */ (new Map());
let wrong = ""; // why a key of the address opens nothing
let current = sessionStorage.getItem("seat") ?? "";
let of = 0; // the question that was touched for
let sent = 0; // the question that was answered from here
let hint = "";
/** The parts of the move that a hint means. */
let meant = /** @type {Set<string>} */ (new Set());
const opened = /** @type {Set<number>} */ (new Set());

const answering = new Answering({ bar: on("choose"), plain: on("plain"), listed: on("listed") }, { pending, send: answer, draw });
const board = new Board(on("board"), (part) => answering.press(part));
const notes = new Notes(on("beside"), (part) => answering.press(part));
const hand = new Board(on("hand"), (part) => answering.press(part));

// -- what comes in -------------------------------------------------------------------------------------------------

listen({
  public: {
    game(number, state, news, all) {
      if (state) {
        games.set(number, state);
        const story = (all ? null : stories.get(number)) ?? new Story();
        stories.set(number, story);
        story.take(news);
      } else {
        games.delete(number);
        stories.delete(number);
      }
      if (number === current.split("-")[0]) draw();
    },
  },
  phone: {
    board(number, state) {
      if (state) boards.set(number, state);
      else boards.delete(number);
      if (number === current.split("-")[0]) draw();
    },
  },
  mine: {
    seat(name, state, news, all) {
      const fresh = state && !seats.has(name); // a seat in a newer game is shown by itself
      if (state === null) {
        seats.delete(name);
        told.delete(name);
      } else {
        told.set(name, [...(all ? [] : (told.get(name) ?? [])), ...news].slice(-400));
        const own = /** @type {Own} */ (state);
        const before = seats.get(name);
        if (own.over && before && !before.over) signals.ended();
        seats.set(name, own);
        open(own);
      }
      if (!seats.has(current) || (fresh && byGame(name, current) > 0)) choose([...seats.keys()].sort(byGame).at(-1) ?? "");
      draw();
    },
    evening(id, state) {
      if (state) evenings.set(id, state);
      else evenings.delete(id);
      draw();
    },
    out(id, state) {
      if (state) outs.set(id, state);
      else outs.delete(id);
      if (state) for (const [name, own] of seats) if (!runs(own)) seats.delete(name); // what it has played there
      if (!seats.has(current)) choose([...seats.keys()].sort(byGame).at(-1) ?? "");
      draw();
    },
  },
});

/** @type {(one: string, other: string) => number} */
const byGame = (one, other) => {
  const [a, b] = [one, other].map((each) => each.split("-").map(Number));
  return a[0] - b[0] || b[1] - a[1];
};

/** @param {string} name */
function choose(name) {
  if (name !== current) settle(on("plain"), on("choose"), on("listed"), on("more"));
  current = name;
  if (name) sessionStorage.setItem("seat", name);
  else sessionStorage.removeItem("seat");
  clear();
}

function clear() {
  answering.clear();
  hint = "";
  meant = new Set();
}

/**
 * Open what a seat is bound to, once all are bound. A tab that was loaded anew does so, too.
 * @param {Own} state
 */
function open(state) {
  const question = state.question;
  if (question?.kind !== "choice") return;
  bound.forget(state.game, state.viewer, question.id);
  if (!question.open || opened.has(question.id)) return;
  const reply = bound.opening(state.game, state.viewer, question.id);
  if (!reply) return;
  opened.add(question.id);
  const isAsked = () => seats.get(`${state.game}-${state.viewer}`)?.question?.id === question.id;
  insist("/do", { method: "reply", params: { game: state.game, reply } }, isAsked).catch((failed) => {
    opened.delete(question.id);
    fail(failed);
  });
}

// -- what goes out -------------------------------------------------------------------------------------------------

/** Return what the seat that is shown sees. */
const now = () => seats.get(current);

/**
 * Return whether the game of a seat runs: it is neither over nor stopped.
 * @param {Own | undefined} state
 */
const runs = (state) => Boolean(state && !state.over && state.ended === undefined);

/** Return the question that waits for the seat that is shown. */
function pending() {
  const state = now();
  const question = state?.question;
  return runs(state) && question?.mine?.waits && question.id !== sent ? question : undefined;
}

/** @param {Reply} reply */
async function send(reply) {
  const { game, viewer, question } = now() ?? {};
  if (!question || !game) return;
  sent = question.id;
  answering.error = "";
  draw();
  try {
    await order("reply", { game, reply: { id: question.id, seat: viewer, ...reply } });
    clear();
    if (reply.event === "thrown") sent = 0;
  } catch (failed) {
    if (sent === question.id) sent = 0;
    fail(failed);
  }
  draw();
}

/** @param {unknown} failed */
function fail(failed) {
  answering.error = reason(failed);
  draw();
}

/**
 * Send an answer; bind the seat first where it is a secret choice.
 * @param {Can} answer
 */
async function answer({ reply }) {
  const { game, viewer, question } = now() ?? {};
  if (!question || !game || !viewer) return;
  const bind = question.mine?.bind;
  send(bind ? await bound.lock(game, viewer, question.id, bind, reply.option) : reply);
}

/**
 * @param {string} method
 * @param {object} params
 * @param {(result: any) => void} then
 */
async function command(method, params, then = () => {}) {
  const { game, viewer } = now() ?? {};
  answering.error = "";
  try {
    then(await order(method, { game, seat: viewer, ...params }));
  } catch (failed) {
    fail(failed);
  }
  draw();
}

// -- what is shown -------------------------------------------------------------------------------------------------

function draw() {
  const state = now();
  document.body.classList.toggle("seated", Boolean(state));
  document.body.classList.toggle("plays", runs(state));
  on(state ? "more" : "between").after(on("told"), on("wishes"));
  const organised = [...evenings.values()].find((each) => !each.ended && each.inside?.wishes.length);
  const asked = (/** @type {string} */ _, /** @type {any} */ wishes, /** @type {() => (Node | string | null)[]} */ build) => {
    if (on("wishes").hidden !== !wishes) settle(on("listed"), on("story"));
    on("wishes").hidden = !wishes;
    renewed(on("wishes"), wishes, build);
  };
  if (organised) wishes(asked, { act: (method, params) => order(method, params).catch(fail) }, organised);
  else on("wishes").hidden = true;
  on("which").replaceChildren(...which());
  drawEvening(state);
  between(on("between"), [...evenings.values()].filter((each) => !each.ended).at(-1), runs(state), Boolean(state && !runs(state)), { rulebooks, home });
  on("ending").hidden = !state?.over;
  if (state?.over) ending(on("ending"), state.game, draw);
  if (!state) {
    for (const id of ["asked", "board", "play"]) on(id).hidden = true;
    signals.quiet();
    return;
  }
  const game = games.get(String(state.game));
  const question = state.question;
  if ((question?.id ?? 0) !== of) {
    of = question?.id ?? 0;
    clear();
    if (pending()) settle(on("plain"), on("choose"), on("listed"));
  }
  on("title").textContent = say("title", { title: state.title, name: state.seats[state.viewer - 1].name });
  const secret = Boolean(question?.secret);
  for (const id of ["asked", "play"]) on(id).hidden = false;
  const drawn = boards.get(String(state.game));
  on("board").hidden = !drawn;
  if (drawn) {
    board.show(drawn.board, { reading: game?.reading, title: state.title, seat: state.viewer });
    notes.show(drawn.beside);
  }
  on("hand").hidden = !state.hand;
  if (state.hand) hand.show(state.hand, { title: say("hand") });
  const known = new Map([...board.labels, ...notes.labels, ...hand.labels]);
  for (const each of [board, notes, hand]) {
    each.mark(answering.said.offered, answering.touched, secret, secret && each !== hand ? new Set() : meant,
      (part) => each === hand && answering.instead(part), each === hand ? new Set() : answering.seem);
  }
  on("hand").classList.toggle("secretly", secret);
  on("hand").classList.toggle("coming", [...hand.labels.keys()].some((part) => answering.said.later.has(part)));
  ask(on("asked"), state, pending()?.id, runs(state) ? aims.get(state.rules) : "");
  const bind = question?.kind === "choice" && question.mine && !pending() ? kept(state, question) : null;
  const advice = hint && !secret ? el("p", { class: "hint", role: "status" }, hint) : null;
  answering.show(known, secret && Boolean(state.hand), [bind, advice], on("asked"));
  const told = stories.get(String(state.game))?.paragraphs().slice(-5).reverse() ?? [];
  on("story").replaceChildren(...(told.length ? [el("h2", {}, say("story"))] : []), ...told.map((text, at) =>
    el("p", { class: at ? "soft" : "latest" }, text)));
  more(state);
  bring(pending()?.id ?? 0, answering.touched.map((each) => each.part));
  signals.asked(pending()?.id ?? 0);
  document.title = `${pending() ? `● ${state.turn.said} · ` : ""}${state.title} · Tablier`;
}

/**
 * Who one is while there is no seat to show, or how one comes in.
 * @param {Own | undefined} state
 */
function drawEvening(state) {
  const names = [...evenings.values()].filter((each) => !each.ended).flatMap(named);
  const out = [...outs.values()].map(({ taken }) => say("out", { why: taken })).at(-1);
  on("join").hidden = names.length > 0 || !(isComplete() || wrong);
  if (!state) on("title").textContent = names.length ? say("here_as", { names: listed(names) }) : (out ?? (isComplete() ? say("not_in") : ""));
  on("join").replaceChildren(...(names.length ? [] : [
    wrong ? el("p", { class: "hot", role: "alert" }, wrong) : "",
    state && out ? el("p", { role: "status" }, out) : "",
    el("a", { class: "button first", href: "/in" }, say("come_in")),
  ]));
}

/**
 * What one is bound to, behind a hold; nothing where this tab does not know it.
 * @param {Own} state
 * @param {QuestionState} question
 */
function kept(state, question) {
  const own = bound.of(state.game, state.viewer, question.id);
  if (!own) return null;
  const secret = el("span", { class: "kept" }, "• • •");
  const move = question.options?.[own.choice] ?? "";
  return el("div", { class: "chosen" }, el("p", {}, say("bound_to"), " ", secret),
    holder((held) => (secret.textContent = held ? move : "• • •")));
}

/** Return a choice of seats: of those in games that run, else of those in the latest game. */
function which() {
  const all = [...seats].sort(([one], [other]) => byGame(one, other));
  const running = all.filter(([, state]) => runs(state));
  const shown = running.length ? running : all.filter(([, state]) => state.game === all.at(-1)?.[1].game);
  const options = shown.map(([name, state]) => {
    const args = { title: state.title, name: state.seats[state.viewer - 1].name };
    return el("option", { value: name, selected: name === current }, `${state.game} · ${say("title", args)}`);
  });
  if (options.length < 2) return [];
  const select = el("select", { onchange: () => {
    choose(select.value);
    draw();
  } }, options);
  return [el("label", {}, say("seats"), " ", select)];
}

/** What this seat alone is told: sentences, a hint for a secret move, and what it sees where nothing is drawn of it. */
function own() {
  const state = now();
  if (!state) return [];
  const game = games.get(String(state.game));
  const said = (told.get(current) ?? []).filter((each) => each.own).map((each) => each.said).slice(-4);
  const seen = game && game.reading !== state.reading ? [state.reading] : [];
  return [...(state.question?.secret && hint ? [hint] : []), ...said, ...seen];
}

const secret = el("div", { class: "own card", role: "status", hidden: true });
const reveal = holder((held) => {
  on("hand").classList.toggle("held", held);
  secret.hidden = !held;
  const state = now();
  secret.replaceChildren(...(held ? own().map((text) =>
    el(text === state?.reading ? "pre" : "p", { class: text === state?.reading && state.hand ? "reading" : "" }, text)) : []));
});
on("own").replaceChildren(reveal);
on("hand").after(secret); // where what is said moves neither the hand nor the button

/** Say what a bot would do, and mark it where it is to be touched. */
function advise() {
  const can = pending()?.mine?.can ?? [];
  hint = say("thinking");
  draw();
  command("hint", {}, (/** @type {{said?: string, move?: string, because?: string}} */ { said, move, because }) => {
    const found = can.find((each) => each.move === move);
    meant = new Set(found?.parts.flat());
    const label = (/** @type {string} */ part) => [board, notes, hand].map((each) => each.labels.get(part)).find(Boolean) ?? part;
    hint = said ?? [say("hint_is", { move: found ? worded(found, label) : (move ?? say("pass")) }), because].filter(Boolean).join(". ");
  }).then(() => {
    if (answering.error) hint = "";
    draw();
  });
}

/** Return whether this browser is somebody who runs an evening. */
const runsIt = () => [...evenings.values()].some((each) => !each.ended && each.here.some((one) => one.organiser && each.you?.includes(one.person)));

let moreOf = "";
/** @param {Own} state */
function more(state) {
  const plays = state.seats[state.viewer - 1].source !== "bot";
  const hides = own().length > 0 || (Boolean(state.hand) && hand.secret);
  on("own").hidden = !hides || Boolean(state.over); // then all is open
  const key = JSON.stringify([current, plays, Boolean(state.over), state.ended, runsIt(), people()]);
  if (key === moreOf) return;
  moreOf = key;
  const running = runs(state);
  /** @type {(name: string, act: () => void) => HTMLElement} */
  const button = (name, act) => el("button", { "data-key": name, onclick: act }, say(name));
  on("more").replaceChildren(...[
    ...(running ? [
      plays ? button("hint", advise) : button("return", () => command("source", { source: "screen" })),
    ] : []),
    button("rules", () => rules(state.rules)),
    seldom([
      ...(running ? [
        button("back", () => command("back", { count: 1 })),
        button("pause", () => command("pause", {})),
        button("call", () => command("call", {})),
        button("dispute", dispute),
        plays ? button("leave", leave) : null,
        ...home(),
      ] : []),
      ...signals.switches(),
    ]),
    ...(running && runsIt() ? [el("a", { class: "button", href: "/host" }, say("run_evening"))] : []),
  ]);
}

let seldomOpen = false;
/**
 * Return what is seldom wanted, folded away.
 * @param {(Element | null)[]} buttons
 */
function seldom(buttons) {
  const folded = el("details", { open: seldomOpen, ontoggle: () => (seldomOpen = folded.open) },
    el("summary", {}, say("more")), el("div", {}, ...buttons.filter((each) => each !== null)));
  return folded;
}

const dialog = /** @type {HTMLDialogElement} */ (on("dialog"));
/** @param {(HTMLElement | null)[]} children */
function show(...children) {
  dialog.replaceChildren(...children.filter((each) => each !== null), el("form", { method: "dialog" }, el("button", { class: "first" }, say("close"))));
  dialog.showModal();
}

/** @param {string} game */
async function rules(game) {
  const page = await fetch(`/rules?game=${encodeURIComponent(game)}`).then((response) => response.text()).catch(() => "");
  const text = new DOMParser().parseFromString(page, "text/html").querySelector("main");
  show(el("article", { class: "rules" }, ...(text ? [...text.children].map((each) => document.importNode(each, true)) : [say("lost")])));
}

function leave() {
  show(el("p", {}, say("sure_leave")), el("button", { "data-key": "sure", onclick: () => {
    dialog.close();
    command("source", { source: "good" });
  } }, say("leave")));
}

/** The games that there are: name, title and aim. */
const known = /** @type {[string, string, string][]} */ (JSON.parse(on("known").dataset.known ?? "[]"));
const aims = new Map(known.map(([game, , aim]) => [game, aim]));

/** The rules of all games, for those who wait. */
function rulebooks() {
  return el("details", { "data-id": "rules" }, el("summary", {}, say("rules_of_games")),
    el("p", { class: "row" }, ...known.map(([game, title]) => el("button", { onclick: () => rules(game) }, title))));
}

/** Return who this browser is, in the evenings that are open. */
const people = () => [...evenings.values()].filter((each) => !each.ended).flatMap(({ evening, here, you }) =>
  here.filter(({ person }) => you?.includes(person)).map(({ person, name }) => ({ evening, person, name })));

/** Return a button for each person of this browser who may go home. */
const home = () => people().map((own, _, all) => el("button", { onclick: () =>
  show(el("p", {}, say("sure_home", { name: own.name })), el("button", { "data-key": "sure", onclick: () => goHome(own) }, say("go_home"))),
}, all.length > 1 ? say("goes_home", { name: own.name }) : say("go_home")));

/**
 * Leave an evening; a bot plays on at once, where there is a game to play on.
 * @param {{evening: number, person: string, name: string}} own
 */
async function goHome({ evening, person, name }) {
  dialog.close();
  try {
    for (const state of [...seats.values()].filter(runs)) {
      const { name: called, source } = state.seats[state.viewer - 1];
      if (called === name && source === "screen") await order("source", { game: state.game, seat: state.viewer, source: "good" });
    }
    await order("leave", { evening, person, home: true });
  } catch (failed) {
    show(el("p", { class: "hot", role: "alert" }, reason(failed)));
  }
}

function dispute() {
  const what = el("input", { id: "wrong", maxlength: 200 });
  show(el("h2", {}, say("dispute")), el("label", {}, say("what_is_wrong"), " ", what),
    el("button", { onclick: () => {
      dialog.close();
      if (what.value.trim()) command("dispute", { text: what.value.trim() });
    } }, say("note_it")));
}

// -- coming in -----------------------------------------------------------------------------------------------------

async function begin() {
  try {
    if (await enter()) renew();
    wrong = "";
  } catch (failed) {
    wrong = reason(failed);
  }
  draw();
}

addEventListener("hashchange", begin);
whenComplete(draw);
draw();
begin();
