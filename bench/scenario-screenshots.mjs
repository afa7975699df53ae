// @ts-check
// The scenario `screenshots`: pictures of the console's pages with the demonstration, in both themes and languages, on a
// desk and on a phone, and of the way to a first application. All go to scratch/screenshots; `--write` puts the chosen
// ones into docs.

import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { chromium } from 'playwright-core';
import sharp from 'sharp';
import { findChromium, MISSING } from '../scripts/browser.mjs';
import { ROOT } from '../scripts/prepare.mjs';
import { Failure } from '../scripts/processes.mjs';
import { FIRST_APPLICATION, takeFirstApplication } from './first-application-pictures.mjs';
import { ask } from './http-client.mjs';
import { counter } from './progress.mjs';
import { PAGES, TODAY } from './screenshot-pages.mjs';
import { table } from './table.mjs';

const LANGUAGES = /** @type {const} */ ({ en: 'en-GB', ja: 'ja-JP' });
const SIZES = { desk: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } };
const ALL = join(ROOT, 'scratch', 'screenshots');
const DOCS = join(ROOT, 'docs');
const WAIT_MS = 60_000;
const WEBP = { quality: 82, effort: 5 };

export const PICTURED = [FIRST_APPLICATION, ...PAGES.map(({ name }) => name)];

/** Those that the documentation shows. */
const CHOSEN = [
  ...['grid-desk-light-en', 'grid-desk-dark-ja', 'record-desk-light-en', 'form-desk-light-ja', 'cards-desk-light-en'],
  ...[
    'calendar-desk-light-en',
    'board-desk-dark-en',
    'map-desk-light-ja',
    'chart-desk-light-en',
    'import-desk-light-en',
  ],
  ...[
    'activity-desk-light-en',
    'grid-phone-light-ja',
    'record-phone-dark-en',
    'palette-desk-light-en',
    'people-desk-light-en',
  ],
];

/** @param {string} address @param {string} operatorKey @returns {Promise<import('./screenshot-pages.mjs').Scene>} */
async function prepareScene(address, operatorKey) {
  /** @type {typeof import('../demo/load.ts')} */
  const { loadDemonstration } = await import(new URL('../dist/demo/load.js', import.meta.url).href);
  const demo = await loadDemonstration({ baseUrl: address, operatorKey, today: TODAY });
  /** @typedef {{ id: string, name: string, columns: { id: string, name: string }[] }} Collection */
  /** @type {{ collections: Collection[] }} */
  const { collections } = await ask(address, { method: 'GET', path: `/v1/${demo.applicationId}`, token: demo.token });
  return {
    demo,
    id: (name, column) => {
      const collection = collections.find((one) => one.name === name);
      const found = column === undefined ? collection : collection?.columns.find((one) => one.name === column);
      if (found === undefined) throw new Error(`the demonstration has no ${name} ${column ?? ''}`);
      return found.id;
    },
  };
}

/** Signs in once: all windows share the session. @param {import('playwright-core').Browser} browser @param {string} home @param {import('./screenshot-pages.mjs').Demonstration} demo */
async function signIn(browser, home, { email, password }) {
  const context = await browser.newContext({ locale: 'en-GB' });
  const page = await context.newPage();
  await page.goto(home);
  await page.getByLabel('User ID or e-mail address').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.keyboard.press('Enter');
  await page.getByRole('grid').waitFor({ timeout: WAIT_MS });
  const state = await context.storageState();
  await context.close();
  return state;
}

/**
 * @typedef {object} Look
 * @property {'en' | 'ja'} language
 * @property {'light' | 'dark'} theme
 * @property {'desk' | 'phone'} size
 */
/** @type {readonly Look[]} */
const LOOKS = /** @type {const} */ (['en', 'ja']).flatMap((language) =>
  /** @type {const} */ (['light', 'dark']).flatMap((theme) =>
    /** @type {const} */ (['desk', 'phone']).map((size) => ({ language, theme, size })),
  ),
);

/** @param {Look} look @returns {import('playwright-core').BrowserContextOptions} */
const windowOf = ({ language, theme, size }) => ({
  ...{ viewport: SIZES[size], isMobile: size === 'phone', hasTouch: size === 'phone' },
  ...{ locale: LANGUAGES[language], timezoneId: 'Asia/Tokyo', colorScheme: theme, reducedMotion: 'reduce' },
});

