// The words that a page was given, and what a reader is shown: sentences of the server, names filled in.
const given = /** @type {HTMLMetaElement | null} */ (document.querySelector('meta[name="words"]'));
const words = given ? JSON.parse(given.content) : {};

/**
 * Return a sentence of the page's catalogue with its arguments filled in.
 * @param {string} key
 * @param {Record<string, any>} args
 * @returns {string}
 */
export function say(key, args = {}) {
  /** @type {string} */
  const template = words[key] ?? key;
  return template.replace(/(?:([^\s(«“{}]+) )?\{(\w+)\}/g, (whole, before, name) => {
    if (!(name in args)) return whole;
    const value = String(args[name]);
    if (before === undefined) return value;
    return attach(before, value);
  });
}

/** The words that lose their last letter before a vowel, as de and que in French. */
const elided = new Set((words.elided ?? "").split(" "));
/** Two words, and the one that they become: "de le" is "du". */
const merged = new Map([...(words.merged ?? "").matchAll(/(\S+ \S+)=(\S+)/g)].map(([, two, one]) => [two, one]));

/**
 * Return a word with what is said after it.
 * @param {string} before
 * @param {string} value
 */
function attach(before, value) {
  const last = before.toLowerCase();
  if (elided.has(last) && beginsWithVowel(value)) return `${before.slice(0, -1)}’${value}`;
  const at = value.indexOf(" ");
  const one = at > 0 ? merged.get(`${last} ${value.slice(0, at)}`) : undefined;
  if (one === undefined) return `${before} ${value}`;
  return (before[0] === last[0] ? one : one[0].toUpperCase() + one.slice(1)) + value.slice(at);
}

/**
 * Return whether a word begins with a vowel or a mute h, as the host has it: Hans and Heidi do not.
 * @param {string} word
 */
function beginsWithVowel(word) {
  if (!/^\p{L}/u.test(word)) return false;
  const bare = word.slice(0, 12).normalize("NFD").toLowerCase().replace(/\P{L}/gu, "");
  if (bare.startsWith("h")) return !/^h(?:a|ei|ib|il|ol|ou|ui)/.test(bare) || /^h(?:abi|adr)/.test(bare);
  return /^(?:y[^aeiouœæ]|[aeiouœæ])/.test(bare) && !/^(?:onz|oui)/.test(bare);
}

/**
 * Return "a, b and c".
 * @param {string[]} items
 */
export function listed(items) {
  return items.reduce((some, next, at) =>
    at === 0 ? next : say(at === items.length - 1 ? "and" : "comma", { some, next, last: next }), "");
}

/**
 * Return "a, b or c".
 * @param {string[]} items
 */
export function either(items) {
  return items.reduce((some, next, at) =>
    at === 0 ? next : say(at === items.length - 1 ? "or" : "comma", { some, next, last: next }), "");
}

/**
 * Return the names of those whom this browser is in an evening.
 * @param {import("./messages.d.ts").EveningState} evening
 */
export const named = ({ here, you = [] }) => here.filter((each) => you.includes(each.person)).map((each) => each.name);
