// Ranges of cells in the grid: selected, copied to and pasted from a spreadsheet, filled, cleared, and undone at once.

import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { number, publishApplication, string, type TestApplication } from '../support/application.ts';
import type { TestServer } from '../support/server.ts';
import { seriousFindings } from './axe.ts';
import { WITHOUT_BROWSER } from './browsing.ts';
import { type ConsoleScene, openConsoleScene, signIn } from './console-scene.ts';

const HOSTILE = '"><img src=x onerror="document.title=1">';
/** More than are in sight, and more than a page of the interface. */
const ROWS = 120;

describe('ranges of the grid', { skip: WITHOUT_BROWSER }, () => {
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
            { name: 'Title', type: 'String', sortable: true, unique: true, searchable: true },
            { name: 'Rank', type: 'Number' },
            { name: 'Passed', type: 'Boolean' },
            { name: 'Day', type: 'Date' },
            { name: 'Inspector', type: 'User' },
            { name: 'Site', type: 'ReferenceString', scheme: { collection: 'Sites', column: 'Name' } },
            { name: 'Note', type: 'String' },
          ],
        },
        { name: 'Sites', columns: [{ name: 'Name', type: 'String', searchable: true }] },
      ],
    });
    const person = await app.addPerson('Some Person');
    const Name = app.ids.Sites!.Name!;
    const sites = ['North "gate"', 'Twin', 'Twin'].map((name) => ({ values: { [Name]: string(name) } }));
    await app.send('POST', app.records('Sites'), { json: sites });
    for (let from = 0; from < ROWS; from += 100) {
      const json = Array.from({ length: Math.min(100, ROWS - from) }, (_, index) => ({
        values: { [column('Title')]: string(titleOf(from + index)), [column('Rank')]: number(from + index) },
      }));
      assert.equal((await app.send('POST', app.records('Visits'), { json })).status, 200);
    }
    ({ page, complaints } = await scene.openPage(`${server.address}/console/${app.id}`));
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await signIn(page, person);
    await page.getByRole('grid').waitFor();
  });
  after(() => scene.close());

  beforeEach(async () => {
    await page.goto(`${server.address}/console/${app.id}/${app.ids.Visits!.id}?sort=${column('Title')}`);
    await page.getByRole('gridcell', { name: titleOf(0), exact: true }).waitFor();
    await page.getByText(`${await total()} records`).waitFor();
    await page.waitForLoadState('networkidle');
    await page.getByRole('grid').focus();
    await press('Control+Home');
  });

  const titleOf = (index: number): string => `V${String(index).padStart(3, '0')}`;
  const column = (name: string): string => app.ids.Visits?.[name] ?? '';
  const found = async (search: string) =>
    (await app.send('GET', `${app.records('Visits')}?search=${encodeURIComponent(search)}`)).body;
  const total = async (): Promise<number> => (await app.send('GET', `${app.records('Visits')}/figures`)).body[0].count;
  const storedIn = async (row: number, name: string) => (await found(`Title=${titleOf(row)}`))[0].values[column(name)];
  const press = async (...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key);
  };
  const clipboard = () => page.evaluate<string>('navigator.clipboard.readText()');
  const paste = async (text: string) => {
    await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`);
    await press('Control+v');
  };
  const cell = (title: string, name: string) =>
    page
      .getByRole('row')
      .filter({ has: page.getByRole('gridcell', { name: title, exact: true }) })
      .locator(
        `[role=gridcell][id$="-${['Title', 'Rank', 'Passed', 'Day', 'Inspector', 'Site', 'Note'].indexOf(name)}"]`,
      );
  const stored = () => page.locator('.grid-cell-mark').first().waitFor({ state: 'detached' });
  const dialog = () => page.getByRole('alertdialog');

  it('are selected with Shift, by dragging and as a whole, and copied as tab-separated text', async () => {
    await press('Shift+ArrowRight', 'Shift+ArrowDown');
    assert.equal(await page.locator('[aria-selected=true]').count(), 4);
    await press('Control+c');
    await page.getByText('4 cells copied').waitFor();
    assert.equal((await clipboard()).replaceAll('\r\n', '\n'), 'V000\t0\nV001\t1');
    await cell('V001', 'Rank').hover();
    await page.mouse.down();
    await cell('V003', 'Passed').hover();
    await page.mouse.up();
    assert.equal(await page.locator('[aria-selected=true]').count(), 6);
    await cell('V005', 'Rank').click({ modifiers: ['Shift'] });
    assert.equal(await page.locator('[aria-selected=true]').count(), 5);
    await press('Control+a', 'Control+c');
    // What was not looked at yet is loaded first.
    await page.getByText('Press Ctrl-C again').waitFor();
    await press('Control+c');
    await page.getByText(`${ROWS * 11} cells copied`.replace(/\B(?=(\d{3})+ )/, ',')).waitFor();
    assert.equal((await clipboard()).split('\n').length, ROWS);
    await press('Escape');
    assert.equal(await page.locator('[aria-selected=true]').count(), 1);
  });

  it('take what a spreadsheet has, type by type, with the reason at what cannot be read', async () => {
    await press('ArrowRight');
    await paste(
      [
        '1,234.5\tTRUE\t2026-11-16\tSome Person\tNorth "gate"\t"two\nlines"',
        `many\tperhaps\tsoon\tNobody\tTwin\t=1+1${HOSTILE}`,
      ].join('\n'),
    );
    await page.getByText('5 values were refused.').waitFor();
    await cell('V000', 'Site').filter({ hasText: 'North "gate"' }).waitFor();
    await cell('V001', 'Note')
      .filter({ hasText: `=1+1${HOSTILE}` })
      .waitFor();
    assert.equal(await page.locator('main img:not([role])').count(), 0);
    const reasons = [
      '“many” is not a number',
      'neither yes nor no',
      'is not a date',
      'Nobody here is called',
      'Several records have',
    ];
    await press('ArrowDown');
    for (const reason of reasons) {
      await page.locator('.grid-note').filter({ hasText: reason }).waitFor();
      await press('ArrowRight');
    }
    await page.getByRole('button', { name: 'Discard' }).last().click();
    await stored();
    const [values] = (await found('Title=V000')).map((record: { values: object }) => record.values);
    assert.deepEqual(
      [values[column('Rank')], values[column('Passed')], values[column('Day')], values[column('Note')]],
      [number(1234.5), { type: 'Boolean', value: true }, { type: 'Date', value: '2026-11-16' }, string('two\nlines')],
    );
    assert.equal(values[column('Inspector')].name, 'Some Person');
    assert.deepEqual(await storedIn(1, 'Rank'), number(1));
  });

  it('are filled with one value and cleared, after saying what will happen, and undone in one step', async () => {
    await press('ArrowDown', 'ArrowDown', 'ArrowRight', 'Control+c');
    await page.getByText('1 cell copied').waitFor();
    await cell('V023', 'Rank').click({ modifiers: ['Shift'] });
    await press('Control+v');
    await dialog().getByText('21 values of 21 records will change.').waitFor();
    await press('Enter');
    await cell('V010', 'Rank').filter({ hasText: /^2$/ }).waitFor();
    await stored();
    assert.deepEqual([await storedIn(3, 'Rank'), await storedIn(23, 'Rank')], [number(2), number(2)]);
    await press('Control+z');
    await cell('V010', 'Rank').filter({ hasText: /^10$/ }).waitFor();
    await stored();
    assert.deepEqual(await storedIn(23, 'Rank'), number(23));
    await press('Control+x');
    await dialog().getByText('22 values of 22 records will be removed.').waitFor();
    await dialog().getByRole('button', { name: 'Cancel' }).click();
    assert.deepEqual(await storedIn(10, 'Rank'), number(10));
  });

  it('grow below the last record: rows become new records, and those that are refused are named', async () => {
    await press('Control+ArrowDown');
    await page.getByRole('gridcell', { name: titleOf(ROWS - 1), exact: true }).waitFor();
    await paste('V119\t1\nV120\t2\nV000\t3\nV121\t4');
    await dialog().getByText('3 new records will be created').waitFor();
    await dialog().getByText('1 value of 1 record will change.').waitFor();
    await dialog().getByRole('button', { name: 'Paste' }).click();
    await dialog().getByText('Row 2 of the new records: Another record has this value').waitFor();
    await press('Enter');
    // On a busy machine the count may be given up.
    await page.getByText(new RegExp(`^(${ROWS + 2} records|100\\+ records)$`)).waitFor();
    assert.equal(await total(), ROWS + 2);
    assert.deepEqual(await storedIn(121, 'Rank'), number(4));
    assert.equal((await found('Title=V000')).length, 1);
  });

  it('go along with their record when the rows move, so that typing changes what was chosen', async () => {
    await press('ArrowDown', 'ArrowRight');
    const json = { values: { [column('Title')]: string('V0005') } };
    const { id } = (await app.send('POST', app.records('Visits'), { json })).body;
    // The list is old enough to be read again. From here on the page's clock stands still.
    await page.clock.setFixedTime(Date.now() + 60_000);
    await page.evaluate(`dispatchEvent(new Event('visibilitychange'))`);
    await page.getByRole('gridcell', { name: 'V0005', exact: true }).waitFor();
    await press('7', '7', 'Enter');
    await cell('V001', 'Rank').filter({ hasText: /^77$/ }).waitFor();
    await stored();
    assert.deepEqual(await storedIn(1, 'Rank'), number(77));
    await app.send('DELETE', `${app.records('Visits')}/${id}`);
  });

  it('are accessible, in light and dark and in Japanese', async () => {
    await page.evaluate(`localStorage.setItem('cartulary.language', 'ja')`);
    await page.reload();
    await page.getByRole('gridcell', { name: titleOf(0), exact: true }).waitFor();
    await page.waitForLoadState('networkidle');
    await page.getByRole('grid').focus();
    await cell('V024', 'Title').click({ modifiers: ['Shift'] });
    await press('Delete');
    await dialog().getByText('25 件のレコードの値 25 個を消去します。').waitFor();
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      assert.deepEqual(await seriousFindings(page, '[role=alertdialog]'), [], colorScheme);
    }
    assert.deepEqual(complaints, []);
  });
});
