// @ts-check
// The scenario `console`: the console's grid in a real browser, with many records. It ends with status 1 when a bound is
// missed.

import { setTimeout as pause } from 'node:timers/promises';
import { chromium } from 'playwright-core';
import { findChromium, MISSING } from '../scripts/browser.mjs';
import { Failure } from '../scripts/processes.mjs';
import { PASSWORD, prepareApplication } from './application.mjs';
import { keepMoments, ROW, readLoad, scroll, takeInputs, untilShown } from './console-page.mjs';
import { note, warn } from './progress.mjs';
import { count, megabytes, milliseconds, table } from './table.mjs';
import { APPLICATION, COLLECTIONS } from './work.mjs';

const WAIT_MS = 60_000;
const DRAG_MS = 2_000;
/** Stops of the walk over the whole list; each loads other pages. */
const WALK_STOPS = 500;
/** Pages that nobody looks at are dropped after 30 s (console/src/api/pages.ts). */
const FORGOTTEN_MS = 35_000;
const MEGABYTE = 2 ** 20;
/** As often as a key that is held down repeats. */
const KEY_MS = 33;
const VIEWPORT = { width: 1440, height: 900 };
/** Of the browser's window, above the page. */
const FRAME_HEIGHT = 200;

const BOUNDS = {
  files: 250_000,
  rowsMs: 1_000,
  blankMs: 1_000,
  restMs: 1_000,
  stillMs: 1_000,
  walkBytes: 200 * MEGABYTE,
  restBytes: 32 * MEGABYTE,
  inputMs: 100,
};

/** @typedef {import('playwright-core').Page} Page */
/** @typedef {{ name: string, value: number, bound: number | undefined, unit: 'KB' | 'ms' | 'MB' }} Measured */

/**
 * Anew each time: nothing is in the browser's cache.
 * @param {import('playwright-core').Browser} browser
 * @param {{ home: string, userId: string, rounds: number }} how
 */
async function load(browser, { home, userId, rounds }) {
  const first = await browser.newContext({ locale: 'en-GB' });
  const page = await first.newPage();
  await page.goto(home);
  await page.getByLabel('User ID or e-mail address').fill(userId);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.keyboard.press('Enter');
  await page.locator(ROW).first().waitFor({ timeout: WAIT_MS });
  const storageState = await first.storageState();
  await first.close();
  const loads = [];
  for (let round = 0; ; round += 1) {
    const context = await browser.newContext({ locale: 'en-GB', storageState, viewport: VIEWPORT });
    const opened = await context.newPage();
    await showWhole(opened);
    await opened.addInitScript(keepMoments, ROW);
    await opened.goto(home);
    await opened.locator(ROW).first().waitFor({ timeout: WAIT_MS });
    await opened.evaluate(untilShown);
    loads.push(await opened.evaluate(readLoad));
    if (round === rounds - 1) return { loads, page: opened };
    await context.close();
  }
}

/**
 * A window is as large as its page with the tools above it, so the page's lower edge is outside. Nothing is painted
 * there, and what a key does in the last row would seem to take until something else is. @param {Page} page
 */
async function showWhole(page) {
  const tools = await page.context().newCDPSession(page);
  const { windowId } = await tools.send('Browser.getWindowForTarget');
  const bounds = { width: VIEWPORT.width, height: VIEWPORT.height + FRAME_HEIGHT };
  await tools.send('Browser.setWindowBounds', { windowId, bounds });
  await tools.detach();
}

/** The list has its whole length once it is counted, which the page leaves to a button where that takes long. @param {Page} page @param {number} records */
async function waitForCount(page, records) {
  const counted = page
    .getByRole('status')
    .filter({ hasText: records.toLocaleString('en') })
    .first();
  const all = page.locator('.grid-count-all');
  await counted.or(all).first().waitFor({ timeout: WAIT_MS });
  if (!(await counted.isVisible())) await all.click();
  await counted.waitFor({ timeout: WAIT_MS });
}

/** @param {Page} page */
async function measureInputs(page) {
  await page.evaluate(takeInputs);
  await page.getByRole('grid').focus();
  const press = async (/** @type {string} */ key, /** @type {number} */ times) => {
    for (let time = 0; time < times; time += 1) {
      const repeated = pause(KEY_MS);
      await page.keyboard.press(key);
      await repeated;
    }
  };
  await press('ArrowDown', 40);
  await press('ArrowRight', 5);
  await press('PageDown', 10);
  await press('Shift+ArrowDown', 10);
  for (let time = 0; time < 5; time += 1) {
    await press('Enter', 1);
    await press('Escape', 1);
  }
  await press('Control+k', 1);
  await page.keyboard.type('item', { delay: KEY_MS });
  await press('Escape', 2);
  // The browser tells of an input after the frame that it led to.
  await page.evaluate('new Promise((resolve) => setTimeout(resolve, 500))');
  return /** @type {number[]} */ (await page.evaluate(takeInputs));
}

/** The heap after a collection of garbage. @param {import('playwright-core').CDPSession} tools */
async function heapOf(tools) {
  await tools.send('HeapProfiler.collectGarbage');
  return (await tools.send('Runtime.getHeapUsage')).usedSize;
}

