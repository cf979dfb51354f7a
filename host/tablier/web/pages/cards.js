// Cards in hand, thrown into the arena by a drag or by a button, and the cards that lie in it and beside it.
/**
 * @import { LyingCard } from "./messages.d.ts"
 * @import { Act } from "./table.js"
 * @import { Point, Sizes } from "./throwing.js"
 */
/** @typedef {{at: number, point: Point}} Step where a card that is dragged was, and when */
/** @typedef {{number: number, name: string, cards: number[]}} Holder a seat, and the cards that it holds */
import { el, one } from "./dom.js";
import { say } from "./words.js";
import { fall, landing, pose } from "./throwing.js";

const SVG = "http://www.w3.org/2000/svg";
const WAYS = ["flat", "leaning", "rim", "outside"];

export class Cards {
  /**
   * `act`: says a request at the table; `sizes`: its measures; `whole`: its drawing.
   * @param {{act: Act, sizes: Sizes, whole: SVGSVGElement}} table
   */
  constructor({ act, sizes, whole }) {
    this.act = act;
    this.sizes = sizes;
    this.whole = whole;
    /** @type {LyingCard[]} */
    this.pile = [];
    /** @type {Map<string, Point>} */
    this.thrown = new Map();
    this.hand = one("#hand");
    this.chosen = 0;
    this.drawn = "";
    /** @type {Holder | null} */
    this.holder = null;
    this.ply = 0;
    document.addEventListener("dragstart", stop);
    /** @type {string[] | undefined} */
    this.names = undefined;
  }

