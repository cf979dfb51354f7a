// What a seat is asked, whose turn it is, and how its game has ended.
/** @import { GameState } from "./messages.d.ts" */
import { el } from "./dom.js";
import { say } from "./words.js";

let askedFor = "";

/**
 * Show it, if it is anything else than before: a reader is not told the same again. `id` is that of the question that
 * waits for an answer from here.
 * @param {HTMLElement} room
 * @param {GameState & {at: number, viewer: number}} state
 * @param {number | undefined} id
 * @param {string} [aim] of the game, while it begins
 */
export function ask(room, state, id, aim = "") {
  const { question, over } = state;
  const what = over ? over.headline : (state.ended ?? state.turn.said);
  const you = state.seats[state.viewer - 1].name;
  const key = JSON.stringify([what, question?.id, question?.said, id, over, you, aim]);
  room.dataset.question = String(id ?? "");
  if (key === askedFor) return;
  askedFor = key;
  const level = over?.scores.every((each) => each.rank === 1 && !each.won); // a draw has no ranks
  const rows = over && [...over.scores].sort((one, other) => one.rank - other.rank).map((each) =>
    el("li", { class: each.won ? "won" : "" }, `${level ? "" : `${each.rank}. `}${say("score", each)}${each.won ? " ★" : ""}`));
  const left = question?.left === null || question?.left === undefined ? null : countdown(state.at + question.left * 1000);
  room.className = id ? "asked mine" : over ? "asked over" : "asked";
  const told = question && !over && state.ended === undefined && (question.mine || !state.turn.whose); // what others are asked is theirs
  room.replaceChildren(...[el("div", { class: "head" }, el("p", { class: "you" }, say("you", { name: you })), el("p", { class: "what" }, what)),
    told ? el("p", {}, question.said) : null,
    aim ? el("p", { class: "aim" }, say("aim", { aim })) : null,
    state.turn.whose === "opening" && question?.mine ? el("p", {}, say("keep_open")) : null,
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
