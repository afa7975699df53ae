// The palette, the keys, and the choice of an application, as people and operators use them.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { type Person, publishApplication, string, type TestApplication } from '../support/application.ts';
import { OPERATOR_KEY, type TestServer } from '../support/server.ts';
import { seriousFindings } from './axe.ts';
import { WITHOUT_BROWSER } from './browsing.ts';
import { type ConsoleScene, openConsoleScene, signIn } from './console-scene.ts';

const HOSTILE = '"><img src=x onerror="document.title=1">javascript:';

describe('finding in the console', { skip: WITHOUT_BROWSER }, () => {
  let scene: ConsoleScene;
  let server: TestServer;
  let app: TestApplication;
  let person: Person;
  let page: Page;
  let complaints: readonly string[];

  before(async () => {
    scene = await openConsoleScene();
    ({ server } = scene);
    const columns = [{ name: 'Title', type: 'String', searchable: true }];
    app = await publishApplication(server, {
      name: `Two ${HOSTILE}`,
      collections: [
        { name: 'Visits', columns },
        { name: 'Sites', columns },
        { name: 'Unsearched', columns: [{ name: 'Title', type: 'String' }] },
      ],
    });
    for (const [name, title] of [
      ['Visits', 'Annual look at the roof'],
      ['Sites', `Roof garden ${HOSTILE}`],
    ] as const) {
      const json = { values: { [app.ids[name]!.Title!]: string(title) } };
      assert.equal((await app.send('POST', app.records(name), { json })).status, 200);
    }
    person = await app.addPerson('Naomi Sato');
    ({ page, complaints } = await scene.openPage(`${server.address}/console/${app.id}`));
    await signIn(page, person);
    await page.getByText('1 record', { exact: true }).waitFor();
  });
  after(() => scene.close());

  const pathname = () => new URL(page.url()).pathname;
  const palette = () => page.getByRole('dialog', { name: 'Find anything' });
  const item = (name: string | RegExp) => palette().getByRole('menuitem', { name });
  it('opens from a button that keeps keys to itself', async () => {
    await page.getByRole('button', { name: /^Account of/ }).focus();
    await page.keyboard.press('Control+k');
    await palette().waitFor();
    assert.equal(await page.getByRole('menu', { name: /^Account of/ }).count(), 0);
    await page.keyboard.press('Escape');
    await palette().waitFor({ state: 'detached' });
  });

  it('keeps what is typed while it is being loaded', async () => {
    const opened = await scene.openPage(`${server.address}/console/${app.id}`);
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await opened.page.route(/\/assets\/Palette-/, async (route) => {
      await held;
      await route.continue();
    });
    await signIn(opened.page, person);
    await opened.page.getByText('1 record', { exact: true }).waitFor();
    await opened.page.keyboard.press('Control+k');
    await opened.page.locator('.shade').waitFor();
    await opened.page.keyboard.type('sites');
    await opened.page.keyboard.press('Enter');
    release();
    await opened.page.getByRole('heading', { name: 'Sites' }).waitFor();
    await opened.page.close();
    assert.deepEqual(opened.complaints, []);
  });

  it('opens the first that was found by Enter, also where it came after the last key', async () => {
    await page.keyboard.press('Control+k');
    await palette().getByRole('textbox').waitFor();
    await page.keyboard.type('roof');
    await item('Annual look at the roof').waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Annual look at the roof' }).waitFor();
    assert.match(pathname(), new RegExp(`/${app.ids.Visits!.id}/r`));
  });

  it('takes every key after Ctrl-K, and lets none of them into the cell that has the focus', async () => {
    await page.goto(`${server.address}/console/${app.id}/${app.ids.Visits!.id}`);
    const stores: string[] = [];
    page.on('request', (request) => request.method() === 'PUT' && stores.push(request.url()));
    await page.getByRole('gridcell', { name: 'Annual look at the roof' }).click({ position: { x: 2, y: 2 } });
    await page.keyboard.press('Control+k');
    await page.keyboard.type('keys');
    await item('Keys').waitFor();
    assert.equal(await palette().getByRole('textbox').inputValue(), 'keys');
    assert.deepEqual(stores, []);
    await page.keyboard.press('Escape');
    await palette().waitFor({ state: 'detached' });
  });

  const type = async (text: string) => {
    await page.keyboard.press('Control+k');
    await palette().getByRole('textbox').fill(text);
  };

  it('finds records by words, grouped by collection, and Enter opens the first', async () => {
    await type('roof');
    await item(/^Roof garden/).waitFor();
    await item('Annual look at the roof').waitFor();
    assert.deepEqual(await palette().locator('.menu-heading').allInnerTexts(), [
      'Records of Visits',
      'Records of Sites',
    ]);
    assert.equal(await page.locator('.palette img').count(), 0);
    await item(/^Roof garden/).click();
    await page.getByRole('heading', { name: /^Roof garden/ }).waitFor();
    assert.match(pathname(), new RegExp(`/${app.ids.Sites!.id}/r`));
  });

  it('finds people in any case, and what they created', async () => {
    await type('sato');
    await item(/Naomi Sato/).click();
    await page.getByText('No record matches this search.').waitFor();
    assert.equal(new URL(page.url()).searchParams.get('search'), '$createdBy="Naomi Sato"');
  });

  it('finds saved views and opens them', async () => {
    const collectionId = app.ids.Visits!.id;
    const path = `/v1/${app.id}/collections/${collectionId}/views`;
    const json = { name: 'Only roofs', settings: { search: 'roof' } };
    assert.equal((await server.send('POST', path, { token: person.token, json })).status, 200);
    await page.reload();
    await page.getByText('No record matches this search.').waitFor();
    await type('only');
    await item(/Only roofs/).click();
    await page.waitForURL(/view=v/);
  });

  it('does what can be done: a new record, another language, the keys', async () => {
    await type('new record in vis');
    await item('New record in Visits').waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'New record in Visits' }).waitFor();
    await type('日本');
    await item('日本語').click();
    await page.getByRole('heading', { name: 'Visits' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog', { name: '移動・操作' }).getByRole('textbox').fill('English');
    await page.getByRole('menuitem', { name: 'English' }).click();
    await page.getByRole('heading', { name: 'New record in Visits' }).waitFor();
    await type('keys');
    await item('Keys').click();
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    assert.equal(pathname(), `/console/${app.id}/${app.ids.Visits!.id}/new`);
    await page.keyboard.press('Escape');
  });

  it('shows the keys by ? from anywhere but where it is typed', async () => {
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByLabel('Title').press('?');
    assert.equal(await page.getByLabel('Title').inputValue(), '?');
    assert.equal(await page.getByRole('dialog').count(), 0);
    await page.getByLabel('Title').fill('');
    await page.goto(`${server.address}/console/${app.id}/${app.ids.Visits!.id}`);
    await page.getByRole('grid').focus();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).getByText('to the search box').waitFor();
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme });
      assert.deepEqual(await seriousFindings(page, '[role=dialog]'), []);
    }
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: /^Account of/ }).focus();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: /^Account of/ }).focus();
    await page.keyboard.press('/');
    await page.locator('.search :focus').waitFor();
  });

  it('offers the applications that were used in this browser, by their names', async () => {
    const other = await publishApplication(server, { name: 'Another', collections: [] });
    const somebody = await other.addPerson('Somebody');
    await page.goto(`${server.address}/console/${other.id}`);
    await signIn(page, somebody);
    await page.getByText('This application has no collections yet.').waitFor();
    await page.goto(`${server.address}/console`);
    await page.getByRole('heading', { name: 'Open your application' }).waitFor();
    assert.deepEqual(await seriousFindings(page), []);
    assert.deepEqual(await page.locator('.sign-in-known').getByRole('link').allInnerTexts(), [
      'Another',
      `Two ${HOSTILE}`,
    ]);
    await page.getByRole('link', { name: /^Two/ }).click();
    await page.getByRole('heading', { name: 'Visits' }).waitFor();
  });

  it('lets the operator in by the key, which this tab alone keeps, and lists all applications', async () => {
    await page.goto(`${server.address}/console`);
    await page.getByRole('link', { name: 'Manage applications' }).click();
    await page.getByLabel('Operator key').fill('not the key');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').filter({ hasText: 'does not take this key' }).waitFor();
    await page.getByLabel('Operator key').fill(OPERATOR_KEY);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Applications' }).waitFor();
    assert.equal(await page.evaluate(`JSON.stringify(localStorage).includes('${OPERATOR_KEY}')`), false);
    await page.reload();
    await page.getByRole('row', { name: /Another/ }).waitFor();
    await page.getByRole('searchbox').fill('TWO');
    await page.getByText('1 application', { exact: true }).waitFor();
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme });
      assert.deepEqual(await seriousFindings(page), []);
    }
    await page.getByRole('link', { name: /^Open the records of Two/ }).click();
    await page.getByRole('heading', { name: 'Visits' }).waitFor();
    await page.goBack();
    await page.getByRole('button', { name: 'Forget the key' }).click();
    await page.getByLabel('Operator key').waitFor();
    assert.equal(await page.evaluate('sessionStorage.length'), 0);
    assert.deepEqual(complaints, []);
  });
});
