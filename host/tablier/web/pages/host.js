// For the operator: codes with which phones join, and games that are played on phones alone.
/** @import { CodeState, JoinState, ListState } from "./messages.d.ts" */
import { el, one, reason } from "./dom.js";
import { order, ask } from "./stream.js";
import { say } from "./words.js";

/**
 * Fill a room of the page; return what is to be told: the `list` of open games, the `codes` that hold.
 * @param {HTMLElement} room
 */
export function host(room) {
  const games = el("div");
  const code = el("div", { class: "codes" });
  const wrong = el("p", { class: "hot", role: "alert" });
  const choices = [.../** @type {HTMLTemplateElement} */ (one("#games")).content.children].map((each) => each.cloneNode(true));
  const game = el("select", { id: "game" }, choices);
  const names = el("input", { id: "names", placeholder: "Anne, Bernard, Christine", maxlength: 200 });
  /** @type {Map<string, CodeState>} */
  const own = new Map();
  /** @type {Set<string>} */
  const known = new Set();

  const tell = async (/** @type {() => Promise<void>} */ act) => {
    wrong.textContent = "";
    try {
      await act();
    } catch (failed) {
      wrong.textContent = reason(failed);
    }
  };

  /** @type {(number: number, seat: number) => Promise<void>} */
  const make = (number, seat) => tell(async () => show(await ask("/code", { game: number, seat })));

  /** @param {CodeState} told */
  function show(told) {
    own.set(`${told.game}-${told.seat}`, told);
    const cards = [...own.values()].map((each) => el("figure", {}, each.qr ? el("img", { src: each.qr, alt: say("qr", { address: each.address }) }) : null,
      el("figcaption", {}, el("strong", {}, each.name), " ", el("code", {}, each.code))));
    code.replaceChildren(...cards, told.qr ? "" : el("p", { class: "soft" }, say("no_phones")));
  }

  const begin = () => tell(async () => {
    const people = names.value.split(",").map((each) => each.trim()).filter(Boolean);
    const seats = people.map((name) => ({ name, source: "screen" }));
    const begun = await order("play", { game: game.value, seats }, "operator");
    await ask("/table", { game: begun.game, begin: true });
    own.clear();
    const left = Object.keys(begun.keys).filter((seat) => !begun.passed.includes(Number(seat)));
    for (const seat of left) show(await ask("/code", { game: begun.game, seat: Number(seat) }));
  });

  room.replaceChildren(el("h2", {}, say("host")), games,
    el("form", { onsubmit: (/** @type {Event} */ event) => {
      event.preventDefault();
      begin();
    } }, el("label", {}, say("game"), " ", game), " ", el("label", {}, say("people"), " ", names), " ",
    el("button", { class: "first" }, say("begin"))), wrong, code);

  return {
    /** @param {ListState | null} state */
    list(state) {
      games.replaceChildren(...(state?.games ?? []).map((each) => el("p", {}, `${each.game} · ${each.title}: `,
        each.seats.map((seat, at) => el("button", { onclick: () => make(each.game, at + 1) }, say("code_for", { name: seat.name }))))));
    },
    /**
     * Drop those of the codes made here that hold no more.
     * @param {JoinState | null} state
     */
    codes(state) {
      const held = new Set((state?.codes ?? []).map((each) => each.code));
      for (const [key, each] of own) if (known.has(each.code) && !held.has(each.code)) own.delete(key);
      for (const each of held) known.add(each);
      const left = [...own.values()];
      code.replaceChildren();
      left.forEach(show);
    },
  };
}
