// The stream of events, one for all tabs of a browser: a worker that they share has it; where there are no such workers,
// as on many phones, or it says nothing, the tab that was seen last.
//
//   listen({ public: { game: takeGame, list: takeList }, mine: { seat: takeSeat } });
//
// What takes is called with whole states: `id` says of which ("3" of a game, "3-1" of a seat), `state` is `null` when that
// is gone, `news` are those since the last call, and `fresh` says that they are all there have been, so what was told
// before is to be forgotten. `state.at` is the time, as `performance.now` counts, when it was said.
/**
 * @import {
 *   BoardState, EveningState, GameState, KeeperState, LeaningState, LightsState, LineState, ListState, NewsState, PileState, TakenState,
 * } from "./messages.d.ts"
 * @import { Heard, Pulse } from "./source.js"
 */
/**
 * @template State
 * @typedef {(id: string, state: (State & {at: number}) | null, news: NewsState[], fresh: boolean) => void} Take
 */
/**
 * @typedef {object} Topics
 * @property {{
 *   game?: Take<GameState>, list?: Take<ListState>, keeper?: Take<KeeperState>, evening?: Take<EveningState>,
 *   leaning?: Take<LeaningState>,
 * }} [public]
 * @property {{seat?: Take<GameState>, evening?: Take<EveningState>, out?: Take<TakenState>}} [mine]
 * @property {{evening?: Take<EveningState>}} [host]
 * @property {{board?: Take<BoardState>}} [paper]
 * @property {{board?: Take<BoardState>}} [phone]
 * @property {{lights?: Take<LightsState>, pile?: Take<PileState>, line?: Take<LineState>}} [table]
 */
import { one } from "./dom.js";
import { settle } from "./settling.js";
import { Source } from "./source.js";
import { say } from "./words.js";

const notice = one("#notice");
/** By topic: what takes its states, by their kinds. */
const handlers = /** @type {Map<string, Record<string, Take<any>>[]>} */ (new Map());
/** By topic and name: the latest state, with all its news, for later listeners. */
const latest = /** @type {Map<string, Heard>} */ (new Map());
/** @type {(message: {topics?: string[], renew?: boolean}) => void} */
let post = () => {};
let lost = false;
/** Whether all that there is of the topics has come. */
let complete = false;
const waiting = /** @type {(() => void)[]} */ ([]);

export const isComplete = () => complete;

/**
 * Have something done whenever all that there is has come, at first and after the stream was opened anew.
 * @param {() => void} act
 */
export function whenComplete(act) {
  waiting.push(act);
}

/**
 * Have the events of some topics handed out.
 * @param {Topics} topics
 */
export function listen(topics) {
  for (const [topic, takes] of Object.entries(topics)) {
    handlers.set(topic, [...(handlers.get(topic) ?? []), takes]);
    for (const [, event] of latest) if (event.topic === topic) hand(takes, event, true);
  }
  post({ topics: [...handlers.keys()] });
}

/**
 * Return the kind of a channel, and what it says of.
 * @param {Heard} event
 */
function kindOf({ topic, name }) {
  if (/^\d+(-\d+)?$/.test(name)) return [topic === "mine" ? "seat" : "lights", name];
  const [kind, id = ""] = name.split("-");
  return [kind, id];
}

/**
 * @param {Record<string, Take<any>>} takes
 * @param {Heard} event
 * @param {boolean} whole
 */
function hand(takes, event, whole) {
  const [kind, id] = kindOf(event);
  takes[kind]?.(id, event.state, whole ? event.kept : event.news, whole || event.all);
}

/** @param {Heard | Pulse} event */
function heard(event) {
  if ("lost" in event) {
    if (event.lost !== lost) tell(event.lost ? say("lost") : "");
    lost = event.lost;
    const now = event.complete && !complete;
    complete = event.complete;
    if (now) for (const act of waiting) act();
    return;
  }
  if (event.state) event.state.at = performance.now() - event.age * 1000;
  const key = `${event.topic} ${event.name}`;
  const before = event.all ? [] : (latest.get(key)?.kept ?? []);
  event.kept = [...before, ...event.news].slice(-400);
  if (event.state === null) latest.delete(key);
  else latest.set(key, event);
  if (event.topic === "public") hand({ keeper: tellKeeper, leaning: tellLeaning, evening: tellNews }, event, false);
  for (const takes of handlers.get(event.topic) ?? []) hand(takes, event, false);
}

/** @type {Take<KeeperState>} */
function tellKeeper(_id, state) {
  if (state) tell(state.here ? (state.silent ?? "") : say("gone"));
}

const leaning = /** @type {Map<string, number>} */ (new Map());
const leans = document.createElement("p");
leans.id = "leaning";
leans.setAttribute("role", "status");

/**
 * Say, on every page, over whose hood of a simulated table somebody leans on a page.
 * @type {Take<LeaningState>}
 */
function tellLeaning(game, state) {
  if (state) leaning.set(game, state.place);
  else leaning.delete(game);
  leans.textContent = [...leaning.values()].map((place) => say("somebody_leans", { place })).join(" ");
  leans.hidden = !leaning.size;
  if (!leans.isConnected) notice?.after(leans);
}

/** Whether this is the first page of ours that this tab shows. */
export const first = sessionStorage.getItem("been") === null;
sessionStorage.setItem("been", "yes");