/**
 * @param {import('playwright-core').BrowserContext} context
 * @param {import('./screenshot-pages.mjs').PictureOf} of
 * @param {{ home: string, scene: import('./screenshot-pages.mjs').Scene, language: string }} where
 */
async function take(context, { path, ready, prepare, now = TODAY }, { home, scene, language }) {
  const page = await context.newPage();
  if (now !== null) await page.clock.setFixedTime(now);
  await page.addInitScript(`localStorage.setItem('cartulary.language', '${language}')`);
  await page.goto(home + path(scene));
  await page.locator(ready).first().waitFor({ timeout: WAIT_MS });
  await prepare?.(page, scene);
  await page.waitForLoadState('networkidle', { timeout: WAIT_MS });
  return page.screenshot();
}

/**
 * @param {import('./application.mjs').Ground} ground
 * @param {import('./options.mjs').Options} options
 */
export async function runScreenshots(ground, { only, write }) {
  const executablePath = findChromium(process.env);
  if (executablePath === undefined) throw new Failure(MISSING);
  const browser = await chromium.launch({ executablePath, args: process.getuid?.() === 0 ? ['--no-sandbox'] : [] });
  /** @type {Picture[]} */
  const results = [];
  /** @type {Keep} */
  const keep = async (picture, png, shown) => {
    results.push({ picture, file: shown, bytes: await store(picture, png, write ? shown : undefined) });
  };
  try {
    if (only.length === 0 || only.includes(FIRST_APPLICATION)) {
      await takeFirstApplication({
        browser,
        window: windowOf({ language: 'en', theme: 'light', size: 'desk' }),
        ground,
        keep: (name, png) => keep(`${FIRST_APPLICATION}-${name}`, png, `${FIRST_APPLICATION}/${name}.webp`),
      });
    }
    const pages = PAGES.filter(({ name }) => only.length === 0 || only.includes(name));
    if (pages.length > 0) await takePages(browser, ground, pages, keep);
  } finally {
    await browser.close();
  }
  const kept = results.filter(({ bytes }) => bytes > 0);
  const rows = kept.map(({ file, bytes }) => [`docs/${file}`, Math.ceil(bytes / 1024)]);
  const head = `${results.length} pictures in scratch/screenshots`;
  return { results, text: rows.length === 0 ? head : `${head}\n\n${table(['file', 'KB'], rows)}` };
}

/**
 * @typedef {{ picture: string, file: string | undefined, bytes: number }} Picture
 * @typedef {(picture: string, png: Buffer, shown: string | undefined) => Promise<void>} Keep `shown`: where the documentation has it
 */

/** @param {string} picture @param {Buffer} png @param {string | undefined} file below docs @returns {Promise<number>} its bytes there */
async function store(picture, png, file) {
  mkdirSync(ALL, { recursive: true });
  writeFileSync(join(ALL, `${picture}.png`), png);
  if (file === undefined) return 0;
  mkdirSync(dirname(join(DOCS, file)), { recursive: true });
  return (await sharp(png).webp(WEBP).toFile(join(DOCS, file))).size;
}

/**
 * @param {import('playwright-core').Browser} browser
 * @param {import('./application.mjs').Ground} ground
 * @param {readonly import('./screenshot-pages.mjs').PictureOf[]} pages
 * @param {Keep} keep
 */
async function takePages(browser, { ours, operatorKey }, pages, keep) {
  const scene = await prepareScene(ours.address, operatorKey);
  const home = `${ours.address}/console/${scene.demo.applicationId}`;
  const session = await signIn(browser, home, scene.demo);
  const tell = counter('Pictures', pages.length * LOOKS.length);
  let taken = 0;
  for (const look of LOOKS) {
    for (const of of pages) {
      const picture = [of.name, look.size, look.theme, look.language].join('-');
      const storageState = of.signedOut ? {} : { storageState: session };
      const context = await browser.newContext({ ...windowOf(look), ...storageState });
      const png = await take(context, of, { home, scene, language: look.language }).catch((error) => {
        throw new Error(`${picture}: ${error.message}`, { cause: error });
      });
      await context.close();
      await keep(picture, png, CHOSEN.includes(picture) ? `console/${picture}.webp` : undefined);
      taken += 1;
      tell(taken);
    }
  }
}
