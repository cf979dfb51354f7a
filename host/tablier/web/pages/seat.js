// A seat: what it is asked, the board and what it holds, both to be touched, and what comes of that.
/**
 * @import { Can, GameState, NewsState, QuestionState, TakenState } from "./messages.d.ts"
 * @import { Part } from "./board.js"
 */
/**
 * @typedef {GameState & {at: number, viewer: number}} Own what a seat sees
 * @typedef {{part: string, nth: number, label: string}} Touched
 * @typedef {ReturnType<typeof narrow>} Narrowed
 * @typedef {Record<string, any> & {event: string}} Reply
 */
import { Bound } from "./binding.js";
import { Board } from "./board.js";
import { el, one, reason } from "./dom.js";
import { host } from "./host.js";
import { Signals, unprotected } from "./signals.js";
import { Story } from "./story.js";
import { ask, enter, listen, order, renew } from "./stream.js";
import { narrow, touch } from "./touch.js";
import { listed, say } from "./words.js";

/** @param {string} id */
const on = (id) => one(`#${id}`);
const bound = new Bound(sessionStorage);
const signals = new Signals();
/** By name ("3-1"): what the seats of this browser see, and what was told them. */
const seats = /** @type {Map<string, Own | TakenState>} */ (new Map());
const told = /** @type {Map<string, NewsState[]>} */ (new Map());
/** By number: the games as everybody sees them, and what everybody was told. */
const games = /** @type {Map<string, GameState>} */ (new Map());
const stories = /** @type {Map<string, {story: Story, said: Set<string>}>} */ (new Map());
let current = sessionStorage.getItem("seat") ?? "";
let touched = /** @type {Touched[]} */ ([]);
let of = 0; // the question that was touched for
let sent = 0; // the question that was answered from here
let error = "";
let hint = "";
const opened = /** @type {Set<number>} */ (new Set());

const board = new Board(on("board"), press);
const hand = new Board(on("hand"), press);

// -- what comes in -------------------------------------------------------------------------------------------------

