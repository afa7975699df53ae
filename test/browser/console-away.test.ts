// A server that is away or busy for a while: the console says so, loses nothing that was typed, and goes on by itself.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { type Person, publishApplication, string, type TestApplication } from '../support/application.ts';
import type { TestServer } from '../support/server.ts';
import { WITHOUT_BROWSER } from './browsing.ts';
import { type ConsoleScene, openConsoleScene, signIn } from './console-scene.ts';

describe('a server that is away, in the console', { skip: WITHOUT_BROWSER }, () => {
  let scene: ConsoleScene;
  let server: TestServer;
  let app: TestApplication;
  let person: Person;
  let page: Page;

  before(async () => {
    scene = await openConsoleScene();
    ({ server } = scene);
    app = await publishApplication(server, {
      collections: [{ name: 'Visits', columns: [{ name: 'Title', type: 'String', searchable: true, sortable: true }] }],
    });
    for (const title of ['First', 'Second']) {
      const json = { values: { [app.ids.Visits!.Title!]: string(title) } };
      assert.equal((await app.send('POST', app.records('Visits'), { json })).status, 200);
    }
    person = await app.addPerson('Person');
    ({ page } = await scene.openPage(`${server.address}/console/${app.id}`));
  });
  after(() => scene.close());

  const goOffline = (offline: boolean) => page.context().setOffline(offline);
  const away = () => page.getByRole('status').filter({ hasText: 'The server cannot be reached' });

  it('keeps what was typed on the sign-in page', async () => {
    await page.getByLabel('Password').waitFor();
    await goOffline(true);
    await signIn(page, person);
    await page.getByRole('alert').filter({ hasText: 'The server cannot be reached' }).waitFor();
    await away().waitFor();
    assert.equal(await page.getByLabel('User ID or e-mail address').inputValue(), person.id);
    assert.equal(await page.getByLabel('Password').inputValue(), person.password);
    await goOffline(false);
    await away().waitFor({ state: 'detached' });
    await page.getByRole('alert').filter({ hasText: 'The server can be reached again. Please try again.' }).waitFor();
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('2 records').waitFor();
  });

  it('searches as soon as it can for what was searched meanwhile', async () => {
    await goOffline(true);
    await page.getByRole('searchbox').fill('Title:Second');
    await page.keyboard.press('Enter');
    await away().waitFor();
    assert.equal(await page.getByRole('searchbox').inputValue(), 'Title:Second');
    await goOffline(false);
    await page.getByText('1 hit', { exact: true }).waitFor();
    await away().waitFor({ state: 'detached' });
  });

  it('goes on in the palette with the words that were typed', async () => {
    const palette = page.getByRole('dialog');
    await page.keyboard.press('Control+k');
    await palette.getByRole('menuitem').first().waitFor();
    await page.keyboard.press('Escape');
    await palette.waitFor({ state: 'detached' });
    await goOffline(true);
    await page.keyboard.press('Control+k');
    await palette.getByRole('textbox').fill('First');
    await palette.getByText('only collections and actions').waitFor();
    await goOffline(false);
    await palette.getByRole('menuitem', { name: 'First' }).waitFor();
    assert.equal(await palette.getByRole('textbox').inputValue(), 'First');
    await page.keyboard.press('Escape');
  });

  it('says that a busy server is busy, and shows the records when it is not', async () => {
    const busy = { code: 'UNAVAILABLE', params: { reason: 'deadline' } };
    await page.route('**/records?*', (route) => route.fulfill({ status: 503, json: busy }));
    await page.getByRole('searchbox').fill('Title:First');
    await page.keyboard.press('Enter');
    await page.getByRole('status').filter({ hasText: 'busy or restarting' }).waitFor();
    assert.equal(await page.getByRole('searchbox').inputValue(), 'Title:First');
    await page.unroute('**/records?*');
    await page.getByText('1 hit', { exact: true }).waitFor();
    await page.getByRole('status').filter({ hasText: 'busy or restarting' }).waitFor({ state: 'detached' });
  });

  it('stores a cell that was changed meanwhile, shows it, and no longer says that the server is away', async () => {
    await page.route('**/records/**', (route) => route.abort());
    await page.getByRole('grid').focus();
    await page.keyboard.type('Changed');
    await page.keyboard.press('Enter');
    await page.getByText('1 change is not stored.').waitFor();
    await away().waitFor();
    // The list is read again while the change is on its way: what was read before it comes after it.
    let arrived = () => {};
    const late = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    await page.route('**/records?*', async (route) => {
      const response = await route.fetch();
      await late;
      await route.fulfill({ response });
    });
    await page.getByRole('columnheader', { name: 'Title' }).getByRole('button').first().click();
    await page.unroute('**/records/**');
    await page.getByText('1 change is not stored.').waitFor({ state: 'detached' });
    await page.locator('.grid-cell-mark').waitFor({ state: 'detached' });
    arrived();
    await page.getByRole('gridcell', { name: 'Changed' }).waitFor();
    await away().waitFor({ state: 'detached' });
    await page.unroute('**/records?*');
    assert.equal(await page.getByRole('gridcell', { name: 'First' }).count(), 0);
  });

  it('keeps what was typed in a form, also when storing it failed', async () => {
    await page.getByRole('link', { name: 'New record' }).click();
    await page.getByRole('textbox', { name: 'Title' }).fill('Typed while away');
    await goOffline(true);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('alert').filter({ hasText: 'The server cannot be reached' }).waitFor();
    assert.equal(await page.getByRole('textbox', { name: 'Title' }).inputValue(), 'Typed while away');
    await goOffline(false);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Typed while away' }).waitFor();
  });
});
