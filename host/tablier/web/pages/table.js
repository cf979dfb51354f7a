// The table: its lights, its buttons, its hoods, its cards.
/**
 * @import { GameState, LightsState, NewsState, OverState, PileState } from "./messages.d.ts"
 * @import { Sizes } from "./throwing.js"
 */
/** @typedef {(body: {verb?: string, lean?: number, line?: boolean}) => Promise<any>} Act says a request at the table */
import { Cards } from "./cards.js";
import { change } from "./changing.js";
import { all, el, one, picture, reason, reread, target } from "./dom.js";
import { Fingers } from "./fingers.js";
import { awaited, doing, meant, named, SIGNS } from "./guide.js";
import { paint } from "./lamps.js";
import { ask, enter, listen, order } from "./stream.js";
import { listed, say } from "./words.js";
import { ownThings, workbench } from "./workbench.js";

const HOODS = 6;
const entered = await enter().catch((error) => {
  one("#closed")?.append(el("span", { class: "hot" }, ` ${error.message}`));
  return null;
});
if (entered?.operator) location.reload();
else if (!one("#closed")) run();

function run() {
  const settings = one("#settings").dataset;
  const [width, length] = (settings.card ?? "").split(" ").map(Number);
  /** @type {Sizes} */
  const sizes = {
    tray: Number(settings.tray), deck: Number(settings.deck),
    cover: Number(settings.cover?.split(" ")[2]), card: [width, length],
  };
  const sheets = JSON.parse(settings.sheets ?? "{}");
  const colours = /** @type {string[]} */ (JSON.parse(settings.choices ?? "[]"));
  const arena = /** @type {string[]} */ (JSON.parse(settings.arena ?? "[]"));
  const first = JSON.parse(settings.first ?? "{}");
  const whole = /** @type {SVGSVGElement} */ (/** @type {Element} */ (one("#whole")));
  const top = one("#ask");
  const more = one("#more");
  const board = one("#board");
  const places = one("#places");
  const games = /** @type {Map<number, GameState>} */ (new Map());
  const boards = /** @type {Map<number, string>} */ (new Map());
  const tables = /** @type {Map<number, LightsState>} */ (new Map());
  const piles = /** @type {Map<number, PileState>} */ (new Map());
  const mine = /** @type {Map<number, Set<number>>} */ (new Map());
  let wanted = 0;
  let chosen = 1;
  let pace = 1;
  let turn = /** @type {Promise<any>} */ (Promise.resolve());
  let drawn = "";
  let asked = "";

  const said = el("p", { class: "hot", role: "alert" });
  const leaning = el("p", { class: "leaning", role: "status" });
  const question = el("h1", { class: "question" });
  const hint = el("p", { class: "hint" });
  const choice = el("p", {});
  const begin = el("p", { class: "row begin" },
    first.game ? el("button", { class: "first", id: "play", onclick: play }, say("first", { title: first.title, count: first.count })) : null,
    el("a", { class: "button", href: "/host" }, say("other")));
  const sitting = el("p", {});
  const about = el("p", { class: "soft about" });
  top.replaceChildren(choice, question, hint, sitting, begin, leaning, said, about);
  const outcome = one("#outcome");
  const task = one("#doing");

  const fingers = new Fingers({ act, chosen: () => chosen, choose, used: claim, pace: () => pace });
  const cards = new Cards({ act, sizes, whole });
  const bench = workbench(act, (now) => (pace = now));
  const keys = el("details", { class: "card" }, el("summary", {}, say("keys")), el("p", {}, say("keys_said")));
  more.replaceChildren(ownThings(), bench.whole, keys);

  listen({
    public: {
      game(id, state, news, all) {
        const before = games.get(Number(id))?.question;
        keep(games, id, state);
        if (!all && before?.kind === "choice" && state?.question?.id !== before.id && Number(id) === shown()) end(news);
        draw();
      },
    },
    paper: {
      board(id, state) {
        keep(boards, id, state?.board ?? null);
        draw();
      },
    },
    table: {
      lights(id, state) {
        keep(tables, id, state);
        light();
      },
      pile(id, state) {
        keep(piles, id, state);
        draw();
      },
      line(id, state) {
        if (state && Number(id) === shown()) bench.tell(state.frames);
      },
    },
  });
  for (const shape of all(".at", places.parentElement ?? document)) shape.hidden = Number(shape.dataset.at) !== chosen;
  whole.addEventListener("click", (event) => {
    const place = /** @type {HTMLElement | null} */ (target(event).closest(".place"));
    if (place) choose(Number(place.dataset.at));
  });
  draw();

  /** Return the game whose table is shown: the wanted one, else the latest at a table. */
  function shown() {
    if (tables.has(wanted)) return wanted;
    return Math.max(...tables.keys(), 0);
  }

  /**
   * Keep a state by the number of its game; `null` is gone.
   * @template State
   * @param {Map<number, State>} kept
   * @param {string} id
   * @param {State | null} state
   */
  function keep(kept, id, state) {
    if (state) kept.set(Number(id), state);
    else kept.delete(Number(id));
  }

  /**
   * Say a request at the table, after those before it; resolve to its answer, `undefined` where it is refused.
   * @type {Act}
   */
  function act(body) {
    const game = shown();
    if (!tables.get(game)?.simulated) return Promise.resolve(undefined); // nobody presses a real table's buttons from here
    const answered = turn.then(() => ask("/table", { game, ...body }));
    turn = answered.catch(() => {});
    return answered.then(
      (answer) => {
        said.textContent = "";
        return answer.result;
      },
      (error) => {
        said.textContent = reason(error);
        return undefined;
      },
    );
  }

  /** Return the places of who reads this: where they have pressed, or the only one of a person. */
  function own() {
    const game = shown();
    const places = mine.get(game) ?? new Set(/** @type {number[]} */ (JSON.parse(sessionStorage.getItem(`mine-${game}`) ?? "[]")));
    mine.set(game, places);
    const people = (games.get(game)?.seats ?? []).filter((seat) => seat.source === "table" && !seat.simulated);
    if (!places.size && people.length === 1) places.add(people[0].place);
    return places;
  }

  /** Begin a game at a simulated table, with simulated people: one button for who has never seen it. */
  async function play() {
    const asked = { game: first.game, options: first.options, others: first.others, practice: true };
    try {
      const kept = Number(sessionStorage.getItem("evening"));
      const again = kept ? await order("next", { evening: kept, ...asked }, "operator").catch(() => null) : null;
      if (!again) {
        const people = [{ name: first.me, place: 1 }];
        const { evening } = await order("evening", { people, table: { port: "simulated" } }, "operator");
        sessionStorage.setItem("evening", evening);
        await order("next", { evening, ...asked }, "operator");
      }
      said.textContent = "";
    } catch (error) {
      said.textContent = reason(error);
    }
  }

  /**
   * Show what a choice has come to, until it is read.
   * @param {NewsState[]} news
   */
  function end(news) {
    const dropped = new Set(news.flatMap((each) => each.drops));
    const told = news.filter((each) => each.at && !dropped.has(each.kind)).map((each) => each.said);
    if (!told.length) return;
    outcome.replaceChildren(...told.map((each) => el("p", {}, each)), el("button", { class: "first", onclick: () => (outcome.hidden = true) }, say("read")));
    outcome.hidden = false;
  }

  /**
   * Who presses at a place, or leans over its hood, sits there.
   * @param {number} place
   */
  function claim(place) {
    const game = shown();
    own().add(place);
    sessionStorage.setItem(`mine-${game}`, JSON.stringify([...own()]));
  }

  let followed = 0;
  /** @param {number} place */
  function choose(place) {
    if (place === chosen) return;
    if (fingers.leans && fingers.leans !== place) fingers.lean(0);
    chosen = place;
    for (const shape of all("#own .at")) shape.hidden = Number(shape.dataset.at) !== place;
    draw();
  }

  /** @param {number} place */
  function seatAt(place) {
    const seats = games.get(shown())?.seats ?? [];
    const at = seats.findIndex((seat) => seat.place === place);
    return at < 0 ? null : { number: at + 1, ...seats[at] };
  }

  /** Paint what the table shows. */
  function light() {
    const lights = tables.get(shown());
    paint("ring", lights?.ring);
    paint("public", lights?.public);
    for (let place = 1; place <= HOODS; place += 1) {
      const seen = lights?.hood && lights.leaning === place;
      paint(`hood${place}`, seen ? lights.hood : null);
      for (const hood of document.querySelectorAll(`.hood[data-hood="${place}"]`)) {
        hood.classList.toggle("open", Boolean(seen));
        hood.classList.toggle("leant", lights?.leaning === place);
        if (hood.hasAttribute("role")) hood.setAttribute("aria-pressed", String(Boolean(seen)));
      }
    }
    if (lights) fingers.hear(lights.leaning);
    mean(lights);
    const text = lights?.hood ? say("you_lean", { place: lights.leaning }) : "";
    document.body.classList.toggle("leans", Boolean(text));
    if (leaning.textContent !== text) leaning.textContent = text;
    const key = JSON.stringify([lights?.asked, lights?.connected, lights?.simulated, shown()]);
    if (key !== asked) {
      asked = key;
      draw();
    }
  }

  function draw() {
    const game = shown();
    const state = games.get(game);
    const lights = tables.get(game);
    document.body.classList.toggle("real", Boolean(lights && !lights.simulated));
    document.body.classList.toggle("cards", !state || arena.includes(state.rules));
    begin.hidden = Boolean(lights) && !state?.over;
    choice.replaceChildren(...choices(game));
    const open = state?.ended === undefined && state?.question;
    question.textContent = !lights ? say("simulated_table") : open ? open.said : state?.over ? result(state.over) : "";
    hint.textContent = !lights ? say("what_this_is") : !lights.connected ? say("cable") : !lights.simulated ? say("reconstruction") : state ? whom(state) : "";
    about.textContent = lights && state ? `${sheets[state.rules]?.aim ?? ""} ${sheets[state.rules]?.turn ?? ""}` : "";
    offerSeat(state, lights);
    if (lights) follow(lights.asked);
    drawPlaces(lights);
    cards.take(piles.get(game)?.cards ?? []);
    const seat = seatAt(chosen);
    const here = open && seat && open.waiting.includes(seat.number) && seat.source === "table" && !seat.simulated;
    task.replaceChildren(...(here && state && lights?.connected ? doing(sheets, colours, state, open) : []));
    for (const dot of all(".dot", task)) dot.style.backgroundColor = `#${dot.dataset.colour}`;
    // Also of those who are not at the table: somebody there lays for them what they throw.
    const throws = lights?.simulated && (state?.question?.kind === "window" || cards.pile.length > 0);
    cards.show(throws && seat ? seat : null, state?.ply ?? 0, state?.seats.map((each) => each.name));
    if (!state) {
      board.replaceChildren();
      drawn = "";
    } else if (boards.has(game) && drawn !== boards.get(game)) {
      drawn = boards.get(game) ?? "";
      change(board, ...picture(drawn, state.reading, state.title));
    } else reread(board, state.reading, state.title);
  }

  /**
   * Return who is awaited, as the reader has to know it.
   * @param {GameState} state
   */
  function whom(state) {
    const waiting = awaited(state);
    const mine = waiting.find((each) => each.source === "table" && own().has(each.place));
    if (mine) return say("you_are_asked", mine);
    const atScreen = waiting.find((each) => each.source === "screen" && each.place);
    if (atScreen) return say("at_screen", atScreen);
    const names = listed(waiting.map((each) => each.name));
    return !waiting.length ? "" : say(waiting.every((each) => each.simulated) ? "they_decide" : "asked_at", { names });
  }

  /**
   * Offer a seat of somebody who plays at a screen to who reads this.
   * @param {GameState | undefined} state
   * @param {LightsState | undefined} lights
   */
  function offerSeat(state, lights) {
    const seats = lights?.simulated && !state?.over ? (state?.seats ?? []).map((seat, at) => ({ number: at + 1, ...seat })) : [];
    const free = seats.filter((seat) => seat.source === "screen" && seat.place);
    const key = JSON.stringify(free.map((seat) => seat.number));
    if (sitting.dataset.drawn === key) return;
    sitting.dataset.drawn = key;
    sitting.replaceChildren(...free.map((seat) => el("button", { class: "first", "data-sit": seat.place, onclick: () => sit(seat) }, say("sit", seat))));
  }

  /**
   * Write beside the lights under an open hood what they mean in a choice.
   * @param {LightsState | undefined} lights
   */
  function mean(lights) {
    const question = games.get(shown())?.question;
    const options = (question?.kind === "choice" && question.options) || [];
    for (const text of all("#own .at text[data-of]")) {
      const here = Number(text.closest(".at")?.getAttribute("data-at")) === lights?.leaning;
      const option = here ? meant(colours.slice(0, options.length), lights?.hood?.[Number(text.dataset.of)] ?? "000000") : -1;
      const sign = text.classList.contains("sign");
      const word = option < 0 ? "" : sign ? SIGNS[option] : named(options[option]);
      if (text.textContent !== word) text.textContent = word;
    }
  }

  /** @param {OverState} over */
  function result(over) {
    const scores = over.scores.map((each) => `${each.name} ${each.score}${each.won ? ` · ${say("winner")}` : ""}`);
    return [...scores, ...over.remarks].join("   ");
  }

  /** @param {number} game */
  function choices(game) {
    if (tables.size < 2) return [];
    const options = [...tables.keys()].map((each) => el("option", { value: each, selected: each === game }, `${each} · ${games.get(each)?.title ?? ""}`));
    const select = el("select", { onchange: () => {
      wanted = Number(select.value);
      light();
      draw();
    } }, options);
    return [el("label", {}, say("games"), " ", select), " "];
  }

  /**
   * Have somebody who plays at a screen play at this table, with the buttons of the page.
   * @param {{number: number, place: number}} seat
   */
  async function sit({ number, place }) {
    try {
      await order("source", { game: shown(), seat: number, source: "table" }, "operator");
      claim(place);
      said.textContent = "";
    } catch (error) {
      said.textContent = reason(error);
    }
    draw();
  }

  /**
   * Go to a place of one's own that alone is awaited, once: somebody may look at another one, or lay a card for it.
   * @param {number[]} awaited
   */
  function follow(awaited) {
    const here = awaited.filter((place) => own().has(place));
    const alone = here.length === 1 ? here[0] : 0;
    if (alone === followed || (alone && (fingers.leans || fingers.held.size))) return;
    followed = alone;
    if (alone) choose(alone);
  }

  /** @param {LightsState | undefined} lights */
  function drawPlaces(lights) {
    const buttons = Array.from({ length: HOODS }, (_, at) => {
      const place = at + 1;
      const seat = seatAt(place);
      const awaited = lights?.asked.includes(place);
      const name = seat ? say("place_of", { place, name: seat.name }) : String(place);
      return el("button", {
        class: awaited ? "awaited" : "", "aria-pressed": String(place === chosen), "data-choose": place,
        "aria-label": seat ? name : say("place", { place }), onclick: () => choose(place),
      }, awaited ? "▶ " : "", name);
    });
    const seated = seatAt(chosen);
    const key = buttons.map((each) => each.outerHTML).join("") + JSON.stringify([seated, lights?.simulated]);
    if (places.dataset.drawn !== key) {
      const focused = /** @type {HTMLElement | null} */ (document.activeElement)?.dataset.choose;
      places.dataset.drawn = key;
      const note = !lights ? "" : !seated ? say("free") : seated.source !== "table" ? say("elsewhere", { name: seated.name }) : "";
      places.replaceChildren(...buttons, el("p", { class: "soft" }, note));
      if (focused) one(`#places [data-choose="${focused}"]`)?.focus();
    }
    for (const stand of all(".place", whole)) {
      const place = Number(stand.dataset.at);
      stand.classList.toggle("chosen", place === chosen);
      stand.classList.toggle("awaited", Boolean(lights?.asked.includes(place)));
      stand.classList.toggle("taken", Boolean(seatAt(place)));
    }
  }
}
