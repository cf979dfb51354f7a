// A game of the log, move by move: the slider, the arrow keys, and a touch on a line of its story.
import { change } from "./changing.js";
import { all, el, one, picture, reason, target } from "./dom.js";
import { say } from "./words.js";

const game = one("#game");
const number = Number(game.dataset.game);
const last = Number(game.dataset.last);
const shown = one("#shown .board");
const slider = /** @type {HTMLInputElement} */ (one("#slider"));
const where = one("#where");
const chooser = /** @type {HTMLSelectElement | null} */ (one("#seat"));
const notes = one("#notes");
const story = one("#story");
/** Where a picture made for paper would have letters that nobody can read: a phone's own is shown. */
const small = matchMedia("(max-width: 60rem), (max-height: 40rem)");
const notice = one("#notice");
const title = one("h1").textContent;
const boards = new Map();
let at = Number(game.dataset.at);
let fetching = false;

function seat() {
  return chooser?.value ?? "";
}

/** @param {number} move */
function query(move) {
  return `?move=${move}${seat() ? `&seat=${seat()}` : ""}`;
}

/** @param {number} to */
function go(to) {
  at = Math.max(0, Math.min(last, to));
  slider.value = String(at);
  slider.setAttribute("aria-valuetext", say("where", { at, last }));
  where.textContent = say("where", { at, last });
  history.replaceState(null, "", query(at));
  const links = { first: 0, back: Math.max(0, at - 1), on: Math.min(last, at + 1), last };
  for (const [name, move] of Object.entries(links)) {
    /** @type {HTMLAnchorElement} */ (one(`#${name}`)).href = query(move);
  }
  mark();
  show();
}

/** Mark the move in the story and on the curve. */
function mark() {
  for (const marker of all(".marker")) {
    const x = Number(marker.dataset.from) + (Number(marker.dataset.wide) * at) / Math.max(1, last);
    marker.setAttribute("x1", String(x));
    marker.setAttribute("x2", String(x));
  }
  story.querySelector("[aria-current]")?.removeAttribute("aria-current");
  const line = /** @type {HTMLElement | null} */ (story.querySelector(`li[data-at="${at}"]`));
  if (!line) {
    if (at === 0) story.scrollTop = 0;
    return;
  }
  line.setAttribute("aria-current", "step");
  const room = story.clientHeight;
  if (line.offsetTop < story.scrollTop || line.offsetTop + line.offsetHeight > story.scrollTop + room) {
    story.scrollTop = line.offsetTop - room / 2;
  }
}

/** Show the board of the move; one is fetched at a time, and who slides on is shown where the slider is then. */
async function show() {
  const key = `${query(at)}${small.matches ? "&for=phone" : ""}`;
  const kept = boards.get(key);
  if (kept) {
    change(shown, ...picture(kept.board, kept.reading, `${title}. ${say("where", { at, last })}`));
    notes.hidden = !small.matches;
    notes.replaceChildren(...(kept.hand ? [el("div", { class: "board" }, picture(kept.hand, "", "")[0])] : []),
      ...(kept.beside ?? []).map((/** @type {string} */ said) => el("p", {}, said)));
    return;
  }
  if (fetching) return;
  fetching = true;
  try {
    const response = await fetch(`/log/game/${number}/board${key}`);
    if (!response.ok) throw new Error(await response.text());
    boards.set(key, await response.json());
    if (boards.size > 300) boards.delete(boards.keys().next().value);
    notice.hidden = true;
  } catch (error) {
    notice.textContent = error instanceof TypeError ? say("lost") : reason(error);
    notice.hidden = false;
    setTimeout(show, 2000);
    return;
  } finally {
    fetching = false;
  }
  show();
}

slider.addEventListener("input", () => go(Number(slider.value)));
chooser?.addEventListener("change", () => go(at));
const moves = { first: () => 0, back: () => at - 1, on: () => at + 1, last: () => last };
for (const [name, move] of Object.entries(moves)) {
  one(`#${name}`).addEventListener("click", (event) => {
    event.preventDefault();
    go(move());
  });
}
story.addEventListener("click", (event) => {
  const line = /** @type {HTMLElement | null} */ (target(event).closest("[data-move]"));
  if (!line) return;
  event.preventDefault();
  go(Number(line.dataset.move));
});
small.addEventListener("change", show);
document.addEventListener("keydown", (event) => {
  if (target(event).matches("input, select, textarea") || event.ctrlKey || event.altKey || event.metaKey) return;
  /** @type {Record<string, number>} */
  const keys = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: last };
  const move = keys[event.key];
  if (move === undefined) return;
  event.preventDefault();
  go(move);
});
mark();
if (small.matches) show();
