// The stream of events, one for all tabs of a browser: a worker that they share has it; where there are no such workers,
// as on many phones, the tab that was seen last.
//
//   const stream = listen({ public: take, mine: take });
//
// `take(name, state, news, fresh)` is called with whole states: `name` says of what ("game-3", "list", "keeper"; "3-1"
// of a seat), `state` is `null` when that is gone, `news` are those since the last call, and `fresh` says that they are
// all there have been, so what was told before is to be forgotten. `state.at` is the time, as `performance.now` counts,
// when it was said.
import { one } from "./dom.js";
import { say } from "./words.js";

const notice = one("#notice");
const handlers = new Map();
/** By topic and name: the latest state, with all its news, for whoever listens later. */
const latest = new Map();
/** @type {(message: {topics?: string[], renew?: boolean}) => void} */
let post = () => {};

/** Have the events of some topics handed out: an object of functions by topic. */
export function listen(topics) {
  for (const [topic, take] of Object.entries(topics)) {
    handlers.set(topic, [...(handlers.get(topic) ?? []), take]);
    for (const [, event] of latest) if (event.topic === topic) hand(take, event, true);
  }
  post({ topics: [...handlers.keys()] });
}

function hand(take, event, whole) {
  take(event.name, event.state, whole ? event.kept : event.news, whole || event.all);
}

function heard(event) {
  if (event.lost !== undefined) {
    tell(event.lost ? say("lost") : "");
    return;
  }
  if (event.state) event.state.at = performance.now() - event.age * 1000;
  if (event.topic === "public" && event.name === "keeper" && event.state) tell(event.state.here ? (event.state.silent ?? "") : say("gone"));
  if (event.topic === "public" && event.name.startsWith("leaning-")) tellLeaning(event.name, event.state);
  const key = `${event.topic} ${event.name}`;
  const before = event.all ? [] : (latest.get(key)?.kept ?? []);
  event.kept = [...before, ...event.news].slice(-400);
  if (event.state === null) latest.delete(key);
  else latest.set(key, event);
  for (const take of handlers.get(event.topic) ?? []) hand(take, event, false);
}

const leaning = new Map();
const leans = document.createElement("p");
leans.id = "leaning";
leans.setAttribute("role", "status");

/** Say, on every page, over whose hood of a simulated table somebody leans on a page. */
function tellLeaning(name, state) {
  if (state) leaning.set(name, state.place);
  else leaning.delete(name);
  leans.textContent = [...leaning.values()].map((place) => say("somebody_leans", { place })).join(" ");
  leans.hidden = !leaning.size;
  if (!leans.isConnected) notice?.after(leans);
}

function tell(text) {
  if (!notice) return;
  notice.textContent = text;
  notice.hidden = !text;
}

/** Ask the server for something; return its answer. Throw an `Error` whose message is a sentence for people. */
export async function ask(address, body) {
  let response;
  try {
    response = await fetch(address, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  } catch {
    throw new Error(say("lost"));
  }
  const answer = await response.json().catch(() => ({ error: response.statusText }));
  if (!response.ok) throw new Error(answer.error);
  return answer;
}

/** Have the keeper do something, for a seat of this browser, or `as` the operator. */
export async function order(method, params, as) {
  const answer = await ask("/do", as ? { method, params, as } : { method, params });
  return answer.result;
}

/** Have the stream opened anew: the server knows more of this browser now. */
export function renew() {
  post({ renew: true });
}

/** Exchange a key that stands behind `#` for the cookie, and take it out of the address. */
export async function enter() {
  const found = new URLSearchParams(location.hash.slice(1));
  if (!found.has("operator") && !found.has("seat")) return null;
  history.replaceState(null, "", location.pathname + location.search);
  if (found.has("operator")) return ask("/enter", { operator: found.get("operator") });
  const [game, seat, key] = found.get("seat").split("-");
  return ask("/enter", { game: Number(game), seat: Number(seat), key });
}

function share() {
  const worker = new SharedWorker("/pages/shared.js", { type: "module", name: "tablier" });
  worker.port.addEventListener("message", (message) => heard(message.data));
  worker.port.start();
  window.addEventListener("pagehide", () => worker.port.postMessage({ bye: true }));
  window.addEventListener("pageshow", (shown) => {
    if (shown.persisted) post({ topics: [...handlers.keys()] });
  });
  post = (message) => worker.port.postMessage(message);
}

async function alone() {
  const { Source } = await import("./source.js");
  const source = new Source();
  const port = { post: heard };
  const tabs = new BroadcastChannel("tablier");
  const seen = () => document.visibilityState === "visible";
  let resting = false;
  const rest = (now) => {
    resting = now;
    source.take(port, resting || !handlers.size ? null : [...handlers.keys()]);
  };
  post = (message) => (message.renew ? source.renew() : resting || source.take(port, message.topics));
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