/** How long it is shown who came and who went. */
const TOLD_MS = 8000;
const told = document.getElementById("told");
/** @type {ReturnType<typeof setTimeout> | undefined} */
let telling;

/**
 * Say, on every page, who came to an evening and who went.
 * @type {Take<EveningState>}
 */
function tellNews(_id, _state, news, fresh) {
  const last = news.at(-1);
  if (!last || fresh || !told) return;
  told.textContent = last.said;
  hideTold(false);
  clearTimeout(telling);
  telling = setTimeout(hideTold, TOLD_MS);
}

/** What comes after it on the page moves: it takes no touch for a moment. */
function hideTold(hidden = true) {
  if (!told || told.hidden === hidden) return;
  told.hidden = hidden;
  for (let next = told.nextElementSibling; next; next = next.nextElementSibling) settle(/** @type {HTMLElement} */ (next));
}

/** @param {string} text */
function tell(text) {
  if (!notice) return;
  notice.textContent = text;
  notice.hidden = !text;
}

const AGAIN_MS = 1000;

/** The network is lost: nobody has answered. */
class Lost extends Error {
  constructor() {
    super(say("lost"));
  }
}

/**
 * Ask the server for something; return its answer. Throw an `Error` whose message is a sentence for people.
 * @param {string} address
 * @param {object} body
 * @returns {Promise<any>}
 */
export async function ask(address, body) {
  const response = await fetch(address, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  }).catch(() => {
    throw new Lost();
  });
  const answer = await response.json().catch(() => ({ error: response.statusText }));
  if (!response.ok) throw new Error(answer.error);
  return answer;
}

/**
 * Ask the server for something, again and again where the network is lost: what is asked twice comes to the same.
 * @param {string} address
 * @param {object} body
 * @param {() => boolean} wanted false once nobody wants the answer
 * @returns {Promise<any>}
 */
export async function insist(address, body, wanted = () => true) {
  while (wanted()) {
    try {
      return await ask(address, body);
    } catch (failed) {
      if (!(failed instanceof Lost)) throw failed;
      await new Promise((go) => setTimeout(go, AGAIN_MS));
    }
  }
}

/**
 * Have the keeper do something, for a seat of this browser, or `as` the operator.
 * @param {string} method
 * @param {object} params
 * @param {string} [as]
 */
export async function order(method, params, as) {
  const answer = await ask("/do", as ? { method, params, as } : { method, params });
  return answer.result;
}

/** Have the stream opened anew: the server knows more of this browser now. */
export function renew() {
  complete = false;
  post({ renew: true });
}

/** Exchange a key that stands behind `#` for the cookie, and take it out of the address. */
export async function enter() {
  const found = new URLSearchParams(location.hash.slice(1));
  if (!["operator", "person", "screen"].some((each) => found.has(each))) return null;
  history.replaceState(null, "", location.pathname + location.search);
  if (found.has("operator")) return insist("/enter", { operator: found.get("operator") });
  const [evening, ...keys] = (found.get("person") ?? found.get("screen") ?? "").split("-");
  const shown = found.has("person") ? { person: keys[0], key: keys[1] } : { screen: keys[0] };
  return insist("/enter", { evening: Number(evening), ...shown });
}

/** How often it is looked whether the worker is there, which says so more often; after how many looks in vain it is not. */
const LOOK_MS = 1000;
const LOOKS = 5;

function share() {
  const worker = new SharedWorker("/pages/shared.js", { type: "module", name: document.documentElement.lang });
  const { port } = worker;
  let looks = 0; // a page that a phone has frozen does not look
  const hear = (/** @type {MessageEvent} */ message) => {
    looks = 0;
    heard(message.data);
  };
  const leave = () => port.postMessage({ bye: true });
  const come = (/** @type {PageTransitionEvent} */ shown) => shown.persisted && post({ topics: [...handlers.keys()] });
  const part = () => {
    clearInterval(looking);
    worker.removeEventListener("error", part);
    port.removeEventListener("message", hear);
    window.removeEventListener("pageshow", come);
    leave();
    alone();
  };
  const looking = setInterval(() => (looks += 1) > LOOKS && part(), LOOK_MS);
  worker.addEventListener("error", part); // its script has not come
  port.addEventListener("message", hear);
  port.start();
  window.addEventListener("pagehide", leave);
  window.addEventListener("pageshow", come);
  post = (message) => port.postMessage(message);
}

function alone() {
  const source = new Source(document.documentElement.lang);
  const port = { post: heard };
  const tabs = new BroadcastChannel("tablier");
  const seen = () => document.visibilityState === "visible";
  let resting = false;
  const rest = (/** @type {boolean} */ now) => {
    resting = now;
    source.take(port, resting || !handlers.size ? null : [...handlers.keys()]);
  };
  post = (message) => (message.renew ? source.renew() : resting || source.take(port, message.topics ?? null));
  tabs.addEventListener("message", () => seen() || rest(true));
  const arrive = () => {
    if (!seen()) return;
    tabs.postMessage("seen");
    if (resting) rest(false);
  };
  document.addEventListener("visibilitychange", arrive);
  arrive();
  if (handlers.size) post({ topics: [...handlers.keys()] });
}

if ("SharedWorker" in window) share();
else alone();
