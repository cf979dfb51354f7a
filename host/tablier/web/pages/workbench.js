// What is beside the table: dice and creatures of one's own, and a workbench for authors of games.
/**
 * @import { Frame } from "./messages.d.ts"
 * @import { Act } from "./table.js"
 */
import { el } from "./dom.js";
import { say } from "./words.js";

const CREATURES = { white: 10, red: 10, blue: 10, green: 10, yellow: 10 };
const PACES = [100, 50, 25, 10];

/** Dice and creatures that no table sees: they are rolled and drawn in this browser alone. */
export function ownThings() {
  const shown = el("p", { class: "dice", role: "status" });
  const count = el("select", { "aria-label": say("count") }, Array.from({ length: 8 }, (_, at) => el("option", { value: at + 1, selected: at === 4 }, String(at + 1))));
  const roll = el("button", { onclick: () => {
    const faces = Array.from({ length: Number(count.value) }, () => chance(6) + 1);
    shown.replaceChildren(...faces.map((face) => el("span", { role: "img", "aria-label": say("die", { face }) }, String.fromCodePoint(0x267f + face))));
  } });
  const name = () => roll.replaceChildren(say("roll", { count: count.value }));
  count.addEventListener("change", name);
  name();
  let bag = full();
  const drawn = el("ul", { class: "creatures" });
  const left = el("p", { class: "soft", role: "status" });
  const tell = () => left.replaceChildren(say("left", { count: bag.length }));
  const draw = el("button", { onclick: () => {
    if (!bag.length) return;
    const [colour] = bag.splice(chance(bag.length), 1);
    drawn.append(el("li", { class: colour }, say(colour)));
    tell();
  } }, say("draw"));
  const back = el("button", { onclick: () => {
    bag = full();
    drawn.replaceChildren();
    tell();
  } }, say("put_back"));
  tell();
  return el("details", { class: "card" }, el("summary", {}, say("own_dice")), el("p", { class: "soft" }, say("own_said")),
    el("p", { class: "row" }, count, " ", roll), shown, el("p", { class: "row" }, draw, " ", back), left, drawn);
}

function full() {
  return Object.entries(CREATURES).flatMap(([colour, count]) => Array(count).fill(colour));
}

/**
 * Return a number below `most`, each as likely as the others.
 * @param {number} most
 * @returns {number}
 */
function chance(most) {
  const [drawn] = crypto.getRandomValues(new Uint32Array(1));
  return drawn < 4294967296 - (4294967296 % most) ? drawn % most : chance(most);
}

/**
 * The workbench: `act` says a request at the table; it resolves to the answer, `undefined` where that is refused.
 * @param {Act} act
 * @param {(pace: number) => void} paced
 */
export function workbench(act, paced) {
  const frames = el("ol", { class: "frames" });
  const done = el("p", { class: "soft", role: "status" });
  /** @type {(key: string, verb: string) => HTMLElement} */
  const button = (key, verb) => el("button", { onclick: async () => done.replaceChildren((await act({ verb })) ? say("done") : "") }, say(key));
  const pace = el("select", { "aria-label": say("time"), onchange: async () => {
    const answer = await act({ verb: `pace ${pace.value}` });
    if (answer) paced(answer.pace);
  } }, PACES.map((percent) => el("option", { value: percent }, say("pace", { percent }))));
  const breaks = [
    ...Array.from({ length: 8 }, (_, beam) => [`beam ${beam} 0`, say("beam", { number: beam })]),
    ...[0, 1].map((floor) => [`floor ${floor} 0`, say("floor", { number: floor })]),
    ["impact", say("impact")],
    ["chain", say("chain")],
    ...Array.from({ length: 6 }, (_, at) => [`pixel public ${at + 1}`, say("pixel", { place: at + 1 })]),
    ...Array.from({ length: 6 }, (_, at) => [`button ${at + 1} b open`, say("button", { place: at + 1 })]),
  ];
  const broken = el("select", { "aria-label": say("break") }, breaks.map(([value, name]) => el("option", { value }, name)));
  const breaking = el("button", { onclick: async () => done.replaceChildren((await act({ verb: `defect ${broken.value}` })) ? say("done") : "") }, say("break"));
  const line = el("input", { type: "checkbox", onchange: () => {
    frames.replaceChildren();
    act({ line: line.checked });
  } });
  const whole = el("details", { class: "card", id: "workbench" },
    el("summary", {}, say("workbench")),
    el("p", { class: "row" }, el("label", {}, say("time"), " ", pace)),
    el("p", { class: "row" }, button("pull", "unplug"), button("plug", "plug"), button("reset", "reset"), button("power", "power")),
    el("p", { class: "row" }, button("bump", "bump"), button("hand_over", "hand")),
    el("p", { class: "row" }, broken, breaking, button("mend", "mend")),
    el("p", { class: "row" }, button("noise", "faults drop=0.1 double=0.1 flip=0.1 cut=0.05"), button("clean", "faults")),
    done,
    el("p", { class: "row" }, el("label", {}, line, " ", say("line"))),
    el("p", { class: "soft" }, say("line_said")), frames);
  return { whole, tell: (/** @type {Frame[]} */ told) => frames.replaceChildren(...told.slice(-14).map((frame) =>
    el("li", {}, `${say(frame.from === "table" ? "from_table" : "from_host")}  ${frame.name}`))) };
}
