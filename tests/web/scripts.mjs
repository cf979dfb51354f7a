// The scripts of a seat that need no page: touching, and binding a choice. Reads cases from standard input.
import { strict as assert } from "node:assert";
import { createHash, randomBytes } from "node:crypto";
import { Bound, hex, preimage } from "../../host/tablier/web/pages/binding.js";
import { sha256 } from "../../host/tablier/web/pages/sha256.js";
import { narrow, rest, touch } from "../../host/tablier/web/pages/touch.js";

// FIPS 180-4's examples, then every length around the ends of blocks.
const text = (said) => new TextEncoder().encode(said);
for (const [said, hash] of [
  ["", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"],
  ["abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"],
  ["abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
    "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"],
  ["a".repeat(1000000), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"],
]) assert.equal(hex(sha256(text(said))), hash);
for (let length = 0; length < 200; length += 1) {
  const bytes = randomBytes(length);
  assert.equal(hex(sha256(bytes)), createHash("sha256").update(bytes).digest("hex"));
}

// The protocol's example of a commitment.
const bind = { board: "0000000000000000", boot: "0123456789abcdef", place: 0 };
const nonce = Uint8Array.from({ length: 16 }, (_, at) => at);
assert.equal(hex(sha256(preimage(bind, 258, 2, nonce, 1))),
  "fddb246805ec08601b1694da08e784a8440b190f8f4a336f41b7924effed7254");
const placed = { ...bind, board: "0001020304050607", place: 3 }; // as the host computes it
assert.equal(hex(sha256(preimage(placed, 258, 2, nonce, 1))),
  "dd837f641e687ae80d69d13da42bd4bd7e527b10749e75b3b5f146be04f607f8");

// As much of a browser as the scripts below need.
const heard = new Map();
const listens = { addEventListener: (name, act) => heard.set(name, act) };
/** An element of which only what is set matters. */
const element = () => ({ ...listens, classes: new Set(), dataset: {}, textContent: /** @type {string | undefined} */ (undefined), append: () => {}, after: () => {}, setAttribute: () => {},
  get classList() { return { add: (name) => this.classes.add(name), remove: (name) => this.classes.delete(name) }; } });
const told = element();
const kept = new Map();
const spoken = [];
const streams = [];
let voices = [];
Object.defineProperty(globalThis, "navigator", { value: { userActivation: { hasBeenActive: true } }, configurable: true });
Object.assign(globalThis, listens, {
  document: { ...listens, querySelector: () => null, createElement: element, visibilityState: "visible", documentElement: { lang: "en" },
    getElementById: (id) => (id === "told" ? told : null) },
  window: { ...listens, speechSynthesis: true, setTimeout },
  sessionStorage: { getItem: (key) => kept.get(key) ?? null, setItem: (key, value) => kept.set(key, value) },
  speechSynthesis: { getVoices: () => voices, speak: (said) => spoken.push(said), cancel: () => {} },
  SpeechSynthesisUtterance: class { constructor(text) { this.text = text; } },
  BroadcastChannel: class { addEventListener() {} postMessage() {} },
  EventSource: class {
    /** @type {(event: {data: string}) => void} */
    onmessage = () => {};
    constructor() { streams.push(this); }
    close() {}
    say(event) { this.onmessage({ data: JSON.stringify(event) }); }
  },
});
const { setInterval, clearTimeout } = globalThis;
Object.assign(globalThis, { setInterval: () => 0 });

// Lights that were on their way when one leans over a hood end no lean; those that come when it has ended do.
const { Fingers } = await import("../../host/tablier/web/pages/fingers.js");
const verbs = [];
const fingers = new Fingers({
  act: async ({ verb }) => verbs.push(verb), chosen: () => 0, choose: () => {}, used: () => {}, pace: () => 100 });
await fingers.lean(1);
for (const [place, leans] of [[0, 1], [1, 1], [0, 0]]) {
  fingers.hear(place);
  assert.equal(fingers.leans, leans);
}

// A button that is held is let go of when the page loses the focus: else the table would take it for held.
const held = { ...element(), dataset: { place: "2", button: "b" }, closest() { return this; } };
verbs.length = 0;
heard.get("pointerdown")({ target: held, button: 0, pointerId: 1, preventDefault: () => {} });
heard.get("blur")();
await new Promise((go) => setTimeout(go, 20));
assert.deepEqual(verbs, ["hold 2 b", "release 2 b"]);

// Only voices of this computer read aloud.
const { Reader } = await import("../../host/tablier/web/pages/aloud.js");
for (const localService of [false, true]) {
  voices = [{ lang: "en", localService: false }, { lang: "en", localService }];
  const reader = new Reader();
  heard.get("click")();
  assert.equal(reader.button.textContent, localService ? "silent" : "no_voice");
  reader.take({ question: null }, [{ said: "Bea has won." }]);
}
assert.deepEqual(spoken.map(({ text, voice }) => [text, voice.localService]), [["read_aloud", true], ["Bea has won.", true]]);

// What settles a second time while it settles does so for a whole moment more.
const { settle } = await import("../../host/tablier/web/pages/settling.js");
const moments = new Map();
Object.assign(globalThis.window, { setTimeout: (act) => moments.set(moments.size + 1, act).size });
Object.assign(globalThis, { clearTimeout: (moment) => moments.delete(moment) });
const place = /** @type {any} */ (element()); // as much of one as settles
settle(place);
const first = moments.get(1);
settle(place);
if ([...moments.values()].includes(first)) first();
assert(place.classes.has("settling"));
Object.assign(globalThis.window, { setTimeout });
Object.assign(globalThis, { clearTimeout });

// A page is told what is new, not what was before it came; and what has gone while its stream was closed is gone.
const stream = await import("../../host/tablier/web/pages/stream.js");
const evenings = new Map();
stream.listen({ public: { evening: (id, state) => evenings.set(id, state) } });
const names = [["public", "evening-1"], ["public", "evening-2"]];
const state = { age: 0, made: [0, 1], pieces: { 0: "{}" }, anew: true };
const event = (name, all, said) => ({ ...state, topic: "public", name, all, news: [{ said }] });
streams.at(-1).say({ names, stream: "one" });
for (const [, name] of names) streams.at(-1).say(event(name, true, "Anne was here."));
assert.equal(told.textContent, undefined);
streams.at(-1).say(event("evening-1", false, "Bea is here."));
assert.equal(told.textContent, "Bea is here.");
stream.renew();
streams.at(-1).say({ names: names.slice(1), stream: "two" });
assert.deepEqual([...evenings.values()].map((each) => each === null), [true, false]);
globalThis.setInterval = setInterval;

// A tab that is loaded anew is bound as before, and opens what it was bound to; another question begins anew.
const store = new Map();
const storage = { getItem: (key) => store.get(key) ?? null, setItem: (key, value) => store.set(key, value),
  removeItem: (key) => store.delete(key) };
const question = 258;
const locked = await new Bound(storage).lock(1, 2, question, bind, 1);
assert.deepEqual(await new Bound(storage).lock(1, 2, question, bind, 0), locked);
const opened = new Bound(storage).opening(1, 2, question);
assert(opened);
const bytes = Uint8Array.from(opened.nonce.match(/../g) ?? [], (pair) => parseInt(pair, 16));
assert.equal(hex(sha256(preimage(bind, 258, 2, bytes, opened.choice))), locked.commitment);
assert.equal(opened.choice, 1);
const other = new Map();
const elsewhere = { ...storage, getItem: (key) => other.get(key) ?? null, setItem: (key, value) => other.set(key, value) };
assert.notEqual((await new Bound(elsewhere).lock(1, 2, question, bind, 1)).commitment, locked.commitment);
new Bound(storage).forget(1, 2, 259);
assert.equal(new Bound(storage).opening(1, 2, question), null);

// Groups are touched one after another, the parts of one in any order.
assert.deepEqual(rest([["K", "A"], ["Q"]], ["A"]), [["K"], ["Q"]]);
assert.equal(rest([["K", "A"], ["Q"]], ["Q"]), null);
assert.equal(rest([["K"]], ["K", "K"]), null);

// Every move of every case is said by its parts, and touching never offers what leads nowhere.
let moves = 0;
process.stdin.setEncoding("utf8");
let given = "";
for await (const part of process.stdin) given += part;
for (const can of JSON.parse(given)) {
  for (const { move, parts } of can) {
    let touched = /** @type {string[] | null} */ ([]);
    for (const part of parts.flat()) {
      assert(touched && narrow(can, touched).offered.has(part), `${part} of ${move}`);
      touched = touch(can, touched, part);
    }
    assert(touched, move);
    assert.equal(narrow(can, touched).move?.move, move);
    moves += 1;
  }
  for (const part of narrow(can, []).offered) assert(narrow(can, [part]).left.length);
}
console.log(moves);
