// Coming in: the code, which is scanned or typed, then who one is. Three touches from the scan.
/** @import { EveningState } from "./messages.d.ts" */
import { el, one, reason } from "./dom.js";
import { settle } from "./settling.js";
import { ask, enter, insist, listen, renew } from "./stream.js";
import { askScreen, decided } from "./wishing.js";
import { listed, named, say } from "./words.js";

/** The most names shown at once; of more, those that fit what is typed. */
const SHOWN = 12;
const LETTERS = 4;
/** What follows where the page came without https from another machine. */
const unprotected = () => isSecureContext ? null : el("p", { class: "soft unprotected" }, say("unprotected"));
const room = one("#join");
const wrong = el("p", { class: "hot", role: "alert" });
/** By number: the evenings in which this browser is. */
const evenings = /** @type {Map<string, EveningState>} */ (new Map());
let code = "";
let also = false;
/** Counts what is shown, so that a late answer does not come back to what was left. */
let step = 0;

/**
 * @param {string} title
 * @param {...(HTMLElement | null)} children
 */
function show(title, ...children) {
  step += 1;
  wrong.textContent = "";
  room.replaceChildren(el("h2", { id: "asks" }, title), ...children.filter((each) => each !== null), wrong);
  settle(room);
}

/**
 * Carry out what a person wants; say what is wrong with it.
 * @param {() => Promise<void>} act
 */
async function tried(act) {
  const at = step;
  wrong.textContent = "";
  try {
    await act();
  } catch (failed) {
    if (at === step) wrong.textContent = reason(failed);
  }
}

// -- the code ------------------------------------------------------------------------------------------------------

/** Ask for the code. Its last letter sends it: a button would be gone before the finger that goes to it arrives. */
function askCode() {
  const letters = el("input", { id: "code", autocomplete: "off", autocapitalize: "characters", spellcheck: "false",
    maxlength: 12, "aria-labelledby": "asks", required: true, oninput: () => typed().length === LETTERS && go() });
  const typed = () => letters.value.replace(/[^a-z]/gi, "").toUpperCase();
  const go = () => tried(() => take(typed()));
  show(say("which_code"),
    el("form", { onsubmit: (/** @type {Event} */ event) => {
      event.preventDefault();
      go();
    } }, letters), others(), unprotected());
  letters.focus();
}

/** What one can do here without being anybody. */
function others() {
  return el("div", { class: "others" }, el("a", { class: "button", id: "watch", href: "/" }, say("only_watch")),
    el("button", { id: "screen", onclick: () => tried(wishScreen) }, say("for_all")),
    el("p", { class: "soft" }, say("for_all_said")));
}

/** @param {string} letters */
async function take(letters) {
  const at = step;
  const known = await ask("/known", { code: letters });
  if (!also && inside(letters)) location.replace("/seat");
  if (at !== step) return;
  code = letters;
  askName(known.people);
}

/** @param {string} letters */
const inside = (letters) => [...evenings.values()].some((each) => named(each).length && each.inside?.code === letters);

// -- who one is ----------------------------------------------------------------------------------------------------

/** @param {{name: string, here: boolean}[]} people */
function askName(people) {
  const sorted = [...people].sort((one, other) => Number(other.here) - Number(one.here));
  const names = el("div", { class: "names" });
  const called = say(people.length ? "another_name" : "name");
  const draw = () => {
    const typed = name.value.trim().toLowerCase();
    const fit = sorted.filter((each) => each.name.toLowerCase().includes(typed)).slice(0, SHOWN);
    names.replaceChildren(...fit.map((each) =>
      el("button", { class: "name", onclick: () => tried(() => come(each.name)) }, each.name)));
  };
  const name = el("input", { id: "name", autocomplete: "off", maxlength: 40, "aria-label": called, placeholder: called,
    required: true, oninput: draw });
  show(say("who"), names,
    el("form", { onsubmit: (/** @type {Event} */ event) => {
      event.preventDefault();
      tried(() => come(name.value));
    } }, name, " ", el("button", { class: "first" }, say("come_in"))),
    el("div", { class: "others" }, el("a", { class: "button", id: "watch", href: "/" }, say("only_watch")),
      el("button", { onclick: askCode }, say("other_code"))), unprotected());
  draw();
  if (!people.length) name.focus();
}

/** @param {string} name */
async function come(name) {
  const at = step;
  const once = [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  const answer = await insist("/join", also ? { code, name, once, also } : { code, name, once }, () => at === step);
  if (at !== step) return;
  if (answer.wish) await wait(answer.wish, say("asked", { name }), "/seat");
  else arrive("/seat");
}

async function wishScreen() {
  const { wish } = await askScreen();
  await wait(wish, say("asked_screen"), "/");
}

/**
 * Wait until somebody has decided.
 * @param {string} wish
 * @param {string} said
 * @param {string} then the page that follows
 */
async function wait(wish, said, then) {
  show(say("waits"), el("p", { role: "status" }, said), el("button", { id: "leave", onclick: begin }, say("leave_it")));
  const at = step;
  await tried(async () => {
    if (await decided(also ? { wish, also } : { wish }, () => at === step) && at === step) arrive(then);
  });
}

/** @param {string} page */
function arrive(page) {
  code = ""; // what the stream says now would lead there a second time
  renew(); // other tabs
  location.assign(page);
}

// -- who is in -----------------------------------------------------------------------------------------------------

function begin() {
  also = false;
  const names = [...evenings.values()].filter((each) => !each.ended).flatMap(named);
  if (!names.length) {
    askCode();
    return;
  }
  show(say("is_in", { names: listed(names) }), el("p", {}, el("a", { class: "button first", href: "/seat" }, say("to_seat"))),
    el("div", { class: "others" }, el("button", { onclick: () => {
      also = true;
      askCode();
    } }, say("another_one"))));
}

async function start() {
  const scanned = location.hash.slice(1);
  if (/^[a-z]{4}$/i.test(scanned)) {
    history.replaceState(null, "", location.pathname);
    begin();
    await tried(() => take(scanned.toUpperCase()));
    return;
  }
  begin();
  await tried(async () => {
    const entered = await enter();
    if (entered) arrive(entered.person ? "/seat" : "/");
  });
}

listen({
  mine: {
    evening(id, state) {
      const before = evenings.size;
      if (state && named(state).length) evenings.set(id, state);
      else evenings.delete(id);
      if (also) return;
      if (code && inside(code)) location.replace("/seat"); // who scans the code again is simply there
      else if (!before && evenings.size && room.querySelector("#code")) begin(); // it was not known yet
    },
  },
});
addEventListener("hashchange", start);
start();
