// The scripts of pages on as much of a page as they need: what is told, what is hidden, what goes out.
import { strict as assert } from "node:assert";

/** An element: children, attributes, listeners, and nothing that is drawn. */
class Piece {
  /** @type {any[]} */
  children = [];
  /** @type {Record<string, any>} */
  attributes = {};
  dataset = {};
  classes = new Set();
  listeners = new Map();
  textContent = "";
  hidden = false;
  isConnected = false;
  classList = { toggle: (/** @type {string} */ name, /** @type {boolean} */ on) => on ? this.classes.add(name) : this.classes.delete(name) };
  addEventListener(name, act) { this.listeners.set(name, act); }
  setAttribute(name, value) { this.attributes[name] = value; }
  append(...children) { this.children.push(...children); }
  replaceChildren(...children) { this.children = children; }
  after(...pieces) { beside.push(...pieces); }
  contains() { return false; }
  querySelector() { return null; }
  /** @returns {Piece[]} */
  get all() { return [this, ...this.children.flatMap((each) => (each instanceof Piece ? each.all : []))]; }
  get texts() { return this.all.flatMap((each) => each.children.filter((child) => typeof child === "string")); }
  with(name, value) { return this.all.find((each) => each.attributes[name] === value); }
}

/** @type {Piece[]} */
const beside = [];
/** @type {[string, () => void][]} */
const listening = [];
const happen = (name) => listening.filter(([of]) => of === name).forEach(([, act]) => act());
const listens = { addEventListener: (name, act) => listening.push([name, act]) };
/** @type {(() => void)[]} */
const looks = [];
/** @type {any[]} */
const streams = [];
const stored = () => {
  const kept = new Map();
  return { getItem: (key) => kept.get(key) ?? null, setItem: (key, value) => kept.set(key, value) };
};
const notice = new Piece();
/** @type {number[][]} */
const tones = [];
Object.defineProperty(globalThis, "navigator", { value: { vibrate: (times) => tones.push(times) }, configurable: true });
Object.assign(globalThis, {
  ...listens,
  document: { ...listens, createElement: () => new Piece(), getElementById: () => null, hidden: false, visibilityState: "visible",
    documentElement: { lang: "en" }, querySelector: (selector) => (selector === "#notice" ? notice : null) },
  window: { ...listens, setTimeout },
  localStorage: stored(),
  sessionStorage: stored(),
  setInterval: (act) => looks.push(act),
  setTimeout: (act) => (queueMicrotask(act), 0),
  KeyboardEvent: class {},
  BroadcastChannel: class { addEventListener() {} postMessage() {} },
  EventSource: class {
    onmessage = (/** @type {{data: string}} */ _event) => {};
    constructor() { streams.push(this); }
    close() {}
    say(event) { this.onmessage({ data: JSON.stringify(event) }); }
  },
});
const event = (name, state, all = true, said = "") => ({ topic: "public", name, age: 0, made: state && [0, 1],
  pieces: { 0: JSON.stringify(state) }, anew: true, all, news: said ? [{ said }] : [] });

// Whoever begins to look later has all that was told, and nobody takes a silent server for one with nothing to say.
const { Source } = await import("../../host/tablier/web/pages/source.js");
let time = 0;
performance.now = () => time;
const source = new Source("en");
const look = looks[looks.length - 1];
const port = () => {
  /** @type {any[]} */
  const heard = [];
  return { heard, post: (said) => heard.push(said) };
};
const [early, late] = [port(), port()];
source.take(early, ["public"]);
streams.at(-1).say({ names: [["public", "evening-1"]], stream: "one" });
streams.at(-1).say(event("evening-1", {}, true, "Anne is here."));
streams.at(-1).say(event("evening-1", {}, false, "Bea is here."));
source.take(late, ["public"]);
assert.deepEqual(late.heard[0].news.map((each) => each.said), ["Anne is here.", "Bea is here."]);
for (const [now, lost] of /** @type {[number, boolean][]} */ ([[2400, false], [2600, true]])) {
  time = now;
  look();
  assert.equal(early.heard.at(-1).lost, lost);
}
streams.at(-1).say({ beat: true });
assert.equal(early.heard.findLast((each) => "lost" in each).lost, false);

