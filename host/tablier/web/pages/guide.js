// What is to be done at the place before the reader: in the words of its game's sheet, beside the buttons.
/** @import { GameState, QuestionState, SeatState } from "./messages.d.ts" */
import { el } from "./dom.js";
import { say } from "./words.js";

/** @typedef {Record<string, {aim: string, turn: string, lines: Record<string, string>}>} Sheets by game: its aim, a turn, and by phrase how it is answered */

/** A second sign beside the colour of each option of a choice. */
export const SIGNS = ["○", "✕", "△"];
/** Questions whose answer is under the hood. */
const UNDER_HOOD = new Set(["menu", "tally", "choice"]);

/**
 * Return what an awaited place does now.
 * @param {Sheets} sheets
 * @param {string[]} colours of options, as the table shows them
 * @param {GameState} state
 * @param {QuestionState} question
 */
export function doing(sheets, colours, state, question) {
  const found = [];
  if (question.kind === "window") found.push(el("p", {}, say("drag")));
  if (UNDER_HOOD.has(question.kind)) found.push(el("p", {}, say("lean_over")));
  if (question.kind === "choice") {
    const options = (question.options ?? []).map((option, at) => el("span", { class: "meant" },
      el("span", { class: "dot", "data-colour": colours[at] }), ` ${SIGNS[at]} ${named(option)}`));
    return [...found, el("p", { class: "row" }, options), el("p", {}, say("choice_lights"))];
  }
  const { note, keys } = answered(sheets[state.rules]?.lines ?? {}, question.said);
  const walked = question.kind === "menu" ? [say("turned"), ...keys] : keys;
  if (walked.length) found.push(el("ul", { class: "keys" }, walked.map((each) => {
    const at = each.indexOf(": ");
    return el("li", {}, el("b", {}, each.slice(0, at)), each.slice(at));
  })));
  if (note) found.push(el("p", { class: "soft" }, note));
  return found;
}

/**
 * Return how a question is answered, by the line of the sheet with the longest phrase in it.
 * @param {Record<string, string>} lines
 * @param {string} said
 */
function answered(lines, said) {
  const phrase = Object.keys(lines).filter((each) => said.includes(each)).sort((one, other) => other.length - one.length)[0];
  const [, note, keys] = /^(?:\((.*?)\) ?)?(.*)$/s.exec(phrase ? lines[phrase] : "") ?? ["", "", ""];
  return { note, keys: keys ? keys.split(" · ") : [] };
}

/**
 * Return an option of a choice in a word: without its verb.
 * @param {string} option
 */
export const named = (option) => option.split(" ").slice(-1)[0];

/**
 * Return which option a light under the hood stands for, by its colour whatever its brightness; -1: none.
 * @param {string[]} colours
 * @param {string} light
 */
export function meant(colours, light) {
  const parts = channels(light);
  const most = Math.max(...parts);
  if (most < 8) return -1;
  if (!colours.length) return -1;
  const far = colours.map((colour) => {
    const full = channels(colour);
    return full.reduce((sum, channel, at) => sum + Math.abs(channel / Math.max(...full) - parts[at] / most), 0);
  });
  const nearest = far.indexOf(Math.min(...far));
  return far[nearest] < 0.4 ? nearest : -1;
}

/** @param {string} colour */
const channels = (colour) => [0, 2, 4].map((at) => parseInt(colour.slice(at, at + 2), 16));

/**
 * Return the seats that are awaited.
 * @param {GameState} state
 * @returns {(SeatState & {number: number})[]}
 */
export const awaited = (state) => (state.question?.waiting ?? []).map((number) => ({ number, ...state.seats[number - 1] }));
