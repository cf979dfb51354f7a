// What a page does besides showing when its seat is asked: a tone, a vibration, a screen that stays awake. All on wish.
import { el } from "./dom.js";
import { say } from "./words.js";

/** The tones that say that a question waits, and that a game has ended. */
const ASKED = [660];
const ENDED = [523, 659, 784];

export class Signals {
  #asked = 0;
  /** @type {AudioContext | null} */
  #audio = null;
  /** @type {WakeLockSentinel | null} */
  #lock = null;

  constructor() {
    document.addEventListener("visibilitychange", () => this.#wake());
    if (this.#is("awake")) this.#wake();
  }

  /** @param {string} name */
  #is(name) {
    return localStorage.getItem(name) === "on";
  }

  /** Return the buttons that switch them. */
  switches() {
    const names = /** @type {("tone" | "awake")[]} */ (["tone", "awake"]);
    return names.filter((name) => name !== "awake" || "wakeLock" in navigator).map((name) => this.button(name));
  }

  /**
   * Return a button that switches one of them.
   * @param {"tone" | "awake"} name
   */
  button(name) {
    const button = el("button", { "aria-pressed": String(this.#is(name)), onclick: () => {
      localStorage.setItem(name, this.#is(name) ? "off" : "on");
      button.setAttribute("aria-pressed", String(this.#is(name)));
      if (name === "tone" && this.#is(name)) this.#sound(ASKED);
      if (name === "awake") this.#wake();
    } }, say(name));
    return button;
  }

  /**
   * Say that a question waits for this seat; 0: none does.
   * @param {number} question
   */
  asked(question) {
    if (question && question !== this.#asked && this.#is("tone")) this.#sound(ASKED);
    this.#asked = question;
  }

  /** Say that a game has ended. */
  ended() {
    if (this.#is("tone")) this.#sound(ENDED);
  }

  quiet() {
    this.#asked = 0;
  }

  /**
   * Sound some tones, one after the other, and vibrate as often.
   * @param {number[]} tones their frequencies
   */
  #sound(tones) {
    navigator.vibrate?.(tones.flatMap(() => [150, 80]));
    try {
      this.#audio ??= new AudioContext();
      const audio = this.#audio;
      tones.forEach((frequency, nth) => {
        const [tone, volume] = [audio.createOscillator(), audio.createGain()];
        const at = audio.currentTime + 0.18 * nth;
        tone.frequency.value = frequency;
        volume.gain.setValueAtTime(0.15, at);
        volume.gain.exponentialRampToValueAtTime(0.001, at + 0.4);
        tone.connect(volume).connect(audio.destination);
        tone.start(at);
        tone.stop(at + 0.4);
      });
    } catch {
      // a browser may not let a page sound before it was touched
    }
  }

  async #wake() {
    if (!("wakeLock" in navigator) || document.hidden) return;
    if (this.#is("awake") && !this.#lock) {
      this.#lock = await navigator.wakeLock.request("screen").catch(() => null);
      this.#lock?.addEventListener("release", () => (this.#lock = null));
    } else if (!this.#is("awake")) {
      await this.#lock?.release();
      this.#lock = null;
    }
  }
}
