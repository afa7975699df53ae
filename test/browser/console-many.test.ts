// Many records at once: selected, edited and deleted, with what will happen said before and nobody's change overwritten.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { number, publishApplication, string, type TestApplication } from '../support/application.ts';
import type { TestServer } from '../support/server.ts';
import { seriousFindings } from './axe.ts';
import { WITHOUT_BROWSER } from './browsing.ts';
import { type ConsoleScene, openConsoleScene, signIn } from './console-scene.ts';

const VISITS = 230;
const HOSTILE = '"><img src=x onerror="document.title=1">';

describe('many records in the console', { skip: WITHOUT_BROWSER }, () => {
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
            { name: 'Passed', type: 'Boolean', searchable: true },
            { name: 'Code', type: 'String', unique: true, searchable: true },
          ],
        },
      ],
    });
    const { Title = '', Rank = '' } = app.ids.Visits ?? {};
    for (let from = 0; from < VISITS; from += 100) {
      const json = Array.from({ length: Math.min(100, VISITS - from) }, (_, i) => ({
        values: { [Title]: string(from + i === 1 ? HOSTILE : `Visit ${from + i}`), [Rank]: number(from + i) },
      }));
      assert.equal((await app.send('POST', app.records('Visits'), { json })).status, 200);
    }
    ({ page, complaints } = await scene.openPage(`${server.address}/console/${app.id}`));
    await signIn(page, await app.addPerson('Person'));
    await page.getByText(`${VISITS} records`).waitFor();
    await page.goto(`${server.address}/console/${app.id}/${app.ids.Visits!.id}?sort=${Rank}`);
    await page.getByRole('gridcell', { name: 'Visit 0', exact: true }).waitFor();
  });
  after(() => scene.close());

  const box = (number: number) => page.getByRole('checkbox', { name: `Select record ${number}`, exact: true });
  const bar = () => page.getByRole('toolbar', { name: 'Selected records' });
  const says = (text: string) => bar().getByText(text, { exact: true }).waitFor();
  const dialog = () => page.getByRole('dialog').or(page.getByRole('alertdialog'));
  const counted = async (search: string) =>
    (await app.send('GET', `${app.records('Visits')}/figures?search=${encodeURIComponent(search)}`)).body[0].count;
  const choose = async (column: string) => {
    await bar().getByRole('button', { name: 'Edit…' }).click();
    await dialog().getByRole('button', { name: 'Column' }).click();
    await page.getByRole('option', { name: column, exact: true }).click();
  };

  it('are selected one by one, as a range, and by keyboard', async () => {
    await box(2).click();
    await says('1 record selected');
    await box(6).click({ modifiers: ['Shift'] });
    await says('5 records selected');
    await box(3).click();
    await says('4 records selected');
    await box(3).press('ArrowUp');
    await page.keyboard.press('Space');
    await says('3 records selected');
    await page.getByRole('grid').focus();
    await page.keyboard.press('Control+Home');
    await page.keyboard.press('Shift+Space');
    await says('4 records selected');
    await box(1).press('Control+a');
    await says(`${VISITS} records selected`);
    await box(4).click();
    await says(`${VISITS - 1} records selected`);
    assert.equal(await box(4).isChecked(), false);
    await bar().getByRole('button', { name: 'Clear the selection' }).click();
    await bar().waitFor({ state: 'hidden' });
  });

  it('select a range over rows that were never looked at', async () => {
    await box(1).click();
    await page.getByRole('grid').focus();
    await page.keyboard.press('Control+End');
    await box(VISITS).click({ modifiers: ['Shift'] });
    await says(`${VISITS} records selected`);
    assert.ok(await box(VISITS).isChecked());
    await bar().getByRole('button', { name: 'Clear the selection' }).click();
    await page.keyboard.press('Control+Home');
  });

  it('are exported, and nothing else is', async () => {
    await page.evaluate('delete globalThis.showSaveFilePicker; delete Window.prototype.showSaveFilePicker');
    await page.getByRole('grid').focus();
    await page.keyboard.press('Control+Home');
    await box(1).click();
    await box(3).click();
    await bar().getByRole('button', { name: 'Export…' }).click();
    await dialog().getByText('only the selected records').waitFor();
    const download = page.waitForEvent('download');
    await dialog().getByRole('button', { name: 'Export', exact: true }).click();
    const lines = (await readFile(await (await download).path(), 'utf8')).trimEnd().split('\r\n');
    assert.deepEqual(lines.slice(1), ['Visit 0,0,,', 'Visit 2,2,,']);
    await dialog().getByRole('button', { name: 'Close' }).click();
    await bar().getByRole('button', { name: 'Clear the selection' }).click();
  });

  it('get a value in one column, said before; what somebody changed meanwhile is left alone and listed', async () => {
    await page.getByRole('grid').focus();
    await page.keyboard.press('Control+Home');
    await box(1).click();
    await box(3).click({ modifiers: ['Shift'] });
    await choose('Passed');
    assert.equal(await page.getByRole('option', { name: 'Code' }).count(), 0, 'a unique value fits no two records');
    await dialog().getByText('Yes', { exact: true }).first().click();
    await dialog().getByText('3 records of Visits will get Passed = Yes.').waitFor();
    const [, record = ''] =
      /"id":"(r[a-z0-9]{26})"/.exec((await app.send('GET', `${app.records('Visits')}?search=Rank%3D1`)).text) ?? [];
    const json = { replace: false, values: { [app.ids.Visits!.Rank!]: number(1.5) } };
    assert.equal((await app.send('PUT', app.records('Visits', record), { json })).status, 200);
    await dialog().getByRole('button', { name: 'Change 3 records' }).click();
    await dialog().getByText('2 records were changed.').waitFor();
    await dialog().getByRole('link', { name: HOSTILE }).waitFor();
    await dialog().getByText('Somebody else has changed it meanwhile.').waitFor();
    await dialog().getByRole('button', { name: 'Close' }).click();
    assert.equal(await counted('Passed:true'), 2);
    await page.locator('.grid-row .value-boolean.on').first().waitFor();
  });

  it('are all that match a search, and only those that matched when it was asked', async () => {
    await page.getByRole('searchbox').fill('Rank>=200');
    await page.keyboard.press('Enter');
    await page.getByText('30 hits').waitFor();
    await page.getByRole('checkbox', { name: 'Select all hits' }).click();
    await says('30 records selected');
    await choose('Rank');
    await dialog().getByRole('textbox', { name: 'Rank' }).fill('7.5');
    await dialog().getByText('30 records of Visits will get Rank = 7.5.').waitFor();
    const json = { values: { [app.ids.Visits!.Rank!]: number(500) } };
    assert.equal((await app.send('POST', app.records('Visits'), { json })).status, 200);
    await dialog().getByRole('button', { name: 'Change 30 records' }).click();
    await dialog().getByText('30 records were changed.').waitFor();
    await dialog().getByRole('button', { name: 'Close' }).click();
    assert.equal(await counted('Rank=500'), 1);
    assert.equal(await counted('Rank=7.5'), 30);
  });

  it('are stopped in the middle, and go on with the rest after the server was away', async () => {
    await page.getByRole('searchbox').fill('Rank=7.5');
    await page.keyboard.press('Enter');
    await page.getByText('30 hits').waitFor();
    await page.getByRole('checkbox', { name: 'Select all hits' }).click();
    await choose('Rank');
    await dialog().getByRole('textbox', { name: 'Rank' }).fill('8.5');
    await dialog().getByText('30 records of Visits').waitFor();
    let sent = 0;
    const away = async (route: { abort(): Promise<void>; fallback(): Promise<void> }) =>
      ++sent > 8 ? route.abort() : route.fallback();
    await page.route('**/records/r*', away);
    await dialog().getByRole('button', { name: 'Change 30 records' }).click();
    await dialog().getByText('records were not tried').waitFor();
    await page.unroute('**/records/r*', away);
    await dialog().getByRole('button', { name: 'Go on with the rest' }).click();
    await dialog().getByText('30 records were changed.').waitFor();
    await dialog().getByRole('button', { name: 'Close' }).click();
    assert.equal(await counted('Rank=8.5'), 30);
  });

  it('are deleted after asking', async () => {
    await page.getByRole('searchbox').fill('Rank=8.5');
    await page.keyboard.press('Enter');
    await page.getByText('30 hits').waitFor();
    await page.getByRole('checkbox', { name: 'Select all hits' }).click();
    await bar().getByRole('button', { name: 'Delete…' }).click();
    await dialog().getByText('30 records of Visits will be deleted. They cannot be brought back.').waitFor();
    await dialog().getByRole('button', { name: 'Delete 30 records' }).click();
    await dialog().getByText('30 records were deleted.').waitFor();
    await dialog().getByRole('button', { name: 'Close' }).click();
    await page.getByText('No record matches this search.').waitFor();
    assert.equal(await counted('Rank>=0'), VISITS + 1 - 30);
  });

  it('are counted beside the rows: a count that takes long keeps nothing waiting, and is made on demand', async () => {
    let held: (() => void) | undefined;
    await page.route('**/records/figures*', async (route) => {
      await new Promise<void>((resolve) => {
        held = resolve;
      });
      await route.fallback().catch(() => undefined);
    });
    await page.goto(`${server.address}/console/${app.id}/${app.ids.Visits!.id}`);
    await page.getByRole('gridcell', { name: 'Visit 0', exact: true }).waitFor();
    await page.getByText('100+ records').waitFor();
    await page.getByRole('button', { name: 'Count all' }).waitFor();
    held?.();
    await page.unroute('**/records/figures*');
    await page.getByRole('button', { name: 'Count all' }).click();
    await page.getByText(`${VISITS + 1 - 30} records`).waitFor();
    assert.equal(await page.getByRole('button', { name: 'Count all' }).count(), 0);
  });

  it('can be used by everybody: axe finds nothing serious in bar and dialog', async () => {
    for (const [colorScheme, language] of [
      ['light', 'ja'],
      ['dark', 'en'],
    ] as const) {
      await page.emulateMedia({ colorScheme });
      await page.evaluate(`localStorage.setItem('cartulary.language', '${language}')`);
      await page.goto(`${server.address}/console/${app.id}/${app.ids.Visits!.id}`);
      await page.getByRole('checkbox').nth(1).click();
      await page.getByRole('toolbar').waitFor();
      assert.deepEqual(await seriousFindings(page, '[role=toolbar]'), []);
      await page
        .getByRole('toolbar')
        .getByRole('button', { name: /^(Edit…|編集…)$/ })
        .click();
      await page.getByRole('dialog').waitFor();
      assert.deepEqual(await seriousFindings(page, '[role=dialog]'), []);
      await page.keyboard.press('Escape');
    }
    assert.equal(await page.locator('main img').count(), 0);
    assert.deepEqual(
      complaints.filter((text) => !text.includes('net::ERR_FAILED')),
      [],
    );
  });
});
