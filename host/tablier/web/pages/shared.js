// The worker that all tabs of a browser share: it has the one stream of events. Its name is the language of these tabs.
/** @import { Port } from "./source.js" */
import { Source } from "./source.js";

const source = new Source(self.name);

self.addEventListener("connect", (connected) => {
  const [own] = /** @type {MessageEvent} */ (connected).ports;
  /** @type {Port} */
  const port = { post: (event) => own.postMessage(event) };
  own.addEventListener("message", ({ data }) => {
    if (data.bye) source.take(port, null);
    else if (data.renew) source.renew();
    else source.take(port, data.topics);
  });
  own.start();
});