// Every page says over which hood of a simulated table somebody leans, as long as that is so.
const stream = await import("../../host/tablier/web/pages/stream.js");
stream.listen({ public: {} });
streams.at(-1).say({ names: [["public", "leaning-3"]], stream: "two" });
streams.at(-1).say(event("leaning-3", { place: 2 }));
assert.deepEqual(beside.map((each) => [each.textContent, each.hidden]), [["somebody_leans", false]]);
streams.at(-1).say(event("leaning-3", null));
assert(beside[0].hidden);

// What the network has lost is asked again, and what the server has refused is not.
/** @type {(() => Promise<any>)[]} */
let answers = [];
/** @type {any[]} */
let asked = [];
const answered = (ok, said) => () => Promise.resolve({ ok, json: () => Promise.resolve(said) });
Object.assign(globalThis, { fetch: (address, { body }) => {
  asked.push([address, JSON.parse(body), location.hash]);
  return (answers.shift() ?? answered(true, {}))();
}, location: { hash: "", pathname: "/host", search: "?a" } });
const lost = () => Promise.reject(new TypeError("no network"));
answers = [lost, lost, answered(true, { evening: 1 })];
assert.deepEqual(await stream.insist("/join", {}), { evening: 1 });
assert.equal(asked.length, 3);
answers = [answered(false, { error: "The door is closed." })];
await assert.rejects(stream.insist("/join", {}), { message: "The door is closed." });
assert.equal(asked.length, 4);

// A key has left the address, which others may see or keep, before it is shown to anybody.
Object.assign(globalThis, { history: { replaceState: (_state, _title, address) => {
  assert.equal(address, "/host?a");
  location.hash = "";
} } });
for (const [hash, shown] of [["#operator=aa", { operator: "aa" }], ["#person=7-bb-cc", { evening: 7, person: "bb", key: "cc" }],
  ["#screen=7-dd", { evening: 7, screen: "dd" }]]) {
  [asked, location.hash] = [[], /** @type {string} */ (hash)];
  await stream.enter();
  assert.deepEqual(asked, [["/enter", shown, ""]]);
}

// What is shown as long as a button is held is hidden when the page is left, whatever becomes of the finger.
const { holder } = await import("../../host/tablier/web/pages/holding.js");
let held = false;
const button = /** @type {any} */ (holder((down) => (held = down)));
for (const left of ["blur", "visibilitychange"]) {
  button.listeners.get("pointerdown")({ preventDefault: () => {} });
  assert(held);
  happen(left);
  assert(!held);
}

// The only move that a hand holds is said by no bar before it is touched: others look on.
const { Answering } = await import("../../host/tablier/web/pages/answering.js");
const can = [{ move: "throw 8", parts: [["card 8"]], deed: "Throw the 8", outcome: "", warns: false, way: -1, reply: {} }];
const rooms = { bar: new Piece(), plain: new Piece(), listed: new Piece() };
const pending = /** @type {any} */ ({ kind: "turn", secret: true, mine: { waits: true, can, ways: [], seem: [] } });
const answering = new Answering(/** @type {any} */ (rooms), { pending: () => pending, send: () => {}, draw: () => {} });
const shows = (hides) => {
  answering.show(new Map([["card 8", "8"]]), hides, [], /** @type {any} */ (new Piece()));
  return Boolean(rooms.bar.with("data-key", "confirm"));
};
assert(shows(false));
assert(!shows(true));
assert(!rooms.bar.texts.includes("Throw the 8") && !rooms.listed.texts.includes("8"));
answering.press({ name: "card 8", nth: 0, label: "8" });
assert(shows(true));

// A question is announced once, however often its page is drawn, and only to who wishes that.
const { Signals } = await import("../../host/tablier/web/pages/signals.js");
const signals = new Signals();
signals.asked(4);
assert.equal(tones.length, 0);
localStorage.setItem("tone", "on");
for (const question of [5, 5, 6, 6]) signals.asked(question);
assert.equal(tones.length, 2);
