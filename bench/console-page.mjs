// @ts-check
// The console in a real browser, as the scenario `console` measures it: what is timed is timed in the page itself, by
// its frames and its own records of requests and inputs. The functions here run in the page; they can use nothing else.

/**
 * Kept from the page's first moment: when its first row was drawn.
 * @typedef {{ shownAt: number | undefined, inputs: number[] }} Kept
 */

/**
 * What the functions use of a browser: its own types would change those of Node in every script.
 * @typedef {{
 *   getBoundingClientRect(): { top: number, bottom: number }, getAttribute(name: string): string | null,
 *   closest(selector: string): Placed | null,
 * }} Placed
 * @typedef {Placed & {
 *   scrollTop: number, scrollHeight: number, clientHeight: number,
 *   querySelectorAll(selector: string): Iterable<Placed>,
 * }} Scroller
 * @typedef {{ name: string, entryType: string, responseEnd: number, transferSize: number }} Timing
 * @typedef {{
 *   kept: Kept,
 *   document: { querySelector(selector: string): Scroller | null },
 *   requestAnimationFrame(frame: () => void): void,
 * }} Page
 */

/** A row with a record in it; rows on their way have none. */
const ROW = '.grid-row .grid-cell-link';

/** For `addInitScript`. @param {string} row */
export function keepMoments(row) {
  /** @type {Kept} */
  const kept = { shownAt: undefined, inputs: [] };
  const { document, requestAnimationFrame } = /** @type {Page} */ (/** @type {unknown} */ (globalThis));
  Object.assign(globalThis, { kept });
  const look = () => {
    if (document.querySelector(row) === null) requestAnimationFrame(look);
    // The frame that follows is the one that shows it.
    else requestAnimationFrame(() => Object.assign(kept, { shownAt: performance.now() }));
  };
  requestAnimationFrame(look);
  const observer = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) kept.inputs.push(duration);
  });
  const inputs = { type: 'event', durationThreshold: 16 };
  observer.observe(/** @type {Parameters<typeof observer.observe>[0]} */ (inputs));
}

/** Not by Playwright's own waiting, which the page's policy keeps from evaluating anything. @returns {Promise<void>} */
export function untilShown() {
  const { kept, requestAnimationFrame } = /** @type {Page} */ (/** @type {unknown} */ (globalThis));
  return new Promise((resolve) => {
    const look = () => (kept.shownAt === undefined ? requestAnimationFrame(look) : resolve());
    look();
  });
}

/** @returns {{ files: number, replies: number, rowsMs: number, loadMs: number }} bytes on the wire, and milliseconds */
export function readLoad() {
  const { shownAt = 0 } = /** @type {Page} */ (/** @type {unknown} */ (globalThis)).kept;
  const timings = /** @type {Timing[]} */ (/** @type {unknown} */ (performance.getEntries()));
  const entries = timings.filter(
    ({ entryType, responseEnd }) =>
      ['navigation', 'resource'].includes(entryType) && responseEnd > 0 && responseEnd <= shownAt,
  );
  const isReply = ({ name = '' }) => new URL(name).pathname.startsWith('/v1/');
  const bytes = (/** @type {Timing[]} */ some) => some.reduce((sum, { transferSize }) => sum + transferSize, 0);
  const list = entries.find(({ name }) => /\/records\?/.test(name));
  return {
    files: bytes(entries.filter((entry) => !isReply(entry))),
    replies: bytes(entries.filter(isReply)),
    rowsMs: shownAt - (list?.responseEnd ?? 0),
    loadMs: shownAt,
  };
}

/**
 * Moves the scroll bar evenly from one part of the list to another, as a hand that drags it, and waits at the end for
 * records of that place: those that stay in sight during the drag may be from elsewhere.
 * @param {{ from: number, to: number, ms: number, row: string, waitMs: number }} way parts of the whole, and how long it takes
 * @returns {Promise<{ blankMs: number, stillMs: number, restMs: number, longFrameMs: number }>} the longest time without a
 *   record in sight, with the same ones during the drag, from its end until those of the place, and between frames
 */
export function scroll({ from, to, ms, row, waitMs }) {
  const { document, requestAnimationFrame } = /** @type {Page} */ (/** @type {unknown} */ (globalThis));
  const scroller = /** @type {Scroller} */ (document.querySelector('.grid-scroller'));
  const ROW_HEIGHT = 36;
  /** Numbers of the rows with a record that are in sight, below the head. */
  const inSight = () => {
    const { top, bottom } = scroller.getBoundingClientRect();
    return [...scroller.querySelectorAll(row)].flatMap((element) => {
      const place = element.getBoundingClientRect();
      const number = element.closest('[aria-rowindex]')?.getAttribute('aria-rowindex');
      return place.bottom > top + ROW_HEIGHT && place.top < bottom ? [Number(number) - 2] : [];
    });
  };
  /** The row that belongs in the middle of what is in sight. A long list has more rows than its bar has pixels. */
  const middle = () => {
    const count = Number(scroller.getAttribute('aria-rowcount')) - 1;
    const viewHeight = scroller.clientHeight - ROW_HEIGHT;
    const part = scroller.scrollTop / (scroller.scrollHeight - scroller.clientHeight);
    return Math.floor((part * (count * ROW_HEIGHT - viewHeight) + viewHeight / 2) / ROW_HEIGHT);
  };
  return new Promise((resolve, reject) => {
    const began = performance.now();
    let [gone, lastFrame, lastSeen, lastOther, restedAt, first] = [0, began, began, began, began, -1];
    let [blankMs, stillMs, longFrameMs] = [0, 0, 0];
    const frame = () => {
      const now = performance.now();
      longFrameMs = Math.max(longFrameMs, now - lastFrame);
      lastFrame = now;
      const seen = inSight();
      blankMs = Math.max(blankMs, now - lastSeen);
      if (seen.length > 0) lastSeen = now;
      if (gone < 1) stillMs = Math.max(stillMs, now - lastOther);
      if (seen[0] !== undefined && seen[0] !== first) [lastOther, first] = [now, seen[0]];
      if (gone === 1 && seen.includes(middle()))
        return resolve({ blankMs, stillMs, restMs: now - restedAt, longFrameMs });
      if (now - began > waitMs) return reject(new Error(`no rows came into sight within ${waitMs} ms`));
      if (gone < 1) {
        gone = Math.min(1, (now - began) / Math.max(1, ms));
        restedAt = now;
        scroller.scrollTop = (from + (to - from) * gone) * (scroller.scrollHeight - scroller.clientHeight);
      }
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  });
}

/** How long inputs took until the page was painted with what they did; shorter than 16 ms are not told by browsers. @returns {number[]} */
export function takeInputs() {
  return /** @type {Page} */ (/** @type {unknown} */ (globalThis)).kept.inputs.splice(0);
}

export { ROW };
