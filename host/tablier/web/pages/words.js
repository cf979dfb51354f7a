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
  return template.replace(/\{(\w+)\}/g, (whole, name) => (name in args ? String(args[name]) : whole));
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
