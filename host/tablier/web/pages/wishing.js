// Wishes to be let in, and what comes of them.
import { ask, insist } from "./stream.js";
import { say } from "./words.js";

/**
 * Wait until somebody has decided; return the answer, nothing where it is waited for no longer.
 * @param {object} wish what is asked for again and again
 * @param {() => boolean} still
 */
export async function decided(wish, still) {
  while (still()) {
    const answer = await insist("/join", wish, still);
    if (answer && !answer.wish) return answer;
  }
}

/** Ask that this screen may show the code; return the wish. */
export const askScreen = () => ask("/join", { screen: say("a_screen") });