/** @param {Page} page */
async function walk(page) {
  const tools = await page.context().newCDPSession(page);
  const before = await heapOf(tools);
  let most = before;
  for (let stop = 1; stop <= WALK_STOPS; stop += 1) {
    const [from, to] = [(stop - 1) / WALK_STOPS, stop / WALK_STOPS];
    await page.evaluate(scroll, { from, to, ms: 0, row: ROW, waitMs: WAIT_MS });
    if (stop % 25 === 0) most = Math.max(most, await heapOf(tools));
  }
  await page.evaluate(scroll, { from: 1, to: 0, ms: 0, row: ROW, waitMs: WAIT_MS });
  await page.evaluate(`new Promise((resolve) => setTimeout(resolve, ${FORGOTTEN_MS}))`);
  return { before, most, after: await heapOf(tools) };
}

/**
 * @param {import('./application.mjs').Ground} ground
 * @param {import('./options.mjs').Options} options
 */
export async function runConsole(ground, { records, rounds }) {
  const executablePath = findChromium(process.env);
  if (executablePath === undefined) throw new Failure(MISSING);
  const { userId = '' } = await prepareApplication(ground, { items: records });
  const browser = await chromium.launch({ executablePath, args: process.getuid?.() === 0 ? ['--no-sandbox'] : [] });
  try {
    const home = `${ground.ours.address}/console/${APPLICATION}/${COLLECTIONS.items}`;
    note('Loading the page');
    const { loads, page } = await load(browser, { home, userId, rounds });
    await waitForCount(page, records);
    note('Typing');
    const inputs = (await measureInputs(page)).sort((one, other) => one - other);
    note('Scrolling');
    const drag = { ms: DRAG_MS, row: ROW, waitMs: WAIT_MS };
    const there = await page.evaluate(scroll, { from: 0, to: 0.5, ...drag });
    const back = await page.evaluate(scroll, { from: 0.5, to: 0, ...drag });
    const jump = await page.evaluate(scroll, { from: 0, to: 0.75, ...drag, ms: 0 });
    note('Walking over the whole list');
    const heap = await walk(page);
    return report({ loads, inputs, scrolls: { there, back, jump }, heap });
  } finally {
    await browser.close();
  }
}

/**
 * @param {object} measured
 * @param {ReturnType<typeof readLoad>[]} measured.loads
 * @param {number[]} measured.inputs in order
 * @param {Record<'there' | 'back' | 'jump', Awaited<ReturnType<typeof scroll>>>} measured.scrolls
 * @param {{ before: number, most: number, after: number }} measured.heap
 */
function report({ loads, inputs, scrolls, heap }) {
  const most = (/** @type {number[]} */ values) => Math.max(0, ...values);
  const of = (/** @type {keyof ReturnType<typeof readLoad>} */ member) => most(loads.map((load) => load[member]));
  const at = (/** @type {number} */ part) => inputs[Math.floor((inputs.length - 1) * part)] ?? 0;
  /** @type {Measured[]} */
  const results = [
    { name: 'files before the first rows, compressed', value: of('files'), bound: BOUNDS.files, unit: 'KB' },
    { name: 'replies before the first rows, compressed', value: of('replies'), bound: undefined, unit: 'KB' },
    { name: 'first rows painted after the reply with them', value: of('rowsMs'), bound: BOUNDS.rowsMs, unit: 'ms' },
    { name: 'first rows painted after the address was opened', value: of('loadMs'), bound: undefined, unit: 'ms' },
    {
      name: 'no record in sight, dragging to the middle',
      value: scrolls.there.blankMs,
      bound: BOUNDS.blankMs,
      unit: 'ms',
    },
    { name: 'no record in sight, dragging back', value: scrolls.back.blankMs, bound: BOUNDS.blankMs, unit: 'ms' },
    {
      name: 'no record in sight, jumping to three quarters',
      value: scrolls.jump.blankMs,
      bound: BOUNDS.blankMs,
      unit: 'ms',
    },
    {
      name: 'its own records in sight, after dragging to the middle',
      value: scrolls.there.restMs,
      bound: BOUNDS.restMs,
      unit: 'ms',
    },
    {
      name: 'its own records in sight, after dragging back',
      value: scrolls.back.restMs,
      bound: BOUNDS.restMs,
      unit: 'ms',
    },
    {
      name: 'its own records in sight, after jumping to three quarters',
      value: scrolls.jump.restMs,
      bound: BOUNDS.restMs,
      unit: 'ms',
    },
    {
      name: 'the same records in sight while dragging, at most',
      value: Math.max(scrolls.there.stillMs, scrolls.back.stillMs),
      bound: BOUNDS.stillMs,
      unit: 'ms',
    },
    { name: 'input to paint, median', value: at(0.5), bound: BOUNDS.inputMs, unit: 'ms' },
    { name: 'input to paint, 98 of 100', value: at(0.98), bound: BOUNDS.inputMs, unit: 'ms' },
    { name: 'heap before the walk', value: heap.before, bound: undefined, unit: 'MB' },
    {
      name: 'added by a walk over the whole list, at most',
      value: heap.most - heap.before,
      bound: BOUNDS.walkBytes,
      unit: 'MB',
    },
    { name: 'added by that walk, after a rest', value: heap.after - heap.before, bound: BOUNDS.restBytes, unit: 'MB' },
  ];
  for (const { name, value, bound } of results) {
    if (bound === undefined || value <= bound) continue;
    warn(`${name}: beyond its bound`);
    process.exitCode = 1;
  }
  const show = { KB: (/** @type {number} */ value) => count(value / 1_000), ms: milliseconds, MB: megabytes };
  const rows = results.map(({ name, value, bound, unit }) => [
    name,
    `${show[unit](value)} ${unit}`,
    bound === undefined ? undefined : `${show[unit](bound)} ${unit}`,
  ]);
  return { results, text: table(['the grid in a browser', 'measured', 'bound'], rows) };
}
