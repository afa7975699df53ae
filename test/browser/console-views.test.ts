// Saved views in the console: saved under a name, changed, shared, deleted, and opened by their address, whatever wrote them.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { number, publishApplication, string, type TestApplication } from '../support/application.ts';
import type { TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';
import { seriousFindings } from './axe.ts';
import { WITHOUT_BROWSER } from './browsing.ts';
import { type ConsoleScene, openConsoleScene, signIn } from './console-scene.ts';

const HOSTILE = '"><img src=x onerror="document.title=1">\u202e=1+1';

describe('saved views in the console', { skip: WITHOUT_BROWSER }, () => {
  let scene: ConsoleScene;
  let server: TestServer;
  let app: TestApplication;
  let page: Page;
  let complaints: readonly string[];
  let visits: string;

  before(async () => {
    scene = await openConsoleScene();
    ({ server } = scene);
    app = await publishApplication(server, {
      collections: [
        {
          name: 'Visits',
          columns: [
            { name: 'Title', type: 'String', searchable: true, sortable: true },
            { name: 'Rank', type: 'Number', searchable: true, sortable: true },
          ],
        },
      ],
    });
    const { Title = '', Rank = '', id = '' } = app.ids.Visits ?? {};
    visits = id;
    const json = Array.from({ length: 30 }, (_, i) => ({
      values: { [Title]: string(`Visit ${i}`), [Rank]: number(i) },
    }));
    assert.equal((await app.send('POST', app.records('Visits'), { json })).status, 200);
    ({ page, complaints } = await scene.openPage(`${server.address}/console/${app.id}`));
    await signIn(page, app.admin);
    await page.getByText('30 records').waitFor();
  });
  after(() => scene.close());

  const menu = () => page.getByRole('button', { name: /^View: / });
  const choose = async (name: string) => {
    await menu().click();
    await page.getByRole('menuitem', { name }).or(page.getByRole('menuitemradio', { name })).click();
  };
  const named = (name: string) => page.getByRole('button', { name: `View: ${name}`, exact: true }).waitFor();
  const parameter = (name: string) => new URL(page.url()).searchParams.get(name);
  const search = async (text: string) => {
    await page.getByRole('searchbox').fill(text);
    await page.keyboard.press('Enter');
  };
  const stored = async () => (await app.send('GET', `/collections/${visits}/views`)).body;
  const at = (view: string) => `${server.address}/console/${app.id}/${visits}?view=${view}`;

  it('keep search and order under a name, by keyboard alone', async () => {
    await search('Rank>=20');
    await page.getByText('10 hits').waitFor();
    await menu().focus();
    await page.keyboard.press('Enter');
    await page.getByRole('menu').waitFor();
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.type(' High ones ');
    await page.keyboard.press('Enter');
    await named('High ones');
    const [view] = await stored();
    assert.deepEqual([view.name, view.shared], ['High ones', false]);
    assert.deepEqual(view.settings, { kind: 'grid', search: 'Rank>=20' });
    assert.equal(new URL(page.url()).search, `?view=${view.id}`);
    await page.reload();
    await page.getByText('10 hits').waitFor();
    assert.equal(await page.getByRole('searchbox').inputValue(), 'Rank>=20');
  });

  it('say that they were changed, and go back to what is saved or save the change', async () => {
    await search('Rank>=25');
    await page.getByText('5 hits').waitFor();
    await named('High ones, changed');
    assert.equal(parameter('search'), 'Rank>=25');
    await choose('Back to what is saved');
    await page.getByText('10 hits').waitFor();
    await named('High ones');
    await page.getByRole('button', { name: 'Clear the search' }).click();
    await page.getByText('30 records').waitFor();
    await page.reload();
    await page.getByText('30 records').waitFor();
    await named('High ones, changed');
    await search('Rank>=27');
    await page.getByText('3 hits').waitFor();
    await choose('Save changes');
    await named('High ones');
    assert.equal((await stored())[0].settings.search, 'Rank>=27');
    assert.equal(parameter('search'), null);
  });

  it('are renamed and shared; those who are no admins open them and save their own', async () => {
    await choose('Rename…');
    await page.getByRole('textbox', { name: 'Name' }).fill(HOSTILE);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: HOSTILE }).waitFor();
    await choose('Share with everybody');
    // The message may still be that of the new name.
    await until('the view is shared', async () => (await stored())[0].shared === true);
    const [{ id }] = await stored();
    const person = await app.addPerson('Person');
    const other = await scene.openPage(at(id));
    await signIn(other.page, person);
    await other.page.getByText('3 hits').waitFor();
    await other.page.getByRole('button', { name: /^View: / }).click();
    // The menu comes with a file of its own.
    await other.page.getByRole('menuitem').first().waitFor();
    assert.deepEqual(await other.page.getByRole('menuitem').allInnerTexts(), ['Save as a new view…']);
    await other.page.close();
    assert.equal(await page.locator('main img').count(), 0);
    assert.deepEqual(other.complaints, []);
  });

  it('are deleted after asking, and their address says so', async () => {
    const [{ id }] = await stored();
    await choose('Delete…');
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete the view' }).click();
    await page.getByText('30 records').waitFor();
    await named('Grid');
    assert.deepEqual(await stored(), []);
    await page.goto(at(id));
    await page.getByRole('alert').filter({ hasText: 'This view was deleted' }).waitFor();
    await page.getByText('30 records').waitFor();
  });

  it('open whatever wrote them', async () => {
    const settings = {
      kind: 'hologram',
      search: 7,
      sort: 'Rank',
      columns: { order: [HOSTILE, 'cgone000'], rest: false },
    };
    const json = { name: HOSTILE, settings: { ...settings, sort: app.ids.Visits!.Rank, widths: null } };
    const { id } = (await app.send('POST', `/collections/${visits}/views`, { json })).body;
    await page.goto(at(id));
    await page.getByRole('gridcell', { name: 'Visit 0', exact: true }).waitFor();
    assert.equal(await page.title(), 'Visits – Test');
  });

  it('can be used by everybody: axe finds nothing serious in the dialog', async () => {
    for (const [colorScheme, language] of [
      ['light', 'en'],
      ['dark', 'ja'],
    ] as const) {
      await page.emulateMedia({ colorScheme });
      await page.evaluate(`localStorage.setItem('cartulary.language', '${language}')`);
      await page.reload();
      await page.getByRole('button', { name: /^(View|ビュー): / }).click();
      await page.getByRole('menu').waitFor();
      await page.getByRole('menuitem', { name: /^(Save as a new view|新しいビューとして保存)/ }).click();
      await page.getByRole('dialog').waitFor();
      assert.deepEqual(await seriousFindings(page, '[role=dialog]'), []);
      await page.keyboard.press('Escape');
    }
    assert.deepEqual(complaints, []);
  });
});
