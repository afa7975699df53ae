// Records in the console, as a person looks at them: the grid, its search and order, a record's page, by mouse and keyboard.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';
import { number, publishApplication, string, type TestApplication } from '../support/application.ts';
import type { TestServer } from '../support/server.ts';
import { WITHOUT_BROWSER } from './browsing.ts';
import { type ConsoleScene, openConsoleScene, signIn } from './console-scene.ts';

/** More than two pages of the interface. */
const VISITS = 230;
const HOSTILE = '<img src=x onerror="document.title=1"><b>bold</b>';

describe('records in the console', { skip: WITHOUT_BROWSER }, () => {
  let scene: ConsoleScene;
  let server: TestServer;
  let app: TestApplication;
  let page: Page;
  let complaints: readonly string[];

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
        { name: 'Empty', columns: [{ name: 'Title', type: 'String' }] },
      ],
    });
    const { Title = '', Rank = '' } = app.ids.Visits ?? {};
    for (let from = 0; from < VISITS; from += 100) {
      const json = Array.from({ length: Math.min(100, VISITS - from) }, (_, i) => ({
        values: { [Title]: string(from + i === 7 ? HOSTILE : `Visit ${from + i}`), [Rank]: number(from + i) },
      }));
      assert.equal((await app.send('POST', app.records('Visits'), { json })).status, 200);
    }
    const person = await app.addPerson('Person');
    const opened = await scene.openPage(`${server.address}/console/${app.id}`);
    ({ page, complaints } = opened);
    await signIn(page, person);
    await page.getByRole('grid').waitFor();
  });
  after(() => scene.close());

  const cell = (text: string) => page.getByRole('gridcell', { name: text, exact: true });
  const pathname = () => new URL(page.url()).pathname;

  it('lead from the address of the application to its first collection', async () => {
    assert.equal(pathname(), `/console/${app.id}/${app.ids.Visits!.id}`);
    await page.getByRole('heading', { name: 'Visits' }).waitFor();
    await cell('Visit 229').waitFor();
  });

  it('are sorted by a click on the name of a column, and scrolled to the last', async () => {
    await page.getByRole('columnheader', { name: 'Rank' }).getByRole('button').click();
    await cell('Visit 0').waitFor();
    assert.equal(new URL(page.url()).searchParams.get('sort'), app.ids.Visits!.Rank);
    await page.getByRole('grid').focus();
    await page.getByText(`${VISITS} records`).waitFor();
    await page.keyboard.press('Control+End');
    await cell('Visit 229').waitFor();
    assert.ok((await page.getByRole('row').count()) < 80, 'only what is in sight is on the page');
    await page.keyboard.press('Control+Home');
    await cell('Visit 0').waitFor();
  });

  it('are searched in the search language, and a slip is marked where it is', async () => {
    await page.keyboard.press('/');
    await page.keyboard.type('Rank>=228');
    await page.keyboard.press('Enter');
    await page.getByText('2 hits').waitFor();
    await page.getByRole('searchbox').fill('Rank>=');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').filter({ hasText: 'cannot be read' }).waitFor();
    await page.goBack();
    await page.getByText('2 hits').waitFor();
    await page.getByRole('button', { name: 'Clear the search' }).click();
    await page.getByText(`${VISITS} records`).waitFor();
    assert.equal(new URL(page.url()).search, `?sort=${app.ids.Visits!.Rank}`);
  });

  it('have a page each, which Enter opens and whose address can be shared', async () => {
    await page.goto(`${server.address}/console/${app.id}/${app.ids.Visits!.id}?sort=${app.ids.Visits!.Rank}`);
    await cell('Visit 0').waitFor();
    await page.getByRole('grid').focus();
    for (let down = 0; down < 7; down += 1) await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: HOSTILE }).waitFor();
    assert.match(pathname(), /\/r[a-z0-9]{26}$/);
    assert.equal(await page.locator('main img, main b').count(), 0, 'what is in a record is text');
    await page.reload();
    await page.getByRole('heading', { name: HOSTILE }).waitFor();
    await page.getByRole('link', { name: 'Back to Visits' }).click();
    await page.getByRole('grid').waitFor();
  });

  it('can be used by everybody: axe finds nothing serious, in light and dark', async () => {
    const [, record = ''] = /"id":"(r[a-z0-9]{26})"/.exec((await app.send('GET', app.records('Visits'))).text) ?? [];
    const collection = `${server.address}/console/${app.id}/${app.ids.Visits!.id}`;
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      for (const [address, role] of [
        [collection, 'grid'],
        [`${collection}/${record}`, 'heading'],
      ] as const) {
        await page.goto(address);
        await page.getByRole(role).first().waitFor();
        const { violations } = await new AxeBuilder({ page }).setLegacyMode().analyze();
        const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
        assert.deepEqual(
          serious.map(({ id, nodes }) => `${colorScheme} ${id}: ${nodes[0]?.html}`),
          [],
        );
      }
    }
  });

  it('are found by collection in the palette, and an empty one says what to do', async () => {
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').getByRole('textbox').waitFor();
    await page.keyboard.type('emp');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByText('There are no records in Empty yet.').waitFor();
    assert.equal(pathname(), `/console/${app.id}/${app.ids.Empty!.id}`);
    await page.goto(`${server.address}/console/${app.id}/t0000000`);
    await page.getByText('This page does not exist.').waitFor();
    assert.deepEqual(complaints, []);
  });
});
