// One stream of events for several ports: the topics of all, whole states to whoever comes later.

export class Source {
  #ports = new Map();
  #latest = new Map();
  #events = null;
  #topics = "";
  #lost = false;
  #keeping = false;

  /** Have a port told of some topics; `null` for one that is gone. */
  take(port, topics) {
    if (topics === null) this.#ports.delete(port);
    else this.#ports.set(port, new Set(topics));
    if (topics !== null) {
      for (const event of this.#latest.values()) if (topics.includes(event.topic)) port.post(this.#whole(event));
      if (this.#lost) port.post({ lost: true });
    }
    const wanted = [...new Set([...this.#ports.values()].flatMap((each) => [...each]))].sort().join(",");
    if (wanted !== this.#topics) this.#open(wanted);
  }

  /** Open the stream anew. */
  renew() {
    this.#open(this.#topics);
  }

  #whole(event) {
    const age = event.age + (performance.now() - event.heard) / 1000;
    return { ...event, age, news: event.kept, all: true };
  }

  #open(topics) {
    this.#events?.close();
    this.#topics = topics;
    if (!topics) {
      this.#events = null; // what was told is kept: the next stream begins with the names of what is still there
      return;
    }
    const events = (this.#events = new EventSource(`/events?topics=${topics}`));
    events.onopen = () => this.#tell(false);
    events.onerror = () => {
      this.#tell(true);
      // Refused, it does not try again by itself.
      if (events.readyState === EventSource.CLOSED) setTimeout(() => events === this.#events && this.renew(), 2000);
    };
    events.onmessage = (message) => this.#hear(JSON.parse(message.data));
  }

  #hear(event) {
    if (event.names) {
      this.#begin(new Set(event.names.map((each) => each.join(" "))));
      return;
    }
    const key = `${event.topic} ${event.name}`;
    const before = event.all ? [] : (this.#latest.get(key)?.kept ?? []);
    event.heard = performance.now();
    event.kept = [...before, ...event.news].slice(-400);
    if (event.state === null) this.#latest.delete(key);
    else this.#latest.set(key, event);
    if (event.state?.keep) this.#keep();
    for (const [port, topics] of this.#ports) if (topics.has(event.topic)) port.post(event);
  }

  /** Have the cookie hold a seat that this browser was given. */
  async #keep() {
    if (this.#keeping) return;
    this.#keeping = true;
    const asked = { method: "POST", headers: { "content-type": "application/json" }, body: "{}" };
    const kept = await fetch("/enter", asked).then((answer) => answer.ok, () => false);
    this.#keeping = false;
    if (kept) this.renew();
  }

  /** Say what has gone while the stream was closed. */
  #begin(names) {
    for (const [key, event] of [...this.#latest]) {
      if (!names.has(key)) this.#hear({ ...event, age: 0, state: null, news: [], all: true });
    }
  }

  #tell(lost) {
    if (lost === this.#lost) return;
    this.#lost = lost;
    for (const port of this.#ports.keys()) port.post({ lost });
  }
}