  /**
   * Show the hand of a seat: what it holds, without the cards that lie there. `null`: nobody's.
   * @param {Holder | null} holder
   * @param {number} ply
   * @param {string[] | undefined} names
   */
  show(holder, ply, names) {
    this.holder = holder;
    this.ply = ply;
    this.names = names;
    const lying = this.pile.map((card) => card.tag);
    const key = JSON.stringify([holder, ply, lying]);
    if (key === this.drawn) return;
    this.drawn = key;
    if (holder === null) {
      this.hand.replaceChildren(el("p", { class: "soft" }, say("hand_later")));
      return;
    }
    const { number, name } = holder;
    const held = holder.cards.filter((rank) => !lying.some((tag) => tag.startsWith(`p${number}:${rank}@`)));
    const cards = held.map((rank) => el("button", {
      class: `card seat${number}`, "data-rank": rank, "aria-label": say("card", { rank, name }),
      "aria-pressed": String(rank === this.chosen), onclick: () => this.#choose(rank),
      onpointerdown: (/** @type {PointerEvent} */ event) => this.#grab(event, rank),
    }, String(rank)));
    const ways = WAYS.map((how) => el("button", { "data-how": how, disabled: !this.chosen, onclick: () => this.#land(how) }, say(how)));
    this.hand.replaceChildren(
      el("div", { class: "held" }, el("h2", {}, say("hand", { name }), " ", el("small", {}, say("throw_hint"))),
        el("ul", { class: "lying", "aria-label": say("pile") }, this.pile.map((card) => this.#taking(card)))),
      el("div", { class: "cards" }, cards),
      el("div", { class: "ways", role: "group", "aria-label": say("land") }, el("span", {}, say("land")), ways,
        el("button", { "data-clear": "", onclick: () => this.act({ verb: "clear" }) }, say("sweep"))),
    );
  }

  /**
   * Draw the cards that lie there.
   * @param {LyingCard[]} cards
   */
  take(cards) {
    this.pile = cards;
    const group = one("#cards");
    const there = /** @type {SVGElement[]} */ (/** @type {Element[]} */ ([...group.children]));
    const lying = new Set(cards.map((card) => this.#key(card)));
    for (const old of there) if (!lying.has(old.dataset.key ?? "")) old.remove();
    for (const card of cards) {
      const key = this.#key(card);
      const old = there.find((each) => each.dataset.key === key);
      const drawn = old ?? this.#draw(card);
      drawn.dataset.how = card.how;
      const at = pose(card.how, this.thrown.get(card.tag), key, this.sizes);
      drawn.setAttribute("transform", `translate(${at.x} ${at.y}) rotate(${at.turn}) scale(1 ${at.share})`);
      group.append(drawn);
    }
  }

  /** @param {Pick<LyingCard, "tag" | "time">} card */
  #key(card) {
    return `${card.tag} ${card.time}`;
  }

  /**
   * A card that lies there, to be taken away.
   * @param {LyingCard} card
   */
  #taking(card) {
    const [, seat, rank] = /^p(\d+):(\d+)@/.exec(card.tag) ?? [null, 0, card.tag];
    const said = say("lies", { card: say("card", { rank, name: this.names?.[Number(seat) - 1] ?? "" }), how: say(card.how) });
    const take = () => this.act({ verb: `take ${card.tag}` });
    return el("li", { class: `seat${seat}` },
      el("button", { "data-take": card.tag, "aria-label": say("take", { card: said }), onclick: take }, said, " ✕"));
  }

  /** @param {Pick<LyingCard, "tag" | "time">} card */
  #draw(card) {
    const [width, length] = this.sizes.card;
    const [, seat, rank] = /^p(\d+):(\d+)@/.exec(card.tag) ?? [null, 0, card.tag];
    const drawn = document.createElementNS(SVG, "g");
    drawn.setAttribute("class", `lies seat${seat}`);
    drawn.dataset.key = this.#key(card);
    const box = document.createElementNS(SVG, "rect");
    const figures = { x: -width / 2, y: -length / 2, width, height: length, rx: 4 };
    for (const [name, value] of Object.entries(figures)) box.setAttribute(name, String(value));
    const text = document.createElementNS(SVG, "text");
    text.setAttribute("y", "12");
    text.textContent = rank;
    drawn.append(box, text);
    return drawn;
  }

  /** @param {number} rank */
  #choose(rank) {
    this.chosen = this.chosen === rank ? 0 : rank;
    this.drawn = "";
    this.show(this.holder, this.ply, this.names);
    one(`#hand .card[data-rank="${rank}"]`)?.focus();
  }

  /** @param {string} how */
  #land(how) {
    const rank = this.chosen;
    this.chosen = 0;
    this.act({ verb: `land ${how} ${this.#tag(rank)}` });
  }

  /** @param {number} rank */
  #tag(rank) {
    return `p${this.holder?.number}:${rank}@${this.ply}`;
  }

  /**
   * Follow a card that is dragged until it is let go of: its way just before says how it is thrown.
   * @param {PointerEvent} event
   * @param {number} rank
   */
  #grab(event, rank) {
    if (event.button) return;
    getSelection()?.removeAllRanges(); // else the browser drags the text that is selected
    const from = [event.clientX, event.clientY];
    const tag = this.#tag(rank);
    /** @type {Step[]} */
    let track = [];
    /** @type {SVGElement | null} */
    let ghost = null;
    const move = (/** @type {PointerEvent} */ moved) => {
      if (!ghost && Math.hypot(moved.clientX - from[0], moved.clientY - from[1]) < 8) return;
      if (!ghost) {
        ghost = this.#draw({ tag, time: 0 });
        ghost.classList.add("flying");
        this.whole.append(ghost);
      }
      moved.preventDefault();
      const at = this.#point(moved);
      ghost.setAttribute("transform", `translate(${at[0]} ${at[1]})`);
      track = [...track.filter((each) => moved.timeStamp - each.at < 80), { at: moved.timeStamp, point: at }];
    };
    const drop = (/** @type {PointerEvent} */ last) => {
      for (const [name, hear] of hears) document.removeEventListener(name, hear);
      if (!ghost) return;
      ghost.remove();
      document.addEventListener("click", stop, { capture: true, once: true });
      setTimeout(() => document.removeEventListener("click", stop, { capture: true }), 0);
      if (last.type === "pointerup") this.#throw(tag, track, last.timeStamp);
    };
    /** @type {[string, (event: any) => void][]} */
    const hears = [["pointermove", move], ["pointerup", drop], ["pointercancel", drop]];
    for (const [name, hear] of hears) document.addEventListener(name, hear);
  }

  /**
   * @param {string} tag
   * @param {Step[]} track
   * @param {number} now
   */
  #throw(tag, track, now) {
    const fresh = track.filter((each) => now - each.at < 80);
    const last = track.at(-1);
    const first = fresh[0] ?? last;
    if (!last) return;
    const seconds = Math.max(0.016, (last.at - first.at) / 1000);
    /** @type {Point} */
    const still = [0, 0];
    /** @type {Point} */
    const speed = fresh.length > 1
      ? [(last.point[0] - first.point[0]) / seconds, (last.point[1] - first.point[1]) / seconds] : still;
    const how = fall(last.point, speed, this.sizes);
    this.thrown.set(tag, landing(last.point, speed));
    this.act({ verb: `throw ${how} ${tag}` });
  }

  /**
   * Return where an event is, in the table's millimetres.
   * @param {PointerEvent} event
   * @returns {Point}
   */
  #point(event) {
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(this.whole.getScreenCTM()?.inverse());
    return [point.x, point.y];
  }
}

/** @param {Event} event */
function stop(event) {
  event.stopPropagation();
  event.preventDefault();
}
