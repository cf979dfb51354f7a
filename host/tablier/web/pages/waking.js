// A page comes to life also where scripts or styles do not come, or late: it says so and asks for them again. This
// stands within each page, as the one script that cannot be missing, so it needs nothing else.
{
  const LATE_MS = 12_000;
  /** After so long a page is loaded again whose script has failed; twice as long each time, up to the most. */
  const FIRST_MS = 1000;
  const MOST_MS = 60_000;
  const KEY = "waking";
  let awake = false;
  let broken = false;
  let due = 0;

  /** @type {(act: () => any) => any} */
  const stored = (act) => {
    try {
      return act();
    } catch {
      return null; // a browser that stores nothing
    }
  };
  const tries = () => Number(stored(() => sessionStorage.getItem(KEY)));
  const wait = () => Math.min(MOST_MS, FIRST_MS * 2 ** tries());
  /** @param {boolean} sleeps */
  const show = (sleeps) => {
    const notice = /** @type {HTMLElement | null} */ (document.querySelector("#waking"));
    if (notice) notice.hidden = !sleeps;
  };

  /** Load the page again, unless nobody answers: a browser's own page of errors does not come back. */
  const again = async () => {
    stored(() => sessionStorage.setItem(KEY, String(tries() + 1)));
    const answered = await fetch(location.pathname, { signal: AbortSignal.timeout(MOST_MS) }).then(() => true, () => false);
    if (awake) return;
    if (answered) location.reload();
    else later(wait());
  };

  /** @param {number} ms */
  const later = (ms) => {
    show(true);
    clearTimeout(due);
    due = setTimeout(again, ms);
  };

  const wake = () => {
    awake = true;
    clearTimeout(due);
    show(false);
    stored(() => sessionStorage.removeItem(KEY));
  };

  due = setTimeout(() => later(LATE_MS + wait()), LATE_MS);
  document.addEventListener("load", ({ target }) => {
    if (!(target instanceof HTMLScriptElement)) return;
    if (broken) later(wait());
    else wake();
  }, true);
  addEventListener("error", (event) => {
    const { target } = event;
    if (target instanceof HTMLScriptElement) later(wait());
    else if (target instanceof HTMLLinkElement && target.rel === "stylesheet") {
      const missed = Number(target.dataset.missed ?? 0);
      const link = /** @type {HTMLLinkElement} */ (target.cloneNode());
      link.dataset.missed = String(missed + 1);
      setTimeout(() => target.replaceWith(link), Math.min(MOST_MS, FIRST_MS * 2 ** missed));
    } else if (!awake && event instanceof ErrorEvent && event.filename.startsWith(location.origin)) broken = true;
  }, true);
  document.addEventListener("DOMContentLoaded", () => {
    document.querySelector("#waking button")?.addEventListener("click", () => location.reload());
    if (broken) show(true); // was due before there was where to show it
  });
}
