// Every page of the console, with names, values, files and searches that try to become markup, script or an address: they
// are text. For everybody: by axe in both themes and languages, and on narrow screens and enlarged.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { findingsForAll } from './axe.ts';
import { WITHOUT_BROWSER } from './browsing.ts';
import { type ConsoleScene, openConsoleScene, signIn } from './console-scene.ts';
import { addressOf, EVERY_PAGE, type EveryPage, type HostileApplication, MARK, publishHostile } from './every-page.ts';
import { OPERATOR_PAGES } from './operator-pages.ts';

/** A desk's window, the same enlarged to 200 %, and a small phone. */
const WIDTHS = [1440, 720, 360];

/** What must not be on a page, whatever its strings say. */
const BROKEN_OUT = `[
  ...document.querySelectorAll('img[src="x"], script:not([src]), svg[onload], iframe, object, embed, base, [onerror]'),
  ...[...document.querySelectorAll('a[href], [src], [action], [formaction]')].filter((element) =>
    ['href', 'src', 'action', 'formaction'].some((name) => {
      const address = element.getAttribute(name);
      return address !== null && !['http:', 'https:', 'blob:', 'mailto:'].includes(new URL(address, location.href).protocol);
    })),
].map((element) => element.outerHTML.slice(0, 200))`;

describe('every page of the console', { skip: WITHOUT_BROWSER }, () => {
  let scene: ConsoleScene;
  let hostile: HostileApplication;
  let page: Page;
  let complaints: string[];
  const dialogs: string[] = [];
  const elsewhere: string[] = [];

  before(async () => {
    scene = await openConsoleScene();
    hostile = await publishHostile(scene.server);
    const { app } = hostile;
    ({ page, complaints } = await scene.openPage(`${scene.server.address}/console/${app.id}`));
    page.on('dialog', (dialog) => {
      dialogs.push(dialog.message());
      dialog.dismiss().catch(() => undefined);
    });
    page.on('request', (request) => {
      if (!/^blob:/.test(request.url()) && new URL(request.url()).origin !== scene.server.address)
        elsewhere.push(request.url());
    });
    await signIn(page, app.admin);
    await page.getByRole('grid').waitFor();
  });
  after(() => scene.close());

  /** By an address that leads nowhere, so that nothing of the page before is left: loading everything anew is dear. */
  async function open(each: EveryPage, width: number): Promise<void> {
    const { ready, prepare, isOurs } = each;
    await page.setViewportSize({ width, height: 900 });
    const go = (address: string) => page.evaluate(`history.pushState({}, '', ${JSON.stringify(address)})`);
    await go(`${scene.server.address}/console/${hostile.app.id}/nowhere/at/all`);
    await page.locator('main.empty').waitFor();
    await go(addressOf(scene.server, hostile, each));
    await page.locator(ready).filter({ visible: true }).first().waitFor();
    await prepare?.(page);
    if (isOurs !== true) await page.getByText(MARK).filter({ visible: true }).first().waitFor();
  }

  async function misfits(width: number): Promise<string[]> {
    const wide = Number(await page.evaluate('document.documentElement.scrollWidth - innerWidth'));
    const broken = (await page.evaluate<string[]>(BROKEN_OUT)).map((one) => `at ${width} pixels: ${one}`);
    return wide > 0 ? [...broken, `${wide} pixels too wide for ${width}`] : broken;
  }

  for (const each of [...EVERY_PAGE, ...OPERATOR_PAGES]) {
    const { name, prepare, widths = WIDTHS } = each;
    const [desk = 0] = widths;
    it(`has nothing serious for axe, no need to scroll sideways, and nothing but text: ${name}`, async () => {
      await open(each, desk);
      const found = await findingsForAll(page, async () => {
        const all: string[] = [];
        // What was opened by hand at another width would close, or stay where it was.
        for (const width of prepare === undefined ? [...widths].reverse() : [desk]) {
          await page.setViewportSize({ width, height: 900 });
          all.push(...(await misfits(width)));
        }
        return all;
      });
      if (prepare !== undefined) {
        const [narrow = desk] = [...widths].reverse();
        await open(each, narrow);
        found.push(...(await misfits(narrow)));
      }
      assert.deepEqual(found, []);
      assert.doesNotMatch(await page.title(), /^ran$/);
      await page.emulateMedia({ media: null });
      assert.deepEqual({ complaints, dialogs, elsewhere }, { complaints: [], dialogs: [], elsewhere: [] });
    });
  }

  it('has hostile strings in the title of the window as they are', async () => {
    const { app, things, record } = hostile;
    await page.goto(`${scene.server.address}/console/${app.id}/${things}/${record}`);
    await page.getByRole('heading', { level: 1 }).filter({ hasText: MARK }).waitFor();
    assert.ok((await page.title()).includes(MARK), await page.title());
  });
});
