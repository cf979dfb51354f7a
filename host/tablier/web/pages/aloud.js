// Reading aloud, with voices of this computer alone: others would send what is read to somebody else.
/** @import { GameState, NewsState } from "./messages.d.ts" */
import { el } from "./dom.js";
import { say } from "./words.js";

export class Reader {
  #on = false;
  #asked = 0;

  constructor() {
    this.button = el("button", { class: "aloud", "aria-pressed": "false", onclick: () => this.#switch() }, say("read_aloud"));
    this.button.hidden = !("speechSynthesis" in window);
  }

  /**
   * Read what a game tells and asks: only what is new.
   * @param {Pick<GameState, "question">} state
   * @param {Pick<NewsState, "said">[]} news
   */
  take(state, news) {
    const texts = news.map((each) => each.said);
    const question = state.question;
    if (question && question.id !== this.#asked && question.waiting.length) texts.push(question.said);
    this.#asked = question?.id ?? 0;
    if (!this.#on) return;
    for (const text of texts) this.#read(text);
  }

  #switch() {
    if (!this.#on && !this.#voice()) {
      this.button.textContent = say("no_voice");
      return;
    }
    this.#on = !this.#on;
    this.button.setAttribute("aria-pressed", String(this.#on));
    this.button.textContent = say(this.#on ? "silent" : "read_aloud");
    speechSynthesis.cancel();
    if (this.#on) this.#read(say("read_aloud"));
  }

  #voice() {
    const local = speechSynthesis.getVoices().filter((each) => each.localService);
    return local.find((each) => each.lang.startsWith(document.documentElement.lang)) ?? local[0];
  }

  /** @param {string} text */
  #read(text) {
    const voice = this.#voice();
    if (!voice) return;
    const spoken = new SpeechSynthesisUtterance(text);
    spoken.voice = voice;
    spoken.lang = voice.lang;
    speechSynthesis.speak(spoken);
  }
}
