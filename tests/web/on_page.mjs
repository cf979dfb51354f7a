// The scripts of pages on as much of a page as they need: what is told, what is hidden, what goes out.
import { strict as assert } from "node:assert";

/** An element: children, attributes, listeners, and nothing that is drawn. */
class Piece {
  className = "";
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
  classList = { toggle: (/** @type {string} */ name, /** @type {boolean} */ on) => on ? this.classes.add(name) : this.classes.delete(name),
    add: (/** @type {string} */ name) => this.classes.add(name), remove: (/** @type {string} */ name) => this.classes.delete(name) };
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
/** @type {[string, (event: any) => void][]} */
const listening = [];
const happen = (name, event = {}) => listening.filter(([of]) => of === name).forEach(([, act]) => act(event));
const listens = { addEventListener: (name, act) => listening.push([name, act]) };
/** @type {(() => void)[]} */
const looks = [];
/** @type {any[]} */
const streams = [];
const stored = () => {
  const kept = new Map();
  return { getItem: (key) => kept.get(key) ?? null, setItem: (key, value) => kept.set(key, value) };
};
const [notice, told] = [new Piece(), new Piece()];
/** @type {number[][]} */
const tones = [];
/** @type {any[]} */
const spoken = [];
let voices = [{ lang: "en", localService: true }];
/** @type {string[]} */
const locks = [];
/** @type {(number | undefined)[]} */
const delays = [];
const turns = () => new Promise(setImmediate);
Object.defineProperty(globalThis, "navigator", { configurable: true, value: {
  userActivation: { hasBeenActive: true },
  vibrate: (times) => tones.push(times),
  wakeLock: { request: (what) => (locks.push(what), Promise.resolve({ addEventListener: () => {}, release: () => locks.pop() })) },
} });
Object.assign(globalThis, {
  ...listens,
  document: { ...listens, createElement: () => new Piece(), getElementById: (id) => (id === "told" ? told : null), hidden: false, visibilityState: "visible",
    documentElement: { lang: "en" }, querySelector: (selector) => (selector === "#notice" ? notice : null) },
  window: { ...listens, setTimeout, speechSynthesis: true },
  speechSynthesis: { getVoices: () => voices, speak: (said) => spoken.push(said), cancel: () => {} },
  SpeechSynthesisUtterance: class { constructor(text) { this.text = text; } },
  localStorage: stored(),
  sessionStorage: stored(),
  setInterval: (act) => looks.push(act),
  setTimeout: (act, ms) => (delays.push(ms), queueMicrotask(act), 0),
  KeyboardEvent: class {},
  BroadcastChannel: class { addEventListener() {} postMessage() {} },
  EventSource: class {
    static CLOSED = 2;
    onmessage = (/** @type {{data: string}} */ _event) => {};
    constructor() { streams.push(this); }
    close() {}
    say(event) { this.onmessage({ data: JSON.stringify(event) }); }
  },
});
const event = (name, state, all = true, said = "") => ({ topic: "public", name, age: 0, made: state && [0, 1],
  pieces: { 0: JSON.stringify(state) }, anew: true, all, news: said ? [{ said }] : [] });

/** @type {(() => Promise<any>)[]} */
let answers = [];
/** @type {any[]} */
let asked = [];
const answered = (ok, said) => () => Promise.resolve({ ok, json: () => Promise.resolve(said) });
Object.assign(globalThis, { fetch: (address, { body }) => {
  asked.push([address, JSON.parse(body), location.hash]);
  return (answers.shift() ?? answered(true, {}))();
}, location: { hash: "", pathname: "/host", search: "?a" } });

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

// A page whose stream the server has ended opens another one, and so does one that was refused; what is told then stands
// for all that was told before.
time += 6000;
streams.at(-1).say({ beat: true });
for (const [here, count] of /** @type {[boolean, number][]} */ ([[true, 1], [false, 2]])) {
  answers = [answered(true, { here })];
  time += 6000;
  streams.at(-1).say({ names: [["public", "evening-1"]], stream: "one" });
  look();
  await turns();
  assert.deepEqual([asked.at(-1)?.slice(0, 2), streams.length], [["/here", { stream: "one" }], count]);
}
streams.at(-1).readyState = 2;
streams.at(-1).onerror();
await turns();
assert.equal(streams.length, 3);
streams.at(-1).say({ names: [["public", "evening-1"]], stream: "three" });
streams.at(-1).say(event("evening-1", {}, true, "Cy is here."));
const last = port();
source.take(last, ["public"]);
assert.deepEqual(last.heard[0].news.map((each) => each.said), ["Cy is here."]);

// Every page says over which hood of a simulated table somebody leans, as long as that is so.
const stream = await import("../../host/tablier/web/pages/stream.js");
let completed = 0;
stream.whenComplete(() => (completed += 1));
const evenings = new Map();
stream.listen({ public: { evening: (id, state) => evenings.set(id, state) } });
streams.at(-1).say({ names: [["public", "leaning-3"]], stream: "two" });
assert.equal(completed, 0);
streams.at(-1).say(event("leaning-3", { place: 2 }));
assert.equal(completed, 1);
assert.deepEqual(beside.map((each) => [each.textContent, each.hidden]), [["somebody_leans", false]]);
streams.at(-1).say(event("leaning-3", null));
assert(beside[0].hidden);

// Every page says that the keeper is gone or silent, and that nothing has come from the server.
for (const [state, says] of /** @type {[object, string][]} */ ([[{ here: false }, "gone"], [{ here: true, silent: "It hangs." }, "It hangs."],
  [{ here: true, silent: null }, ""]])) {
  streams.at(-1).say(event("keeper", state));
  assert.deepEqual([notice.textContent, notice.hidden], [says, !says]);
}
time += 2600;
looks[looks.length - 1]();
assert.deepEqual([notice.textContent, notice.hidden], ["lost", false]);
streams.at(-1).say({ beat: true });
assert(notice.hidden);

// A page is told what is new, not what was before it came; and what has gone while its stream was closed is gone.
stream.renew();
const names = [["public", "evening-1"], ["public", "evening-2"]];
streams.at(-1).say({ names, stream: "three" });
for (const [, name] of names) streams.at(-1).say(event(name, {}, true, "Anne was here."));
assert.equal(told.textContent, "");
streams.at(-1).say(event("evening-1", {}, false, "Bea is here."));
assert.equal(told.textContent, "Bea is here.");
stream.renew();
streams.at(-1).say({ names: names.slice(1), stream: "four" });
assert.deepEqual([...evenings.values()].map((each) => each === null), [true, false]);

// What the network has lost is asked again, and what the server has refused is not.
const lost = () => Promise.reject(new TypeError("no network"));
[asked, answers] = [[], [lost, lost, answered(true, { evening: 1 })]];
assert.deepEqual(await stream.insist("/join", {}), { evening: 1 });
assert.equal(asked.length, 3);
answers = [answered(false, { error: "The door is closed." })];
await assert.rejects(stream.insist("/join", {}), { message: "The door is closed." });
assert.equal(asked.length, 4);

// Who waits to be let in waits until somebody has decided; what the operator asks for is asked for as the operator.
const { decided } = await import("../../host/tablier/web/pages/wishing.js");
answers = [answered(true, { wish: "ee" }), answered(true, { wish: "ee" }), answered(true, { evening: 1 })];
assert.deepEqual(await decided({ wish: "ee" }, () => true), { evening: 1 });
for (const as of [undefined, "operator"]) {
  answers = [answered(true, { result: { game: 3 } })];
  assert.deepEqual(await stream.order("next", { evening: 1 }, as), { game: 3 });
  assert.deepEqual(asked.at(-1)[1], { method: "next", params: { evening: 1 }, ...(as ? { as } : {}) });
}

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
const prevented = { preventDefault: () => {} };
for (const left of ["blur", "visibilitychange", "pointerup", "pointercancel", "pointerleave", "keyup"]) {
  button.listeners.get("pointerdown")(prevented);
  assert(held);
  if (left.startsWith("pointer") || left === "keyup") button.listeners.get(left)(prevented);
  else happen(left);
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
for (const there of [true, false, true]) { // a second touch takes it back
  answering.press({ name: "card 8", nth: 0, label: "8" });
  assert.equal(shows(true), there);
}

// A move that costs much looks so; what cannot be done is said; what tells moves apart is told where nothing is secret.
const confirming = () => /** @type {any} */ (rooms.bar.with("data-key", "confirm")).className;
assert.equal(confirming(), "does first");
can[0].warns = true;
assert(shows(true));
assert.equal(confirming(), "does warns");
answering.press({ name: "card 9", nth: 0, label: "9" });
assert.equal(answering.error, "not_possible");
answering.clear();
can.push({ ...can[0], move: "throw 9", parts: [["card 9"]], deed: "Throw the 9", outcome: "It wins." });
can[0].outcome = "It loses.";
shows(true);
assert.equal(rooms.plain.all.filter((each) => each.className === "leads told").length, 0);
shows(false);
assert.equal(rooms.plain.all.filter((each) => each.className === "leads told").length, 2);

// To others who look on, a seat with a secret seems to have all that they cannot rule out.
const { seeming } = await import("../../host/tablier/web/pages/touch.js");
assert.deepEqual([...seeming([["a", "x"], ["b", "y"]], ["a"])], ["x"]);

// A question is announced once, however often its page is drawn, and only to who wishes that.
const { Signals } = await import("../../host/tablier/web/pages/signals.js");
const signals = new Signals();
signals.asked(4);
assert.equal(tones.length, 0);
localStorage.setItem("tone", "on");
for (const question of [5, 5, 6, 6]) signals.asked(question);
assert.equal(tones.length, 2);

// A screen stays awake for who wishes that.
localStorage.setItem("awake", "on");
new Signals();
assert.deepEqual(locks, ["screen"]);

// What is new is read aloud once, and a question only as long as somebody is asked.
const { Reader } = await import("../../host/tablier/web/pages/aloud.js");
const reader = new Reader();
/** @type {any} */ (reader.button).listeners.get("click")();
for (const [id, waiting] of /** @type {[number, number[]][]} */ ([[5, [1]], [5, [1]], [6, []]])) {
  reader.take(/** @type {any} */ ({ question: { id, waiting, said: `Question ${id}` } }), []);
}
assert.deepEqual(spoken.map(({ text }) => text), ["read_aloud", "Question 5"]);

// Only voices of this computer read aloud.
spoken.length = 0;
for (const localService of [false, true]) {
  voices = [{ lang: "en", localService: false }, { lang: "en", localService }];
  const reader = new Reader();
  /** @type {any} */ (reader.button).listeners.get("click")();
  assert.equal(reader.button.textContent, localService ? "silent" : "no_voice");
  reader.take({ question: null }, [{ said: "Bea has won." }]);
}
assert.deepEqual(spoken.map(({ text, voice }) => [text, voice.localService]), [["read_aloud", true], ["Bea has won.", true]]);

// What settles a second time while it settles does so for a whole moment more.
const { settle } = await import("../../host/tablier/web/pages/settling.js");
const moments = new Map();
const { clearTimeout } = globalThis;
const { setTimeout: later } = window;
Object.assign(window, { setTimeout: (act) => moments.set(moments.size + 1, act).size });
Object.assign(globalThis, { clearTimeout: (moment) => moments.delete(moment) });
const place = /** @type {any} */ (new Piece());
settle(place);
const first = moments.get(1);
settle(place);
if ([...moments.values()].includes(first)) first();
assert(place.classes.has("settling"));
Object.assign(window, { setTimeout: later });
Object.assign(globalThis, { clearTimeout });

// A press is long enough for the table to see it; who types a name presses nothing; who leaves the page leans back.
const { Fingers } = await import("../../host/tablier/web/pages/fingers.js");
/** @type {any[]} */
const acts = [];
const fingers = new Fingers({ act: async (what) => acts.push(what), chosen: () => 2, choose: () => {}, used: () => {}, pace: () => 1 });
const again = looks[looks.length - 1];
const pressed = Object.assign(new Piece(), { dataset: { place: "2", button: "b" }, closest() { return this; },
  classList: { add: () => {}, remove: () => {} } });
delays.length = 0;
happen("pointerdown", { ...prevented, target: pressed, button: 0, pointerId: 1 });
happen("pointerup", { pointerId: 1 });
await turns();
assert.deepEqual([acts, delays], [[{ verb: "hold 2 b" }, { verb: "release 2 b" }], [70]]);
acts.length = 0;
for (const [field, leans] of /** @type {[boolean, number][]} */ ([[true, 0], [false, 2]])) {
  const at = { closest: (selector) => (field && selector.startsWith("input") ? {} : null) };
  happen("keydown", { ...prevented, target: at, key: "l" });
  await turns();
  assert.equal(fingers.leans, leans);
}
again();
happen("pagehide");
assert.deepEqual(acts, [{ lean: 2 }, { lean: 2 }, { lean: 0 }]);

// Lights that were on their way when one leans over a hood end no lean; those that come when it has ended do.
/** @type {(string | undefined)[]} */
const verbs = [];
const leaning = new Fingers({
  act: async ({ verb }) => verbs.push(verb), chosen: () => 0, choose: () => {}, used: () => {}, pace: () => 100 });
await leaning.lean(1);
for (const [place, leans] of [[0, 1], [1, 1], [0, 0]]) {
  leaning.hear(place);
  assert.equal(leaning.leans, leans);
}

// A button that is held is let go of when the page loses the focus: else the table would take it for held.
verbs.length = 0;
happen("pointerdown", { ...prevented, target: pressed, button: 0, pointerId: 1 });
happen("blur");
await turns();
assert.deepEqual(verbs, ["hold 2 b", "release 2 b"]);

// Who has no device or place plays only where an organiser says so; a game that runs was not left.
const { chosen, left } = await import("../../host/tablier/web/pages/gathering.js");
const anne = { person: "aa", name: "anne", place: 0, by: "phone" };
const evening = /** @type {any} */ ({ evening: 1, here: [anne, { ...anne, person: "bb", name: "Bea", by: "" }], table: null, series: [],
  games: [{ game: 3, over: false }], game: 3, again: false, next: null, why: null });
assert.deepEqual(chosen(evening).map((each) => each.person), ["aa"]);
assert.equal(left(evening), null);
assert.equal(left({ ...evening, game: null })?.game, 3);

// A game is begun with bots that make up a number which it has at the table, where somebody sits there, and nobody's name.
const { choosing } = await import("../../host/tablier/web/pages/choosing.js");
const d21 = { name: "d21", title: "D.21", counts: [2, 3], places: [3], bots: [["good", "good"]], bot: "good" };
for (const [table, place, bots] of /** @type {[string | null, number, string[]][]} */ ([[null, 0, ["Zoe"]], ["/dev/table", 4, ["Zoe", "Yves"]]])) {
  /** @type {any} */
  let began = null;
  const room = /** @type {any} */ ({ games: [d21], spare: ["Anne", "Zoe", "Yves"], draw: () => {}, act: async (...what) => (began = what) });
  const shown = new Piece();
  choosing((_name, _state, build) => shown.replaceChildren(...build()), room, { ...evening, table, here: [{ ...anne, place }] });
  /** @type {any} */ (shown.with("id", "begin-game")).listeners.get("click")();
  assert.deepEqual(began, ["next", { evening: 1, game: "d21", only: ["anne"], others: bots.map((name) => ({ name, source: "good" })) }]);
}
