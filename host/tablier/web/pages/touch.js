// Touching parts of a drawing narrows the moves that are possible, until one is left.
/** @import { Can } from "./messages.d.ts" */

/**
 * Return the groups of parts that are left of a move after some touches, `null` where they do not begin it. Groups are
 * touched one after another, the parts of a group in any order.
 * @param {string[][]} parts
 * @param {string[]} touched
 */
export function rest(parts, touched) {
  const groups = parts.map((group) => [...group]);
  let at = 0;
  for (const part of touched) {
    while (at < groups.length && groups[at].length === 0) at += 1;
    const found = at < groups.length ? groups[at].indexOf(part) : -1;
    if (found < 0) return null;
    groups[at].splice(found, 1);
  }
  return groups.filter((group) => group.length);
}

/**
 * Return what touches come to: `left`, the moves that begin so; `offered`, the parts that can be touched next; `move`,
 * the move that is said by them, `null` while more than one is left and none is whole; `what`, the things to touch next; `then`,
 * those after it, where all moves that are left have the same; `later`, the parts that are touched after the next.
 * @param {Can[]} can
 * @param {string[]} touched
 * @param {string[][]} ways what the groups of moves are
 */
export function narrow(can, touched, ways = []) {
  /** @type {Can[]} */
  const left = [];
  /** @type {Set<string>} */
  const offered = new Set();
  /** @type {Set<string>} */
  const later = new Set();
  /** @type {Set<string>} */
  const what = new Set();
  /** @type {Can | null} */
  let whole = null;
  /** @type {Set<string>} */
  const rests = new Set();
  for (const each of can) {
    const groups = rest(each.parts, touched);
    if (groups === null) continue;
    left.push(each);
    if (groups.length) {
      for (const part of groups[0]) offered.add(part);
      for (const part of groups.slice(1).flat()) later.add(part);
      const nouns = ways[each.way];
      if (!nouns) continue;
      const noun = nouns[each.parts.length - groups.length];
      if (noun) what.add(noun);
      rests.add(JSON.stringify(nouns.slice(each.parts.length - groups.length + 1)));
    } else if (touched.length) whole = each;
  }
  /** @type {string[]} */
  const nouns = rests.size === 1 ? JSON.parse([...rests][0]) : [];
  const then = nouns.filter((/** @type {string} */ noun, /** @type {number} */ at) => noun !== (nouns[at - 1] ?? [...what][0])); // the next pawn, once
  return { left, offered, later, what, then, move: whole ?? (left.length === 1 ? left[0] : null) };
}

/**
 * Return the parts that can be touched next as far as others know: they are marked like those that can be.
 * @param {string[][]} seem
 * @param {string[]} touched
 */
export function seeming(seem, touched) {
  const begun = seem.filter((path) => touched.every((part, at) => path[at] === part));
  return new Set(begun.flatMap((path) => path.slice(touched.length, touched.length + 1)));
}

/**
 * Return the touches after one more: a part that can be touched now, or could have been before, in place of what came
 * after it. `null` where it is no part of any move.
 * @param {Can[]} can
 * @param {string[]} touched
 * @param {string} part
 */
export function touch(can, touched, part) {
  for (let kept = touched.length; kept >= 0; kept -= 1) {
    const before = touched.slice(0, kept);
    if (narrow(can, before).offered.has(part)) return [...before, part];
  }
  return null;
}