listen({
  public: {
    game(number, state, news, all) {
      if (state) {
        games.set(number, state);
        const kept = (all ? null : stories.get(number)) ?? { story: new Story(), said: new Set() };
        stories.set(number, kept);
        kept.story.take(news);
        for (const each of news) kept.said.add(each.said);
      } else {
        games.delete(number);
        stories.delete(number);
      }
      if (number === current.split("-")[0]) draw();
    },
    list: (_id, state) => hosting.list(state),
    join: (_id, state) => hosting.codes(state),
  },
  mine: {
    seat(name, state, news, all) {
      const fresh = state && !seats.has(name); // a seat in a newer game is shown by itself
      if (state === null) {
        seats.delete(name);
        told.delete(name);
      } else {
        told.set(name, [...(all ? [] : (told.get(name) ?? [])), ...news].slice(-400));
        const own = /** @type {(Own | TakenState)} */ (state);
        seats.set(name, own);
        if (!("taken" in own)) open(own);
      }
      if (!seats.has(current) || (fresh && byGame(name, current) > 0)) choose([...seats.keys()].sort(byGame).at(-1) ?? "");
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
  current = name;
  if (name) sessionStorage.setItem("seat", name);
  else sessionStorage.removeItem("seat");
  clear();
}

function clear() {
  touched = [];
  error = hint = "";
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
  order("reply", { game: state.game, reply }).catch((failed) => {
    opened.delete(question.id);
    fail(failed);
  });
}

// -- what goes out -------------------------------------------------------------------------------------------------

/** Return what the seat that is shown sees; nothing where somebody else has it now. */
const now = () => {
  const state = seats.get(current);
  return state && !("taken" in state) ? state : undefined;
};
/** Return the question that waits for the seat that is shown. */
const pending = () => {
  const state = now();
  const question = state?.question;
  return question?.mine?.waits && !state?.over && question.id !== sent ? question : undefined;
};
const waits = () => pending() !== undefined;

/** Return the moves that can be composed now. */
const can = () => pending()?.mine?.can ?? [];

/** @param {Part} part */
function press(part) {
  const next = touch(can(), touched.map((each) => each.part), part.name);
  const again = touched.findIndex((each) => each.part === part.name && each.nth === part.nth);
  if (again >= 0) touched = touched.slice(0, again);
  else if (next) touched = [...touched.slice(0, next.length - 1), { part: part.name, nth: part.nth, label: part.label }];
  else error = say("not_possible");
  if (next || again >= 0) error = "";
  draw();
  // Who touches by keys does not have to go through all other parts to confirm.
  if (part.keyed && !narrow(can(), touched.map((each) => each.part)).offered.size) confirming()?.focus();
}

/** Return the button that confirms, where it can. */
const confirming = () => /** @type {HTMLElement | null} */ (on("choose").querySelector("[data-key=confirm]:enabled"));

/** @param {Reply} reply */
async function send(reply) {
  const { game, viewer, question } = now() ?? {};
  if (!question) return;
  sent = question.id;
  error = "";
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
  error = reason(failed);
  draw();
}

/** @param {string} move */
async function confirm(move) {
  const state = now();
  const question = state?.question;
  if (!state || !question) return;
  if (question.kind === "window") return send({ event: "thrown", rank: Number(move.split(" ")[1]) });
  if (question.kind !== "choice" || !question.mine?.bind) return send({ event: "played", move });
  const choice = (question.options ?? []).indexOf(move);
  return send(await bound.lock(state.game, state.viewer, question.id, question.mine.bind, choice));
}

/**
 * @param {string} method
 * @param {object} params
 * @param {(result: any) => void} then
 */
async function command(method, params, then = () => {}) {
  const { game, viewer } = now() ?? {};
  error = "";
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
  const gone = seats.get(current);
  document.body.classList.toggle("seated", Boolean(state));
  on("which").replaceChildren(...which());
  on("join").hidden = Boolean(state);
  if (!state) {
    for (const id of ["asked", "board", "hand", "choose", "story", "more"]) on(id).hidden = true;
    on("title").textContent = gone && "taken" in gone ? gone.taken : say("no_seat");
    signals.quiet();
    return;
  }
  const game = games.get(String(state.game));
  const question = state.question;
  if ((question?.id ?? 0) !== of) {
    of = question?.id ?? 0;
    clear();
  }
  on("title").textContent = say("title", { title: state.title, name: state.seats[state.viewer - 1].name });
  const said = narrow(can(), touched.map((each) => each.part));
  const secret = Boolean(question?.secret);
  for (const id of ["asked", "choose", "story", "more"]) on(id).hidden = false;
  on("board").hidden = !game;
  if (game) board.show(game.board ?? "", { reading: game.reading, title: state.title });
  on("hand").hidden = !state.hand;
  if (state.hand) hand.show(state.hand, { title: say("hand") });
  const known = new Map([...board.labels, ...hand.labels]);
  for (const each of [board, hand]) each.mark(said.offered, touched, secret);
  on("hand").classList.toggle("secretly", secret);
  asked(state);
  chooser(state, said, known);
  on("story").replaceChildren(el("h2", {}, say("story")), ...(stories.get(String(state.game))?.story.paragraphs().slice(-5).reverse() ?? [])
    .map((text, at) => el("p", { class: at ? "soft" : "latest" }, text)));
  more(state);
  signals.asked(pending()?.id ?? 0);
  document.title = `${waits() ? `● ${say("your_turn")} · ` : ""}${state.title} · Tablier`;
}

function which() {
  const options = [...seats].sort(([one], [other]) => byGame(one, other)).flatMap(([name, state]) => {
    if ("taken" in state) return [];
    const args = { title: state.title, name: state.seats[state.viewer - 1].name };
    return [el("option", { value: name, selected: name === current }, `${state.game} · ${say("title", args)}`)];
  });
  if (options.length < 2) return [];
  const select = el("select", { onchange: () => {
    choose(select.value);
    draw();
  } }, options);
  return [el("label", {}, say("seats"), " ", select)];
}

let askedFor = "";
/** @param {Own} state */
function asked(state) {
  const { question, over } = state;
  const names = (question?.waiting ?? []).map((seat) => state.seats[seat - 1].name);
  let what = "";
  if (over) what = say("over");
  else if (state.ended !== undefined) what = state.ended || say("stopped");
  else if (!question) what = say("nothing_asked");
  else if (waits()) what = say("your_turn");
  else if (question.open) what = say("opening");
  else if (question.kind === "choice" && question.mine && !question.mine.waits) what = say("locked", { names: listed(names) });
  else if (names.length) what = say("waiting", { names: listed(names) });
  const key = JSON.stringify([what, question?.id, question?.said, waits(), over]);
  on("asked").dataset.question = String(pending()?.id ?? "");
  if (key === askedFor) return; // a reader is not told the same again
  askedFor = key;
  const rows = over?.scores.map((each) =>
    el("li", { class: each.won ? "won" : "" }, `${each.won ? "★ " : ""}${each.name}: ${each.score}`));
  const left = question?.left === null || question?.left === undefined ? null : countdown(state.at + question.left * 1000);
  on("asked").className = waits() ? "asked mine" : "asked";
  on("asked").replaceChildren(...[el("p", { class: "what" }, what), question && !over ? el("p", {}, question.said) : null,
    ...(over?.remarks ?? []).map((each) => el("p", { class: "soft" }, `${each}.`)),
    rows ? el("ul", {}, rows) : null, left].filter((each) => each !== null));
}

/** @param {number} end */
function countdown(end) {
  const figure = el("p", { class: "soft", "aria-live": "off" });
  const tick = () => {
    const left = Math.max(0, end - performance.now());
    figure.textContent = say("seconds", { count: Math.ceil(left / 1000) });
    if (left > 0) setTimeout(() => figure.isConnected && tick(), 250);
  };
  tick();
  return figure;
}

/**
 * What can be said now: what is chosen with what it leads to, to be confirmed; all that is possible as a list.
 * @param {Own} state
 * @param {Narrowed} said
 * @param {Map<string, string>} known
 */
function chooser(state, said, known) {
  const { question } = state;
  /** @type {(HTMLElement | null)[]} */
  const rows = [];
  if (question && waits()) {
    const label = (/** @type {string} */ part) => known.get(part) ?? part;
    if (question.kind === "poll") {
      rows.push(el("div", { class: "answers" },
        el("button", { onclick: () => send({ event: "answered", yes: false }) }, say("no")),
        el("button", { class: "first", onclick: () => send({ event: "answered", yes: true }) }, say("yes"))));
    } else if (question.kind === "menu") {
      rows.push(el("div", { class: "list" }, (question.options_said ?? []).map((text, option) =>
        el("button", { onclick: () => send({ event: "picked", option }) }, text))));
    } else {
      rows.push(chosen(question, said, label));
      rows.push(list(said, label, Boolean(question.secret) && Boolean(state.hand)));
    }
  } else if (question?.kind === "choice" && question.mine) {
    rows.push(kept(state, question));
  }
  if (error) rows.push(el("p", { class: "hot", role: "alert" }, error));
  if (hint && !question?.secret) rows.push(el("p", { class: "hint", role: "status" }, hint));
  const active = /** @type {HTMLElement | null} */ (document.activeElement);
  const focused = active && on("choose").contains(active) ? (active.dataset.key ?? "") : null;
  on("choose").replaceChildren(...rows.filter((each) => each !== null));
  if (focused === null) return;
  // What had the focus, else what comes after it, else the question: a reader by keys is never sent to the page's top.
  const same = /** @type {HTMLElement | null} */ (on("choose").querySelector(`[data-key="${CSS.escape(focused)}"]:enabled`));
  (same ?? confirming() ?? one("#choose .list button") ?? on("asked")).focus();
}

/**
 * @param {QuestionState} question
 * @param {Narrowed} said
 * @param {(part: string) => string} label
 */
function chosen(question, said, label) {
  const mine = question.mine;
  const move = said.move?.move;
  const path = touched.map((each) => each.label ?? label(each.part)).join(" → ");
  const outcome = move ? mine?.outcomes?.[mine.moves?.indexOf(move) ?? -1] : undefined;
  const passes = mine?.may_pass || question.kind === "window";
  const pass = question.kind === "window" ? { event: "done" } : { event: "played", move: null };
  return el("div", { class: "chosen" },
    el("p", { class: "path" }, path || (move ? move : say("touch"))),
    outcome ? el("p", { class: "soft" }, outcome) : null,
    el("div", { class: "answers" },
      touched.length ? el("button", { "data-key": "undo", onclick: () => {
        touched = touched.slice(0, -1);
        error = "";
        draw();
      } }, say("undo")) : null,
      passes && !touched.length ? el("button", { "data-key": "pass", onclick: () => send(pass) },
        say(question.kind === "window" ? "done" : "pass")) : null,
      el("button", { class: "first", "data-key": "confirm", "data-move": move ?? "", disabled: !move,
        onclick: () => move && confirm(move) }, move ? say("confirm", { move }) : say("confirm_none"))));
}

/** All that can be touched next, in words: for keys, for readers, and for what is too small; open where nothing is drawn. */
let listOpen = false;
/**
 * @param {Narrowed} said
 * @param {(part: string) => string} label
 * @param {boolean} secret
 */
function list(said, label, secret) {
  if (secret) return null;
  const bare = said.left.filter((each) => !each.parts.length).map((each) => each.move);
  const buttons = [...said.offered].map((part) =>
    el("button", { "data-key": part, onclick: () => press({ name: part, nth: free(part), label: label(part) }) }, label(part)));
  const whole = bare.length > 1
    ? bare.map((move) => el("button", { "data-key": move, onclick: () => confirm(move) }, move)) : [];
  if (!buttons.length && !whole.length) return null;
  const listed = el("details", { class: "listed", open: listOpen || whole.length > 0,
    ontoggle: () => (listOpen = listed.open) },
  el("summary", {}, say("as_list")), el("div", { class: "list" }, buttons, whole));
  return listed;
}

/**
 * Return which of several parts of the same name is touched next.
 * @param {string} part
 */
const free = (part) => touched.filter((each) => each.part === part).length;

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

/**
 * A button that shows something as long as it is held, by finger, mouse or key.
 * @param {(held: boolean) => void} show
 */
function holder(show) {
  const button = el("button", { class: "hold", "data-key": "hold" }, say("hold"));
  const set = (/** @type {boolean} */ held) => (/** @type {Event} */ event) => {
    if (event instanceof KeyboardEvent && ![" ", "Enter"].includes(event.key)) return;
    if (event.type !== "blur") event.preventDefault();
    button.classList.toggle("down", held);
    show(held);
  };
  for (const name of ["pointerdown", "keydown"]) button.addEventListener(name, set(true));
  for (const name of ["pointerup", "pointercancel", "pointerleave", "keyup", "blur"]) button.addEventListener(name, set(false));
  button.addEventListener("contextmenu", (event) => event.preventDefault());
  return button;
}

/** What this seat alone is told: sentences, a hint for a secret move, and what it sees where nothing is drawn of it. */
function own() {
  const state = now();
  if (!state) return [];
  const game = games.get(String(state.game));
  const all = stories.get(String(state.game))?.said ?? new Set();
  const said = (told.get(current) ?? []).map((each) => each.said).filter((each) => !all.has(each)).slice(-4);
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
function cover() {
  on("hand").classList.remove("held");
  secret.hidden = true;
  secret.replaceChildren();
}
addEventListener("blur", cover);
document.addEventListener("visibilitychange", cover);

let moreOf = "";
/** @param {Own} state */
function more(state) {
  const plays = state.seats[state.viewer - 1].source !== "bot";
  const hides = own().length > 0 || (Boolean(state.hand) && hand.secret);
  const key = JSON.stringify([current, plays, Boolean(state.over), state.ended, hides]);
  if (key === moreOf) return;
  moreOf = key;
  const running = !state.over && state.ended === undefined;
  /** @type {(name: string, act: () => void) => HTMLElement} */
  const button = (name, act) => el("button", { "data-key": name, onclick: act }, say(name));
  on("more").replaceChildren(...[
    hides ? secret : null,
    hides ? reveal : null,
    ...(running ? [
      button("hint", () => {
        hint = say("thinking");
        draw();
        const told = (/** @type {{said?: string, move?: string, because?: string}} */ { said, move, because }) =>
          said ?? [say("hint_is", { move: move ?? say("pass") }), because].filter(Boolean).join(". ");
        command("hint", {}, (found) => (hint = told(found)))
          .then(() => {
            if (error) hint = "";
            draw();
          });
      }),
      button("back", () => command("back", { count: 1 })),
      button("pause", () => command("pause", {})),
      button("call", () => command("call", {})),
      button("dispute", dispute),
      plays ? button("leave", () => command("source", { source: "good" })) : button("return", () => command("source", { source: "screen" })),
    ] : []),
    button("rules", rules),
    ...signals.switches(),
  ].filter((each) => each !== null));
}

const dialog = /** @type {HTMLDialogElement} */ (on("dialog"));
/** @param {(HTMLElement | null)[]} children */
function show(...children) {
  dialog.replaceChildren(...children.filter((each) => each !== null), el("form", { method: "dialog" }, el("button", { class: "first" }, say("close"))));
  dialog.showModal();
}

async function rules() {
  const state = now();
  if (!state) return;
  const address = `/rules?game=${encodeURIComponent(state.rules)}&source=${state.seats.some((each) => each.source === "table") ? "table" : ""}`;
  const text = await fetch(address).then((response) => response.text()).catch(() => say("lost"));
  show(el("h2", {}, state.title), state.question ? el("p", { class: "what" }, state.question.said) : null, el("pre", {}, text));
}

function dispute() {
  const what = el("input", { id: "wrong", maxlength: 200 });
  show(el("h2", {}, say("dispute")), el("label", {}, say("what_is_wrong"), " ", what),
    el("button", { onclick: () => {
      dialog.close();
      if (what.value.trim()) command("dispute", { text: what.value.trim() });
    } }, say("note_it")));
}

// -- joining -------------------------------------------------------------------------------------------------------

const hosting = host(on("host"));

function joiner() {
  const code = el("input", { id: "code", autocomplete: "off", autocapitalize: "characters", spellcheck: "false", maxlength: 12 });
  const wrong = el("p", { class: "hot", role: "alert" });
  on("join").replaceChildren(el("h2", {}, say("join")), el("p", {}, say("how_to_join")),
    el("form", { onsubmit: async (/** @type {Event} */ event) => {
      event.preventDefault();
      wrong.textContent = (await join(code.value)) ?? "";
    } }, el("label", {}, say("code"), " ", code), " ", el("button", { class: "first" }, say("sit_down"))), wrong, unprotected() ?? "");
}

/**
 * Exchange a code for a seat; return why that cannot be, or nothing.
 * @param {string} code
 */
async function join(code) {
  try {
    const { game, seat } = await ask("/join", { code });
    choose(`${game}-${seat}`);
    renew();
    return null;
  } catch (failed) {
    return reason(failed);
  }
}

/** @param {string} why */
function refuse(why) {
  const room = on("join").querySelector("[role=alert]");
  if (room) room.textContent = why;
}

async function begin() {
  joiner();
  const code = new URLSearchParams(location.hash.slice(1)).get("code");
  if (code) {
    history.replaceState(null, "", location.pathname + location.search);
    const why = await join(code);
    if (why) refuse(why);
  } else {
    const entered = await enter().catch((failed) => ({ failed }));
    if (entered?.failed) refuse(reason(entered.failed));
    if (entered?.seat) choose(`${entered.game}-${entered.seat}`);
    if (entered?.operator) on("host").hidden = false;
    if (entered && !entered.failed) renew();
  }
  draw();
}

addEventListener("hashchange", begin);
draw();
begin();
