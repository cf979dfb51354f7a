// How a card falls that is thrown by a drag: from where it is let go, and how fast, in millimetres and seconds. The
// middle of the tray is 0, 0; y is downwards, as on the page.

/**
 * @typedef {[number, number]} Point
 * @typedef {{tray: number, deck: number, cover: number, card: Point}} Sizes of tray, deck and card, and of the covers' far
 *   ends
 */

const FLIGHT_S = 0.16;
/** Faster than this, in mm/s, a card that comes down in the tray strikes its far wall and stays leaning there. */
const TOO_FAST = 1500;

/**
 * Return where a card comes down that is let go at `at` with the speed `speed`.
 * @param {Point} at
 * @param {Point} speed
 * @returns {Point}
 */
export function landing(at, speed) {
  return [at[0] + speed[0] * FLIGHT_S, at[1] + speed[1] * FLIGHT_S];
}

/**
 * Return how it lies then: "flat", "leaning", "rim" or "outside".
 * @param {Point} at
 * @param {Point} speed
 * @param {Sizes} sizes
 */
export function fall(at, speed, sizes) {
  const [x, y] = landing(at, speed);
  const far = Math.max(Math.abs(x), Math.abs(y));
  const tray = sizes.tray / 2;
  if (far > sizes.cover) return "outside";
  if (far > tray) return "rim";
  const room = tray - sizes.card[0] / 2; // with its middle farther out, it lies against a wall
  return far > room || Math.hypot(...speed) > TOO_FAST ? "leaning" : "flat";
}

/**
 * Return how a card is drawn that lies so: its middle, its turn in degrees, and how long it looks, by a share.
 * @param {string} how
 * @param {Point | undefined} at
 * @param {string} seed
 * @param {Sizes} sizes
 */
export function pose(how, at, seed, sizes) {
  const chance = scatter(seed);
  const tray = sizes.tray / 2;
  const room = tray - sizes.card[0] / 2;
  let [x, y] = at ?? [(chance() - 0.5) * room, (chance() - 0.5) * room];
  let turn = (chance() - 0.5) * 60;
  if (how === "flat") return { x: clamp(x, room), y: clamp(y, room), turn, share: 1 };
  // Against the wall that it is nearest to, with its long side up that wall.
  const wall = at && Math.hypot(x, y) > 1 ? nearest(x, y) : Math.floor(chance() * 4);
  const out = how === "leaning" ? tray - 14 : how === "rim" ? tray + 18 : sizes.deck / 2 - 32;
  const along = clamp((wall % 2 ? y : x) || (chance() - 0.5) * 60, how === "outside" ? 110 : room);
  [x, y] = [[along, -out], [out, along], [along, out], [-out, along]][wall];
  turn = (wall % 2 ? 90 : 0) + (chance() - 0.5) * 16;
  return { x, y, turn, share: how === "leaning" ? 0.4 : how === "rim" ? 0.8 : 1 };
}

/**
 * @param {number} value
 * @param {number} most
 */
function clamp(value, most) {
  return Math.max(-most, Math.min(most, value));
}

/**
 * Return the wall in whose direction a point lies: 0 north, then clockwise.
 * @param {number} x
 * @param {number} y
 */
function nearest(x, y) {
  if (Math.abs(x) > Math.abs(y)) return x > 0 ? 1 : 3;
  return y > 0 ? 2 : 0;
}

/**
 * Return chance that is the same for the same seed, so that a card lies alike in all browsers.
 * @param {string} seed
 */
function scatter(seed) {
  let state = 2166136261;
  for (const letter of String(seed)) state = Math.imul(state ^ letter.charCodeAt(0), 16777619);
  return () => {
    state = Math.imul(state ^ (state >>> 15), 2246822507) + 0x6d2b79f5;
    return ((state ^ (state >>> 13)) >>> 0) / 4294967296;
  };
}
