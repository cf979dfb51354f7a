// One stream of events for several ports: the topics of all, whole states to ports that come later.
/** @import { Event as Told, NewsState } from "./messages.d.ts" */
/**
 * @typedef {{topic: string, name: string, state: any, all: boolean, news: NewsState[], age: number, heard: number, kept: NewsState[]}} Heard
 *   a state, `null` when it is gone, with its age in seconds, when it was heard, and all its news
 * @typedef {{lost: boolean, complete: boolean}} Pulse whether the connection is lost; whether all that there is has come
 * @typedef {{post: (event: Heard | Pulse) => void}} Port
 */

/** After so long without a word of the server it is told that the connection is lost; words come every second. */
const STALLED_MS = 2500;
/** After so long the stream is opened anew; twice as long each time, up to the most, for a server that needs longer. */
const ANEW_MS = 3000;
const MOST_ANEW_MS = 12_000;
/** How often the server is told that this page is there. */
const HERE_MS = 5000;

export class Source {
  /** @type {Map<Port, Set<string>>} */
  #ports = new Map();
  /** @type {Map<string, Heard>} */
  #latest = new Map();
  /** By channel: the pieces that the open stream has sent. */
  #pieces = /** @type {Map<string, Record<number, string>>} */ (new Map());
  /** @type {EventSource | null} */
  #events = null;
  #topics = "";
  #lost = false;
  #complete = false;
  /** The channels of which something is still to come. */
  #due = /** @type {Set<string>} */ (new Set());
  /** When the server was heard, the stream opened, and the server told that this page is there. */
  #heard = performance.now();
  #opened = performance.now();
  #told = performance.now();
  #anew = ANEW_MS;
  #stream = "";
  #language;

  /** @param {string} language of the pages: what asks is perhaps a worker, whose requests may prefer another one */
  constructor(language) {
    this.#language = language;
    setInterval(() => this.#look(), 500);
    addEventListener("online", () => this.#lost && this.renew());
  }

  #look() {
    this.#say(); // pages hear so that this is there
    if (!this.#topics) return;
    const now = performance.now();
    if (now - this.#heard > STALLED_MS) {
      this.#tell(true);
      if (now - this.#opened > this.#anew) {
        this.#anew = Math.min(2 * this.#anew, MOST_ANEW_MS);
        this.renew();
      }
    } else if (this.#stream && now - this.#told > HERE_MS) this.#here();
  }

  /** Tell the server that this page is there; where it has ended the stream, open another one. */
  async #here() {
    this.#told = performance.now();
    const stream = this.#stream;
    const answer = await post("/here", { stream }).then((response) => response.json(), () => null);
    if (answer?.here === false && stream === this.#stream) this.renew();
  }

  /**
   * Have a port told of some topics; `null` for one that is gone.
   * @param {Port} port
   * @param {string[] | null} topics
   */
  take(port, topics) {
    if (topics === null) this.#ports.delete(port);
    else {
      this.#ports.set(port, new Set(topics));
      for (const event of this.#latest.values()) if (topics.includes(event.topic)) port.post(this.#whole(event));
    }
    const wanted = [...new Set([...this.#ports.values()].flatMap((each) => [...each]))].sort().join(",");
    if (wanted !== this.#topics) this.#open(wanted);
  }

  /** Open the stream anew. */
  renew() {
    this.#open(this.#topics);
  }

  /** @param {Heard} event */
  #whole(event) {
    const age = event.age + (performance.now() - event.heard) / 1000;
    return { ...event, age, news: event.kept, all: true };
  }

  /** @param {string} topics */
  #open(topics) {
    this.#events?.close();
    this.#topics = topics;
    if (!topics) {
      this.#events = null; // what was told is kept: the next stream begins with the names of what is still there
      return;
    }
    if (!this.#events) this.#heard = performance.now();
    this.#stream = "";
    this.#complete = false;
    this.#opened = performance.now();
    const events = (this.#events = new EventSource(`/events?topics=${topics}&language=${this.#language}`));
    events.onerror = () => {
      this.#tell(true);
      // Refused, it does not try again by itself.
      if (events.readyState === EventSource.CLOSED) setTimeout(() => events === this.#events && this.renew(), 2000);
    };
    events.onmessage = (message) => {
      this.#heard = performance.now();
      this.#anew = ANEW_MS;
      this.#tell(false);
      const said = JSON.parse(message.data);
      if (said.names) {
        this.#stream = said.stream;
        this.#due = new Set(said.names.map((/** @type {string[]} */ each) => each.join(" ")));
        this.#begin(this.#due);
      } else if (said.beat) this.#due.clear();
      else {
        const { made, pieces, anew, ...event } = said;
        this.#hear({ ...event, state: this.#assemble(said) });
        this.#due.delete(`${said.topic} ${said.name}`);
      }
      if (!this.#complete && !this.#due.size) {
        this.#complete = true;
        this.#say();
      }
    };
  }

  /**
   * Return the state that an event says.
   * @param {Told} event
   */
  #assemble({ topic, name, made, pieces, anew }) {
    const key = `${topic} ${name}`;
    const had = Object.assign(anew ? {} : (this.#pieces.get(key) ?? {}), pieces);
    this.#pieces.set(key, had);
    if (made === null) {
      this.#pieces.delete(key);
      return null;
    }
    let text = "";
    for (let run = 0; run < made.length; run += 2) {
      for (let number = made[run]; number < made[run] + made[run + 1]; number += 1) text += had[number];
    }
    return JSON.parse(text);
  }

  /** @param {Heard} event */
  #hear(event) {
    const key = `${event.topic} ${event.name}`;
    const before = event.all ? [] : (this.#latest.get(key)?.kept ?? []);
    event.heard = performance.now();
    event.kept = [...before, ...event.news].slice(-400);
    if (event.state === null) this.#latest.delete(key);
    else this.#latest.set(key, event);
    for (const [port, topics] of this.#ports) if (topics.has(event.topic)) port.post(event);
  }

  /**
   * Say what has gone while the stream was closed.
   * @param {Set<string>} names
   */
  #begin(names) {
    for (const [key, event] of [...this.#latest]) {
      if (!names.has(key)) this.#hear({ ...event, age: 0, state: null, news: [], all: true });
    }
  }

  /** @param {boolean} lost */
  #tell(lost) {
    if (lost === this.#lost) return;
    this.#lost = lost;
    this.#say();
  }

  #say() {
    for (const port of this.#ports.keys()) port.post({ lost: this.#lost, complete: this.#complete });
  }
}

/** @type {(address: string, body: object) => Promise<Response>} */
const post = (address, body) => fetch(address, {
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body),
  signal: AbortSignal.timeout(HERE_MS),
});
